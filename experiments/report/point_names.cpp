#include "experiments/report/point_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

struct Box {
  double left, top, right, bottom;
  [[nodiscard]] bool meets(const Box& other) const {
    return other.left < right && other.right > left && other.top < bottom && other.bottom > top;
  }
};

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

}  // namespace

std::vector<PlacedName> place_names(std::span<const double> widths, std::span<const Pixel> places, double radius,
                                    const NameFrame& frame, const NameStyle& style) {
  std::vector<Box> taken;
  for (const Pixel& p : places)
    if (!std::isnan(p.x)) taken.push_back({p.x - radius, p.y - radius, p.x + radius, p.y + radius});
  const double gap = radius + 2, half_height = style.size * 2 / 3;
  const auto is_free = [&](const Box& box) {
    return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom &&
           std::ranges::none_of(taken, [&](const Box& b) { return box.meets(b); });
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

  // First the names beside points: names farther away avoid these.
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (std::isnan(places[i].x) || !(widths[i] > 0)) continue;
    const auto tries = places_beside(places[i], gap, widths[i], half_height);
    const auto position = std::ranges::find_if(tries, is_free, &NamePlace::box);
    if (position == tries.end())
      left.push_back(i);
    else
      put(i, *position);
  }
  constexpr int kAngles = 24;
  const double reach = std::min(style.reach, std::max(frame.right - frame.left, frame.bottom - frame.top));
  for (const std::size_t i : left) {
    const Pixel p = places[i];
    std::optional<NamePlace> free_place;
    for (double distance = gap + 4; distance < reach && !free_place; distance += 4)
      for (int k = 0; k < kAngles && !free_place; ++k) {
        const NamePlace place = place_apart(p, distance, 2 * std::numbers::pi * k / kAngles, widths[i], half_height);
        if (is_free(place.box)) free_place = place;
      }
    if (!free_place) continue;
    const Box& box = free_place->box;
    put(i, *free_place).end = Pixel{std::clamp(p.x, box.left, box.right), std::clamp(p.y, box.top, box.bottom)};
  }
  return out;
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
  for (const PlacedName& name : place_names(widths, places, radius, frame, style)) {
    if (name.end) drawing.line(places[name.point], *name.end, {.colour = kFaintColour, .width = 0.5});
    drawing.text(labels[name.point], name.at, name.anchor, style.size);
    missing[name.point] = false;
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (missing[i]) out.push_back(names[i]);
  return out;
}

}  // namespace alidade::report
