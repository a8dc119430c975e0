// One run: a dataset's observations, a method, a repeat -> an embedding and its row.
// All randomness comes from named streams of the experiment's seed, the repeat and the fold. Data, split and start do
// not depend on the method or on the names of data sets and files.
// Its files: run_files.hpp.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "experiments/config/experiment.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/row.hpp"
#include "experiments/run/aspect_errors.hpp"
#include "experiments/run/bootstrap.hpp"
#include "experiments/run/run_request.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/core/log.hpp"
#include "problems/evidence/observations.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// @throws ConfigError unless `count`, given as `option`, is an allowed number of threads or processes: 1 .. 512.
void require_process_count(std::string_view option, int count);

struct RunResult {
  ResultRow row;
  Observations observations;  // names and labels for files; training triplets
  Embedding embedding;        // empty when the run gave none
  Trace trace;
  std::vector<MapUncertainty> uncertainty;  // one per map, if there was a bootstrap
  /// Objects held out from everything, if the map places them by their features; else empty.
  struct HeldOutPlaces {
    std::vector<std::string> objects, labels;  // labels may be empty
    Matrix coordinates;
  };
  HeldOutPlaces heldout_places{};
  std::vector<AnnotatorErrors> annotator_errors{};  // of the measured map, if it is refitted and annotators are known
  AspectErrors aspect_errors{};                     // of the measured maps, if they are refitted
  std::string judged_answers{};                     // held out, and whether the map violates them; as CSV
  ProjectedFeatures projected_features{};           // for the projector's file
};

/// The fields of a row that are known before the run, with status "failed" and all measurements null.
[[nodiscard]] ResultRow row_of_plan(const Experiment& experiment, const PlannedRun& run);

/// Why the method cannot run on this dataset; nothing if it can.
[[nodiscard]] std::optional<std::string> unfit_reason(const MethodSetup& method, const Observations& observations);

/// @throws ConfigError, DataError; numerical failures are in the row.
[[nodiscard]] RunResult execute(const RunRequest& request);

}  // namespace alidade
