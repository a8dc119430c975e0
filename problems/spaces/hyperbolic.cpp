#include "problems/spaces/hyperbolic.hpp"

#include <algorithm>
#include <cmath>

#include "problems/spaces/manifold.hpp"

namespace alidade {
namespace {

constexpr double kFarthestStep = 300;  // cosh of it is 1e130

/// sum of u_i v_i over i > 0.
double space_dot(ConstRowSpan u, ConstRowSpan v) {
  double sum = 0;
  for (std::size_t i = 1; i < u.size(); ++i) sum += u[i] * v[i];
  return sum;
}
double minkowski(ConstRowSpan u, ConstRowSpan v) { return space_dot(u, v) - u[0] * v[0]; }
double space_norm(ConstRowSpan u) {
  double largest = 0, sum = 0;
  for (std::size_t i = 1; i < u.size(); ++i) largest = std::max(largest, std::abs(u[i]));
  if (!(largest > 0) || std::isinf(largest)) return largest;
  for (std::size_t i = 1; i < u.size(); ++i) sum += (u[i] / largest) * (u[i] / largest);
  return largest * std::sqrt(sum);
}

}  // namespace

static_assert(RowManifold<Hyperbolic>);

void Hyperbolic::project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  // The normal is (-x_0, y), of length above 1.
  const double squared = x[0] * x[0] + space_dot(x, x);
  const double along = (space_dot(x, v) - x[0] * v[0]) / squared;
  const double first = v[0] + along * x[0];
  for (std::size_t i = 1; i < x.size(); ++i) out[i] = v[i] - along * x[i];
  out[0] = first;
}

void Hyperbolic::gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const {
  // (J + x x') g with J = diag(-1, 1, ..., 1).
  const double along = x[0] * g[0] + space_dot(x, g);
  const double first = -g[0] + along * x[0];
  for (std::size_t i = 1; i < x.size(); ++i) out[i] = g[i] + along * x[i];
  out[0] = first;
}

void Hyperbolic::frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  // The root of J + x x': that has the eigenvalue 1 across y, and on the plane of x_0 and y the vector (|y|, x_0).
  const double s = space_norm(x);
  if (s == 0) {
    for (std::size_t i = 1; i < x.size(); ++i) out[i] = v[i];
    out[0] = 0;
    return;
  }
  const double along = space_dot(x, v) / s;
  const double t = (s * v[0] + x[0] * along) / std::hypot(s, x[0]);
  for (std::size_t i = 1; i < x.size(); ++i) out[i] = v[i] + (x[0] * t - along) * (x[i] / s);
  out[0] = s * t;
}

void Hyperbolic::retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  // Of a tangent vector: |v|^2 - (<y, v> / x_0)^2, without the cancellation of -v_0^2.
  const double size = std::max(std::abs(v[0]), space_norm(v));
  double length = 0;
  if (size > 0) {
    double across = 0, along = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
      across += (v[i] / size) * (v[i] / size);
      along += (x[i] / x[0]) * (v[i] / size);
    }
    length = size * std::sqrt(std::max(0.0, across - along * along));
  }
  const double capped = std::min(length, kFarthestStep), scale = length > 0 ? std::sinh(capped) / length : 1;
  constexpr double kFarthest = 1e150;  // its square is finite
  for (std::size_t i = 1; i < x.size(); ++i)
    out[i] = std::clamp(std::cosh(capped) * x[i] + scale * v[i], -kFarthest, kFarthest);
  out[0] = std::hypot(1.0, space_norm(out));
}

void Hyperbolic::transport(ConstRowSpan x, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const {
  const double along = minkowski(x_new, v) / (1 - minkowski(x, x_new));
  for (std::size_t i = 1; i < x.size(); ++i) out[i] = v[i] + along * (x[i] + x_new[i]);
  out[0] = space_dot(x_new, out) / x_new[0];  // tangent, up to rounding
}

double Hyperbolic::inner(ConstRowSpan, ConstRowSpan u, ConstRowSpan v) const { return minkowski(u, v); }

void Hyperbolic::repair(ConstRowSpan x, RowSpan out) const {
  for (std::size_t i = 1; i < x.size(); ++i) out[i] = x[i];
  out[0] = std::hypot(1.0, space_norm(out));
}

void Hyperbolic::random(Rng& rng, RowSpan out) const {
  for (double& entry : out) entry = rng.normal();
  const double length = space_norm(out), scale = length > 0 ? std::sinh(length) / length : 1;
  for (std::size_t i = 1; i < out.size(); ++i) out[i] *= scale;
  repair(out, out);
}

double Hyperbolic::residual(ConstRowSpan x) const {
  // The difference in x_0, times the cosine of the hyperboloid's slope.
  const double s = space_norm(x), there = std::hypot(1.0, s);
  return std::abs(x[0] - there) / std::hypot(1.0, s / there);
}

}  // namespace alidade
