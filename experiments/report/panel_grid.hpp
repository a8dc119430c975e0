// Small multiples: finished drawings side by side in one figure, each under its title.
// All panels of a figure have one size; blocks of panels, such as those of a data set, stand under each other.
// Pixels as in svg.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/report/svg.hpp"

namespace alidade::report {

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
