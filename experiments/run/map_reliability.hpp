// What a run says of the map that it writes: which objects escaped from it, or have too few answers for a place.
// What such objects are: escaped_objects.hpp and unreliable_objects.hpp.
// Data of a whole table have none: objects with the same value coincide.
#pragma once

#include <string>
#include <vector>

#include "experiments/results/row_warnings.hpp"
#include "experiments/run/run.hpp"

namespace alidade {

/// Describes objects of the written map that escaped or have too few answers: the row's `apart`,
/// notes and warnings.
void describe_unreliable_objects(const RunRequest& request, const MethodSetup& method, RunResult& result,
                                 std::vector<std::string>& notes, std::vector<RowWarning>& warnings);

}  // namespace alidade
