// What a run is asked to do: a method on a dataset, from which start, within which time, and who watches.
// Whoever solves, chooses or bootstraps within the run has the same request.
// The counts of a stage are of work within it; a total that is not known is 0, and one may be an estimate.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

#include "experiments/config/experiment.hpp"
#include "experiments/run/finished_map.hpp"
#include "problems/core/log.hpp"
#include "problems/evidence/observations.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// What a run is doing; told on the threads that work.
struct RunStage {
  enum class Kind { choose, solve, measure, refit, bootstrap };
  Kind kind = Kind::solve;
  Index done = 0;   // choose: candidates judged; bootstrap: replicates
  Index total = 0;  // choose: about how many candidates
};
using StageWatcher = std::function<void(const RunStage&)>;

struct RunResult;

struct RunRequest {
  const Experiment& experiment;
  const PlannedRun& run;
  const Observations& observations;  // all of the dataset; the run splits them
  double load_seconds = 0;
  int threads = 1;
  std::stop_token stop;
  Log log = Log::none();
  const FinishedMap* onto = nullptr;  // its objects are the observations' first, and stay fixed
  /// Where the solves of the map begin: n x d, in the order of the observations' objects; see start_at_places.
  const Matrix* start = nullptr;
  /// Sees the records of the run's own solve at which metrics are measured, on the thread that solves.
  std::function<void(const TraceRecord&)> progress{};
  StageWatcher on_stage{};  // called as work is done, also by several threads at once
  /// Is told what an interruption would keep, on the thread that works: a map so far, which lives during the call and
  /// whose row says cancelled; null: a solve begins, which will give one.
  std::function<void(const RunResult*)> keep{};

  /// Key of a random stream of this run. It depends on the seed, the repeat and the fold alone: names of data sets and
  /// files never change a result.
  [[nodiscard]] std::uint64_t stream_key(std::string_view purpose) const;
  void tell(const RunStage& stage) const {
    if (on_stage) on_stage(stage);
  }
};

}  // namespace alidade
