#include "experiments/run/split.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/evidence/derived_signs.hpp"
#include "problems/evidence/pair_judgements.hpp"
#include "problems/evidence/questions.hpp"

namespace alidade {
namespace {

/// The parts, and the metrics' view of them; its spans point into the parts.
struct ObjectParts {
  explicit ObjectParts(const Observations& all, ObjectSplit made)
      : parts(std::move(made)), seen{all, parts.kept, parts.heldout} {}
  ObjectSplit parts;
  metrics::HeldOutObjects seen;
};

/// The last `held` triplets, and the others.
TripletSplit split_at_end(const std::shared_ptr<const TripletSource>& all, std::uint64_t held) {
  const auto selection = [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint64_t> indices(static_cast<std::size_t>(end - begin));
    std::iota(indices.begin(), indices.end(), begin);
    return std::make_shared<TripletSelection>(all, std::move(indices));
  };
  const std::uint64_t size = all->size();
  return {selection(0, size - held), selection(size - held, size)};
}

TripletSplit triplet_split(const Observations& all, const HoldOut& rule, std::uint64_t key) {
  if (rule.what == HoldOut::What::test_file) return split_at_end(all.triplets, all.test_triplets);
  require<DataError>(
      !rule.whole_annotators || all.annotator || (rule.what == HoldOut::What::triplets && rule.amount == 0),
      words::kUnknownAnnotators, all.name);
  const bool whole_people = rule.whole_annotators || all.judgements;
  const TripletTags& together = rule.questions ? rule.questions : whole_people ? all.annotator : all.answer;
  return rule.what == HoldOut::What::fold_of_triplets
             ? hold_out_fold(all.triplets, rule.fold, rule.folds, key, together)
             : hold_out(all.triplets, rule.amount, key, together);
}

/// Adds triplets to a digest; of more than 2^18, about as many spread over them.
void add(const TripletSource& triplets, std::uint64_t& digest) {
  digest = Rng::derive(digest, triplets.size());
  for (std::uint64_t i = 0, step = 1 + (triplets.size() >> 18); i < triplets.size(); i += step) {
    const Triplet t = triplets.at(i);
    digest = Rng::derive(digest, t.anchor, t.near, t.far, t.aspect, std::bit_cast<std::uint64_t>(t.weight));
  }
}

}  // namespace

TripletTags questions_to_hold_out(const SplitRule& rule, const Observations& all) {
  const bool whole = rule.questions == "whole";
  require<ConfigError>(!whole || !rule.by_annotator, words::kQuestionsOrAnnotators);
  if (!all.triplets || all.judgements || rule.by_annotator || !(whole || rule.questions == "auto")) return nullptr;
  require<DataError>(!whole || all.triplets->stored(), words::kComputedTriplets, all.name);
  if (whole) return questions_of(*all.triplets, all.answer).of;
  const auto few = few_repeated_questions(*all.triplets, all.answer);
  return few ? few->of : nullptr;
}

Index judges_among(const Observations& all, Index most) {
  if (!all.annotator || !all.triplets) return 0;
  std::set<std::uint32_t> seen;
  const std::uint64_t size = all.triplets->size();
  for (std::uint64_t i = 0, step = 1 + (size >> 18); i < size && std::ssize(seen) < most; i += step)
    seen.insert((*all.annotator)[all.triplets->origin_index(i)]);
  return std::ssize(seen);
}

bool holds_nothing_out(const Observations& observations) {
  if (!observations.triplets) return false;
  const bool few = judges_among(observations, kFewestJudges) < kFewestJudges;
  if (observations.judgements) {
    // Of a fifth of the people, and of the next whole one.
    const std::uint64_t people = observations.annotators.size(), judges = fewest_judges(observations);
    return few || (!observations.judgements->weighted && (10 * judges < 3 * people || 5 * judges < people + 5));
  }
  if (!observations.triplets->stored()) return few;
  return tag_count(*observations.triplets, observations.answer) == 1;
}

Split make_split(const Observations& all, const HoldOut& rule, std::uint64_t key) {
  Split out;
  if (rule.what == HoldOut::What::objects) {
    auto made = std::make_shared<ObjectParts>(all, hold_out_objects(all, rule.amount, key));
    out.training = made->parts.training;
    out.heldout_objects = {made, &made->seen};
    return out;
  }
  if (rule.what == HoldOut::What::objects_of_aspects) {
    out.training = with_hidden_objects(all, rule.amount, rule.hide_unit, key);
    out.hidden_from = &all;
  } else {
    out.training = all;
    if (!all.triplets) return out;
    TripletSplit made = triplet_split(all, rule, key);
    out.questions = rule.questions;
    out.training.test_triplets = 0;
    out.training.triplets = std::move(made.train);
    out.heldout = std::move(made.heldout);
    if (out.heldout) renew_means_of_judgements(out.training);
  }
  renew_signs_of_triplets(out.training);
  return out;
}

std::vector<bool> also_among(const Observations& some, const Observations& all) {
  using Key = std::array<std::uint32_t, 4>;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  const bool people = some.annotator && all.annotator;
  const auto numbered = [](const std::vector<std::string>& names, const std::vector<std::string>& by) {
    std::unordered_map<std::string_view, std::uint32_t> number;
    for (std::uint32_t i = 0; i < by.size(); ++i) number.emplace(by[i], i);
    std::vector<std::uint32_t> out;
    for (const std::string& name : names) {
      const auto found = number.find(name);
      out.push_back(found == number.end() ? kNone : found->second);
    }
    return out;
  };
  const auto keys = [&](const Observations& of) {
    const auto object = numbered(of.objects, some.objects), person = numbered(of.annotators, some.annotators);
    std::vector<std::pair<Key, std::uint64_t>> out;
    out.reserve(of.triplets->size());
    of.triplets->each([&](std::uint64_t i, const Triplet& t) {
      out.push_back({{object[t.anchor], object[t.near], object[t.far],
                      people ? person[(*of.annotator)[of.triplets->origin_index(i)]] : 0},
                     i});
    });
    std::ranges::sort(out);
    return out;
  };
  const auto mine = keys(some), theirs = keys(all);
  std::vector<bool> out(mine.size());
  for (auto a = mine.begin(), b = theirs.begin(); a != mine.end() && b != theirs.end();) {
    if (b->first < a->first) {
      ++b;
      continue;
    }
    if (a->first == b->first) out[a->second] = true, ++b;
    ++a;
  }
  return out;
}

std::pair<std::string, std::optional<std::string>> digests_of(const Split& split) {
  const Observations& seen = split.training;
  std::uint64_t all = 0, heldout = 0;
  const auto add_numbers = [&](const auto& numbers) {
    for (Index i = 0, step = 1 + (numbers.size() >> 18); i < numbers.size(); i += step)
      all = Rng::derive(all, std::bit_cast<std::uint64_t>(static_cast<double>(numbers.data()[i])));
  };
  if (seen.triplets) add(*seen.triplets, all);
  if (seen.features) add_numbers(*seen.features);
  for (const Dissimilarities& one : seen.dissimilarities) add_numbers(one.values);
  if (seen.pair_signs && !seen.features)
    for (const ObjectPair& pair : seen.pair_signs->similar_pairs()) all = Rng::derive(all, pair.i, pair.j);
  if (split.hidden_from) heldout = all;  // the rest of the same data
  if (split.heldout) add(*split.heldout, heldout = 0);
  if (split.heldout_objects)
    for (const Index object : split.heldout_objects->heldout) heldout = Rng::derive(heldout, object);
  const auto text = [](std::uint64_t digest) { return fmt::format("{:016x}", digest); };
  const bool any = split.heldout || split.hidden_from || split.heldout_objects;
  return {text(Rng::derive(all, heldout)), any ? std::optional(text(heldout)) : std::nullopt};
}

JudgeCount judge_count(const Split& split, const Observations& all) {
  if (split.heldout_objects) return {split.heldout_objects->heldout.size(), split.heldout_objects->heldout.size()};
  if (split.hidden_from)
    return {all.triplets->size() - split.training.triplets->size(),
            observed_pairs(all) - observed_pairs(split.training)};
  if (split.heldout)
    return {split.heldout->size(), tag_count(*split.heldout, split.questions ? split.questions : all.answer)};
  return {};
}

}  // namespace alidade
