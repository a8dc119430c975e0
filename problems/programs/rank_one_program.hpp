// Semidefinite programs over one block whose matrices are combinations of given matrices y_k y_k' of rank one:
//   min b'v  s.t.  S = sigma I + sum_k (w + K v)_k y_k y_k'  psd,
// with the dual  max -sigma tr M - w'a(M)  s.t.  K'a(M) = b,  M psd,  where a(M)_k = y_k'M y_k.
// Unfolding on a face is of this form, and so is the search for its stresses. A primal-dual interior point method
// (Helmberg, Rendl, Vanderbei & Wolkowicz 1996) whose Schur complement takes products of Gram matrices of the y_k.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "problems/core/index.hpp"

namespace alidade {

struct RankOneProgram {
  Eigen::MatrixXd rows;     // m x r: y_k
  Eigen::VectorXd weights;  // w, m
  Eigen::MatrixXd freedom;  // K: m x k; 0 x 0: the identity
  double identity = 0;      // sigma
  Eigen::VectorXd price;    // b, k
};

struct RankOneSolution {
  Eigen::VectorXd v;
  Eigen::MatrixXd primal, slack;  // M and S, positive definite
  double product = 0;             // <M, S>, the gap where both are feasible
  double residual = 0;            // |K'a(M) - b| / (1 + |b|)
  Index iterations = 0;
};

struct RankOneOptions {
  double gap = 1e-9;       // ends where <M, S> is at most this, relative to |b'v|
  bool absolute = false;   // or to nothing
  double residual = 1e-9;  // and the residual at most this
  Index max_iter = 60;
  std::function<bool()> stop{};
};

/// From v with S positive definite and any M positive definite. The last iterate before rounding takes over; both
/// matrices stay positive definite. O(m^2 (r + k) + k^3 + r^3) an iteration.
[[nodiscard]] RankOneSolution solve_rank_one(const RankOneProgram& program, Eigen::VectorXd v, Eigen::MatrixXd m,
                                             const RankOneOptions& options = {});

}  // namespace alidade
