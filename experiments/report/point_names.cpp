#include "experiments/report/point_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

struct Box {
  double left, top, right, bottom;
  [[nodiscard]] bool meets(const Box& other) const {
    return other.left < right && other.right > left && other.top < bottom && other.bottom > top;
  }
};

struct Segment {
  Pixel from, to;
};

// Clips the segment's part of a parameter from 0 to 1 to the box (Liang & Barsky 1984).
bool crosses(const Segment& line, const Box& box) {
  const double dx = line.to.x - line.from.x, dy = line.to.y - line.from.y;
  double enters = 0, leaves = 1;
  for (const auto& [step, room] : {std::pair{-dx, line.from.x - box.left},
                                   {dx, box.right - line.from.x},
                                   {-dy, line.from.y - box.top},
                                   {dy, box.bottom - line.from.y}}) {
    if (step == 0 && room <= 0) return false;
    if (step < 0) enters = std::max(enters, room / step);
    if (step > 0) leaves = std::min(leaves, room / step);
  }
  return enters < leaves;
}

// A possible place of a name: its box, and the point of it that the drawing needs.
struct NamePlace {
  Anchor anchor;
  Box box;
};

// Beside, above and below the point. h: half the name's height.
std::array<NamePlace, 4> places_beside(Pixel p, double gap, double w, double h) {
  return {{{Anchor::start, {p.x + gap, p.y - h, p.x + gap + w, p.y + h}},
           {Anchor::end, {p.x - gap - w, p.y - h, p.x - gap, p.y + h}},
           {Anchor::middle, {p.x - w / 2, p.y - gap - 2 * h, p.x + w / 2, p.y - gap}},
           {Anchor::middle, {p.x - w / 2, p.y + gap, p.x + w / 2, p.y + gap + 2 * h}}}};
}

// Farther away; a line leads from the point to the name.
NamePlace place_apart(Pixel p, double distance, double angle, double w, double h) {
  const Pixel at{p.x + distance * std::cos(angle), p.y + distance * std::sin(angle)};
  if (std::abs(std::cos(angle)) < 0.3) {
    const double top = std::sin(angle) > 0 ? at.y : at.y - 2 * h;
    return {Anchor::middle, {at.x - w / 2, top, at.x + w / 2, top + 2 * h}};
  }
  if (std::cos(angle) > 0) return {Anchor::start, {at.x, at.y - h, at.x + w, at.y + h}};
  return {Anchor::end, {at.x - w, at.y - h, at.x, at.y + h}};
}

/// Places the names in that order, each as near to its point as those before allow; `left` gets those without room.
/// `crossing`: in a crowd a line may cross names, rather than that there is none.
std::vector<PlacedName> placed_in_order(std::span<const std::size_t> order, std::span<const double> widths,
                                        std::span<const Pixel> places, double radius, const NameFrame& frame,
                                        const NameStyle& style, bool crossing, std::vector<std::size_t>& left) {
  std::vector<Box> taken;  // by points, then by names
  std::vector<Segment> lines;
  for (const Pixel& p : places)
    if (!std::isnan(p.x)) taken.push_back({p.x - radius, p.y - radius, p.x + radius, p.y + radius});
  const std::size_t points = taken.size();
  const double gap = radius + 2, half_height = style.size * 2 / 3;
  const auto has_room = [&](const Box& box) {
    return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom &&
           std::ranges::none_of(taken, [&](const Box& b) { return box.meets(b); });
  };
  const auto is_free = [&](const Box& box) {
    return has_room(box) && std::ranges::none_of(lines, [&](const Segment& line) { return crosses(line, box); });
  };
  const auto is_open = [&](const Segment& line) {
    return std::ranges::none_of(std::span(taken).subspan(points), [&](const Box& b) { return crosses(line, b); });
  };
  const auto line_to = [](Pixel p, const Box& box) {
    return Segment{p, {std::clamp(p.x, box.left, box.right), std::clamp(p.y, box.top, box.bottom)}};
  };
  std::vector<PlacedName> out;
  const auto put = [&](std::size_t i, const NamePlace& place) -> PlacedName& {
    const Box& box = place.box;
    taken.push_back(box);
    const double x = place.anchor == Anchor::start ? box.left
                     : place.anchor == Anchor::end ? box.right
                                                   : (box.left + box.right) / 2;
    return out.emplace_back(PlacedName{i, place.anchor, {x, (box.top + box.bottom) / 2}});
  };

  // Of a name as near to another point as to its own, and without a line, nobody knows whose it is.
  const auto is_of = [&](std::size_t own, const Box& box) {
    const Box near{box.left - gap, box.top - gap, box.right + gap, box.bottom + gap};
    for (std::size_t j = 0; j < places.size(); ++j)
      if (const Pixel p = places[j];
          j != own && p.x > near.left && p.x < near.right && p.y > near.top && p.y < near.bottom)
        return false;
    return true;
  };

  // First the names beside points: names farther away avoid these.
  std::vector<std::size_t> apart;
  for (const std::size_t i : order) {
    const auto tries = places_beside(places[i], gap, widths[i], half_height);
    const auto position =
        std::ranges::find_if(tries, [&](const NamePlace& place) { return is_free(place.box) && is_of(i, place.box); });
    if (position == tries.end())
      apart.push_back(i);
    else
      put(i, *position);
  }
  constexpr int kAngles = 72;
  const double reach = std::min(style.reach, std::max(frame.right - frame.left, frame.bottom - frame.top));
  for (const std::size_t i : apart) {
    const Pixel p = places[i];
    std::optional<NamePlace> free_place;
    for (const bool cross : {false, true}) {
      if (free_place || (cross && !crossing)) break;
      for (double distance = gap + 4; distance < reach && !free_place; distance += 4)
        for (int k = 0; k < kAngles && !free_place; ++k) {
          const NamePlace place = place_apart(p, distance, 2 * std::numbers::pi * k / kAngles, widths[i], half_height);
          if (cross ? has_room(place.box) : is_free(place.box) && is_open(line_to(p, place.box))) free_place = place;
        }
    }
    if (!free_place) {
      left.push_back(i);
      continue;
    }
    lines.push_back(line_to(p, free_place->box));
    put(i, *free_place).end = lines.back().to;
  }
  return out;
}

}  // namespace

std::vector<PlacedName> place_names(std::span<const double> widths, std::span<const Pixel> places, double radius,
                                    const NameFrame& frame, const NameStyle& style) {
  constexpr int kTries = 12;
  std::vector<std::size_t> order, best_left;
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (!std::isnan(places[i].x) && widths[i] > 0) order.push_back(i);
  std::vector<PlacedName> best;
  std::vector<std::size_t> best_order;
  for (int t = 0; t < kTries; ++t) {
    std::vector<std::size_t> left;
    std::vector<PlacedName> placed = placed_in_order(order, widths, places, radius, frame, style, false, left);
    if (t == 0 || left.size() < best_left.size()) best = std::move(placed), best_left = left, best_order = order;
    if (left.empty()) return best;
    // Those without room come first the next time.
    std::ranges::stable_partition(order, [&](std::size_t i) { return std::ranges::find(left, i) != left.end(); });
  }
  std::vector<std::size_t> unplaced;
  return placed_in_order(best_order, widths, places, radius, frame, style, true, unplaced);
}

std::vector<std::string> draw_names(SvgDrawing& drawing, std::span<const std::string> names,
                                    std::span<const Pixel> places, double radius, const NameFrame& frame,
                                    const NameStyle& style) {
  std::vector<std::string> labels;
  std::vector<double> widths;
  std::vector<bool> missing;
  for (std::size_t i = 0; i < names.size(); ++i) {
    labels.push_back(style.cut_inside ? shortened_inside(names[i], style.length) : shortened(names[i], style.length));
    widths.push_back(trim(names[i]).empty() ? 0 : text_width(labels[i], style.size));
    missing.push_back(widths[i] > 0 && !std::isnan(places[i].x));
  }
  const std::vector<PlacedName> placed = place_names(widths, places, radius, frame, style);
  for (const PlacedName& name : placed)
    if (name.end) drawing.line(places[name.point], *name.end, {.colour = kFaintColour, .width = 0.5});
  for (const PlacedName& name : placed) {
    drawing.text(labels[name.point], name.at, name.anchor, style.size);
    missing[name.point] = false;
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (missing[i]) out.push_back(names[i]);
  return out;
}

}  // namespace alidade::report
