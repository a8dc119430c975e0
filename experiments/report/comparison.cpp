#include <fmt/core.h>
#include <sentences/report.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/report/charts.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/ranks.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

// Explains the marks of a comparison: the test, its pairs, and where they are too few. "" if nothing was tested.
std::string tests_text(std::span<const ComparisonColumn> columns) {
  std::vector<ColumnTests> conclusive, fruitless;
  std::vector<std::string> fruitless_titles;
  bool thin = false;  // a cell has too few pairs in a column that has enough
  for (const ComparisonColumn& column : columns) {
    const ColumnTests tests = tests_of(*column.table, column.col);
    if (tests.comparisons == 0) continue;
    (tests.conclusive() ? conclusive : fruitless).push_back(tests);
    if (!tests.conclusive()) fruitless_titles.push_back(column.title);
    for (std::size_t r = 0; r < column.table->row_keys.size() && tests.conclusive(); ++r) {
      const Cell& cell = column.table->cell(r, column.col);
      thin = thin || (cell.comparison && cell.comparison->corrected && !cell.comparison->conclusive);
    }
  }
  if (conclusive.empty() && fruitless.empty()) return {};
  const SignificanceRequest& request = *columns.front().table->request.significance;
  const std::string test = fmt::format(
      words::kTestOverColumn, request.test == statistics::PairedTest::wilcoxon ? "Wilcoxon signed-rank test" : "t test",
      columns.front().table->request.over, shortest(request.alpha));
  std::string out;
  if (!conclusive.empty()) {
    const auto [few, some] = std::ranges::minmax(conclusive, {}, &ColumnTests::comparisons);
    const std::size_t fewest = std::ranges::min(conclusive, {}, &ColumnTests::fewest_pairs).fewest_pairs;
    const std::size_t largest = std::ranges::max(conclusive, {}, &ColumnTests::pairs).pairs;
    out = fmt::format(words::kTiedValues, test, counted_range(fewest, largest, "pair"),
                      counted_range(few.comparisons, some.comparisons, "comparison"));
    if (thin) out += fmt::format(words::kSmallCells, statistics::fewest_pairs_for_wilcoxon(request.alpha));
  }
  if (!fruitless.empty()) {
    const ColumnTests& worst = std::ranges::max(fruitless, {}, &ColumnTests::needed);
    const std::size_t largest = std::ranges::max(fruitless, {}, &ColumnTests::pairs).pairs;
    const std::string& over = columns.front().table->request.over;
    out += out.empty() ? "No marks: " : " No marks under " + join(fruitless_titles, ", ") + ": ";
    out += fmt::format("with {} and {} in a column, the test cannot find a difference. It needs at least {}",
                       counted(largest, over), counted(worst.comparisons, "comparison"), counted(worst.needed, over));
    if (conclusive.empty()) out += " (" + test + ")";
    out += ".";
  }
  return out;
}

std::string caption_html(const ComparisonTable& table, std::span<const ComparisonColumn> columns) {
  const std::string tests = tests_text(columns);
  std::string text = caption(table, false);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  const bool lines = std::ranges::any_of(table.cells, [](const Cell& cell) { return cell.half_width.has_value(); });
  std::string out = "<p class=\"caption\">" + escaped(text);
  if (lines) out += " The line below a number shows its interval; the lines of a column share one scale.";
  for (const std::string& note : table.notes) out += " " + escaped(note);
  out += "</p>";
  if (!table.warning_note.empty()) out += "<p class=\"caption warned\">" + escaped(table.warning_note) + "</p>";
  if (!tests.empty()) out += "<p class=\"caption tests\">" + escaped(tests) + "</p>";
  return out;
}

/// "lower is better; guessing has 0.5", for the datasets of the table.
std::string direction(const ReportModel& all, const ComparisonTable& table) {
  std::string out = !table.higher_is_better ? "" : *table.higher_is_better ? "higher is better" : "lower is better";
  std::vector<double> levels;
  for (const auto& key : table.col_keys)
    if (const auto chance = chance_of(all, table.request.value, key.front())) levels.push_back(*chance);
  if (levels.size() < table.col_keys.size() || levels.empty()) return out;
  const auto [smallest, largest] = std::ranges::minmax(levels);
  const std::string level =
      smallest == largest ? fmt::format("{:.2g}", smallest) : fmt::format("{:.2g} to {:.2g}", smallest, largest);
  return out + (out.empty() ? "" : "; ") + "guessing has " + level;
}

// "72 objects · 1,440 training triplets · 360 held-out triplets" and the options, from the dataset's first run that has
// them.
std::string facts_html(const ReportModel& all, std::string_view dataset) {
  const Row* shown = nullptr;
  for (const Row& row : all.rows) {
    if (row.dataset.id != dataset) continue;
    if (!shown || (!shown->n && row.n)) shown = &row;
  }
  if (!shown) return {};
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, std::string_view what) {
    if (const std::string number = shown_number(*shown, name); !number.empty())
      parts.push_back(number + " " + std::string(what));
  };
  add("n", "objects");
  add("triplets", "training triplets");
  add("heldout_triplets", "held-out triplets");
  std::string out = escaped(join(parts, " · "));
  if (const std::string text = options_text(shown->dataset.options); !text.empty())
    out += fold_html("Options", "<small>" + escaped(text) + "</small>");
  return out;
}

// Ranks of the methods over the datasets: a figure and its explanation. "" if they cannot be ranked.
std::string ranks_html(const ComparisonTable& table) {
  const auto ranks = ranks_of(table);
  if (!ranks) return {};
  std::vector<std::string> words;
  for (const std::size_t row : ranks->order)
    words.push_back(fmt::format("{} {:.2f}", key_name(ranks->row_keys[row]), ranks->friedman.average_ranks[row]));
  return "<h4>Ranks over the datasets</h4>" +
         drawing_html(rank_diagram_svg(*ranks), "Average ranks: " + join(words, ", ")) +
         fmt::format(
             "<p class=\"caption\">Average ranks over {} datasets; 1 is best (Demsar 2006). {} A "
             "bar joins methods between which Nemenyi&#39;s test at 0.05 finds no difference.{}</p>",
             ranks->blocks.size(), escaped(friedman_verdict(*ranks)),
             ranks->grouping.empty() ? "" : " " + escaped(ranks->grouping));
}

// The columns to show at once: the first ones and the last, which is time.
std::vector<ComparisonColumn> first_columns(const std::vector<ComparisonColumn>& columns, std::size_t first) {
  if (columns.size() <= first + 2) return columns;
  std::vector<ComparisonColumn> out(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(first));
  out.push_back(columns.back());
  return out;
}

}  // namespace

Section comparison_section(const ReportModel& all) {
  std::vector<std::string> values;
  std::size_t first = 3;  // values that are shown at once, beside the time
  if (all.certified()) {  // of semidefinite programs: what a solver promises
    for (const char* name : {"objective", "certificate.gap", "certificate.lower_bound", "estimates.rank",
                             "constraints_used", "violations.max"})
      if (has_numbers(all.rows, name)) values.emplace_back(name);
    first = values.size();
  }
  for (std::string& name : metric_fields(all.rows)) values.push_back(std::move(name));
  for (const char* name : {"uncertainty.stability", "seconds.solve"})
    if (has_numbers(all.rows, name)) values.emplace_back(name);
  const auto section = [](std::string_view body) { return titled_section("comparison", "Comparison", body); };
  if (values.empty()) return section("<p>No run has a result to compare. The reasons are below.</p>");
  std::vector<ComparisonTable> tables;
  for (const std::string& value : values) tables.push_back(tested_comparison(all, value));
  const std::string charts = charts_html(value_charts(all), "values");
  const std::string as_chart = charts.empty() ? charts : fold_html("As a chart", charts);
  if (all.datasets.size() == 1) {
    std::vector<ComparisonColumn> columns;
    for (const ComparisonTable& table : tables)
      columns.push_back({title_of(table.request.value), direction(all, table), &table, 0});
    const std::vector<ComparisonColumn> at_once = first_columns(columns, first);
    std::string out = "<p class=\"lead\">Methods on <strong dir=\"auto\">" + escaped_name(all.datasets[0]) +
                      "</strong></p>" + comparison_html(at_once, "Methods on " + all.datasets[0]);
    ComparisonTable undirected = tables.front();
    undirected.higher_is_better.reset();  // the columns' heads give their directions
    out += caption_html(undirected, columns);
    if (at_once.size() < columns.size())
      out += fold_html(fmt::format("All {} values", columns.size()),
                       comparison_html(columns, "All values of the methods on " + all.datasets[0]));
    return section(out + as_chart);
  }
  std::string out = fmt::format("<div class=\"panels\" data-first=\"{}\">", first);
  for (const ComparisonTable& table : tables) {
    std::vector<ComparisonColumn> columns;
    for (std::size_t c = 0; c < table.col_keys.size(); ++c)
      columns.push_back({table.col_keys[c].front(), "", &table, c});
    const std::string title = title_of(table.request.value);
    out += "<div class=\"panel\"><h3>" + escaped(title) + " <small>" + direction(all, table) + "</small></h3>" +
           comparison_html(columns, title + " by method and dataset") + caption_html(table, columns) +
           ranks_html(table) + "</div>";
  }
  return section(out + "</div>" + as_chart);
}

Section profile_section(const ReportModel& all) {
  const std::string charts = charts_html(profile_charts(all), "profiles");
  if (charts.empty()) return {};
  return titled_section("profiles", "Profiles",
                        "<p class=\"lead\">On how many instances is each method good?</p>" + charts);
}

Section dataset_section(const ReportModel& all, std::size_t d) {
  const std::string& dataset = all.datasets[d];
  std::string out =
      fmt::format("<section id=\"dataset-{}\" class=\"dataset\"><h2 dir=\"auto\">{}</h2>", d, escaped_name(dataset));
  if (const std::string facts = facts_html(all, dataset); !facts.empty())
    out += "<div class=\"facts\">" + facts + "</div>";
  const bool map =
      std::ranges::any_of(all.maps, [&](const auto& view) { return all.rows[view.row].dataset.id == dataset; });
  const std::string curves = charts_html(curve_charts(all, dataset), "curves");
  if (!map && curves.empty()) out += "<p>No run on this dataset wrote a map or a trace.</p>";
  if (map) out += fmt::format("<div class=\"maps\" data-dataset=\"{}\"></div>", d);
  if (!curves.empty()) out += "<h3>Convergence</h3>" + curves;
  // Metrics of a map say nothing about how a semidefinite program was solved.
  if (const std::string charts = all.certified() ? "" : charts_html(tradeoff_charts(all, dataset), "tradeoff");
      !charts.empty())
    out += "<h3>Trade-offs</h3>" + charts;
  return {fmt::format("dataset-{}", d), dataset, out + "</section>"};
}

}  // namespace alidade::report
