#include "problems/triplet/lapse_problem.hpp"

#include <boost/math/tools/minima.hpp>

#include "problems/contract/problem_model.hpp"

namespace alidade::triplet {

LapseProblem::LapseProblem(TripletMap base, Index refinements) : base_(std::move(base)), refinements_(refinements) {}

LapseProblem::Best LapseProblem::best(const Point& x, Evaluation& evaluation) const {
  constexpr double kLargest = 0.99;
  constexpr int kBits = 14;  // the estimate varies by far more from sample to sample
  const auto value_at = [&](double lapse) { return base_.with_loss(SteLoss{lapse}).value(x, evaluation); };
  std::uintmax_t evaluations = 40;
  const auto [lapse, value] = boost::math::tools::brent_find_minima(value_at, 0.0, kLargest, kBits, evaluations);
  const double without = value_at(0);
  if (!(value < without)) return {0, without};
  return {lapse, value};
}

double LapseProblem::lapse_rate(const Point& x, Evaluation& evaluation) const { return best(x, evaluation).lapse_rate; }

double LapseProblem::objective(const Solution& x, Evaluation& evaluation) const {
  return best(std::get<Point>(x), evaluation).value;
}

Embedding LapseProblem::decode(const Solution& x) const {
  Executor executor;
  Evaluation evaluation(executor);
  Embedding out = base_.decode(x);
  out.estimates.emplace_back("lapse_rate", lapse_rate(std::get<Point>(x), evaluation));
  return out;
}

std::optional<AnswerModel> LapseProblem::answer_model(const Solution& x, Evaluation& evaluation) const {
  return base_.with_loss(SteLoss{lapse_rate(std::get<Point>(x), evaluation)}).answer_model(x, evaluation);
}

Problem LapseProblem::stage(Index k, const Solution& x) const {
  if (k == 0) return {"ste", base_};
  Executor executor;
  Evaluation evaluation(executor);
  return {"ste", base_.with_loss(SteLoss{lapse_rate(std::get<Point>(x), evaluation)})};
}

static_assert(AnyProblem<LapseProblem>);
static_assert(StagedProblem<LapseProblem>);

namespace {

struct LapseOptions : MapOptions {
  Index refinements = 3;
  LapseOptions() { lambda = 0.3; }
  static const OptionList<LapseOptions>& list() {
    static const auto kList = OptionList<LapseOptions>()
                                  .integer("refinements", &LapseOptions::refinements, between(1, 100),
                                           "number of rounds; each estimates the lapse rate and refines the map")
                                  .include(MapOptions::list());
    return kList;
  }
};

Problem make_ste_lapse(const Observations& observations, const ValueTable& options) {
  const auto o = LapseOptions::list().parse(options, "problem 'ste_lapse'");
  return {"ste_lapse", LapseProblem(TripletMap(observations, SteLoss{}, o), o.refinements)};
}

}  // namespace

/// @throws ConfigError, DataError
ProblemEntry ste_lapse_entry() {
  return {
      .name = "ste_lapse",
      .summary =
          "STE with guessed answers: estimates, with the map, the rate of answers that are "
          "guesses (lapse rate)",
      .reference = "[vdMW12] with the lapse rate of [WH01] Wichmann & Hill 2001",
      .equation =
          "min over Y and lapse: - sum w ln((1 - lapse) p + lapse / 2) + lambda |Y|^2, with p of "
          "ste",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<LapseProblem>(),
      .options = LapseOptions::list().infos(),
      .make = make_ste_lapse,
      .starts_on_small_data = kStartsOnSmallData,
      .recovery = 0.08,
  };
}

}  // namespace alidade::triplet
