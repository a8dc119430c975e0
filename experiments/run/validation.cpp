#include "experiments/run/validation.hpp"

#include <sentences/run.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/statistics/proportion.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade {
namespace {

/// Triplets that judge a candidate, over all validation sets: a standard error of .003 at an error of .2.
constexpr double kJudges = 20'000;
/// The number for objects hidden from an aspect, each judged by many triplets.
constexpr double kHiddenJudges = 500;
/// The number for objects held out from everything.
constexpr double kObjectJudges = 100;

bool are_people_held_out(const ChoiceRequest& request) {
  const Observations& all = request.training;
  return !request.hold_objects_out && !request.hide && all.annotator && all.triplets &&
         (request.split.by_annotator || all.judgements || !all.triplets->stored());
}

}  // namespace

std::optional<std::string_view> ChoiceRequest::ended() const {
  if (stop.stop_requested()) return "it was interrupted";
  if (deadline && RunClock::now() >= *deadline) return "the time limit came";
  return std::nullopt;
}

std::string Validation::cut_short_note() const {
  return cut_short_ ? fmt::format("; {} before all candidates were tried", *cut_short_) : "";
}

Validation::Validation(const ChoiceRequest& request, Index most_holdouts)
    : request_(request),
      questions_(request.hold_objects_out || request.hide ? nullptr
                                                          : questions_to_hold_out(request.split, request.training)),
      by_people_(are_people_held_out(request)),
      folds_(by_people_ ? std::min(most_holdouts, static_cast<Index>(tag_count(*request.training.triplets,
                                                                               request.training.annotator)))
                        : 0) {
  Index holdout_count = 1;
  for (Index h = 0; h < holdout_count; ++h) {
    splits_.push_back(made_split(h));
    counts_.push_back(judge_count(splits_.back(), request.training));
    check(counts_.back());
    if (h == 0) holdout_count = holdouts_for(counts_.back(), most_holdouts);
  }
}

Split Validation::made_split(Index h) const {
  const double part = request_.split.validation;
  HoldOut rule{
      .what = HoldOut::What::triplets, .amount = part, .whole_annotators = by_people_, .questions = questions_};
  if (request_.hold_objects_out) {
    rule.what = HoldOut::What::objects;
  } else if (request_.hide) {
    require<ConfigError>(part > 0 && part < 1, words::kHiddenShare, part);
    rule = {.what = HoldOut::What::objects_of_aspects, .amount = 1 - part, .hide_unit = *request_.hide};
  }
  if (folds_ > 1)
    rule = {.what = HoldOut::What::fold_of_triplets, .fold = h, .folds = folds_, .whole_annotators = true};
  const bool same_order = h == 0 || folds_ > 1;
  return make_split(request_.training, rule, same_order ? request_.key : Rng::derive(request_.key, "holdout", h));
}

void Validation::check(const JudgeCount& count) const {
  const double part = request_.split.validation;
  const Observations& training = request_.training;
  require<DataError>(count.held_out > 0 || !request_.hide || request_.hold_objects_out, words::kTooFewObjects, part,
                     training.name);
  require<DataError>(count.held_out > 0, words::kTooFewAnswers, part,
                     training.triplets ? training.triplets->size() : 0);
}

/// Enough validation sets for enough judges, if each has `count` as the first has.
Index Validation::holdouts_for(const JudgeCount& count, Index limit) const {
  if (folds_ > 1) return folds_;
  const double part = request_.split.validation;
  double wanted = kJudges, have = 0;
  if (request_.hold_objects_out) {
    wanted = kObjectJudges;
    have = std::round(part * static_cast<double>(request_.training.object_count()));
  } else if (request_.hide) {
    wanted = kHiddenJudges;
    have = static_cast<double>(count.independent);
  } else {
    have = part * static_cast<double>(request_.training.triplets->size());
  }
  return static_cast<Index>(std::clamp(std::ceil(wanted / std::max(1.0, have)), 1.0, static_cast<double>(limit)));
}

void Validation::begin_round(Effort effort) {
  effort_ = effort;
  if (!judged_.empty()) ++round_;
}

Index Validation::holdouts() const { return std::min(effort_.holdouts, static_cast<Index>(splits_.size())); }

std::uint64_t Validation::held_out() const {
  std::uint64_t out = 0;
  for (Index h = 0; h < holdouts(); ++h) out += counts_[static_cast<std::size_t>(h)].held_out;
  return out;
}

/// The training part of validation set h, or the round's share of it.
const Observations& Validation::training_of(Index h) {
  const Split& whole = splits_[static_cast<std::size_t>(h)];
  if (effort_.share >= 1) return whole.training;
  for (const auto& part : parts_)
    if (part->share == effort_.share && part->holdout == h) return part->split.training;
  const HoldOut rule{.what = HoldOut::What::triplets, .amount = 1 - effort_.share};
  parts_.push_back(std::make_unique<Part>(
      Part{effort_.share, h, make_split(whole.training, rule, Rng::derive(request_.key, "share", h))}));
  Observations& out = parts_.back()->split.training;
  // The sums over a table cost as much for few of its triplets as for all; over a list, as little as they are.
  if (!out.triplets->stored()) out.triplets = std::make_shared<TripletList>(TripletList::copy_of(*out.triplets));
  return out;
}

std::optional<HeldoutErrors> Validation::fit_and_judge(const MethodSetup& setup, Index h, Judged& out) {
  for (const Judged::Fit& fit : out.fits)
    if (fit.share == effort_.share && fit.holdout == h && fit.solver_options == setup.solver_options) return fit.errors;
  metrics::Evidence evidence = splits_[static_cast<std::size_t>(h)].evidence();
  const metrics::Evidence of_round{training_of(h), evidence.heldout, evidence.all, evidence.heldout_objects,
                                   evidence.reversed};
  auto errors = request_.judge(setup, of_round);
  if (errors) out.fits.push_back({effort_.share, h, setup.solver_options, *errors});
  return errors;
}

std::optional<std::size_t> Validation::judge(const MethodSetup& setup, ValueTable entry) {
  const auto before = std::ranges::find(judged_, entry, &Judged::entry);
  const bool judged = before != judged_.end();
  if (judged && before->round == round_) return static_cast<std::size_t>(before - judged_.begin());
  if (cut_short()) return std::nullopt;
  tell();
  Judged out{.setup = setup, .entry = std::move(entry), .round = round_};
  if (judged) out.fits = before->fits;
  const std::size_t place = judged ? static_cast<std::size_t>(before - judged_.begin()) : judged_.size();
  const auto keep = [&] {
    if (judged)
      judged_[place] = std::move(out);
    else
      judged_.push_back(std::move(out));
    ++tried_;
    tell();
    if (request_.leads && judged_[place].error && best() == place) request_.leads(setup);
    return place;
  };
  double wrong = 0, squares = 0;
  std::uint64_t independent = 0;
  for (Index h = 0; h < holdouts(); ++h) {
    auto errors = fit_and_judge(setup, h, out);
    cut_short_ = request_.ended();
    // A solve that was cut short says nothing of the candidate.
    if (cut_short() && !judged_.empty()) return std::nullopt;
    if (!errors) return keep();
    wrong += errors->error;
    squares += errors->error * errors->error;
    independent += counts_[static_cast<std::size_t>(h)].independent;
    out.violated.push_back(std::move(errors->violated));
  }
  const auto count = static_cast<double>(holdouts());
  const double mean = wrong / count;
  const double binomial = mean * (1 - mean) / static_cast<double>(independent);
  const double between = count > 1 ? std::max(0.0, squares / count - mean * mean) / (count - 1) : 0;
  out.error = mean;
  out.standard_error = std::sqrt(std::max(binomial, between));
  if (by_people_) out.standard_error = spread(out, nullptr).value_or(out.standard_error);
  return keep();
}

std::vector<std::size_t> Validation::ranking() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < judged_.size(); ++i)
    if (judged_[i].error) out.push_back(i);
  std::ranges::stable_sort(out, {}, [&](std::size_t i) { return std::pair(-judged_[i].round, *judged_[i].error); });
  return out;
}

std::size_t Validation::best() const {
  const auto ranked = ranking();
  require<DataError>(!ranked.empty(), words::kNoCandidateMap, judged_.size());
  return ranked.front();
}

ErrorDifference Validation::difference(std::size_t i, std::size_t other) const {
  const Judged& a = judged_[i];
  const Judged& b = judged_[other];
  const bool paired = a.violated.size() == b.violated.size() && a.round == b.round;
  const auto of_pairs = paired ? spread(a, &b) : std::nullopt;
  return {*a.error - *b.error, of_pairs.value_or(b.standard_error)};
}

std::optional<double> Validation::spread(const Judged& a, const Judged* b) const {
  const TripletTags& together = by_people_ ? request_.training.annotator : request_.training.answer;
  double groups = 0, sum = 0, squares = 0;  // by weight
  std::uint64_t count = 0;
  statistics::ClusterCount all;
  std::map<std::uint32_t, double> by_tag;
  for (std::size_t h = 0; h < a.violated.size(); ++h) {
    const std::shared_ptr<const TripletSource> heldout = with_ordinary_weights(splits_[h].heldout).triplets;
    if (a.violated[h].empty() || !heldout || (b && a.violated[h].size() != b->violated[h].size())) return std::nullopt;
    for (std::size_t t = 0; t < a.violated[h].size(); ++t) {
      const double weight = heldout->weighted() ? heldout->at(t).weight : 1;
      const double one = weight * (a.violated[h][t] - (b ? b->violated[h][t] : 0));
      all.add(weight, false);
      sum += one;
      if (together) {
        by_tag[(*together)[heldout->origin_index(t)]] += one;
      } else {
        squares += one * one;
        ++groups;
      }
    }
    count += a.violated[h].size();
    groups += static_cast<double>(by_tag.size());
    for (const auto& [tag, total] : by_tag) squares += total * total;
    by_tag.clear();  // a person is in one fold only
  }
  groups *= all.effective() / static_cast<double>(count);
  return std::sqrt(std::max(0.0, squares - sum * sum / groups)) / all.trials;
}

}  // namespace alidade
