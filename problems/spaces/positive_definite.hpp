// Symmetric positive definite matrices of a given order with the metric <U, V>_X = tr(X^-1 U X^-1 V), which is the same
// in every basis (Bhatia 2007, chapter 6). A row holds the order^2 entries.
// Retraction X + V + V X^-1 V / 2 (Jeuris, Vandebril & Vandereycken 2012), parallel transport; no border. A step at
// most halves X in any direction: an optimum of lower rank is approached by a factor of 2 a step, and never reached.
#pragma once

#include <span>
#include <string>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"

namespace alidade {

struct PositiveDefinite final {
  using ConstRowSpan = std::span<const double>;
  using RowSpan = std::span<double>;

  Index order = 1;  // n: rows are n x n matrices

  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool fits(Index cols) const { return order >= 1 && cols == order * order; }
  /// The symmetric part.
  void project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  /// X sym(G) X.
  void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const;
  void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void transport(ConstRowSpan x, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const;
  [[nodiscard]] double inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const;
  /// Eigenvalues below 1e-14 of the largest are raised to that.
  void repair(ConstRowSpan x, RowSpan out) const;
  /// exp of a symmetric matrix of normal entries.
  void random(Rng& rng, RowSpan out) const;
  /// Distance from the closed cone.
  [[nodiscard]] double residual(ConstRowSpan x) const;
  [[nodiscard]] Index dimension(Index) const { return order * (order + 1) / 2; }
  [[nodiscard]] bool has_border() const { return false; }
};

}  // namespace alidade
