// Places names beside the points of a drawing, for maps and for charts with one point per method.
// A name covers no point or other name and stays inside the frame. If there is no room beside its point, it stands as
// near as possible, at the end of a line.
// Widths of names are estimates (text_width).
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

/// Style of names: maximal number of characters, and whether longer ones are cut at the end or inside (where methods
/// differ at their end).
struct NameStyle {
  double size = 9;
  std::size_t length = 28;
  bool cut_inside = false;
  double reach = 1e9;  // pixels from a point to its name, at most
};

/// Draws the name of every point with a place (x is not NaN) and a name. `radius`: of a point. Returns the names
/// without room. O(n^2 places).
std::vector<std::string> draw_names(SvgDrawing& drawing, std::span<const std::string> names,
                                    std::span<const Pixel> places, double radius, const NameFrame& frame,
                                    const NameStyle& style = {});

}  // namespace alidade::report
