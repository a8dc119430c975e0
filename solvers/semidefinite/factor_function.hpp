// A smooth function of a factor U (order x p) of a psd matrix, with products of its Hessian, for FactorNewton.
// Hessians belong to the U that was evaluated last, so that a function keeps what both need.
// Models: DistanceLagrangian (low_rank), and convex sums over Gram matrices (widening_factor).
#pragma once

#include <vector>

#include "problems/core/types.hpp"

namespace alidade {

class FactorFunction {
 public:
  virtual ~FactorFunction() = default;
  /// The value and its Euclidean gradient.
  virtual double evaluate(const Matrix& u, Matrix& gradient) = 0;
  /// The (generalised) Hessian at the last evaluated U, times D.
  virtual void hessian_times(const Matrix& d, Matrix& out) = 0;
  /// Adds the Hessian's diagonal blocks, at this U or one near, for a preconditioner: one p x p block per row of U,
  /// row-major, order x p^2.
  virtual void add_diagonal_blocks(std::vector<double>& blocks) const = 0;
};

}  // namespace alidade
