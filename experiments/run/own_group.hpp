// Annotators who answer otherwise than the map, but agree with each other: a group with a map of its own. Who guesses
// agrees with nobody, so the answers of a guesser are not predicted by a map of other guessers.
// Each candidate's answers are judged by a map of other candidates' answers where it differs from the map of all: by
// guesses either is right as often (sign test; McNemar 1947).
#pragma once

#include <string>
#include <vector>

#include "experiments/run/attempt.hpp"

namespace alidade {

struct OwnGroup {
  std::vector<std::size_t> members{};  // of the annotators, ascending
  double by_group = 0, by_all = 0;     // shares of the members' answers that the two kinds of maps predict
  [[nodiscard]] std::string sentence(const std::vector<std::string>& annotators) const;
};

/// People are told apart by fits of their own up to this many triplets.
inline constexpr std::uint64_t kMostAnnotatorTriplets = 400'000;

/// At most three. Candidates have 40 answers or more, of which the map satisfies less than 0.75; none if fewer than
/// three agree with each other, or if that may be chance (z < 4). Only of one map and at most 400,000 triplets.
/// The cost of a fit to all triplets and, if there are candidates, of five to at most 20,000 triplets a group.
[[nodiscard]] std::vector<OwnGroup> own_groups(const RunRequest& request, const Embedding& embedding,
                                               const Deadline& deadline, Executor& executor);

}  // namespace alidade
