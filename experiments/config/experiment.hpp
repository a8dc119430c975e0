// Interprets a configuration as an experiment: datasets x methods x repeats (x folds), and the metrics.
// interpret() checks every name and option before anything runs; each value of a sweep becomes a setup.
// A setup's id names what was swept; a run's id is a hash of everything its result depends on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/setup.hpp"
#include "problems/core/index.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// @throws ConfigError with the place of the mistake.
[[nodiscard]] Experiment interpret(const ValueTable& config);

/// The configuration with all options written out and all sweeps expanded. It interprets to the same plan.
[[nodiscard]] ValueTable resolved_config(const Experiment& experiment);

/// The experiment with the digest of what the files of its data sets and commands hold, so that runs on other data have
/// other ids. A data set whose files cannot be read stays as it is: loading says why.
/// @throws DataError if they hold something else than a `content` or `checksum` of the config says
[[nodiscard]] Experiment with_contents(Experiment experiment, const std::filesystem::path& data_folder);

struct PlannedRun {
  std::string id;         // 16 hexadecimal digits
  std::size_t index = 0;  // in the plan
  std::size_t dataset = 0;
  std::size_t method = 0;
  Index repeat = 0;
  std::optional<Index> fold;
};

/// All runs, ordered by repeat, data set, fold and method, so that comparable rows appear early.
[[nodiscard]] std::vector<PlannedRun> plan(const Experiment& experiment);

/// "soe / ceres on cars60, repeat 2", as description_of() a row.
[[nodiscard]] std::string description_of(const PlannedRun& run, const Experiment& experiment);

}  // namespace alidade
