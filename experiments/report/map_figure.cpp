#include <fmt/core.h>
#include <sentences/report.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <optional>

#include "experiments/files/delimited_text.hpp"
#include "experiments/report/chart.hpp"
#include "experiments/report/figures.hpp"
#include "experiments/report/page_data.hpp"
#include "experiments/report/point_names.hpp"
#include "experiments/report/svg.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr double kUsualSide = 460;
constexpr double kLabelColumn = 150;
constexpr double kEdge = 12;
constexpr std::size_t kMaxColours = 20;
constexpr std::size_t kMaxEllipses = 3000;
constexpr double kCoverage = 1.5;  // ellipses that cover the middle of a map more often than this are drawn fainter
constexpr std::string_view kApartColour = "#b45f06";

using Column = std::vector<double>;
using Turn = std::array<double, 4>;  // a matrix of the plane by rows

Column column_of(const ReportModel::MapView& view, std::size_t c) {
  const std::size_t n = view.coordinates.size() / view.dimensions;
  return {view.coordinates.begin() + static_cast<std::ptrdiff_t>(c * n),
          view.coordinates.begin() + static_cast<std::ptrdiff_t>((c + 1) * n)};
}

double mean_of(const Column& values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double v : values)
    if (!std::isnan(v)) {
      sum += v;
      ++count;
    }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

// Colour and shape of every object, and the meaning of the colours.
struct Looks {
  std::vector<std::string> fills;
  std::vector<std::size_t> shapes;
  std::vector<std::string> legend;
  std::string range;                // of a ramp, in words
  std::string note{};               // what the ellipses are
  std::size_t too_many_labels = 0;  // for colours
};

/// What gives the objects of a figure their colours: the first column of --labels, or the map's own labels.
const std::vector<std::string>& colouring(const ReportModel::ObjectList& list) {
  return list.columns.empty() ? list.labels : list.columns.front().values;
}

Looks looks_of(const std::vector<std::string>& labels, std::size_t n) {
  Looks out;
  const ColumnKind kind = kind_of(labels);
  const bool labelled = std::ranges::any_of(labels, [](const std::string& label) { return !label.empty(); });
  out.shapes.assign(n, 0);
  if (!labelled || (!kind.numeric && kind.categories.size() > kMaxColours)) {
    out.fills.assign(n, std::string(palette_colour(0)));
    if (labelled) out.too_many_labels = kind.categories.size();
    return out;
  }
  out.fills.assign(n, std::string(kFaintColour));
  if (!kind.numeric) {
    out.legend = kind.categories;
    for (std::size_t i = 0; i < n; ++i)
      if (const auto place = std::ranges::find(out.legend, labels[i]); place != out.legend.end()) {
        out.shapes[i] = static_cast<std::size_t>(place - out.legend.begin());
        out.fills[i] = palette_colour(out.shapes[i]);
      }
    return out;
  }
  const auto numbers = mapped(labels, [](const std::string& label) { return parse_double(trim(label)); });
  Range range;
  for (const auto& number : numbers)
    if (number) range.add(*number);
  for (std::size_t i = 0; i < n; ++i)
    if (numbers[i])
      out.fills[i] = ramp_colour(range.high > range.low ? (*numbers[i] - range.low) / (range.high - range.low) : 0.5);
  out.range = fmt::format("{:.4g} to {:.4g}", range.low, range.high);
  return out;
}

Looks looks_of(const ReportModel::ObjectList& list, const ReportModel::MapView& view) {
  const std::size_t n = list.names.size();
  Looks out = looks_of(colouring(list), n);
  if (n > 0 && n <= kMaxEllipses && view.covariances.size() == 3 * n)
    out.note =
        (view.regions_hold ? fmt::format(words::kEllipsesOf, view.regions_hold->of, 100 * view.regions_hold->share)
                           : std::string(words::kEllipsesAre)) +
        (view.uncertain.empty() ? "" : words::kRingsAre);
  return out;
}

struct Outline {
  std::size_t object;
  double area;                // in units of the map, squared
  std::vector<Pixel> points;  // in units of the map
};

// Ellipses that hold 95 % of normal distributions with the objects' covariances, rotated with the map.
std::vector<Outline> outlines_of(const ReportModel::MapView& view, const Column& x, const Column& y, const Turn& turn) {
  const std::size_t n = x.size();
  std::vector<Outline> out;
  if (view.covariances.size() != 3 * n || n > kMaxEllipses) return out;
  const double quantile = -2 * std::log(0.05);
  const auto [a, b, c, d] = turn;
  for (std::size_t i = 0; i < n; ++i) {
    const double xx = view.covariances[i], xy = view.covariances[n + i], yy = view.covariances[2 * n + i];
    if (std::isnan(xx + xy + yy + x[i] + y[i])) continue;
    const double u = a * a * xx + 2 * a * b * xy + b * b * yy;
    const double v = a * c * xx + (a * d + b * c) * xy + b * d * yy;
    const double w = c * c * xx + 2 * c * d * xy + d * d * yy;
    const double p = std::sqrt(quantile * std::max(u, 0.0));
    const double q = p > 0 ? quantile * v / p : 0;
    const double r = std::sqrt(std::max(quantile * w - q * q, 0.0));
    Outline outline{i, std::numbers::pi * p * r, {}};
    constexpr int kPoints = 40;
    for (int k = 0; k < kPoints; ++k) {
      const double angle = 2 * std::numbers::pi * k / kPoints;
      outline.points.push_back({x[i] + p * std::cos(angle), y[i] + q * std::cos(angle) + r * std::sin(angle)});
    }
    out.push_back(std::move(outline));
  }
  return out;
}

// Opacity of ellipses, at most 1. They are fainter the more often they cover the part of the map with the middle 70 %
// of x and of y, so that points and names stay readable.
double faintness(const std::vector<Outline>& outlines, Column x, Column y) {
  double area = 1;
  for (Column* values : {&x, &y}) {
    std::erase_if(*values, [](double v) { return std::isnan(v); });
    if (values->empty()) return 1;
    std::ranges::sort(*values);
    const auto at = [&](double share) {
      return (*values)[static_cast<std::size_t>(share * static_cast<double>(values->size()))];
    };
    area *= at(0.85) - at(0.15);
  }
  double covered = 0;
  for (const Outline& outline : outlines) covered += std::min(outline.area, area);
  return covered > kCoverage * area ? kCoverage * area / covered : 1;
}

// A cube around the map, in the same view.
void draw_cube(SvgDrawing& drawing, const std::array<std::array<double, 3>, 3>& view, const std::array<double, 3>& half,
               double scale, double side) {
  const auto corner = [&](unsigned k) {
    Pixel out{side / 2, side / 2};
    for (unsigned c = 0; c < 3; ++c) {
      const double at = (k >> c & 1U) != 0 ? half[c] : -half[c];
      out.x += scale * view[0][c] * at;
      out.y -= scale * view[1][c] * at;
    }
    return out;
  };
  for (unsigned k = 0; k < 8; ++k)
    for (unsigned c = 0; c < 3; ++c)
      if ((k >> c & 1U) == 0) drawing.line(corner(k), corner(k | 1U << c), {.colour = "#dfe3e6", .width = 0.8});
  for (unsigned c = 0; c < 3; ++c)
    drawing.text(fmt::format("x{}", c + 1), corner(1U << c), Anchor::middle, 9, false, kSoftColour);
}

std::size_t label_columns(double width) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(width / kLabelColumn));
}
std::vector<std::string> note_lines(const std::string& note, double width) {
  std::vector<std::string> out;
  for (const std::string_view word : words_between_blanks(note))
    if (out.empty() || text_width(fmt::format("{} {}", out.back(), word), 10) > width - 24)
      out.emplace_back(word);
    else
      out.back() += fmt::format(" {}", word);
  return out;
}
double label_legend_height(const Looks& looks, double width) {
  const std::size_t columns = label_columns(width);
  const std::size_t lines =
      looks.legend.empty() ? (looks.range.empty() ? 0 : 1) : (looks.legend.size() + columns - 1) / columns;
  return 18 * static_cast<double>(lines + note_lines(looks.note, width).size());
}
void draw_label_legend(SvgDrawing& drawing, const Looks& looks, double width, double top) {
  const std::size_t columns = label_columns(width);
  for (std::size_t k = 0; k < looks.legend.size(); ++k) {
    const double x = 12 + kLabelColumn * static_cast<double>(k % columns);
    const double y = top + 9 + 18 * static_cast<double>(k / columns);
    drawing.mark(k, {x, y}, 4, palette_colour(k), 1);
    drawing.text(shortened(looks.legend[k], 22), {x + 9, y}, Anchor::start, 10);
  }
  double below = top + label_legend_height(looks, width) - 9;
  const std::vector<std::string> lines = note_lines(looks.note, width);
  for (std::size_t k = lines.size(); k-- > 0; below -= 18)
    drawing.text(lines[k], {12, below}, Anchor::start, 10, false, kSoftColour);
  if (looks.range.empty()) return;
  for (int k = 0; k < 40; ++k) drawing.rectangle({12 + 4.0 * k, top + 4}, 4.2, 9, ramp_colour(k / 39.0));
  drawing.text(looks.range, {182, top + 9}, Anchor::start, 10);
}

struct MapStyle {
  bool legend = true;       // of the labels, below the map
  double name_reach = 1e9;  // pixels from a point to its name, at most
};

class MapFigure {
 public:
  MapFigure(const ReportModel& contents, const ReportModel::MapView& view, double side, const MapStyle& style = {})
      : list_(contents.object_lists[view.objects]), view_(view), side_(side), n_(list_.names.size()), apart_(n_) {
    for (const std::size_t i : view.apart) apart_[i] = true;
    place();
    const Looks looks = looks_of(list_, view_);
    SvgDrawing drawing(side_, side_ + (style.legend ? label_legend_height(looks, side_) : 0));
    if (view_.dimensions == 3) draw_cube(drawing, kView, half_, scale_, side_);
    const double faint = faintness(outlines_, x_, y_);
    for (const Outline& outline : outlines_) {
      if (std::ranges::binary_search(view_.uncertain, outline.object)) continue;
      std::vector<Pixel> points;  // within the map's square
      for (const Pixel& point : outline.points) {
        const Pixel p = pixel(point.x, point.y);
        points.push_back({std::clamp(p.x, 1.0, side_ - 1), std::clamp(p.y, 1.0, side_ - 1)});
      }
      const std::string& fill = looks.fills[outline.object];
      drawing.polygon(points, fill, std::max(0.14 * faint, 0.01),
                      {.colour = fill, .width = 0.7, .opacity = std::max(0.7 * std::sqrt(faint), 0.2)});
    }
    std::vector<Pixel> places;
    for (std::size_t i = 0; i < n_; ++i)
      places.push_back(apart_[i] ? inside(pixel(x_[i], y_[i])) : pixel(x_[i], y_[i]));
    const auto depth = [&](std::size_t i) { return depth_.empty() || std::isnan(depth_[i]) ? 0.0 : depth_[i]; };
    const double radius = n_ > 5000 ? 1.3 : n_ > 1000 ? 1.8 : n_ > 200 ? 2.6 : 3.6;
    for (const std::size_t i : order_by(n_, depth))
      if (!std::isnan(places[i].x))
        drawing.mark(looks.shapes[i], places[i], radius * (1 + 0.25 * depth(i)), looks.fills[i], n_ > 2000 ? 0.7 : 0.95,
                     list_.names[i]);
    std::vector<std::size_t> ringed;
    std::ranges::set_union(view_.apart, view_.uncertain, std::back_inserter(ringed));
    for (const std::size_t i : ringed)
      if (!std::isnan(places[i].x)) drawing.ring(places[i], radius + 3, {.colour = kApartColour, .width = 1.2});
    has_names = n_ <= kNamedObjects;
    if (has_names)
      unnamed = draw_names(drawing, list_.names, places, radius + 0.8,
                           {.left = 1, .top = 1, .right = side_ - 1, .bottom = side_ - 1}, {.reach = style.name_reach});
    if (!has_names)
      drawing.description(fmt::format("A map of {} objects, without their names.", n_));
    else if (!unnamed.empty())
      drawing.description(fmt::format(words::kDrawnWithoutNames, n_, unnamed.size(), join(unnamed, ", ")));
    if (style.legend) draw_label_legend(drawing, looks, side_, side_);
    svg = drawing.finished();
  }
  std::string svg;
  std::vector<std::string> unnamed;
  bool has_names = true;

 private:
  // From the right and above.
  static constexpr std::array<std::array<double, 3>, 3> kView = {
      {{0.8253, 0, -0.5646}, {-0.2456, 0.9004, -0.359}, {0.5084, 0.435, 0.7431}}};

  void place() {
    x_ = column_of(view_, 0);
    Turn turn = {1, 0, 0, 1};
    y_ = column_of(view_, view_.dimensions == 1 ? 0 : 1);
    if (view_.dimensions == 1) {  // a line: height is the rank, to tell names apart
      const std::vector<std::size_t> order = order_by(n_, [&](std::size_t i) { return x_[i]; });
      for (std::size_t rank = 0; rank < n_; ++rank) y_[order[rank]] = static_cast<double>(rank);
    }
    if (view_.dimensions == 3) return look_at();
    if (view_.dimensions == 2 && !view_.turn.empty()) {
      std::ranges::copy(view_.turn, turn.begin());
      const double mx = mean_of(x_), my = mean_of(y_);
      for (std::size_t i = 0; i < n_; ++i) {
        const double a = x_[i] - mx, b = y_[i] - my;
        x_[i] = turn[0] * a + turn[1] * b;
        y_[i] = turn[2] * a + turn[3] * b;
      }
    }
    if (view_.dimensions == 2) outlines_ = outlines_of(view_, x_, y_, turn);
    const auto across = span_of(x_), up = span_of(y_);
    std::array low{across.first, up.first}, high{across.second, up.second};
    widen_for_outlines(low, high);
    const double room = side_ - 2 * kEdge;
    middle_ = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2};
    scales_ = {room / std::max(high[0] - low[0], 1e-300), room / std::max(high[1] - low[1], 1e-300)};
    if (view_.dimensions != 1) scales_[0] = scales_[1] = std::min(scales_[0], scales_[1]);
  }
  // By what the ellipses of objects that do not lie apart need, up to half the spread of the places on each side.
  void widen_for_outlines(std::array<double, 2>& low, std::array<double, 2>& high) const {
    constexpr double kMost = 0.5;
    const std::array<double, 2> least{low[0] - kMost * (high[0] - low[0]), low[1] - kMost * (high[1] - low[1])};
    const std::array<double, 2> limit{high[0] + kMost * (high[0] - low[0]), high[1] + kMost * (high[1] - low[1])};
    for (const Outline& outline : outlines_) {
      if (apart_[outline.object]) continue;
      for (const Pixel& point : outline.points) {
        low = {std::min(low[0], std::max(point.x, least[0])), std::min(low[1], std::max(point.y, least[1]))};
        high = {std::max(high[0], std::min(point.x, limit[0])), std::max(high[1], std::min(point.y, limit[1]))};
      }
    }
  }
  // Positions and depths of a map in space, without perspective.
  void look_at() {
    std::array<Column, 3> columns = {column_of(view_, 0), column_of(view_, 1), column_of(view_, 2)};
    double radius = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto [low, high] = span_of(columns[c]);
      half_[c] = (high - low) / 2;
      for (double& v : columns[c]) v -= (low + high) / 2;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      const double r = std::hypot(columns[0][i], columns[1][i], columns[2][i]);
      if (!std::isnan(r) && !apart_[i]) radius = std::max(radius, r);
    }
    radius = radius > 0 ? radius : 1;
    depth_.assign(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      const auto along = [&](std::size_t r) {
        return kView[r][0] * columns[0][i] + kView[r][1] * columns[1][i] + kView[r][2] * columns[2][i];
      };
      x_[i] = along(0);
      y_[i] = along(1);
      depth_[i] = std::clamp(along(2) / radius, -1.0, 1.0);
    }
    scale_ = (side_ / 2 - kEdge) / radius;
    middle_ = {0, 0};
    scales_ = {scale_, scale_};
  }
  // Over objects that do not lie apart.
  [[nodiscard]] std::pair<double, double> span_of(const Column& column) const {
    Range out;
    for (std::size_t i = 0; i < n_; ++i)
      if (!std::isnan(column[i]) && !apart_[i]) out.add(column[i]);
    if (out.low == out.high) return {out.low - 1, out.high + 1};
    return {out.low, out.high};
  }
  [[nodiscard]] Pixel pixel(double x, double y) const {
    return {side_ / 2 + scales_[0] * (x - middle_[0]), side_ / 2 - scales_[1] * (y - middle_[1])};
  }
  // Moves a point outside the picture to its border, in its direction.
  [[nodiscard]] Pixel inside(Pixel p) const {
    const double half = side_ / 2;
    const double beyond = std::max(std::abs(p.x - half), std::abs(p.y - half)) / (half - kEdge);
    if (!(beyond > 1)) return p;
    return {half + (p.x - half) / beyond, half + (p.y - half) / beyond};
  }

  const ReportModel::ObjectList& list_;
  const ReportModel::MapView& view_;
  double side_;
  std::size_t n_;
  std::vector<bool> apart_;  // objects that do not set the scale
  Column x_, y_;
  std::vector<double> depth_;  // for a map in space: 1 in front, -1 behind
  std::vector<Outline> outlines_;
  std::array<double, 3> half_{};
  std::array<double, 2> middle_{}, scales_{};
  double scale_ = 1;
};

/// A map of the first repeat.
struct ChosenMap {
  const ReportModel::MapView* view;
  std::string dataset, method, title{};
};

Looks looks_of_map(const ReportModel& all, const ChosenMap& map) {
  return looks_of(all.object_lists[map.view->objects], *map.view);
}

/// What a panel shows: the aspect, the method, or both where there are several of each. What auto chose has its name.
std::string panel_title(const ReportModel& all, const ChosenMap& map) {
  const bool one_method = all.methods.size() == 1 && all.datasets.size() == 1;
  if (one_method && !map.view->aspect.empty()) return map.view->aspect;
  const std::string problem = all.rows[map.view->row].problem.name;
  return (map.method == "auto" && !problem.empty() ? problem : map.method) +
         (map.view->aspect.empty() ? "" : " · " + map.view->aspect);
}

std::vector<ChosenMap> maps_of_first_repeats(const ReportModel& all) {
  std::map<std::string, std::string> part;  // for each dataset and method, the first that has a map
  std::vector<ChosenMap> out;
  for (const ReportModel::MapView& view : all.maps) {
    const Row& row = all.rows[view.row];
    const std::string &dataset = row.dataset.id, &method = row.method;
    if (part.try_emplace(dataset + '\n' + method, repetition_text(row)).first->second != repetition_text(row)) continue;
    out.push_back({&view, dataset, method});
  }
  return out;
}

}  // namespace

std::vector<Figure> map_figures(const ReportModel& all, std::optional<double> width) {
  std::vector<Figure> out;
  for (const ChosenMap& map : maps_of_first_repeats(all)) {
    std::vector<std::string> words{"map", map.dataset, map.method};
    if (!map.view->aspect.empty()) words.push_back(map.view->aspect);
    MapFigure drawn(all, *map.view, width.value_or(kUsualSide));
    out.push_back({figure_name(words), std::move(drawn.svg), std::move(drawn.unnamed), drawn.has_names,
                   looks_of_map(all, map).too_many_labels});
  }
  return out;
}

std::optional<Figure> map_grid(const ReportModel& all, std::optional<double> width,
                               const std::vector<std::string>& titles) {
  std::vector<ChosenMap> maps = maps_of_first_repeats(all);
  require<ConfigError>(titles.empty() || titles.size() == maps.size(), "--title: {} for {}. Give one for each.",
                       counted(titles.size(), "title"), counted(maps.size(), "map"));
  const bool alone = maps.size() < 2;
  if (alone && titles.empty()) return std::nullopt;
  const double side = alone ? kUsualSide : 260;
  const double reach = alone ? MapStyle{}.name_reach : 26;  // small panels have no room for long lines to names
  for (std::size_t m = 0; m < maps.size(); ++m) maps[m].title = titles.empty() ? panel_title(all, maps[m]) : titles[m];
  maps.resize(std::min(maps.size(), kGridPanels));
  // Maps that each have a title of their own, and a data set of their own, stand side by side.
  const bool titled = !titles.empty() && maps.size() == all.datasets.size();
  if (titled)
    for (ChosenMap& map : maps) map.dataset.clear();
  const std::vector<std::string> datasets = titled ? std::vector<std::string>{""} : all.datasets;
  std::size_t widest = 0;
  for (const std::string& dataset : datasets)
    widest = std::max(widest, static_cast<std::size_t>(std::ranges::count(maps, dataset, &ChosenMap::dataset)));
  const PanelColumns columns = panel_columns(widest, side, width);
  double height = columns.width;
  std::vector<PanelBlock> blocks;
  Figure out{"map-grid", {}};
  for (const std::string& dataset : datasets) {
    const auto here = filtered(maps, [&](const ChosenMap& map) { return map.dataset == dataset; });
    if (here.empty()) continue;
    PanelBlock block;
    if (datasets.size() > 1) block.heading = dataset;
    // Maps of the same objects share a legend; others have their own.
    const auto with_first = [&](const ChosenMap& map) { return map.view->objects == here.front().view->objects; };
    const bool shared = std::ranges::all_of(here, with_first);
    for (const ChosenMap& map : here) {
      MapFigure drawn(all, *map.view, columns.width, {.legend = !shared, .name_reach = reach});
      out.has_names = out.has_names && drawn.has_names;
      for (const std::string& name : drawn.unnamed) add_new(out.unnamed, name);
      if (!shared)
        height = std::max(height, columns.width + label_legend_height(looks_of_map(all, map), columns.width));
      block.panels.push_back({map.title, std::move(drawn.svg)});
    }
    if (shared) {
      const double wide = panel_grid_width(columns);
      const Looks looks = looks_of_map(all, here.front());
      block.legend_height = label_legend_height(looks, wide);
      if (block.legend_height > 0)
        block.legend = [looks, wide](SvgDrawing& drawing, double top) { draw_label_legend(drawing, looks, wide, top); };
    }
    blocks.push_back(std::move(block));
  }
  out.svg = panel_grid(blocks, columns, height);
  return out;
}

}  // namespace alidade::report
