// What a run says of the annotators: by any method their held-out errors and agreement, which are counts by weight: one
// with few held-out answers has an error that chance may have made; and likely guessers, those who answer the other way
// round, which are told where they are estimated (problems/contract/annotator_estimates.hpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/results/map_files.hpp"
#include "problems/contract/annotator_estimates.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// Sentences for a row's notes, which name up to five of each kind, those who guess most first; none if there is
/// nothing to say. Members of a group do not guess.
[[nodiscard]] std::vector<std::string> notes_on_annotators(const AnnotatorEstimates& estimates);

/// One for each annotator, in their order; empty unless `all` knows them. `heldout`: of `all`, or null.
/// O(triplets log triplets)
[[nodiscard]] std::vector<AnnotatorErrors> errors_of_annotators(const Embedding& embedding,
                                                                const std::shared_ptr<const TripletSource>& heldout,
                                                                const Observations& all);

/// What an error of so many people says of others; "" unless they are fewer than kFewAnnotators, but known. `judged`:
/// whether its interval is over people.
[[nodiscard]] std::string note_on_few_people(std::uint64_t people, bool judged);

/// How many people judged a map of judgements of pairs, that was made without them, and why others did not.
[[nodiscard]] std::string note_on_whole_people(std::uint64_t judged, const Observations& all);

/// A sentence on the three annotators with the highest held-out errors; "" if fewer than four have held-out answers.
/// `named`: those of whom other sentences tell more, or none.
[[nodiscard]] std::string worst_annotators(const std::vector<AnnotatorErrors>& errors,
                                           const std::vector<bool>& named = {});
/// Those whom notes name as guessers, reversed or of a group, and those who chose one place.
[[nodiscard]] std::vector<bool> named_annotators(const AnnotatorEstimates* estimates, const Observations& all);

}  // namespace alidade
