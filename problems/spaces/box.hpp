// The box [lower, upper]^d with the Euclidean metric: mixing weights, probabilities.
// The retraction clips, so steps are projected gradient steps (Bertsekas 1976).
// It has a border, so it is not for solvers that assume smooth retractions.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"

namespace alidade {

struct Box final {
  using ConstRowSpan = std::span<const double>;
  using RowSpan = std::span<double>;

  double lower = 0;
  double upper = 1;

  [[nodiscard]] std::string name() const { return "box"; }
  void project(ConstRowSpan, ConstRowSpan v, RowSpan out) const { std::ranges::copy(v, out.begin()); }
  void gradient(ConstRowSpan, ConstRowSpan g, RowSpan out) const { std::ranges::copy(g, out.begin()); }
  void frame(ConstRowSpan, ConstRowSpan v, RowSpan out) const { std::ranges::copy(v, out.begin()); }
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = std::clamp(x[i] + v[i], lower, upper);
  }
  void transport(ConstRowSpan, ConstRowSpan, ConstRowSpan v, RowSpan out) const { std::ranges::copy(v, out.begin()); }
  [[nodiscard]] double inner(ConstRowSpan, ConstRowSpan u, ConstRowSpan v) const {
    return std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
  }
  void repair(ConstRowSpan x, RowSpan out) const {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = std::clamp(x[i], lower, upper);
  }
  /// Uniform in the box; if it has no end, normal numbers moved into it.
  void random(Rng& rng, RowSpan out) const {
    const bool bounded = std::isfinite(upper - lower);
    for (double& entry : out) entry = bounded ? rng.uniform(lower, upper) : std::clamp(rng.normal(), lower, upper);
  }
  [[nodiscard]] double residual(ConstRowSpan x) const {
    double worst = 0;
    for (const double entry : x) worst = std::max({worst, lower - entry, entry - upper});
    return worst;
  }
  [[nodiscard]] Index dimension(Index cols) const { return cols; }
  [[nodiscard]] bool has_border() const { return true; }
};

}  // namespace alidade
