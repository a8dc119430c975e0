#include "problems/triplet/soe_problem.hpp"

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"

namespace alidade::triplet {

SoeProblem::SoeProblem(const Observations& observations, const SoeLoss& loss, const MapOptions& options)
    : TripletMap<SoeLoss>(observations, loss, options), majorizer_(shared_sum(), loss.margin) {
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

namespace {

struct SoeOptions : MapOptions {
  double margin = SoeLoss{}.margin;
  static const OptionList<SoeOptions>& list() {
    static const auto kList = OptionList<SoeOptions>()
                                  .real("margin", &SoeOptions::margin, above(0),
                                        "amount by which the far distance must exceed the near one; it sets the scale "
                                        "of the map")
                                  .include(MapOptions::list());
    return kList;
  }
};

Problem make_soe(const Observations& observations, const ValueTable& options) {
  const auto o = SoeOptions::list().parse(options, "problem 'soe'");
  if (o.manifold == "euclidean") return {"soe", SoeProblem(observations, SoeLoss{o.margin}, o)};
  return {"soe", TripletMap<SoeLoss>(observations, SoeLoss{o.margin}, o)};
}

}  // namespace

ProblemEntry soe_entry() {
  return {
      .name = "soe",
      .summary = "soft ordinal embedding: squared hinge on distances",
      .reference = "[TvL14] Terada & von Luxburg 2014, Eq. 2",
      .equation =
          "min over Y: sum w max(0, margin + sqrt(a) - sqrt(b))^2 + lambda |Y|^2, with a and b squared distances to "
          "near and far",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<SoeProblem>(),
      .options = SoeOptions::list().infos(),
      .make = make_soe,
      .starts_on_small_data = kStartsOnSmallData,
  };
}

}  // namespace alidade::triplet
