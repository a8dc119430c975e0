// The frame of a figure with two axes: a box with ticks and titles, and a legend of methods below it.
// Pixels as in svg.hpp; the drawing grows with its legend. Each method is a group with its number, and the drawing
// records its scales; with these the page's script describes the mark under the pointer (script/charts.js).
// Scales: low < high.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/svg.hpp"

namespace alidade::report {

struct LegendEntry {
  std::size_t k = 0;  // of the palette
  std::string name;
};

struct Axis {
  Scale scale;
  std::string title;
  std::optional<bool> higher{};  // whether higher values are better; an arrow beside the title says so
};

struct ChartSize {
  double width = 480;
  double height = 300;  // without the legend
  /// Of the same shape.
  [[nodiscard]] ChartSize of_width(std::optional<double> other) const {
    return other ? ChartSize{*other, *other * height / width} : *this;
  }
};

class Chart {
 public:
  /// Sets the pixels of the scales.
  Chart(Axis x, Axis y, const std::vector<LegendEntry>& legend, ChartSize size = {});
  [[nodiscard]] Pixel at(double x, double y) const { return {x_(x), y_(y)}; }
  [[nodiscard]] const Scale& x() const { return x_; }
  [[nodiscard]] const Scale& y() const { return y_; }
  SvgDrawing& drawing() { return drawing_; }

  /// Marks drawn before end_series() belong to one method. `note`: which of its values, such as "median of 5 runs".
  void begin_series(std::size_t k, const std::string& note = "");
  void end_series() { drawing_.end_group(); }

 private:
  Scale x_, y_;
  SvgDrawing drawing_;
};

/// Draws a method's mark, with the lines of `tooltip`, its name first.
void draw_point(SvgDrawing& drawing, std::size_t k, Pixel at, double radius, const std::vector<std::string>& tooltip);

/// Height of the legend below a chart of that width.
[[nodiscard]] double legend_height(std::size_t entries, const ChartSize& size);
/// Draws a legend below a chart of that size; returns the legend's height.
double draw_legend(SvgDrawing& drawing, const std::vector<LegendEntry>& legend, ChartSize size);

/// A scale from the least to the greatest of `values`, widened if they are equal.
[[nodiscard]] Scale scale_of(const std::vector<double>& values, bool logarithmic, bool from_zero);

/// The scale with a margin, a share of its length, at both ends; it goes below 0 only if values do.
[[nodiscard]] Scale with_margin(Scale scale, double share);

struct Panel {
  std::string title;
  std::string svg;  // as SvgDrawing::finished() gives it
};
struct PanelBlock {
  std::string heading;  // "" for none
  std::vector<Panel> panels;
  double legend_height = 0;                              // below the panels
  std::function<void(SvgDrawing&, double)> legend = {};  // draws it, from this top on
};

/// How many panels stand beside each other, and how wide each is.
struct PanelColumns {
  std::size_t columns = 1;
  double width = 0;
};
/// For blocks of at most `panel_count` panels: up to four of `usual` pixels in a row; with a width for all of them, as
/// many as leave each two thirds of that.
[[nodiscard]] PanelColumns panel_columns(std::size_t panel_count, double usual, std::optional<double> width);

/// The width of the figure.
[[nodiscard]] double panel_grid_width(const PanelColumns& columns);

/// One drawing of all panels, which are `height` pixels high.
[[nodiscard]] std::string panel_grid(const std::vector<PanelBlock>& blocks, const PanelColumns& columns, double height);

}  // namespace alidade::report
