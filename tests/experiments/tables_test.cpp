#include "experiments/tables.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/json.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace {

using namespace alidade;

const double kT2 =
    0.95 / std::sqrt(2 * 0.975 * 0.025);  // the 97.5 % quantile with 2 degrees of freedom

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

Table row_of(std::string_view json) { return *parse_json(json, "test").get_if<Table>(); }

Table run(std::string_view method, std::string_view dataset, int repeat, std::string_view error,
          std::string_view more = "") {
  return row_of(fmt::format(
      R"({{"schema":1,"status":"ok","method":"{0}",
      "dataset":{{"id":"{1}","name":"{1}"}},"repeat":{2},"metrics":{{"heldout_error":{3}}}{4}}})",
      method, dataset, repeat, error, more));
}

Table failed(std::string_view method, std::string_view dataset, int repeat,
             std::string_view status = "failed") {
  return row_of(fmt::format(
      R"({{"schema":1,"run_id":"{0}/{1}/{2}","status":"{3}","method":"{0}",
      "dataset":{{"id":"{1}","name":"{1}"}},"repeat":{2},"metrics":{{"heldout_error":null}}}})",
      method, dataset, repeat, status));
}

std::vector<Table> small_experiment() {
  return {run("ETE", "europe", 0, "0.01"),   run("ETE", "europe", 1, "0.02"),
          run("ETE", "europe", 2, "0.03"),   run("ETE", "zoo", 0, "0.25"),
          run("ETE", "zoo", 1, "0.35"),      failed("ETE", "zoo", 2),
          run("t_STE", "europe", 0, "0.04"), run("t_STE", "europe", 1, "0.04"),
          run("t_STE", "europe", 2, "0.04"), run("t_STE", "zoo", 0, "0.5"),
          run("t_STE", "zoo", 1, "0.5"),     run("t_STE", "zoo", 2, "0.5")};
}

template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "(no error)";
}

std::string refusal(const std::vector<Table>& rows, const TableRequest& request) {
  return message_of<ConfigError>([&] { (void)compare(rows, request); });
}

std::string as_text(const std::vector<Table>& rows, TableFormat format) {
  TableRequest request;
  request.format = format;
  return to_text(compare(rows, request));
}

TEST_CASE("the half-width is Student's: values 1, 2, 3 at 95 %, and 1, 2, 3, 4 at 90 %") {
  // t(2, p) = (2p - 1) / sqrt(2p(1 - p)) exactly; t(3, 0.95) = 2.353363434801823 is in every printed table.
  const std::vector<Sample> three{{"0", 1, 1}, {"1", 2, 1}, {"2", 3, 1}};
  CHECK(interval_half_width(three, 0.95) == doctest::Approx(kT2 / std::sqrt(3.0)).epsilon(1e-13));
  const std::vector<Sample> four{{"0", 1, 1}, {"1", 2, 1}, {"2", 3, 1}, {"3", 4, 1}};
  CHECK(interval_half_width(four, 0.90) ==
        doctest::Approx(2.353363434801823 * std::sqrt(5.0 / 3.0) / 2).epsilon(1e-13));
}

TEST_CASE("a cell has the mean over repeats, its interval, and what failed") {
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
  CHECK(*table.cell(1, 1).half_width == 0.0);
}

TEST_CASE("a method that failed somewhere is not called best, however low its mean") {
  const auto rows = small_experiment();
  const ComparisonTable table = compare(rows, {});
  CHECK(table.cell(0, 1).mean < table.cell(1, 1).mean);
  CHECK(!table.cell(0, 1).best);
  CHECK(table.cell(1, 1).best);
}

TEST_CASE("a mean over fewer repeats than others have is not called best") {
  const ComparisonTable table = compare(
      std::vector<Table>{run("a", "d", 0, "0.1"), run("b", "d", 0, "0.2"), run("b", "d", 1, "0.3"),
                         run("c", "d", 0, "0.4"), run("c", "d", 1, "0.4")},
      {});
  CHECK(!table.cell(0, 0).best);
  CHECK(table.cell(1, 0).best);
  CHECK(!table.cell(2, 0).best);
}

TEST_CASE(
    "best follows the direction, is shared by equals, and needs a known direction and a rival") {
  const std::vector<Table> rows{
      row_of(
          R"({"run_id":"1","status":"ok","method":"a","dataset":"d","metrics":{"knn_accuracy":0.9,"odd":1}})"),
      row_of(
          R"({"run_id":"2","status":"ok","method":"b","dataset":"d","metrics":{"knn_accuracy":0.7,"odd":2}})"),
      row_of(
          R"({"run_id":"3","status":"ok","method":"c","dataset":"d","metrics":{"knn_accuracy":0.9,"odd":3}})")};
  TableRequest request;
  request.value = "metrics.knn_accuracy";
  const ComparisonTable higher = compare(rows, request);
  CHECK(higher.cell(0, 0).best);
  CHECK(!higher.cell(1, 0).best);
  CHECK(higher.cell(2, 0).best);
  request.directions = {{"knn_accuracy", false}};
  CHECK(compare(rows, request).cell(1, 0).best);
  request.value = "metrics.odd";
  for (const Cell& cell : compare(rows, request).cells) CHECK(!cell.best);
  request.value = "metrics.knn_accuracy";
  CHECK(!compare(std::vector<Table>{rows[0]}, request).cell(0, 0).best);
  for (const Cell& cell : compare(std::vector<Table>{rows[0], rows[2]}, request).cells)
    CHECK(!cell.best);  // nothing is worse
}

TEST_CASE("the directions of all metrics of the catalog are known") {
  for (const metrics::Metric& metric : metrics::metric_catalog().entries()) {
    CAPTURE(metric.name);
    CHECK(higher_is_better(usual_directions(), "metrics." + metric.name) ==
          metric.higher_is_better);
  }
  CHECK(higher_is_better(usual_directions(), "metrics.trustworthiness") == true);
  CHECK(higher_is_better(usual_directions(), "seconds.solve") == false);
}

TEST_CASE("Markdown as it is printed") {
  CHECK(as_text(small_experiment(), TableFormat::markdown) ==
        "| method |            europe |                           zoo |\n"
        "|:-------|------------------:|------------------------------:|\n"
        "| ETE    | **0.020 ± 0.025** | 0.30 ± 0.64 (n = 2, 1 failed) |\n"
        "| t_STE  |     0.040 ± 0.000 |               **0.50 ± 0.00** |\n"
        "\n"
        "metrics.heldout_error: mean ± half-width of the 95 % confidence interval (Student's t) "
        "over 3 "
        "repeats; lower is better, best in bold.\n");
}

TEST_CASE("CSV has one line a cell and loses no digit") {
  const std::vector<Table> rows{run("a, b", "d", 0, "0.1"),
                                run("a, b", "d", 1, "0.30000000000000004"), run("c", "d", 0, "0.7"),
                                failed("c", "d", 1)};
  const double half_width = *compare(rows, {}).cell(0, 0).half_width;
  CHECK(half_width == doctest::Approx(0.1 * std::tan(0.475 * std::numbers::pi)).epsilon(1e-12));
  CHECK(as_text(rows, TableFormat::csv) ==
        "method,dataset,value,mean,half_width,confidence,n,failed,skipped,best\n"
        "\"a, b\",d,metrics.heldout_error,0.2," +
            shortest(half_width) +
            ",0.95,2,0,0,true\n"
            "c,d,metrics.heldout_error,0.7,,0.95,1,1,0,false\n");
}

TEST_CASE("LaTeX with booktabs and escaped names") {
  CHECK(as_text(small_experiment(), TableFormat::latex) ==
        "% Needs \\usepackage{booktabs}. metrics.heldout_error: mean ± half-width of the 95 % "
        "confidence "
        "interval (Student's t) over 3 repeats; lower is better, best in bold.\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "method & europe & zoo \\\\\n"
        "\\midrule\n"
        "ETE & $\\mathbf{0.020 \\pm 0.025}$ & $0.30 \\pm 0.64$ (n = 2, 1 failed) \\\\\n"
        "t\\_STE & $0.040 \\pm 0.000$ & $\\mathbf{0.50 \\pm 0.00}$ \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n");
}

TEST_CASE("names can not break out of a format") {
  const auto row = [](std::string_view method) {
    Table table = run("x", "d", 0, "0.5");
    table.set("method", std::string(method));
    return std::vector<Table>{table};
  };
  CHECK(has(as_text(row("a|b<i>*c*"), TableFormat::markdown), "| a\\|b\\<i>\\*c\\* |"));
  CHECK(has(as_text(row("two\nlines"), TableFormat::markdown), "| two lines |"));
  CHECK(has(
      as_text(row("50% & $x_1^2$ #{}~\\"), TableFormat::latex),
      "50\\% \\& \\$x\\_1\\textasciicircum{}2\\$ \\#\\{\\}\\textasciitilde{}\\textbackslash{} &"));
  CHECK(has(as_text(row("a,\"b\"\n"), TableFormat::csv), "\n\"a,\"\"b\"\"\n\",d,"));
}

TEST_CASE("no rows make an empty table in every format") {
  CHECK(as_text({}, TableFormat::markdown) == "There are no runs to compare.\n");
  CHECK(as_text({}, TableFormat::csv) ==
        "method,dataset,value,mean,half_width,confidence,n,failed,skipped,best\n");
  CHECK(has(as_text({}, TableFormat::latex), "no runs to compare"));
}

TEST_CASE("where all failed the table says so, and any metric may be asked for") {
  const std::vector<Table> rows{failed("ETE", "europe", 0), failed("ETE", "europe", 1),
                                failed("MU", "europe", 0, "skipped")};
  const std::string text = as_text(rows, TableFormat::markdown);
  CHECK(has(text, "2 failed"));
  CHECK(has(text, "skipped"));
  CHECK(has(text, "no run has a value"));
  CHECK(as_text(rows, TableFormat::csv) ==
        "method,dataset,value,mean,half_width,confidence,n,failed,skipped,best\n"
        "ETE,europe,metrics.heldout_error,,,0.95,0,2,0,false\n"
        "MU,europe,metrics.heldout_error,,,0.95,0,0,1,false\n");
  TableRequest request;
  request.value = "metrics.anything";
  CHECK(compare(rows, request).cells.size() == 2);
}

TEST_CASE("an interrupted run does not count, and its method is not called best") {
  Table cut = run("a", "d", 1, "0.0");
  cut.set("status", "cancelled");
  const ComparisonTable table =
      compare(std::vector<Table>{run("a", "d", 0, "0.1"), cut, run("b", "d", 0, "0.2")}, {});
  CHECK(table.cell(0, 0).mean == 0.1);
  CHECK(!table.cell(0, 0).best);
  CHECK(table.cell(1, 0).best);
  CHECK(has(to_text(table), "0.1000 (1 cancelled)"));
}

TEST_CASE("a run without the value is not a zero") {
  const ComparisonTable table =
      compare(std::vector<Table>{run("a", "d", 0, "null"), run("a", "d", 1, "0.5")}, {});
  CHECK(table.cell(0, 0).mean == 0.5);
  CHECK(table.cell(0, 0).samples.size() == 1);
  CHECK(table.cell(0, 0).absent == 1);
  CHECK(!table.cell(0, 0).half_width);
}

TEST_CASE("runs that share a repeat are one value, and what they differ in is said") {
  const ComparisonTable table = compare(
      std::vector<Table>{
          run("a", "d", 0, "0.1", R"(,"fold":0,"problem":{"name":"ete","options":{"t":2}})"),
          run("a", "d", 0, "0.3", R"(,"fold":1,"problem":{"name":"ete","options":{"t":3}})"),
          run("a", "d", 1, "0.4", R"(,"fold":0,"problem":{"name":"ete","options":{"t":2}})")},
      {});
  const Cell& cell = table.cell(0, 0);
  REQUIRE(cell.samples.size() == 2);
  CHECK(cell.samples[0].value == doctest::Approx(0.2));
  CHECK(cell.samples[0].runs == 2);
  CHECK(cell.mean == doctest::Approx(0.3));
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0] ==
        "A value of repeat averages up to 2 runs, which differ in fold, problem.options.t.");
}

TEST_CASE("several fields join, absent ones get a dash, and numbers sort by size") {
  const std::vector<Table> rows{
      run("a", "d", 0, "0.1", R"(,"problem":{"name":"ete","options":{"t":10}})"),
      run("a", "d", 0, "0.2", R"(,"problem":{"name":"ete","options":{"t":2}})"),
      run("b", "d", 0, "0.3")};
  TableRequest request;
  request.rows = "method, problem.options.t";
  request.cols = "";
  const ComparisonTable table = compare(rows, request);
  CHECK(table.row_keys ==
        std::vector<std::vector<std::string>>{{"a", "2"}, {"a", "10"}, {"b", ""}});
  CHECK(table.col_keys.size() == 1);
  const std::string text = to_text(table);
  CHECK(has(text, "| method | problem.options.t | metrics.heldout_error |"));
  CHECK(has(text, "| b      | –                 |"));
}

TEST_CASE("the plan's order is kept where rows tell it, whatever order they ended in") {
  const std::vector<Table> rows{run("z", "d", 0, "0.1", R"(,"plan_index":0)"),
                                run("m", "d", 0, "0.1", R"(,"plan_index":2)"),
                                run("a", "d", 0, "0.1", R"(,"plan_index":1)")};
  CHECK(compare(rows, {}).row_keys == std::vector<std::vector<std::string>>{{"z"}, {"a"}, {"m"}});
}

TEST_CASE("very small and very large numbers share a power of ten") {
  const ComparisonTable small =
      compare(std::vector<Table>{run("a", "d", 0, "2e-9"), run("a", "d", 1, "4e-9")}, {});
  const auto numbers = column_numbers(small, 0);
  CHECK(numbers[0].exponent == -8);  // of the half-width 1.27e-8, the larger one
  CHECK(numbers[0].mean == "0.3");
  CHECK(numbers[0].half_width == "1.3");
  CHECK(has(to_text(small), "(0.3 ± 1.3) × 10^-8"));
  CHECK(column_numbers(compare(std::vector<Table>{run("a", "d", 0, "123456789")}, {}), 0)[0].mean ==
        "1.235");
  CHECK(column_numbers(compare(std::vector<Table>{run("a", "d", 0, "0")}, {}), 0)[0].mean == "0");
}

TEST_CASE("what can not be tabulated is refused with the nearest known name") {
  const auto rows = small_experiment();
  TableRequest request;
  request.value = "metrics.heldout_eror";
  CHECK(refusal(rows, request) ==
        "The rows have no field 'metrics.heldout_eror' for the value. Did you mean "
        "'metrics.heldout_error'?");
  request = {};
  request.rows = "methd";
  CHECK(has(refusal(rows, request), "Did you mean 'method'?"));
  request = {};
  request.over = "method,repaet";
  CHECK(has(refusal(rows, request), "Did you mean 'repeat'?"));
  request = {};
  request.value = "method";
  CHECK(has(refusal(rows, request), "'method' is text"));
  request = {};
  request.confidence = 95;
  CHECK(has(refusal(rows, request), "between 0 and 1"));
  request = {};
  request.rows = " ,";
  CHECK(has(refusal(rows, request), "such as method"));
  CHECK(has(message_of<ConfigError>([] { (void)table_format("latx"); }), "Did you mean 'latex'?"));
}

}  // namespace
