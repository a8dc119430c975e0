#include <doctest/doctest.h>
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "experiments/report/report.hpp"
#include "experiments/results/rows.hpp"
#include "tests/experiments/report_browser/results_fixture.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace verdict_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

// The summary of the page of these rows, without markup.
std::string summary_of(const std::filesystem::path& folder) {
  const std::string page = report_page(folder, folder, {});
  const auto begin = page.find("<section id=\"verdict\">");
  if (begin == page.npos) return {};
  const std::string part = page.substr(begin, page.find("</section>", begin) - begin);
  std::string out;
  bool inside = false;
  for (const char c : part) {
    if (c == '<') inside = true;
    if (!inside) out += c;
    if (c == '>') inside = false;
  }
  return out;
}

std::string summary_of_rows(const std::string& rows) {
  const ScratchFolder folder{{"runs.jsonl", rows}};
  return summary_of(folder);
}

std::string row(std::string_view dataset, std::string_view method, int repeat, double error) {
  return fmt::format(R"({{"run_id":"{0}{1}{2}","status":"ok","dataset":{{"id":"{0}"}},"method":"{1}","repeat":{2},)"
                     R"("metrics":{{"heldout_error":{3}}}}})"
                     "\n",
                     dataset, method, repeat, error);
}

// Three methods: a, b which is a up to noise that changes sign, and c, worse by 0.1 in every repeat.
std::string three_methods(std::string_view dataset, int repeats) {
  std::string rows;
  for (int r = 0; r < repeats; ++r) {
    const double base = 0.1 + 0.002 * r;
    rows += row(dataset, "a", r, base);
    rows += row(dataset, "b", r, base + (r % 2 == 0 ? 0.004 : -0.003));
    rows += row(dataset, "c", r, base + 0.1);
  }
  return rows;
}

TEST_CASE("the summary names the best method, what cannot be told from it, and what is worse by how much") {
  const std::string text = summary_of_rows(three_methods("d", 10));
  CHECK(holds_all(text,
                  {"a has the lowest held-out triplet error on d: 0.1090 ± 0.0043 (mean of 10 repeats",
                   "The test cannot tell it from b.", "Significantly worse: c (by 0.1).", "All 30 runs ended well."}));
  CHECK(!holds(text, "repeats ="));
}

TEST_CASE("a name within a sentence keeps its capitals") {
  std::string rows = three_methods("d", 10);
  for (std::size_t p = 0; (p = rows.find("heldout_error", p)) != rows.npos;) rows.replace(p, 13, "nerv_cost");
  CHECK(holds(summary_of_rows(rows), "a has the lowest NeRV cost on d"));
}

TEST_CASE("with few repeats the summary says how many the test needs, and uses intervals until then") {
  const std::string text = summary_of_rows(three_methods("d", 4));
  CHECK(holds_all(text, {"The repeats cannot tell it from b.",
                         "The next, b, is worse by 0.0005 ± 0.0064 (mean of 4 differences and its 95 % interval).",
                         "the test needs at least 7 repeats, and there are 4.", "Set repeats = 7 in the config."}));
  CHECK(!holds(text, "Significantly worse"));
}

TEST_CASE("repeats that are copies of one have neither interval nor test") {
  std::string rows;
  for (int r = 0; r < 8; ++r) rows += row("d", "a", r, 0.1261) + row("d", "b", r, 0.1513);
  const std::string text = summary_of_rows(rows);
  CHECK(holds_all(text,
                  {"0.1261 (the same in all 8 repeats).", "The next, b, is worse by 0.0252.", "draw nothing anew"}));
  CHECK(holds_none(text, {"±", "ignificantly", "95 %", "too few"}));
}

TEST_CASE("one run of each method gives an order and no claim") {
  const std::string text = summary_of_rows(three_methods("d", 1));
  CHECK(holds_all(text, {"a has the lowest held-out triplet error on d: 0.1000 (1 repeat).", "and there is 1."}));
  CHECK(!holds(text, "cannot tell"));
}

TEST_CASE("over several datasets the summary counts leads and lists each dataset") {
  std::string rows = three_methods("d", 10) + three_methods("e", 10);
  std::string text = summary_of_rows(rows);
  CHECK(holds(text, "a has the lowest held-out triplet error on all 2 datasets."));
  rows = three_methods("d", 10);
  for (int r = 0; r < 10; ++r)
    rows += row("e", "a", r, 0.3 + 0.001 * r) + row("e", "b", r, 0.3 + 0.001 * r) + row("e", "c", r, 0.2 + 0.001 * r);
  text = summary_of_rows(rows);
  CHECK(holds(text, "No method has the lowest held-out triplet error everywhere: a leads on 1 of 2 datasets, c on 1."));
  CHECK(!holds(text, "Nowhere clearly worse"));
}

TEST_CASE("methods that are best on all datasets share that") {
  std::string rows;
  for (const char* dataset : {"d", "e"})
    for (int r = 0; r < 10; ++r)
      for (const char* method : {"b", "a", "c"})
        rows += row(dataset, method, r, (*method == 'c' ? 0.3 : 0.2) + 0.001 * r);
  CHECK(holds(summary_of_rows(rows), "a and b share the lowest held-out triplet error on all 2 datasets."));
}

TEST_CASE("who has no rival on a dataset does not lead there") {
  std::string rows = three_methods("d", 10), alone;
  for (int r = 0; r < 10; ++r) rows += row("e", "a", r, 0.1), alone += row("d", "a", r, 0.1) + row("e", "b", r, 0.2);
  std::string text = summary_of_rows(rows);
  CHECK(holds_all(text, {"a has the lowest held-out triplet error on the one dataset where methods were compared.",
                         "a no other method"}));
  text = summary_of_rows(alone);
  CHECK(holds_all(
      text, {"No dataset has two methods that can be compared, so none is called the best.", "b no other method"}));
  CHECK(holds_none(text, {"leads", "missing"}));
}

TEST_CASE("runs that failed are counted, and a method that lost runs is not called the best") {
  std::string rows = three_methods("d", 10);
  rows += R"({"run_id":"x","status":"failed","message":"out of memory","dataset":{"id":"d"},"method":"a","repeat":10})"
          "\n";
  const std::string text = summary_of_rows(rows);
  CHECK(holds_all(text,
                  {"b has the lowest held-out triplet error on d",
                   "Not counted, because runs failed or are missing: a, with a lower mean.", "1 of 31 runs failed."}));
}

TEST_CASE("methods without a repeat in common have no order and no profile") {
  std::string rows;
  for (int r = 0; r < 9; ++r) rows += row("d", r < 6 ? "a" : "b", r, r < 6 ? 0.1 : 0.3);
  const ScratchFolder folder;
  const auto page = [&](const std::string& more) {
    std::ofstream(folder / "runs.jsonl", std::ios::binary) << rows << more;
    return report_page(folder, folder, {});
  };
  CHECK(!holds(page(""), "Performance profile"));
  CHECK(holds(page(row("d", "b", 0, 0.3) + row("d", "b", 1, 0.3)),
              "2 instances: one for each dataset and repeat. Higher is better. Left out, because some method has no "
              "run: 7."));
  CHECK(holds(summary_of_rows(rows), "Too few repeats are common to all methods, so none is called the best."));
  CHECK(!holds(summary_of_rows(rows), "lowest"));
  const std::string both = summary_of_rows(rows + three_methods("e", 10));
  CHECK(!holds(both, "2 datasets"));
  CHECK(holds_all(both, {"a has the lowest held-out triplet error on the one dataset where methods were compared.",
                         "Nothing is compared on d: the methods share too few repeats."}));
}

TEST_CASE(
    "where a method lacks repeats the summary says on which the others are compared, and asks for what is missing") {
  std::string rows;
  for (int r = 0; r < 10; ++r) {
    rows += row("d", "a", r, 0.1 + 0.001 * r) + row("d", "b", r, 0.2 + 0.001 * r);
    if (r < 4) rows += row("d", "c", r, 0.3);
  }
  const std::string text = summary_of_rows(rows);
  CHECK(holds_all(text, {"Compared on the repeats that all methods have, since some lack others: d (4 repeats).",
                         "Run what is missing"}));
  CHECK(!holds(text, "Set repeats"));
}

TEST_CASE("runs no better than guessing are counted") {
  std::string rows = three_methods("d", 3);
  rows += R"({"run_id":"x","status":"ok","dataset":{"id":"d"},"method":"g","repeat":0,"warnings":["chance"],)"
          R"("metrics":{"heldout_error":0.5}})"
          "\n";
  CHECK(holds(summary_of_rows(rows), "1 run is no better, or hardly better, than guessing."));
}

TEST_CASE("the summary of one map has its error with the interval, chance, the choice and its ties") {
  const std::string rows =
      R"({"run_id":"x","status":"ok","dataset":{"id":"d","options":{"noise":0.1}},"method":"auto",)"
      R"("problem":{"name":"tste"},"solver":{"name":"ceres"},"repeat":0,"n":50,"n_components":2,"triplets":800,)"
      R"("heldout_triplets":200,"metrics":{"heldout_error":0.156},)"
      R"("heldout":{"error":0.156,"low":0.112,"high":0.213,"unit":"triplets","independent":200,"effective":200.0},)"
      R"("estimates":{"lapse_rate":0.0781},)"
      R"("refit":{"written":true,"triplets":1000},"chosen":{"problem":"tste","ties":1,)"
      R"("candidates":[{"problem":"tste"},{"problem":"ste","tied":true},{"problem":"ckl"}]}})"
      "\n";
  const std::string text = summary_of_rows(rows);
  CHECK(holds_all(text, {"contradicts 15.6 % of 200 held-out triplets (95 % interval 11.2 % to 21.3 %).",
                         "Guessing contradicts 50 %.", "By construction 10.0 % of the answers are wrong.",
                         "about 50 objects; each in 60 of them, on average",
                         "Validation chose tste from 3 candidates; 1 other is within one standard error of it",
                         "known to within 5.0 percentage points", "7.8 % of the answers are guesses"}));
}

TEST_CASE("the summary of one map of features has no error of answers") {
  const std::string rows =
      R"({"run_id":"x","status":"ok","dataset":{"id":"d"},"method":"pca","problem":{"name":"pca"},)"
      R"("solver":{"name":"eigen_dense"},"repeat":0,"n":1234,"n_components":2,)"
      R"("metrics":{"knn_accuracy":0.84,"trustworthiness":0.95}})"
      "\n";
  const std::string text = summary_of_rows(rows);
  CHECK(holds_all(text, {"84.0 % of the objects have a nearest neighbour with their label on the map.",
                         "trustworthiness 0.950", "1,234"}));
  CHECK(!holds(text, "answers"));
}

TEST_CASE("a comparison names what guessing reaches") {
  const ScratchFolder folder;
  std::string rows;
  for (const char* method : {"A", "B"})
    rows += fmt::format(
        R"({{"run_id":"{0}","status":"ok","dataset":{{"id":"d"}},"method":"{0}","repeat":0,"files":{{"embedding":["m.csv"]}},)"
        R"("metrics":{{"heldout_error":0.2,"train_error":0.1,"knn_accuracy":0.8,"knn_accuracy_10":0.7}}}})"
        "\n",
        method);
  write_text(folder / "runs.jsonl", rows);
  write_text(folder / "m.csv", "object,label,x1,x2\na,u,0,1\nb,u,1,0\nc,v,2,2\nd,,3,1\n");
  const std::string page = report_page(folder, folder, {});
  CHECK(holds(page, "lower is better; guessing has 0.5"));
  CHECK(holds(page, "higher is better; guessing has 0.33"));  // of three labelled objects one pair of three
  CHECK(holds(page, "Nearest-neighbour accuracy, k = 10"));
}

TEST_CASE("a page of semidefinite programs says what is proven, and compares times") {
  const auto solved = [](std::string_view method, int repeat, double gap, double seconds) {
    return fmt::format(
        R"({{"run_id":"{0}{1}","status":"ok","dataset":{{"id":"d"}},"method":"{0}","problem":{{"name":"psde"}},)"
        R"("repeat":{1},"objective":-2.5,"certificate":{{"lower_bound":-2.6,"gap":{2}}},"estimates":{{"rank":3.0}},)"
        R"("violations":{{"count":0,"max":0.0,"sum":0.0}},"seconds":{{"solve":{3}}},)"
        R"("metrics":{{"trustworthiness":0.9,"continuity":0.9,"procrustes":0.1}}}})"
        "\n",
        method, repeat, gap, seconds);
  };
  const ScratchFolder folder;
  const auto write = [&](double gap) {
    write_text(folder / "runs.jsonl", solved("fast", 0, 1e-9, 1) + solved("fast", 1, 2e-9, 1.5) +
                                          solved("slow", 0, gap, 3) + solved("slow", 1, 0, 4));
  };
  write(5e-9);
  const std::string text = summary_of(folder);
  CHECK(holds_all(text,
                  {"fast has the lowest time to solve on d: 1.2",
                   "All 4 solutions reach their proven bounds: the widest gap between objective and bound is 2e-09"}));
  const std::string page = report_page(folder, folder, {});
  for (const char* title : {"Objective", "Proven gap", "Proven lower bound", "Rank", "Largest violation"}) {
    CAPTURE(title);
    CHECK(holds(page, ">" + std::string(title) + "</span>"));
  }
  CHECK(page.find("data-column=\"Proven gap\"") < page.find("data-column=\"Trustworthiness\""));
  CHECK(!holds(page, "Trade-offs"));
  write(0.01);
  CHECK(holds(summary_of(folder), "3 of 4 solutions are within 1e-6 of the proven bound"));
  CHECK_FALSE(holds(summary_of(folder), "not feasible"));
  write(-0.01);
  CHECK(holds(summary_of(folder), "1 solution is not feasible: an objective lies below its own proven bound."));
}

TEST_CASE("a run that failed has no summary, and names in it cannot become markup") {
  CHECK(summary_of_rows(R"({"run_id":"x","status":"failed","dataset":{"id":"d"},"method":"m","repeat":0})"
                        "\n")
            .empty());
  const ScratchFolder folder;
  std::ofstream(folder / "runs.jsonl", std::ios::binary) << row("<i>", "<b>", 0, 0.1) << row("<i>", "m", 0, 0.2);
  const std::string page = report_page(folder, folder, {});
  CHECK(holds_none(page, {"<b>", "<i>"}));
  CHECK(holds(page, "<strong dir=\"auto\">&lt;b&gt;</strong> has the lowest"));
}

}  // namespace
}  // namespace verdict_test
