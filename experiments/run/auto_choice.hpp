// `problem = "auto"`: the choice among all triplet losses, their regularisers and, if asked, the number of dimensions.
// Successive halving [JT16]: every family is judged on few answers from one start, the leading ones on more answers
// from several, the best with other regularisers on more still. So the choice costs about as much as a few fits of what
// it chooses.
#pragma once

#include "experiments/run/model_selection.hpp"

namespace alidade {

/// As choose(). @pre the method's problem is "auto"
[[nodiscard]] Choice choose_auto(const ChoiceRequest& request);

}  // namespace alidade
