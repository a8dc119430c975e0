#include <fmt/core.h>
#include <sentences/report.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/report/chart.hpp"
#include "experiments/report/charts.hpp"
#include "experiments/report/figures.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/statistics/summary.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr std::size_t kGridPoints = 240;    // at which a method's runs are compared
constexpr double kWideRange = 30;           // largest over smallest value; beyond it an axis is logarithmic
constexpr double kSomeRange = 3;            // below it no logarithm is offered
constexpr double kWideTimes = 10;           // the same ratio for the ends of runs in time
constexpr double kTolerance = 0.2;          // pixels by which a drawn curve may deviate
constexpr double kFaintTolerance = 0.4;     // pixels, for bands and thin lines
constexpr std::size_t kMarkedRecords = 12;  // a run with at most this many has a dot at each
constexpr std::size_t kSaidMethods = 12;
constexpr double kSameValue = 1e-6;  // relative; of an objective that is computed in different ways, and rounded

std::optional<double> number_at(const ValueArray& column, std::size_t i) {
  if (i >= column.size()) return std::nullopt;
  const std::optional<double> out = column[i].number();
  return out && std::isfinite(*out) ? out : std::nullopt;
}

const ValueArray* column_of(const ReportModel::TraceView& trace, std::string_view name) {
  const Value* value = trace.columns.find(name);
  return value ? value->get_if<ValueArray>() : nullptr;
}

// The records of a run; linear between them.
struct Records {
  std::string part;
  std::vector<double> x, y;
};

struct Spread {
  std::vector<double> x, low, middle, high;
};

// Median and quartiles at every record of any run, once all runs have started. A run is linear between its records;
// after its end, its last value counts.
Spread spread_of_runs(const std::vector<Records>& runs) {
  double begin = runs.front().x.front();
  std::set<double> all;
  for (const Records& run : runs) {
    begin = std::max(begin, run.x.front());
    all.insert(run.x.begin(), run.x.end());
  }
  std::vector<double> grid(all.lower_bound(begin), all.end());
  if (grid.size() > kGridPoints) {
    std::vector<double> thin;
    for (std::size_t k = 0; k < kGridPoints; ++k) thin.push_back(grid[k * (grid.size() - 1) / (kGridPoints - 1)]);
    grid = std::move(thin);
  }
  Spread out;
  std::vector<std::size_t> at(runs.size(), 0);
  for (const double x : grid) {
    std::vector<double> values;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      while (at[r] + 1 < runs[r].x.size() && runs[r].x[at[r] + 1] <= x) ++at[r];
      const Records& run = runs[r];
      const std::size_t k = at[r];
      const bool between = k + 1 < run.x.size() && run.x[k + 1] > run.x[k];
      values.push_back(between ? run.y[k] + (x - run.x[k]) / (run.x[k + 1] - run.x[k]) * (run.y[k + 1] - run.y[k])
                               : run.y[k]);
    }
    std::ranges::sort(values);
    out.x.push_back(x);
    for (const auto& [share, to] : {std::pair{0.25, &out.low}, {0.5, &out.middle}, {0.75, &out.high}})
      to->push_back(statistics::quantile_of_sorted(values, share));
  }
  return out;
}

struct MethodCurves {
  std::size_t method;
  std::vector<Records> runs;
};

// What to draw: a column of the traces against one of their clocks.
struct CurveRequest {
  std::string dataset, column, title;
  bool gap = false;          // to the best known objective
  std::string problem = {};  // only methods that solve it, since objectives compare within a problem alone; "": all
  bool named = false;        // whether titles name the problem
  std::string clock = "seconds";
  [[nodiscard]] std::string shown_title() const { return named ? title + " · " + problem : title; }
};

// What to draw, and what keep_common_runs says of it.
std::pair<std::vector<MethodCurves>, std::string> curves_of(const ReportModel& all, const CurveRequest& request) {
  std::vector<MethodCurves> out;
  for (std::size_t m = 0; m < all.methods.size(); ++m) {
    std::vector<Records> runs;
    for (const auto& trace : all.traces) {
      const Row& row = all.rows[trace.row];
      if (row.dataset.id != request.dataset || row.method != all.methods[m]) continue;
      if (!request.problem.empty() && row.problem.name != request.problem) continue;
      const ValueArray* xs = column_of(trace, request.clock);
      const ValueArray* ys = column_of(trace, request.column);
      const auto& best = all.best_known[trace.row];
      if (!xs || !ys || (request.gap && !best)) continue;
      Records records{repetition_text(row), {}, {}};
      for (std::size_t i = 0; i < ys->size(); ++i) {
        const auto x = number_at(*xs, i), y = number_at(*ys, i);
        if (!x || !y) continue;
        // Lower than any end: an estimate, or a point that violates constraints.
        if (request.gap && *y < *best - kSameValue * std::abs(*best)) continue;
        records.x.push_back(*x);
        records.y.push_back(request.gap ? std::max(*y - *best, 0.0) : *y);
      }
      if (!records.x.empty()) runs.push_back(std::move(records));
    }
    if (!runs.empty()) out.push_back({m, std::move(runs)});
  }
  std::string note = keep_common_runs(out);
  return {std::move(out), std::move(note)};
}

// A line of the chart; low and high are empty if it has no band.
struct Line {
  LegendEntry method;
  std::string note;
  bool thin = false;
  std::vector<double> x, y, low, high;
};

// Per method: the median of its runs with their quartiles, or all its runs, the first one thick.
std::vector<Line> lines_of(const ReportModel& all, const std::vector<MethodCurves>& curves, bool every_run) {
  std::vector<Line> out;
  for (const auto& [m, runs] : curves) {
    const LegendEntry method{m, all.methods[m]};
    if (runs.size() == 1) {
      out.push_back({method, "", false, runs.front().x, runs.front().y, {}, {}});
    } else if (every_run) {
      for (std::size_t r = runs.size(); r-- > 0;)  // the first above the others
        out.push_back({method, runs[r].part, r > 0, runs[r].x, runs[r].y, {}, {}});
    } else {
      Spread spread = spread_of_runs(runs);
      out.push_back({method, fmt::format("median of {} runs", runs.size()), false, std::move(spread.x),
                     std::move(spread.middle), std::move(spread.low), std::move(spread.high)});
    }
  }
  return out;
}

// Which axes can be logarithmic, and which are by default. A gap of 0 has no place on a logarithmic axis.
struct Logarithms {
  bool can_x = false, can_y = false, x = false, y = false;
};

Logarithms logarithms_of(const std::vector<Line>& lines, bool gap) {
  Range times, ends, values;
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      if (line.x[i] > 0) times.add(line.x[i]);
      if (!gap || line.y[i] > 0) values.add(line.y[i]);
    }
    if (line.x.back() > 0) ends.add(line.x.back());
  }
  Logarithms out;
  out.can_x = times.wider_than(kSomeRange);
  out.can_y = values.any && (gap ? values.high > values.low : values.wider_than(kSomeRange));
  out.x = out.can_x && ends.wider_than(kWideTimes);
  out.y = out.can_y && (gap || values.wider_than(kWideRange));
  return out;
}

void draw_line(Chart& chart, const Line& line) {
  const bool log_x = chart.x().logarithmic, log_y = chart.y().logarithmic;
  const double floor = chart.y().low, ceiling = chart.y().high;
  std::vector<Pixel> middle, upper, lower;
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    if ((log_x && line.x[i] <= 0) || (log_y && line.y[i] <= 0)) continue;
    const auto add = [&](std::vector<Pixel>& to, double y) {
      to.push_back(chart.at(line.x[i], std::clamp(y, floor, ceiling)));
    };
    add(middle, line.y[i]);
    if (line.low.empty()) continue;
    add(upper, line.high[i]);
    add(lower, line.low[i]);
  }
  if (middle.empty()) return;
  const std::string_view colour = palette_colour(line.method.k);
  chart.begin_series(line.method.k, line.note);
  if (!upper.empty()) {
    std::vector<Pixel> band = simplified(upper, kFaintTolerance);
    const std::vector<Pixel> back = simplified(lower, kFaintTolerance);
    band.insert(band.end(), back.rbegin(), back.rend());
    chart.drawing().area(band, colour, 0.15);
  }
  chart.drawing().polyline(simplified(middle, line.thin ? kFaintTolerance : kTolerance),
                           {.colour = colour,
                            .width = line.thin ? 0.9 : 1.8,
                            .dashes = palette_dashes(line.method.k),
                            .opacity = line.thin ? 0.5 : 1});
  if (!line.thin && middle.size() <= kMarkedRecords) chart.drawing().dots(middle, 2.2, colour, 1);
  chart.end_series();
}

// "STE ends at 237; t-STE ends at 2500"
std::string ends_said(const std::vector<Line>& lines) {
  std::vector<std::string> parts;
  for (const Line& line : lines)
    if (!line.thin && parts.size() < kSaidMethods)
      parts.push_back(fmt::format("{} ends at {:.4g}", line.method.name, line.y.back()));
  return join(parts, "; ");
}

enum class Legend { below, none };

// Nothing if no value can be drawn.
std::optional<std::string> drawn(const std::vector<Line>& lines, const CurveRequest& request, bool log_x, bool log_y,
                                 Legend place, ChartSize size = {}) {
  std::vector<double> xs, ys;
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      if (!log_x || line.x[i] > 0) xs.push_back(line.x[i]);
      if (!log_y || line.y[i] > 0) ys.push_back(line.y[i]);
      if (line.low.empty()) continue;
      // A band's lower edge may approach 0, which would fill most of a logarithmic axis.
      if (!log_y) ys.push_back(line.low[i]);
      if (!log_y || line.high[i] > 0) ys.push_back(line.high[i]);
    }
  if (xs.empty() || ys.empty()) return std::nullopt;
  std::vector<LegendEntry> legend;
  for (const Line& line : lines)
    if (place == Legend::below && (legend.empty() || legend.back().k != line.method.k)) legend.push_back(line.method);
  const bool seconds = request.clock == "seconds";
  Axis x{scale_of(xs, log_x, !log_x), seconds ? "Seconds of solving" : "Iteration"};
  x.scale.whole = !seconds;
  Chart chart(std::move(x), {with_margin(scale_of(ys, log_y, false), 0.03), request.title}, legend, size);
  for (const Line& line : lines)
    if (line.thin) draw_line(chart, line);
  for (const Line& line : lines)
    if (!line.thin) draw_line(chart, line);
  return chart.drawing().finished();
}

// The problems solved on a dataset, in the order of the methods.
std::vector<std::string> problems_on(const ReportModel& all, const std::string& dataset) {
  std::vector<std::string> out;
  for (const std::string& method : all.methods)
    for (const auto& trace : all.traces) {
      const Row& row = all.rows[trace.row];
      if (row.dataset.id != dataset || row.method != method) continue;
      if (column_of(trace, "objective")) add_new(out, row.problem.name);
    }
  return out;
}

// Whether methods solve the problem with different options on a dataset.
bool options_differ(const ReportModel& all, const std::string& dataset, const std::string& problem) {
  std::set<std::string> setups;
  for (const Row& row : all.rows)
    if (row.dataset.id == dataset && row.problem.name == problem && row.ended_well()) setups.insert(setup_of(row));
  return setups.size() > 1;
}

// Columns with numbers in a dataset's traces; the gap and the objective of each problem come first.
std::vector<CurveRequest> requests_of(const ReportModel& all, const std::string& dataset) {
  std::set<std::string> columns;
  for (const auto& trace : all.traces)
    if (all.rows[trace.row].dataset.id == dataset)
      for (const std::string& name : trace.columns.keys())
        if (name != "iteration" && name != "seconds") columns.insert(name);
  std::vector<CurveRequest> out;
  if (columns.erase("objective") > 0) {
    const std::vector<std::string> problems = problems_on(all, dataset);
    for (const std::string& problem : problems)
      for (const bool gap : {true, false})
        out.push_back({.dataset = dataset,
                       .column = "objective",
                       .title = gap ? "Gap to the best objective" : "Objective",
                       .gap = gap,
                       .problem = problem,
                       .named = problems.size() > 1});
  }
  for (const std::string& column : columns)
    out.push_back({.dataset = dataset, .column = column, .title = title_of("metrics." + column)});
  return out;
}

std::string file_of(const CurveRequest& request) {
  std::vector<std::string> words{"curve", request.dataset};
  if (request.named) words.push_back(request.problem);
  words.push_back(request.gap ? "gap" : request.column);
  return figure_name(words);
}

std::string on_off(bool on) { return on ? "on" : "off"; }

// Whether a chart of the group has logarithmic time by default: they share the choice.
bool log_time_of(const ReportModel& all, const std::string& dataset, const std::string& clock) {
  return std::ranges::any_of(requests_of(all, dataset), [&](CurveRequest request) {
    request.clock = clock;
    return logarithms_of(lines_of(all, curves_of(all, request).first, false), request.gap).x;
  });
}

// Every view of one column, the default first. `log_time`: its default by clock.
std::vector<ChartView> views_of(const ReportModel& all, CurveRequest request, const std::vector<std::string>& clocks,
                                const std::map<std::string, bool>& log_time, bool repeated, bool spread) {
  std::vector<ChartView> out;
  for (const std::string& clock : clocks) {
    request.clock = clock;
    const auto [curves, note] = curves_of(all, request);
    if (curves.empty()) continue;
    for (const bool every_run : {!spread, spread}) {
      if (!repeated && every_run) continue;
      const std::vector<Line> lines = lines_of(all, curves, every_run);
      const Logarithms logarithms = logarithms_of(lines, request.gap);
      for (const bool log_x : {log_time.at(clock), !log_time.at(clock)})
        for (const bool log_y : {logarithms.y, !logarithms.y}) {
          if ((log_x && !logarithms.can_x) || (log_y && !logarithms.can_y)) continue;
          auto svg = drawn(lines, request, log_x, log_y, Legend::none);
          if (!svg) continue;
          const bool other_options =
              !request.gap && request.column == "objective" && options_differ(all, request.dataset, request.problem);
          const std::string against = clock == "seconds" ? "seconds" : "iterations";
          std::string caption = other_options ? words::kOtherOptionsOfProblem : "";
          if (!note.empty()) caption += (caption.empty() ? "" : " ") + note;
          out.push_back({.choices = {{"Show", request.title},
                                     {"Against", against},
                                     {"Repeats", every_run && repeated ? "every run" : "median and quartiles"},
                                     {"Log time", on_off(log_x)},
                                     {"Log scale", on_off(log_y)}},
                         .title = request.shown_title(),
                         .description = fmt::format("{} of {} against {}. {}", request.title,
                                                    counted(curves.size(), "method"), against, ends_said(lines)),
                         .caption = std::move(caption),
                         .file = file_of(request),
                         .svg = std::move(*svg)});
        }
    }
  }
  return out;
}

struct DrawnCurves {
  CurveRequest request;
  std::vector<Line> lines;
  std::string svg;
};

// Each column of a dataset's traces against seconds, in its default view.
std::vector<DrawnCurves> default_views(const ReportModel& all, const std::string& dataset, Legend place,
                                       ChartSize size) {
  std::vector<DrawnCurves> out;
  for (const CurveRequest& request : requests_of(all, dataset)) {
    std::vector<Line> lines = lines_of(all, curves_of(all, request).first, false);
    if (lines.empty()) continue;
    const Logarithms logarithms = logarithms_of(lines, request.gap);
    if (auto svg = drawn(lines, request, logarithms.x, logarithms.y, place, size))
      out.push_back({request, std::move(lines), std::move(*svg)});
  }
  return out;
}

}  // namespace

std::vector<Figure> curve_figures(const ReportModel& all, std::optional<double> width) {
  std::vector<Figure> out;
  for (const std::string& dataset : all.datasets)
    for (DrawnCurves& drawn : default_views(all, dataset, Legend::below, ChartSize().of_width(width)))
      out.push_back({file_of(drawn.request), std::move(drawn.svg)});
  return out;
}

std::optional<Figure> curve_grid(const ReportModel& all, std::optional<double> width) {
  constexpr double kGridWidth = 300;
  std::size_t widest = 0;
  for (const std::string& dataset : all.datasets) widest = std::max(widest, requests_of(all, dataset).size());
  const PanelColumns columns = panel_columns(widest, kGridWidth, width);
  const ChartSize size = ChartSize().of_width(columns.width);
  std::vector<PanelBlock> blocks;
  std::vector<LegendEntry> legend;
  std::size_t panels = 0;
  for (const std::string& dataset : all.datasets) {
    PanelBlock block;
    if (all.datasets.size() > 1) block.heading = dataset;
    for (DrawnCurves& drawn : default_views(all, dataset, Legend::none, size)) {
      if (panels == kGridPanels) break;
      ++panels;
      for (const Line& line : drawn.lines)
        if (std::ranges::find(legend, line.method.k, &LegendEntry::k) == legend.end()) legend.push_back(line.method);
      block.panels.push_back({drawn.request.shown_title(), std::move(drawn.svg)});
    }
    if (!block.panels.empty()) blocks.push_back(std::move(block));
  }
  if (panels < 2) return std::nullopt;
  std::ranges::sort(legend, {}, &LegendEntry::k);
  const double wide = panel_grid_width(columns);
  blocks.back().legend_height = legend_height(legend.size(), {wide, 0});
  blocks.back().legend = [&](SvgDrawing& drawing, double top) { (void)draw_legend(drawing, legend, {wide, top + 4}); };
  return Figure{"curve-grid", panel_grid(blocks, columns, size.height)};
}

ChartGroup curve_charts(const ReportModel& all, const std::string& dataset) {
  std::vector<std::string> clocks;
  std::set<std::string> parts;
  bool seconds = true, iterations = true;
  for (const auto& trace : all.traces) {
    const Row& row = all.rows[trace.row];
    if (row.dataset.id != dataset) continue;
    seconds = seconds && column_of(trace, "seconds");
    iterations = iterations && column_of(trace, "iteration");
    parts.insert(repetition_text(row));
  }
  const bool repeated = parts.size() > 1;
  if (seconds) clocks.emplace_back("seconds");
  if (iterations) clocks.emplace_back("iteration");
  std::map<std::string, bool> log_time;
  for (const std::string& clock : clocks) log_time[clock] = log_time_of(all, dataset, clock);
  ChartGroup out;
  out.shared = {"Against", "Repeats", "Log time"};
  bool gaps = false;
  InOrder<std::string, std::vector<ChartView>> objectives;  // of a problem
  std::vector<ChartView> errors;
  for (const CurveRequest& request : requests_of(all, dataset)) {
    auto views = views_of(all, request, clocks, log_time, repeated, parts.size() > 2);
    gaps = gaps || (request.gap && !views.empty());
    std::ranges::move(views,
                      std::back_inserter(request.column == "objective" ? objectives.of(request.problem) : errors));
  }
  if (!errors.empty()) out.charts.push_back({std::move(errors)});
  for (auto& [problem, views] : objectives)
    if (!views.empty()) out.charts.push_back({std::move(views)});
  for (std::size_t m = 0; m < all.methods.size(); ++m)
    if (std::ranges::any_of(all.traces, [&](const auto& trace) {
          return all.rows[trace.row].dataset.id == dataset && all.rows[trace.row].method == all.methods[m];
        }))
      out.methods.push_back({m, all.methods[m]});
  std::vector<std::string> notes;
  if (repeated) notes.emplace_back(words::kMediansAndQuartiles);
  if (objectives.size() > 1) notes.emplace_back(words::kPanelPerProblem);
  if (gaps) notes.emplace_back(words::kGapFromBest);
  if (seconds) notes.emplace_back("Times exclude measuring.");
  out.caption = join(notes, " ");
  return out;
}

}  // namespace alidade::report
