// The held-out error and the agreement of each annotator: who may guess, by any method.
// Counts only; an annotator with few held-out answers has an error that chance may have made.
// Example: a guesser among people with errors near .1 has about .5.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/results/annotator_errors.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// One for each annotator, in their order; empty unless `all` knows them. `heldout`: of `all`, or null.
/// O(triplets log triplets)
[[nodiscard]] std::vector<AnnotatorErrors> errors_of_annotators(const Embedding& embedding,
                                                                const std::shared_ptr<const TripletSource>& heldout,
                                                                const Observations& all);

/// A sentence on the three annotators with the highest held-out errors; "" if fewer than four have held-out answers.
[[nodiscard]] std::string worst_annotators(const std::vector<AnnotatorErrors>& errors);

}  // namespace alidade
