#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "experiments/report/chart.hpp"
#include "experiments/report/figures.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/rows.hpp"

namespace alidade::report {
namespace {

constexpr std::size_t kGridPoints = 240;  // at which the runs of a method are compared
constexpr double kWideRange = 30;  // greatest over least, beyond which an axis is logarithmic

std::optional<double> number_at(const Array& column, std::size_t i) {
  if (i >= column.size()) return std::nullopt;
  if (const double* real = column[i].get_if<double>())
    return std::isfinite(*real) ? std::optional(*real) : std::nullopt;
  if (const auto* whole = column[i].get_if<std::int64_t>()) return static_cast<double>(*whole);
  return std::nullopt;
}

const Array* column_of(const ReportContents::TraceView& trace, std::string_view name) {
  const Value* value = trace.columns.find(name);
  return value ? value->get_if<Array>() : nullptr;
}

// The records of a run; straight between them.
struct Records {
  std::vector<double> x, y;
};

double quantile(std::span<const double> sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto k = static_cast<std::size_t>(at);
  return k + 1 < sorted.size()
             ? sorted[k] + (at - static_cast<double>(k)) * (sorted[k + 1] - sorted[k])
             : sorted[k];
}

struct Spread {
  std::vector<double> x, low, middle, high;
};

// Median and quartiles wherever some run has a record, from where all have begun: straight between a run's records, and a
// run that has ended counts with its last value.
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
    for (std::size_t k = 0; k < kGridPoints; ++k)
      thin.push_back(grid[k * (grid.size() - 1) / (kGridPoints - 1)]);
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
      values.push_back(between ? run.y[k] + (x - run.x[k]) / (run.x[k + 1] - run.x[k]) *
                                                (run.y[k + 1] - run.y[k])
                               : run.y[k]);
    }
    std::ranges::sort(values);
    out.x.push_back(x);
    out.low.push_back(quantile(values, 0.25));
    out.middle.push_back(quantile(values, 0.5));
    out.high.push_back(quantile(values, 0.75));
  }
  return out;
}

using Curves = std::vector<std::pair<std::size_t, std::vector<Records>>>;  // by method

Curves curves_of(const ReportContents& all, const std::string& dataset, const std::string& column,
                 bool gap) {
  Curves out;
  for (std::size_t m = 0; m < all.methods.size(); ++m) {
    std::vector<Records> runs;
    for (const auto& trace : all.traces) {
      const Table& row = all.rows[trace.row];
      if (text_field(row, "dataset") != dataset || text_field(row, "method") != all.methods[m])
        continue;
      const Array* xs = column_of(trace, "seconds");
      const Array* ys = column_of(trace, column);
      if (!xs || !ys || (gap && !all.best_known[trace.row])) continue;
      Records records;
      for (std::size_t i = 0; i < ys->size(); ++i) {
        const auto x = number_at(*xs, i), y = number_at(*ys, i);
        if (!x || !y) continue;
        records.x.push_back(*x);
        records.y.push_back(gap ? std::max(*y - *all.best_known[trace.row], 0.0) : *y);
      }
      if (!records.x.empty()) runs.push_back(std::move(records));
    }
    if (!runs.empty()) out.emplace_back(m, std::move(runs));
  }
  return out;
}

std::optional<std::string> drawn(const ReportContents& all, const Curves& curves,
                                 const std::string& title, bool gap) {
  std::vector<std::pair<std::size_t, Spread>> spreads;
  for (const auto& [method, runs] : curves) spreads.emplace_back(method, spread_of_runs(runs));
  std::vector<double> xs, ys;
  std::vector<double> ends;
  for (const auto& [method, spread] : spreads) {
    for (const double x : spread.x)
      if (x > 0) xs.push_back(x);
    ys.insert(ys.end(), spread.middle.begin(), spread.middle.end());
    if (spread.x.back() > 0) ends.push_back(spread.x.back());
  }
  const auto wide = [](const std::vector<double>& values, double factor) {
    return !values.empty() && *std::ranges::min_element(values) > 0 &&
           *std::ranges::max_element(values) > factor * *std::ranges::min_element(values);
  };
  if (gap) std::erase_if(ys, [](double y) { return y <= 0; });
  if (ys.empty() || xs.empty()) return std::nullopt;
  const bool log_y = gap || wide(ys, kWideRange), log_x = wide(ends, 10);
  std::vector<LegendEntry> legend;
  for (const auto& [method, spread] : spreads) legend.push_back({method, all.methods[method]});
  Chart chart(scale_of(xs, log_x, !log_x), scale_of(ys, log_y, false), "Seconds of solving", title,
              legend);
  for (const auto& [method, spread] : spreads) {
    std::vector<Pixel> line, upper, lower;
    const double floor = chart.y().low, ceiling = chart.y().high;
    for (std::size_t i = 0; i < spread.x.size(); ++i) {
      if ((log_x && spread.x[i] <= 0) || (log_y && spread.middle[i] <= 0)) continue;
      const auto add = [&](std::vector<Pixel>& to, double y) {
        to.push_back(chart.at(spread.x[i], std::clamp(y, floor, ceiling)));
      };
      add(line, spread.middle[i]);
      add(upper, spread.high[i]);
      add(lower, spread.low[i]);
    }
    upper.insert(upper.end(), lower.rbegin(), lower.rend());
    const std::string_view colour = palette_colour(method);
    const bool repeated = std::ranges::any_of(
        curves, [&](const auto& c) { return c.first == method && c.second.size() > 1; });
    if (repeated)
      chart.drawing().polygon(upper, colour, 0.15, {.colour = colour, .width = 0, .opacity = 0});
    chart.drawing().polyline(line,
                             {.colour = colour, .width = 1.8, .dashes = palette_dashes(method)});
  }
  return chart.drawing().finished();
}

}  // namespace

std::vector<Figure> curve_figures(const ReportContents& all) {
  std::vector<Figure> out;
  for (const std::string& dataset : all.datasets) {
    std::set<std::string> columns;
    for (const auto& trace : all.traces)
      if (text_field(all.rows[trace.row], "dataset") == dataset)
        for (const std::string& name : trace.columns.keys())
          if (name != "iteration" && name != "seconds") columns.insert(name);
    const auto add = [&](const std::string& column, const std::string& title, bool gap) {
      const Curves curves = curves_of(all, dataset, column, gap);
      if (curves.empty()) return;
      if (auto svg = drawn(all, curves, title, gap))
        out.push_back({figure_name({"curve", dataset, gap ? "gap" : column}), std::move(*svg)});
    };
    for (const std::string& column : columns) add(column, title_of("metrics." + column), false);
    if (columns.contains("objective")) add("objective", "Gap to the best objective", true);
  }
  return out;
}

}  // namespace alidade::report
