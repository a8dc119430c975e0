// A problem of n numbers from a function, which gives its value and gradient, or its value alone:
//   const auto bowl = alidade::smooth([](auto x, auto gradient) { gradient[0] = 2 * x[0]; return x[0] * x[0]; }, 1);
//   const auto also = alidade::autodiff<ceres::Jet<double, 1>>([](auto x) { return x[0] * x[0]; }, 1);
// unknowns_of(solve(bowl, "ceres").solution) are where it is lowest. For structure, such as terms, rows and manifolds,
// write a class: problem.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade {

struct FunctionOptions {
  std::string name = "function";
  Index columns = 1;            // the map that x is decoded to has n / columns rows, one after another in x
  std::vector<double> start{};  // n numbers; empty: random ones, normal or, between bounds, uniform
  /// Bounds: a number for all unknowns, or a vector of one for each, infinite where there is none. The solver for them
  /// is `projected_lbfgs`; `accelerated_gradient` and `gradient_descent` keep them, too.
  BoxEnd lower = -std::numeric_limits<double>::infinity();
  BoxEnd upper = std::numeric_limits<double>::infinity();
};

/// What smooth() makes a problem of; `f` must be callable at the same time by several threads.
template <class F>
class SmoothFunction final {
 public:
  SmoothFunction(F f, Index n, FunctionOptions options)
      : f_(std::make_shared<const F>(std::move(f))), start_(std::move(options.start)) {
    require<ConfigError>(start_.empty() || std::ssize(start_) == n, "{}: The start has {} numbers and the function {}.",
                         options.name, start_.size(), n);
    require<ConfigError>(options.columns > 0 && n % options.columns == 0, "{}: {} numbers are no map of {} columns.",
                         options.name, n, options.columns);
    const Box box{options.lower, options.upper};
    const std::string fault = box.fault(static_cast<std::size_t>(n));
    require<ConfigError>(fault.empty(), "{}: {}.", options.name, fault);
    const bool bounded = !box.is_uniform() || std::isfinite(box.lower[0]) || std::isfinite(box.upper[0]);
    domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{
        {"x", n / options.columns, options.columns, bounded ? Manifold(box) : Manifold(Euclidean{})}});
  }
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const {
    Point out = domain_->random(rng);
    if (!start_.empty()) std::ranges::copy(start_, out.flat().begin());
    domain_->repair(out);
    return out;
  }
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    if constexpr (requires { f_->value(x.flat()); }) return f_->value(x.flat());
    Point unused = domain_->zero();
    return value_and_gradient(x, unused, evaluation);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation&) const {
    gradient.set_zero();
    return (*f_)(x.flat(), gradient.flat());
  }
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", Matrix(std::get<Point>(x).block(0))}}}; }

 private:
  std::shared_ptr<const F> f_;  // as lambdas that capture cannot be assigned
  std::vector<double> start_;
  std::shared_ptr<const Domain> domain_;
};

/// `f` returns its value at `x` and adds its gradient to `gradient`, which is zero: two spans of n numbers.
/// @throws ConfigError on bounds that leave nothing, a start of another length, and columns that do not divide n
template <class F>
[[nodiscard]] Problem smooth(F f, Index n, FunctionOptions options = {}) {
  static_assert(
      requires(const F& g, std::span<const double> x, std::span<double> gradient) {
        { g(x, gradient) } -> std::convertible_to<double>;
      },
      "smooth() takes a function of two spans, std::span<const double> x and std::span<double> gradient, that returns "
      "the value and may be called where it is const. One that gives the value alone is for autodiff().");
  std::string name = options.name;
  return make_problem<SmoothFace>(std::move(name), SmoothFunction<F>(std::move(f), n, std::move(options)));
}

/// A function with the gradient that jets give: numbers with derivatives by Jet::DIMENSION of the unknowns at a time.
template <class Jet, class F>
struct Differentiated {
  F f;
  [[nodiscard]] double value(std::span<const double> x) const { return f(x); }
  double operator()(std::span<const double> x, std::span<double> gradient) const {
    constexpr std::size_t kAtOnce = Jet::DIMENSION;
    std::vector<Jet> at(x.begin(), x.end());
    double out = 0;
    for (std::size_t first = 0; first < x.size(); first += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, x.size() - first);
      for (std::size_t i = 0; i < count; ++i) at[first + i] = Jet(x[first + i], static_cast<int>(i));
      const Jet found = f(std::span<const Jet>(at));
      for (std::size_t i = 0; i < count; ++i) {
        gradient[first + i] = found.v[static_cast<Index>(i)];
        at[first + i] = Jet(x[first + i]);
      }
      out = found.a;
    }
    return out;
  }
};

/// `f` returns its value at `x`, a span of n numbers of any type: f(std::span<const T>) -> T, for T = double and Jet.
/// Jet: ceres::Jet<double, N> of <ceres/jet.h>, or a type with its members. A gradient takes n / N evaluations, rounded
/// up, each with N derivatives: N = n for small n, 4 to 16 for large. @throws as smooth()
template <class Jet, class F>
[[nodiscard]] Problem autodiff(F f, Index n, FunctionOptions options = {}) {
  static_assert(
      requires(const F& g, std::span<const double> x, std::span<const Jet> at) {
        { g(x) } -> std::convertible_to<double>;
        { g(at) } -> std::convertible_to<Jet>;
      },
      "autodiff() takes a function of one span that returns its value in the span's type of number, for double and for "
      "the jet: [](auto x) { return x[0] * x[0]; }. One that gives the gradient as well is for smooth().");
  return smooth(Differentiated<Jet, F>{std::move(f)}, n, std::move(options));
}

/// The numbers of a solution. @pre it is one of smooth() or autodiff()
[[nodiscard]] inline std::span<const double> unknowns_of(const Solution& x) { return std::get<Point>(x).flat(); }
std::span<const double> unknowns_of(Solution&&) = delete;  // it would not outlive the call

}  // namespace alidade
