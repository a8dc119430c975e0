// What a run leaves to validation: which options, or which problem, and on what evidence candidates are judged.
// The selection among candidates itself: model_selection.hpp.
// Choosing takes at most half of a run's time; what the run holds out takes no part in it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "experiments/run/attempt.hpp"
#include "experiments/run/model_selection.hpp"

namespace alidade {

/// Half of the time left; the rest is for later stages.
[[nodiscard]] Deadline half_way(const Deadline& deadline);

/// Whether the method's problem is made from observations of this kind. @pre its problem is in the catalog
[[nodiscard]] bool needs(const MethodSetup& method, ObservationKind kind);

/// Why the choice that a method asks for is impossible on these observations; nothing if it is possible.
[[nodiscard]] std::optional<std::string> choiceless_reason(const MethodSetup& method, const Observations& observations);

/// The run's method with everything chosen, on a part of the training observations. `found` gets each candidate that is
/// the best so far, and its map.
/// @throws DataError as choose(), or if the choice is impossible
[[nodiscard]] Choice choose_for(const RunRequest& request, const Observations& training, bool objects_held_out,
                                Deadline deadline, Executor& executor,
                                const std::function<void(const MethodSetup&, const Embedding&)>& found);

}  // namespace alidade
