#include "problems/triplet/triplet_map.hpp"

#include <algorithm>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::triplet {
namespace {

constexpr std::size_t kNamedInNotes = 5;  // unmentioned objects listed by name
/// Smallest standard deviation of a start under the rule. Near the centre the regulariser nearly balances the answers,
/// so a map of 1e-4 grows so slowly there that solvers take it for converged.
constexpr double kStartByRule = 0.1;

std::vector<std::string> notes_of(const TripletSum& sum, const Observations& observations) {
  const std::vector<ObjectId> idle = sum.unmentioned();
  if (idle.empty()) return {};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(idle.size(), kNamedInNotes); ++i) names.push_back(observations.objects[idle[i]]);
  return {fmt::format("{} of {} objects are in no training triplet and stay at their random start: {}{}.", idle.size(),
                      observations.object_count(), join(names, ", "), idle.size() > kNamedInNotes ? ", ..." : "")};
}

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
                "precision of the full-batch sums; float gives gradients within 1e-6");
  return kList;
}

Regulariser MapOptions::regulariser() const {
  if (l2 == "auto") return {.root = l2_scale};
  return {.lambda0 = lambda0, .lambda = lambda};
}

template <class Loss>
TripletMap<Loss>::TripletMap(const Observations& observations, const Loss& loss, const MapOptions& options)
    : loss_(loss),
      cols_(options.n_components),
      init_scale_(options.l2 == "auto" ? std::max(options.init_scale, kStartByRule) : options.init_scale) {
  const Index n = observations.object_count();
  require_triplets(observations, Loss::kName);
  Manifold manifold = Euclidean{};
  if (options.manifold == "oblique") {
    manifold = Oblique{options.radius};
    ++cols_;
  }
  domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, cols_, manifold}});
  sum_ = std::make_shared<const TripletSum>(observations.triplets, loss, options.regulariser(),
                                            options.precision == "float");
  list_ = sum_->list();
  regularised_ = sum_->lambda() > 0;
  lambda_by_rule_ = options.l2 == "auto";
  notes_ = notes_of(*sum_, observations);
}

template <class Loss>
TripletMap<Loss> TripletMap<Loss>::with_loss(const Loss& loss) const {
  TripletMap out = *this;
  out.loss_ = loss;
  out.sum_ = std::make_shared<const TripletSum>(sum_->with_loss(loss));
  return out;
}

template <class Loss>
Solution TripletMap<Loss>::start(Rng& rng) const {
  Point x = domain_->random(rng);
  if (domain_->is_euclidean()) x.vector() *= init_scale_;
  return x;
}

template <class Loss>
Embedding TripletMap<Loss>::decode(const Solution& x) const {
  Embedding out{{{"", std::get<Point>(x).block(0)}}};
  if (lambda_by_rule_) out.estimates.emplace_back("lambda", sum_->lambda());
  return out;
}

template <class Loss>
std::optional<AnswerModel> TripletMap<Loss>::answer_model(const Solution&, Evaluation&) const {
  if (!domain_->is_euclidean()) return std::nullopt;
  AnswerModel out{.loss =
                      [loss = loss_](double a, double b) {
                        const LossTerm<double> term = loss(a, b);
                        return AnswerLoss{term.value, term.d_near, term.d_far};
                      },
                  .lambda = sum_->lambda(),
                  .likelihood = is_likelihood(loss_)};
  return out;
}

template class TripletMap<SteLoss>;
template class TripletMap<TSteLoss>;
template class TripletMap<EteLoss>;
template class TripletMap<GnmdsLoss>;
template class TripletMap<CklLoss>;
template class TripletMap<SoeLoss>;

static_assert(AnyProblem<TripletMap<SteLoss>>);
static_assert(SmoothProblem<TripletMap<SteLoss>>);
static_assert(FiniteSumProblem<TripletMap<SteLoss>>);
static_assert(ForeseeableSum<TripletMap<SteLoss>>);

namespace {

/// Keeps maps finite if all answers could be met at infinite scale; too small to matter otherwise.
constexpr double kUncappedLambda0 = 1e-4;

struct SteOptions : MapOptions {
  double lapse_rate = 0;
  SteOptions() { lambda = 0.05; }
  static const OptionList<SteOptions>& list() {
    static const auto kList =
        OptionList<SteOptions>()
            .real("lapse_rate", &SteOptions::lapse_rate, half_open(0, 1),
                  "assumed rate of answers that are guesses; above 0, the loss of a single answer "
                  "is bounded")
            .include(MapOptions::list());
    return kList;
  }
};

struct GnmdsOptions : MapOptions {
  double smoothing = 0.1;
  GnmdsOptions() {
    lambda0 = kUncappedLambda0;
    l2_scale = 3;
  }
  static const OptionList<GnmdsOptions>& list() {
    static const auto kList = OptionList<GnmdsOptions>()
                                  .real("smoothing", &GnmdsOptions::smoothing, at_least(0),
                                        "width over which the corner of the hinge is rounded; 0: the published hinge, "
                                        "which only stochastic solvers handle well")
                                  .include(MapOptions::list());
    return kList;
  }
};

struct CklOptions : MapOptions {
  double mu = CklLoss{}.mu;
  CklOptions() {
    lambda0 = kUncappedLambda0;
    l2_scale = 2;
  }
  static const OptionList<CklOptions>& list() {
    static const auto kList = OptionList<CklOptions>()
                                  .real("mu", &CklOptions::mu, above(0),
                                        "added to each squared distance: the scale below which differences in distance "
                                        "do not matter")
                                  .include(MapOptions::list());
    return kList;
  }
};

struct TSteOptions : MapOptions {
  double alpha = 0;
  TSteOptions() {
    lambda0 = kUncappedLambda0;
    l2_scale = 0.4;
  }
  static const OptionList<TSteOptions>& list() {
    static const auto kList = OptionList<TSteOptions>()
                                  .real("alpha", &TSteOptions::alpha, at_least(0),
                                        "degrees of freedom of the Student kernel; 0: max(n_components - 1, 1)")
                                  .include(MapOptions::list());
    return kList;
  }
};

struct EteOptions : MapOptions {
  double t = 2;
  double t_prime = 2;
  EteOptions() { lambda0 = 2e-4; }
  static const OptionList<EteOptions>& list() {
    static const auto kList = OptionList<EteOptions>()
                                  .real("t", &EteOptions::t, at_least(1),
                                        "bound of the loss: f = log_t(1 + ratio) < 1 / (t - 1); 1: no bound; 2 to 3: "
                                        "robust to wrong answers")
                                  .real("t_prime", &EteOptions::t_prime, between(1, 2),
                                        "tail of the kernel exp_t'(-s); 1: Gaussian; 2: Student with one degree of "
                                        "freedom")
                                  .include(MapOptions::list());
    return kList;
  }
};

Problem make_gnmds(const Observations& observations, const ValueTable& options) {
  const auto o = GnmdsOptions::list().parse(options, "problem 'gnmds'");
  return {"gnmds", TripletMap<GnmdsLoss>(observations, GnmdsLoss{o.smoothing}, o)};
}

Problem make_ckl(const Observations& observations, const ValueTable& options) {
  const auto o = CklOptions::list().parse(options, "problem 'ckl'");
  return {"ckl", TripletMap<CklLoss>(observations, CklLoss{o.mu}, o)};
}

Problem make_ste(const Observations& observations, const ValueTable& options) {
  const auto o = SteOptions::list().parse(options, "problem 'ste'");
  return {"ste", TripletMap<SteLoss>(observations, SteLoss{o.lapse_rate}, o)};
}

Problem make_tste(const Observations& observations, const ValueTable& options) {
  const auto o = TSteOptions::list().parse(options, "problem 'tste'");
  const double alpha = o.alpha > 0 ? o.alpha : static_cast<double>(std::max<Index>(o.n_components - 1, 1));
  return {"tste", TripletMap<TSteLoss>(observations, TSteLoss{alpha}, o)};
}

Problem make_ete(const Observations& observations, const ValueTable& options) {
  const auto o = EteOptions::list().parse(options, "problem 'ete'");
  return {"ete", TripletMap<EteLoss>(observations, EteLoss{o.t, o.t_prime}, o)};
}

}  // namespace

ProblemEntry gnmds_entry() {
  return {
      .name = "gnmds",
      .summary = "generalised non-metric MDS of low rank: hinge loss on squared distances",
      .reference = "[AWC07] Agarwal et al. 2007",
      .equation =
          "min over Y: sum w max(0, 1 + a - b) + lambda |Y|^2, with a = |y_i - y_j|^2 to near, b = "
          "|y_i - y_k|^2 to far; the corner is rounded over `smoothing`",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<TripletMap<GnmdsLoss>>(),
      .options = GnmdsOptions::list().infos(),
      .make = make_gnmds,
      .starts_on_small_data = kStartsOnSmallData,
  };
}

ProblemEntry ckl_entry() {
  return {
      .name = "ckl",
      .summary = "crowd kernel learning: logarithm of a ratio of squared distances",
      .reference = "[TLBSK11] Tamuz et al. 2011, section 4",
      .equation =
          "min over Y: - sum w ln p + lambda |Y|^2, with p = (mu + b) / (2 mu + a + b), a and b squared distances to "
          "near and far",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<TripletMap<CklLoss>>(),
      .options = CklOptions::list().infos(),
      .make = make_ckl,
      .starts_on_small_data = kStartsOnSmallData,
  };
}

ProblemEntry ste_entry() {
  return {
      .name = "ste",
      .summary = "stochastic triplet embedding: Gaussian kernel, logistic loss",
      .reference = "[vdMW12] van der Maaten & Weinberger 2012, Eq. 1",
      .equation =
          "min over Y: - sum w ln p + lambda |Y|^2, with p = exp(-a) / (exp(-a) + exp(-b)), a and b squared distances "
          "to near and far; with a lapse rate (1 - lapse) p + lapse / 2 for p",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<TripletMap<SteLoss>>(),
      .options = SteOptions::list().infos(),
      .make = make_ste,
      .starts_on_small_data = kStartsOnSmallData,
  };
}

ProblemEntry tste_entry() {
  return {
      .name = "tste",
      .summary = "t-distributed STE: Student kernel with alpha degrees of freedom",
      .reference = "[vdMW12] van der Maaten & Weinberger 2012, Eq. 4",
      .equation =
          "min over Y: - sum w ln p + lambda |Y|^2, with p = q(a) / (q(a) + q(b)), q(s) = (1 + "
          "s/alpha)^(-(alpha+1)/2), a and b squared distances to near and far",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<TripletMap<TSteLoss>>(),
      .options = TSteOptions::list().infos(),
      .make = make_tste,
      .starts_on_small_data = kStartsOnSmallData,
  };
}

ProblemEntry ete_entry() {
  return {
      .name = "ete",
      .summary = "t-exponential triplet embedding: capped loss (t), heavy-tailed kernel (t_prime)",
      .reference = "[AVW16] Amid, Vlassis & Warmuth 2016, Eq. 7 to 9, 12",
      .equation =
          "min over Y: sum w log_t(1/p) + lambda |Y|^2, log_t(1/p) = (1 - p^(t-1)) / (t-1), with p = q(a) / (q(a) + "
          "q(b)), q(s) = (1 + (t'-1) s)^(-1/(t'-1)), a and b squared distances to near and far",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<TripletMap<EteLoss>>(),
      .options = EteOptions::list().infos(),
      .make = make_ete,
      .starts_on_small_data = kStartsOnSmallData,
  };
}

}  // namespace alidade::triplet
