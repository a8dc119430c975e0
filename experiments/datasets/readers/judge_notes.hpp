// Who judges pairs like nobody else: the correlation of a person's judgements with the means of the others'.
// A person is named where it is no more than chance gives, or below 0, and significantly below the median person.
// Example: of 20 people with .9 in the median, one with -.8 judges the other way round.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problems/evidence/pair_judgements.hpp"

namespace alidade::datasets {

/// The rank correlation, over the pairs, of the means of two halves of the people: on average over ten divisions, the
/// same each time. Ranks, since a few near pairs have most of the variance of a mean. Nothing where halves have fewer
/// than five pairs in common. O(judgements log judgements)
[[nodiscard]] std::optional<double> agreement_of_halves(const PairJudgements& judged, std::size_t people);

/// Over the pairs that both have, the correlation of their means. 0 without such pairs. O(judgements log judgements)
[[nodiscard]] double correlation_of_means(const PairJudgements& some, const PairJudgements& others);

/// The median correlation, and who judges the other way round, gave one value to all pairs, or agrees no more than by
/// chance and significantly less than that. Told from five pairs of a person on, that others judged too; that it is by
/// chance, from twenty on. `column` holds the names of people: a row can be left out by it; "": it can not. Empty with
/// fewer than two people. O(judgements log judgements)
[[nodiscard]] std::vector<std::string> notes_on_people(const PairJudgements& judged,
                                                       const std::vector<std::string>& people,
                                                       const std::string& column);

/// Who rated on a scale several times as large as others: whose median rating is more than three times the median of
/// people's. "" without them. O(judgements + people log people)
[[nodiscard]] std::string note_on_scales(const PairJudgements& judged, const std::vector<std::string>& people);

}  // namespace alidade::datasets
