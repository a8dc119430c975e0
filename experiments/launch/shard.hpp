// The part of an experiment's runs for one of several machines: `alidade run --shard 3/16`.
// Sizes differ by at most one. A shard's runs depend on the plan alone.
// They are drawn anew in every N consecutive runs, so that no shard gets all runs of the slowest method.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace alidade {

struct Shard {
  std::size_t number = 1;  // 1 .. count
  std::size_t count = 1;   // 1 .. 100000
};

/// The value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// Parses "3/16", or "slurm": SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT of a job array such as --array=1-16.
/// @throws ConfigError
[[nodiscard]] Shard parse_shard(std::string_view text, const Environment& environment);

/// The shard, 1 .. count, of each run, by its index in the plan.
[[nodiscard]] std::vector<std::size_t> shards_of_plan(std::size_t run_count, std::size_t count);

/// "NAME.shard-03-of-16": a shard's results folder, beside that of the whole. Numbers are padded, so that names sort.
[[nodiscard]] std::filesystem::path shard_folder(const std::filesystem::path& whole, Shard shard);

/// The shard whose folder has such a name; nothing for other names.
[[nodiscard]] std::optional<Shard> shard_of_folder(const std::filesystem::path& folder);

}  // namespace alidade
