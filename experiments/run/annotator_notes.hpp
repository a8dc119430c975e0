// What a row says about the annotators of a map: likely guessers, those who answer the other way round.
// Which annotators these are is decided where they are estimated (problems/contract/annotator_estimates.hpp).
// Up to five of each kind are named, those who guess most first.
#pragma once

#include <string>
#include <vector>

#include "problems/contract/annotator_estimates.hpp"

namespace alidade {

/// Sentences for a row's notes; none if there is nothing to say. Members of a group of their own do not guess:
/// `own_group` says of each annotator whether it is one, or is empty.
[[nodiscard]] std::vector<std::string> notes_on_annotators(const AnnotatorEstimates& estimates,
                                                           const std::vector<bool>& own_group = {});

}  // namespace alidade
