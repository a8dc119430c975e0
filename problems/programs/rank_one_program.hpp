// Semidefinite programs over one block whose matrices are combinations of given matrices y_k y_k' of rank one:
//   min b'v  s.t.  S = sigma I + sum_k (w + K v)_k y_k y_k'  psd,  and v >= 0 where the program says so,
// with the dual  max -sigma tr M - w'a(M)  s.t.  K'a(M) + s = b,  M psd,  s >= 0 or s = 0,  where a(M)_k = y_k'M y_k.
// Unfolding is of this form, and so is the search for the stresses of its face. A primal-dual interior point method
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
  bool nonnegative = false;
};

struct RankOneSolution {
  Eigen::VectorXd v;
  Eigen::MatrixXd primal, slack;  // M and S, positive definite
  double product = 0;             // <M, S> + s'v, the gap where both are feasible
  double residual = 0;            // |K'a(M) + s - b| / (1 + |b|)
  Index iterations = 0;
  Eigen::VectorXd low{};  // what doubles leave of v, where it has twice their digits
};

struct RankOneOptions {
  double gap = 1e-9;       // ends where <M, S> + s'v is at most this, relative to |b'v|
  bool absolute = false;   // or to nothing
  double residual = 1e-9;  // and the residual at most this
  Index max_iter = 60;
  bool precise = false;  // calculates with twice the digits of a double, at some 30 times the cost
  /// Sees each iterate; ends the solve where it returns true.
  std::function<bool(const RankOneSolution&)> stop{};
  /// Asked within an iteration, which may take seconds; ends the solve with the best iterate before.
  std::function<bool()> asked = [] { return false; };
};

/// From v with S positive definite, v > 0 if it is to be nonnegative, and any M positive definite. The last iterate
/// before rounding takes over; both matrices stay positive definite. By BLAS (lapack.hpp).
/// O(m^2 (r + k) + k^3 + r^3) an iteration.
[[nodiscard]] RankOneSolution solve_rank_one(const RankOneProgram& program, Eigen::VectorXd v, Eigen::MatrixXd m,
                                             const RankOneOptions& options = {});

}  // namespace alidade
