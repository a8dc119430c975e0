#include "problems/triplet/triplet_map.hpp"

#include <algorithm>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/triplet/soe_problem.hpp"

namespace alidade::triplet {
namespace {

/// Smallest standard deviation of a start under the rule. Near the centre the regulariser nearly balances the answers,
/// so a map of 1e-4 grows so slowly there that solvers take it for converged.
constexpr double kStartByRule = 0.1;

}  // namespace

const OptionList<MapOptions>& MapOptions::list() {
  using O = MapOptions;
  static const OptionList<O> kList =
      dimension_option<O>()
          .text("manifold", &O::manifold, {"euclidean", "oblique"},
                "space of the map: euclidean: a plane or space of n_components dimensions; "
                "oblique: a sphere of n_components dimensions")
          .real("radius", &O::radius, above(0), "for manifold oblique: radius of the sphere")
          .real("init_scale", &O::init_scale, above(0),
                "for manifold euclidean: standard deviation of the random start; for l2 auto at least 0.1")
          .real("lambda0", &O::lambda0, at_least(0),
                "L2 regulariser relative to the triplets: adds lambda0 * (sum of weights) / n * "
                "|Y|^2")
          .real("lambda", &O::lambda, at_least(0), "L2 regulariser: adds lambda * |Y|^2")
          .text("l2", &O::l2, {"fixed", "auto"},
                "weight of the L2 regulariser; fixed: as lambda and lambda0 say; auto: in their place l2_scale * "
                "sqrt((sum of weights) / (objects in a triplet)), which suits any number of answers and dimensions")
          .real("l2_scale", &O::l2_scale, above(0),
                "for l2 auto: factor of the rule; the default is near the best of this problem")
          .text("precision", &O::precision, {"double", "float"},
                "precision of the full-batch sums; float gives gradients within 1e-6, and runs of ceres take it for "
                "more than 50,000 objects, unless its tolerance is below 1e-5");
  return kList;
}

Regulariser MapOptions::regulariser() const {
  if (l2 == "auto") return {.root = l2_scale};
  return {.lambda0 = lambda0, .lambda = lambda};
}

TripletMap::TripletMap(const Observations& observations, const TripletLoss& loss, const MapOptions& options)
    : loss_(loss),
      cols_(options.n_components),
      init_scale_(options.l2 == "auto" ? std::max(options.init_scale, kStartByRule) : options.init_scale) {
  const Index n = observations.object_count();
  require_triplets(observations, name_of(loss));
  Manifold manifold = Euclidean{};
  if (options.manifold == "oblique") {
    manifold = Oblique{options.radius};
    ++cols_;
  }
  domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, cols_, manifold}});
  sum_ = std::make_shared<const TripletSum>(observations.triplets, loss, options.regulariser(),
                                            options.precision == "float");
  regularised_ = sum_->lambda() > 0;
  lambda_by_rule_ = options.l2 == "auto";
  notes_ = sum_->notes_on_unmentioned(observations.objects, "stay at their random start");
}

TripletMap TripletMap::with_loss(const TripletLoss& loss) const {
  TripletMap out = *this;
  out.loss_ = loss;
  out.sum_ = std::make_shared<const TripletSum>(sum_->with_loss(loss));
  return out;
}

Solution TripletMap::start(Rng& rng) const {
  Point x = domain_->random(rng);
  if (domain_->is_euclidean()) x.vector() *= init_scale_;
  return x;
}

Embedding TripletMap::decode(const Solution& x) const {
  Embedding out{{{"", std::get<Point>(x).block(0)}}};
  if (lambda_by_rule_) out.estimates.emplace_back("lambda", sum_->lambda());
  return out;
}

std::optional<AnswerModel> TripletMap::answer_model(const Solution&, Evaluation&) const {
  if (!domain_->is_euclidean()) return std::nullopt;
  AnswerModel out{.loss =
                      [loss = loss_](double a, double b) {
                        const LossTerm<double> term = term_of(loss, a, b);
                        return AnswerLoss{term.value, term.d_near, term.d_far};
                      },
                  .lambda = sum_->lambda(),
                  .likelihood = is_likelihood(loss_)};
  return out;
}

static_assert(AnyProblem<TripletMap>);
static_assert(SmoothProblem<TripletMap>);
static_assert(FiniteSumProblem<TripletMap>);
static_assert(ForeseeableSum<TripletMap>);

namespace {

struct LossOptions : MapOptions {
  TripletLoss loss;
};

/// An entry from the record of a loss.
template <class Loss>
ProblemEntry entry_of(const Loss& loss) {
  const LossRecord<Loss> record = Loss::record();
  LossOptions defaults;
  defaults.loss = loss;
  defaults.lambda = record.lambda;
  defaults.lambda0 = record.lambda0;
  defaults.l2_scale = record.l2_scale;
  OptionList<LossOptions> options(defaults);
  for (const auto& option : record.options)
    options.real(
        std::string(option.name),
        [member = option.member](LossOptions& o) -> double& { return std::get<Loss>(o.loss).*member; }, option.bounds,
        std::string(option.doc));
  options.include(MapOptions::list());
  // On a sphere SOE has no majoriser.
  constexpr bool kMajorized = std::is_same_v<Loss, SoeLoss>;
  return {
      .name = std::string(record.name),
      .summary = std::string(record.summary),
      .reference = std::string(record.reference),
      .equation = std::string(record.equation),
      .needs = {ObservationKind::triplets},
      .offers = kMajorized ? borderless_offer<SoeProblem>() : borderless_offer<TripletMap>(),
      .options = options.infos(),
      .make = [options](const Observations& observations, const ValueTable& table, Executor&) -> Problem {
        const std::string name(Loss::record().name);
        LossOptions o = options.parse(table, "problem '" + name + "'");
        Loss& chosen = std::get<Loss>(o.loss);
        set_dimension(chosen, o.n_components);
        if constexpr (kMajorized)
          if (o.manifold == "euclidean") return {name, SoeProblem(observations, chosen, o)};
        return {name, TripletMap(observations, chosen, o)};
      },
      .starts_on_small_data = kStartsOnSmallData,
      .recovery = record.recovery,
      .python = std::string(record.python),
  };
}

}  // namespace

std::vector<ProblemEntry> loss_entries() {
  std::vector<ProblemEntry> out;
  for_each_loss([&](const auto& loss) { out.push_back(entry_of(loss)); });
  return out;
}

}  // namespace alidade::triplet
