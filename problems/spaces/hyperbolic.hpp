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
  using ConstRowSpan = std::span<const double>;
  using RowSpan = std::span<double>;

  [[nodiscard]] std::string name() const { return "hyperbolic"; }
  [[nodiscard]] bool fits(Index cols) const { return cols >= 2; }
  void project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const;
  void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  /// Steps longer than 300 are cut to that: cosh of more would soon be infinite.
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void transport(ConstRowSpan x, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const;
  [[nodiscard]] double inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const;
  /// Keeps y.
  void repair(ConstRowSpan x, RowSpan out) const;
  /// The exponential map at (1, 0, ...) of a normal vector.
  void random(Rng& rng, RowSpan out) const;
  [[nodiscard]] double residual(ConstRowSpan x) const;
  [[nodiscard]] Index dimension(Index cols) const { return cols - 1; }
  [[nodiscard]] bool has_border() const { return false; }
};

}  // namespace alidade
