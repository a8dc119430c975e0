// The positive orthant with the metric <u, v>_x = sum u_i v_i / x_i^2: scales, radii, widths.
// Retraction x exp(v / x) is the exponential map, transport v x_new / x is parallel; no border.
// The step is relative, so a value can neither reach zero nor overshoot it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"

namespace alidade {

struct Positive final {
  using ConstRowSpan = std::span<const double>;
  using RowSpan = std::span<double>;

  [[nodiscard]] std::string name() const { return "positive"; }
  void project(ConstRowSpan, ConstRowSpan v, RowSpan out) const { std::ranges::copy(v, out.begin()); }
  void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] * x[i] * g[i];
  }
  void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] * v[i];
  }
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
    for (std::size_t i = 0; i < x.size(); ++i)
      out[i] = std::clamp(x[i] * std::exp(v[i] / x[i]), std::numeric_limits<double>::min(),
                          std::numeric_limits<double>::max());
  }
  void transport(ConstRowSpan x, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = v[i] * (x_new[i] / x[i]);
  }
  [[nodiscard]] double inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (u[i] / x[i]) * (v[i] / x[i]);
    return sum;
  }
  void repair(ConstRowSpan x, RowSpan out) const {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = std::max(x[i], std::numeric_limits<double>::min());
  }
  /// Log-normal.
  void random(Rng& rng, RowSpan out) const {
    for (double& entry : out) entry = std::exp(rng.normal());
  }
  [[nodiscard]] double residual(ConstRowSpan x) const {
    double worst = 0;
    for (const double entry : x) worst = std::max(worst, std::numeric_limits<double>::min() - entry);
    return worst;
  }
  [[nodiscard]] Index dimension(Index cols) const { return cols; }
  [[nodiscard]] bool has_border() const { return false; }
};

}  // namespace alidade
