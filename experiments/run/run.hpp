// One run: a dataset's observations, a method, a repeat -> an embedding and its row.
// Everything random comes from named streams of the experiment's seed, the repeat and the fold. Data, split and start
// depend neither on the method nor on what a data set or its file is called.
// A row's fields are listed in experiments/README.md.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "experiments/config/experiment.hpp"
#include "experiments/results/map_uncertainty.hpp"
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
};

struct RunResult {
  Table row;
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
[[nodiscard]] Table row_of_plan(const Experiment& experiment, const PlannedRun& run);

/// Why this dataset and method do not go together, if they do not.
[[nodiscard]] std::optional<std::string> unfit_reason(const MethodSetup& method,
                                                      const Observations& observations);

/// @throws ConfigError, DataError; numerical trouble is in the row.
[[nodiscard]] RunResult execute(const RunRequest& request);

/// Writes each map below `folder` as STEM.csv and .npy, and after a bootstrap its ellipses as ELLIPSE_STEM.csv, with the
/// stems of map m at m. Returns what a row says of it under `files`: embedding, aspects (what each map shows, "" for the
/// only one), ellipses, where objects were held out and placed STEM.heldout.csv and, where new features can be placed, the
/// projector.
[[nodiscard]] Table write_maps(const std::filesystem::path& folder, const RunResult& result,
                               const std::vector<std::string>& stems, const std::vector<std::string>& ellipse_stems);

/// Writes embeddings/ID.csv and .npy (embeddings/ID.ASPECT.csv ... of several maps), embeddings/ID.ellipses.csv after a bootstrap, and traces/ID.json below `folder` and names them in the row.
void write_run_files(const std::filesystem::path& folder, RunResult& result);

/// The trace as columns, for traces/ID.json.
[[nodiscard]] std::string trace_to_json(const Trace& trace);

}  // namespace alidade
