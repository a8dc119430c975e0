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
  using ConstRow = std::span<const double>;
  using Row = std::span<double>;

  Index order = 1;  // n: rows are n x n matrices

  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool fits(Index cols) const { return order >= 1 && cols == order * order; }
  /// The symmetric part.
  void project(ConstRow x, ConstRow v, Row out) const;
  void gradient(ConstRow x, ConstRow g, Row out) const { project(x, g, out); }
  void frame(ConstRow x, ConstRow v, Row out) const { project(x, v, out); }
  void retract(ConstRow x, ConstRow v, Row out) const;
  void transport(ConstRow x, ConstRow, ConstRow v, Row out) const { project(x, v, out); }
  [[nodiscard]] double inner(ConstRow x, ConstRow u, ConstRow v) const;
  /// The nearest matrix of the cone.
  void repair(ConstRow x, Row out) const;
  /// exp of a symmetric matrix of normal entries: inside the cone.
  void random(Rng& rng, Row out) const;
  [[nodiscard]] double residual(ConstRow x) const;
  [[nodiscard]] Index dimension(Index) const { return order * (order + 1) / 2; }
  [[nodiscard]] bool has_border() const { return true; }
};

}  // namespace alidade
