// Joins the results folders of shards into one, as if one machine had executed all runs.
// All folders must have the same configuration: config.resolved.toml is equal to the byte.
// Files are copied first, then all their rows appear at once: an interrupted merge can be repeated.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/launch/shard.hpp"

namespace alidade {

struct MergeReport {
  std::size_t planned = 0;
  std::size_t ok = 0;  // in the merged folder now, as the next two
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t taken = 0;  // rows that it did not have before
  struct MissingRun {
    PlannedRun run;
    std::string what;            // "soe / ceres on cars60, repeat 2"
    std::optional<Shard> shard;  // that does it, where the folders merged are shards
  };
  std::vector<MissingRun> missing;  // planned runs without a row, or cancelled
  std::vector<std::string> notes;   // what was left out or disagrees, one sentence each
};

/// Merges `folders` into `out`, which may already hold results of the same configuration, as of an earlier merge, and
/// counts as the first folder. Of several rows of one run it keeps the best, in this order: good, failed, data not
/// readable, cancelled; of equal ones the first. A row whose files are missing or changed in its folder is left out,
/// with a note. Rows are in the order of the plan. The merged folders are not changed. O(bytes).
/// @throws DataError if one is no results folder, has another configuration, or `out` cannot be written or is in use.
[[nodiscard]] MergeReport merge_results(const std::vector<std::filesystem::path>& folders,
                                        const std::filesystem::path& out, const std::vector<std::string>& command);

/// "results/x" for results/x.shard-1-of-3, results/x.shard-2-of-3: the folder whose shards they all are.
/// @throws ConfigError unless there is exactly one.
[[nodiscard]] std::filesystem::path whole_of_shards(const std::vector<std::filesystem::path>& folders);

}  // namespace alidade
