// Do groups of people, such as adults and children, see the objects alike? A permutation test over people.
// Under "alike" the groups' names may be exchanged between people. All answers make one map; each person's answers pull
// its objects by the score of STE at the person's own sharpness, so that a group which answers less surely does not
// differ for that reason. The scores of a group times the inverse information are the first step from the common map to
// the group's. Statistic of an object: how far the steps of groups lie from each other, in units of their spread over
// people; of the map: the largest of all objects, which corrects for looking at all of them (Westfall & Young 1993).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

struct GroupTest {
  double p = 1;  // that groups alike differ as much in one object or more
  std::uint64_t permutations = 0;
  std::uint64_t people = 0;
  /// The fewest objects that explain a difference, at most half of all, the clearest first: without answers about them,
  /// p > .05.
  std::vector<Index> differing;
  /// If none differs: so many objects, moved to places of others for one group, would be seen in 80 % of studies with
  /// these people and questions. Nothing if not even half of all objects would.
  std::optional<Index> seen_from{};

  /// "Do adults and children see ...?", in sentences.
  [[nodiscard]] std::string sentence(const Observations& all) const;
};

/// Whether the aspects of the answers are groups of people: each annotator gave answers to one of them only, three or
/// more to each. O(triplets)
[[nodiscard]] bool are_groups(const Observations& all);

/// By a map of all answers, in dimensions of which n times that is at most 1,000 (else, and beyond 400,000 triplets,
/// nothing). Not random but for `key`. `with_power`: simulate what an undetected difference may be.
/// @pre are_groups(all)
[[nodiscard]] std::optional<GroupTest> test_groups(const Observations& all, const Matrix& common, std::uint64_t key,
                                                   bool with_power = true);

}  // namespace alidade
