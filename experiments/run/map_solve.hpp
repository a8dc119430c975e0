// One map from evidence in memory, as `alidade embed` makes it from a file: same configuration, same seed, same bits.
// Solves that use state of the whole process, such as those of semidefinite programs, wait for one another.
// No Python here: module.cpp has the threads and the interpreter.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "experiments/run/finished_map.hpp"
#include "experiments/run/run.hpp"
#include "problems/core/value.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// Locked by solves that use what the process has once: the state of CSDP, and the threads of BLAS.
[[nodiscard]] std::mutex& process_wide();

struct MapRequest {
  ValueTable config;  // of an experiment of one run
  std::shared_ptr<const Observations> observations;
  int threads = 1;
  /// Whether the share held out was not asked for: then nothing is held out of a single answer; see holds_nothing_out.
  bool default_holdout = false;
  std::optional<FinishedMap> onto;  // objects that stay where they are
  std::optional<Matrix> start{};    // see RunRequest
  std::function<void(const TraceRecord&)> progress{};
};

/// The map; one that was cancelled has this status in its row.
/// @throws ConfigError, DataError, UnsupportedPair; DataError also if the solve gave no map
[[nodiscard]] RunResult make_map(const MapRequest& request, std::stop_token stop);

}  // namespace alidade
