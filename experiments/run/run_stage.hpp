// What a run is doing, for those who watch it.
// The counts are of work within the stage; a total that is not known is 0, and one may be an estimate.
// Told on the threads that work.
#pragma once

#include <functional>

#include "problems/core/index.hpp"

namespace alidade {

struct RunStage {
  enum class Kind { choose, solve, measure, refit, bootstrap };
  Kind kind = Kind::solve;
  Index done = 0;   // choose: candidates judged; bootstrap: replicates
  Index total = 0;  // choose: about how many candidates
};
using StageWatcher = std::function<void(const RunStage&)>;

}  // namespace alidade
