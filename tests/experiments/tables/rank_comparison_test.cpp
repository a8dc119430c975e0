#include "experiments/tables/rank_comparison.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace rank_comparison_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

ValueTable run(std::string_view method, std::string_view dataset, int repeat, double accuracy,
               const char* status = "ok") {
  return *parse_json(fmt::format(
                         R"({{"schema":1,"status":"{4}","method":"{0}","dataset":{{"id":"{1}"}},"repeat":{2},
                             "metrics":{{"knn_accuracy":{3}}}}})",
                         method, dataset, repeat, accuracy, status),
                     "test")
              .get_if<ValueTable>();
}

// Demsar 2006, Table 6, in two repeats about each figure.
std::vector<Row> trees() {
  constexpr double kFigures[14][4] = {
      {0.763, 0.768, 0.771, 0.798},  {0.599, 0.591, 0.590, 0.569}, {0.954, 0.971, 0.968, 0.967},
      {0.628, 0.661, 0.654, 0.657},  {0.882, 0.888, 0.886, 0.898}, {0.936, 0.931, 0.916, 0.931},
      {0.661, 0.668, 0.609, 0.685},  {0.583, 0.583, 0.563, 0.625}, {0.775, 0.838, 0.866, 0.875},
      {1.0, 1.0, 1.0, 1.0},          {0.940, 0.962, 0.965, 0.962}, {0.619, 0.666, 0.614, 0.669},
      {0.972, 0.981, 0.9751, 0.975}, {0.957, 0.978, 0.946, 0.970}};
  const char* names[] = {"C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"};
  std::vector<Row> rows;
  for (int d = 0; d < 14; ++d)
    for (int m = 0; m < 4; ++m)
      for (int r = 0; r < 2; ++r)
        rows.push_back(run(names[m], fmt::format("d{}", d), r, kFigures[d][m] + (r == 0 ? 0.015625 : -0.015625)));
  return rows;
}

ComparisonTable table_of(const std::vector<Row>& rows) {
  TableRequest request;
  request.value = "metrics.knn_accuracy";
  return compare(rows, request);
}

std::string refusal(const std::vector<Row>& rows, const RankRequest& request = {}) {
  return message_of<ConfigError>([&] { return compare_ranks(table_of(rows), request); });
}

}  // namespace

TEST_CASE("Demsar's trees: ranks, critical difference and cliques are the paper's") {
  const RankComparison ranks = compare_ranks(table_of(trees()), {});
  REQUIRE(ranks.row_keys.size() == 4);
  CHECK(ranks.blocks.size() == 14);
  const auto rank_of = [&](std::string_view name) {
    for (std::size_t r = 0; r < 4; ++r)
      if (ranks.row_keys[r][0] == name) return ranks.friedman.average_ranks[r];
    return 0.0;
  };
  CHECK(rank_of("C4.5") == doctest::Approx(3.143).epsilon(0.0002));
  CHECK(rank_of("C4.5+m") == doctest::Approx(2.000).epsilon(0.0002));
  CHECK(rank_of("C4.5+cf") == doctest::Approx(2.893).epsilon(0.0002));
  CHECK(rank_of("C4.5+m+cf") == doctest::Approx(1.964).epsilon(0.0002));
  CHECK(ranks.row_keys[ranks.order[0]][0] == "C4.5+m+cf");
  CHECK(ranks.row_keys[ranks.order[3]][0] == "C4.5");
  REQUIRE(ranks.critical_difference);
  CHECK(*ranks.critical_difference == doctest::Approx(1.25).epsilon(0.005));
  // All are within 1.25 of the best at 0.05 (1.179); at 0.10 the difference is 1.12, and C4.5 drops out.
  CHECK(ranks.cliques == std::vector<std::pair<std::size_t, std::size_t>>{{0, 3}});
  const RankComparison looser = compare_ranks(table_of(trees()), {.alpha = 0.10});
  CHECK(looser.cliques.front() == std::pair<std::size_t, std::size_t>{0, 2});
  CHECK(ranks.notes.empty());
}

TEST_CASE("against a control, Holm corrects Wilcoxon's tests over data sets") {
  RankRequest request{.post_hoc = PostHoc::holm, .control = "C4.5"};
  const RankComparison ranks = compare_ranks(table_of(trees()), request);
  REQUIRE(ranks.control);
  CHECK(ranks.row_keys[*ranks.control][0] == "C4.5");
  CHECK(!ranks.critical_difference);
  CHECK(!ranks.against_control[*ranks.control]);
  std::size_t compared = 0;
  for (std::size_t r = 0; r < 4; ++r) {
    if (!ranks.against_control[r]) continue;
    ++compared;
    CHECK(*ranks.against_control[r]->corrected >= *ranks.against_control[r]->test.p);
    CHECK(ranks.against_control[r]->test.pairs == 14);
  }
  CHECK(compared == 3);
  request.control = "";
  CHECK(compare_ranks(table_of(trees()), request).control == compare_ranks(table_of(trees()), {}).order[0]);
  request.control = "C4";
  CHECK(holds(refusal(trees(), request), "There is no row 'C4'."));
}

TEST_CASE("missing cells are named with the reason") {
  std::vector<Row> rows = trees();
  std::erase_if(rows, [](const ValueTable& row) {
    return text_field(row, "method") == "C4.5+m" && text_field(row, "dataset") == "d3";
  });
  CHECK(holds(refusal(rows), "there is none of C4.5+m on d3."));
  rows.push_back(run("C4.5+m", "d3", 0, 0, "failed"));
  CHECK(holds_all(refusal(rows), {"C4.5+m on d3 (1 failed).", "--where 'method!=NAME'"}));
}

TEST_CASE("one data set, one method, no direction and a wrong alpha are refused") {
  CHECK(holds(refusal({run("a", "d", 0, 1), run("b", "d", 0, 1)}), "at least two data sets, but there is 1"));
  CHECK(holds(refusal({run("a", "d", 0, 1), run("a", "e", 0, 1)}), "at least two methods, but there is 1"));
  CHECK(holds(refusal(trees(), {.alpha = 0}), "between 0 and 1"));
  TableRequest unknown;
  unknown.value = "metrics.knn_accuracy";
  unknown.directions.clear();
  CHECK_THROWS_WITH_AS(static_cast<void>(compare_ranks(compare(trees(), unknown), {})),
                       doctest::Contains("--better lower or --better higher"), ConfigError);
  CHECK_THROWS_WITH_AS(static_cast<void>(post_hoc_named("nemenji")), doctest::Contains("Did you mean 'nemenyi'?"),
                       ConfigError);
}

TEST_CASE("notes name few data sets, no difference, and differences that cannot be found") {
  std::vector<Row> rows;
  for (int d = 0; d < 3; ++d)
    for (const char* method : {"a", "b", "c"})
      rows.push_back(run(method, fmt::format("d{}", d), 0,
                         0.5 + 0.1 * ((d + method[0]) % 3)));  // a rotation: all ranks are 2
  const RankComparison ranks = compare_ranks(table_of(rows), {});
  CHECK(ranks.friedman.chi_squared == doctest::Approx(0.0));
  REQUIRE(ranks.notes.size() == 2);
  CHECK(holds(ranks.notes[0], "Friedman's test finds no difference between the methods (p = 1"));
  CHECK(holds(ranks.notes[1], "3 data sets"));
  const RankComparison control = compare_ranks(table_of(rows), {.post_hoc = PostHoc::holm});
  CHECK(holds(control.notes[0], "With 3 data sets and 2 comparisons, Wilcoxon's test cannot find"));
  std::vector<Row> two(rows.begin(), rows.begin() + 6);
  CHECK(holds(compare_ranks(table_of(two), {}).notes[0], "as large as ranks can differ"));
}

TEST_CASE("repeats and folds of one data set are no data sets of their own") {
  std::vector<Row> rows;
  for (const char* dataset : {"d", "e"})
    for (int r = 0; r < 5; ++r)
      for (const char* method : {"a", "b"}) rows.push_back(run(method, dataset, r, method[0] == 'a' ? 0.9 : 0.8));
  TableRequest request;
  request.value = "metrics.knn_accuracy";
  request.cols = "dataset,repeat";
  request.over = "";
  const RankComparison ranks = compare_ranks(compare(rows, request), {}), plain = compare_ranks(table_of(rows), {});
  CHECK(ranks.blocks == std::vector<std::string>{"d", "e"});
  CHECK(ranks.friedman.f_p == plain.friedman.f_p);
  CHECK(ranks.friedman.average_ranks == plain.friedman.average_ranks);
  CHECK(holds_all(ranks.grouping, {"its sweeps, repeats or folds) count as one data set", "d (5), e (5)"}));
  request.cols = "repeat";
  const std::vector<Row> one(rows.begin(), rows.begin() + 10);
  CHECK(holds(message_of<ConfigError>([&] { return compare_ranks(compare(one, request), {}); }),
              "at least two data sets, but there is 1 (its sweeps, repeats and folds count once)"));
}

TEST_CASE("sweeps of one data set are averaged before ranking, with a note") {
  // b is better on all three noises of one data set, a on the two others.
  std::vector<Row> rows;
  const auto add = [&](const char* dataset, double a, double b) {
    rows.push_back(run("a", dataset, 0, a));
    rows.push_back(run("b", dataset, 0, b));
  };
  add("gaussian[noise=0]", 0.5, 0.9);
  add("gaussian[noise=0.1,n=50]", 0.5, 0.8);
  add("gaussian[noise=0.2]", 0.5, 0.7);
  add("zoo", 0.9, 0.5);
  add("own[file=a.csv]", 0.9, 0.6);
  add("own[file=b.csv]", 0.8, 0.6);
  add("picked[small]", 0.8, 0.6);
  const RankComparison ranks = compare_ranks(table_of(rows), {});
  CHECK(ranks.blocks ==
        std::vector<std::string>{"gaussian", "own[file=a.csv]", "own[file=b.csv]", "picked[small]", "zoo"});
  CHECK(ranks.friedman.blocks == 5);
  CHECK(ranks.values[0] == doctest::Approx(0.5));
  CHECK(ranks.values[1] == doctest::Approx(0.8));
  CHECK(ranks.friedman.average_ranks[0] == doctest::Approx(1.2));
  CHECK(holds(ranks.grouping, "gaussian (3)"));
  CHECK(holds(to_text(ranks, TableFormat::markdown), ranks.grouping));
  CHECK(compare_ranks(table_of(trees()), {}).grouping.empty());
  rows.resize(6);
  CHECK(holds(refusal(rows), "there is 1 (its sweeps, repeats and folds count once)"));
}

TEST_CASE("the diagram for terminals has a line per method, best first, and a bar per clique") {
  const RankComparison ranks = compare_ranks(table_of(trees()), {.alpha = 0.10});
  const std::string text = rank_diagram_text(ranks);
  CHECK(holds_all(text, {" 1.964  C4.5+m+cf  ········●················   │",
                         " 3.143  C4.5       ·················●·······", "critical difference 1.1"}));
  CHECK(text.find("C4.5+m+cf") < text.find("C4.5+cf"));
}

TEST_CASE("the SVG is one well-formed document with every method, and names cannot break it") {
  std::vector<Row> rows;
  for (int d = 0; d < 12; ++d) {
    rows.push_back(run("<b>&", fmt::format("d{}", d), 0, 0.9));
    rows.push_back(run("plain", fmt::format("d{}", d), 0, 0.8));
    rows.push_back(run("last", fmt::format("d{}", d), 0, d % 2 == 0 ? 0.81 : 0.7));
  }
  const std::string svg = rank_diagram_svg(compare_ranks(table_of(rows), {}));
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(holds_all(svg, {"&lt;b&gt;&amp;  1.00", "plain"}));
  CHECK(!holds(svg, "<b>"));
  CHECK(holds(svg, "critical difference 0.957"));  // 2.343 / sqrt 12 * sqrt 2
  // One bar: the two that share the second place on average.
  const auto end = svg.find("stroke-width=\"4\"");
  const auto path = svg.rfind('<', end);
  CHECK(std::ranges::count(svg.substr(path, end - path), 'M') == 1);
  const std::string control = rank_diagram_svg(compare_ranks(table_of(rows), {.post_hoc = PostHoc::holm}));
  std::size_t open = 0;
  for (std::size_t at = 0; (at = control.find("fill=\"none\" stroke", at)) != control.npos; ++at) ++open;
  CHECK(open == 2);
}

TEST_CASE("ranks are written in all formats") {
  const RankComparison ranks = compare_ranks(table_of(trees()), {});
  const std::string markdown = to_text(ranks, TableFormat::markdown);
  CHECK(holds_all(markdown, {"| method    | average rank |",
                             "Friedman's chi-squared(3) = 10.23, p = 0.017; Iman and Davenport's F(3, 39) = 4.19, p "
                             "= 0.012.",
                             "```\n  rank  "}));
  const std::string csv = to_text(ranks, TableFormat::csv);
  CHECK(
      csv.starts_with("method,average_rank,data_sets,chi_squared_p,f_p,critical_difference,p,"
                      "corrected_p\nC4.5+m+cf,1.96428571428571"));
  CHECK(
      holds(to_text(ranks, TableFormat::latex), "\\toprule\nmethod & average rank \\\\\n\\midrule\nC4.5+m+cf & 1.964"));
  const Value json = parse_json(to_text(ranks, TableFormat::json), "ranks");
  CHECK(json.get_if<ValueTable>()->find("rows")->get_if<ValueArray>()->size() == 4);
  const std::string control =
      to_text(compare_ranks(table_of(trees()), {.post_hoc = PostHoc::holm}), TableFormat::markdown);
  CHECK(holds_all(control, {"| p, uncorrected |", "control |"}));
}

}  // namespace rank_comparison_test
