#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "experiments/report/chart.hpp"
#include "experiments/report/charts.hpp"
#include "experiments/report/figures.hpp"
#include "experiments/report/point_names.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr ChartSize kTradeoffSize{430, 330};  // still readable at the width of a phone
constexpr double kPointRadius = 4.6;
constexpr double kWideTime = 10;  // largest over smallest time; beyond it time is logarithmic
constexpr std::string_view kTime = "seconds.solve";

// Pairs to show first if both exist: the vertical one, then the horizontal one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kPreferredPairs = {
    {{"metrics.smoothed_precision", "metrics.smoothed_recall"}, {"metrics.trustworthiness", "metrics.continuity"}}};

struct PlottedValue {
  std::string name, title;
  std::optional<bool> higher;  // is higher better
};

// Values that at least two methods have on the dataset.
std::vector<PlottedValue> plotted_values(const ReportModel& all, std::string_view dataset) {
  std::vector<PlottedValue> out;
  for (const std::string& name : measured_fields(all.rows)) {
    std::set<std::string> methods;
    for (const Row& row : all.rows)
      if (row.dataset.id == dataset && row.ended_well() && number_field(row, name)) methods.insert(row.method);
    if (methods.size() > 1) out.push_back({name, title_of(name), higher_is_better(all.directions, name)});
  }
  return out;
}

struct MethodRun {
  std::string part;
  double x, y;
};

struct MethodPoint {
  LegendEntry method;
  std::vector<MethodRun> runs{};
  double x = 0, y = 0;  // their means
};

// `note`: what keep_common_runs says.
std::vector<MethodPoint> method_points(const ReportModel& all, std::string_view dataset, const PlottedValue& across,
                                       const PlottedValue& up, std::string& note) {
  std::vector<MethodPoint> out;
  for (std::size_t m = 0; m < all.methods.size(); ++m) {
    MethodPoint point{{m, all.methods[m]}};
    for (const Row& row : all.rows) {
      if (row.dataset.id != dataset || row.method != all.methods[m] || !row.ended_well()) continue;
      const auto x = number_field(row, across.name), y = number_field(row, up.name);
      if (x && y) point.runs.push_back({repetition_text(row), *x, *y});
    }
    if (!point.runs.empty()) out.push_back(std::move(point));
  }
  note = keep_common_runs(out);
  for (MethodPoint& point : out)
    for (const MethodRun& run : point.runs) {
      point.x += run.x / static_cast<double>(point.runs.size());
      point.y += run.y / static_cast<double>(point.runs.size());
    }
  return out;
}

Axis axis_of(const PlottedValue& value, const std::vector<double>& numbers) {
  const auto [low, high] = std::ranges::minmax(numbers);
  const bool logarithmic = value.name == kTime && low > 0 && high > kWideTime * low;
  return {with_margin(scale_of(numbers, logarithmic, false), 0.08), value.title, value.higher};
}

struct TradeoffDrawing {
  std::string svg;
  std::vector<std::string> unnamed;
};

TradeoffDrawing drawn_tradeoff(const std::vector<MethodPoint>& points, const PlottedValue& across,
                               const PlottedValue& up) {
  std::vector<double> xs, ys;
  for (const MethodPoint& point : points)
    for (const auto& [part, x, y] : point.runs) {
      xs.push_back(x);
      ys.push_back(y);
    }
  Chart chart(axis_of(across, xs), axis_of(up, ys), {}, kTradeoffSize);
  for (const MethodPoint& point : points) {
    if (point.runs.size() < 2) continue;
    std::vector<Pixel> places;
    for (const auto& [part, x, y] : point.runs) places.push_back(chart.at(x, y));
    chart.drawing().dots(places, 1.7, palette_colour(point.method.k), 0.5);
  }
  std::vector<Pixel> places;
  std::vector<std::string> names;
  for (const MethodPoint& point : points) {
    places.push_back(chart.at(point.x, point.y));
    names.push_back(point.method.name);
    std::vector<std::string> tooltip{point.method.name, fmt::format("{} {:.4g}", across.title, point.x),
                                     fmt::format("{} {:.4g}", up.title, point.y)};
    if (point.runs.size() > 1) tooltip.push_back(fmt::format("means of {} runs", point.runs.size()));
    draw_point(chart.drawing(), point.method.k, places.back(), kPointRadius, tooltip);
  }
  const NameFrame frame{.left = std::min(chart.x().from, chart.x().to) + 2,
                        .top = 2,
                        .right = kTradeoffSize.width - 2,
                        .bottom = std::max(chart.y().from, chart.y().to) - 2};
  TradeoffDrawing out;
  out.unnamed = draw_names(chart.drawing(), names, places, kPointRadius + 1, frame,
                           {.size = 10, .length = 30, .cut_inside = true});
  out.svg = chart.drawing().finished();
  return out;
}

std::string tradeoff_caption(const std::vector<MethodPoint>& points, const PlottedValue& across, const PlottedValue& up,
                             const std::vector<std::string>& unnamed) {
  std::string out = across.higher && up.higher
                        ? fmt::format("The best methods are at the {} {}.", *up.higher ? "top" : "bottom",
                                      *across.higher ? "right" : "left")
                        : std::string("Alidade does not know whether higher or lower is better for both.");
  if (std::ranges::any_of(points, [](const MethodPoint& point) { return point.runs.size() > 1; }))
    out += " Large points are means over the runs of a method; small points are its runs.";
  if (!unnamed.empty()) out += " No room for the names of " + join(unnamed, ", ") + ".";
  return out;
}

}  // namespace

ChartGroup tradeoff_charts(const ReportModel& all, const std::string& dataset) {
  const std::vector<PlottedValue> values = plotted_values(all, dataset);
  ChartGroup out;
  if (values.size() < 2) return out;
  ChartCard card;
  card.symmetric = true;
  const auto add = [&](const PlottedValue& up, const PlottedValue& across) {
    std::string note;
    const auto points = method_points(all, dataset, across, up, note);
    if (points.size() < 2) return;
    TradeoffDrawing drawing = drawn_tradeoff(points, across, up);
    const std::string title = up.title + " and " + within_sentence(across.title);
    std::vector<std::string> parts;
    for (const MethodPoint& point : points)
      parts.push_back(fmt::format("{} {:.4g} and {:.4g}", point.method.name, point.y, point.x));
    card.views.push_back(
        {.choices = {{"Compare", up.title}, {"with", across.title}},
         .title = title,
         .description = title + ": " + join(parts, "; "),
         .caption = tradeoff_caption(points, across, up, drawing.unnamed) + (note.empty() ? "" : " " + note),
         .file = figure_name({"tradeoff", dataset, up.name, across.name}),
         .size = kTradeoffSize,
         .svg = std::move(drawing.svg)});
  };
  // The pair that is shown first, then the others.
  const auto place_of = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(values, name, &PlottedValue::name) - values.begin());
  };
  std::pair<std::size_t, std::size_t> first{0, values.size() - 1};
  for (auto pair = kPreferredPairs.rbegin(); pair != kPreferredPairs.rend(); ++pair)
    if (const std::pair places{place_of(pair->first), place_of(pair->second)};
        places.first < values.size() && places.second < values.size())
      first = places;
  add(values[first.first], values[first.second]);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j)
      if (std::minmax(first.first, first.second) != std::minmax(i, j)) add(values[i], values[j]);
  if (!card.views.empty()) out.charts.push_back(std::move(card));
  return out;
}

}  // namespace alidade::report
