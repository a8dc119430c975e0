#include "problems/core/inner_minimizers.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace alidade {
namespace {

constexpr int kPlacementSteps = 200;
constexpr std::size_t kPairs = 8;  // of L-BFGS
constexpr double kPlacementTolerance = 1e-10;

struct Place {
  Vector y;
  double value;
};

/// Descent from y by L-BFGS; steps are halved until the decrease is a fair part of the predicted one.
Place descend(const VectorObjective& objective, Vector y, double length) {
  struct Pair {
    Vector step, change;
    double inverse;  // 1 / <step, change>
  };
  std::deque<Pair> pairs;
  Vector gradient(y.size()), next_gradient(y.size());
  double value = objective(y, gradient);
  for (int step = 0; step < kPlacementSteps; ++step) {
    const double norm = gradient.norm();
    if (!(norm > 0) || !std::isfinite(norm)) break;
    Vector direction = -gradient;
    std::vector<double> alpha(pairs.size());
    for (std::size_t k = pairs.size(); k-- > 0;) {
      alpha[k] = pairs[k].inverse * pairs[k].step.dot(direction);
      direction -= alpha[k] * pairs[k].change;
    }
    if (pairs.empty()) {
      direction *= length / norm;
    } else {
      direction /= pairs.back().inverse * pairs.back().change.squaredNorm();
    }
    for (std::size_t k = 0; k < pairs.size(); ++k)
      direction += (alpha[k] - pairs[k].inverse * pairs[k].change.dot(direction)) * pairs[k].step;
    double slope = gradient.dot(direction);
    if (!(slope < 0)) {
      pairs.clear();
      direction = -gradient * (length / norm);
      slope = gradient.dot(direction);
    }
    bool taken = false;
    double next_value = value, share = 1;
    Vector next = y;
    for (int halving = 0; halving < 40 && !taken; ++halving, share *= 0.5) {
      next = y + share * direction;
      next_value = objective(next, next_gradient);
      taken = next_value <= value + 1e-4 * share * slope;
    }
    if (!taken) break;
    const Vector moved = next - y, change = next_gradient - gradient;
    const double curvature = moved.dot(change);
    if (curvature > 1e-12 * moved.norm() * change.norm()) {
      pairs.push_back({moved, change, 1 / curvature});
      if (pairs.size() > kPairs) pairs.pop_front();
    }
    const double decrease = value - next_value;
    y = next;
    value = next_value;
    std::swap(gradient, next_gradient);
    if (decrease <= kPlacementTolerance * std::abs(value)) break;
  }
  return {std::move(y), value};
}

}  // namespace

Vector lowest_place(const VectorObjective& objective, std::span<const Vector> starts, double length) {
  Place best{{}, std::numeric_limits<double>::infinity()};
  for (const Vector& start : starts) {
    Place candidate = descend(objective, start, length);
    if (candidate.value < best.value || best.y.size() == 0) best = std::move(candidate);
  }
  return best.y;
}

Vector lowest_by_momentum(const VectorObjective& objective, Vector y, double rate, int iterations) {
  constexpr double kMomentum = 0.8, kRateCut = 0.1;
  constexpr int kMostCuts = 30;
  Vector gradient(y.size()), lowest = y, velocity = Vector::Zero(y.size()), gains = Vector::Ones(y.size());
  const double first = objective(y, gradient);
  double least = first;
  for (int iteration = 0, cuts = 0; iteration < iterations && cuts < kMostCuts; ++iteration) {
    adapt_gains(gradient, velocity, gains);
    velocity = kMomentum * velocity - rate * gains.cwiseProduct(gradient);
    y += velocity;
    const double value = objective(y, gradient);
    if (value < least) {
      least = value;
      lowest = y;
    }
    if (value <= first) continue;
    rate *= kRateCut;
    ++cuts;
    y = lowest;
    velocity.setZero();
    gains.setOnes();
    objective(y, gradient);
  }
  return lowest;
}

void adapt_gains(const Eigen::Ref<const Vector>& gradient, const Eigen::Ref<const Vector>& velocity, Vector& gains) {
  constexpr double kStep = 0.2, kFactor = 0.8, kLeast = 0.01;
  for (Index k = 0; k < gains.size(); ++k)
    gains[k] = gradient[k] * velocity[k] > 0 ? std::max(kFactor * gains[k], kLeast) : gains[k] + kStep;
}

double default_rate(Index rows) { return std::max(static_cast<double>(rows) / 48, 50.0); }

}  // namespace alidade
