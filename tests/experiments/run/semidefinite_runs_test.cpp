// Semidefinite maps as runs: what rows and traces hold, and that children which all call CSDP do not disturb each
// other.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "experiments/config/config_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/launch/runner.hpp"
#include "experiments/results/rows.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/scratch_folder.hpp"

namespace semidefinite_runs_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

const std::string kConfig = R"(
name = "semidefinite"
seed = 5
[[dataset]]
name = "grid"
rows = 4
columns = 5
k = [2, 3]
[[method]]
id = "all rows"
problem = "psde"
solver = "csdp"
[[method]]
id = "cutting"
problem = "psde"
solver = "cutting_plane"
)";

std::vector<Row> rows_of(const fs::path& folder, int jobs, bool in_process) {
  RunnerOptions options;
  options.folder = folder;
  options.data_folder = folder / "no data";
  options.jobs = jobs;
  options.in_process = in_process;
  const RunnerReport report = run_experiment(interpret(parse_config(kConfig, "c.toml")), options, [] { return false; });
  CHECK(report.ok == 4);
  std::vector<Row> rows = read_rows(folder);
  std::ranges::sort(rows, {}, [](const ValueTable& row) { return text_field(row, "run_id"); });
  return rows;
}

}  // namespace

TEST_CASE("rows of semidefinite maps hold both bounds, the gap, violations, share and rank" *
          alidade::testing::needs_csdp()) {
  const ScratchFolder scratch;
  const std::vector<Row> rows = rows_of(scratch / "a", 2, false);
  REQUIRE(rows.size() == 4);
  std::map<std::string, double> objectives;
  for (const ValueTable& row : rows) {
    CAPTURE(text_field(row, "message"));
    CHECK(text_field(row, "termination") == "converged");
    const double objective = number_field(row, "objective").value();
    const double lower = number_field(row, "certificate.lower_bound").value();
    const double upper = number_field(row, "certificate.upper_bound").value();
    CHECK(objective < 0);
    CHECK(lower <= upper);
    CHECK(number_field(row, "certificate.gap") == objective - lower);
    CHECK(upper - lower < 1e-5 * std::abs(objective));
    CHECK(number_field(row, "violations.max").value() < 1e-7);
    CHECK(number_field(row, "violations.count"));
    CHECK(number_field(row, "violations.sum"));
    CHECK(number_field(row, "estimates.eigenvalue_share").value() > 0.5);
    CHECK(number_field(row, "estimates.rank").value() >= 2);
    const bool all = text_field(row, "method") == "all rows";
    CHECK(text_field(row, "via") == (all ? "[\"all_rows\"]" : "[]"));
    const std::string k = text_field(row, "dataset.options.k");
    const auto [entry, is_new] = objectives.emplace(k, objective);
    if (!is_new) CHECK(std::abs(entry->second - objective) < 1e-7 * std::abs(objective));

    const Value trace = parse_json(content_of(scratch / "a" / text_field(row, "files.trace")), "trace");
    CHECK((trace.get_if<ValueTable>()->find("violated_rows") != nullptr) == !all);
  }
  CHECK(objectives.size() == 2);
  const std::vector<std::string> names = field_names(rows);
  for (const char* name : {"certificate.lower_bound", "certificate.upper_bound", "certificate.gap", "violations.count",
                           "violations.max", "violations.sum", "estimates.eigenvalue_share", "estimates.rank"}) {
    CAPTURE(name);
    CHECK(std::ranges::find(names, name) != names.end());
  }
}

TEST_CASE("two concurrent children in CSDP give the same rows as sequential ones" * alidade::testing::needs_csdp()) {
  const ScratchFolder scratch;
  const auto comparable = [](std::vector<Row> rows) {
    std::vector<std::string> out;
    for (ValueTable row : rows) {
      for (const char* field : {"seconds", "memory_mb", "made_by", "check"}) REQUIRE(row.erase(field));
      drop_checksums_of_times(row);
      out.push_back(to_json(row));
    }
    return out;
  };
  const auto one = comparable(rows_of(scratch / "one", 1, false));
  CHECK(one.size() == 4);
  CHECK(comparable(rows_of(scratch / "two", 2, false)) == one);
  CHECK(comparable(rows_of(scratch / "in process", 1, true)) == one);
}

TEST_CASE("options of a semidefinite map can be chosen by eigenvalue share, without holding out") {
  const std::string config = R"(
name = "eigenvalues"
[[dataset]]
name = "grid"
rows = 4
columns = 5
[[method]]
problem = { name = "kpsde", form = "gram" }
solver = "low_rank"
choose = { problem.sigma_scale = [0.1, 0.2, 0.4] }
rule = "eigenvalue_share"
[split]
holdout = 0
)";
  const ScratchFolder scratch;
  RunnerOptions options;
  options.folder = scratch / "a";
  CHECK(run_experiment(interpret(parse_config(config, "c.toml")), options, [] { return false; }).ok == 1);
  const ValueTable row = read_rows(options.folder).front();
  REQUIRE(field(row, "chosen.candidates"));
  const ValueTable& chosen = *row.find("chosen")->get_if<ValueTable>();
  const ValueArray& tried = *chosen.find("candidates")->get_if<ValueArray>();
  REQUIRE(tried.size() == 3);
  double highest = 0;
  for (const Value& one : tried)
    highest = std::max(highest, *number_field(*one.get_if<ValueTable>(), "eigenvalue_share"));
  CHECK(*number_field(chosen, "eigenvalue_share") == doctest::Approx(highest));
  CHECK(highest <= 1);
  CHECK(number_field(row, "estimates.eigenvalue_share") == doctest::Approx(highest));

  const std::string other = R"(
name = "eigenvalues"
[[dataset]]
name = "grid"
[[method]]
problem = "nerv"
solver = "ceres"
choose = { problem.lambda = [0.1, 0.5] }
rule = "eigenvalue_share"
[split]
holdout = 0
)";
  options.folder = scratch / "b";
  CHECK(run_experiment(interpret(parse_config(other, "c.toml")), options, [] { return false; }).failed == 1);
  CHECK(text_field(read_rows(options.folder).front(), "message").find("eigenvalue_share") != std::string::npos);
}

}  // namespace semidefinite_runs_test
