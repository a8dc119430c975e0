// The capability `smooth`: the objective and its Euclidean gradient at a point.
// For gradient descent and quasi-Newton methods; solvers use the domain to make the gradient Riemannian.
// The result has the same bits with any number of threads.
#pragma once

#include <concepts>
#include <string_view>

#include "problems/core/evaluation.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade {

template <class P>
concept SmoothProblem = HasDomain<P> && requires(const P& p, const Point& x, Point& g, Evaluation& evaluation) {
  { p.value(x, evaluation) } -> std::same_as<double>;
  { p.value_and_gradient(x, g, evaluation) } -> std::same_as<double>;
};

class SmoothFace {
 public:
  static constexpr std::string_view kName = "smooth";
  template <class P>
  static constexpr bool kOfferedBy = SmoothProblem<P>;
  template <class P>
  class Of;

  virtual ~SmoothFace() = default;
  [[nodiscard]] virtual double value(const Point& x, Evaluation& evaluation) const = 0;
  /// Writes the Euclidean gradient.
  virtual double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const = 0;
};

template <class P>
class SmoothFace::Of final : public SmoothFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] double value(const Point& x, Evaluation& e) const override { return p_.value(x, e); }
  double value_and_gradient(const Point& x, Point& g, Evaluation& e) const override {
    return p_.value_and_gradient(x, g, e);
  }

 private:
  const P& p_;
};

}  // namespace alidade
