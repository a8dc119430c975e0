// One stochastic step on one row: first-order update rules on a product of manifolds.
// Plain, heavy ball (Polyak 1964), Nesterov in its look-ahead form (Sutskever et al. 2013), and Adam with
// one second moment per row, so that it commutes with rotations (Becigneul & Ganea 2019).
// It belongs to the faces because its body is compiled into each problem's loop over terms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "problems/spaces/domain.hpp"

namespace alidade {

struct RowRule {
  enum class Kind { plain, momentum, nesterov, adam };
  Kind kind = Kind::momentum;
  double momentum = 0.9;        // in [0, 1): velocity, or Adam's first moment
  double second_moment = 0.99;  // in [0, 1): Adam only
  double epsilon = 1e-8;        // > 0: Adam only
};

/// The state of the rule for every row. A step visits only the rows that it touches: the velocity of a row
/// decays by momentum^(steps skipped) at its next touch; Adam's moments do not decay meanwhile.
class RowUpdate {
 public:
  RowUpdate(const Domain& domain, const RowRule& rule);

  void set_learning_rate(double rate) { rate_ = rate; }
  /// Starts the next step, in which each row may be applied once.
  void begin_step() { ++step_; }
  /// Moves row `row` of block `block` of x against `gradient` (Euclidean, overwritten).
  void apply(Point& x, std::size_t block, Index row, double* gradient);
  /// Prefetches what `apply` will touch of a row.
  [[gnu::always_inline]] inline void prefetch(const Point& x, std::size_t block, Index row) const {
    const BlockShape& shape = (*x.layout())[block];
    const Index place = shape.offset + row * shape.cols;
    __builtin_prefetch(x.flat().data() + place, 1);
    if (rule_.kind == RowRule::Kind::plain) return;
    __builtin_prefetch(velocity_.flat().data() + place, 1);
    __builtin_prefetch(last_step_.data() + row_number(block, row), 1);
  }
  [[nodiscard]] std::size_t row_number(std::size_t block, Index row) const {
    return row_base_[block] + static_cast<std::size_t>(row);
  }
  [[nodiscard]] std::size_t row_count() const { return row_base_.back(); }
  /// Number of row moves along curved manifolds since the last call.
  [[nodiscard]] std::uint64_t take_retractions() { return std::exchange(retractions_, 0); }

 private:
  /// kCols is the number of columns; 0 means `cols`.
  template <std::size_t kCols>
  void apply_flat(double* position, double* velocity, std::size_t number, const double* gradient, std::size_t cols);
  /// `first`: the number of x[0] in its block.
  void apply_curved(RowSpan x, RowSpan velocity, RowSpan gradient, std::size_t number, const Manifold& manifold,
                    std::size_t first);
  /// The plain rule on a sphere of kCols ambient coordinates, in the same order of operations as `apply_curved`.
  /// Returns
  /// false and changes nothing if the length of the step overflows.
  template <std::size_t kCols>
  [[nodiscard]] bool step_on_sphere(double* position, const double* gradient, double radius) const;
  [[nodiscard]] double decay(std::size_t number) {
    const std::uint64_t skipped = step_ - last_step_[number];
    last_step_[number] = step_;
    if (skipped < powers_.size()) return powers_[skipped];
    return vanishes_ ? 0.0 : std::pow(rule_.momentum, static_cast<double>(skipped));
  }
  /// The bias-corrected step length rate / (sqrt(second) + epsilon) after one more gradient.
  [[nodiscard]] double adam_scale(std::size_t number, double squared_gradient);

  const Domain* domain_;
  RowRule rule_;
  double rate_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t retractions_ = 0;
  std::vector<std::size_t> row_base_;  // first row number of each block, then the total
  enum class Shape : unsigned char { flat, sphere, interval, other };
  /// What a step needs to know about a block.
  struct BlockRule {
    Shape shape = Shape::other;
    Index offset = 0;
    std::size_t cols = 0;
    double radius = 1;            // of a sphere
    double lower = 0, upper = 0;  // of an interval: a box of one column
  };
  std::vector<BlockRule> rules_;
  Point velocity_;
  std::vector<std::uint64_t> last_step_;
  std::vector<double> powers_;  // momentum^k for common numbers of skipped steps
  bool vanishes_ = false;       // beyond them, the power is below rounding error
  std::vector<double> second_, first_power_, second_power_;
  std::vector<double> next_row_;  // room for one row
};

inline double RowUpdate::adam_scale(std::size_t number, double squared_gradient) {
  first_power_[number] *= rule_.momentum;
  second_power_[number] *= rule_.second_moment;
  second_[number] = rule_.second_moment * second_[number] + (1 - rule_.second_moment) * squared_gradient;
  const double second = second_[number] / (1 - second_power_[number]);
  return rate_ / ((1 - first_power_[number]) * (std::sqrt(second) + rule_.epsilon));
}

template <std::size_t kCols>
void RowUpdate::apply_flat(double* position, double* velocity, std::size_t number, const double* gradient,
                           std::size_t cols) {
  if constexpr (kCols > 0) cols = kCols;
  if (rule_.kind == RowRule::Kind::plain) {
    for (std::size_t c = 0; c < cols; ++c) position[c] -= rate_ * gradient[c];
    return;
  }
  if (rule_.kind == RowRule::Kind::adam) {
    double squared = 0;
    for (std::size_t c = 0; c < cols; ++c) squared += gradient[c] * gradient[c];
    const double scale = adam_scale(number, squared);
    for (std::size_t c = 0; c < cols; ++c) {
      velocity[c] = rule_.momentum * velocity[c] + (1 - rule_.momentum) * gradient[c];
      position[c] -= scale * velocity[c];
    }
    return;
  }
  const double kept = decay(number);
  const double rate = rate_, momentum = rule_.momentum;
  if (rule_.kind == RowRule::Kind::momentum) {
    for (std::size_t c = 0; c < cols; ++c) {
      velocity[c] = kept * velocity[c] - rate * gradient[c];
      position[c] += velocity[c];
    }
    return;
  }
  for (std::size_t c = 0; c < cols; ++c) {
    velocity[c] = kept * velocity[c] - rate * gradient[c];
    position[c] += momentum * velocity[c] - rate * gradient[c];
  }
}

template <std::size_t kCols>
bool RowUpdate::step_on_sphere(double* position, const double* gradient, double radius) const {
  double along = 0;
  for (std::size_t c = 0; c < kCols; ++c) along += position[c] * gradient[c];
  if (radius != 1) along /= radius * radius;
  double next[kCols];
  double squared = 0;
  for (std::size_t c = 0; c < kCols; ++c) {
    next[c] = position[c] + -rate_ * (gradient[c] - along * position[c]);
    squared += next[c] * next[c];
  }
  if (!(squared < std::numeric_limits<double>::infinity())) return false;
  const double scale = radius / std::sqrt(squared);
  for (std::size_t c = 0; c < kCols; ++c) position[c] = next[c] * scale;
  return true;
}

inline void RowUpdate::apply(Point& x, std::size_t block, Index row, double* gradient) {
  const BlockRule& rule = rules_[block];
  const std::size_t cols = rule.cols;
  const Index place = rule.offset + row * static_cast<Index>(cols);
  double* position = x.flat().data() + place;
  double* velocity = velocity_.flat().data() + place;
  const std::size_t number = row_number(block, row);
  if (rule.shape == Shape::flat) {
    if (cols == 2) return apply_flat<2>(position, velocity, number, gradient, cols);
    if (cols == 3) return apply_flat<3>(position, velocity, number, gradient, cols);
    return apply_flat<0>(position, velocity, number, gradient, cols);
  }
  ++retractions_;
  if (rule_.kind == RowRule::Kind::plain) {
    if (rule.shape == Shape::interval) {
      *position = std::clamp(*position + -rate_ * *gradient, rule.lower, rule.upper);
      return;
    }
    if (rule.shape == Shape::sphere) {
      if (cols == 3 && step_on_sphere<3>(position, gradient, rule.radius)) return;
      if (cols == 4 && step_on_sphere<4>(position, gradient, rule.radius)) return;
    }
  }
  apply_curved({position, cols}, {velocity, cols}, {gradient, cols}, number, domain_->blocks()[block].manifold,
               static_cast<std::size_t>(row) * cols);
}

}  // namespace alidade
