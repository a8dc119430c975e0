#include "solvers/contract/counted_problem.hpp"

#include "problems/faces/majorizer.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/split_gradient.hpp"

namespace alidade {

CountedProblem::CountedProblem(const Problem& problem, SolveContext& context, Counts& counts)
    : problem_(problem), domain_(*problem.domain()), counts_(counts), evaluation_(context.executor) {
  for (const DomainBlock& block : domain_.blocks())
    if (!std::holds_alternative<Euclidean>(block.manifold)) curved_rows_ += static_cast<std::uint64_t>(block.rows);
}

double CountedProblem::objective(const Point& x) {
  ++counts_.evaluations;
  return problem_.objective(Solution(x), evaluation_);
}

double CountedProblem::value(const Point& x) {
  ++counts_.evaluations;
  return problem_.face<SmoothFace>().value(x, evaluation_);
}

double CountedProblem::value_and_gradient(const Point& x, Point& gradient) {
  ++counts_.evaluations;
  ++counts_.gradients;
  return problem_.face<SmoothFace>().value_and_gradient(x, gradient, evaluation_);
}

double CountedProblem::value_and_split_gradient(const Point& x, SplitGradient& out) {
  ++counts_.evaluations;
  ++counts_.gradients;
  return problem_.face<SplitGradientFace>().value_and_split_gradient(x, out, evaluation_);
}

double CountedProblem::minimize_majorizer(const Point& x, Point& next) {
  ++counts_.evaluations;
  ++counts_.gradients;
  return problem_.face<MajorizerFace>().minimize_majorizer(x, next, evaluation_);
}

void CountedProblem::retract(const Point& x, const Point& v, Point& out) {
  counts_.retractions += curved_rows_;
  domain_.retract(x, v, out);
}

double CountedProblem::stationarity(const Point& x) {
  const CapabilitySet offers = problem_.offers();
  Point gradient = domain_.zero();
  if (offers.has<SmoothFace>()) {
    value_and_gradient(x, gradient);
  } else if (offers.has<SplitGradientFace>()) {
    SplitGradient split(domain_);
    value_and_split_gradient(x, split);
    gradient.vector() = split.plus.vector() - split.minus.vector();
  } else {
    return kUnknown;
  }
  return domain_.stationarity(x, gradient);
}

}  // namespace alidade
