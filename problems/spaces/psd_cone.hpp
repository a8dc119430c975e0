// Symmetric positive semidefinite matrices of a given order, closed, with the Euclidean (Frobenius) metric.
// A row holds the order^2 entries. The retraction projects x + v onto the cone (Higham 1988), so steps are projected
// gradient steps. It has a border: where optima have full rank, PositiveDefinite is faster and open to more solvers.
#pragma once

#include <span>
#include <string>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"

namespace alidade {

struct PsdCone final {
  using ConstRowSpan = std::span<const double>;
  using RowSpan = std::span<double>;

  Index order = 1;  // n: rows are n x n matrices

  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool fits(Index cols) const { return order >= 1 && cols == order * order; }
  /// The symmetric part.
  void project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const { project(x, g, out); }
  void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const { project(x, v, out); }
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void transport(ConstRowSpan x, ConstRowSpan, ConstRowSpan v, RowSpan out) const { project(x, v, out); }
  [[nodiscard]] double inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const;
  /// The nearest matrix of the cone.
  void repair(ConstRowSpan x, RowSpan out) const;
  /// exp of a symmetric matrix of normal entries: inside the cone.
  void random(Rng& rng, RowSpan out) const;
  [[nodiscard]] double residual(ConstRowSpan x) const;
  [[nodiscard]] Index dimension(Index) const { return order * (order + 1) / 2; }
  [[nodiscard]] bool has_border() const { return true; }
};

}  // namespace alidade
