// What maps of some of the answers tell of the answers, beside the map that a run makes: whether near and far are
// exchanged (exchanged_roles.cpp), who agrees with each other and not with the map (own_group.cpp), and whether groups
// of people see the objects alike (group_test.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/run/attempt.hpp"
#include "problems/contract/annotator_estimates.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// Whether near and far of the user's answers are exchanged: then the same answers with the roles exchanged make a
/// better map. Both readings are fitted to a sample of the training triplets and judged on the held-out ones. An error
/// below .5 does not show the exchange: a map of exchanged answers predicts other exchanged answers.
/// The held-out error of a map of the exchanged answers, if it is clearly lower than that of a map of the answers as
/// they are. Only of the user's own answers of one map, and only if `error` is high enough for it.
/// The cost of six short fits to at most 20,000 triplets.
[[nodiscard]] std::optional<double> better_exchanged(const RunRequest& request, const Observations& training,
                                                     const std::shared_ptr<const TripletSource>& heldout,
                                                     Index n_components, double error, const Deadline& deadline,
                                                     Executor& executor);

/// By how much the squared distance to far exceeds that to near. Not a number without three places.
[[nodiscard]] double margin_of(const Matrix& map, const Triplet& t);
/// Adds the gradient of the margin, times `by`, to a person's score, which is laid out as the map.
void add_gradient(const Matrix& map, const Triplet& t, double by, Matrix& score);

/// Annotators who agree with each other and not with the other ones: a group with a map of its own. Who guesses agrees
/// with nobody: no map of other people's answers predicts those of a guesser.
struct OwnGroup {
  std::vector<std::size_t> members{};  // of the annotators, ascending
  double by_group = 0, by_all = 0;     // shares of the members' answers that a map of other members predicts, or of all
};
[[nodiscard]] std::string sentence_on_groups(const std::vector<OwnGroup>& groups,
                                             const std::vector<std::string>& annotators);

/// People are told apart by fits of their own up to this many triplets.
inline constexpr std::uint64_t kMostAnnotatorTriplets = 400'000;

/// None, or two to four, the largest first, of people with 40 answers or more, if a map of everybody satisfies less
/// than 0.75 of the answers of three or more. Two maps are fitted, in turn with who belongs to which, and each half
/// once more so. A person is judged by maps of others, and the smaller half by where its map differs from that of
/// both: by chance either is right as often (sign test; McNemar 1947), and z >= 4 is asked.
/// `suspects`: all annotators, by a map of everybody. At most 500 fits to at most 20,000 triplets.
/// @pre the triplets are stored and have annotators
[[nodiscard]] std::vector<OwnGroup> own_groups(const RunRequest& request, const AnnotatorEstimates& suspects,
                                               Index n_components, const Deadline& deadline, Executor& executor);

/// Do groups of people, such as adults and children, see the objects alike? A permutation test over people.
/// Under "alike" the groups' names may be exchanged between people. All answers make one map; each person's answers
/// pull its objects by the score of STE at the person's own sharpness, so that a group which answers less surely does
/// not differ for that reason. The scores of a group times the inverse information are the first step from the common
/// map to the group's. Statistic of an object: how far the steps of groups lie from each other, in units of what the
/// answers leave open (Wald 1943); of the map: the largest of all objects, which corrects for looking at all of them
/// (Westfall & Young 1993).
struct GroupTest {
  double p = 1;  // that groups alike differ as much in one object or more
  std::uint64_t permutations = 0;
  std::uint64_t people = 0;
  /// The fewest objects that explain a difference, at most half of all, the clearest first: without answers about them,
  /// p > .05.
  std::vector<Index> differing;
  /// The least move of one object (of the rest, if some differ), in radii of the map, that would be seen in 80 % of
  /// studies with these people and questions. Nothing if not even 2 would.
  std::optional<double> seen_move{};
  /// Then, if none differs: so many objects, each moved by the map's radius, would be. Nothing: not even half of all.
  std::optional<Index> seen_from{};

  /// "Do adults and children see ...?", in sentences.
  [[nodiscard]] std::string sentence(const Observations& all) const;
};

/// Whether the aspects of the answers are groups of people: each annotator gave answers to one of them only, three or
/// more to each. O(triplets)
[[nodiscard]] bool are_groups(const Observations& all);

/// By a map of all answers, in dimensions of which n times that is at most 1,000 (else, and beyond 400,000 triplets,
/// nothing). Not random but for `key`. `with_power`: simulate what may be unseen.
/// @pre are_groups(all)
[[nodiscard]] std::optional<GroupTest> test_groups(const Observations& all, const Matrix& common, std::uint64_t key,
                                                   bool with_power = true);

}  // namespace alidade
