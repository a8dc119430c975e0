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
  using ConstRow = std::span<const double>;
  using Row = std::span<double>;

  [[nodiscard]] std::string name() const { return "euclidean"; }
  void project(ConstRow, ConstRow v, Row out) const { std::ranges::copy(v, out.begin()); }
  void gradient(ConstRow, ConstRow g, Row out) const { std::ranges::copy(g, out.begin()); }
  void frame(ConstRow, ConstRow v, Row out) const { std::ranges::copy(v, out.begin()); }
  void retract(ConstRow x, ConstRow v, Row out) const {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] + v[i];
  }
  void transport(ConstRow, ConstRow, ConstRow v, Row out) const { std::ranges::copy(v, out.begin()); }
  [[nodiscard]] double inner(ConstRow, ConstRow u, ConstRow v) const {
    return std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
  }
  void repair(ConstRow x, Row out) const {
    if (x.data() != out.data()) std::ranges::copy(x, out.begin());
  }
  void random(Rng& rng, Row out) const {
    for (double& entry : out) entry = rng.normal();
  }
  [[nodiscard]] double residual(ConstRow) const { return 0; }
  [[nodiscard]] Index dimension(Index cols) const { return cols; }
  [[nodiscard]] bool has_border() const { return false; }
};

}  // namespace alidade
