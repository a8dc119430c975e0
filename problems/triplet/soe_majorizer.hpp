// A quadratic majoriser of soft ordinal embedding, and its minimiser: what majorisation solvers need.
// In the manner of [TvL14]: the squared hinge under two separate squares of distances, these under quadratics in Y as
// in SMACOF (de Leeuw 1977). The split is ours: no target distance is negative. Derivation: problems/README.md.
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
/// so that the minimiser is X - V^+ grad C(X) / 2 with the weighted Laplacian V of the pairs compared: sparse, and
/// solved by conjugate gradients, which from 0 lower the bound at every step and so never break descent. Pairs so
/// close that u+ / p is beyond 1e8 move as one. Objects without triplets stay.
/// For triplets of attribute tables, which are not stored, u+ / p is bounded by (margin + p) / p: smaller steps.
class SoeMajorizer {
 public:
  /// The pairs are found when they are first needed, once: O(triplets log triplets), then 8 bytes a triplet and 44 a
  /// pair. Copies share them.
  SoeMajorizer(std::shared_ptr<const TripletSum> sum, double margin);
  ~SoeMajorizer();
  SoeMajorizer(const SoeMajorizer&) = default;
  SoeMajorizer& operator=(const SoeMajorizer&) = default;

  /// Writes the minimiser of the bound at `x`, whose gradient is given. All n x d, row-major; nothing aliases.
  /// O(triplets + d pairs) and about ten to fifty times d pairs for the solve. Same bits for any number of threads.
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
