#include "experiments/tables/convergence.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/performance_profile.hpp"
#include "problems/core/error.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace convergence_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

/// A folder of runs, each with its trace.
class Runs {
 public:
  Runs() { fs::create_directories(folder() / "traces"); }
  [[nodiscard]] fs::path folder() const { return scratch_.path(); }
  /// `trace`: columns of JSON, "" for none. Solve ended after 10 s, 100 iterations, 200 evaluations.
  void add(std::string_view method, int repeat, double objective, std::string_view trace, std::string_view more = "",
           std::string_view status = "ok") {
    const std::string id = fmt::format("r{}", rows.size());
    const std::string file = trace.empty() ? "" : fmt::format("traces/{}.json", id);
    if (!trace.empty()) std::ofstream(folder() / file) << trace << "\n";
    rows.push_back(*parse_json(fmt::format(
                                   R"({{"schema":1,"run_id":"{0}","experiment":"e","status":"{1}","method":"{2}",
          "dataset":{{"id":"d","name":"europe","options":{{}}}},"problem":{{"name":"ste","options":{{"d":2}}}},
          "solver":{{"name":"s"}},"repeat":{3},"fold":null,"seed":1,"objective":{4},"initial_objective":100,
          "metrics":{{"heldout_error":0.1}},"counts":{{"iterations":100,"evaluations":200,"terms":0,"starts":1}},
          "seconds":{{"solve":10}},"files":{{"trace":"{5}"}}{6}}})",
                                   id, status, method, repeat, objective, file, more),
                               "test")
                        .get_if<ValueTable>());
  }
  [[nodiscard]] BestKnownValues best() const {
    BestKnownValues out("objective", false);
    out.learn(rows);
    return out;
  }
  /// Costs of the rows, -1 where the target was not met.
  [[nodiscard]] std::vector<double> costs(std::string_view target, const ConvergenceRequest& request = {}) {
    notes.clear();
    std::vector<double> out;
    for (const ValueTable& row : with_costs_to_target(folder(), rows, best(), request, target_from(target), notes))
      out.push_back(number_field(row, kCostToTarget).value_or(-1));
    return out;
  }
  std::vector<Row> rows;
  std::vector<std::string> notes;

 private:
  ScratchFolder scratch_;
};

constexpr std::string_view kSteps =
    R"({"iteration":[0,1,2,3],"seconds":[0.5,1,2,4],"objective":[100,50,20.1,20],"gradient_norm":[null,1,1,1],"heldout_error":[0.5,null,0.1,0.12]})";

}  // namespace

TEST_CASE("a target is a share of the best, of the way from the start, or a difference") {
  CHECK(target_from("1%").unit == GapUnit::best);
  CHECK(target_from("1%").tolerance == 0.01);
  CHECK(target_from(" 10 % start").unit == GapUnit::start);
  CHECK(target_from("10%start").tolerance == 0.1);
  CHECK(target_from("0.005").unit == GapUnit::absolute);
  CHECK(target_from("0").tolerance == 0);
  for (const char* wrong : {"", "%", "-1%", "1start", "nan", "inf%", "1%%", "best"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(static_cast<void>(target_from(wrong)), doctest::Contains("is not a tolerance"), ConfigError);
  }
}

TEST_CASE("the cost to a target is that of the first trace point within it") {
  Runs runs;
  runs.add("a", 0, 20, kSteps);
  runs.add("b", 0, 40, R"({"iteration":[0,1],"seconds":[0.5,3],"objective":[100,40]})");
  CHECK(runs.costs("1%") == std::vector<double>{2, -1});       // 20.2
  CHECK(runs.costs("0.1%") == std::vector<double>{4, -1});     // 20.02
  CHECK(runs.costs("100%") == std::vector<double>{2, 3});      // 40
  CHECK(runs.costs("30") == std::vector<double>{1, 3});        // 50
  CHECK(runs.costs("25%start") == std::vector<double>{2, 3});  // 40: a quarter of 80 above 20
  CHECK(runs.costs("100%start") == std::vector<double>{0.5, 0.5});
  CHECK(runs.notes.empty());
  CHECK(runs.costs("1%", {.cost = Cost::iterations}) == std::vector<double>{2, -1});
}

TEST_CASE("without a known start of an instance, the way from the start is no target") {
  Runs runs;
  runs.add("a", 0, 20, kSteps);
  for (Row& row : runs.rows) row.set("initial_objective", Value());
  CHECK(runs.costs("10%start") == std::vector<double>{-1});
  CHECK(runs.costs("1%") == std::vector<double>{2});
  runs.add("b", 1, 20, kSteps);  // an instance of its own, which tells
  const GapTable gaps = gaps_over_cost(runs.folder(), runs.rows, runs.best(), {}, GapUnit::start, "method");
  REQUIRE(gaps.row_keys.size() == 2);
  CHECK(gaps.gaps.front().runs == 0);
  CHECK(gaps.gaps.back().runs == 1);
}

TEST_CASE("a traced estimate below the returned point's value is ignored") {
  Runs runs;
  runs.add("exact", 0, 20, kSteps);
  runs.add("estimated", 0, 30, R"({"iteration":[0,1],"seconds":[0.5,1],"objective":[100,15]})");
  runs.add("above", 0, 20, R"({"iteration":[0,1],"seconds":[0.5,1],"objective":[100,90]})");
  // The first never got there; the second did at its end, though its trace does not show it.
  CHECK(runs.costs("1%") == std::vector<double>{2, -1, 10});
  // As low as the best, but only at its end: what was below cannot have been a point to return.
  runs.add("too low", 0, 20, R"({"iteration":[0,1,2],"seconds":[0.5,1,8],"objective":[100,15,20.1]})");
  CHECK(runs.costs("1%").back() == 8);
}

TEST_CASE("records without a value, and those of points that violate constraints, reach no target") {
  Runs runs;
  runs.add("stages", 0, 20, R"({"iteration":[0,1,2,3],"seconds":[0.5,1,2,3],"objective":[100,null,50,20]})");
  runs.add("outside", 0, 20,
           R"({"iteration":[0,1,2],"seconds":[0.5,1,2],"objective":[100,20.1,20],"violation":[null,0.5,1e-7]})");
  CHECK(runs.costs("1%") == std::vector<double>{3, 2});
  // Far below the best that is feasible, and as far from it; but not where it violates a little and is near.
  runs.add("infeasible", 0, -900, kSteps, R"(,"violations":{"count":1,"max":0.5,"sum":0.5})");
  runs.add("nearly", 0, 19.99, kSteps, R"(,"violations":{"count":1,"max":2e-6,"sum":2e-6})");
  CHECK(runs.costs("1%") == std::vector<double>{3, 2, -1, 10});
  const GapTable gaps = gaps_over_cost(runs.folder(), runs.rows, runs.best(), {}, GapUnit::absolute, "method");
  REQUIRE(gaps.row_keys.front() == std::vector<std::string>{"infeasible"});
  CHECK(gaps.gaps[gaps.costs.size() - 1].median == 920);
}

TEST_CASE("runs of several starts, or without a trace, have only a start and an end") {
  Runs runs;
  runs.add("a", 0, 20, kSteps);
  runs.rows[0].set("counts.starts", 4);
  runs.add("b", 0, 20, "");
  CHECK(runs.costs("1%") == std::vector<double>{10, 10});
  REQUIRE(runs.notes.size() == 1);
  CHECK(holds(runs.notes[0], "2 runs have"));
  CHECK(runs.costs("100%start") == std::vector<double>{0, 0});  // where they stood
}

TEST_CASE("a trace that cannot be read is named") {
  Runs runs;
  runs.add("a", 0, 20, kSteps);
  fs::remove(runs.folder() / "traces/r0.json");
  fs::create_directory(runs.folder() / "traces/r0.json");
  CHECK_THROWS_WITH_AS(static_cast<void>(runs.costs("1 %")), doctest::Contains("r0.json: The trace cannot be read"),
                       DataError);
}

TEST_CASE("only 0 meets a best value of 0, and a note says so") {
  Runs runs;
  runs.add("a", 0, 0, R"({"iteration":[0,1],"seconds":[1,2],"objective":[100,0]})");
  runs.add("b", 0, 1e-9, R"({"iteration":[0,1],"seconds":[1,2],"objective":[100,1e-9]})");
  CHECK(runs.costs("50%") == std::vector<double>{2, -1});
  REQUIRE(runs.notes.size() == 1);
  CHECK(holds(runs.notes[0], "2 runs have an instance whose best known value is 0"));
  CHECK(runs.costs("1%start") == std::vector<double>{2, 2});
  runs.add("a", 1, 0, R"({"iteration":[0,1],"seconds":[1,2],"objective":[100,0]})");
  const GapTable gaps = gaps_over_cost(runs.folder(), runs.rows, runs.best(), {}, GapUnit::best, "method");
  CHECK(std::ranges::none_of(gaps.gaps, [](const auto& gap) { return std::isnan(gap.median); }));
  REQUIRE_FALSE(gaps.notes.empty());
  CHECK(holds(gaps.notes[0], "1 run is left out, because another row lacks"));
}

TEST_CASE("along the traces a run that has ended goes on with its last value, and a run without one is named") {
  Runs runs;
  runs.add("A", 0, 20, kSteps);
  runs.add("A", 1, 5, R"({"iteration":[0,1],"objective":[100,5]})", R"(,"warnings":["chance"])");
  runs.add("B", 0, 20, R"({"iteration":[0],"objective":[100]})");
  runs.add("B", 1, 20, "");
  const std::vector<Row> points =
      trace_points(runs.folder(), runs.rows, "objective", {"method", "dataset"}, runs.notes);
  REQUIRE(points.size() == 9);
  CHECK(number_field(points[7], kTracedValue) == 5);
  CHECK(number_field(points[7], kTracePoint) == 3);
  CHECK(warnings_of(points[6]).empty());
  CHECK(warnings_of(points[7]).size() == 1);
  CHECK(runs.notes == std::vector<std::string>{"1 run is left out: it failed, or has several starts or no trace."});
}

TEST_CASE("a metric in the traces can be the target, and an error on a missing column lists the others") {
  Runs runs;
  runs.add("a", 0, 20, kSteps);
  BestKnownValues best("metrics.heldout_error", false);
  best.learn(runs.rows);
  const ConvergenceRequest request{.value = "metrics.heldout_error"};
  const auto rows = with_costs_to_target(runs.folder(), runs.rows, best, request, target_from("0.005"), runs.notes);
  CHECK(number_field(rows[0], kCostToTarget) == 2.0);
  CHECK_THROWS_WITH_AS(static_cast<void>(runs.costs("1%", {.cost = Cost::evaluations})),
                       doctest::Contains("The trace of run r0 has no 'evaluations'. Choose one of "
                                         "its columns (iteration, seconds"),
                       ConfigError);
  write_text(runs.folder() / "traces/r0.json", R"({"iteration":[0,1],"seconds":[1],"objective":[3,2]})");
  CHECK_THROWS_WITH_AS(static_cast<void>(runs.costs("1%")), doctest::Contains("different lengths"), DataError);
}

TEST_CASE("terms count single terms, and all terms of each evaluation of the objective") {
  Runs runs;
  runs.add("a", 0, 20, R"({"iteration":[0,1,2],"seconds":[0.5,1,2],"objective":[100,50,20],"evaluations":[1,3,4]})",
           R"(,"triplets":1000)");
  runs.add("b", 0, 20,
           R"({"iteration":[0,1],"seconds":[0.5,1],"objective":[100,20],"evaluations":[1,1],"terms":[0,700]})",
           R"(,"triplets":1000)");
  CHECK(runs.costs("1%", {.cost = Cost::evaluations}) == std::vector<double>{4, 1});
  CHECK(runs.costs("1%", {.cost = Cost::terms}) == std::vector<double>{4000, 1700});
  CHECK(runs.notes.empty());
  runs.rows[1].set("counts.terms", 700);
  (void)runs.costs("1%", {.cost = Cost::evaluations});
  REQUIRE(runs.notes.size() == 1);
  CHECK(holds(runs.notes[0], "s evaluates single terms"));
  runs.rows[0].set("triplets", {});
  CHECK_THROWS_WITH_AS(static_cast<void>(runs.costs("1%", {.cost = Cost::terms})),
                       doctest::Contains("Run r0 has no terms"), ConfigError);
}

TEST_CASE("every recorded cost of a solve can be used") {
  Runs runs;
  runs.add("a", 0, 20, R"({"iteration":[0,1,2],"seconds":[0.5,1,2],"objective":[100,20,20],
                          "evaluations":[1,3,4],"gradients":[0,2,3],"terms":[0,0,0],
                          "retractions":[0,60,90],"sdp_solves":[0,5,6]})");
  for (const char* name : {"counts.gradients", "counts.retractions", "counts.sdp_solves"}) runs.rows[0].set(name, 90);
  CHECK(runs.costs("1%", {.cost = cost_named("gradients")}) == std::vector<double>{2});
  CHECK(runs.costs("1%", {.cost = cost_named("retractions")}) == std::vector<double>{60});
  CHECK(runs.costs("1%", {.cost = cost_named("sdp_solves")}) == std::vector<double>{5});
  runs.add("b", 0, 20, R"({"iteration":[0],"seconds":[0.5],"objective":[20],"evaluations":[1]})");
  CHECK_THROWS_WITH_AS(static_cast<void>(runs.costs("1%", {.cost = cost_named("retractions")})),
                       doctest::Contains("its version of alidade"), ConfigError);
  CHECK_THROWS_WITH_AS(static_cast<void>(cost_named("retraction")), doctest::Contains("retractions"), ConfigError);
}

TEST_CASE("medians count unmet targets as late, and cells count the met ones") {
  Runs runs;
  for (int r = 0; r < 3; ++r)
    runs.add("a", r, 20, fmt::format(R"({{"iteration":[0,1],"seconds":[0.5,{}],"objective":[100,20]}})", r + 1));
  runs.add("b", 0, 20, kSteps);
  runs.add("b", 1, 99, kSteps);
  runs.add("b", 2, 99, kSteps);
  runs.add("c", 0, 20, kSteps);
  runs.add("c", 1, 20, kSteps);
  runs.add("c", 2, 20, "", "", "failed");
  std::vector<Row> rows =
      with_costs_to_target(runs.folder(), runs.rows, runs.best(), {}, target_from("0.1%"), runs.notes);
  TableRequest request;
  request.value = kCostToTarget;
  request.over = "";
  request.interval = IntervalKind::none;
  ComparisonTable table = compare(rows, request);
  CHECK(median_cost(table.cell(0, 0)) == 2.0);
  CHECK(!median_cost(table.cell(1, 0)));
  CHECK(median_cost(table.cell(2, 0)) == 4.0);
  CHECK(runs_with_a_target(table.cell(2, 0)) == 3);
  const std::string text = targets_text(table, "Meaning.");
  CHECK(holds_all(text, {"| a      |          2 |", "| b      | – (1 of 3) |", "| c      | 4 (2 of 3) |"}));
  table.request.format = TableFormat::csv;
  CHECK(holds(targets_text(table, "m"), "b,d,,1,3,0,0,0\nc,d,4,2,3,1,0,0\n"));
  table.request.format = TableFormat::json;
  CHECK(parse_json(targets_text(table, "m"), "t").get_if<ValueTable>()->find("cells")->get_if<ValueArray>()->size() ==
        3);

  request.cols = "dataset,repeat";
  const Profile profile = data_profile(compare(rows, request));
  CHECK(profile.instances == 3);
  CHECK(profile.steps == std::vector<double>{1, 2, 5});
  CHECK(profile.share(0, 0) == doctest::Approx(1.0 / 3));
  CHECK(profile.share(0, 1) == doctest::Approx(2.0 / 3));
  CHECK(profile.share(0, 2) == 1);
  CHECK(profile.share(1, 2) == doctest::Approx(1.0 / 3));
  CHECK(profile.with_a_value[2] == doctest::Approx(2.0 / 3));
  CHECK(holds(to_text(profile, TableFormat::markdown), "| method |  ≤ 1 |  ≤ 2 |  ≤ 5 | ever |"));
}

TEST_CASE("round costs enclose the range with no more than needed") {
  CHECK(round_costs(1, 5) == std::vector<double>{1, 2, 5});
  CHECK(round_costs(1.5, 30) == std::vector<double>{1, 2, 5, 10, 20, 50});
  CHECK(round_costs(3, 3) == std::vector<double>{2, 5});
  CHECK(round_costs(0, 3).empty());
  const auto small = round_costs(0.004, 0.02);
  REQUIRE(small.size() == 4);
  CHECK(small.front() == doctest::Approx(0.002));
  CHECK(small.back() == doctest::Approx(0.02));
}

TEST_CASE("median gaps over all runs fall with cost, from the start's to the end's") {
  Runs runs;
  runs.add("a", 0, 20, kSteps);
  runs.add("b", 0, 40, R"({"iteration":[0,1,2],"seconds":[0.5,2,3],"objective":[100,40,60]})");
  runs.add("b", 0, 60, R"({"iteration":[0,1],"seconds":[0.5,2],"objective":[100,60]})");
  const GapTable gaps = gaps_over_cost(runs.folder(), runs.rows, runs.best(), {}, GapUnit::best, "method");
  REQUIRE(gaps.costs == std::vector<double>{0.5, 1, 2, 5, 10});
  const auto median = [&](std::size_t row, std::size_t cost) {
    return gaps.gaps[row * gaps.costs.size() + cost].median;
  };
  CHECK(median(0, 0) == 4);
  CHECK(median(0, 1) == 1.5);
  CHECK(median(0, 2) == doctest::Approx(0.005));
  CHECK(median(0, 3) == 0);
  CHECK(median(1, 2) == 1.5);  // (40 - 20) / 20 and (60 - 20) / 20
  CHECK(median(1, 3) == 1.5);  // 60 after 40 is no way back
  CHECK(gaps.gaps[5 + 2].low == 1.25);
  CHECK(gaps.gaps[5 + 2].runs == 2);
  const GapTable of_start = gaps_over_cost(runs.folder(), runs.rows, runs.best(), {}, GapUnit::start, "method");
  CHECK(of_start.gaps[0].median == 1);
  CHECK(holds(to_text(gaps, TableFormat::markdown), "4.0e+00 | 1.5e+00 | 5.0e-03 | 0.0e+00"));
  CHECK(holds(to_text(gaps, TableFormat::csv),
              "method,seconds,median_gap,low_quartile,high_quartile,runs\na,0.5,4,4,4,1\n"));
}

TEST_CASE("gaps and costs to a target compare runs of the same data, repeat and fold") {
  Runs runs;
  for (const auto& [method, repeat] : {std::pair{"a", 0}, {"a", 1}, {"b", 1}, {"b", 2}})
    runs.add(method, repeat, 20, kSteps);
  runs.add("b", 0, 20, "", "", "skipped");
  const GapTable gaps = gaps_over_cost(runs.folder(), runs.rows, runs.best(), {}, GapUnit::best, "method");
  CHECK(gaps.gaps.front().runs == 1);
  CHECK(gaps.gaps.back().runs == 1);
  CHECK(holds(gaps.notes.at(0), "2 runs are left out, because another row lacks their like"));
  const auto kept = [&](bool none_alone, const std::string& cols) {
    std::vector<Row> rows = runs.rows;
    TableRequest layout;
    layout.cols = cols;
    runs.notes.clear();
    keep_shared_runs(
        rows, layout, none_alone, [](const Row& row) { return row.ended_well(); }, runs.notes);
    return rows.size();
  };
  CHECK(kept(true, "") == 3);
  CHECK(kept(true, "repeat") == 5);                               // the methods of each column share what it has
  runs.rows.erase(runs.rows.begin() + 1, runs.rows.begin() + 3);  // a has repeat 0, b has 2
  CHECK(kept(false, "") == 3);
  CHECK(holds(runs.notes.at(0), "The rows of the table share no run"));
  CHECK(kept(true, "") == 1);
}

TEST_CASE("the best known value of an instance is kept across runs, whoever found it") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "best_known.json";
  Runs first, second;
  first.add("b", 0, 30, kSteps);
  first.add("a", 0, 20, kSteps);
  first.add("a", 1, 50, kSteps);
  BestKnownValues best_values("objective", false);
  best_values.read(file);  // not there
  CHECK(best_values.learn(first.rows) == 2);
  CHECK(best_values.learn(first.rows) == 0);
  best_values.keep_in(file);

  second.add("c", 0, 10, kSteps);
  second.add("c", 1, 60, kSteps);
  second.add("c", 2, 5, kSteps, "", "cancelled");
  second.add("c", 2, 4, kSteps, R"(,"violations":{"count":1,"max":0.5,"sum":0.5})");
  BestKnownValues later("objective", false);
  later.read(file);
  CHECK(later.size() == 2);
  CHECK(later.learn(second.rows) == 1);
  CHECK(later.infeasible_rows() == 1);
  CHECK(later.find(first.rows[0])->value == 10);
  CHECK(later.find(first.rows[0])->method == "c");
  CHECK(later.find(first.rows[2])->value == 50);
  CHECK(later.find(first.rows[2])->method == "a");
  CHECK(!later.find(second.rows[2]));
  later.keep_in(file);

  // Other fields have their own, and stay.
  BestKnownValues other("metrics.heldout_error", false);
  other.read(file);
  CHECK(other.size() == 0);
  other.learn(first.rows);
  other.keep_in(file);
  BestKnownValues again("objective", false);
  again.read(file);
  CHECK(again.size() == 2);
  CHECK(again.find(second.rows[0])->value == 10);
  CHECK(again.find(second.rows[0])->run_id == "r0");

  BestKnownValues opposite("objective", true);
  CHECK_THROWS_WITH_AS(opposite.read(file), doctest::Contains("the other way round"), DataError);
  write_text(scratch / "other.json", R"({"schema":2})");
  CHECK_THROWS_WITH_AS(again.read(scratch / "other.json"), doctest::Contains("not a file of best known"), DataError);
}

TEST_CASE("another seed, fold, data set option or problem option is another instance, a solver is not") {
  Runs runs;
  runs.add("a", 0, 20, kSteps);
  const BestKnownValues best_values = runs.best();
  Row row = runs.rows[0];
  for (const char* path : {"solver.name", "method", "run_id", "experiment", "threads"}) row.set(path, "other");
  CHECK(best_values.find(row));
  for (const char* path : {"seed", "fold", "repeat", "dataset.options.noise", "problem.options.d", "triplets", "n"}) {
    Row changed = row;
    changed.set(path, 3);
    CAPTURE(path);
    CHECK(!best_values.find(changed));
  }
}

}  // namespace convergence_test
