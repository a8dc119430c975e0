// Names beside the points of a drawing, for maps and for charts with a point a method.
// A name covers no point, no other name and nothing outside the frame. It stands beside its point if there is room,
// else as near as there is, at the end of a line. How wide a name is drawn is an estimate (text_width).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "experiments/report/svg.hpp"

namespace alidade::report {

struct NameFrame {
  double left = 0, top = 0, right = 0, bottom = 0;
};

/// How names look: at most so many characters, cut at their end or inside (a method's end tells it from others).
struct NameStyle {
  double size = 9;
  std::size_t length = 28;
  bool cut_inside = false;
};

/// Draws the name of every point that has a place (x is not NaN) and a name. `radius`: what a point takes.
/// Returns the names that found no room. O(n^2 places).
std::vector<std::string> draw_names(SvgDrawing& drawing, std::span<const std::string> names,
                                    std::span<const Pixel> places, double radius, const NameFrame& frame,
                                    const NameStyle& style = {});

}  // namespace alidade::report
