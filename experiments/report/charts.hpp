// The charts of the page, each in every way in which a reader can look at it, drawn as for papers (figures.hpp).
// A view is one drawing; the script shows one at a time, by what the reader chooses, and says what is pointed at.
// Nothing is drawn in the browser, so that a chart has one look: on the page, saved from it, and of `report --figures`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/report/chart.hpp"
#include "experiments/report/report_model.hpp"

namespace alidade::report {

struct ChartView {
  /// Labels of controls and what each is set to: {"Against", "seconds"}, {"Log scale", "on"}. The views of a chart have
  /// the same labels in the same order; values "on" and "off" make a check box.
  std::vector<std::pair<std::string, std::string>> choices;
  std::string title;    // plain text, as all below
  std::string said;     // the chart in words, for those who do not see it
  std::string caption;  // below it
  std::string file;     // the name of a saved one, without the ending
  ChartSize size;
  std::string svg;  // without a legend: the group has one
};

struct ChartCard {
  std::vector<ChartView> views;  // the usual one first
  /// The first two choices name a pair in either order: each pair has one view.
  bool symmetric = false;
};

/// Charts with one legend.
struct ChartGroup {
  std::vector<ChartCard> charts;
  std::vector<LegendEntry> methods;  // of the legend; none where names stand beside the marks
  std::vector<std::string> shared;   // choices made for all charts at once
  std::string caption;
};

/// curve_figure.cpp. The objective with its gap, and the errors, of all methods along the solves of a dataset.
[[nodiscard]] ChartGroup curve_charts(const ReportContents& contents, const std::string& dataset);

/// value_figure.cpp. Every metric and time by dataset and method: means with their intervals.
[[nodiscard]] ChartGroup value_charts(const ReportContents& contents, const Directions& directions);

/// profile_figure.cpp. For every value that can be profiled the share of instances on which a method is within a factor
/// of the best method, or within a value.
[[nodiscard]] ChartGroup profile_charts(const ReportContents& contents, const Directions& directions);

/// tradeoff_figure.cpp. Every two metrics, and every metric and time, of the methods on a dataset, a point a method.
/// Axes on which less is better run backwards, so that the best are at the top right.
[[nodiscard]] ChartGroup tradeoff_charts(const ReportContents& contents, const std::string& dataset,
                                         const Directions& directions);

/// dimension_figure.cpp. The validation error of every number of dimensions that the run in row `row` tried.
[[nodiscard]] ChartGroup dimension_charts(const ReportContents& contents, std::size_t row);

/// charts.cpp. Markup of all of them; "" without charts. `css_class` is one of report.css.
[[nodiscard]] std::string charts_html(const ChartGroup& group, std::string_view css_class);

}  // namespace alidade::report
