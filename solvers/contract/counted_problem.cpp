#include "solvers/contract/counted_problem.hpp"

#include <algorithm>
#include <cmath>

#include "problems/faces/majorizer.hpp"
#include "problems/faces/smooth.hpp"

namespace alidade {

CountedProblem::CountedProblem(const Problem& problem, SolveContext& context, Counts& counts)
    : problem_(problem), domain_(*problem.domain()), counts_(counts), evaluation_(context.executor) {
  for (const DomainBlock& block : domain_.blocks())
    if (!std::holds_alternative<Euclidean>(block.manifold)) curved_rows_ += static_cast<std::uint64_t>(block.rows);
}

double CountedProblem::objective(const Point& x) {
  ++counts_.evaluations;
  const double value = problem_.objective(Solution(x), evaluation_);
  note(value);
  return value;
}

double CountedProblem::value(const Point& x) {
  ++counts_.evaluations;
  const double value = problem_.face<SmoothFace>().value(x, evaluation_);
  note(value);
  return value;
}

double CountedProblem::value_and_gradient(const Point& x, Point& gradient) {
  ++counts_.evaluations;
  ++counts_.gradients;
  const double value = problem_.face<SmoothFace>().value_and_gradient(x, gradient, evaluation_);
  note(x, value, gradient.vector());
  return value;
}

double CountedProblem::value_and_split_gradient(const Point& x, SplitGradient& out) {
  ++counts_.evaluations;
  ++counts_.gradients;
  const double value = problem_.face<SplitGradientFace>().value_and_split_gradient(x, out, evaluation_);
  note(x, value, out.plus.vector() - out.minus.vector());
  return value;
}

void CountedProblem::note(const Point& x, double value, const Vector& gradient) {
  const double length = gradient.norm();
  if (std::isfinite(length)) longest_gradient_ = std::max(longest_gradient_, length);
  if (!std::isfinite(value) || (!std::isfinite(length) && !gradient.allFinite())) {
    met_not_finite_ = true;
  } else if (value < lowest_value_) {
    lowest_value_ = value;
    lowest_sound_ = x;
  }
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

bool CountedProblem::has_gradient() const {
  return problem_.offers().has<SmoothFace>() || problem_.offers().has<SplitGradientFace>();
}

bool CountedProblem::gradient(const Point& x, Point& out) {
  const CapabilitySet offers = problem_.offers();
  if (offers.has<SmoothFace>()) {
    value_and_gradient(x, out);
    return true;
  }
  if (!offers.has<SplitGradientFace>()) return false;
  SplitGradient split(domain_);
  value_and_split_gradient(x, split);
  out.vector() = split.plus.vector() - split.minus.vector();
  return true;
}

double CountedProblem::stationarity(const Point& x) {
  Point slope = domain_.zero();
  return gradient(x, slope) ? domain_.stationarity(x, slope) : kUnknown;
}

}  // namespace alidade
