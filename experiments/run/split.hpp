// Splits evidence into a training set and what judges the map. All holding out happens here, for a run and for
// validation within its training set.
// Held out: triplets, folds of triplets, a test file, objects hidden from aspects, or objects held out from everything.
// A split depends on content and key alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "experiments/config/setup.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/evidence/object_holdout.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// What is held out, and how much of it.
struct HoldOut {
  enum class What { triplets, fold_of_triplets, test_file, objects_of_aspects, objects };
  What what = What::triplets;
  /// triplets: the fraction held out, in [0, 1); objects_of_aspects: the fraction that each aspect keeps, in (0, 1];
  /// objects: a fraction below 1 or a count, see hold_out_objects.
  double amount = 0;
  Index fold = 0, folds = 0;              // of fold_of_triplets
  HideUnit hide_unit = HideUnit::object;  // of objects_of_aspects
  bool whole_annotators = false;          // triplets, fold_of_triplets: those of one annotator stay on one side
  TripletTags questions{};                // likewise those of one question; null: not. Not both
};

struct Split {
  Observations training;                         // pair signs made from triplets: those of the remaining triplets
  std::shared_ptr<const TripletSource> heldout;  // null: no triplets were held out
  const Observations* hidden_from = nullptr;     // null: no objects were hidden from aspects
  TripletTags questions{};                       // those of the rule
  bool reversed = false;                         // whether some training triplets were reversed afterwards
  std::shared_ptr<const metrics::HeldOutObjects> heldout_objects;  // null: none were held out from everything

  /// What metrics see. Valid while the split and its source exist.
  [[nodiscard]] metrics::Evidence evidence() const {
    return {training, heldout.get(), hidden_from, heldout_objects.get(), reversed};
  }
};

/// The question of each triplet if the rule's `questions` holds out whole ones of these answers; otherwise null. "auto"
/// does not beside by_annotator. O(triplets log triplets).
/// @throws ConfigError with both "whole" and by_annotator; DataError with "whole" if the triplets are computed
[[nodiscard]] TripletTags questions_to_hold_out(const SplitRule& rule, const Observations& all);

/// With fewer people no map of the others judges one of them: an interval over two is all of [0, 1].
inline constexpr Index kFewestJudges = 3;
/// How many people order any objects, at most `most`: who gives all pairs one rating, or sorts all into one pile, does
/// not. Of more than 2^18 triplets it looks at about as many. O(min(triplets, 2^18))
[[nodiscard]] Index judges_among(const Observations& all, Index most);

/// Whether the usual fraction cannot be held out: one answer implies all triplets, fewer than kFewestJudges sorted the
/// objects or judged pairs of them, or too few of these judged each pair.
[[nodiscard]] bool holds_nothing_out(const Observations& observations);

/// Triplets of one answer stay on one side. test_file: the last `all.test_triplets`. `all` must outlive the split if
/// objects are held out or hidden.
/// @throws DataError without annotators where they stay whole; ConfigError, DataError as hold_out, hold_out_fold,
/// with_hidden_objects and hold_out_objects do
[[nodiscard]] Split make_split(const Observations& all, const HoldOut& rule, std::uint64_t key);

/// Marks the triplets of `some` that are among those of `all`, too, as often as there: of the same objects with the
/// same choice and, where both name annotators, by the same one. Names tell. O(m log m) of both.
[[nodiscard]] std::vector<bool> also_among(const Observations& some, const Observations& all);

/// Digests of both sides and of what is held out, if anything, by which rows tell whether two runs on data of the same
/// options and files had the same. Of long lists, about 2^18 numbers that are spread over them.
[[nodiscard]] std::pair<std::string, std::optional<std::string>> digests_of(const Split& split);

/// Number of held-out triplets, or of held-out objects; and how many of them are independent: answers, questions that
/// were held out whole, or objects.
struct JudgeCount {
  std::uint64_t held_out = 0, independent = 0;
};
/// @pre `split` was made of `all`. O(triplets)
[[nodiscard]] JudgeCount judge_count(const Split& split, const Observations& all);

}  // namespace alidade
