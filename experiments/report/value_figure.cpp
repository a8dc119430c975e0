#include <fmt/core.h>
#include <sentences/report.hpp>

#include <algorithm>
#include <optional>
#include <set>

#include "experiments/files/counted.hpp"
#include "experiments/report/chart.hpp"
#include "experiments/report/charts.hpp"
#include "experiments/report/figures.hpp"
#include "experiments/report/ranks.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr double kLine = 15;         // pixels per method
constexpr double kGap = 22;          // above a dataset's methods
constexpr double kUsualNames = 170;  // pixels for the methods' names
constexpr double kUsualValues = 300;
constexpr double kPageWidth = 400;  // on the page: still readable at the width of a phone
constexpr double kLetter = 5.2;     // width of a letter of a name

std::size_t bad_runs(const Cell& cell) { return cell.failed + cell.skipped + cell.cancelled; }

// Means and intervals: one block per dataset, one line per method.
std::optional<std::string> intervals(const ComparisonTable& table, const std::string& title,
                                     const std::optional<double>& width) {
  const double names = width ? std::min(kUsualNames, 0.36 * *width) : kUsualNames;
  const double room = width ? *width - names - 14 : kUsualValues;
  const auto letters = static_cast<std::size_t>(names / kLetter);
  std::vector<double> values;
  std::set<std::size_t> headed;  // columns with a value
  bool troubled = false;
  for (const auto [r, c] : table.places()) {
    const Cell& cell = table.cell(r, c);
    if (cell.samples.empty()) continue;
    for (const double sign : {-1.0, 1.0}) values.push_back(cell.mean + sign * cell.half_width.value_or(0));
    headed.insert(c);
    troubled = troubled || bad_runs(cell) > 0;
  }
  if (values.empty()) return std::nullopt;
  const double height = 6 + kGap * static_cast<double>(headed.size()) + kLine * static_cast<double>(values.size() / 2);
  Scale scale = scale_of(values, false, false);
  const double pad = 0.04 * (scale.high - scale.low);
  scale.low -= pad;
  scale.high += pad;
  scale.from = names;
  scale.to = names + room;
  SvgDrawing drawing(names + room + 14, height + 40);
  for (const auto& [value, words] : scale.ticks()) {
    drawing.line({scale(value), 6}, {scale(value), height}, {.colour = "#eceff1", .width = 0.8});
    drawing.text(words, {scale(value), height + 10}, Anchor::middle, 9, false, kSoftColour);
  }
  drawing.line({scale.from, height}, {scale.to, height}, {.colour = "#8b949e", .width = 0.8});
  const std::string below = with_better(title, table.higher_is_better);
  const double half = text_width(below, 10) / 2;
  drawing.text(below,
               {std::min((scale.from + scale.to) / 2, std::max(names + room + 10 - half, half + 4)), height + 28},
               Anchor::middle, 10);
  double y = 6;
  for (const std::size_t c : headed) {
    drawing.text(shortened(table.col_keys[c].front(), 60), {6, y + kGap / 2 + 2}, Anchor::start, 10, true);
    y += kGap;
    for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
      const Cell& cell = table.cell(r, c);
      if (cell.samples.empty()) continue;
      const double line = y + kLine / 2;
      std::string name = shortened_inside(table.row_keys[r].front(), std::min<std::size_t>(28, letters));
      if (bad_runs(cell) > 0)
        name = shortened_inside(table.row_keys[r].front(), std::min<std::size_t>(22, letters - 2)) + " †";
      // As on the page: not significantly worse than the best, if the test could show it.
      if (cell.tied) name = "≈ " + name;
      drawing.text(name, {names - 8, line}, Anchor::end, 9, cell.best && marks_best(table, c));
      const std::string_view colour = palette_colour(r);
      if (cell.half_width)
        drawing.line({scale(cell.mean - *cell.half_width), line}, {scale(cell.mean + *cell.half_width), line},
                     {.colour = colour, .width = 1.4});
      std::vector<std::string> tooltip{table.row_keys[r].front(), fmt::format("{} {:.4g}", title, cell.mean)};
      if (cell.half_width) tooltip.back() += fmt::format(" ± {:.2g}", *cell.half_width);
      tooltip.push_back("on " + table.col_keys[c].front());
      draw_point(drawing, r, {scale(cell.mean), line}, 3.6, tooltip);
      y += kLine;
    }
  }
  if (troubled) drawing.text("† some runs failed", {6, height + 28}, Anchor::start, 8, false, kSoftColour);
  return drawing.finished();
}

}  // namespace

std::vector<Figure> value_figures(const ReportModel& all, std::optional<double> width) {
  std::vector<Figure> out;
  if (all.methods.size() < 2) return out;
  for (const std::string& value : measured_fields(all.rows)) {
    const ComparisonTable table = tested_comparison(all, value);
    if (auto svg = intervals(table, title_of(value), width))
      out.push_back({figure_name({"values", value}), std::move(*svg)});
    if (const auto ranks = ranks_of(table))
      out.push_back({figure_name({"ranks", value}), rank_diagram_svg(*ranks, width)});
  }
  return out;
}

ChartGroup value_charts(const ReportModel& all) {
  ChartCard card;
  for (const std::string& value : all.methods.size() < 2 ? std::vector<std::string>() : measured_fields(all.rows)) {
    const ComparisonTable table = tested_comparison(all, value);
    auto svg = intervals(table, title_of(value), kPageWidth);
    if (!svg) continue;
    const std::string title = title_of(value);
    card.views.push_back({.choices = {{"Show", title}},
                          .title = title,
                          .description = title + " by dataset and method: the numbers of the table above.",
                          .caption = "Means with their intervals, as in the table.",
                          .file = figure_name({"values", value}),
                          .svg = std::move(*svg)});
  }
  ChartGroup out;
  if (!card.views.empty()) out.charts.push_back(std::move(card));
  return out;
}

namespace {

constexpr ChartSize kDimensionSize{480, 260};

struct TriedDimension {
  double dimension, error, spread;  // one standard error
};

std::vector<TriedDimension> tried_dimensions(const Row& row) {
  std::vector<TriedDimension> out;
  for (const Value& entry : list_field(row, "chosen.dimensions")) {
    const ValueTable* point = entry.get_if<ValueTable>();
    if (!point) continue;
    const auto dimension = number_field(*point, "n_components");
    const auto error = number_field(*point, "validation_error");
    if (dimension && error) out.push_back({*dimension, *error, number_field(*point, "standard_error").value_or(0)});
  }
  return out;
}

}  // namespace

ChartGroup dimension_charts(const ReportModel& all, std::size_t row_index) {
  const Row& row = all.rows[row_index];
  const std::vector<TriedDimension> tried = tried_dimensions(row);
  ChartGroup out;
  if (tried.empty()) return out;
  std::vector<double> xs, ys;
  std::vector<std::string> parts;
  for (const TriedDimension& point : tried) {
    xs.push_back(point.dimension);
    ys.push_back(point.error - point.spread);
    ys.push_back(point.error + point.spread);
    parts.push_back(fmt::format("{:.4g}: {:.4g}", point.dimension, point.error));
  }
  Axis x{scale_of(xs, false, false), "Dimensions"};
  x.scale.whole = true;
  x.scale.low -= 0.4;
  x.scale.high += 0.4;
  Chart chart(std::move(x), {with_margin(scale_of(ys, false, false), 0.06), "Validation error"}, {}, kDimensionSize);
  const auto best = std::ranges::min_element(tried, {}, &TriedDimension::error);
  const double bound = best->error + best->spread;
  chart.drawing().line(chart.at(chart.x().low, bound), chart.at(chart.x().high, bound),
                       {.colour = kFaintColour, .dashes = "5 4"});
  std::vector<Pixel> line;
  for (const TriedDimension& point : tried) {
    const Pixel at = chart.at(point.dimension, point.error);
    line.push_back(at);
    if (point.spread <= 0) continue;
    const double low = chart.y()(point.error - point.spread), high = chart.y()(point.error + point.spread);
    const Stroke bar{.colour = kFaintColour, .width = 1.4};
    chart.drawing().line({at.x, low}, {at.x, high}, bar);
    for (const double end : {low, high}) chart.drawing().line({at.x - 4, end}, {at.x + 4, end}, bar);
  }
  chart.drawing().polyline(line, {.colour = palette_colour(0), .width = 1.8});
  const auto chosen = number_field(row, "chosen.problem.n_components");
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const TriedDimension& point = tried[i];
    draw_point(chart.drawing(), 0, line[i], 3.6,
               {counted(static_cast<std::size_t>(point.dimension), "dimension"),
                fmt::format("validation error {:.4g} ± {:.2g}", point.error, point.spread)});
    if (chosen && *chosen == point.dimension) chart.drawing().ring(line[i], 8, {.width = 1.6});
  }
  out.charts.push_back(
      {{{.title = "Validation error by dimension, " + repetition_text(row),
         .description = fmt::format("Validation error by dimension: {}. Chosen: {}.", join(parts, ", "),
                                    chosen ? fmt::format("{:.4g}", *chosen) : "unknown"),
         .caption = words::kDimensionBars,
         .file = figure_name({"dimensions", row.dataset.id, row.method}),
         .size = kDimensionSize,
         .svg = chart.drawing().finished()}}});
  return out;
}

}  // namespace alidade::report
