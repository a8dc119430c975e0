// A factor of a sparse symmetric matrix, of which the lower triangle is read, with AMD ordering.
// Davis, "Direct Methods for Sparse Linear Systems", chapter 4: Eigen's SimplicialCholesky, compiled once.
// For solves in double precision; proofs of definiteness and factors that can be stopped are in front_cholesky.hpp.
#pragma once

#include <memory>

#include "problems/core/types.hpp"

namespace alidade {

class SparseCholesky {
 public:
  using Sparse = Eigen::SparseMatrix<double>;
  /// P A P' = LL' of definite matrices; or = L D L' with D diagonal, without pivoting, of all that leave no pivot at 0.
  enum class Form { llt, ldlt };

  explicit SparseCholesky(Form form);
  /// For all matrices with this pattern.
  void plan(const Sparse& pattern);
  /// Entries of L below the diagonal. @pre plan() was called
  [[nodiscard]] double fill() const;
  /// Of A + shift I; false if there is none. @pre A has the pattern that plan() was called with
  [[nodiscard]] bool factor(const Sparse& a, double shift = 0);
  /// (A + shift I)^-1 b. @pre factor() returned true
  [[nodiscard]] Vector solve(const Vector& b) const;
  [[nodiscard]] Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;
  /// D, and L without its diagonal of ones. @pre the form is ldlt
  [[nodiscard]] const Vector& pivots() const;
  [[nodiscard]] const Sparse& below_diagonal() const;

 private:
  struct Factor;
  std::shared_ptr<Factor> factor_;
};

}  // namespace alidade
