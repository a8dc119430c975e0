#include "problems/triplet/annotator_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "problems/contract/annotator_estimates.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/triplet_sums/chunk_sums.hpp"

namespace alidade::triplet {

Margin margin_of(const SteLoss&, double a, double b) { return {b - a, -1, 1}; }

Margin margin_of(const TSteLoss& loss, double a, double b) {
  const double m = (loss.alpha + 1) / 2;
  return {m * (std::log1p(b / loss.alpha) - std::log1p(a / loss.alpha)), -m / (loss.alpha + a), m / (loss.alpha + b)};
}

Margin margin_of(const SoeLoss& loss, double a, double b) {
  const double near = std::sqrt(a), far = std::sqrt(b), u = (far - near) / loss.margin, size = std::abs(u);
  const double value = size <= 1 ? 4 * u : std::copysign((1 + size) * (1 + size), u);
  const double slope = (size <= 1 ? 2 : 1 + size) / loss.margin;  // half of dm/du: d sqrt(a)/da = 1 / (2 sqrt(a))
  return {value, near > 0 ? -slope / near : 0, far > 0 ? slope / far : 0};
}

AnnotatedAnswers::AnnotatedAnswers(const Observations& observations) : names_(observations.annotators) {
  const TripletSource& triplets = *observations.triplets;
  const auto count = static_cast<std::size_t>(triplets.size());
  std::vector<std::uint32_t> who(count);
  begins_.assign(names_.size() + 1, 0);
  for (std::size_t t = 0; t < count; ++t) {
    who[t] = (*observations.annotator)[static_cast<std::size_t>(triplets.origin_index(t))];
    ++begins_[who[t] + 1];
  }
  giving_ = static_cast<Index>(std::ranges::count_if(begins_, [](std::size_t answers) { return answers > 0; }));
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  anchor_.resize(count);
  near_.resize(count);
  far_.resize(count);
  if (triplets.weighted()) weight_.resize(count);
  std::vector<std::uint32_t> tag(observations.answer ? count : 0);
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (std::size_t t = 0; t < count; ++t) {
    const Triplet triplet = triplets.at(t);
    const std::size_t place = next[who[t]]++;
    anchor_[place] = triplet.anchor;
    near_[place] = triplet.near;
    far_[place] = triplet.far;
    if (!weight_.empty()) weight_[place] = triplet.weight;
    if (observations.answer) tag[place] = (*observations.answer)[static_cast<std::size_t>(triplets.origin_index(t))];
  }
  for (Index a = 0; a < annotator_count(); ++a) {
    const auto first = static_cast<std::ptrdiff_t>(begin(a)), last = static_cast<std::ptrdiff_t>(begin(a + 1));
    std::ptrdiff_t distinct = last - first;
    if (observations.answer) {
      std::sort(tag.begin() + first, tag.begin() + last);
      distinct = std::unique(tag.begin() + first, tag.begin() + last) - (tag.begin() + first);
    }
    answers_.push_back(static_cast<Index>(distinct));
  }
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
  std::ranges::copy_if(answers_, std::back_inserter(counts), [](Index count) { return count > 0; });
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::ranges::nth_element(counts, middle);
  return static_cast<double>(*middle);
}

std::span<const double> AnnotatedAnswers::weights(Index a) const {
  if (weight_.empty()) return {};
  return std::span(weight_).subspan(begin(a), begin(a + 1) - begin(a));
}

template <class Loss>
ReliabilityMap<Loss>::ReliabilityMap(TripletMap<Loss> base, Loss loss, std::shared_ptr<const AnnotatedAnswers> answers,
                                     const AnnotatorPrior& prior, bool guesses)
    : base_(std::move(base)), loss_(loss), answers_(std::move(answers)), prior_(prior), guesses_(guesses) {}

namespace {

/// The chance that at most k of n guesses are right. O(k)
double at_most_by_guessing(double k, double n) {
  double out = 0;
  for (double i = 0; i <= k; ++i)
    out += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) - n * std::log(2.0));
  return out;
}

double squared_distance(const double* x, const double* y, std::size_t d) {
  double out = 0;
  for (std::size_t c = 0; c < d; ++c) out += (x[c] - y[c]) * (x[c] - y[c]);
  return out;
}

}  // namespace

template <class Loss>
struct ReliabilityMap<Loss>::Scratch {
  /// Of one annotator.
  struct Work {
    std::vector<double> margins;
    std::vector<Margin> slopes;
  };
  ChunkSums<double, Work> sums;
};

template <class Loss>
double ReliabilityMap<Loss>::sum(const Point& x, std::span<double> gradient, Evaluation& evaluation) const {
  const auto d = static_cast<std::size_t>(domain().blocks().front().cols);
  const std::span<const double> y = x.flat();
  const AnnotatedAnswers& all = *answers_;
  const auto add = [&](std::size_t chunk, std::span<double> part, typename Scratch::Work& work) {
    double out = 0;
    for (Index a = all.chunks()[chunk]; a < all.chunks()[chunk + 1]; ++a) {
      const std::size_t first = all.begin(a), count = all.begin(a + 1) - first;
      if (count == 0) continue;
      work.margins.resize(count);
      work.slopes.resize(count);
      for (std::size_t t = 0; t < count; ++t) {
        const double* anchor = y.data() + d * all.anchors()[first + t];
        work.slopes[t] = margin_of(loss_, squared_distance(anchor, y.data() + d * all.nears()[first + t], d),
                                   squared_distance(anchor, y.data() + d * all.fars()[first + t], d));
        work.margins[t] = work.slopes[t].value;
      }
      const AnsweredMargins answered{work.margins, all.weights(a)};
      Reliability best;
      if (guesses_) {
        best = most_likely(answered, prior_);
        out += negative_log_posterior(answered, best, prior_);
        if (part.empty()) continue;
      }
      for (std::size_t t = 0; t < count; ++t) {
        const MarginTerm term = margin_term(work.margins[t], best);
        const double w = answered.weights.empty() ? 1 : answered.weights[t];
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

template <class Loss>
double ReliabilityMap<Loss>::value(const Point& x, Evaluation& evaluation) const {
  return sum(x, {}, evaluation);
}

template <class Loss>
double ReliabilityMap<Loss>::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  gradient.set_zero();
  return sum(x, gradient.flat(), evaluation);
}

template <class Loss>
void ReliabilityMap<Loss>::margins_of(Index annotator, std::span<const double> y, std::vector<double>& out) const {
  const auto d = static_cast<std::size_t>(domain().blocks().front().cols);
  out.clear();
  for (std::size_t t = answers_->begin(annotator); t < answers_->begin(annotator + 1); ++t) {
    const double* anchor = y.data() + d * answers_->anchors()[t];
    out.push_back(margin_of(loss_, squared_distance(anchor, y.data() + d * answers_->nears()[t], d),
                            squared_distance(anchor, y.data() + d * answers_->fars()[t], d))
                      .value);
  }
}

template <class Loss>
std::vector<std::string> ReliabilityMap<Loss>::notes() const {
  std::vector<std::string> out = base_.notes();
  if (answers_->giving_count() < 2)
    out.emplace_back(
        "All answers are by one annotator, who cannot be compared with others: there is one rate of "
        "guesses for all answers, as with ste_lapse.");
  return out;
}

template <class Loss>
std::vector<Reliability> ReliabilityMap<Loss>::reliabilities(const Point& x) const {
  std::vector<Reliability> out;
  std::vector<double> margins;
  for (Index a = 0; a < answers_->annotator_count(); ++a) {
    margins_of(a, x.flat(), margins);
    out.push_back(most_likely({margins, answers_->weights(a)}, prior_));
  }
  return out;
}

template <class Loss>
Embedding ReliabilityMap<Loss>::decode(const Solution& x) const {
  constexpr Index kFewestAnswers = 40;  // of an annotator who is named a guesser
  constexpr double kMostlyGuesses = 0.5, kSignificance = 0.05;
  const Point& point = std::get<Point>(x);
  Embedding out = base_.decode(x);
  if (!guesses_) return out;
  auto estimates = std::make_shared<AnnotatorEstimates>();
  const std::vector<Reliability> best = reliabilities(point);
  double weights = 0, guesses = 0, log_sharpness = 0;
  for (Index a = 0; a < answers_->annotator_count(); ++a) {
    if (answers_->answer_count(a) == 0) continue;
    log_sharpness += best[static_cast<std::size_t>(a)].log_sharpness;
  }
  std::vector<double> margins;
  for (Index a = 0; a < answers_->annotator_count(); ++a) {
    margins_of(a, point.flat(), margins);
    const AnsweredMargins answered{margins, answers_->weights(a)};
    const Reliability& at = best[static_cast<std::size_t>(a)];
    AnnotatorEstimate one{.name = answers_->name(a), .answers = answers_->answer_count(a)};
    if (one.answers > 0) {
      double satisfied = 0, of = 0;
      for (std::size_t t = 0; t < margins.size(); ++t) {
        const double w = answered.weights.empty() ? 1 : answered.weights[t];
        of += w;
        if (margins[t] > 0) satisfied += w;
      }
      one.guess_rate = at.guess_rate;
      one.standard_error = rate_error(answered, at, prior_);
      one.agreement = of > 0 ? satisfied / of : 0;
      one.likely_guesser = one.answers >= kFewestAnswers && at.guess_rate > kMostlyGuesses;
      if (prior_.sharpness && at.guess_rate <= kMostlyGuesses)
        one.sharpness = std::exp(at.log_sharpness - log_sharpness / static_cast<double>(answers_->giving_count()));
      const auto trials = static_cast<double>(one.answers);
      one.reversed = of > 0 && at_most_by_guessing(std::round(one.agreement * trials), trials) <
                                   kSignificance / static_cast<double>(answers_->giving_count());
      weights += of;
      guesses += of * at.guess_rate;
    }
    estimates->annotators.push_back(std::move(one));
  }
  const auto number = [&](bool AnnotatorEstimate::*flag) {
    return static_cast<double>(
        std::ranges::count_if(estimates->annotators, [&](const auto& one) { return one.*flag; }));
  };
  out.estimates.emplace_back("guess_rate", weights > 0 ? guesses / weights : 0);
  out.estimates.emplace_back("likely_guessers", number(&AnnotatorEstimate::likely_guesser));
  out.estimates.emplace_back("reversed_annotators", number(&AnnotatorEstimate::reversed));
  out.annotators = std::move(estimates);
  return out;
}

template <class Loss>
Problem AnnotatorMap<Loss>::stage(Index k, const Solution&) const {
  const std::string name = std::string(Loss::kName) + "_annotators";
  return {name, k == 0 ? pooled_ : whole_};
}

template class ReliabilityMap<SteLoss>;
template class ReliabilityMap<TSteLoss>;
template class ReliabilityMap<SoeLoss>;
template class AnnotatorMap<SteLoss>;
template class AnnotatorMap<TSteLoss>;
template class AnnotatorMap<SoeLoss>;

static_assert(AnyProblem<ReliabilityMap<SteLoss>> && SmoothProblem<ReliabilityMap<SteLoss>>);
static_assert(AnyProblem<AnnotatorMap<SteLoss>> && StagedProblem<AnnotatorMap<SteLoss>>);

namespace {

/// Answers per annotator from which sharpness is told apart from guesses.
constexpr double kEnoughForSharpness = 200;

struct AnnotatorOptions : MapOptions {
  double guess_prior = 2;
  std::string sharpness = "auto";
  double sharpness_spread = 0.3;
  static const OptionList<AnnotatorOptions>& list() {
    using O = AnnotatorOptions;
    static const auto kList =
        OptionList<O>()
            .real("guess_prior", &O::guess_prior, at_least(1),
                  "b of the prior Beta(1, b) on each annotator's rate of guesses; 1: all rates alike; larger: fewer "
                  "guesses")
            .text("sharpness", &O::sharpness, {"auto", "estimated", "common"},
                  "how sharply an annotator's answers follow the distances; estimated: for each annotator; common: the "
                  "same for all; auto: estimated from 200 answers an annotator on, except by t-STE")
            .real("sharpness_spread", &O::sharpness_spread, above(0),
                  "standard deviation of the logarithm of the sharpness among annotators, where it is estimated")
            .include(MapOptions::list());
    return kList;
  }
};

/// The options with the defaults of one loss.
struct SteAnnotatorOptions : AnnotatorOptions {
  SteAnnotatorOptions() { lambda = 0.1; }
  static const OptionList<SteAnnotatorOptions>& list() {
    static const auto kList = OptionList<SteAnnotatorOptions>().include(AnnotatorOptions::list());
    return kList;
  }
};

struct SoeAnnotatorOptions : AnnotatorOptions {
  SoeAnnotatorOptions() { lambda = 0.1; }
  static const OptionList<SoeAnnotatorOptions>& list() {
    static const auto kList = OptionList<SoeAnnotatorOptions>().include(AnnotatorOptions::list());
    return kList;
  }
};

struct TSteAnnotatorOptions : AnnotatorOptions {
  double alpha = 0;
  TSteAnnotatorOptions() {
    lambda = 0.01;
    l2_scale = 0.4;
  }
  static const OptionList<TSteAnnotatorOptions>& list() {
    static const auto kList = OptionList<TSteAnnotatorOptions>()
                                  .real("alpha", &TSteAnnotatorOptions::alpha, at_least(0),
                                        "degrees of freedom of the Student kernel; 0: max(n_components - 1, 1)")
                                  .include(AnnotatorOptions::list());
    return kList;
  }
};

template <class Loss>
Problem annotator_map(const Observations& observations, const Loss& loss, const AnnotatorOptions& o) {
  const std::string name = std::string(Loss::kName) + "_annotators";
  require_triplets(observations, name);
  require<DataError>(observations.offers(ObservationKind::annotators),
                     "{} needs to know who gave each answer, and '{}' does not say. Name the column that does, with "
                     "--columns annotator=NAME, or choose ste_lapse.",
                     name, observations.name);
  auto answers = std::make_shared<const AnnotatedAnswers>(observations);
  AnnotatorPrior prior{.b = o.guess_prior, .s = o.sharpness_spread};
  prior.sharpness = answers->giving_count() > 1 &&
                    (o.sharpness == "estimated" || (o.sharpness == "auto" && !std::is_same_v<Loss, TSteLoss> &&
                                                    answers->median_answers() >= kEnoughForSharpness));
  const TripletMap<Loss> base(observations, loss, o);
  return {name, AnnotatorMap<Loss>({base, loss, answers, prior, false}, {base, loss, answers, prior, true})};
}

Problem make_ste_annotators(const Observations& observations, const ValueTable& options) {
  return annotator_map(observations, SteLoss{}, SteAnnotatorOptions::list().parse(options, "problem 'ste_annotators'"));
}

Problem make_soe_annotators(const Observations& observations, const ValueTable& options) {
  return annotator_map(observations, SoeLoss{}, SoeAnnotatorOptions::list().parse(options, "problem 'soe_annotators'"));
}

Problem make_tste_annotators(const Observations& observations, const ValueTable& options) {
  const auto o = TSteAnnotatorOptions::list().parse(options, "problem 'tste_annotators'");
  const double alpha = o.alpha > 0 ? o.alpha : static_cast<double>(std::max<Index>(o.n_components - 1, 1));
  return annotator_map(observations, TSteLoss{alpha}, o);
}

ProblemEntry annotator_entry(std::string name, std::string summary, std::string reference, std::string margin,
                             std::vector<OptionInfo> options, ProblemMaker::Plain make) {
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .reference = std::move(reference),
      .equation =
          "min over Y, and g and beta of each annotator: - sum w ln((1 - g) sigma(beta m) + g / 2) + lambda "
          "|Y|^2 - ln(priors of g and beta), with " +
          margin,
      .needs = {ObservationKind::triplets, ObservationKind::annotators},
      .offers = borderless_offer<AnnotatorMap<SteLoss>>(),
      .options = std::move(options),
      .make = make,
      .starts_on_small_data = kStartsOnSmallData,
  };
}

}  // namespace

ProblemEntry ste_annotators_entry() {
  return annotator_entry(
      "ste_annotators",
      "STE for answers of several annotators: estimates, with the map, how many answers of each are "
      "guesses",
      "[vdMW12] with a lapse rate [WH01] for each annotator, in the manner of [DS79] Dawid & Skene 1979",
      "m = b - a, a and b squared distances to near and far", SteAnnotatorOptions::list().infos(), make_ste_annotators);
}

ProblemEntry tste_annotators_entry() {
  return annotator_entry(
      "tste_annotators",
      "t-STE for answers of several annotators: estimates, with the map, how many answers of each are guesses",
      "[vdMW12] with a lapse rate [WH01] for each annotator, in the manner of [DS79] Dawid & Skene 1979",
      "m = (alpha + 1) / 2 ln((alpha + b) / (alpha + a)), a and b squared distances to near and far",
      TSteAnnotatorOptions::list().infos(), make_tste_annotators);
}

ProblemEntry soe_annotators_entry() {
  return annotator_entry(
      "soe_annotators",
      "soft ordinal embedding for answers of several annotators: estimates, with the map, how many answers of each are "
      "guesses",
      "[TvL14], its hinge made a probability, with a lapse rate [WH01] for each annotator, in the manner of [DS79] "
      "Dawid & Skene 1979",
      "m = 4 u where |u| <= 1 and sign(u) (1 + |u|)^2 beyond, u = sqrt(b) - sqrt(a), a and b squared distances to near "
      "and far",
      SoeAnnotatorOptions::list().infos(), make_soe_annotators);
}

}  // namespace alidade::triplet
