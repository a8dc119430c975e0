// The charts of the page, in every view that a reader can choose, drawn as for papers (figures.hpp).
// A view is one drawing. The script shows the chosen one and describes the mark under the pointer.
// The browser draws nothing, so a chart looks the same on the page, saved from it, and from `report --figures`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/report/chart.hpp"
#include "experiments/report/report_model.hpp"

namespace alidade::report {

struct ChartView {
  /// Labels of controls with their values: {"Against", "seconds"}, {"Log scale", "on"}. All views of a chart have the
  /// same labels in the same order; values "on" and "off" make a check box.
  std::vector<std::pair<std::string, std::string>> choices{};
  std::string title;        // plain text, as all below
  std::string description;  // the chart in words, for screen readers
  std::string caption;      // below it
  std::string file;         // file name of a saved chart, without extension
  ChartSize size{};
  std::string svg;  // without a legend: the group has one
};

struct ChartCard {
  std::vector<ChartView> views;  // the default view first
  /// The first two choices name a pair in either order; each pair has one view.
  bool symmetric = false;
};

/// Charts with one legend.
struct ChartGroup {
  std::vector<ChartCard> charts;
  std::vector<LegendEntry> methods;  // of the legend; empty if names stand beside the marks
  std::vector<std::string> shared;   // choices that apply to all charts at once
  std::string caption;
};

/// charts.cpp. Of how many runs were left out; "" of none. Nothing: none is common.
[[nodiscard]] std::string note_on_common_runs(std::optional<std::size_t> left_out);

/// Leaves the runs (`run.part`, a repetition) of the methods' `runs` whose like each method has, and says how many it
/// leaves out; where none is common to all, they stay, and it says that. "" if all have the same.
template <class Methods>
[[nodiscard]] std::string keep_common_runs(Methods& methods) {
  std::map<std::string, std::set<std::size_t>> having;
  for (std::size_t m = 0; m < methods.size(); ++m)
    for (const auto& run : methods[m].runs) having[run.part].insert(m);
  const auto shared = [&](const auto& of) { return of.second.size() == methods.size(); };
  if (std::ranges::none_of(having, shared)) return note_on_common_runs(std::nullopt);
  std::size_t left_out = 0;
  for (auto& method : methods)
    left_out +=
        std::erase_if(method.runs, [&](const auto& run) { return having.at(run.part).size() < methods.size(); });
  return note_on_common_runs(left_out);
}

/// curve_figure.cpp. The objective with its gap, and the errors, of all methods during the solves of a dataset.
[[nodiscard]] ChartGroup curve_charts(const ReportModel& contents, const std::string& dataset);

/// value_figure.cpp. Every metric and time by dataset and method: means with their intervals.
[[nodiscard]] ChartGroup value_charts(const ReportModel& contents);

/// profile_figure.cpp. For every value with a profile: the share of instances on which a method is within a factor of
/// the best method, or below a value.
[[nodiscard]] ChartGroup profile_charts(const ReportModel& contents);

/// tradeoff_figure.cpp. Each pair of metrics, and each metric against time, with one point per method on a dataset.
/// Arrows at the axes point to the better values.
[[nodiscard]] ChartGroup tradeoff_charts(const ReportModel& contents, const std::string& dataset);

/// value_figure.cpp. The validation error of each number of dimensions that the run in row `row` tried.
[[nodiscard]] ChartGroup dimension_charts(const ReportModel& contents, std::size_t row);

/// charts.cpp. Markup of all charts; "" without charts. `css_class` is a class of report.css.
[[nodiscard]] std::string charts_html(const ChartGroup& group, std::string_view css_class);

}  // namespace alidade::report
