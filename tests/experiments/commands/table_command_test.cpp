// `alidade table` and `alidade ranks` on the results of one small experiment, as their users meet them.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/text_holds.hpp"

namespace table_command_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

constexpr const char* kExperiment = R"(
schema = 1
name = "small"
repeats = 7
[split]
holdout = 0.2
[[dataset]]
id = "thin"
name = "uniform"
n = 20
triplets = 300
[[dataset]]
id = "thick"
name = "uniform"
n = 20
triplets = 900
[[method]]
id = "lbfgs"
problem = "ste"
solver = { name = "ceres", max_iter = 40 }
[[method]]
id = "steepest"
problem = "ste"
solver = { name = "ceres", direction = "steepest_descent", max_iter = 3 }
[[method]]
id = "sgd"
problem = "ste"
solver = { name = "riemannian_sgd", max_iter = 4 }
[evaluate]
metrics = ["heldout_error", "train_error"]
trace_metrics = ["heldout_error"]
)";

/// The results, made once for all tests of this file.
const std::filesystem::path& results() {
  static const ScratchFolder scratch;
  static const std::filesystem::path folder = [] {
    write_text(scratch / "c.toml", kExperiment);
    run_well("run c.toml --jobs 2 -o results", scratch);
    return scratch / "results";
  }();
  return folder;
}

Ended command(const std::string& verb, std::vector<std::string> more) {
  more.insert(more.begin(), {verb, results().string()});
  return run_command(more);
}

Ended good(const std::string& verb, const std::vector<std::string>& more) {
  Ended ended = succeeded(command(verb, more));
  return ended;
}

}  // namespace

TEST_CASE("a table tests, filters and aggregates by its options") {
  const Ended tested = good("table", {"--value", "objective", "--better", "lower", "--test", "wilcoxon", "--baseline",
                                      "lbfgs", "--where", "dataset=thick"});
  CHECK(tested.err.empty());
  CHECK(holds(tested.out, "| method   |"));
  CHECK(!holds(tested.out, "thin"));
  CHECK(holds(tested.out, "‡"));  // three steps of steepest descent are worse seven times of seven
  CHECK(holds(tested.out, "baseline"));
  const Ended json =
      good("table", {"--format", "json", "--test", "t", "--aggregate", "median", "--counts", "--interval", "none"});
  const Value table = parse_json(json.out, "table");
  CHECK(*table.get_if<ValueTable>()->find("aggregate") == Value("median"));
  CHECK(table.get_if<ValueTable>()->find("cells")->get_if<ValueArray>()->size() == 3);
}

TEST_CASE("a note says in what problems differ whose objectives are compared") {
  const ScratchFolder scratch{{"c.toml", R"(
name = "two"
repeats = 6
[[dataset]]
name = "uniform"
n = 10
triplets = 60
[[method]]
problem = { name = "ste", lambda = [0.0, 1.0] }
solver = { name = "ceres", max_iter = 3 }
[[method]]
problem = { name = "ckl", lambda = 2.0 }
solver = { name = "ceres", max_iter = 3 }
)"}};
  const auto alidade = [&](const std::vector<std::string>& words) { return run_command(words, scratch); };
  REQUIRE(alidade({"run", "c.toml", "-o", "r"}).status == 0);
  const std::string note = "problems that differ in problem.options.lambda, problem";
  const std::vector<std::string> table = {"table", "r", "--value", "objective", "--better", "lower"};
  const auto said = [&](std::vector<std::string> more) {
    more.insert(more.begin(), table.begin(), table.end());
    const Ended ended = succeeded(alidade(more));
    return ended.err;
  };
  CHECK(holds_all(said({"--profile"}), {note, "--where problem.options.lambda=1"}));
  CHECK(holds(said({"--test", "wilcoxon"}), note));
  CHECK(said({}).empty());
  CHECK(said({"--profile", "--where", "problem.options.lambda=1"}).empty());
  CHECK(holds(said({"--profile", "--where", "problem=ste"}), "differ in problem.options.lambda. Where that changes"));
  // Columns keep problems apart, by either name of the field.
  CHECK(said({"--profile", "--rows", "solver", "--cols", "problem.options.lambda"}).empty());
  CHECK(said({"--profile", "--rows", "solver", "--cols", "problem.name", "--where", "problem.options.lambda!=0"})
            .empty());
}

TEST_CASE("an ablation table has the differences from its baseline on every data set") {
  const Ended ended = good("table", {"--value", "metrics.train_error", "--differences", "lbfgs", "--test", "t"});
  CHECK(ended.err.empty());
  CHECK(holds_all(ended.out, {"| method   |", "(baseline)", "differences from lbfgs, paired over repeats", "‡"}));
  CHECK(holds(good("table", {"--differences", "sgd", "--format", "csv"}).out, ",mean difference,"));
}

TEST_CASE("costs to a target, profiles and gaps are computed from the traces of a real run") {
  for (const std::string cost : {"seconds", "iterations", "evaluations", "terms"}) {
    CAPTURE(cost);
    const Ended ended = good("table", {"--target", "10%", "--by", cost, "--format", "csv"});
    CHECK(holds(ended.out, "method,dataset,median_cost,met,runs,failed,skipped,cancelled\nlbfgs,thin,"));
  }
  // Three iterations do not come where forty do.
  CHECK(holds(good("table", {"--target", "0.1%", "--format", "csv"}).out, "steepest,thick,,"));
  CHECK(holds(good("table", {"--target", "0.05", "--value", "metrics.heldout_error"}).out,
              "metrics.heldout_error within 0.05 of the best known value"));
  CHECK(holds(good("table", {"--target", "10%", "--profile"}).out, "rate of the 14 instances"));
  CHECK(holds(good("table", {"--target", "10%", "--data-profile", "--by", "terms"}).out, "| ever |"));
  CHECK(holds(good("table", {"--gaps", "best", "--by", "evaluations", "--format", "csv"}).out,
              "method,evaluations,median_gap,low_quartile,high_quartile,runs\nlbfgs,"));
}

TEST_CASE("evaluations and terms grow along every trace, up to the row's counts") {
  bool terms_seen = false;
  for (const ValueTable& row : read_rows(results())) {
    const std::string file = text_field(row, "files.trace");
    CAPTURE(file);
    const Value trace = parse_json(content_of(results() / file), file);
    const Value* column = trace.get_if<ValueTable>()->find("evaluations");
    REQUIRE(column);
    double before = 0;
    for (const Value& entry : *column->get_if<ValueArray>()) {
      const double now =
          entry.get_if<double>() ? *entry.get_if<double>() : static_cast<double>(*entry.get_if<std::int64_t>());
      CHECK(now >= before);
      CHECK(now >= 1);
      before = now;
    }
    CHECK(before <= *number_field(row, "counts.evaluations"));
    const bool stochastic = text_field(row, "method") == "sgd";
    if (!stochastic) CHECK(before > 3);
    terms_seen = terms_seen || stochastic;
    const Value* terms = trace.get_if<ValueTable>()->find("terms");
    REQUIRE(terms);
    CHECK((terms->get_if<ValueArray>()->back() != Value(0.0)) == stochastic);
  }
  CHECK(terms_seen);
}

TEST_CASE("best known values are kept in the named file") {
  const ScratchFolder scratch;
  const std::string file = (scratch / "best_known.json").string();
  const Ended first = good("table", {"--target", "1%", "--best-known", file});
  CHECK(holds(first.err, "14 instances, 14 of them new or improved"));
  const std::string kept = content_of(file);
  const Ended second = good("table", {"--target", "1%", "--best-known", file, "--where", "method=sgd"});
  CHECK(holds(second.err, "14 instances, 0 of them new or improved"));
  CHECK(content_of(file) == kept);
}

TEST_CASE("ranks checks its options, and draws") {
  const ScratchFolder scratch;
  const std::string svg = (scratch / "ranks.svg").string();
  const Ended ended = good("ranks", {"--svg", svg});
  CHECK(holds(ended.out, "average ranks over 2 data sets"));
  CHECK(content_of(svg).starts_with("<svg "));
  CHECK(holds(good("ranks", {"--post-hoc", "holm", "--control", "sgd", "--format", "csv"}).out, "corrected_p\n"));
  const Ended one = command("ranks", {"--where", "dataset=thin"});
  CHECK(one.status == 2);
  CHECK(holds(one.err, "alidade: Friedman's test needs at least two data sets"));
}

TEST_CASE("contradictory options are refused in one line") {
  const auto refusal = [](const std::vector<std::string>& more) {
    const Ended ended = command("table", more);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    return ended.err;
  };
  CHECK(holds_all(refusal({"--baseline", "sgd"}), {"Add --test wilcoxon", "--differences 'sgd'"}));
  CHECK(holds(refusal({"--differences", "sdg"}), "Did you mean 'sgd'?"));
  CHECK(holds(refusal({"--differences", "sgd", "--baseline", "sgd"}), "Leave out --baseline"));
  CHECK(holds(refusal({"--differences", "sgd", "--profile"}), "a table of its own"));
  CHECK(holds(refusal({"--best-known", "x.json"}), "--best-known needs a target"));
  CHECK(holds(refusal({"--data-profile"}), "--data-profile needs a target"));
  CHECK(holds(refusal({"--target", "1%", "--gaps", "best"}), "only one of them"));
  CHECK(holds(refusal({"--target", "near"}), "'near' is not a tolerance"));
  CHECK(holds(refusal({"--target", "1%", "--by", "second"}), "Did you mean 'seconds'?"));
  CHECK(holds(refusal({"--better", "worse"}), "--better is lower or higher, not 'worse'."));
  CHECK(holds(refusal({"--where", "dataset=none"}), "There is thin, thick."));
  CHECK(holds(refusal({"--test", "wilcoxn"}), "Did you mean 'wilcoxon'?"));
}

TEST_CASE("of data that changed between runs, only those run last are shown, and how to see the others") {
  const ScratchFolder scratch;
  const auto alidade = [&](const std::vector<std::string>& words) { return run_command(words, scratch); };
  write_text(scratch / "c.toml", R"(name = "own"
repeats = 2
[split]
holdout = 0.2
[[dataset]]
name = "triplets"
file = "answers.csv"
[[method]]
problem = "ste"
solver = { name = "ceres", max_iter = 2 }
)");
  const std::vector<std::string> data = {
      "anchor,near,far\na,b,c\na,c,d\nb,a,d\nc,d,a\nd,c,b\nb,c,d\na,b,d\nd,b,a\nc,b,a\nb,d,a\n",
      "anchor,near,far\na,b,c\na,c,d\nb,a,d\nc,d,a\nd,c,b\nb,c,d\na,b,d\nd,b,a\nc,b,e\nb,d,e\n",
      "anchor,near,far\na,b\n"};
  std::vector<std::string> contents;
  for (std::size_t i = 0; i < data.size(); ++i) {
    write_text(scratch / "answers.csv", data[i]);
    CHECK(alidade({"run", "c.toml", "-o", "r"}).status == (i < 2 ? 0 : 1));
    const auto rows = read_rows(scratch / "r");
    REQUIRE(rows.size() == 2 * (i + 1));
    contents.push_back(text_field(rows.back(), "dataset.content"));
    if (i != 1) continue;
    const std::string note =
        "Note: 2 runs on other data of 'triplets' are left out. To see them: alidade table r --where dataset.content=" +
        contents[0] + "\n";
    const std::vector<std::string> words = {"table", "r", "--value", "n", "--format", "csv"};
    for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{{}, {"--profile"}}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), more.begin(), more.end());
      CHECK(holds(alidade(all).err, note));
    }
    CHECK(holds(alidade({"table", "r", "--target", "1%"}).err, note));
    CHECK(holds(alidade({"table", "r", "--gaps", "best"}).err, note));
    CHECK(holds(alidade({"table", "r", "--value", "n", "--format", "json"}).out, "\"mean\": 5.0"));
    CHECK(holds(alidade({"report", "r", "-o", "-"}).out, "2 runs on other data of"));
    const Ended old =
        alidade({"table", "r", "--value", "n", "--where", "dataset.content=" + contents[0], "--format", "json"});
    CHECK(holds(old.out, "\"mean\": 4.0"));
    CHECK_FALSE(holds(old.err, "other data"));
    const Ended both = alidade({"table", "r", "--value", "n", "--cols", "dataset.content", "--format", "csv"});
    CHECK(holds_all(both.out, {contents[0], contents[1]}));
    CHECK_FALSE(holds(both.err, "other data"));
  }
  const Ended failed = alidade({"table", "r", "--value", "n", "--format", "json"});
  CHECK_FALSE(holds(failed.out, "\"mean\": 4."));
  CHECK(holds(failed.err, "4 runs on other data of 'triplets' are left out."));
}

TEST_CASE("planned runs without a row are named, and one repeat that is left is not the best") {
  const ScratchFolder scratch{{"answers.csv", "anchor,near,far\na,b,c\na,c,d\nb,a,d\nc,d,a\nd,c,b\nb,c,d\n"},
                              {"c.toml", R"(
name = "cut"
repeats = 3
dataset = [{ name = "triplets", file = "answers.csv" }]
method = [{ problem = "ste", solver = { name = "ceres", max_iter = 2 } }, { problem = "ckl" }]
)"}};
  const std::filesystem::path folder = scratch / "r";
  run_well("run c.toml -o r", scratch);
  const auto table = [&](std::size_t rows) {
    std::string kept;
    for (const RowLine& line : row_lines(content_of(folder / kRowsFile), "r"))
      if (line.number <= rows) kept += std::string(line.text) + "\n";
    write_text(folder / kRowsFile, kept);
    return run_command("table r --value objective --better lower", scratch);
  };
  const Ended whole = table(6), two = table(4), one = table(2);
  CHECK(holds(whole.out, "**"));
  CHECK_FALSE(holds(whole.err, "planned"));
  CHECK(holds(two.out, "**"));
  CHECK(holds(two.err,
              "2 of 6 planned runs have no row: ste / ceres on triplets, repeat 2; ckl / ceres on triplets, "
              "repeat 2. To do them: alidade run r/config.resolved.toml --out r"));
  CHECK_FALSE(holds(one.out, "**"));
  CHECK(holds(one.err, "4 of 6 planned runs"));
}

namespace {

/// Results of one method on eight objects.
struct OneMethod {
  ScratchFolder scratch;
  OneMethod(const std::string& id, int repeats, int starts = 1) {
    write_text(scratch / "c.toml", fmt::format(R"(name = "f"
repeats = {}
[[dataset]]
name = "uniform"
n = 8
triplets = 60
[[method]]
id = "{}"
problem = "ste"
solver = {{ name = "ceres", max_iter = 2, n_init = {} }}
)",
                                               repeats, id, starts));
    run_well("run c.toml -o r", scratch);
  }
  [[nodiscard]] Ended table(std::vector<std::string> options) const {
    options.insert(options.begin(), {"table", "r"});
    return run_command(options, scratch);
  }
};

}  // namespace

TEST_CASE("names that spreadsheets take for formulas are noted in CSV, and made text on demand") {
  const OneMethod results("=1+1", 1);
  const Ended plain = results.table({"--format", "csv"}),
              safe = results.table({"--format", "csv", "--spreadsheet-safe"});
  CHECK(holds(plain.out, "\n=1+1,"));
  CHECK(holds(plain.err, "add --spreadsheet-safe"));
  CHECK(holds(safe.out, "\n'=1+1,"));
  CHECK_FALSE(holds(safe.err, "--spreadsheet-safe"));
  const Ended markdown = results.table({"--spreadsheet-safe"});
  CHECK(markdown.status == 2);
  CHECK(holds(markdown.err, "Add --format csv"));
  CHECK_FALSE(holds(results.table({}).err, "spreadsheet"));
}

TEST_CASE("a table along the trace has a column for each of its points") {
  const OneMethod results("STE", 3);
  const Ended iterations = results.table({"--cols", "", "--along", "iteration"});
  CAPTURE(iterations.out + iterations.err);
  CHECK(holds_all(iterations.out, {"| 0 ± 0 | 1 ± 0 | 2 ± 0 § |", "guessing in 2 runs (STE on 2)",
                                   "iteration along the trace: mean ± half-width"}));
  const Ended quartiles =
      results.table({"--cols", "", "--along", "objective", "--aggregate", "median", "--interval", "quartiles"});
  CHECK(holds(quartiles.out, "median [quartiles] over 3 repeats"));
  const Ended of_starts = OneMethod("STE", 1, 2).table({"--along", "objective"});
  CHECK(holds(of_starts.err, "No run has a whole trace: of several starts"));
  const auto trace = *std::filesystem::directory_iterator(results.scratch / "r" / "traces");
  write_text(trace.path(), R"({"iteration": [], "objective": []})");
  const Ended empty = results.table({"--cols", "", "--along", "iteration"});
  CHECK(holds_all(empty.out, {"over 2 repeats", "1 run is left out"}));
  const Ended unknown = results.table({"--along", "violated_rows"});
  CHECK(unknown.status == 2);
  CHECK(holds(unknown.err, "has no 'violated_rows'"));
  CHECK(results.table({"--along", "objective", "--value", "n"}).status == 2);
  CHECK(holds(results.table({"--interval", "quartiles"}).err, "Quartiles are only for a median. For a mean,"));
}

}  // namespace table_command_test
