// The capability `split_gradient`: the gradient as the difference of two nonnegative halves.
// For multiplicative updates, whose step is a power of minus / plus, entry by entry.
// gradient = plus - minus, both entrywise >= 0.
#pragma once

#include <concepts>
#include <string_view>

#include "problems/core/evaluation.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade {

struct SplitGradient {
  Point plus, minus;
  /// Length of a unit step along each coordinate, > 0. Unknowns that are logarithms need it, since a ratio alone does
  /// not
  /// determine a length. 1 unless the problem sets it.
  Point unit;
  explicit SplitGradient(const Domain& domain) : plus(domain.zero()), minus(domain.zero()), unit(domain.zero()) {
    unit.vector().setOnes();
  }
};

template <class P>
concept SplitGradientProblem = HasDomain<P> && requires(const P& p, const Point& x, SplitGradient& out, Evaluation& e) {
  { p.value_and_split_gradient(x, out, e) } -> std::same_as<double>;
};

class SplitGradientFace {
 public:
  static constexpr std::string_view kName = "split_gradient";
  template <class P>
  static constexpr bool kOfferedBy = SplitGradientProblem<P>;
  template <class P>
  class Of;

  virtual ~SplitGradientFace() = default;
  /// Writes plus and minus, and unit if the problem sets one. Returns the objective.
  virtual double value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& evaluation) const = 0;
};

template <class P>
class SplitGradientFace::Of final : public SplitGradientFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  double value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& e) const override {
    return p_.value_and_split_gradient(x, out, e);
  }

 private:
  const P& p_;
};

}  // namespace alidade
