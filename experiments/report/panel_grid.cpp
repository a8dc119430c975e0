#include "experiments/report/panel_grid.hpp"

#include <algorithm>
#include <cmath>

namespace alidade::report {
namespace {

constexpr std::size_t kMostColumns = 4;
constexpr double kPanelGap = 14;
constexpr double kPanelTitle = 18, kHeading = 24;
constexpr double kTitleLetters = 11, kHeadingLetters = 12;  // sizes

/// The title, cut inside where it is wider than its panel.
std::string fitting(const std::string& title, double width) {
  for (std::size_t letters = title.size(); letters > 8; --letters)
    if (std::string text = shortened_inside(title, letters); text_width(text, kTitleLetters) <= width) return text;
  return shortened_inside(title, 8);
}

}  // namespace

PanelColumns panel_columns(std::size_t panel_count, double usual, std::optional<double> width) {
  panel_count = std::clamp<std::size_t>(panel_count, 1, kMostColumns);
  if (!width) return {panel_count, usual};
  const double least = usual * 2 / 3;
  const auto fit = static_cast<std::size_t>(std::max(std::floor((*width + kPanelGap) / (least + kPanelGap)), 1.0));
  const std::size_t columns = std::min(panel_count, fit);
  return {columns, (*width - kPanelGap * static_cast<double>(columns - 1)) / static_cast<double>(columns)};
}

double panel_grid_width(const PanelColumns& columns) {
  return static_cast<double>(columns.columns) * (columns.width + kPanelGap) - kPanelGap;
}

std::string panel_grid(const std::vector<PanelBlock>& blocks, const PanelColumns& columns, double height) {
  double total = 0;
  for (const PanelBlock& block : blocks) {
    const std::size_t lines = (block.panels.size() + columns.columns - 1) / columns.columns;
    total += (block.heading.empty() ? 0 : kHeading) + static_cast<double>(lines) * (kPanelTitle + height + kPanelGap);
    if (block.legend) total += block.legend_height + kPanelGap;
  }
  SvgDrawing drawing(panel_grid_width(columns), total);
  double top = 0;
  for (const PanelBlock& block : blocks) {
    if (!block.heading.empty()) {
      drawing.text(shortened(block.heading, 80), {0, top + 11}, Anchor::start, kHeadingLetters, true);
      top += kHeading;
    }
    for (std::size_t p = 0; p < block.panels.size(); ++p) {
      const std::size_t column = p % columns.columns;
      if (column == 0 && p > 0) top += kPanelTitle + height + kPanelGap;
      const double left = static_cast<double>(column) * (columns.width + kPanelGap);
      drawing.text(fitting(block.panels[p].title, columns.width), {left + columns.width / 2, top + 8}, Anchor::middle,
                   kTitleLetters);
      drawing.place(block.panels[p].svg, {left, top + kPanelTitle});
    }
    if (!block.panels.empty()) top += kPanelTitle + height + kPanelGap;
    if (!block.legend) continue;
    block.legend(drawing, top);
    top += block.legend_height + kPanelGap;
  }
  return drawing.finished();
}

}  // namespace alidade::report
