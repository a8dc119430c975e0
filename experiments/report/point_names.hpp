// Places names beside the points of a drawing, for maps and for charts with one point per method.
// A name covers no point or other name and stays inside the frame. If there is no room beside its point, it stands as
// near as possible, at the end of a line that crosses no other name unless all
// room is taken.
// Widths of names are estimates (text_width).
#pragma once

#include <cstddef>
#include <optional>
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

/// A name with its place.
struct PlacedName {
  std::size_t point = 0;  // its index
  Anchor anchor = Anchor::start;
  Pixel at;                    // centred on `at.y`
  std::optional<Pixel> end{};  // of a line from the point, where the name stands apart from it
};

/// Places for the names of points with a place (x is not NaN) and a width above 0; names without room have none.
/// `radius`: of a point. O(12 n^2 places).
[[nodiscard]] std::vector<PlacedName> place_names(std::span<const double> widths, std::span<const Pixel> places,
                                                  double radius, const NameFrame& frame, const NameStyle& style = {});

/// Draws the names, as place_names() places them. Returns those without room.
std::vector<std::string> draw_names(SvgDrawing& drawing, std::span<const std::string> names,
                                    std::span<const Pixel> places, double radius, const NameFrame& frame,
                                    const NameStyle& style = {});

}  // namespace alidade::report
