// What a row says about the annotators of a map: likely guessers, those who answer the other way round.
// Which annotators these are is decided where they are estimated (problems/contract/annotator_estimates.hpp).
// Up to five of each kind are named, those who guess most first.
#pragma once

#include <string>
#include <vector>

#include "problems/contract/annotator_estimates.hpp"

namespace alidade {

/// Sentences for a row's notes; none if there is nothing to say.
[[nodiscard]] std::vector<std::string> notes_on_annotators(const AnnotatorEstimates& estimates);

}  // namespace alidade
