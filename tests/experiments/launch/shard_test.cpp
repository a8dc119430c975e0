#include "experiments/launch/shard.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"

namespace shard_test {

using namespace alidade;
using alidade::testing::message_of;

namespace {

const char* nothing(const char*) { return nullptr; }

/// An environment of these variables alone.
Environment with(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> const char* {
    const auto entry = variables.find(name);
    return entry == variables.end() ? nullptr : entry->second.c_str();
  };
}

std::string refusal(std::string_view text, const Environment& environment = nothing) {
  return message_of<ConfigError>([&] { return parse_shard(text, environment); });
}

}  // namespace

TEST_CASE("a shard is a number and a count; anything else is refused") {
  const Shard shard = parse_shard("3/16", nothing);
  CHECK(shard.number == 3);
  CHECK(shard.count == 16);
  CHECK(parse_shard("1/1", nothing).count == 1);
  for (const char* text : {"", "3", "/", "3/", "/3", "0/3", "4/3", "-1/3", "1/3 ", " 1/3", "1/3/4", "1.5/3", "1/0",
                           "1/100001", "a/b", "Slurm"}) {
    CAPTURE(text);
    CHECK(refusal(text).starts_with("--shard '"));
  }
}

TEST_CASE("the shard of a job array is counted from its first task, in the array's steps") {
  const auto shard = [](const char* id, const char* first, const char* count, const char* step) {
    const Shard out = parse_shard("slurm", with({{"SLURM_ARRAY_TASK_ID", id},
                                                 {"SLURM_ARRAY_TASK_MIN", first},
                                                 {"SLURM_ARRAY_TASK_COUNT", count},
                                                 {"SLURM_ARRAY_TASK_STEP", step}}));
    return std::to_string(out.number) + "/" + std::to_string(out.count);
  };
  CHECK(shard("1", "1", "16", "1") == "1/16");
  CHECK(shard("16", "1", "16", "1") == "16/16");
  CHECK(shard("0", "0", "4", "1") == "1/4");
  CHECK(shard("6", "2", "3", "2") == "3/3");
  const std::string outside = refusal("slurm");
  CHECK(outside.find("SLURM_ARRAY_TASK_ID is not set") != std::string::npos);
  // --array=1,3,7 has no one step.
  CHECK(refusal("slurm", with({{"SLURM_ARRAY_TASK_ID", "7"},
                               {"SLURM_ARRAY_TASK_MIN", "1"},
                               {"SLURM_ARRAY_TASK_COUNT", "3"},
                               {"SLURM_ARRAY_TASK_STEP", "1"}}))
            .find("evenly spaced") != std::string::npos);
  CHECK(refusal("slurm", with({{"SLURM_ARRAY_TASK_ID", "x"}})).find("not 'x'") != std::string::npos);
}

TEST_CASE("shards have every run once, and sizes that differ by at most one") {
  for (const std::size_t runs : {0U, 1U, 7U, 24U, 1000U})
    for (const std::size_t count : {1U, 2U, 3U, 16U, 100U}) {
      CAPTURE(runs);
      CAPTURE(count);
      const std::vector<std::size_t> shards = shards_of_plan(runs, count);
      REQUIRE(shards.size() == runs);
      std::vector<std::size_t> sizes(count);
      for (const std::size_t shard : shards) ++sizes.at(shard - 1);
      const auto [least, highest] = std::ranges::minmax(sizes);
      CHECK(highest - least <= 1);
    }
}

TEST_CASE("no shard gets all runs of one method, for any number of methods") {
  // In a plan methods take turns: of m methods, run i is of method i mod m.
  constexpr std::size_t kRuns = 960, kShards = 8;
  const std::vector<std::size_t> shards = shards_of_plan(kRuns, kShards);
  for (const std::size_t methods : {2U, 4U, 8U, 16U, 64U}) {
    CAPTURE(methods);
    std::vector<std::size_t> slowest(kShards);  // runs of method 0 by shard
    for (std::size_t i = 0; i < kRuns; i += methods) ++slowest[shards[i] - 1];
    const double fair = static_cast<double>(kRuns / methods) / kShards;
    CHECK(static_cast<double>(std::ranges::max(slowest)) < fair + 4 * std::sqrt(fair) + 1);
  }
}

TEST_CASE("a shard has the same runs on every machine and with every version") {
  CHECK(shards_of_plan(10, 4) == shards_of_plan(10, 4));
  const std::vector<std::size_t> longer = shards_of_plan(100, 4);
  CHECK(shards_of_plan(10, 4) == std::vector<std::size_t>(longer.begin(), longer.begin() + 10));
  CHECK(shards_of_plan(10, 4) == std::vector<std::size_t>{1, 3, 2, 4, 2, 3, 4, 1, 3, 1});
}

TEST_CASE("folders of shards are beside the whole and sort by number") {
  CHECK(shard_folder("results/x", {3, 16}) == "results/x.shard-03-of-16");
  CHECK(shard_folder("x", {3, 9}) == "x.shard-3-of-9");
  CHECK(shard_folder("x", {10, 1000}) == "x.shard-0010-of-1000");
}

TEST_CASE("the name of a folder says which shard it holds") {
  for (const Shard shard : {Shard{3, 16}, Shard{1, 1}, Shard{10, 1000}}) {
    const auto result = shard_of_folder(shard_folder("results/x.shard-9-of-9", shard));
    REQUIRE(result.has_value());
    CHECK(result->number == shard.number);
    CHECK(result->count == shard.count);
  }
  CHECK(shard_of_folder("results/x.shard-2-of-4/")->number == 2);
  for (const char* other : {"results/x", "x.shard-4-of-2", "x.shard-0-of-2", "x.shard-a-of-2", "x.shard-1-of-", ""})
    CHECK_FALSE(shard_of_folder(other).has_value());
}

}  // namespace shard_test
