// Which triplets answer the same question: which of two objects is nearer to an anchor, in one aspect.
// People who are asked the same questions give answers that depend on each other through these.
// A map can learn by heart the answers to a few questions; held-out answers to the same ones do not show it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade {

/// Calls `visit` with the places of all triplets of one question, once for each question, in the order of anchor, pair
/// and aspect. O(triplets log triplets).
void each_question(const TripletSource& triplets, const std::function<void(std::span<const std::uint64_t>)>& visit);

/// The same for the questions that more than one triplet asks. Where these are few, in a fraction of the time.
void each_repeated_question(const TripletSource& triplets,
                            const std::function<void(std::span<const std::uint64_t>)>& visit);
/// For each triplet, whether another may ask its question too; where false, none does. O(triplets)
[[nodiscard]] std::vector<bool> may_be_repeated(const TripletSource& triplets);

struct Questions {
  TripletTags of;           // of each triplet, numbered from 0
  std::uint64_t count = 0;  // of questions
  double repeated = 0;      // share of the triplets whose question more than one answer answers, in [0, 1]
};
/// With `answer`, the tags of the answers that implied the triplets, questions that one answer answers are one.
/// Those of triplets that are computed, not answered, are 0.
[[nodiscard]] Questions questions_of(const TripletSource& triplets, const TripletTags& answer);

/// The questions, if a map of each aspect may know the answers to them by heart: at least half of the triplets repeat
/// one of at least 20 questions, which are fewer than ten for each coordinate of a plane.
[[nodiscard]] std::optional<Questions> few_repeated_questions(const TripletSource& triplets, const TripletTags& answer);

}  // namespace alidade
