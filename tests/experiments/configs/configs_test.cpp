#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "experiments/config/auto_problem.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/run/run.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/smooth.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/test_paths.hpp"

namespace configs_test {

using namespace alidade;
using alidade::testing::content_of;
using alidade::testing::Ended;
using alidade::testing::run_command;
namespace fs = std::filesystem;

namespace {

#ifdef ALIDADE_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

std::vector<fs::path> configurations() {
  std::vector<fs::path> out;
  for (const auto& file : fs::directory_iterator(std::string(testing::source_folder()) + "/experiments/configs"))
    if (file.path().extension() == ".toml") out.push_back(file.path());
  std::ranges::sort(out);
  return out;
}

bool needs_files(const Experiment& experiment) {
  return std::ranges::any_of(experiment.datasets, [](const DatasetSetup& setup) {
    return !datasets::dataset_catalog().at(setup.name).files.empty();
  });
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::vector<std::string> in_backticks(std::string_view text) {
  std::vector<std::string> out;
  for (auto at = text.find('`'); at != text.npos; at = text.find('`', at)) {
    const auto end = text.find('`', at + 1);
    REQUIRE(end != text.npos);
    out.emplace_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return out;
}

// The third cell of a line of Markdown's tables.
std::string_view third_cell(std::string_view line) {
  for (int bar = 0; bar < 3; ++bar) line = line.substr(std::min(line.find('|'), line.size() - 1) + 1);
  return line.substr(0, line.find('|'));
}

// Why the method's problem cannot be built from these observations, as `alidade check` says it; "" if it can. Problems
// with gradients are not built here: that takes long, and fails on few data.
std::string building_error(const MethodSetup& method, const Observations& observations) {
  if (method.input || method.problem == kAuto) return "";
  const ProblemEntry& entry = problem_catalog().at(method.problem);
  if (entry.offers.has<SmoothFace>()) return "";
  try {
    static_cast<void>(entry.make(observations, method.problem_options));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("every configuration begins with its purpose, and RESULTS.md says where its figures are") {
  const std::string results = content_of(std::string(testing::source_folder()) + "/experiments/RESULTS.md");
  const std::string before_sections = results.substr(0, results.find("\n## Generalization by dimension"));
  REQUIRE(before_sections.size() < results.size());
  for (const fs::path& file : configurations()) {
    CAPTURE(file.string());
    CHECK(content_of(file).starts_with("# "));
    CHECK(has(before_sections, "`" + file.stem().string() + "`"));
  }
}

TEST_CASE("every configuration that the claims of RESULTS.md name exists") {
  const std::string results = content_of(std::string(testing::source_folder()) + "/experiments/RESULTS.md");
  std::string_view claims = results;
  claims = claims.substr(claims.find("\n## Claims of the papers"));
  claims = claims.substr(0, claims.find("\n## ", 1));
  const auto check = [](std::string_view text) {
    int count = 0;
    for (const std::string& name : in_backticks(text)) {
      CAPTURE(name);
      CHECK(fs::exists(fs::path(testing::source_folder()) / "experiments/configs" / (name + ".toml")));
      ++count;
    }
    return count;
  };
  int rows = 0;
  for (auto at = claims.find("\n| ["); at != claims.npos; at = claims.find("\n| [", at + 1)) {
    const std::string_view line = claims.substr(at + 1, claims.find('\n', at + 1) - at - 1);
    CAPTURE(std::string(line));
    CHECK(check(third_cell(line)) >= 1);
    ++rows;
  }
  CHECK(rows >= 20);
  const auto others = claims.find("Configurations that are of no paper");
  REQUIRE(others != claims.npos);
  CHECK(check(claims.substr(others)) >= 10);
}

TEST_CASE("every configuration that RESULTS.md runs exists") {
  const std::string results = content_of(std::string(testing::source_folder()) + "/experiments/RESULTS.md");
  int runs = 0;
  const std::string command = "experiments/configs/";
  for (auto at = results.find(command); at != results.npos; at = results.find(command, at + 1)) {
    const std::string name = results.substr(at + command.size(), results.find(".toml", at) - at - command.size());
    CAPTURE(name);
    CHECK(fs::exists(fs::path(testing::source_folder()) / command / (name + ".toml")));
    ++runs;
  }
  CHECK(runs >= 20);
}

TEST_CASE("configurations on bundled data pass alidade check") {
  int count = 0, seen = 0;
  for (const fs::path& file : configurations()) {
    if (needs_files(interpret(read_config(file)))) continue;
    // All are checked without sanitizers, to which one is like another.
    if (kSanitized && ++seen % 4 != 1) continue;
    CAPTURE(file.string());
    const Ended ended = run_command({"check", file.string()});
    CAPTURE(ended.out + ended.err);
    CHECK(ended.status == 0);
    CHECK_FALSE(has(ended.out, "will be skipped"));
    ++count;
  }
  CHECK(count >= (kSanitized ? 3 : 10));
}

TEST_SUITE("needs data") {
  // What `alidade check` looks at, less gradients and the problems that have them.
  TEST_CASE(
      "configurations on public data are read, and each of their methods fits each of their data "
      "sets") {
    const char* folder = std::getenv("ALIDADE_DATA");
    if (!folder || !*folder) {
      MESSAGE("skipped: ALIDADE_DATA does not name the data folder");
      return;
    }
    int count = 0;
    for (const fs::path& file : configurations()) {
      const Experiment e = interpret(read_config(file));
      if (!needs_files(e)) continue;
      CAPTURE(file.string());
      std::map<std::string, Observations> read;
      for (const DatasetSetup& setup : e.datasets) {
        CAPTURE(setup.id);
        Table options = setup.options;
        if (options.find("train_noise")) options.set("train_noise", 0.0);  // the same file and kinds
        const std::string key = setup.name + Value(options).to_text();
        if (!read.contains(key))
          read.emplace(key, datasets::dataset_catalog()
                                .at(setup.name)
                                .load(options, {datasets::data_folder(std::nullopt), e.seed, 0}));
        for (const MethodSetup& method : e.methods)
          if (concerns(method, setup)) {
            CAPTURE(method.id);
            CHECK(unfit_reason(method, read.at(key)).value_or("fits") == "fits");
            CHECK(building_error(method, read.at(key)) == "");
          }
      }
      ++count;
    }
    CHECK(count >= 15);
  }
}

}  // namespace configs_test
