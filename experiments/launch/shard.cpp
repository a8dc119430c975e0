#include "experiments/launch/shard.hpp"

#include <fmt/core.h>

#include <charconv>
#include <numeric>
#include <span>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"

namespace alidade {
namespace {

constexpr std::size_t kMostShards = 100'000;

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t out = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

Shard shard_of_job_array(const Environment& environment) {
  const auto number = [&](const char* name) {
    const char* text = environment(name);
    require<ConfigError>(text != nullptr,
                         "--shard slurm: {} is not set, because this is not a job of an array. Start one (sbatch "
                         "--array=1-16), or name the part, such as --shard 3/16.",
                         name);
    const auto out = whole_number(text);
    require<ConfigError>(out.has_value(), "{} must be a whole number, not '{}'.", name, text);
    return *out;
  };
  const std::size_t id = number("SLURM_ARRAY_TASK_ID"), first = number("SLURM_ARRAY_TASK_MIN"),
                    count = number("SLURM_ARRAY_TASK_COUNT");
  const std::size_t step = environment("SLURM_ARRAY_TASK_STEP") ? number("SLURM_ARRAY_TASK_STEP") : 1;
  const bool even = step > 0 && id >= first && (id - first) % step == 0 && (id - first) / step < count;
  require<ConfigError>(even && count >= 1 && count <= kMostShards,
                       "--shard slurm: task {} is not one of {} numbers from {} in steps of {}. Give the array "
                       "evenly spaced numbers, such as --array=1-16, or name the shard, such as --shard "
                       "$SLURM_ARRAY_TASK_ID/16.",
                       id, count, first, step);
  return {(id - first) / step + 1, count};
}

}  // namespace

Shard parse_shard(std::string_view text, const Environment& environment) {
  if (text == "slurm") return shard_of_job_array(environment);
  const auto slash = text.find('/');
  std::optional<std::size_t> number, count;
  if (slash != text.npos) {
    number = whole_number(text.substr(0, slash));
    count = whole_number(text.substr(slash + 1));
  }
  require<ConfigError>(number && count && *number >= 1 && *number <= *count && *count <= kMostShards,
                       "--shard '{}' is not a part. Give its number and the number of parts, such as 3/16, or slurm.",
                       text);
  return {*number, *count};
}

std::vector<std::size_t> shards_of_plan(std::size_t run_count, std::size_t count) {
  std::vector<std::size_t> out, block(count);
  out.reserve(run_count + count);
  for (std::size_t b = 0; out.size() < run_count; ++b) {
    std::iota(block.begin(), block.end(), std::size_t{1});
    Rng rng = Rng::stream(0, "shards", b);
    rng.shuffle(std::span(block));
    out.insert(out.end(), block.begin(), block.end());
  }
  out.resize(run_count);
  return out;
}

std::filesystem::path shard_folder(const std::filesystem::path& whole, Shard shard) {
  const std::string count = std::to_string(shard.count);
  std::filesystem::path out = whole;
  out += fmt::format(".shard-{:0{}}-of-{}", shard.number, count.size(), count);
  return out;
}

std::optional<Shard> shard_of_folder(const std::filesystem::path& folder) {
  constexpr std::string_view kBefore = ".shard-", kBetween = "-of-";
  std::string name = folder.lexically_normal().filename().string();
  if (name.empty()) name = folder.lexically_normal().parent_path().filename().string();  // "x/"
  const auto begin = name.rfind(kBefore), middle = name.rfind(kBetween);
  if (begin == name.npos || middle == name.npos || middle < begin) return std::nullopt;
  const std::string_view text = name;
  const auto number = whole_number(text.substr(begin + kBefore.size(), middle - begin - kBefore.size()));
  const auto count = whole_number(text.substr(middle + kBetween.size()));
  if (!number || !count || *number < 1 || *number > *count || *count > kMostShards) return std::nullopt;
  return Shard{*number, *count};
}

}  // namespace alidade
