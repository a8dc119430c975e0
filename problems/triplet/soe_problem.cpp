#include "problems/triplet/soe_problem.hpp"

#include "problems/core/error.hpp"

namespace alidade::triplet {

SoeProblem::SoeProblem(const Observations& observations, const SoeLoss& loss,
                       const MapOptions& options)
    : TripletMap<SoeLoss>(observations, loss, options), majorizer_(shared_sum(), loss.margin) {
  require<ConfigError>(domain().is_euclidean(), "soe: the majoriser is that of a Euclidean map.");
}

double SoeProblem::minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const {
  Point gradient = domain().zero();
  const double value = value_and_gradient(x, gradient, evaluation);
  majorizer_.minimize(x.flat(), domain().blocks().front().cols, gradient.flat(), next.flat(),
                      evaluation);
  return value;
}

static_assert(SmoothProblem<SoeProblem> && FiniteSumProblem<SoeProblem>);
static_assert(MajorizableProblem<SoeProblem>);

namespace {

struct SoeOptions : MapOptions {
  double margin = SoeLoss{}.margin;
  static const OptionList<SoeOptions>& list() {
    static const auto kList =
        OptionList<SoeOptions>()
            .real("margin", &SoeOptions::margin, above(0),
                  "by how much the far distance is to exceed the near one: sets the scale")
            .include(MapOptions::list());
    return kList;
  }
};

}  // namespace

std::vector<OptionInfo> soe_options() { return SoeOptions::list().infos(); }

Problem make_soe(const Observations& observations, const Table& options) {
  const auto o = SoeOptions::list().parse(options, "problem 'soe'");
  if (o.manifold == "euclidean") return {"soe", SoeProblem(observations, SoeLoss{o.margin}, o)};
  return {"soe", TripletMap<SoeLoss>(observations, SoeLoss{o.margin}, o)};
}

}  // namespace alidade::triplet
