// Hyperbolic space of curvature -1 as a hyperboloid: rows x = (x_0, y) with -x_0^2 + |y|^2 = -1 and x_0 > 0; the metric
// is -u_0 v_0 + <u, v> on tangent vectors. A map of d dimensions uses d + 1 coordinates; the distance of two rows is
// arcosh(x_0 x'_0 - <y, y'>). Retraction is the exponential map, transport is parallel (Nickel & Kiela 2018).
#pragma once

#include <span>
#include <string>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"

namespace alidade {

struct Hyperbolic final {
  using ConstRow = std::span<const double>;
  using Row = std::span<double>;

  [[nodiscard]] std::string name() const { return "hyperbolic"; }
  [[nodiscard]] bool fits(Index cols) const { return cols >= 2; }
  void project(ConstRow x, ConstRow v, Row out) const;
  void gradient(ConstRow x, ConstRow g, Row out) const;
  void frame(ConstRow x, ConstRow v, Row out) const;
  /// Steps longer than 300 are cut to that: cosh of more would soon be infinite.
  void retract(ConstRow x, ConstRow v, Row out) const;
  void transport(ConstRow x, ConstRow x_new, ConstRow v, Row out) const;
  [[nodiscard]] double inner(ConstRow x, ConstRow u, ConstRow v) const;
  /// Keeps y.
  void repair(ConstRow x, Row out) const;
  /// The exponential map at (1, 0, ...) of a normal vector.
  void random(Rng& rng, Row out) const;
  [[nodiscard]] double residual(ConstRow x) const;
  [[nodiscard]] Index dimension(Index cols) const { return cols - 1; }
  [[nodiscard]] bool has_border() const { return false; }
};

}  // namespace alidade
