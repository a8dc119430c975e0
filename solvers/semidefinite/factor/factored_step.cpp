#include "solvers/semidefinite/factor/factored_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace alidade {
namespace factored_steps {

/// +1 or -1, by a fixed hash.
float sign_of(std::uint64_t k) {
  k = (k + 1) * 0x9E3779B97F4A7C15ULL;
  k = (k ^ (k >> 30)) * 0xBF58476D1CE4E5B9ULL;
  k = (k ^ (k >> 27)) * 0x94D049BB133111EBULL;
  return (k >> 63) != 0 ? 1.0F : -1.0F;
}

}  // namespace factored_steps

FactoredStep::Outcome FactoredStep::take(MixingSweeps& rows, double shift, const std::function<bool()>& stop,
                                         Vector& y) {
  constexpr int kProducts = 40, kLanes = 8;
  constexpr double kForcing = 0.15;
  const Index n = y.size();
  const auto stride = static_cast<std::size_t>(rows.stride());
  const Vector on_diagonal = shift - y.array();
  if (!(on_diagonal.minCoeff() > 0)) return Outcome::not_positive;
  std::vector<float> factor;
  switch (plan_.factor(rows.below_diagonal(), {on_diagonal.data(), subscript(n)}, stop, &factor)) {
    case FrontCholesky::Outcome::positive: break;
    case FrontCholesky::Outcome::not_positive: return Outcome::not_positive;
    case FrontCholesky::Outcome::stopped: return Outcome::stopped;
  }
  std::vector<float> work(subscript(n) * stride);  // rows in the order of the factor
  const auto row_of_work = [&](std::size_t k) {
    return work.data() + subscript(plan_.place()[subscript(rows.order()[k])]) * stride;
  };
  const auto solve = [&] { plan_.solve(factor, work.data(), static_cast<int>(stride) / kLanes); };
  // Vectors over rows are in the order in which rows are held.
  const auto for_rows = [&](const auto& visit) {
    for (std::size_t k = 0; k < subscript(n); ++k) visit(k, static_cast<Index>(k), row_of_work(k));
  };
  const auto dots = [&](Vector& out) {  // of M^-1 X with U, row by row
    for_rows([&](std::size_t k, Index i, const float* x) {
      double sum = 0;
      const std::span<float> u = rows.held(k);
      for (std::size_t c = 0; c < stride; ++c) sum += static_cast<double>(x[c]) * static_cast<double>(u[c]);
      out[i] = sum;
    });
  };
  std::vector<double> g(stride);
  const auto gradient = [&](std::size_t k) {
    std::ranges::fill(g, 0.0);
    rows.add_pull(k, g);
    const double own = y[rows.order()[k]];
    const std::span<float> u = rows.held(k);
    for (std::size_t c = 0; c < stride; ++c) g[c] -= own * static_cast<double>(u[c]);
  };

  // The diagonal of M^-1, estimated by products with random signs, preconditions.
  for (std::size_t k = 0; k < work.size(); ++k) work[k] = factored_steps::sign_of(k);
  solve();
  Vector scale(n);
  for_rows([&](std::size_t k, Index i, const float* x) {
    double sum = 0;
    const std::size_t first = static_cast<std::size_t>(x - work.data());
    for (std::size_t c = 0; c < stride; ++c) sum += static_cast<double>(x[c] * factored_steps::sign_of(first + c));
    scale[i] = 1 / std::max(sum / static_cast<double>(stride), 1 / on_diagonal[rows.order()[k]]);
  });
  if (stop()) return Outcome::stopped;

  // The multipliers l of the step solve K l = diag(M^-1 G U'), with K_ij = (M^-1)_ij u_i . u_j: conjugate gradients.
  for_rows([&](std::size_t k, Index, float* x) {
    gradient(k);
    for (std::size_t c = 0; c < stride; ++c) x[c] = static_cast<float>(g[c]);
  });
  solve();
  Vector l = Vector::Zero(n), rest(n), image(n);
  dots(rest);
  Vector direction = scale.cwiseProduct(rest);
  double rz = rest.dot(direction);
  const double target = kForcing * rest.norm();
  for (int k = 0; k < kProducts && rz > 0; ++k) {
    if (stop()) return Outcome::stopped;
    for_rows([&](std::size_t place, Index i, float* x) {
      const std::span<float> u = rows.held(place);
      const auto times = static_cast<float>(direction[i]);
      for (std::size_t c = 0; c < stride; ++c) x[c] = times * u[c];
    });
    solve();
    dots(image);
    const double curvature = direction.dot(image);
    if (!(curvature > 0)) break;
    const double alpha = rz / curvature;
    l += alpha * direction;
    rest -= alpha * image;
    if (rest.norm() <= target) break;
    const double next = rest.dot(scale.cwiseProduct(rest));
    direction = scale.cwiseProduct(rest) + next / rz * direction;
    rz = next;
  }

  for_rows([&](std::size_t k, Index i, float* x) {
    gradient(k);
    const std::span<float> u = rows.held(k);
    for (std::size_t c = 0; c < stride; ++c) x[c] = static_cast<float>(l[i] * static_cast<double>(u[c]) - g[c]);
  });
  solve();
  for_rows([&](std::size_t k, Index i, const float* x) {
    const std::span<float> u = rows.held(k);
    double squares = 0;
    for (std::size_t c = 0; c < stride; ++c) {
      g[c] = static_cast<double>(u[c]) + static_cast<double>(x[c]);
      squares += g[c] * g[c];
    }
    const double length = std::sqrt(squares);
    if (length > 0 && std::isfinite(length))
      for (std::size_t c = 0; c < stride; ++c) u[c] = static_cast<float>(g[c] / length);
    y[rows.order()[k]] += l[i];
  });
  return Outcome::done;
}

}  // namespace alidade
