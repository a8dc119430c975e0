// One run: a dataset's observations, a method, a repeat -> an embedding and its row.
// Everything random comes from named streams of the experiment's seed, the repeat and the fold. Data, split and start
// depend neither on the method nor on what a data set or its file is called.
// Its files: run_files.hpp.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "experiments/config/experiment.hpp"
#include "experiments/results/map_uncertainty.hpp"
#include "experiments/results/row.hpp"
#include "experiments/run/bootstrap.hpp"
#include "experiments/run/finished_map.hpp"
#include "problems/core/log.hpp"
#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// @throws ConfigError unless `count`, given as `option`, is a number of threads or processes that we start:
/// 1 .. 512.
void require_process_count(std::string_view option, int count);

struct RunRequest {
  const Experiment& experiment;
  const PlannedRun& run;
  const Observations& observations;  // all of the dataset; split here
  double load_seconds = 0;
  int threads = 1;
  std::stop_token stop;
  Log log = Log::none();
  const FinishedMap* onto = nullptr;  // the observations' first objects are its, and stay where they are

  /// Of a random stream of this run. It depends on the seed, the repeat and the fold alone: the name of a data set or
  /// of its file never changes a result.
  [[nodiscard]] std::uint64_t stream_key(std::string_view purpose) const;
};

struct RunResult {
  ResultRow row;
  Observations observations;  // names and labels for files; triplets of the training part
  Embedding embedding;        // empty when the run gave none
  Trace trace;
  std::vector<MapUncertainty> uncertainty;  // one a map, where there was a bootstrap
  /// Objects held out from everything, where the map places them by their features; else empty.
  struct HeldOutPlaces {
    std::vector<std::string> objects, labels;  // labels may be empty
    Matrix coordinates;
  };
  HeldOutPlaces heldout_places{};
};

/// The fields of a row that are known before the run, with status "failed" and everything measured null.
[[nodiscard]] ResultRow row_of_plan(const Experiment& experiment, const PlannedRun& run);

/// Why this dataset and method do not go together, if they do not.
[[nodiscard]] std::optional<std::string> unfit_reason(const MethodSetup& method, const Observations& observations);

/// @throws ConfigError, DataError; numerical trouble is in the row.
[[nodiscard]] RunResult execute(const RunRequest& request);

}  // namespace alidade
