// A quadratic majoriser of soft ordinal embedding and its minimiser, for majorisation solvers.
// In the manner of [TvL14]: two separate squares of distances bound the squared hinge, and quadratics in Y bound these,
// as in SMACOF (de Leeuw 1977). The split is new: no target distance is negative. Derivation: soe_majorizer.md.
// The map must be Euclidean: n rows in R^d without constraints.
#pragma once

#include <memory>
#include <span>

#include "problems/triplet_sums/triplet_sum.hpp"

namespace alidade::triplet {

/// For the objective C of a sum of SoeLoss, with u = margin + p - q, p and q the distances of a triplet at X, and
/// u+ = max(0, u):
///   C(Y) <= C(X) + <grad C(X), Y - X> + sum over pairs v_ij |D_i - D_j|^2 + lambda sum |D_i|^2,   D = Y - X,
///   v_ij = sum of w (2 where far is paired, max(2, u+ / p) where near is),
/// so that the minimiser is X - V^+ grad C(X) / 2 with the weighted Laplacian V of the compared pairs. V is sparse;
/// conjugate gradients from 0 lower the bound at every step, so an inexact solve never breaks descent. Pairs so close
/// that u+ / p exceeds 1e8 move as one. Objects without triplets stay.
/// Triplets of attribute tables are not stored; for them u+ / p is bounded by (margin + p) / p, so steps are smaller.
class SoeMajorizer {
 public:
  /// The pairs are found once, on first use: O(triplets log triplets) time, then 8 bytes per triplet and 44 per
  /// pair. Copies share them.
  SoeMajorizer(std::shared_ptr<const TripletSum> sum, double margin);
  ~SoeMajorizer();
  SoeMajorizer(const SoeMajorizer&) = default;
  SoeMajorizer& operator=(const SoeMajorizer&) = default;

  /// Writes the minimiser of the bound at `x` with the given gradient. All are n x d, row-major; nothing aliases.
  /// O(triplets + d pairs), and about ten to fifty times d pairs for the solve. Same bits for any number of threads.
  void minimize(std::span<const double> x, Index d, std::span<const double> gradient, std::span<double> next,
                Evaluation& evaluation) const;

 private:
  struct Pairs;
  struct Shared;
  class Laplacian;
  std::shared_ptr<const TripletSum> sum_;
  double margin_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace alidade::triplet
