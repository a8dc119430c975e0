#include "experiments/report/report.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/embedded_text.hpp"
#include "experiments/files/json.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/report_model.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "tests/experiments/report_browser/results_fixture.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace report_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

using ResultsFolder = ScratchFolder;

constexpr std::array kFixedParts = {"report.css",  "page.js", "tables.js", "pens.js",
                                    "map_view.js", "maps.js", "charts.js", "printing.js"};

// The page without what is the same in all of them.
std::string page_of(const ResultsFolder& folder, const ReportOptions& options = {}) {
  std::string page = report_page(folder, folder, options);
  for (const std::string_view part : kFixedParts)
    if (const auto at = page.find(embedded_text(part)); at != page.npos) page.erase(at, embedded_text(part).size());
  return page;
}

Value data_of(std::string_view page) {
  constexpr std::string_view kOpen = "<script id=\"report-data\" type=\"application/json\">";
  const auto begin = page.find(kOpen);
  REQUIRE(begin != page.npos);
  const auto end = page.find("</script>", begin);
  return parse_json(page.substr(begin + kOpen.size(), end - begin - kOpen.size()), "data");
}

std::size_t length_of(const Value& data, std::string_view key) {
  return data.get_if<ValueTable>()->find(key)->get_if<ValueArray>()->size();
}

// What a page says of the tests behind its marks.
std::string_view tests_line(std::string_view page) {
  const auto begin = page.find("<p class=\"caption tests\">");
  REQUIRE(begin != page.npos);
  return page.substr(begin, page.find("</p>", begin) - begin);
}

TEST_CASE("a report of an experiment has its tables, reasons, choices and configuration") {
  const ResultsFolder folder(write_experiment);
  const std::string page = page_of(folder);
  CHECK(holds_all(
      page,
      {"<h1 dir=\"auto\">made-up numbers</h1>", "18 runs of 3 methods on 2 datasets",
       "2026-01-02 03:04 UTC · alidade 0.0.0 · 2 × a made-up processor", "Held-out triplet error", "Seconds to solve",
       "36 objects · 1,440 training triplets · 360 held-out triplets<details><summary>Options</summary>"
       "<small>noise = 0.05</small></details>",
       "killed by signal 11 (segmentation fault) &lt;after&gt; 0.3 s", "<a href=\"logs/0000000000009f10.log\">",
       "What fits: ete, t_ste.", "chose <code>problem.t = 2</code> in 2 of 3 runs",
       "12 triplets named an object twice &amp; were left out</span> <small>(t-STE / SGD)</small>", "[[dataset]]",
       "over 3 repeats"}));
}

TEST_CASE("the tables show the rows' numbers and mark the best") {
  const ResultsFolder folder(write_fifteen_methods);
  const std::string page = page_of(folder);
  const ComparisonTable table = compare(read_rows(folder), {});
  REQUIRE(table.col_keys[0].front() == "ten repeats");
  const auto best = static_cast<std::size_t>(
      std::ranges::find_if(table.cells, [](const Cell& cell) { return cell.best; }) - table.cells.begin());
  REQUIRE(best % 2 == 0);
  const Cell& cell = table.cells[best];
  const std::string number = column_numbers(table, 0)[best / 2].mean;
  CHECK(holds_all(page, {"<td data-column=\"ten repeats\" data-value=\"" + shortest(cell.mean) + "\" class=\"best\"",
                         "<span class=\"number\">" + number}));
}

TEST_CASE("a page of one repeat in five folds has intervals over the folds, with a caveat") {
  const ResultsFolder folder;
  std::string rows;
  for (const char* method : {"a", "b"})
    for (int fold = 0; fold < 5; ++fold)
      rows += fmt::format(R"({{"run_id":"{0}{1}","status":"ok","dataset":{{"id":"d"}},"method":"{0}","repeat":0,)"
                          R"("fold":{1},"metrics":{{"heldout_error":{2}}}}})"
                          "\n",
                          method, fold, 0.1 + 0.01 * fold + (method[0] == 'b' ? 0.02 : 0));
  write_text(folder / "runs.jsonl", rows);
  const std::string page = page_of(folder);
  CHECK(holds_none(page, {"no interval", "class=\"best\""}));
  CHECK(holds_all(
      page, {"over 5 folds", "Folds share training data", "<span class=\"pm\">±", "<p class=\"caption tests\">"}));
}

TEST_CASE("the page marks ties as the table's test finds them, if it has power") {
  const ResultsFolder folder(write_fifteen_methods);
  const std::string page = page_of(folder);
  TableRequest request;
  request.significance.emplace();
  const ComparisonTable table = compare(read_rows(folder), request);
  REQUIRE(table.col_keys[0].front() == "ten repeats");
  std::size_t tied = 0, different = 0;
  for (std::size_t r = 0; r < table.row_keys.size(); ++r)
    for (std::size_t c = 0; c < 2; ++c) {
      const Cell& cell = table.cell(r, c);
      CAPTURE(table.row_keys[r].front());
      CAPTURE(c);
      const std::string begin =
          "<td data-column=\"" + table.col_keys[c].front() + "\" data-value=\"" + shortest(cell.mean) + "\"";
      const auto at = page.find(begin);
      REQUIRE(at != page.npos);
      const std::string td = page.substr(at, page.find("</td>", at) - at);
      const bool marked = c == 0 && cell.tied;
      CHECK((!cell.tied || cell.comparison->test.pairs == 10));
      CHECK(holds(td, "class=\"best\"") == (c == 0 && cell.best));
      CHECK(holds(td, "class=\"tied\"") == marked);
      CHECK(holds(td, "≈ </span>") == marked);
      CHECK(holds(td, "(not significantly worse than the best)") == marked);
      if (cell.comparison) CHECK(holds(td, "title=\"p = " + p_text(*cell.comparison->corrected) + " "));
      tied += marked ? 1 : 0;
      different += cell.comparison && cell.comparison->different ? 1 : 0;
    }
  CHECK(tied >= 1);
  CHECK(different >= 10);
  // The method of four repeats could not be told from any, and is not marked.
  CHECK(!table.cell(14, 0).tied);
  CHECK(!table.cell(14, 0).comparison->conclusive);
  CHECK(holds_all(tests_line(page),
                  {"Wilcoxon signed-rank test over repeats", "Holm&#39;s correction", "4 to 10 pairs, 14 comparisons",
                   "fewer than 6 pairs", "three repeats", "at least 10 repeats"}));
}

TEST_CASE("a page of few repeats marks no ties and says how many the test needs") {
  const ResultsFolder folder(write_experiment);
  const std::string page = page_of(folder);
  CHECK(holds_none(page, {"class=\"tied\"", "class=\"best\"", "best in bold"}));
  CHECK(holds_all(tests_line(page), {"3 repeats", "2 comparisons", "at least 7 repeats",
                                     "Wilcoxon signed-rank test over repeats", "level 0.05"}));
  // A method alone is not tested, and nothing is said of tests.
  write_text(
      folder / "runs.jsonl",
      R"({"run_id":"a","status":"ok","dataset":{"id":"d"},"method":"m","repeat":0,"metrics":{"heldout_error":0.1}})"
      "\n"
      R"({"run_id":"b","status":"ok","dataset":{"id":"d"},"method":"m","repeat":1,"metrics":{"heldout_error":0.2}})"
      "\n");
  CHECK(!holds(page_of(folder), "Wilcoxon"));
}

TEST_CASE("names in the data cannot become markup or script, and reach the maps unchanged") {
  const ResultsFolder folder(write_experiment);
  const std::string page = page_of(folder);
  CHECK(holds_none(page, {"<script>alert", "<img src=x", "<b>not bold", ">shapes <b>", "<u>a"}));
  CHECK(holds_all(page, {"file = &lt;u&gt;a&lt;/u&gt;.csv", "<h2 dir=\"auto\">shapes &lt;b&gt;</h2>"}));
  const Value data = data_of(page);
  const ValueArray& lists = *data.get_if<ValueTable>()->find("objects")->get_if<ValueArray>();
  REQUIRE(lists.size() == 2);
  const ValueArray& names = *lists[1].get_if<ValueTable>()->find("names")->get_if<ValueArray>();
  CHECK(plain_text(names[0]) == "</script><script>alert(1)</script>");
  CHECK(plain_text(names[4]) == "comma, and\nline end");
  CHECK(plain_text(names[5]) == "%{x} ${y} {{title}}");
  CHECK(plain_text(names[7]) == "東京 Zürich Łódź");
}

TEST_CASE("the page loads nothing else") {
  const ResultsFolder folder(write_experiment);
  const std::string page = page_of(folder);
  CHECK(holds(page, "default-src 'none'"));
  CHECK(holds_none(
      page, {"unsafe-eval", "http:", "https:", " src=\"h", " src=\"/", "@import", "url(", "<link rel=\"stylesheet"}));
  for (const std::string_view part : kFixedParts)
    for (const std::string_view way : {"http:", "https:", "@import", "url(", "fetch(", "XMLHttpRequest", "</script"})
      CHECK_MESSAGE(!holds(embedded_text(part), way), part << " " << way);
}

TEST_CASE("the page has the maps of the files, and curves as drawings") {
  const ResultsFolder folder(write_experiment);
  const Value data = data_of(page_of(folder));
  CHECK(length_of(data, "runs") == 18);
  CHECK(length_of(data, "maps") == 14);
  const ValueTable& map = *(*data.get_if<ValueTable>()->find("maps")->get_if<ValueArray>())[0].get_if<ValueTable>();
  // 36 objects x 2 coordinates x 4 bytes in base64.
  CHECK(plain_text(*map.find("coordinates")).size() == (36 * 2 * 4 + 2) / 3 * 4);
  const std::string page = page_of(folder);
  for (const char* place : {"charts curves", "charts tradeoff", "charts profiles"})
    CHECK_MESSAGE(holds(page, std::string("<div class=\"") + place), place);
  CHECK(!holds(page, "<svg width=\"480\""));  // as wide as there is room
}

TEST_CASE("the page of a single run shows its map first") {
  const ResultsFolder folder(write_single_run);
  const std::string page = page_of(folder);
  CHECK(
      holds_all(page, {"<h1 dir=\"auto\">towns.csv</h1>", "<strong>converged</strong>: the gradient fell below 1e-6"}));
  CHECK(!holds(page, "id=\"comparison\""));
  CHECK(page.find("class=\"maps\"") < page.find("id=\"results\""));
}

TEST_CASE("the page of a single run has warnings above the map and names objects that lie apart") {
  const ResultsFolder folder(write_single_run);
  const std::vector<Row> read = read_rows(folder);
  std::vector<ValueTable> rows(read.begin(), read.end());
  REQUIRE(rows.size() == 1);
  CHECK(!holds(page_of(folder), "id=\"warnings\""));
  const auto shown = [&](std::string_view fields) {
    ValueTable row = rows.front();
    const Value more = parse_json(fields, "test");
    row.merge(*more.get_if<ValueTable>());
    write_text(folder / "runs.jsonl", to_json(row) + "\n");
    return page_of(folder);
  };
  const std::string page =
      shown(R"({"warnings":["chance","far_objects"],"heldout":{"error":0.49,"low":0.46,"high":0.52,"effective":900.0,)"
            R"("unit":"triplets","independent":900},)"
            R"("apart":[{"aspect":"","far":[3],"unknown":[1,3,999],"far_count":1,"unknown_count":3}]})");
  CHECK(holds(page, "better than guessing: the held-out error is 0.490 (95 % interval 0.460 to 0.520)"));
  CHECK(page.find("class=\"callout grave\"") < page.find("class=\"maps\""));
  CHECK(count_of(page, "class=\"callout\"") == 1);
  const Value data = data_of(page);
  const ValueTable& map = *(*data.get_if<ValueTable>()->find("maps")->get_if<ValueArray>())[0].get_if<ValueTable>();
  CHECK(map.find("apart")->to_text() == "[1, 3]");
  // A row of another version may say anything.
  CHECK(!holds(shown(R"({"warnings":"chance","apart":[{"far":"x"},7]})"), "id=\"warnings\""));
}

TEST_CASE("a page of several runs marks those with warnings and says what the mark means") {
  const ResultsFolder folder(write_experiment);
  const std::vector<Row> read = read_rows(folder);
  std::vector<ValueTable> rows(read.begin(), read.end());
  CHECK(!holds(page_of(folder), "class=\"warn\""));
  const auto good = std::ranges::find_if(rows, [](const ValueTable& row) { return text_field(row, "status") == "ok"; });
  good->set("warnings", ValueArray{"chance"});
  std::string text;
  for (const ValueTable& row : rows) text += to_json(row) + "\n";
  write_text(folder / "runs.jsonl", text);
  const std::string page = page_of(folder);
  CHECK(holds_all(page,
                  {"<sup class=\"warn\" title=\"no better than guessing: 1\">§</sup>",
                   "§ marks runs to check: no better than guessing in 1 run (", "<th scope=\"col\">Warnings</th>"}));
}

TEST_CASE("a single run that failed says why, and shows no figures it does not have") {
  const ResultsFolder folder;
  write_text(folder / "runs.jsonl",
             R"({"run_id":"a","status":"failed","message":"out of <memory>","dataset":{"id":"d"},)"
             R"("method":"m","repeat":0,"metrics":{"heldout_error":null}})"
             "\n");
  const std::string page = page_of(folder);
  CHECK(holds(page, "out of &lt;memory&gt;"));
  CHECK(!holds(page, "id=\"results\""));
}

TEST_CASE("a folder without rows gives a page that says so, and no folder is an error") {
  const ResultsFolder folder;
  CHECK(holds(message_of<DataError>([&] { (void)report_page(folder, folder); }), "not a results folder"));
  write_text(folder / "runs.jsonl", "");
  CHECK(holds(page_of(folder), "id=\"empty\""));
}

TEST_CASE("if every run failed there is no table and no empty plot") {
  const ResultsFolder folder;
  const auto row = [](std::string_view id, std::string_view repeat) {
    return std::string(R"({"run_id":")") + std::string(id) +
           R"(","status":"failed","message":"time-out after 1 s","dataset":{"id":"d"},"method":"m","repeat":)" +
           std::string(repeat) + "}\n";
  };
  write_text(folder / "runs.jsonl", row("a", "0") + row("b", "1"));
  const std::string page = page_of(folder);
  CHECK(holds_all(page, {"No run has a result to compare", "2 failed"}));
  CHECK(count_of(page, "time-out after 1 s") == 1);
  CHECK(!holds(page, "class=\"maps\""));
}

TEST_CASE("an unreadable file gives a note, not an error") {
  const ResultsFolder folder(write_experiment);
  fs::remove(folder / "traces/0000000000009f00.json");
  write_text(folder / "embeddings/0000000000009f01.csv", "object,label,x1\nA,,zero\n");
  write_text(folder / "manifest.json", "{");
  std::ofstream(folder / "runs.jsonl", std::ios::app) << "{\"run_id\":\"cut";
  const std::string page = page_of(folder);
  CHECK(holds_all(page, {"traces/0000000000009f00.json", "0000000000009f01.csv:2: &#39;zero&#39; is not a number.",
                         "manifest.json:1: ", "The last line is incomplete"}));
  CHECK(length_of(data_of(page), "maps") == 13);
}

TEST_CASE("a row cannot make the report read outside its folder") {
  const ResultsFolder folder;
  write_text(folder / "results/runs.jsonl",
             R"({"run_id":"a","status":"ok","dataset":{"id":"d"},"method":"m","repeat":0,)"
             R"("files":{"embedding":["../secret.csv","/etc/passwd"],"trace":"../secret.json"}})"
             "\n");
  write_text(folder / "secret.csv", "object,label,x1\nsecret object,,1\n");
  write_text(folder / "secret.json", "{\"objective\":[1]}");
  const std::string page = report_page(folder / "results", folder);
  CHECK(holds_none(page, {"secret object", "class=\"charts"}));
  CHECK(holds(page, "outside the results folder"));
}

TEST_CASE("maps beyond the page's limit are left out, later repeats first, with a note") {
  const ResultsFolder folder(write_experiment);
  ReportOptions options;
  options.coordinate_bytes = 5 * 36 * 2 * 4;  // the five maps of repeat 0 are not larger
  const std::string page = page_of(folder, options);
  const Value data = data_of(page);
  const ValueTable& whole = *data.get_if<ValueTable>();
  const ValueArray& runs = *whole.find("runs")->get_if<ValueArray>();
  std::size_t of_first = 0;
  for (const Value& map : *whole.find("maps")->get_if<ValueArray>()) {
    const auto run = *map.get_if<ValueTable>()->find("run")->get_if<std::int64_t>();
    if (text_field(*runs[static_cast<std::size_t>(run)].get_if<ValueTable>(), "part") == "repeat 0") ++of_first;
  }
  CHECK(of_first == 5);
  CHECK(length_of(data, "maps") < 14);
  CHECK(holds_all(page, {"maps of later repeats", "The ellipses of some maps"}));
}

TEST_CASE("a long trace is thinned, and keeps its ends and every measured error") {
  const ResultsFolder folder;
  write_text(folder / "runs.jsonl", R"({"run_id":"a","status":"ok","dataset":{"id":"d"},"method":"m","repeat":0,)"
                                    R"("files":{"trace":"traces/a.json"}})"
                                    "\n");
  ValueArray iteration, objective, error;
  for (int k = 0; k < 5000; ++k) {
    iteration.emplace_back(k);
    objective.emplace_back(5000.0 - k);
    error.emplace_back();
    if (k == 1234) error.back() = 0.125;
  }
  ValueTable trace;
  trace.set("iteration", iteration);
  trace.set("objective", objective);
  trace.set("heldout_error", error);
  write_text(folder / "traces/a.json", to_json(trace));
  const std::vector<fs::path> folders{folder.path()};
  const ReportModel contents = gather_report(folders, {});
  REQUIRE(contents.traces.size() == 1);
  const ValueTable& kept = contents.traces.front().columns;
  const ValueArray& steps = *kept.find("iteration")->get_if<ValueArray>();
  CHECK(steps.size() <= 602);
  CHECK(steps.front() == Value(0));
  CHECK(steps.back() == Value(4999));
  CHECK(std::ranges::find(steps, Value(1234)) != steps.end());
}

TEST_CASE("the file is written whole, or an error names it") {
  const ResultsFolder folder(write_single_run);
  write_report(folder, folder / "report.html");
  std::ifstream in(folder / "report.html");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  CHECK(text == report_page(folder, folder));
  CHECK(text.ends_with("</html>\n"));
  const fs::path nowhere = folder / "no_such_folder" / "report.html";
  CHECK(holds(message_of<DataError>([&] { write_report(folder, nowhere); }), "no_such_folder"));
}

TEST_CASE("map files are read with their quotes, and errors name the place") {
  const MapTable map =
      parse_map_csv("object,label,x1,x2\n\"a, \"\"b\"\"\",L,1,-2.5e-3\r\n\"two\nlines\",,nan,4\n", "m.csv");
  CHECK(map.objects == std::vector<std::string>{"a, \"b\"", "two\nlines"});
  CHECK(map.labels == std::vector<std::string>{"L", ""});
  REQUIRE(map.columns.size() == 2);
  CHECK(map.columns[1][0] == -2.5e-3);
  CHECK(std::isnan(map.columns[0][1]));
  CHECK(map.columns[1][1] == 4.0F);
  const auto message = [](std::string_view text) {
    return message_of<DataError>([&] { (void)parse_map_csv(text, "m.csv"); });
  };
  CHECK(holds(message(""), "m.csv:1: The header"));
  CHECK(holds(message("name,x1\n"), "m.csv:1: The header"));
  CHECK(holds(message("object,label,x1\n\"a\nb\",,1\nc,2\n"), "m.csv:4: The row has 2 values"));
  CHECK(holds(message("object,label,x1\na,,\n"), "m.csv:2: ''"));
}

TEST_CASE("files of ellipses are read by column names, and empty fields mean no value") {
  const CovarianceTable table = parse_ellipses_csv(
      "object,replicates,sd1,sd2,cov11,cov12,cov22,semi_major,semi_minor,angle\n"
      "\"a,b\",50,2,1,4,0.5,1,5,2,3\nnone,1,,,,,,,,\n",
      "e.csv");
  CHECK(table.objects == std::vector<std::string>{"a,b", "none"});
  CHECK(table.columns[0][0] == 4.0F);
  CHECK(table.columns[1][0] == 0.5F);
  CHECK(table.columns[2][0] == 1.0F);
  for (const auto& column : table.columns) CHECK(std::isnan(column[1]));
  const auto message = [](std::string_view text) {
    return message_of<DataError>([&] { (void)parse_ellipses_csv(text, "e.csv"); });
  };
  CHECK(holds(message(""), "e.csv:1: The header is not object,... with cov11"));
  CHECK(holds(message("object,sd1,cov11\n"), "with cov12"));
  CHECK(holds(message("object,cov11,cov12,cov22\na,1,x,2\n"), "e.csv:2: 'x'"));
  CHECK(holds(message("object,cov11,cov12,cov22\na,1\n"), "e.csv:2: The row has 2 values"));
}

TEST_CASE("ellipses reach the page, and unreadable ones give a note") {
  const ResultsFolder folder(write_single_run);
  const auto covariances = [&] {
    const Value data = data_of(page_of(folder));
    const ValueArray& maps = *data.get_if<ValueTable>()->find("maps")->get_if<ValueArray>();
    return *maps[0].get_if<ValueTable>()->find("covariances");
  };
  REQUIRE(covariances().get_if<std::string>());
  CHECK(covariances().get_if<std::string>()->size() == 36 * 3 * sizeof(float) / 3 * 4);
  const std::string page = page_of(folder);
  CHECK(holds(page, "<dd>0.9991</dd>"));  // stability
  CHECK(holds(page, "<dd>0.03</dd>"));    // typical shift
  CHECK(holds(page, "first candidate within one standard error of the lowest validation error"));
  CHECK(!holds(page, "holdouts = "));
  // An object whose region is wider than the map is not placed by the answers.
  const auto uncertain = [&] {
    const Value data = data_of(page_of(folder));
    const ValueArray& maps = *data.get_if<ValueTable>()->find("maps")->get_if<ValueArray>();
    return maps[0].get_if<ValueTable>()->find("uncertain")->to_text();
  };
  CHECK(uncertain() == "[]");
  const fs::path ellipses = folder / "embeddings/9f00000000000001.ellipses.csv";
  std::ifstream in(ellipses);
  std::string changed, line;
  for (int k = 0; std::getline(in, line); ++k)
    changed += (k == 3 ? line.substr(0, line.find(',')) + ",50,9,9,81,0,81,22,22,0" : line) + "\n";
  in.close();
  write_text(folder / "embeddings/9f00000000000001.ellipses.csv", changed);
  CHECK(uncertain() == "[2]");
  write_text(folder / "embeddings/9f00000000000001.ellipses.csv", "object,cov11,cov12,cov22\nParis,1,0,1\n");
  CHECK(covariances().is_null());
  CHECK(holds(page_of(folder), "9f00000000000001.ellipses.csv: "));
  fs::remove(folder / "embeddings/9f00000000000001.ellipses.csv");
  CHECK(holds(page_of(folder), "9f00000000000001.ellipses.csv&#39; cannot be read (No such file"));
}

TEST_CASE("the end of a failed run's log is on the page, its last thirty lines as text") {
  const ResultsFolder folder;
  const auto row = [](std::string_view id, std::string_view log) {
    return R"({"run_id":")" + std::string(id) +
           R"(","status":"failed","message":"no reason","dataset":{"id":"d"},"method":")" + std::string(id) +
           R"(","repeat":0,"files":{"log":")" + std::string(log) + "\"}}\n";
  };
  write_text(folder / "runs.jsonl",
             row("a", "logs/a.log") + row("b", "logs/b.log") + row("c", "../outside.log") + row("d", "logs/d.log"));
  std::string lines;
  for (int i = 1; i <= 1000; ++i) lines += "line " + std::to_string(i) + " <i>\n";
  write_text(folder / "logs/a.log", lines);
  write_text(folder / "logs/b.log", std::string(100'000, 'x') + "\nthe end\x01");
  write_text(folder / "logs/d.log", "only line\n");
  const std::string page = page_of(folder);
  CHECK(holds_all(page, {"<pre class=\"log\" tabindex=\"0\">line 971 &lt;i&gt;\nline 972", "line 1000 &lt;i&gt;</pre>",
                         "<pre class=\"log\" tabindex=\"0\">the end\xEF\xBF\xBD</pre>",
                         "<summary>Log</summary><pre class=\"log\" tabindex=\"0\">only line</pre>"}));
  CHECK(count_of(page, "<pre class=\"log\"") == 3);
  CHECK(page.size() < 60'000);
}

TEST_CASE("several folders make one page, and clashing methods get their experiment's name") {
  const ResultsFolder folder;
  const auto row = [](std::string_view experiment, std::string_view method, std::string_view id, int n, double error,
                      int index) {
    return R"({"run_id":")" + std::string(id) + R"(","experiment":")" + std::string(experiment) +
           R"(","status":"ok","dataset":{"id":"d","name":"d","options":{"n":)" + std::to_string(n) +
           R"(}},"method":")" + std::string(method) +
           R"(","problem":{"name":"ste","options":{}},"solver":{"name":"s","options":{}},"repeat":0,)" +
           R"("plan_index":)" + std::to_string(index) + R"(,"metrics":{"heldout_error":)" + std::to_string(error) +
           "}}\n";
  };
  write_text(folder / "one/runs.jsonl", row("E1", "m", "a", 9, 0.25, 0) + row("E1", "only here", "b", 9, 0.5, 1));
  write_text(folder / "two/runs.jsonl", row("E2", "m", "c", 9, 0.125, 0) + row("E1", "m", "a", 9, 0.25, 1));
  write_text(folder / "three/runs.jsonl", row("E2", "n", "e", 7, 0.0625, 0));
  const auto page_of_folders = [&](std::vector<fs::path> folders) {
    for (fs::path& f : folders) f = folder / f;
    return report_page(folders, folder);
  };
  const auto list = [](const std::string& page, std::string_view key) {
    std::vector<std::string> out;
    const Value data = data_of(page);
    for (const Value& value : *data.get_if<ValueTable>()->find(key)->get_if<ValueArray>())
      out.push_back(plain_text(value));
    return out;
  };
  const std::string two = page_of_folders({"one", "two"});
  CHECK(holds(two, "2 experiments"));
  CHECK(list(two, "methods") == std::vector<std::string>{"m (E1)", "only here", "m (E2)"});
  CHECK(list(two, "datasets") == std::vector<std::string>{"d"});
  CHECK(length_of(data_of(two), "runs") == 3);  // that of run_id a once
  CHECK(holds(two, "also in an earlier folder of this page"));
  // Data of other options are other data; experiments of one name are told apart by their folders.
  const std::string three = page_of_folders({"two", "three"});
  CHECK(list(three, "datasets") == std::vector<std::string>{"d (E2, two)", "d (E2, three)"});
  CHECK(list(three, "methods") == std::vector<std::string>{"m", "n"});
  // One folder is as it was.
  CHECK(list(page_of_folders({"one"}), "methods") == std::vector<std::string>{"m", "only here"});
  // Conditions are on the runs of all folders together.
  ReportOptions of_two;
  of_two.where = {"experiment=E2"};
  const std::vector<fs::path> both = {folder / "one", folder / "two"};
  const std::string chosen = report_page(both, folder, of_two);
  CHECK(list(chosen, "methods") == std::vector<std::string>{"m"});
  CHECK(holds(chosen, "This shows 1 of 3 runs: those with experiment=E2."));
  of_two.where = {"experiment=E3"};
  CHECK_THROWS_AS((void)report_page(both, folder, of_two), ConfigError);
}

TEST_CASE("runs on other content or of another split are kept apart, and repeats of another seed are further ones") {
  const auto rows = [](const char* content, int seed, const char* split, int held_out, double shift) {
    std::string out;
    for (int r = 0; r < 8; ++r)
      for (const bool first : {true, false})
        out += fmt::format(
            R"({{"run_id":"{0}{1}{2}{3}{4}","experiment":"E","status":"ok","dataset":{{"id":"d","name":"triplets",)"
            R"("options":{{"file":"a.csv"}},"content":"{0}"}},"method":"{4}","problem":{{"name":"{4}"}},)"
            R"("repeat":{3},"seed":{1},"heldout_triplets":{6},{7}"metrics":{{"heldout_error":{5}}}}})"
            "\n",
            content, seed, shift, r, first ? "m" : "n", 0.2 + shift + 0.01 * r + (first ? 0 : 0.1), held_out,
            *split ? fmt::format(R"("split_digest":"{}{}",)", split, r) : "");
    return out;
  };
  const ResultsFolder folder;
  struct Other {
    std::string rows;
    std::size_t datasets, methods, repeats;
  };
  const std::vector<Other> others = {{rows("y", 0, "b", 10, 0.1), 2, 2, 8},   // other content
                                     {rows("x", 0, "b", 10, 0.1), 2, 2, 8},   // another split
                                     {rows("x", 5, "b", 20, 0.1), 2, 2, 8},   // and another seed
                                     {rows("x", 5, "b", 10, 0.1), 1, 2, 16},  // another seed alone
                                     {rows("x", 5, "", 10, 0.1), 1, 2, 16},   // the same of an earlier version
                                     {rows("x", 5, "a", 10, 0.1), 1, 4, 8},   // another seed, but the same split
                                     {rows("x", 0, "", 10, 0.1), 1, 4, 8}};
  write_text(folder / "1" / "runs.jsonl", rows("x", 0, "a", 10, 0));
  for (const Other& other : others) {
    CAPTURE(other.rows.substr(0, 300));
    write_text(folder / "2" / "runs.jsonl", other.rows);
    const std::string page = report_page(std::vector<fs::path>{folder / "1", folder / "2"}, folder);
    CHECK(length_of(data_of(page), "datasets") == other.datasets);
    CHECK(holds(page, "d (E, 1)") == (other.datasets == 2));
    CHECK(length_of(data_of(page), "methods") == other.methods);
    CHECK(holds(page, other.repeats == 16 ? "over 16 repeats" : "over 8 repeats"));
  }
}

TEST_CASE("columns of a table of labels are matched to the maps by the objects' names") {
  const ResultsFolder folder(write_single_run);
  const auto columns = [&](std::string_view text) {
    write_text(folder / "labels.csv", text);
    ReportOptions options;
    options.labels = folder / "labels.csv";
    const Value data = data_of(page_of(folder, options));
    const ValueArray& lists = *data.get_if<ValueTable>()->find("objects")->get_if<ValueArray>();
    return *lists[0].get_if<ValueTable>()->find("columns")->get_if<ValueArray>();
  };
  const ValueArray some = columns("name,size,nothing\nParis,10,\nLisbon,9,\nnowhere,1,x\nPorto,,\n");
  REQUIRE(some.size() == 2);  // the map's own label, and size; nothing is known of no town
  const ValueTable& size = *some[1].get_if<ValueTable>();
  CHECK(plain_text(*size.find("name")) == "size");
  CHECK(*size.find("categories") == Value(ValueArray{"9", "10"}));  // as numbers, not as text
  const ValueArray& codes = *size.find("codes")->get_if<ValueArray>();
  CHECK(codes[0] == Value(0));   // Lisbon
  CHECK(codes[1] == Value(-1));  // Porto
  CHECK(codes[5] == Value(1));   // Paris
  const auto message = [&](std::string_view text) { return message_of<DataError>([&] { (void)columns(text); }); };
  CHECK(holds(message("name,size\nAtlantis,1\n"), "labels.csv: "));
  CHECK(holds(message("name,size\nParis,1\nParis,2\n"), "labels.csv:3: The object 'Paris'"));
  CHECK(holds(message("name\nParis\n"), "Expected a header"));
  CHECK(holds(message("name,size\nParis,1,2\n"), "labels.csv:2: Expected 2 values, found 3."));
}

TEST_CASE("maps of three dimensions have one number of uncertainty per object") {
  const ResultsFolder folder(write_maps_in_space);
  const Value data = data_of(page_of(folder));
  const ValueArray& maps = *data.get_if<ValueTable>()->find("maps")->get_if<ValueArray>();
  CHECK(maps[0].get_if<ValueTable>()->find("covariances")->is_null());
  CHECK(maps[0].get_if<ValueTable>()->find("spreads")->get_if<std::string>()->size() == 36 * 4 / 3 * 4);
  const SpreadTable spreads = parse_spreads_csv("object,sd1,sd2,sd3\na,1,2,2\nb,,,\n", "e.csv");
  CHECK(spreads.spreads[0] == doctest::Approx(std::sqrt(3.0)));
  CHECK(std::isnan(spreads.spreads[1]));
  const auto message = [](std::string_view text) {
    return message_of<DataError>([&] { (void)parse_spreads_csv(text, "e.csv"); });
  };
  CHECK(holds(message("object,cov11\n"), "e.csv:1: The header is not object,... with sd1"));
  CHECK(holds(message("object,sd1\na,x\n"), "e.csv:2: 'x'"));
}

TEST_CASE("rows of a later version are shown without their unknown fields") {
  const ResultsFolder folder;
  write_text(folder / "runs.jsonl",
             R"({"run_id":"a","status":"ok","dataset":{"id":"d","new":[1,{"x":null}]},"method":"m","repeat":0,)"
             R"("metrics":{"heldout_error":0.25,"new_metric":{"nested":1},"later":"text"},"new":{"deep":{"er":[]}},)"
             R"("uncertainty":{"new":1},"chosen":{"new":[1]},"files":{"embedding":[],"new":"x"}})"
             "\n");
  const std::string page = page_of(folder);
  CHECK(holds_all(page, {"Held-out triplet error", "0.25"}));
}

TEST_CASE("methods on three datasets or more are ranked, unless a value is missing") {
  const ResultsFolder folder;
  std::string rows;
  const auto row = [](int method, int dataset, double error) {
    return R"({"run_id":"r)" + std::to_string(10 * method + dataset) + R"(","status":"ok","dataset":{"id":"d)" +
           std::to_string(dataset) + R"("},"method":"m)" + std::to_string(method) +
           R"(","repeat":0,"metrics":{"heldout_error":)" + shortest(error) + "}}\n";
  };
  for (int method = 0; method < 3; ++method)
    for (int dataset = 0; dataset < 3; ++dataset)
      if (method + dataset < 4) rows += row(method, dataset, 0.1 * method + 0.01 * dataset);
  write_text(folder / "runs.jsonl", rows);
  CHECK(!holds(page_of(folder), "Ranks over the datasets"));
  write_text(folder / "runs.jsonl", rows + row(2, 2, 0.5));
  const std::string page = page_of(folder);
  CHECK(holds_all(page, {"<h4>Ranks over the datasets</h4>", "alt=\"Average ranks: m0 1.00, m1 2.00, m2 3.00\""}));
  // A method that fits none of the datasets takes nothing from the others.
  write_text(folder / "runs.jsonl",
             rows + row(2, 2, 0.5) +
                 R"({"run_id":"s","status":"skipped","dataset":{"id":"d0"},"method":"none","repeat":0})"
                 "\n");
  CHECK(holds(page_of(folder), "alt=\"Average ranks: m0 1.00, m1 2.00, m2 3.00\""));
}

TEST_CASE("notes that differ only in numbers share a line, without a list if they concern all good runs") {
  const ResultsFolder folder;
  std::string rows;
  for (int repeat = 0; repeat < 3; ++repeat)
    for (const std::string_view method : {"a", "b", "skipped"}) {
      const bool ok = method != "skipped";
      rows += R"({"run_id":")" + std::string(method) + std::to_string(repeat) + R"(","status":")" +
              (ok ? "ok" : "skipped") + R"(","dataset":{"id":"d"},"method":")" + std::string(method) +
              R"(","repeat":)" + std::to_string(repeat) + R"(,"metrics":{"heldout_error":0.5},"notes":[)" +
              (ok ? "\"" + std::to_string(400 + repeat) + " of 4000 triplets are reversed.\"" : "") +
              (method == "a" ? R"(,"Of a alone.")" : "") + "]}\n";
    }
  write_text(folder / "runs.jsonl", rows);
  const std::string page = page_of(folder);
  CHECK(holds_all(page, {"<li><span dir=\"auto\">400 of 4000 triplets are reversed.</span><details><summary>2 more",
                         "<span dir=\"auto\">Of a alone.</span> <small>(a)</small>"}));
  CHECK(count_of(page, "of 4000 triplets are reversed.") == 3);
}

TEST_CASE("text and paths are escaped for where they stand") {
  CHECK(breakable_name("a[b=1,<c>]") == "a[<wbr>b=<wbr>1,<wbr>&lt;c&gt;]");
  CHECK(breakable_name("t-STE / SGD") == "t-STE /<wbr> SGD");
  CHECK(breakable_name("ends,") == "ends,");
  CHECK(breakable_name(" ") == "(no name)");
  CHECK(escaped("<a href=\"x\">'&") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  CHECK(url_of_path("logs/a b\"#?%.log") == "logs/a%20b%22%23%3F%25.log");
}

}  // namespace
}  // namespace report_test
