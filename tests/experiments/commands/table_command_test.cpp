// `alidade table` and `alidade ranks` on the results of one small experiment, as their users meet them.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "tests/support/command_line.hpp"

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

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// The results, made once for all tests of this file.
const std::filesystem::path& results() {
  static const ScratchFolder scratch;
  static const std::filesystem::path folder = [] {
    write_text(scratch.path() / "c.toml", kExperiment);
    const Ended ended = run_command({"run", "c.toml", "--jobs", "2", "-o", "results"}, scratch.path());
    CAPTURE(ended.err);
    REQUIRE(ended.status == 0);
    return scratch.path() / "results";
  }();
  return folder;
}

Ended command(const std::string& verb, std::vector<std::string> more) {
  more.insert(more.begin(), {verb, results().string()});
  return run_command(more);
}

Ended good(const std::string& verb, const std::vector<std::string>& more) {
  Ended ended = command(verb, more);
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  return ended;
}

}  // namespace

TEST_CASE("a table tests, filters and aggregates by its options") {
  const Ended tested = good("table", {"--value", "objective", "--better", "lower", "--test", "wilcoxon", "--baseline",
                                      "lbfgs", "--where", "dataset=thick"});
  CHECK(tested.err.empty());
  CHECK(has(tested.out, "| method   |"));
  CHECK(!has(tested.out, "thin"));
  CHECK(has(tested.out, "‡"));  // three steps of steepest descent are worse seven times of seven
  CHECK(has(tested.out, "baseline"));
  const Ended json =
      good("table", {"--format", "json", "--test", "t", "--aggregate", "median", "--counts", "--interval", "none"});
  const Value table = parse_json(json.out, "table");
  CHECK(*table.get_if<ValueTable>()->find("aggregate") == Value("median"));
  CHECK(table.get_if<ValueTable>()->find("cells")->get_if<ValueArray>()->size() == 3);
}

TEST_CASE("a note says in what problems differ whose objectives are compared") {
  const ScratchFolder scratch;
  write_text(scratch.path() / "c.toml", R"(
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
)");
  const auto alidade = [&](const std::vector<std::string>& words) { return run_command(words, scratch.path()); };
  REQUIRE(alidade({"run", "c.toml", "-o", "r"}).status == 0);
  const std::string note = "problems that differ in problem.options.lambda, problem";
  const std::vector<std::string> table = {"table", "r", "--value", "objective", "--better", "lower"};
  const auto said = [&](std::vector<std::string> more) {
    more.insert(more.begin(), table.begin(), table.end());
    const Ended ended = alidade(more);
    CHECK(ended.status == 0);
    return ended.err;
  };
  CHECK(has(said({"--profile"}), note));
  CHECK(has(said({"--profile"}), "--where problem.options.lambda=1"));
  CHECK(has(said({"--test", "wilcoxon"}), note));
  CHECK(said({}).empty());
  CHECK(said({"--profile", "--where", "problem.options.lambda=1"}).empty());
  CHECK(has(said({"--profile", "--where", "problem=ste"}), "differ in problem.options.lambda. Where that changes"));
  // Columns keep problems apart, by either name of the field.
  CHECK(said({"--profile", "--rows", "solver", "--cols", "problem.options.lambda"}).empty());
  CHECK(said({"--profile", "--rows", "solver", "--cols", "problem.name", "--where", "problem.options.lambda!=0"})
            .empty());
}

TEST_CASE("an ablation table has the differences from its baseline on every data set") {
  const Ended ended = good("table", {"--value", "metrics.train_error", "--differences", "lbfgs", "--test", "t"});
  CHECK(ended.err.empty());
  CHECK(has(ended.out, "| method   |"));
  CHECK(has(ended.out, "(baseline)"));
  CHECK(has(ended.out, "differences from lbfgs, paired over repeats"));
  CHECK(has(ended.out, "‡"));
  CHECK(has(good("table", {"--differences", "sgd", "--format", "csv"}).out, ",mean difference,"));
}

TEST_CASE("costs to a target, profiles and gaps are computed from the traces of a real run") {
  for (const std::string cost : {"seconds", "iterations", "evaluations", "terms"}) {
    CAPTURE(cost);
    const Ended ended = good("table", {"--target", "10%", "--by", cost, "--format", "csv"});
    CHECK(has(ended.out, "method,dataset,median_cost,met,runs,failed,skipped,cancelled\nlbfgs,thin,"));
  }
  // Three iterations do not come where forty do.
  CHECK(has(good("table", {"--target", "0.1%", "--format", "csv"}).out, "steepest,thick,,"));
  CHECK(has(good("table", {"--target", "0.05", "--value", "metrics.heldout_error"}).out,
            "metrics.heldout_error within 0.05 of the best known value"));
  CHECK(has(good("table", {"--target", "10%", "--profile"}).out, "rate of the 14 instances"));
  CHECK(has(good("table", {"--target", "10%", "--data-profile", "--by", "terms"}).out, "| ever |"));
  CHECK(has(good("table", {"--gaps", "best", "--by", "evaluations", "--format", "csv"}).out,
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
  const std::string file = (scratch.path() / "best_known.json").string();
  const Ended first = good("table", {"--target", "1%", "--best-known", file});
  CHECK(has(first.err, "14 instances, 14 of them new or improved"));
  const std::string kept = content_of(file);
  const Ended second = good("table", {"--target", "1%", "--best-known", file, "--where", "method=sgd"});
  CHECK(has(second.err, "14 instances, 0 of them new or improved"));
  CHECK(content_of(file) == kept);
}

TEST_CASE("ranks checks its options, and draws") {
  const ScratchFolder scratch;
  const std::string svg = (scratch.path() / "ranks.svg").string();
  const Ended ended = good("ranks", {"--svg", svg});
  CHECK(has(ended.out, "average ranks over 2 data sets"));
  CHECK(content_of(svg).starts_with("<svg "));
  CHECK(has(good("ranks", {"--post-hoc", "holm", "--control", "sgd", "--format", "csv"}).out, "corrected_p\n"));
  const Ended one = command("ranks", {"--where", "dataset=thin"});
  CHECK(one.status == 2);
  CHECK(has(one.err, "alidade: Friedman's test needs at least two data sets"));
}

TEST_CASE("contradictory options are refused in one line") {
  const auto refusal = [](const std::vector<std::string>& more) {
    const Ended ended = command("table", more);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    return ended.err;
  };
  CHECK(has(refusal({"--baseline", "sgd"}), "Add --test wilcoxon"));
  CHECK(has(refusal({"--baseline", "sgd"}), "--differences 'sgd'"));
  CHECK(has(refusal({"--differences", "sdg"}), "Did you mean 'sgd'?"));
  CHECK(has(refusal({"--differences", "sgd", "--baseline", "sgd"}), "Leave out --baseline"));
  CHECK(has(refusal({"--differences", "sgd", "--profile"}), "a table of its own"));
  CHECK(has(refusal({"--best-known", "x.json"}), "--best-known needs a target"));
  CHECK(has(refusal({"--data-profile"}), "--data-profile needs a target"));
  CHECK(has(refusal({"--target", "1%", "--gaps", "best"}), "only one of them"));
  CHECK(has(refusal({"--target", "near"}), "'near' is not a tolerance"));
  CHECK(has(refusal({"--target", "1%", "--by", "second"}), "Did you mean 'seconds'?"));
  CHECK(has(refusal({"--better", "worse"}), "--better is lower or higher, not 'worse'."));
  CHECK(has(refusal({"--where", "dataset=none"}), "There is thin, thick."));
  CHECK(has(refusal({"--test", "wilcoxn"}), "Did you mean 'wilcoxon'?"));
}

TEST_CASE("of data that changed between runs, only those run last are shown, and how to see the others") {
  const ScratchFolder scratch;
  const auto alidade = [&](const std::vector<std::string>& words) { return run_command(words, scratch.path()); };
  write_text(scratch.path() / "c.toml", R"(name = "own"
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
    write_text(scratch.path() / "answers.csv", data[i]);
    CHECK(alidade({"run", "c.toml", "-o", "r"}).status == (i < 2 ? 0 : 1));
    const auto rows = read_rows(scratch.path() / "r");
    REQUIRE(rows.size() == 2 * (i + 1));
    contents.push_back(text_field(rows.back(), "dataset.content"));
    if (i != 1) continue;
    const std::string note =
        "Note: 2 runs on other data of 'triplets' are left out. To see them: alidade table r --where "
        "dataset.content=" +
        contents[0] + "\n";
    const std::vector<std::string> words = {"table", "r", "--value", "n", "--format", "csv"};
    for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{{}, {"--profile"}}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), more.begin(), more.end());
      CHECK(has(alidade(all).err, note));
    }
    CHECK(has(alidade({"table", "r", "--target", "1%"}).err, note));
    CHECK(has(alidade({"table", "r", "--gaps", "best"}).err, note));
    CHECK(has(alidade({"table", "r", "--value", "n", "--format", "json"}).out, "\"mean\": 5.0"));
    CHECK(has(alidade({"report", "r", "-o", "-"}).out, "2 runs on other data of"));
    const Ended old =
        alidade({"table", "r", "--value", "n", "--where", "dataset.content=" + contents[0], "--format", "json"});
    CHECK(has(old.out, "\"mean\": 4.0"));
    CHECK_FALSE(has(old.err, "other data"));
    const Ended both = alidade({"table", "r", "--value", "n", "--cols", "dataset.content", "--format", "csv"});
    CHECK(has(both.out, contents[0]));
    CHECK(has(both.out, contents[1]));
    CHECK_FALSE(has(both.err, "other data"));
  }
  const Ended failed = alidade({"table", "r", "--value", "n", "--format", "json"});
  CHECK_FALSE(has(failed.out, "\"mean\": 4."));
  CHECK(has(failed.err, "4 runs on other data of 'triplets' are left out."));
}

TEST_CASE("planned runs without a row are named, and one repeat that is left is not the best") {
  const ScratchFolder scratch;
  write_text(scratch.path() / "answers.csv", "anchor,near,far\na,b,c\na,c,d\nb,a,d\nc,d,a\nd,c,b\nb,c,d\n");
  write_text(scratch.path() / "c.toml", R"(
name = "cut"
repeats = 3
dataset = [{ name = "triplets", file = "answers.csv" }]
method = [{ problem = "ste", solver = { name = "ceres", max_iter = 2 } }, { problem = "ckl" }]
)");
  const std::filesystem::path folder = scratch.path() / "r";
  REQUIRE(run_command({"run", "c.toml", "-o", "r"}, scratch.path()).status == 0);
  const auto table = [&](std::size_t rows) {
    std::string kept;
    for (const RowLine& line : row_lines(content_of(folder / kRowsFile), "r"))
      if (line.number <= rows) kept += std::string(line.text) + "\n";
    write_text(folder / kRowsFile, kept);
    return run_command({"table", "r", "--value", "objective", "--better", "lower"}, scratch.path());
  };
  const Ended whole = table(6), two = table(4), one = table(2);
  CHECK(has(whole.out, "**"));
  CHECK_FALSE(has(whole.err, "planned"));
  CHECK(has(two.out, "**"));
  CHECK(has(two.err,
            "2 of 6 planned runs have no row: ste / ceres on triplets, repeat 2; ckl / ceres on triplets, "
            "repeat 2. To do them: alidade run r/config.resolved.toml --out r"));
  CHECK_FALSE(has(one.out, "**"));
  CHECK(has(one.err, "4 of 6 planned runs"));
}

namespace {

/// Results of one method on eight objects.
struct OneMethod {
  ScratchFolder scratch;
  OneMethod(const std::string& id, int repeats) {
    write_text(scratch.path() / "c.toml", fmt::format(R"(name = "f"
repeats = {}
[[dataset]]
name = "uniform"
n = 8
triplets = 60
[[method]]
id = "{}"
problem = "ste"
solver = {{ name = "ceres", max_iter = 2 }}
)",
                                                      repeats, id));
    REQUIRE(run_command({"run", "c.toml", "-o", "r"}, scratch.path()).status == 0);
  }
  [[nodiscard]] Ended table(std::vector<std::string> options) const {
    options.insert(options.begin(), {"table", "r"});
    return run_command(options, scratch.path());
  }
};

}  // namespace

TEST_CASE("names that spreadsheets take for formulas are noted in CSV, and made text on demand") {
  const OneMethod results("=1+1", 1);
  const Ended plain = results.table({"--format", "csv"}),
              safe = results.table({"--format", "csv", "--spreadsheet-safe"});
  CHECK(has(plain.out, "\n=1+1,"));
  CHECK(has(plain.err, "add --spreadsheet-safe"));
  CHECK(has(safe.out, "\n'=1+1,"));
  CHECK_FALSE(has(safe.err, "--spreadsheet-safe"));
  const Ended markdown = results.table({"--spreadsheet-safe"});
  CHECK(markdown.status == 2);
  CHECK(has(markdown.err, "Add --format csv"));
  CHECK_FALSE(has(results.table({}).err, "spreadsheet"));
}

TEST_CASE("a table along the trace has a column for each of its points") {
  const OneMethod results("STE", 3);
  const Ended iterations = results.table({"--cols", "", "--along", "iteration"});
  CAPTURE(iterations.out + iterations.err);
  CHECK(has(iterations.out, "| 0 ± 0 | 1 ± 0 | 2 ± 0 § |"));
  CHECK(has(iterations.out, "guessing in 2 runs (STE on 2)"));
  CHECK(has(iterations.out, "iteration along the trace: mean"));
  const Ended quartiles =
      results.table({"--cols", "", "--along", "objective", "--aggregate", "median", "--interval", "quartiles"});
  CHECK(has(quartiles.out, "median [quartiles] over 3 repeats"));
  const auto trace = *std::filesystem::directory_iterator(results.scratch.path() / "r" / "traces");
  write_text(trace.path(), R"({"iteration": [], "objective": []})");
  const Ended empty = results.table({"--cols", "", "--along", "iteration"});
  CHECK(has(empty.out, "over 2 repeats"));
  CHECK(has(empty.out, "1 run is left out"));
  const Ended unknown = results.table({"--along", "violated_rows"});
  CHECK(unknown.status == 2);
  CHECK(has(unknown.err, "has no 'violated_rows'"));
  CHECK(results.table({"--along", "objective", "--value", "n"}).status == 2);
  CHECK(has(results.table({"--interval", "quartiles"}).err, "Quartiles are only for a median. For a mean,"));
}

}  // namespace table_command_test
