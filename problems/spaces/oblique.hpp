// The sphere of a given radius, one per row: a block of such rows is the (scaled) oblique manifold.
// Project: v - <v, x> x / r^2; retract: r (x + v) / |x + v|; transport: projection at the new point.
// A row needs at least two ambient coordinates; a map of d dimensions uses d + 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"

namespace alidade {

struct Oblique final {
  using ConstRowSpan = std::span<const double>;
  using RowSpan = std::span<double>;

  double radius = 1;

  [[nodiscard]] std::string name() const { return "oblique"; }
  void project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
    const double along = dot(x, v) / (radius * radius);
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = v[i] - along * x[i];
  }
  void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const { project(x, g, out); }
  void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const { project(x, v, out); }
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
    double squared = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      out[i] = x[i] + v[i];
      squared += out[i] * out[i];
    }
    if (std::isinf(squared)) {  // a step beyond 1e154: divide by its largest entry
      double largest = 0;
      for (const double entry : out) largest = std::max(largest, std::abs(entry));
      squared = 0;
      for (double& entry : out) {
        entry /= largest;
        squared += entry * entry;
      }
    }
    const double scale = radius / std::sqrt(squared);
    for (double& entry : out) entry *= scale;
  }
  void transport(ConstRowSpan, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const { project(x_new, v, out); }
  [[nodiscard]] double inner(ConstRowSpan, ConstRowSpan u, ConstRowSpan v) const { return dot(u, v); }
  void repair(ConstRowSpan x, RowSpan out) const {
    const double norm = std::sqrt(dot(x, x));
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = norm > 0 ? x[i] * (radius / norm) : (i == 0 ? radius : 0.0);
  }
  /// Uniform on the sphere.
  void random(Rng& rng, RowSpan out) const {
    for (double& entry : out) entry = rng.normal();
    repair(out, out);
  }
  [[nodiscard]] double residual(ConstRowSpan x) const { return std::abs(std::sqrt(dot(x, x)) - radius); }
  [[nodiscard]] Index dimension(Index cols) const { return cols - 1; }
  [[nodiscard]] bool has_border() const { return false; }

 private:
  [[nodiscard]] static double dot(ConstRowSpan a, ConstRowSpan b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
};

}  // namespace alidade
