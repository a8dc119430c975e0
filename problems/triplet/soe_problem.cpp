#include "problems/triplet/soe_problem.hpp"

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"

namespace alidade::triplet {

SoeProblem::SoeProblem(const Observations& observations, const SoeLoss& loss, const MapOptions& options)
    : TripletMap(observations, loss, options), majorizer_(shared_sum(), loss.margin) {
  require<ConfigError>(domain().is_euclidean(),
                       "soe: the majoriser needs a Euclidean map. Leave "
                       "out manifold, or use another solver.");
}

double SoeProblem::minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const {
  Point gradient = domain().zero();
  const double value = value_and_gradient(x, gradient, evaluation);
  majorizer_.minimize(x.flat(), domain().blocks().front().cols, gradient.flat(), next.flat(), evaluation);
  return value;
}

static_assert(SmoothProblem<SoeProblem> && FiniteSumProblem<SoeProblem>);
static_assert(MajorizableProblem<SoeProblem>);

}  // namespace alidade::triplet
