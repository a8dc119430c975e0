// What `run` and `repair` say of the runs that they did.
// One line of counts, then each reason for failed or skipped runs once.
// The exit status is that of the command.
#pragma once

#include "experiments/launch/runner.hpp"

namespace alidade::commands {

/// Prints how the runs ended; returns the exit status: 0, 1 if some run failed, 130 if interrupted.
[[nodiscard]] int say_outcome(const RunnerReport& report, const RunnerOptions& options);

}  // namespace alidade::commands
