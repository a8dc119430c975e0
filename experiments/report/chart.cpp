#include "experiments/report/chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "experiments/report/wording.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr double kRight = 14, kTop = 12, kBottom = 46;
constexpr double kTickSize = 10, kTitleSize = 11, kLegendSize = 10;
constexpr std::size_t kLegendColumns = 3;  // at most
constexpr double kLegendColumn = 140;      // at least so wide
constexpr double kLegendLine = 17;

std::size_t legend_columns(const ChartSize& size) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(size.width / kLegendColumn), 1, kLegendColumns);
}

// Room for the ticks' texts and the upright title beside them.
double left_margin(const Scale& y) {
  double widest = 0;
  for (const auto& [value, words] : y.ticks()) widest = std::max(widest, text_width(words, kTickSize));
  return std::max(50.0, widest + 35);
}

Scale placed(const Axis& axis, double from, double to) {
  Scale out = axis.scale;
  out.from = from;
  out.to = to;
  return out;
}

// Attributes for the script: the scale and its name.
std::string scale_attributes(std::string_view letter, const Scale& scale, std::string_view title) {
  return fmt::format(" data-{0}=\"{1:.9g} {2:.9g} {3:.6g} {4:.6g} {5} {6}\" data-{0}-name=\"{7}\"", letter, scale.low,
                     scale.high, scale.from, scale.to, scale.logarithmic ? "log" : "linear",
                     scale.percent ? "percent"
                     : scale.whole ? "whole"
                                   : "number",
                     xml_text(title));
}

}  // namespace

double legend_height(std::size_t entries, const ChartSize& size) {
  const std::size_t columns = legend_columns(size);
  return kLegendLine * static_cast<double>((entries + columns - 1) / columns);
}

Chart::Chart(Axis x, Axis y, const std::vector<LegendEntry>& legend, ChartSize size)
    : x_(placed(x, left_margin(y.scale), size.width - kRight)),
      y_(placed(y, size.height - kBottom, kTop)),
      drawing_(size.width, size.height + legend_height(legend.size(), size),
               scale_attributes("x", x_, x.title) + scale_attributes("y", y_, y.title)) {
  const double left = std::min(x_.from, x_.to), right = std::max(x_.from, x_.to);
  const double bottom = std::max(y_.from, y_.to), top = std::min(y_.from, y_.to);
  std::vector<std::pair<Pixel, Pixel>> grid;
  std::vector<std::pair<Pixel, std::string>> below, beside;
  for (const auto& [value, words] : x_.ticks()) {
    grid.push_back({{x_(value), bottom}, {x_(value), top}});
    below.push_back({{x_(value), bottom + 12}, words});
  }
  for (const auto& [value, words] : y_.ticks()) {
    grid.push_back({{left, y_(value)}, {right, y_(value)}});
    beside.push_back({{left - 6, y_(value)}, words});
  }
  // On a narrow axis every second text, so that they do not touch.
  const auto touch = [&] {
    for (std::size_t i = 1; i < below.size(); ++i)
      if (std::abs(below[i].first.x - below[i - 1].first.x) <
          (text_width(below[i].second, kTickSize) + text_width(below[i - 1].second, kTickSize)) / 2 + 4)
        return true;
    return false;
  };
  while (below.size() > 2 && touch()) {
    std::vector<std::pair<Pixel, std::string>> fewer;
    for (std::size_t i = 0; i < below.size(); i += 2) fewer.push_back(below[i]);
    below = std::move(fewer);
  }
  drawing_.lines(grid, {.colour = kGridColour, .width = 0.8});
  drawing_.texts(below, Anchor::middle, kTickSize, kSoftColour);
  drawing_.texts(beside, Anchor::end, kTickSize, kSoftColour);
  drawing_.lines(std::array{std::pair{Pixel{left, bottom}, Pixel{right, bottom}},
                            std::pair{Pixel{left, bottom}, Pixel{left, top}}},
                 {.colour = kFaintColour, .width = 0.8});
  const std::string below_title = with_better(x.title, x.higher);
  const double half = std::min(text_width(below_title, kTitleSize) / 2, size.width / 2 - 4);  // stays in the picture
  drawing_.text(below_title, {std::clamp((left + right) / 2, 4 + half, size.width - 4 - half), bottom + 31},
                Anchor::middle, kTitleSize);
  drawing_.text(with_better(y.title, y.higher), {12, (bottom + top) / 2}, Anchor::middle, kTitleSize, false, kInkColour,
                true);
  draw_legend(drawing_, legend, size);
}

double draw_legend(SvgDrawing& drawing, const std::vector<LegendEntry>& legend, ChartSize size) {
  const std::size_t columns = legend_columns(size);
  const double column = (size.width - 16) / static_cast<double>(columns);
  const auto letters = static_cast<std::size_t>((column - 25) / (0.58 * kLegendSize));
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const double left = 12 + column * static_cast<double>(i % columns);
    const double line = size.height + 4 + kLegendLine * static_cast<double>(i / columns);
    drawing.begin_group(fmt::format(" class=\"entry\" data-series=\"{}\"", legend[i].k));
    drawing.line({left, line}, {left + 20, line},
                 {.colour = palette_colour(legend[i].k), .width = 2, .dashes = palette_dashes(legend[i].k)});
    drawing.text(shortened_inside(legend[i].name, std::clamp<std::size_t>(letters, 12, 22)), {left + 25, line},
                 Anchor::start, kLegendSize);
    drawing.end_group();
  }
  return legend_height(legend.size(), size);
}

void Chart::begin_series(std::size_t k, const std::string& note) {
  drawing_.begin_group(fmt::format(" class=\"series\" data-series=\"{}\"{}", k,
                                   note.empty() ? "" : " data-note=\"" + xml_text(note) + "\""));
}

void draw_point(SvgDrawing& drawing, std::size_t k, Pixel at, double radius, const std::vector<std::string>& tooltip) {
  drawing.begin_group(fmt::format(" class=\"point\" data-at=\"{:.1f} {:.1f}\" data-said=\"{}\"", at.x, at.y,
                                  xml_text(join(tooltip, " | "))));
  drawing.mark(k, at, radius, palette_colour(k), 1);
  drawing.end_group();
}

Scale scale_of(const std::vector<double>& values, bool logarithmic, bool from_zero) {
  Scale out;
  out.logarithmic = logarithmic;
  if (!values.empty()) {
    out.low = *std::ranges::min_element(values);
    out.high = *std::ranges::max_element(values);
  }
  if (from_zero && !logarithmic) out.low = std::min(out.low, 0.0);
  if (!(out.high > out.low)) {
    const double reach = out.low == 0 ? 1 : std::abs(out.low) * 0.1;
    out.high = logarithmic ? out.low * 1.1 : out.low + reach;
    out.low = logarithmic ? out.low / 1.1 : out.low - reach;
  }
  return out;
}

Scale with_margin(Scale scale, double share) {
  if (scale.logarithmic) {
    const double factor = std::pow(scale.high / scale.low, share);
    scale.low /= factor;
    scale.high *= factor;
    return scale;
  }
  const double room = share * (scale.high - scale.low);
  scale.low = scale.low >= 0 ? std::max(scale.low - room, 0.0) : scale.low - room;
  scale.high += room;
  return scale;
}

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
