#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "experiments/files/counted.hpp"
#include "experiments/report/chart.hpp"
#include "experiments/report/charts.hpp"
#include "experiments/report/figures.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr ChartSize kDimensionSize{480, 260};

struct TriedDimension {
  double dimension, error, spread;  // one standard error
};

std::vector<TriedDimension> tried_dimensions(const ValueTable& row) {
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
  const ValueTable& row = all.rows[row_index];
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
  ChartView view;
  view.choices = {};
  view.title = "Validation error by dimension, " + part_of(row);
  view.description = "Validation error by dimension: " + join(parts, ", ") +
                     ". Chosen: " + (chosen ? fmt::format("{:.4g}", *chosen) : std::string("unknown")) + ".";
  view.caption =
      "Bars: one standard error each way. Dashed line: one standard error above the lowest error. "
      "Ring: the chosen dimension.";
  view.file = figure_name({"dimensions", text_field(row, "dataset"), text_field(row, "method")});
  view.size = kDimensionSize;
  view.svg = chart.drawing().finished();
  out.charts.push_back({{std::move(view)}});
  return out;
}

}  // namespace alidade::report
