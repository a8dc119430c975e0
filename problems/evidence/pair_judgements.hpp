// Judgements of pairs by people: how far apart each says that two objects are, by a rating, an answer 'same' or
// 'different', or a response time. Maps are made of their means; who judged what is kept to hold out whole people.
// Example: rated 2 apart by one person and 4 by another, a pair has the mean 3; without the second person, 2.
#pragma once

#include <cstdint>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade {

struct PairJudgement {
  ObjectId i = 0, j = 0;     // different, in either order
  std::uint32_t person = 0;  // an index into Observations::annotators
  double apart = 0;          // the larger, the less alike
  double weight = 1;         // > 0
};

struct PairJudgements {
  std::vector<PairJudgement> all;
  bool from_nearest = false;  // whether 0 is how far apart the nearest pair is, of the people that there are
  bool weighted = false;      // whether the means of pairs weigh as much as their judgements, and pairs may have none
};

/// The weighted mean of each pair and, as its weight, the sum of weights; 0 and 0 where nobody judged it.
/// O(judgements + n^2)
[[nodiscard]] Dissimilarities means_of(const PairJudgements& judged, Index objects);

inline constexpr std::uint64_t kMostImplied = 5'000'000;
/// Gives observations with judgements the triplets that they imply, with their annotators: of two pairs with an object
/// in common that one person judged differently, by the means of the person's judgements, the nearer is near. None
/// beyond kMostImplied. Such triplets judge maps; they are not independent, and are held out by whole people.
/// O(triplets + people n^2)
void imply_triplets(Observations& out);

/// Of observations whose triplets are some of those implied: the means of the people who gave these, each as often as
/// the weight of the triplets says, and of no others.
/// @throws DataError if a pair has no judgement left, unless they are weighted
void renew_means_of_judgements(Observations& out);

/// The least number of people who judged a pair; 0 if nobody judged one. O(judgements + n^2)
[[nodiscard]] std::uint64_t fewest_judges(const Observations& of);

}  // namespace alidade
