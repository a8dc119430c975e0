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
  using ConstRow = std::span<const double>;
  using Row = std::span<double>;

  Index order = 1;  // n: rows are n x n matrices

  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool fits(Index cols) const { return order >= 1 && cols == order * order; }
  /// The symmetric part.
  void project(ConstRow x, ConstRow v, Row out) const;
  /// X sym(G) X.
  void gradient(ConstRow x, ConstRow g, Row out) const;
  void frame(ConstRow x, ConstRow v, Row out) const;
  void retract(ConstRow x, ConstRow v, Row out) const;
  void transport(ConstRow x, ConstRow x_new, ConstRow v, Row out) const;
  [[nodiscard]] double inner(ConstRow x, ConstRow u, ConstRow v) const;
  /// Eigenvalues below 1e-14 of the largest are raised to that.
  void repair(ConstRow x, Row out) const;
  /// exp of a symmetric matrix of normal entries.
  void random(Rng& rng, Row out) const;
  /// Distance from the closed cone.
  [[nodiscard]] double residual(ConstRow x) const;
  [[nodiscard]] Index dimension(Index) const { return order * (order + 1) / 2; }
  [[nodiscard]] bool has_border() const { return false; }
};

}  // namespace alidade
