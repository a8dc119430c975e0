// Multi-view triplet embedding: V maps; each triplet belongs to some of them ([AU15] Amid & Ukkonen 2015).
// `mvte` is a proper mixture, -sum ln sum_v pi_v p_v, with posteriors as memberships. `mvte_ratio` is the published
// rule, -sum sum_v z_v ln p_v with fixed z from ratios of distances; its steps descend no function of the maps alone.
// Views are latent: view_matching.hpp finds afterwards which aspect each shows. Labels of aspects are never used.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/multiview/view_mixture.hpp"

namespace alidade::multiview {
namespace {

struct MvteOptions {
  Index n_components = 2;
  Index views = 0;
  std::string kernel = "gaussian";
  Index triplets = 0;
  double init_scale = 0.1;
  double lambda0 = 1e-4;
  bool estimate_weights = false;
  [[nodiscard]] static OptionList<MvteOptions> shared() {
    using O = MvteOptions;
    return dimension_option<O>("dimension of each map")
        .integer("views", &O::views, between(0, 1000), "number of maps; 0: one per aspect of the data")
        .text("kernel", &O::kernel, {"gaussian", "student"}, "gaussian: exp(-d^2); student: 1 / (1 + d^2)")
        .integer("triplets", &O::triplets, between(0, 1e12),
                 "number of training triplets to use, drawn at random; 0: all")
        .real("init_scale", &O::init_scale, above(0), "standard deviation of the random start")
        .real("lambda0", &O::lambda0, at_least(0),
              "L2 regulariser: adds lambda0 * (sum of weights) / n * |Y|^2 for all views");
  }
  [[nodiscard]] static const OptionList<MvteOptions>& list() {
    static const OptionList<MvteOptions> kList =
        shared().flag("estimate_weights", &MvteOptions::estimate_weights,
                      "estimate the rate of triplets that each view explains; otherwise all views have the same "
                      "rate");
    return kList;
  }
};

/// What both share. Blocks "view_1" ... of a point are n x d each; objects in no triplet are not regularised.
class ViewsOfTriplets {
 public:
  /// @throws DataError without triplets or with fewer than 3 objects; ConfigError on an unknown kernel.
  ViewsOfTriplets(const Observations& observations, const MvteOptions& options, bool with_weights);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Index view_count() const { return views_; }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  [[nodiscard]] Solution block_of(Index b, const Solution& x) const;
  void set_block(Index b, const Solution& block, Solution& x) const;

  /// Terms are triplets; each touches its three objects in every view.
  [[nodiscard]] TermIndex term_count() const { return mixture_->size(); }
  [[nodiscard]] std::size_t rows_per_term() const { return 3 * static_cast<std::size_t>(views_) + 1; }

 protected:
  [[nodiscard]] std::span<const double> views_of(const Point& x) const;
  /// lambda |Y|^2 over the mentioned objects of `y`, one view or several; adds to the gradient unless that is empty.
  double add_regulariser(std::span<const double> y, std::span<double> gradient) const;
  [[nodiscard]] Point scaled_start(Rng& rng) const;
  [[nodiscard]] Embedding maps_of(const Point& x) const;
  /// sum_tau memberships_tau f + lambda |Y_v|^2: the problem of one map from weighted triplets.
  [[nodiscard]] Problem view_problem(std::vector<double> memberships) const;

  class WeightedView;
  Index views_, cols_;
  double init_scale_, lambda_;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const ViewMixture> mixture_;
  std::shared_ptr<const std::vector<std::uint64_t>> mentions_;  // one an object
  std::shared_ptr<const std::vector<double>> ridge_;            // lambda / mentions; empty: no regulariser
  std::vector<std::string> notes_;
};

/// Blocks are the views, each with fixed posteriors, and "weights", the logits of pi. Alternating over them is
/// generalised EM and never raises -sum w ln sum_v pi_v p_v - sum_v ln pi_v + lambda |Y|^2; the prior, worth one
/// triplet, keeps every pi_v > 0. The smooth face and the finite sum have that same objective. Without
/// estimate_weights, pi is uniform and there is neither a "weights" block nor the prior.
class Mvte : public ViewsOfTriplets {
 public:
  Mvte(const Observations& observations, const MvteOptions& options)
      : ViewsOfTriplets(observations, options, options.estimate_weights), weighted_(options.estimate_weights) {}

  [[nodiscard]] Solution start(Rng& rng) const { return scaled_start(rng); }
  /// The estimates are pi of each view: "weight_1" and so on.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;
  /// Includes its share of the regulariser and of the prior. O(views d).
  double term(const Point& x, TermIndex index, TermGradient& out) const;
  [[nodiscard]] Index block_count() const { return views_ + (weighted_ ? 1 : 0); }
  [[nodiscard]] Problem block_problem(Index b, const Solution& x) const;

 private:
  [[nodiscard]] std::vector<double> log_weights(const Point& x) const;
  double evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const;

  bool weighted_;  // there is a block of logits of pi
};

/// Blocks are the views, each with fixed memberships by the ratio rule; the objective takes memberships at the point.
/// The published algorithm takes small steps in all views at once and renews the memberships at each: the finite sum
/// does this. Solving whole blocks overshoots.
class MvteRatio : public ViewsOfTriplets {
 public:
  MvteRatio(const Observations& observations, const MvteOptions& options)
      : ViewsOfTriplets(observations, options, false) {}

  [[nodiscard]] Solution start(Rng& rng) const { return scaled_start(rng); }
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  [[nodiscard]] Embedding decode(const Solution& x) const { return maps_of(std::get<Point>(x)); }
  /// The true gradient, including that of the memberships, which jump where a ratio passes 1. O(views d).
  double term(const Point& x, TermIndex index, TermGradient& out) const;
  /// The gradient with memberships fixed, which [AU15] descends.
  double direction(const Point& x, TermIndex index, TermGradient& out) const;
  [[nodiscard]] Index block_count() const { return views_; }
  [[nodiscard]] Problem block_problem(Index b, const Solution& x) const;
};

ViewKernel kernel_of(const std::string& name) { return name == "student" ? ViewKernel::student : ViewKernel::gaussian; }

/// ln pi from logits.
std::vector<double> log_softmax(const Eigen::Ref<const Matrix>& logits) {
  const double top = logits.maxCoeff();
  const double log_sum = top + std::log((logits.array() - top).exp().sum());
  std::vector<double> out(static_cast<std::size_t>(logits.size()));
  for (Index v = 0; v < logits.cols(); ++v) out[static_cast<std::size_t>(v)] = logits(0, v) - log_sum;
  return out;
}

Domain weights_domain(Index views) { return Domain({{"weights", 1, views, Euclidean{}}}); }

/// -sum_v counts_v ln pi_v over the logits of pi: lowest where pi is proportional to the counts.
class MixtureWeights {
 public:
  explicit MixtureWeights(std::vector<double> counts)
      : counts_(std::move(counts)),
        domain_(std::make_shared<const Domain>(weights_domain(static_cast<Index>(counts_.size())))) {}
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng&) const { return domain_->zero(); }
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    const std::vector<double> logs = log_softmax(x.block(0));
    double out = 0;
    for (std::size_t v = 0; v < counts_.size(); ++v) out -= counts_[v] * logs[v];
    return out;
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const {
    const std::vector<double> logs = log_softmax(x.block(0));
    double total = 0;
    for (const double count : counts_) total += count;
    for (std::size_t v = 0; v < counts_.size(); ++v) gradient.flat()[v] = total * std::exp(logs[v]) - counts_[v];
    return value(x, e);
  }

 private:
  std::vector<double> counts_;
  std::shared_ptr<const Domain> domain_;
};
static_assert(AnyProblem<MixtureWeights> && SmoothProblem<MixtureWeights>);

struct MvteRatioOptions : MvteOptions {
  MvteRatioOptions() {
    init_scale = 1e-4;
    lambda0 = 0;
  }
  static const OptionList<MvteRatioOptions>& list() {
    static const auto kList = OptionList<MvteRatioOptions>().include(shared());
    return kList;
  }
};

/// One map whose triplets have memberships.
class ViewsOfTriplets::WeightedView {
 public:
  WeightedView(ViewsOfTriplets of, std::vector<double> memberships)
      : of_(std::move(of)),
        memberships_(std::make_shared<const std::vector<double>>(std::move(memberships))),
        domain_(std::make_shared<const Domain>(
            std::vector<DomainBlock>{{"map", of_.mixture_->object_count(), of_.cols_, Euclidean{}}})) {}
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const {
    Point out = domain_->random(rng);
    out.vector() *= of_.init_scale_;
    return out;
  }
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    return of_.mixture_->weighted(x.flat(), of_.cols_, *memberships_, {}, evaluation) +
           of_.add_regulariser(x.flat(), {});
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    const double sum = of_.mixture_->weighted(x.flat(), of_.cols_, *memberships_, gradient.flat(), evaluation);
    return sum + of_.add_regulariser(x.flat(), gradient.flat());
  }

 private:
  ViewsOfTriplets of_;
  std::shared_ptr<const std::vector<double>> memberships_;
  std::shared_ptr<const Domain> domain_;
};

ViewsOfTriplets::ViewsOfTriplets(const Observations& observations, const MvteOptions& options, bool with_weights)
    : views_(options.views > 0 ? options.views : aspect_count(observations)),
      cols_(options.n_components),
      init_scale_(options.init_scale) {
  const Index n = observations.object_count();
  require_triplets(observations, "mvte");
  const std::uint64_t all = observations.triplets->size();
  const auto drawn = static_cast<std::uint64_t>(options.triplets);
  constexpr std::uint64_t kKey = 0x6d767465;  // any: the data set and the split are random already
  if (drawn > 0 && drawn < all) {
    mixture_ = std::make_shared<const ViewMixture>(TripletView(observations.triplets, kKey, 0, drawn),
                                                   kernel_of(options.kernel));
    notes_.push_back(fmt::format("Learnt from {} of {} training triplets, drawn at random.", drawn, all));
  } else {
    mixture_ = std::make_shared<const ViewMixture>(*observations.triplets, kernel_of(options.kernel));
  }
  lambda_ = options.lambda0 * mixture_->total_weight() / static_cast<double>(n);
  mentions_ = std::make_shared<const std::vector<std::uint64_t>>(mixture_->mentions());
  std::vector<double> ridge;
  if (lambda_ > 0)
    for (const std::uint64_t count : *mentions_) ridge.push_back(count > 0 ? lambda_ / static_cast<double>(count) : 0);
  ridge_ = std::make_shared<const std::vector<double>>(std::move(ridge));
  if (const auto idle = std::ranges::count(*mentions_, std::uint64_t{0}); idle > 0)
    notes_.push_back(
        fmt::format("{} of {} objects are in none of the triplets used and stay at their random start.", idle, n));
  std::vector<DomainBlock> blocks;
  for (Index v = 0; v < views_; ++v) blocks.push_back({fmt::format("view_{}", v + 1), n, cols_, Euclidean{}});
  if (with_weights) blocks.push_back({"weights", 1, views_, Euclidean{}});
  domain_ = std::make_shared<const Domain>(std::move(blocks));
}

std::span<const double> ViewsOfTriplets::views_of(const Point& x) const {
  return x.flat().first(static_cast<std::size_t>(views_ * mixture_->object_count() * cols_));
}

double ViewsOfTriplets::add_regulariser(std::span<const double> y, std::span<double> gradient) const {
  if (lambda_ == 0) return 0;
  const std::size_t n = mentions_->size(), cols = static_cast<std::size_t>(cols_);
  double squared = 0;
  for (std::size_t row = 0; row < y.size() / cols; ++row) {
    if ((*mentions_)[row % n] == 0) continue;
    for (std::size_t c = row * cols; c < (row + 1) * cols; ++c) {
      squared += y[c] * y[c];
      if (!gradient.empty()) gradient[c] += 2 * lambda_ * y[c];
    }
  }
  return lambda_ * squared;
}

Point ViewsOfTriplets::scaled_start(Rng& rng) const {
  Point out = domain_->random(rng);
  out.vector() *= init_scale_;
  if (static_cast<Index>(domain_->blocks().size()) > views_) out.block(static_cast<std::size_t>(views_)).setZero();
  return out;
}

Embedding ViewsOfTriplets::maps_of(const Point& x) const {
  Embedding out;
  out.latent_views = views_ > 1;
  for (Index v = 0; v < views_; ++v)
    out.maps.push_back({views_ > 1 ? fmt::format("view_{}", v + 1) : "", x.block(static_cast<std::size_t>(v))});
  return out;
}

Solution ViewsOfTriplets::block_of(Index b, const Solution& x) const {
  const auto block = std::get<Point>(x).block(static_cast<std::size_t>(b));
  Point out = Domain({{"block", block.rows(), block.cols(), Euclidean{}}}).zero();
  out.block(0) = block;
  return out;
}

void ViewsOfTriplets::set_block(Index b, const Solution& block, Solution& x) const {
  std::get<Point>(x).block(static_cast<std::size_t>(b)) = std::get<Point>(block).block(0);
}

Problem ViewsOfTriplets::view_problem(std::vector<double> memberships) const {
  return {"view", WeightedView(*this, std::move(memberships))};
}

std::vector<double> Mvte::log_weights(const Point& x) const {
  if (weighted_) return log_softmax(x.block(static_cast<std::size_t>(views_)));
  return std::vector<double>(static_cast<std::size_t>(views_), -std::log(static_cast<double>(views_)));
}

double Mvte::evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const {
  const auto weights = static_cast<std::size_t>(views_);
  const std::vector<double> logs = log_weights(x);
  std::vector<double> counts(gradient && weighted_ ? weights : 0);
  const std::span<const double> views = views_of(x);
  const std::span<double> slopes = gradient ? gradient->flat().first(views.size()) : std::span<double>{};
  double total = mixture_->mixture(views, cols_, logs, slopes, counts, evaluation);
  total += add_regulariser(views, slopes);
  for (std::size_t v = 0; v < weights && weighted_; ++v) {
    total -= logs[v];
    if (gradient)
      gradient->block(weights)(0, static_cast<Index>(v)) =
          (mixture_->total_weight() + static_cast<double>(views_)) * std::exp(logs[v]) - counts[v] - 1;
  }
  return total;
}

double Mvte::term(const Point& x, TermIndex index, TermGradient& out) const {
  const auto count = static_cast<std::size_t>(views_);
  const std::span<const double> views = views_of(x);
  const std::size_t room = ViewMixture::mixture_room(count);
  double* posteriors = out.room<double>(room + count);
  double* shares = posteriors + room;
  const auto mixture = [&] {
    return mixture_->mixture_term(static_cast<std::size_t>(index), views, cols_, {shares, count}, *ridge_, posteriors,
                                  out);
  };
  if (!weighted_) {
    std::fill_n(shares, count, 1 / static_cast<double>(count));
    return mixture();
  }
  const double* logits = x.flat().data() + views.size();
  const double top = *std::max_element(logits, logits + count);
  double sum = 0, logit_sum = 0;
  for (std::size_t v = 0; v < count; ++v) {
    shares[v] = std::exp(logits[v] - top);
    sum += shares[v];
    logit_sum += logits[v] - top;
  }
  for (std::size_t v = 0; v < count; ++v) shares[v] /= sum;
  const double value = mixture();
  const double part = 1 / static_cast<double>(mixture_->size());  // of the prior
  double weight = 0;
  for (std::size_t v = 0; v < count; ++v) weight += posteriors[v];
  double* gradient = out.add(count, 0, views_);
  for (std::size_t v = 0; v < count; ++v)
    gradient[v] = (weight + part * static_cast<double>(views_)) * shares[v] - posteriors[v] - part;
  return value + part * (static_cast<double>(views_) * std::log(sum) - logit_sum);
}

double Mvte::value(const Point& x, Evaluation& evaluation) const { return evaluate(x, nullptr, evaluation); }

double Mvte::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  return evaluate(x, &gradient, evaluation);
}

Embedding Mvte::decode(const Solution& x) const {
  Embedding out = maps_of(std::get<Point>(x));
  if (!weighted_) return out;
  const std::vector<double> logs = log_weights(std::get<Point>(x));
  for (std::size_t v = 0; v < logs.size(); ++v)
    out.estimates.emplace_back(fmt::format("weight_{}", v + 1), std::exp(logs[v]));
  return out;
}

Problem Mvte::block_problem(Index b, const Solution& x) const {
  const Point& point = std::get<Point>(x);
  const std::vector<double> logs = log_weights(point);
  Executor alone;
  if (b < views_) return view_problem(mixture_->posteriors(views_of(point), cols_, logs, b, alone));
  Evaluation evaluation(alone);
  std::vector<double> counts(logs.size());
  static_cast<void>(mixture_->mixture(views_of(point), cols_, logs, {}, counts, evaluation));
  for (double& count : counts) ++count;
  return {"mixture_weights", MixtureWeights(std::move(counts))};
}

double MvteRatio::objective(const Solution& x, Evaluation& evaluation) const {
  const std::span<const double> views = views_of(std::get<Point>(x));
  return add_regulariser(views, {}) + mixture_->ratio_cost(views, cols_, views_, evaluation);
}

double MvteRatio::term(const Point& x, TermIndex index, TermGradient& out) const {
  return mixture_->ratio_term(static_cast<std::size_t>(index), views_of(x), cols_, views_, *ridge_, false, out);
}

double MvteRatio::direction(const Point& x, TermIndex index, TermGradient& out) const {
  return mixture_->ratio_term(static_cast<std::size_t>(index), views_of(x), cols_, views_, *ridge_, true, out);
}

Problem MvteRatio::block_problem(Index b, const Solution& x) const {
  Executor alone;
  return view_problem(mixture_->ratios(views_of(std::get<Point>(x)), cols_, views_, b, alone));
}

static_assert(AnyProblem<Mvte> && SmoothProblem<Mvte> && BlocksProblem<Mvte>);
static_assert(FiniteSumProblem<Mvte> && !DirectedSum<Mvte> && DirectedSum<MvteRatio>);
static_assert(AnyProblem<MvteRatio> && BlocksProblem<MvteRatio> && !SmoothProblem<MvteRatio>);

}  // namespace

ProblemEntry mvte_entry() {
  return {
      .name = "mvte",
      .summary =
          "multi-view triplet embedding as a mixture: several latent maps; each triplet is "
          "explained by one of them",
      .reference = "[AU15] Amid & Ukkonen 2015, as a proper mixture",
      .equation = "min over V maps: - sum w ln(sum over v of pi_v p_v), with p_v of ste or tste on map v",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<Mvte>(),
      .options = MvteOptions::list().infos(),
      .make = maker_of<Mvte, MvteOptions>("mvte"),
  };
}

ProblemEntry mvte_ratio_entry() {
  return {
      .name = "mvte_ratio",
      .summary =
          "multi-view triplet embedding as published: memberships of triplets come from "
          "ratios of distances",
      .reference = "[AU15] Amid & Ukkonen 2015",
      .equation =
          "steps along the gradient of - sum w sum over v of z_v ln p_v, with memberships "
          "z from ratios of distances held fixed",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<MvteRatio>(),
      .options = MvteRatioOptions::list().infos(),
      .make = maker_of<MvteRatio, MvteRatioOptions>("mvte_ratio"),
  };
}

}  // namespace alidade::multiview
