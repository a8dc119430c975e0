// A box with the Euclidean metric, the same interval for all numbers or one for each: mixing weights, probabilities.
//   Box{0, 1}                                                   DomainBlock{"x", 3, 1, Box{lower, upper}} of vectors
// The retraction clips, so steps are projected gradient steps (Bertsekas 1976).
// It has a border, so it is not for solvers that assume smooth retractions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"

namespace alidade {

/// The lower or upper ends of the intervals of a box: one number for all, or one for each. May be infinite.
class BoxEnd {
 public:
  BoxEnd(double all) : all_(all) {}
  /// One for each number of the block, row by row.
  BoxEnd(std::vector<double> each) : each_(std::make_shared<const std::vector<double>>(std::move(each))) {}
  [[nodiscard]] double operator[](std::size_t i) const { return each_ ? (*each_)[first_ + i] : all_; }
  /// How many numbers it is for; nothing if for any.
  [[nodiscard]] std::optional<std::size_t> size() const { return each_ ? std::optional(each_->size()) : std::nullopt; }
  /// Those of the numbers from `first` on.
  [[nodiscard]] BoxEnd from(std::size_t first) const {
    BoxEnd out = *this;
    out.first_ += first;
    return out;
  }

 private:
  std::shared_ptr<const std::vector<double>> each_{};
  std::size_t first_ = 0;
  double all_ = 0;
};

struct Box final {
  using ConstRowSpan = std::span<const double>;
  using RowSpan = std::span<double>;

  BoxEnd lower = 0;
  BoxEnd upper = 1;

  /// Of the numbers from `first` on.
  [[nodiscard]] Box from(std::size_t first) const { return {lower.from(first), upper.from(first)}; }
  [[nodiscard]] bool is_uniform() const { return !lower.size() && !upper.size(); }
  /// What is wrong with it for so many numbers; empty if nothing is. A number may have an interval of one point, unless
  /// all have.
  [[nodiscard]] std::string fault(std::size_t count) const {
    for (const BoxEnd* end : {&lower, &upper})
      if (end->size() && *end->size() != count)
        return "there are " + std::to_string(*end->size()) + " bounds for " + std::to_string(count) + " numbers";
    bool any = is_uniform() && lower[0] < upper[0];
    for (std::size_t i = 0; i < count && !is_uniform(); ++i) {
      const bool fits = lower[i] <= upper[i] && lower[i] < kNoEnd && upper[i] > -kNoEnd;
      if (!fits) return "the bounds of number " + std::to_string(i) + " leave nothing";
      any = any || lower[i] < upper[i];
    }
    return any ? "" : "a box needs lower < upper";
  }

  [[nodiscard]] std::string name() const { return "box"; }
  void project(ConstRowSpan, ConstRowSpan v, RowSpan out) const { std::ranges::copy(v, out.begin()); }
  void gradient(ConstRowSpan, ConstRowSpan g, RowSpan out) const { std::ranges::copy(g, out.begin()); }
  void frame(ConstRowSpan, ConstRowSpan v, RowSpan out) const { std::ranges::copy(v, out.begin()); }
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = std::clamp(x[i] + v[i], lower[i], upper[i]);
  }
  void transport(ConstRowSpan, ConstRowSpan, ConstRowSpan v, RowSpan out) const { std::ranges::copy(v, out.begin()); }
  [[nodiscard]] double inner(ConstRowSpan, ConstRowSpan u, ConstRowSpan v) const {
    return std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
  }
  void repair(ConstRowSpan x, RowSpan out) const {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = std::clamp(x[i], lower[i], upper[i]);
  }
  /// Uniform in the box; where it has no end, normal numbers moved into it.
  void random(Rng& rng, RowSpan out) const {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = std::isfinite(upper[i] - lower[i]) ? rng.uniform(lower[i], upper[i])
                                                  : std::clamp(rng.normal(), lower[i], upper[i]);
  }
  [[nodiscard]] double residual(ConstRowSpan x) const {
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max({worst, lower[i] - x[i], x[i] - upper[i]});
    return worst;
  }
  [[nodiscard]] Index dimension(Index cols) const { return cols; }
  [[nodiscard]] bool has_border() const { return true; }

 private:
  static constexpr double kNoEnd = std::numeric_limits<double>::infinity();
};

}  // namespace alidade
