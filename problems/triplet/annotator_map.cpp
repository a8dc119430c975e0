#include "problems/triplet/annotator_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <type_traits>

#include "problems/contract/annotator_estimates.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/upper_median.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/triplet_sums/chunk_sums.hpp"

namespace alidade::triplet {

Margin margin_of(const TripletLoss& loss, double a, double b) {
  return std::visit(
      [a, b](const auto& one) {
        if constexpr (requires { one.margin_of(a, b); }) return one.margin_of(a, b);
        return Margin{};
      },
      loss);
}

namespace {

/// Places begin .. end of a list that may be empty.
template <class T>
std::span<T> part_of(std::span<T> list, std::size_t begin, std::size_t end) {
  return list.empty() ? list : list.subspan(begin, end - begin);
}

}  // namespace

AnnotatedAnswers::AnnotatedAnswers(const Observations& observations) : names_(observations.annotators) {
  const TripletSource& triplets = *observations.triplets;
  const auto count = static_cast<std::size_t>(triplets.size());
  std::vector<std::uint32_t> who(count);
  begins_.assign(names_.size() + 1, 0);
  for (std::size_t t = 0; t < count; ++t) {
    who[t] = (*observations.annotator)[static_cast<std::size_t>(triplets.origin_index(t))];
    ++begins_[who[t] + 1];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  anchor_.resize(count);
  near_.resize(count);
  far_.resize(count);
  if (triplets.weighted()) weight_.resize(count);
  answer_.resize(observations.answer ? count : 0);
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (std::size_t t = 0; t < count; ++t) {
    const Triplet triplet = triplets.at(t);
    const std::size_t place = next[who[t]]++;
    anchor_[place] = triplet.anchor;
    near_[place] = triplet.near;
    far_[place] = triplet.far;
    if (!weight_.empty()) weight_[place] = triplet.weight;
    if (observations.answer)
      answer_[place] = (*observations.answer)[static_cast<std::size_t>(triplets.origin_index(t))];
  }
  for (Index a = 0; a < annotator_count(); ++a) {
    std::set<std::size_t> distinct;
    long double given = 0, sum = 0, squares = 0;  // wider, so that no square is too large or too small
    for (std::size_t t = begin(a); t < begin(a + 1); ++t) {
      const long double w = weight_.empty() ? 1 : weight_[t];
      if (!(w > 0)) continue;
      distinct.insert(answer_.empty() ? t : answer_[t]);
      given += 1, sum += w, squares += w * w;
    }
    units_.push_back(given > 0 ? static_cast<double>(squares / sum) : 1);
    for (double& w : part_of(std::span(weight_), begin(a), begin(a + 1))) w /= units_.back();
    answers_.push_back(std::ssize(distinct));
    effective_.push_back(given > 0 ? std::llround(answers_.back() * (sum * sum / (squares * given))) : 0);
  }
  giving_ = std::ranges::count_if(answers_, [](Index answers) { return answers > 0; });
  // Private gradients must be cheap beside their chunks, as in AnchorGroups.
  constexpr std::size_t kMostChunks = 16, kTripletsPerObject = 8;
  const auto objects = static_cast<std::size_t>(observations.object_count());
  const std::size_t parts = std::clamp<std::size_t>(count / (kTripletsPerObject * objects), 1, kMostChunks);
  chunks_.push_back(0);
  for (Index a = 0; a < annotator_count(); ++a)
    if (begin(a + 1) * parts >= count * chunks_.size()) chunks_.push_back(a + 1);
  if (chunks_.back() != annotator_count()) chunks_.back() = annotator_count();
}

double AnnotatedAnswers::median_answers() const {
  std::vector<Index> counts;
  std::ranges::copy_if(effective_, std::back_inserter(counts), [](Index count) { return count > 0; });
  return static_cast<double>(upper_median(counts));
}

std::span<const double> AnnotatedAnswers::weights(Index a) const {
  return part_of(std::span(weight_), begin(a), begin(a + 1));
}

std::span<const std::uint32_t> AnnotatedAnswers::answer_of(Index a) const {
  return part_of(std::span(answer_), begin(a), begin(a + 1));
}

ReliabilityMap::ReliabilityMap(TripletMap base, std::shared_ptr<const AnnotatedAnswers> answers,
                               const AnnotatorPrior& prior, bool guesses)
    : base_(std::move(base)), answers_(std::move(answers)), prior_(prior), guesses_(guesses) {}

namespace {

/// The chance that at most k of n guesses are right. O(k)
double at_most_by_guessing(double k, double n) {
  double out = 0;
  for (double i = 0; i <= k; ++i)
    out += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) - n * std::log(2.0));
  return out;
}

/// By how much the variance of a rate of guesses exceeds that of as many independent triplets: those of one ranking
/// agree with each other. The sandwich estimator over answers; at least 1.
double design_effect(const AnsweredMargins& answered, const Reliability& at, std::span<const std::uint32_t> answer_of) {
  std::map<std::uint32_t, double> by_answer;
  double apart = 0, together = 0;
  for (std::size_t t = 0; t < answer_of.size(); ++t) {
    // The slope of ln P by the rate g is (guess_probability - g) / (g (1 - g)).
    const double score = answered.weight(t) * (guess_probability(answered.margins[t], at) - at.guess_rate);
    apart += score * score;
    by_answer[answer_of[t]] += score;
  }
  for (const auto& [answer, score] : by_answer) together += score * score;
  return apart > 0 ? std::max(1.0, together / apart) : 1;
}

double squared_distance(const double* x, const double* y, std::size_t d) {
  double out = 0;
  for (std::size_t c = 0; c < d; ++c) out += (x[c] - y[c]) * (x[c] - y[c]);
  return out;
}

}  // namespace

struct ReliabilityMap::Scratch {
  ChunkSums<double, Work> sums;
};

double ReliabilityMap::sum(const Point& x, std::span<double> gradient, Evaluation& evaluation) const {
  const auto d = static_cast<std::size_t>(domain().blocks().front().cols);
  const std::span<const double> y = x.flat();
  const AnnotatedAnswers& all = *answers_;
  const auto add = [&](std::size_t chunk, std::span<double> part, Work& work) {
    double out = 0;
    for (Index a = all.chunks()[chunk]; a < all.chunks()[chunk + 1]; ++a) {
      const std::size_t first = all.begin(a), count = all.begin(a + 1) - first;
      if (count == 0) continue;
      set_margins(a, y, work);
      const AnsweredMargins answered{work.margins, all.weights(a)};
      const double unit = all.weight_unit(a);
      Reliability best;
      if (guesses_) {
        best = most_likely(answered, prior_);
        out += unit * negative_log_posterior(answered, best, prior_);
        if (part.empty()) continue;
      }
      for (std::size_t t = 0; t < count; ++t) {
        const MarginTerm term = margin_term(work.margins[t], best);
        const double w = unit * answered.weight(t);
        if (!guesses_) out += w * term.value;
        if (part.empty()) continue;
        const std::size_t i = d * all.anchors()[first + t], j = d * all.nears()[first + t],
                          k = d * all.fars()[first + t];
        const double near = 2 * w * term.slope * work.slopes[t].d_near, far = 2 * w * term.slope * work.slopes[t].d_far;
        for (std::size_t c = 0; c < d; ++c) {
          const double pull = near * (y[i + c] - y[j + c]), push = far * (y[i + c] - y[k + c]);
          part[i + c] += pull + push;
          part[j + c] -= pull;
          part[k + c] -= push;
        }
      }
    }
    return out;
  };
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  double total = scratch.sums(all.chunks().size() - 1, gradient, evaluation.executor, add);
  const double lambda = base_.sum().lambda();
  if (lambda == 0) return total;
  double squares = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!base_.sum().mentioned(static_cast<ObjectId>(i / d))) continue;
    squares += y[i] * y[i];
    if (!gradient.empty()) gradient[i] += 2 * lambda * y[i];
  }
  return total + lambda * squares;
}

double ReliabilityMap::value(const Point& x, Evaluation& evaluation) const { return sum(x, {}, evaluation); }

double ReliabilityMap::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  gradient.set_zero();
  return sum(x, gradient.flat(), evaluation);
}

void ReliabilityMap::set_margins(Index annotator, std::span<const double> y, Work& out) const {
  const auto d = static_cast<std::size_t>(domain().blocks().front().cols);
  out.margins.clear();
  out.slopes.clear();
  for (std::size_t t = answers_->begin(annotator); t < answers_->begin(annotator + 1); ++t) {
    const double* anchor = y.data() + d * answers_->anchors()[t];
    out.slopes.push_back(margin_of(base_.sum().loss(), squared_distance(anchor, y.data() + d * answers_->nears()[t], d),
                                   squared_distance(anchor, y.data() + d * answers_->fars()[t], d)));
    out.margins.push_back(out.slopes.back().value);
  }
}

std::vector<std::string> ReliabilityMap::notes() const {
  std::vector<std::string> out = base_.notes();
  if (answers_->giving_count() < 2)
    out.emplace_back(
        "All answers are by one annotator, who cannot be compared with others: there is one rate of "
        "guesses for all answers, as with ste_lapse.");
  return out;
}

std::vector<Reliability> ReliabilityMap::reliabilities(const Point& x) const {
  std::vector<Reliability> out;
  Work work;
  for (Index a = 0; a < answers_->annotator_count(); ++a) {
    set_margins(a, x.flat(), work);
    out.push_back(most_likely({work.margins, answers_->weights(a)}, prior_));
  }
  return out;
}

Embedding ReliabilityMap::decode(const Solution& x) const {
  constexpr double kFewestAnswers = 10;  // of an annotator who is named a guesser
  constexpr double kMostlyGuesses = 0.5, kSignificance = 0.05;
  const Point& point = std::get<Point>(x);
  Embedding out = base_.decode(x);
  if (!guesses_) return out;
  auto estimates = std::make_shared<AnnotatorEstimates>();
  const std::vector<Reliability> best = reliabilities(point);
  double weights = 0, guesses = 0, log_sharpness = 0;
  std::vector<double> rates;
  for (Index a = 0; a < answers_->annotator_count(); ++a) {
    if (answers_->answer_count(a) == 0) continue;
    log_sharpness += best[static_cast<std::size_t>(a)].log_sharpness;
    rates.push_back(best[static_cast<std::size_t>(a)].guess_rate);
  }
  const double usual = rates.empty() ? 0 : std::min(upper_median(rates), kMostlyGuesses);
  // So many standard errors: a bound of the normal quantile of the significance over the number of annotators.
  const double clearly =
      std::sqrt(2 * std::log(std::max(static_cast<double>(rates.size()), 1.0) / (2 * kSignificance)));
  Work work;
  for (Index a = 0; a < answers_->annotator_count(); ++a) {
    set_margins(a, point.flat(), work);
    const AnsweredMargins answered{work.margins, answers_->weights(a)};
    const Reliability& at = best[static_cast<std::size_t>(a)];
    AnnotatorEstimate one{.name = answers_->name(a), .answers = answers_->answer_count(a)};
    if (one.answers > 0) {
      double satisfied = 0, of = 0;
      for (std::size_t t = 0; t < answered.margins.size(); ++t) {
        of += answered.weight(t);
        if (answered.margins[t] > 0) satisfied += answered.weight(t);
      }
      one.guess_rate = at.guess_rate;
      // Scores squared, weights too: in their unit sum w^2 = sum w, and no light answer tells as much as a heavy one.
      const auto squared = mapped<double>(answered.weights, [](double w) { return w * w; });
      one.standard_error = rate_error({answered.margins, squared}, at, prior_) *
                           std::sqrt(design_effect(answered, at, answers_->answer_of(a)));
      one.agreement = of > 0 ? satisfied / of : 0;
      if (prior_.sharpness && at.guess_rate <= kMostlyGuesses)
        one.sharpness = std::exp(at.log_sharpness - log_sharpness / static_cast<double>(answers_->giving_count()));
      const auto trials = static_cast<double>(answers_->effective_count(a));
      one.reversed = of > 0 && at_most_by_guessing(std::round(one.agreement * trials), trials) <
                                   kSignificance / static_cast<double>(answers_->giving_count());
      one.likely_guesser = !one.reversed && trials >= kFewestAnswers && at.guess_rate > kMostlyGuesses &&
                           at.guess_rate - usual > clearly * one.standard_error;
      weights += answers_->weight_unit(a) * of;
      guesses += answers_->weight_unit(a) * of * at.guess_rate;
    }
    estimates->annotators.push_back(std::move(one));
  }
  const auto number = [&](bool AnnotatorEstimate::*flag) {
    return static_cast<double>(
        std::ranges::count_if(estimates->annotators, [&](const auto& one) { return one.*flag; }));
  };
  estimates->probability = [loss = loss(), best](std::size_t a, double near, double far) {
    return std::exp(-margin_term(margin_of(loss, near, far).value, best.at(a)).value);
  };
  out.estimates.emplace_back("guess_rate", weights > 0 ? guesses / weights : 0);
  out.estimates.emplace_back("likely_guessers", number(&AnnotatorEstimate::likely_guesser));
  out.estimates.emplace_back("reversed_annotators", number(&AnnotatorEstimate::reversed));
  out.annotators = std::move(estimates);
  return out;
}

Problem AnnotatorMap::stage(Index k, const Solution&) const {
  return {std::string(name_of(whole_.loss())) + "_annotators", k == 0 ? pooled_ : whole_};
}

static_assert(AnyProblem<ReliabilityMap> && SmoothProblem<ReliabilityMap>);
static_assert(AnyProblem<AnnotatorMap> && StagedProblem<AnnotatorMap>);

namespace {

/// Answers per annotator from which sharpness is told apart from guesses.
constexpr double kEnoughForSharpness = 200;

struct AnnotatorOptions : MapOptions {
  TripletLoss loss;
  double guess_prior = 2;
  std::string sharpness = "auto";
  double sharpness_spread = 0.3;
};

/// An entry from a loss, the name of its method, its reference, its margin, and default weights of the regulariser.
ProblemEntry annotator_entry(const TripletLoss& loss, const std::string& method, const std::string& reference,
                             const std::string& margin, double lambda, double l2_scale = 1) {
  using O = AnnotatorOptions;
  const std::string name = std::string(name_of(loss)) + "_annotators";
  AnnotatorOptions defaults;
  defaults.loss = loss;
  defaults.lambda = lambda;
  defaults.l2_scale = l2_scale;
  OptionList<O> options(defaults);
  if (std::holds_alternative<TSteLoss>(loss)) {
    const auto alpha = TSteLoss::record().options.front();
    options.real(
        std::string(alpha.name), [](O& o) -> double& { return std::get<TSteLoss>(o.loss).alpha; }, alpha.bounds,
        std::string(alpha.doc));
  }
  options
      .real("guess_prior", &O::guess_prior, at_least(1),
            "b of the prior Beta(1, b) on each annotator's rate of guesses; 1: all rates alike; larger: fewer guesses")
      .text("sharpness", &O::sharpness, {"auto", "estimated", "common"},
            "how sharply an annotator's answers follow the distances; estimated: for each annotator; common: the same "
            "for all; auto: estimated from 200 answers an annotator on, except by t-STE")
      .real("sharpness_spread", &O::sharpness_spread, above(0),
            "standard deviation of the logarithm of the sharpness among annotators, where it is estimated")
      .include(MapOptions::list());
  const auto make = [options, name](const Observations& observations, const ValueTable& table, Executor&) -> Problem {
    AnnotatorOptions o = options.parse(table, "problem '" + name + "'");
    std::visit([&](auto& one) { set_dimension(one, o.n_components); }, o.loss);
    require_triplets(observations, name);
    require<DataError>(observations.offers(ObservationKind::annotators),
                       "{} needs to know who gave each answer, and '{}' does not say. Name the column that does, with "
                       "--columns annotator=NAME, or choose ste_lapse.",
                       name, observations.name);
    auto answers = std::make_shared<const AnnotatedAnswers>(observations);
    AnnotatorPrior prior{.b = o.guess_prior, .s = o.sharpness_spread};
    prior.sharpness =
        answers->giving_count() > 1 &&
        (o.sharpness == "estimated" || (o.sharpness == "auto" && !std::holds_alternative<TSteLoss>(o.loss) &&
                                        answers->median_answers() >= kEnoughForSharpness));
    const TripletMap base(observations, o.loss, o);
    return {name, AnnotatorMap({base, answers, prior, false}, {base, answers, prior, true})};
  };
  return {
      .name = name,
      .summary = method +
                 " for answers of several annotators: estimates, with the map, how many answers of each are "
                 "guesses",
      .reference = reference +
                   " with a lapse rate [WH01] for each annotator, in the manner of [DS79] Dawid & Skene "
                   "1979",
      .equation =
          "min over Y, and g and beta of each annotator: - sum w ln((1 - g) sigma(beta m) + g / 2) + lambda "
          "|Y|^2 - ln(priors of g and beta), with m = " +
          margin,
      .needs = {ObservationKind::triplets, ObservationKind::annotators},
      .offers = borderless_offer<AnnotatorMap>(),
      .options = options.infos(),
      .make = make,
      .starts_on_small_data = kStartsOnSmallData,
  };
}

}  // namespace

std::vector<ProblemEntry> annotator_entries() {
  return {annotator_entry(SteLoss{}, "STE", "[vdMW12]", "b - a, a and b squared distances to near and far", 0.1),
          annotator_entry(TSteLoss{}, "t-STE", "[vdMW12]",
                          "(alpha + 1) / 2 ln((alpha + b) / (alpha + a)), a and b squared distances to near and far",
                          0.01, 0.4),
          annotator_entry(SoeLoss{}, "soft ordinal embedding", "[TvL14], its hinge made a probability,",
                          "4 u where |u| <= 1 and sign(u) (1 + |u|)^2 beyond, u = sqrt(b) - sqrt(a), a and b squared "
                          "distances to near and far",
                          0.1)};
}

}  // namespace alidade::triplet
