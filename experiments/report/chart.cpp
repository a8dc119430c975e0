#include "experiments/report/chart.hpp"

#include <algorithm>
#include <cmath>

namespace alidade::report {
namespace {

constexpr double kWidth = 480;
constexpr double kHeight = 300;
constexpr double kLeft = 58, kRight = 14, kTop = 12, kBottom = 44;
constexpr std::size_t kLegendColumns = 3;

double legend_height(std::size_t entries) {
  return 16 * static_cast<double>((entries + kLegendColumns - 1) / kLegendColumns);
}

}  // namespace

Chart::Chart(Scale x, Scale y, const std::string& x_title, const std::string& y_title,
             const std::vector<LegendEntry>& legend)
    : x_(x), y_(y), drawing_(kWidth, kHeight + legend_height(legend.size())) {
  x_.from = kLeft;
  x_.to = kWidth - kRight;
  y_.from = kHeight - kBottom;
  y_.to = kTop;
  const Stroke grid{.colour = "#eceff1", .width = 0.8}, frame{.colour = "#8b949e", .width = 0.8};
  for (const auto& [value, words] : x_.ticks()) {
    drawing_.line({x_(value), y_.from}, {x_(value), y_.to}, grid);
    drawing_.text(words, {x_(value), y_.from + 11}, Anchor::middle, 9, false, kSoftColour);
  }
  for (const auto& [value, words] : y_.ticks()) {
    drawing_.line({x_.from, y_(value)}, {x_.to, y_(value)}, grid);
    drawing_.text(words, {x_.from - 6, y_(value)}, Anchor::end, 9, false, kSoftColour);
  }
  drawing_.line({x_.from, y_.from}, {x_.to, y_.from}, frame);
  drawing_.line({x_.from, y_.from}, {x_.from, y_.to}, frame);
  drawing_.text(x_title, {(x_.from + x_.to) / 2, y_.from + 29}, Anchor::middle, 10);
  drawing_.text(y_title, {12, (y_.from + y_.to) / 2}, Anchor::middle, 10, false, "#1b1f23", true);
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const double left = kLeft + 140 * static_cast<double>(i % kLegendColumns);
    const double line = kHeight - 2 + 16 * static_cast<double>(i / kLegendColumns);
    drawing_.line(
        {left, line}, {left + 20, line},
        {.colour = palette_colour(legend[i].k), .width = 2, .dashes = palette_dashes(legend[i].k)});
    drawing_.text(shortened_inside(legend[i].name, 22), {left + 25, line}, Anchor::start, 9);
  }
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

}  // namespace alidade::report
