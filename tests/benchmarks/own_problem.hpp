// A problem on one Euclidean block, from functions.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "problems/contract/problem_model.hpp"

namespace alidade::testing {

class OwnProblem {
 public:
  using Start = std::function<Point(const Domain& domain, Rng& rng)>;
  /// The value, and its gradient in `gradient`, which is written over.
  using Function = std::function<double(const Point& x, Point& gradient)>;
  OwnProblem(Index rows, Index cols, Start start, Function function)
      : start_(std::move(start)),
        function_(std::move(function)),
        domain_(std::make_shared<const Domain>(std::vector<DomainBlock>{{"x", rows, cols, Euclidean{}}})) {}

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return start_(*domain_, rng); }
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    Point unused = domain_->zero();
    return value_and_gradient(x, unused, evaluation);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation&) const { return function_(x, gradient); }

 private:
  Start start_;
  Function function_;
  std::shared_ptr<const Domain> domain_;
};
static_assert(SmoothProblem<OwnProblem>);

}  // namespace alidade::testing
