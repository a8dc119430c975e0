// R^d with the standard inner product: the domain of every plain map.
// Projection and transport are the identity; retraction is addition.
// Losses that depend only on distances are invariant under rigid motions of all rows together.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"

namespace alidade {

struct Euclidean final {
  using ConstRowSpan = std::span<const double>;
  using RowSpan = std::span<double>;

  [[nodiscard]] std::string name() const { return "euclidean"; }
  void project(ConstRowSpan, ConstRowSpan v, RowSpan out) const { std::ranges::copy(v, out.begin()); }
  void gradient(ConstRowSpan, ConstRowSpan g, RowSpan out) const { std::ranges::copy(g, out.begin()); }
  void frame(ConstRowSpan, ConstRowSpan v, RowSpan out) const { std::ranges::copy(v, out.begin()); }
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] + v[i];
  }
  void transport(ConstRowSpan, ConstRowSpan, ConstRowSpan v, RowSpan out) const { std::ranges::copy(v, out.begin()); }
  [[nodiscard]] double inner(ConstRowSpan, ConstRowSpan u, ConstRowSpan v) const {
    return std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
  }
  void repair(ConstRowSpan x, RowSpan out) const {
    if (x.data() != out.data()) std::ranges::copy(x, out.begin());
  }
  void random(Rng& rng, RowSpan out) const {
    for (double& entry : out) entry = rng.normal();
  }
  [[nodiscard]] double residual(ConstRowSpan) const { return 0; }
  [[nodiscard]] Index dimension(Index cols) const { return cols; }
  [[nodiscard]] bool has_border() const { return false; }
};

}  // namespace alidade
