#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "experiments/config/auto_problem.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/run/run.hpp"
#include "experiments/tables/claims.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/smooth.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace configs_test {

using namespace alidade;
using namespace alidade::testing;
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

// Why the method's problem cannot be built from these observations, as `alidade check` says it; "(no error)" if it can.
// Problems with gradients are not built here: that takes long, and fails on few data.
std::string building_error(const MethodSetup& method, const Observations& observations) {
  if (method.input || method.problem == kAuto) return "(no error)";
  const ProblemEntry& entry = problem_catalog().at(method.problem);
  if (entry.offers.has<SmoothFace>()) return "(no error)";
  return message_of<Error>([&] { return entry.make(observations, method.problem_options); });
}

}  // namespace

TEST_CASE("every configuration begins with its purpose, and a page of results names it") {
  const std::string folder = std::string(testing::source_folder()) + "/experiments/";
  std::string results = content_of(folder + "RESULTS.md");
  for (const auto& page : fs::directory_iterator(folder + "pages")) results += content_of(page.path());
  for (const fs::path& file : configurations()) {
    CAPTURE(file.string());
    CHECK(content_of(file).starts_with("# "));
    const std::string name = file.stem().string();
    CHECK((holds(results, "`" + name + "`") || holds(results, "configs/" + name + ".toml")));
  }
}

TEST_CASE("every configuration that tables and claims name exists, and every table has its place") {
  const std::string folder = std::string(testing::source_folder()) + "/";
  const auto exists = [&](const std::string& config) {
    CAPTURE(config);
    CHECK(fs::exists(folder + config));
  };
  const ValueTable tables = read_config(folder + "experiments/tables.toml");
  for (const Value& value : *tables.find("table")->get_if<ValueArray>()) {
    const ValueTable& table = *value.get_if<ValueTable>();
    if (const Value* configs = table.find("configs"))
      for (const Value& config : *configs->get_if<ValueArray>()) exists(*config.get_if<std::string>());
    for (const Value& code : *table.find("measures")->get_if<ValueArray>()) exists(*code.get_if<std::string>());
  }
  for (const Claim& claim : read_claims(folder + "experiments/claims.toml"))
    exists("experiments/configs/" + claim.results + ".toml");
  run_well("pages experiments/tables.toml --list", folder);
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
    const bool solvable = (Csdp::missing().empty() || !holds(ended.out, Csdp::missing())) &&
                          !holds(ended.out, "There is no program");  // of another project, for a command
    CHECK(ended.status == (solvable ? 0 : 1));
    CHECK_FALSE(holds(ended.out, "will be skipped"));
    ++count;
  }
  CHECK(count >= (kSanitized ? 3 : 10));
}

TEST_SUITE("needs data") {
  // What `alidade check` looks at, less gradients and the problems that have them.
  TEST_CASE(
      "configurations on public data are read, and each of their methods fits each of their data "
      "sets") {
    ALIDADE_NEEDS_DATA();
    const std::string folder = alidade::testing::public_data();
    int count = 0;
    for (const fs::path& file : configurations()) {
      const Experiment e = interpret(read_config(file));
      if (!needs_files(e)) continue;
      CAPTURE(file.string());
      std::map<std::string, Observations> read;
      for (const DatasetSetup& setup : e.datasets) {
        CAPTURE(setup.id);
        ValueTable options = setup.options;
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
            CHECK(building_error(method, read.at(key)) == "(no error)");
          }
      }
      ++count;
    }
    CHECK(count >= 15);
  }
}

}  // namespace configs_test
