#include "experiments/tables/tables.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/json.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace tables_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

const double kT2 = 0.95 / std::sqrt(2 * 0.975 * 0.025);  // the 97.5 % quantile with 2 degrees of freedom

const std::string kCsvHead =
    "method,dataset,value,mean,half_width,confidence,n,failed,skipped,best,aggregate,result,low,"
    "high,"
    "cancelled,absent,tied,reference,pairs,difference,p,corrected_p,pairs_needed,warnings\n";

ValueTable row_of(std::string_view json) { return *parse_json(json, "test").get_if<ValueTable>(); }

ValueTable run(std::string_view method, std::string_view dataset, int repeat, std::string_view error,
               std::string_view more = "") {
  return row_of(fmt::format(
      R"({{"schema":1,"status":"ok","method":"{0}",
      "dataset":{{"id":"{1}","name":"{1}"}},"repeat":{2},"metrics":{{"heldout_error":{3}}}{4}}})",
      method, dataset, repeat, error, more));
}

ValueTable failed(std::string_view method, std::string_view dataset, int repeat, std::string_view status = "failed") {
  return row_of(fmt::format(
      R"({{"schema":1,"run_id":"{0}/{1}/{2}","status":"{3}","method":"{0}",
      "dataset":{{"id":"{1}","name":"{1}"}},"repeat":{2},"metrics":{{"heldout_error":null}}}})",
      method, dataset, repeat, status));
}

std::vector<Row> small_experiment() {
  return {run("ETE", "europe", 0, "0.01"),   run("ETE", "europe", 1, "0.02"),   run("ETE", "europe", 2, "0.03"),
          run("ETE", "zoo", 0, "0.25"),      run("ETE", "zoo", 1, "0.35"),      failed("ETE", "zoo", 2),
          run("t_STE", "europe", 0, "0.04"), run("t_STE", "europe", 1, "0.04"), run("t_STE", "europe", 2, "0.04"),
          run("t_STE", "zoo", 0, "0.5"),     run("t_STE", "zoo", 1, "0.5"),     run("t_STE", "zoo", 2, "0.5")};
}

std::string refusal(const std::vector<Row>& rows, const TableRequest& request) {
  return message_of<ConfigError>([&] { (void)compare(rows, request); });
}

std::string as_text(const std::vector<Row>& rows, TableFormat format, TableRequest request = {}) {
  request.format = format;
  return to_text(compare(rows, request));
}

TEST_CASE("the half-width is that of Student's t: 1, 2, 3 at 95 %, and 1, 2, 3, 4 at 90 %") {
  // t(2, p) = (2p - 1) / sqrt(2p(1 - p)) exactly; t(3, 0.95) = 2.353363434801823 is in every printed table.
  const std::vector<double> three{1, 2, 3}, four{1, 2, 3, 4};
  CHECK(statistics::t_half_width(three, 0.95) == doctest::Approx(kT2 / std::sqrt(3.0)).epsilon(1e-13));
  CHECK(statistics::t_half_width(four, 0.90) ==
        doctest::Approx(2.353363434801823 * std::sqrt(5.0 / 3.0) / 2).epsilon(1e-13));
}

TEST_CASE("a cell has the mean over repeats, its interval, and the number of failed runs") {
  const auto rows = small_experiment();
  const ComparisonTable table = compare(rows, {});
  REQUIRE(table.row_keys == std::vector<std::vector<std::string>>{{"ETE"}, {"t_STE"}});
  REQUIRE(table.col_keys == std::vector<std::vector<std::string>>{{"europe"}, {"zoo"}});
  const Cell& europe = table.cell(0, 0);
  CHECK(europe.mean == doctest::Approx(0.02).epsilon(1e-14));
  REQUIRE(europe.half_width);
  CHECK(*europe.half_width == doctest::Approx(0.01 * kT2 / std::sqrt(3.0)).epsilon(1e-12));
  REQUIRE(europe.samples.size() == 3);
  CHECK(europe.samples[1].over == "1");
  CHECK(europe.samples[1].value == 0.02);
  CHECK(europe.best);
  const Cell& zoo = table.cell(0, 1);
  CHECK(zoo.samples.size() == 2);
  CHECK(zoo.failed == 1);
  CHECK(zoo.mean == doctest::Approx(0.3));
  // t(1, 0.975) = 12.706204736174694; s / sqrt(2) = 0.05.
  CHECK(*zoo.half_width == doctest::Approx(12.706204736174694 * 0.05).epsilon(1e-12));
  CHECK_FALSE(table.cell(1, 1).half_width);  // copies of one value are no sample
}

TEST_CASE("a method that failed somewhere is not called best, however low its mean") {
  const auto rows = small_experiment();
  const ComparisonTable table = compare(rows, {});
  CHECK(table.cell(0, 1).mean < table.cell(1, 1).mean);
  CHECK(!table.cell(0, 1).best);
  CHECK(table.cell(1, 1).best);
}

TEST_CASE("rows are compared on the repeats that all have, and on fewer than two nothing is best") {
  std::vector<Row> rows{run("a", "d", 0, "0.1"), run("b", "d", 0, "0.2"), run("b", "d", 1, "0.3"),
                        run("c", "d", 0, "0.4"), run("c", "d", 1, "0.4")};
  const ComparisonTable one = compare(rows, {});
  for (const Cell& cell : one.cells) CHECK((!cell.best && !cell.compared));
  CHECK(one.cell(1, 0).mean == 0.25);
  CHECK(holds_all(join(one.notes, " "), {"d: All rows share 1 repeat, which is too few"}));
  CHECK(!holds(to_text(one), "**"));
  rows.push_back(run("a", "d", 1, "0.5"));
  rows.push_back(run("b", "d", 2, "0.9"));
  rows.push_back(run("c", "d", 7, "0.9"));
  const ComparisonTable two = compare(rows, {});
  CHECK(two.cell(1, 0).mean == 0.25);
  CHECK((two.cell(1, 0).best && two.cell(1, 0).samples.size() == 2));
  CHECK(holds_all(join(two.notes, " "), {"the 2 repeats that all have", "1 run of b, 1 run of c."}));
}

TEST_CASE("rows of other data sets are not compared, whatever the number of their repeats") {
  for (const char* rows : {"dataset", "dataset.id", "dataset.name"}) {
    const ComparisonTable table = compare(small_experiment(), {.rows = rows, .cols = "method"});
    CHECK(table.cell(0, 0).samples.size() == 3);
    for (const Cell& cell : table.cells) CHECK((!cell.best && !cell.compared));
    CHECK(holds_none(join(table.notes, " "), {"compare", "Left out"}));
  }
}

TEST_CASE("a name of several setups is not compared with others") {
  std::vector<Row> rows;
  for (const int repeat : {0, 1}) {
    rows.push_back(run("a", "d", repeat, "0.1", R"(,"problem":{"name":"ste"})"));
    rows.push_back(run("a", "d", repeat, "0.1", R"(,"problem":{"name":"soe"})"));
    rows.push_back(run("b", "d", repeat, "0.2", R"(,"problem":{"name":"ste"})"));
  }
  const ComparisonTable table = compare(rows, {});
  CHECK((!table.cell(0, 0).compared && !table.cell(0, 0).best && !table.cell(1, 0).best));
  CHECK(holds_all(join(table.notes, " "), {"a is the name of several setups"}));
}

TEST_CASE("a note tells methods of other dimensions apart") {
  const auto notes_with = [](std::string_view dimensions) {
    const std::vector<Row> rows = {run("a", "d", 0, "0.1", R"(,"n_components":2)"),
                                   run("b", "d", 0, "0.2", fmt::format(R"(,"n_components":{})", dimensions))};
    return join(compare(rows, {}).notes, " ");
  };
  CAPTURE(notes_with("3"));
  CHECK(holds_all(notes_with("3"), {"d: Methods make maps of other numbers of dimensions (2, 3)"}));
  CHECK(notes_with("2").find("dimensions") == std::string::npos);
}

TEST_CASE("folds and data sets that one row lacks are left out of the others' means") {
  const auto in_fold = [](std::string_view method, std::string_view dataset, int repeat, int fold,
                          std::string_view error) {
    return run(method, dataset, repeat, error, fmt::format(R"(,"fold":{})", fold));
  };
  std::vector<Row> rows;
  for (const int repeat : {0, 1})
    for (const int fold : {0, 1}) {
      rows.push_back(in_fold("a", "d", repeat, fold, fold == 0 ? "0.1" : "0.9"));
      if (fold == 0) rows.push_back(in_fold("b", "d", repeat, fold, "0.2"));
    }
  const ComparisonTable folds = compare(rows, {});
  CHECK(folds.cell(0, 0).mean == 0.1);
  CHECK((folds.cell(0, 0).best && !folds.cell(1, 0).best));
  CHECK(holds_all(join(folds.notes, " "), {"2 runs of a"}));
  rows = {run("a", "d", 0, "0.1"),    run("a", "d", 1, "0.1"), run("a", "hard", 0, "0.9"),
          run("a", "hard", 1, "0.9"), run("b", "d", 0, "0.2"), run("b", "d", 1, "0.2")};
  CHECK(compare(rows, {.cols = ""}).cell(0, 0).mean == 0.1);
  CHECK(compare(rows, {.cols = ""}).cell(0, 0).best);
  const ComparisonTable of_data = compare(rows, {.rows = "dataset", .cols = "method"});
  CHECK(holds_none(join(of_data.notes, " "), {"compare", "Left out"}));  // other data sets are what is compared
}

TEST_CASE("best follows the direction, equals share it, and it needs a known direction and a rival") {
  const std::vector<Row> rows{
      row_of(
          R"({"run_id":"1","status":"ok","method":"a","dataset":{"id":"d"},"metrics":{"knn_accuracy":0.9,"odd":1}})"),
      row_of(
          R"({"run_id":"2","status":"ok","method":"b","dataset":{"id":"d"},"metrics":{"knn_accuracy":0.7,"odd":2}})"),
      row_of(
          R"({"run_id":"3","status":"ok","method":"c","dataset":{"id":"d"},"metrics":{"knn_accuracy":0.9,"odd":3}})")};
  const auto best = [](const std::vector<Row>& of, const TableRequest& request) {
    return mapped(compare(of, request).cells, [](const Cell& cell) { return cell.best ? 1 : 0; });
  };
  const Directions lower = {{"knn_accuracy", false}};
  CHECK(best(rows, {.value = "metrics.knn_accuracy"}) == std::vector{1, 0, 1});
  CHECK(best(rows, {.value = "metrics.knn_accuracy", .directions = lower}) == std::vector{0, 1, 0});
  CHECK(best(rows, {.value = "metrics.odd", .directions = lower}) == std::vector{0, 0, 0});
  CHECK(best({rows[0]}, {.value = "metrics.knn_accuracy", .directions = lower}) == std::vector{0});
  CHECK(best({rows[0], rows[2]}, {.value = "metrics.knn_accuracy", .directions = lower}) == std::vector{0, 0});
}

TEST_CASE("rows say the direction of a metric that only a plug-in knows, and a table needs no plug-in to keep it") {
  const auto own = [](std::string_view method, std::string_view value) {
    return run(method, "zoo", 0, "0.1",
               fmt::format(R"(,"own":{},"higher_is_better":{{"own":true,"heldout_error":true}})", value));
  };
  const std::vector<Row> rows = {own("A", "1"), own("B", "2")};
  const Directions known = with_directions_of(rows, default_directions());
  CHECK(higher_is_better(known, "metrics.own") == std::optional(true));
  CHECK(higher_is_better(known, "metrics.heldout_error") == std::optional(false));  // as the program knows it
  const ComparisonTable table = compare(rows, {.value = "own", .directions = known});
  CHECK_FALSE(table.cell(0, 0).best);
  CHECK(table.cell(1, 0).best);
}

TEST_CASE("all metrics of the catalog have a known direction") {
  for (const metrics::MetricEntry& metric : metrics::metric_catalog().entries()) {
    CAPTURE(metric.name);
    CHECK(higher_is_better(default_directions(), "metrics." + metric.name) == metric.higher_is_better);
  }
  CHECK(higher_is_better(default_directions(), "metrics.trustworthiness") == true);
  CHECK(higher_is_better(default_directions(), "seconds.solve") == false);
}

TEST_CASE("a table is printed as Markdown") {
  CHECK(
      as_text(small_experiment(), TableFormat::markdown) ==
      "| method |            europe |                           zoo |\n"
      "|:-------|------------------:|------------------------------:|\n"
      "| ETE    | **0.020 ± 0.025** | 0.30 ± 0.64 (n = 2, 1 failed) |\n"
      "| t_STE  |             0.040 |              **0.50** (n = 2) |\n"
      "\n"
      "Held-out triplet error (metrics.heldout_error): mean ± half-width of the 95 % confidence interval (Student's t) "
      "over 3 repeats; lower is better, best in bold.\n\n"
      "zoo: Rows are compared on the 2 repeats that all have. Left out, because a row lacks their like: 1 run of "
      "t_STE.\n\n"
      "Repeats of one value that draw nothing anew, as far as the rows tell, are copies: without an interval or a "
      "test.\n");
}

TEST_CASE("CSV has one line per cell and loses no digit") {
  const std::vector<Row> rows{run("a, b", "d", 0, "0.1"), run("a, b", "d", 1, "0.30000000000000004"),
                              run("c", "d", 0, "0.7"), failed("c", "d", 1)};
  const double half_width = *compare(rows, {}).cell(0, 0).half_width;
  CHECK(half_width == doctest::Approx(0.1 * std::tan(0.475 * std::numbers::pi)).epsilon(1e-12));
  CHECK(as_text(rows, TableFormat::csv) == kCsvHead + "\"a, b\",d,metrics.heldout_error,0.2," + shortest(half_width) +
                                               ",0.95,2,0,0,,mean,0.2," + shortest(0.2 - half_width) + "," +
                                               shortest(0.2 + half_width) +
                                               ",0,0,,,,,,,,\n"
                                               "c,d,metrics.heldout_error,0.7,,0.95,1,1,0,,mean,0.7,,,0,0,,,,,,,,\n");
}

TEST_CASE("LaTeX uses booktabs and escapes names") {
  CHECK(as_text(small_experiment(), TableFormat::latex) ==
        "% Needs \\usepackage{booktabs,graphicx}.\n"
        "\\begin{table}\n"
        "\\centering\n"
        "\\caption{Held-out triplet error: mean $\\pm$ half-width of the 95 \\% confidence interval (Student's t) over "
        "3 repeats; lower is better, best in bold.}\n"
        "\\resizebox{\\ifdim\\width>\\textwidth\\textwidth\\else\\width\\fi}{!}{\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "method & europe & zoo \\\\\n"
        "\\midrule\n"
        "ETE & $\\mathbf{0.020 \\pm 0.025}$ & $0.30 \\pm 0.64$ (n = 2, 1 failed) \\\\\n"
        "t\\_STE & $0.040$ & $\\mathbf{0.50}$ (n = 2) \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}}\n"
        "\\par\\smallskip{\\footnotesize zoo: Rows are compared on the 2 repeats that all have. Left out, because a "
        "row lacks their like: 1 run of t\\_STE.\\par}\n"
        "\\par\\smallskip{\\footnotesize Repeats of one value that draw nothing anew, as far as the rows tell, are "
        "copies: "
        "without an interval or a test.\\par}\n"
        "\\end{table}\n");
}

TEST_CASE("runs with warnings are marked, and a line under the table says why, in every format") {
  const std::string chance = R"(,"warnings":["chance","few_answers"])";
  const std::vector<Row> rows{run("STE", "noise", 0, "0.49", chance),
                              run("STE", "noise", 1, "0.5", chance),
                              run("STE", "zoo", 0, "0.2"),
                              run("STE", "zoo", 1, "0.3"),
                              run("SOE", "noise", 0, "0.4", R"(,"warnings":["few_answers"])"),
                              run("SOE", "noise", 1, "0.45"),
                              run("SOE", "zoo", 0, "0.2", R"(,"warnings":["far_objects"])"),
                              run("SOE", "zoo", 1, "0.2")};
  const std::string line =
      "no better than guessing in 2 runs (STE on noise); objects far outside the map in 1 run (SOE on zoo).";
  const std::string markdown = as_text(rows, TableFormat::markdown);
  CHECK(holds_all(markdown, {"0.495 ± 0.064 §", "\n\n§ marks runs to check: " + line}));
  CHECK(count_of(markdown, "§") == 3);
  const std::string latex = as_text(rows, TableFormat::latex);
  CHECK(holds(latex, "$0.495 \\pm 0.064\\ ^{\\S}$"));
  const auto printed = latex.find("$^{\\S}$ marks runs to check: " + line);
  REQUIRE(printed != latex.npos);
  CHECK(printed > latex.find("\\end{tabular}"));
  CHECK(latex.rfind('%', printed) < latex.rfind('\n', printed));  // not a comment
  CHECK(holds_all(as_text(rows, TableFormat::csv), {",chance:2\n", ",far_objects:1\n"}));
  const std::string json = as_text(rows, TableFormat::json);
  CHECK(holds_all(json, {"\"chance\": 2", line}));
  CHECK(compare(small_experiment(), {}).warning_note.empty());
}

TEST_CASE("names cannot break out of a format") {
  const auto row = [](std::string_view method) {
    ValueTable table = run("x", "d", 0, "0.5");
    table.set("method", std::string(method));
    return std::vector<Row>{table};
  };
  CHECK(holds(as_text(row("a|b<i>*c*"), TableFormat::markdown), "| a\\|b\\<i>\\*c\\* |"));
  CHECK(holds(as_text(row("two\nlines"), TableFormat::markdown), "| two lines |"));
  CHECK(holds(as_text(row("50% & $x_1^2$ #{}~\\"), TableFormat::latex),
              "50\\% \\& \\$x\\_1\\textasciicircum{}2\\$ \\#\\{\\}\\textasciitilde{}\\textbackslash{} &"));
  CHECK(holds(as_text(row("a,\"b\"\n"), TableFormat::csv), "\n\"a,\"\"b\"\"\n\",d,"));
}

TEST_CASE("no rows make an empty table in every format") {
  CHECK(as_text({}, TableFormat::markdown) == "There are no runs to compare.\n");
  CHECK(as_text({}, TableFormat::csv) == kCsvHead);
  CHECK(holds(as_text({}, TableFormat::latex), "no runs to compare"));
}

TEST_CASE("if all runs failed the table says so, and any metric may be requested") {
  const std::vector<Row> rows{failed("ETE", "europe", 0), failed("ETE", "europe", 1),
                              failed("MU", "europe", 0, "skipped")};
  const std::string text = as_text(rows, TableFormat::markdown);
  CHECK(holds_all(text, {"2 failed", "skipped", "no run has a value"}));
  CHECK(as_text(rows, TableFormat::csv) ==
        kCsvHead +
            "ETE,europe,metrics.heldout_error,,,0.95,0,2,0,false,mean,,,,0,0,,,,,,,,\n"
            "MU,europe,metrics.heldout_error,,,0.95,0,0,1,false,mean,,,,0,0,,,,,,,,\n");
  CHECK(compare(rows, {.value = "metrics.anything"}).cells.size() == 2);
}

TEST_CASE("an interrupted run does not count, and its method is not called best") {
  ValueTable cut = run("a", "d", 1, "0.0");
  cut.set("status", "cancelled");
  const ComparisonTable table = compare(std::vector<Row>{run("a", "d", 0, "0.1"), cut, run("b", "d", 0, "0.2")}, {});
  CHECK(table.cell(0, 0).mean == 0.1);
  CHECK(!table.cell(0, 0).best);
  CHECK(table.cell(1, 0).best);
  CHECK(holds(to_text(table), "0.1000 (1 cancelled)"));
}

TEST_CASE("a run without the value is not a zero") {
  const ComparisonTable table = compare(std::vector<Row>{run("a", "d", 0, "null"), run("a", "d", 1, "0.5")}, {});
  CHECK(table.cell(0, 0).mean == 0.5);
  CHECK(table.cell(0, 0).samples.size() == 1);
  CHECK(table.cell(0, 0).absent == 1);
  CHECK(!table.cell(0, 0).half_width);
}

TEST_CASE("runs that share a repeat are averaged, and a note names the fields in which they differ") {
  const ComparisonTable table =
      compare(std::vector<Row>{run("a", "d", 0, "0.1", R"(,"fold":0,"problem":{"name":"ete","options":{"t":2}})"),
                               run("a", "d", 0, "0.3", R"(,"fold":1,"problem":{"name":"ete","options":{"t":3}})"),
                               run("a", "d", 1, "0.4", R"(,"fold":0,"problem":{"name":"ete","options":{"t":2}})")},
              {});
  const Cell& cell = table.cell(0, 0);
  REQUIRE(cell.samples.size() == 2);
  CHECK(cell.samples[0].value == doctest::Approx(0.2));
  CHECK(cell.samples[0].runs.size() == 2);
  CHECK(cell.mean == doctest::Approx(0.3));
  REQUIRE(table.notes.size() == 1);
  CHECK(holds_all(table.notes[0], {"averages up to 2 runs", "fold, problem.options.t"}));
}

TEST_CASE("several fields are joined, absent ones get a dash, and numbers sort by size") {
  const std::vector<Row> rows{run("a", "d", 0, "0.1", R"(,"problem":{"name":"ete","options":{"t":10}})"),
                              run("a", "d", 0, "0.2", R"(,"problem":{"name":"ete","options":{"t":2}})"),
                              run("b", "d", 0, "0.3")};
  const ComparisonTable table = compare(rows, {.rows = "method, problem.options.t", .cols = ""});
  CHECK(table.row_keys == std::vector<std::vector<std::string>>{{"a", "2"}, {"a", "10"}, {"b", ""}});
  CHECK(table.col_keys.size() == 1);
  const std::string text = to_text(table);
  CHECK(holds_all(text, {"| method | problem.options.t | metrics.heldout_error |", "| b      | –                 |"}));
}

TEST_CASE("rows keep the plan's order if they record it, not the order in which they ended") {
  const std::vector<Row> rows{run("z", "d", 0, "0.1", R"(,"plan_index":0)"),
                              run("m", "d", 0, "0.1", R"(,"plan_index":2)"),
                              run("a", "d", 0, "0.1", R"(,"plan_index":1)")};
  CHECK(compare(rows, {}).row_keys == std::vector<std::vector<std::string>>{{"z"}, {"a"}, {"m"}});
}

TEST_CASE("very small and very large numbers share a power of ten") {
  const ComparisonTable small = compare(std::vector<Row>{run("a", "d", 0, "2e-9"), run("a", "d", 1, "4e-9")}, {});
  const auto numbers = column_numbers(small, 0);
  CHECK(numbers[0].exponent == -8);  // of the half-width 1.27e-8, the larger one
  CHECK(numbers[0].mean == "0.3");
  CHECK(numbers[0].half_width == "1.3");
  CHECK(holds(to_text(small), "(0.3 ± 1.3) × 10^-8"));
  CHECK(column_numbers(compare(std::vector<Row>{run("a", "d", 0, "123456789")}, {}), 0)[0].mean == "1.235");
  CHECK(column_numbers(compare(std::vector<Row>{run("a", "d", 0, "0")}, {}), 0)[0].mean == "0");
}

TEST_CASE("a field that cannot be tabulated is refused with the nearest known name") {
  std::vector<Row> rows = small_experiment();
  for (const char* without_any_value : {"seconds.refit", "input.solver.name", "counts.terms"})
    CHECK(refusal(rows, {.value = without_any_value}) == "(no error)");
  for (Row& row : rows) row.set("problem.options.temperature", 2.0);
  for (const auto& [request, part] : std::vector<std::pair<TableRequest, std::string_view>>{
           {{.value = "metrics.heldout_eror"}, "'metrics.heldout_eror'"},
           {{.value = "metrics.heldout_eror"}, "'metrics.heldout_error'"},
           {{.rows = "methd"}, "Did you mean 'method'?"},
           {{.rows = "problem.temperature"}, "Did you mean 'problem.options.temperature'?"},
           {{.over = "method,repaet"}, "Did you mean 'repeat'?"},
           {{.value = "method"}, "'method' is text"},
           {{.confidence = 95}, "between 0.01 and 1"},
           {{.rows = " ,"}, "--rows method"}})
    CHECK(holds_all(refusal(rows, request), {part}));
  CHECK(holds(message_of<ConfigError>([] { (void)table_format("latx"); }), "Did you mean 'latex'?"));
}

/// Methods a, b, c over `repeats` repeats of one data set: b is worse by a little each time, c by chance.
std::vector<Row> three_methods(int repeats) {
  std::vector<Row> rows;
  for (int r = 0; r < repeats; ++r) {
    const double base = 0.2 + 0.03 * (r * 7 % 5);
    rows.push_back(run("a", "d", r, shortest(base)));
    rows.push_back(run("b", "d", r, shortest(base + 0.01 + 0.001 * r)));
    rows.push_back(run("c", "d", r, shortest(base + (r % 2 == 0 ? 0.02 : -0.018))));
  }
  return rows;
}

TableRequest tested(statistics::PairedTest test, std::string baseline = "") {
  return {.significance = SignificanceRequest{test, std::move(baseline)}};
}

TEST_CASE("a median has a bootstrap interval, a spread has no best, an extreme has no interval") {
  std::vector<Row> rows;
  for (int r = 0; r < 5; ++r) {
    rows.push_back(run("a", "d", r, shortest(0.1 * (r + 1))));
    rows.push_back(run("b", "d", r, r == 0 ? "9" : "0.2"));
  }
  TableRequest request{.aggregate = statistics::Aggregate::median};
  ComparisonTable table = compare(rows, request);
  CHECK(*table.cell(0, 0).result == doctest::Approx(0.3));
  CHECK(!table.cell(0, 0).half_width);
  REQUIRE(table.cell(0, 0).interval);
  CHECK(table.cell(0, 0).interval->low < 0.3);
  CHECK(table.cell(0, 0).interval->high > 0.3);
  CHECK(table.cell(1, 0).best);  // by the median; not by the mean
  CHECK(!compare(rows, {}).cell(1, 0).best);
  CHECK(holds(to_text(table), "median [95 % confidence interval, BCa bootstrap"));
  CHECK(holds(as_text(rows, TableFormat::latex, request), ",\\, "));

  request.aggregate = statistics::Aggregate::standard_deviation;
  for (const Cell& cell : compare(rows, request).cells) CHECK(!cell.best);
  request.aggregate = statistics::Aggregate::minimum;
  table = compare(rows, request);
  CHECK(*table.cell(0, 0).result == 0.1);
  CHECK(!table.cell(0, 0).interval);
  CHECK(table.cell(0, 0).best);
  request.interval = IntervalKind::t;
  CHECK(holds(refusal(rows, request), "A t interval is only for a mean. For a min,"));
}

TEST_CASE("intervals can be left out, and counts shown everywhere") {
  const std::string text = to_text(compare(small_experiment(), {.interval = IntervalKind::none, .counts = true}));
  CHECK(holds_all(text, {"**0.02000** (n = 3)", "0.3000 (n = 2, 1 failed)",
                         "Held-out triplet error (metrics.heldout_error): mean over 3 repeats"}));
}

TEST_CASE("cells not significantly worse than the best are bold too") {
  const auto rows = three_methods(10);
  const ComparisonTable table = compare(rows, tested(statistics::PairedTest::wilcoxon));
  REQUIRE(table.references[0] == 0);
  CHECK(table.cell(0, 0).best);
  CHECK(!table.cell(0, 0).comparison);
  // b is worse ten times of ten: p = 2 / 2^10, twice that after Holm; c five times of ten.
  const Comparison& b = *table.cell(1, 0).comparison;
  CHECK(b.test.pairs == 10);
  CHECK(*b.test.p == doctest::Approx(2.0 / 1024).epsilon(1e-12));
  CHECK(*b.corrected == doctest::Approx(4.0 / 1024).epsilon(1e-12));
  CHECK(b.different);
  CHECK(b.difference == doctest::Approx(0.0145));
  CHECK(!table.cell(1, 0).tied);
  const Comparison& c = *table.cell(2, 0).comparison;
  CHECK(*c.corrected > 0.05);
  CHECK(table.cell(2, 0).tied);
  const std::string text = to_text(table);
  CHECK(holds_all(text, {"not significantly worse (two-sided paired Wilcoxon signed-rank test, Holm's "
                         "correction over a column, alpha = 0.05)",
                         "0.0039 (10)", "| c      | **"}));
  CHECK(!holds(text, "| b      | **"));
}

TEST_CASE("where nothing is significantly worse than the best, nothing is bold") {
  auto rows = three_methods(10);
  std::erase_if(rows, [](const Row& row) { return text_field(row, "method") == "b"; });
  const std::string text = to_text(compare(rows, tested(statistics::PairedTest::wilcoxon)));
  CHECK(holds(text, "tested against the best of each column"));
  CHECK(holds_none(text, {"in bold", "**"}));
}

TEST_CASE("against a baseline better and worse cells are marked, and only the best is bold") {
  const auto rows = three_methods(10);
  TableRequest request = tested(statistics::PairedTest::t, "b");
  const ComparisonTable table = compare(rows, request);
  CHECK(table.references[0] == 1);
  CHECK(table.cell(0, 0).comparison->different);
  CHECK(table.cell(0, 0).comparison->difference < 0);
  CHECK(!table.cell(2, 0).tied);
  const std::string text = to_text(table);
  CHECK(holds_all(text,
                  {"** †", "† marks values significantly better than b, ‡ values significantly worse", "baseline"}));
  request.significance->baseline = "a";
  CHECK(holds(to_text(compare(rows, request)), " ‡ |"));
  CHECK(holds(as_text(rows, TableFormat::latex, request), "^{\\ddagger}$"));
  request.significance->baseline = "d";
  CHECK(holds(refusal(rows, request), "There is no row 'd'."));
}

TableRequest differences_from(std::string baseline) {
  return {.significance = SignificanceRequest{.baseline = std::move(baseline)}, .differences = true};
}

TEST_CASE("differences from a baseline are paired: their interval leaves out what both share") {
  const auto rows = three_methods(10);
  const ComparisonTable values = compare(rows, tested(statistics::PairedTest::wilcoxon, "a"));
  const ComparisonTable table = compare(rows, differences_from("a"));
  std::vector<double> expected;  // of b, by three_methods()
  for (int r = 0; r < 10; ++r) expected.push_back(0.01 + 0.001 * r);
  const Cell& b = table.cell(1, 0);
  REQUIRE(b.samples.size() == 10);
  CHECK(*b.result == doctest::Approx(0.0145).epsilon(1e-12));
  CHECK(*b.half_width == doctest::Approx(statistics::t_half_width(expected, 0.95)).epsilon(1e-10));
  CHECK(*b.half_width < *values.cell(1, 0).half_width / 5);
  CHECK(*table.cell(0, 0).result == *values.cell(0, 0).result);
  CHECK(*b.comparison->corrected == *values.cell(1, 0).comparison->corrected);
  for (const Cell& cell : table.cells) CHECK_FALSE((cell.best || cell.tied));

  const std::string text = to_text(table);
  CHECK(holds_all(
      text, {"+0.0145 ± 0.0022 ‡ |",
             fmt::format("| {:.3f} ± {:.3f} (baseline) |", *table.cell(0, 0).result, *table.cell(0, 0).half_width),
             "Held-out triplet error (metrics.heldout_error): differences from a, paired over repeats; the "
             "baseline's cells hold its "
             "own values; mean ± half-width of the 95 % confidence interval (Student's t) over 10 repeats",
             "‡ values significantly worse (two-sided paired Wilcoxon signed-rank test"}));
  CHECK_FALSE(holds(text, "**"));
  const auto from_b = [&](TableFormat format) { return as_text(rows, format, differences_from("b")); };
  CHECK(holds(from_b(TableFormat::markdown), "-0.0145 ± 0.0022 † |"));
  CHECK(holds(from_b(TableFormat::latex), "$-0.0145 \\pm 0.0022^{\\dagger}$"));
  CHECK(from_b(TableFormat::csv).starts_with(kCsvHead));
  CHECK(holds_all(from_b(TableFormat::csv), {",0.95,10,0,0,,mean difference,-0.0145", ",0.95,10,0,0,,mean,0."}));
  const Value json = parse_json(from_b(TableFormat::json), "table");
  CHECK(*json.get_if<ValueTable>()->find("differences") == Value(true));
}

TEST_CASE("differences are over all repetitions that a row shares with the baseline, whatever a third row lacks") {
  std::vector<Row> rows;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const bool first = repeat < 2;
    if (repeat < 6) rows.push_back(run("few", "d", repeat, "0.3"));
    if (first || repeat >= 6) rows.push_back(run("others", "d", repeat, "0.35"));
    rows.push_back(run("c", "d", repeat, first ? "0.20" : fmt::format("0.4{}", repeat)));
    rows.push_back(run("d", "d", repeat, first ? "0.25" : "0.10"));
  }
  const std::string text = to_text(compare(rows, differences_from("c")));
  CHECK(holds_all(text, {" -0.27 ± 0.12 † |", "(n = 6)"}));
  CHECK_FALSE(holds(text, "Rows are compared on"));
  CHECK_FALSE(holds(text, "third row"));
}

TEST_CASE("differences of few or missing repetitions are shown without marks, and a note says what the test needs") {
  std::vector<Row> rows = three_methods(4);
  std::erase_if(rows,
                [](const Row& row) { return text_field(row, "method") == "c" && text_field(row, "repeat") != "2"; });
  rows.push_back(run("c", "d", 9, "0.5"));  // a repetition that the baseline lacks
  const std::string text = to_text(compare(rows, differences_from("a")));
  CHECK(holds_all(text, {"+0.0115 ± 0.0021 |", "+0.0200 (n = 1) |",
                         "Nothing is marked as better or worse: with 4 repeats the test can find no difference."}));

  rows.push_back(run("b", "only b", 0, "0.5"));  // a column that the baseline lacks
  const ComparisonTable table = compare(rows, differences_from("a"));
  CHECK_FALSE(table.cell(1, 1).result);
  CHECK(holds(to_text(table), "1 of 2 columns was not tested: the baseline has no value there."));

  TableRequest request = differences_from("");
  CHECK(holds(refusal(rows, request), "--differences METHOD"));
  request.significance.reset();
  CHECK(holds(refusal(rows, request), "--differences METHOD"));
  CHECK(holds(refusal(rows, differences_from("aa")), "There is no row 'aa'."));
}

TEST_CASE("LaTeX prints the caption with its test, and the heading of the p-values") {
  const std::string latex = as_text(three_methods(9), TableFormat::latex, tested(statistics::PairedTest::wilcoxon));
  CHECK(count_of(latex, "%") == count_of(latex, "\\%") + 1);  // one comment, on the package
  const auto first = latex.find("\\begin{tabular}");
  const auto caption = latex.find("Wilcoxon signed-rank test, Holm's correction over a column, alpha = 0.05");
  const auto heading = latex.find("p of the difference from the best, corrected");
  const auto second = latex.rfind("\\begin{tabular}");
  REQUIRE(heading != latex.npos);
  CHECK(latex.find("\\caption{") < caption);
  CHECK(caption < first);
  CHECK(first < heading);
  CHECK(heading < second);
  CHECK(count_of(latex, "\\begin{table}") == 1);
  CHECK(latex.ends_with("\\end{table}\n"));
}

TEST_CASE("pairs are the repetitions that both have, in any order of the rows") {
  auto rows = three_methods(9);
  std::erase_if(rows, [](const Row& row) { return row.method == "b" && row.repeat == 3; });
  std::ranges::reverse(rows);
  const ComparisonTable table = compare(rows, tested(statistics::PairedTest::wilcoxon, "a"));
  REQUIRE(table.row_keys[1][0] == "b");
  CHECK(table.cell(1, 0).comparison->test.pairs == 8);
  CHECK(table.cell(1, 0).comparison->difference == doctest::Approx(0.01 + 0.001 * 33 / 8));
  CHECK(table.cell(2, 0).comparison->test.pairs == 9);
}

TEST_CASE("no row is called worse by repetitions that its mean leaves out") {
  std::vector<Row> rows;
  for (int repeat = 0; repeat < 24; ++repeat) {
    const double error = 0.2 + 0.001 * repeat;
    const bool shared = repeat < 10;  // of b, which ends the others' lead in the rest
    rows.push_back(run("a", "d", repeat, fmt::format("{}", error + (shared ? 0 : 0.5))));
    rows.push_back(run("b", "d", repeat, fmt::format("{}", error + (shared ? 0.01 + 0.002 * repeat : 0))));
    if (shared) rows.push_back(run("c", "d", repeat, fmt::format("{}", error + 0.1)));
  }
  const ComparisonTable table = compare(rows, tested(statistics::PairedTest::wilcoxon));
  CHECK(table.cell(0, 0).best);
  CHECK(table.cell(1, 0).comparison->contrary);
  CHECK_FALSE(table.cell(1, 0).comparison->test.p);
  CHECK_FALSE(marks_best(table, 0));
  CHECK(holds(join(table.test_notes, " "), "1 comparison is without a p: by all pairs"));
}

TEST_CASE("a note says when pairs are too few for any significance") {
  const auto note_of = [](int repeats) {
    const auto notes = compare(three_methods(repeats), tested(statistics::PairedTest::wilcoxon)).test_notes;
    return notes.empty() ? std::string() : notes[0];
  };
  // Two comparisons: 2^(1-n) <= 0.025 takes seven.
  CHECK(holds_all(note_of(6), {"Nothing is marked: with 6 repeats", "at least 0.0312", "needs at least 7 repeats"}));
  CHECK(holds(note_of(1), "with 1 repeat the test"));
  CHECK(note_of(7).empty());
  const auto few = compare(three_methods(6), tested(statistics::PairedTest::wilcoxon));
  CHECK(tests_of(few, 0).needed == 7);
  CHECK(!few.cell(1, 0).tied);
  CHECK(!few.cell(1, 0).comparison->conclusive);
  CHECK(!marks_best(few, 0));
  CHECK(holds(to_text(few), few.test_notes[0]));
  // By t there is no such bound.
  CHECK(compare(three_methods(2), tested(statistics::PairedTest::t)).cell(1, 0).comparison->conclusive);
  // One row of few pairs among others of enough: nothing can be told of it alone.
  auto rows = three_methods(9);
  std::erase_if(rows, [](const Row& row) { return row.method == "c" && row.repeat >= 5; });
  const auto uneven = compare(rows, tested(statistics::PairedTest::wilcoxon));
  CHECK(uneven.test_notes.empty());
  CHECK(tests_of(uneven, 0).fewest_pairs == 5);
  CHECK(uneven.cell(1, 0).comparison->conclusive);
  CHECK(!uneven.cell(2, 0).tied);
  CHECK(!uneven.cell(2, 0).comparison->conclusive);
}

TEST_CASE("a test without power marks nothing, and every format says so") {
  TableRequest request = tested(statistics::PairedTest::wilcoxon);
  const auto text = [&](int repeats, TableFormat format) { return as_text(three_methods(repeats), format, request); };
  const std::string markdown = text(3, TableFormat::markdown);
  CHECK(holds_none(markdown, {"**", "in bold"}));
  CHECK(holds(markdown, "\nNothing is marked: "));
  // LaTeX prints the note: it stands after the table and not behind a percent sign.
  const std::string latex = text(3, TableFormat::latex);
  CHECK(!holds(latex, "\\mathbf"));
  const auto note = latex.find("Nothing is marked: ");
  REQUIRE(note != latex.npos);
  CHECK(note > latex.rfind("\\end{tabular}"));
  CHECK(latex.rfind('%', note) < latex.rfind('\n', note));
  CHECK(holds(latex, "needs at least 7 repeats"));
  // CSV and JSON name no best and no ties there; CSV says how many pairs it would take.
  const std::string csv = text(3, TableFormat::csv);
  CHECK(holds(csv, ",7,\n"));
  CHECK(!holds(csv, "true"));
  CHECK(holds(text(7, TableFormat::csv), ",true,mean,"));
  CHECK(holds(text(3, TableFormat::json), "Nothing is marked: "));
  CHECK(count_of(text(3, TableFormat::json), "\"best\": null") == 3);
  CHECK(count_of(text(7, TableFormat::json), "\"best\": true") == 1);
  CHECK(holds(text(7, TableFormat::markdown), "**"));
  // Against a baseline, the best by its mean stays bold, and nothing is better or worse.
  request.significance->baseline = "b";
  const std::string against = text(3, TableFormat::markdown);
  CHECK(holds_all(against, {"**", "Nothing is marked as better or worse: "}));
  // With power, columns without are named by their number.
  auto rows = three_methods(9);
  for (ValueTable row : three_methods(3)) {
    row.find("dataset")->get_if<ValueTable>()->set("id", "few");
    rows.push_back(std::move(row));
  }
  const ComparisonTable both = compare(rows, tested(statistics::PairedTest::wilcoxon));
  CHECK(holds(both.test_notes[0], "In 1 of 2 tested columns nothing is marked"));
  CHECK(marks_best(both, both.col_keys[0][0] == "few" ? 1 : 0));
}

TEST_CASE("folds of a single repeat are the repetitions, with a caveat about their intervals") {
  std::vector<Row> folds;
  for (int f = 0; f < 5; ++f)
    for (const char* method : {"a", "b"})
      folds.push_back(run(method, "d", 0, shortest(0.1 + 0.01 * f), fmt::format(R"(,"fold":{})", f)));
  CHECK(default_over(folds) == "fold");
  CHECK(default_over(three_methods(3)) == "repeat");
  folds.push_back(run("a", "d", 1, "0.2", R"(,"fold":0)"));
  CHECK(default_over(folds) == "repeat");
  folds.pop_back();
  const ComparisonTable by_repeat = compare(folds, {});
  CHECK(by_repeat.notes.empty());
  CHECK(holds(caption(by_repeat),
              "mean of 5 folds of only one repeat, so no interval (--over fold gives one over the folds)"));
  const ComparisonTable by_fold = compare(folds, {.over = "fold"});
  CHECK(by_fold.cell(0, 0).half_width.has_value());
  REQUIRE(by_fold.notes.size() == 1);
  CHECK(holds(by_fold.notes[0], "Folds share training data"));
}

TEST_CASE("repeats that are copies, or hold out the same answers, are no sample: no test, no p") {
  std::vector<Row> copies, starts, chance, people;
  for (int r = 0; r < 8; ++r)
    for (const bool first : {true, false}) {
      const char* method = first ? "a" : "b";
      copies.push_back(run(method, "d", r, first ? "0.1513" : "0.1261"));
      starts.push_back(run(method, "d", r, shortest((first ? 0.15 : 0.12) + 0.001 * r)));
      starts.back().set(first ? "dataset.options.test" : "heldout_digest", "x");
      people.push_back(starts.back());
      people.back().set(first ? "dataset.options.test" : "split_digest", "");
      people.back().set("heldout_digest", std::to_string(r % 3));
      chance.push_back(copies.back());
      chance.back().set("split_digest", std::to_string(r));
    }
  for (const auto test : {statistics::PairedTest::wilcoxon, statistics::PairedTest::t}) {
    const ComparisonTable same = compare(copies, tested(test));
    CHECK(holds_all(to_text(same), {" 0.1513 |", " 0.1261 |", "are copies", "1 comparisons have no test"}));
    CHECK(holds_none(to_text(same), {"±", "**"}));
    CHECK(holds_all(to_text(compare(chance, tested(test))), {" 0.1513 ± 0.0000 |", "0.1261 ± 0.0000"}));
    CHECK(compare(chance, tested(test)).cell(0, 0).comparison->test.p.has_value() ==
          (test != statistics::PairedTest::t));
    const std::string of_starts = to_text(compare(starts, tested(test)));
    CHECK(holds(of_starts, "hold out the same answers"));
    CHECK(holds_none(of_starts, {"**", "(8)", "tested against", "all their differences are equal"}));
    CHECK(holds(to_text(compare(people, tested(test))), "the same few sets of them again"));
    for (Row& row : people) row.set("heldout_digest", std::to_string(row.repeat % 7));  // one twice
    CHECK(compare(people, tested(test)).cell(0, 0).same_answers);
  }
  TableRequest costs = tested(statistics::PairedTest::wilcoxon);
  costs.value = "repeat";  // anything but held-out answers is tested as ever
  CHECK_FALSE(compare(starts, costs).cell(0, 0).same_answers);
  const ComparisonTable over_data = compare(starts, {.cols = "", .over = "dataset"});
  CHECK_FALSE(over_data.cell(0, 0).same_answers);
}

TEST_CASE("notes name the limits of tests: no direction, folds, no repetition, constant differences") {
  const auto rows = three_methods(8);
  TableRequest request = tested(statistics::PairedTest::t);
  request.directions.clear();
  const ComparisonTable unknown = compare(rows, request);
  REQUIRE(unknown.test_notes.size() == 1);
  CHECK(holds(unknown.test_notes[0], "1 of 1 columns was not tested"));
  CHECK(!holds(to_text(unknown), "significantly"));
  request.over = "";
  CHECK(holds(refusal(rows, request), "--over repeat"));
  request = tested(statistics::PairedTest::t);
  request.significance->alpha = 5;
  CHECK(holds(refusal(rows, request), "between 0 and 1"));

  std::vector<Row> folds, shifted;
  for (int r = 0; r < 8; ++r) {
    folds.push_back(run("a", "d", 0, shortest(0.1 + 0.01 * r), fmt::format(R"(,"fold":{})", r)));
    folds.push_back(run("b", "d", 0, shortest(0.2 + 0.03 * r), fmt::format(R"(,"fold":{})", r)));
    shifted.push_back(run("a", "d", r, shortest(0.125 * r)));
    shifted.push_back(run("b", "d", r, shortest(0.125 * r + 0.5)));
  }
  request = tested(statistics::PairedTest::t);
  request.over = "fold";
  CHECK(holds(compare(folds, request).notes.back(), "p-values too low"));
  request.over = "repeat";
  const ComparisonTable constant = compare(shifted, request);
  CHECK(!constant.cell(1, 0).comparison->corrected);
  CHECK(!constant.cell(1, 0).tied);
  CHECK(holds(constant.test_notes[0], "all their differences are equal"));
}

TEST_CASE("JSON holds the whole table, to the bit") {
  const TableRequest request = tested(statistics::PairedTest::wilcoxon);
  const auto rows = three_methods(10);
  const ComparisonTable table = compare(rows, request);
  const Value read = parse_json(as_text(rows, TableFormat::json, request), "table");
  const ValueTable& all = *read.get_if<ValueTable>();
  CHECK(*all.find("rows") == Value(ValueArray{ValueArray{"a"}, ValueArray{"b"}, ValueArray{"c"}}));
  CHECK(*all.find("references") == Value(ValueArray{std::int64_t{0}}));
  const ValueTable& b =
      *all.find("cells")->get_if<ValueArray>()->at(1).get_if<ValueArray>()->at(0).get_if<ValueTable>();
  CHECK(*b.find("result") == Value(*table.cell(1, 0).result));
  CHECK(*b.find("low") == Value(table.cell(1, 0).interval->low));
  CHECK(b.find("values")->get_if<ValueArray>()->size() == 10);
  const ValueTable& comparison = *b.find("comparison")->get_if<ValueTable>();
  CHECK(*comparison.find("corrected_p") == Value(*table.cell(1, 0).comparison->corrected));
  CHECK(*comparison.find("exact") == Value(true));
  CHECK(*comparison.find("conclusive") == Value(true));
  CHECK(all.find("test")->get_if<ValueTable>()->find("name")->get_if<std::string>()->compare("wilcoxon") == 0);
  CHECK(holds(as_text(rows, TableFormat::csv, request), ",false,a,10,"));
}

}  // namespace
}  // namespace tables_test
