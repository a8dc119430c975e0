// Joins the results folders of shards into one, as if one machine had carried out all runs.
// Folders of one configuration only: config.resolved.toml is the same in all of them, to the byte.
// Files are copied before the rows that name them appear, all at once: broken off anywhere it can be given again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/config/experiment.hpp"

namespace alidade {

struct MergeReport {
  std::size_t planned = 0;
  std::size_t ok = 0;  // in the merged folder now, as the next two
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t taken = 0;            // rows that it did not have before
  std::vector<PlannedRun> missing;  // of the plan: without a row, or cancelled
  std::vector<std::string> notes;   // what was left out, or does not agree, one sentence each
};

/// Merges `folders` into `out`, which may hold results of the same configuration already, as of an earlier merge, and
/// counts as the first of them. Of rows of one run, one that is good goes before one that failed, that before one whose
/// data could not be read, that before a cancelled one; of equals the first. Rows are in the order of the plan. The
/// folders merged are only read. O(bytes).
/// @throws DataError if one is no results folder, is of another configuration, or `out` can not be written or is in
/// use.
[[nodiscard]] MergeReport merge_results(const std::vector<std::filesystem::path>& folders,
                                        const std::filesystem::path& out, const std::vector<std::string>& command);

/// "results/x" of results/x.shard-1-of-3, results/x.shard-2-of-3: what all of them are shards of.
/// @throws ConfigError unless there is one such name.
[[nodiscard]] std::filesystem::path whole_of_shards(const std::vector<std::filesystem::path>& folders);

}  // namespace alidade
