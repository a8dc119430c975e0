#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "experiments/files/text_grid.hpp"
#include "experiments/report/svg.hpp"
#include "experiments/tables/rank_comparison.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

std::string name_of(const RankComparison& ranks, std::size_t row) { return one_line(key_title(ranks.row_keys[row])); }

bool differs_from_control(const RankComparison& ranks, std::size_t row) {
  return ranks.control && ranks.against_control[row] && ranks.against_control[row]->different;
}

}  // namespace

std::string rank_diagram_text(const RankComparison& ranks) {
  constexpr std::size_t kStep = 8;  // at most this many columns from one rank to the next
  const std::size_t k = ranks.row_keys.size();
  const std::size_t step = std::max<std::size_t>(2, std::min(kStep, 60 / k));
  const std::size_t width = (k - 1) * step + 1;
  std::size_t longest = 0;
  for (const std::size_t row : ranks.order) longest = std::max(longest, display_width(name_of(ranks, row)));
  std::string axis(width, ' ');
  for (std::size_t rank = 1; rank <= k; ++rank) {
    const std::string label = fmt::format("{}", rank);
    if (rank < 10 || rank % 5 == 0) {
      const std::size_t at = (rank - 1) * step;
      axis.resize(std::max(axis.size(), at + label.size()), ' ');
      axis.replace(at, label.size(), label);
    }
  }
  std::string out = fmt::format("  rank  {}  {}\n", std::string(longest, ' '), axis);
  for (std::size_t place = 0; place < k; ++place) {
    const std::size_t row = ranks.order[place];
    const std::string name = name_of(ranks, row);
    const double rank = ranks.friedman.average_ranks[row];
    const auto at = static_cast<std::size_t>(std::lround((rank - 1) * static_cast<double>(step)));
    const char* mark = ranks.control && row == *ranks.control ? "◆" : differs_from_control(ranks, row) ? "○" : "●";
    std::string line;
    for (std::size_t i = 0; i < width; ++i) line += i == at ? mark : "·";
    out += fmt::format("{:6.3f}  {}{}  {}", rank, name, std::string(longest - display_width(name), ' '), line);
    std::string bars;
    for (const auto& [first, last] : ranks.cliques) bars += place >= first && place <= last ? " │" : "  ";
    out += "  " + bars;
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  if (ranks.critical_difference)
    out += fmt::format("Joined by a line: not significantly different (critical difference {:.3f}).\n",
                       *ranks.critical_difference);
  else
    out += "◆ control, ● not significantly different from it, ○ different.\n";
  return out;
}

std::string rank_diagram_svg(const RankComparison& ranks, std::optional<double> wanted) {
  using report::Anchor, report::Pixel;
  constexpr double kUsualAxis = 420, kLeastAxis = 80, kSize = 10, kLine = 16, kBar = 8, kTop = 50, kMargin = 8,
                   kGap = 14;
  const std::size_t k = ranks.row_keys.size();
  const std::size_t left = (k + 1) / 2;  // the better half has its names on the left
  const auto rank_at = [&](std::size_t place) { return ranks.friedman.average_ranks[ranks.order[place]]; };
  const auto label = [&](std::size_t place) {
    const std::string name = name_of(ranks, ranks.order[place]), number = fmt::format("{:.2f}", rank_at(place));
    return place < left ? name + "  " + number : number + "  " + name;
  };
  double left_room = 0, right_room = 0;
  for (std::size_t place = 0; place < k; ++place) {
    double& room = place < left ? left_room : right_room;
    room = std::max(room, report::text_width(label(place), kSize));
  }
  const double begin = kMargin + left_room + kGap, beside = begin + kGap + right_room + kMargin;
  const double axis = wanted ? std::max(*wanted - beside, kLeastAxis) : kUsualAxis, end = begin + axis;
  const double names = kTop + 16 + kBar * static_cast<double>(ranks.cliques.size());
  const auto x_of = [&](double rank) { return begin + axis * (rank - 1) / static_cast<double>(k - 1); };
  report::SvgDrawing drawing(beside + axis, names + kLine * static_cast<double>(left) + kMargin);
  drawing.description(
      fmt::format("Average ranks of {} methods over {} data sets by {}", k, ranks.blocks.size(), ranks.value));
  std::vector<std::pair<Pixel, Pixel>> thick{{{begin, kTop}, {end, kTop}}}, thin, bars;
  if (ranks.critical_difference) {
    const double length = axis * *ranks.critical_difference / static_cast<double>(k - 1);
    const double shown = std::min(length, axis);
    thick.insert(thick.end(), {{{begin, 22}, {begin + shown, 22}}, {{begin, 18}, {begin, 26}}});
    if (length <= axis) thick.push_back({{begin + shown, 18}, {begin + shown, 26}});
    drawing.text(fmt::format("critical difference {:.3f}{}", *ranks.critical_difference,
                             length > axis ? ", wider than the axis" : ""),
                 {begin + shown / 2, 10}, Anchor::middle, kSize);
  }
  for (std::size_t rank = 1; rank <= k; ++rank) {
    const double x = x_of(static_cast<double>(rank));
    thick.push_back({{x, kTop - 6}, {x, kTop}});
    if (rank == 1 || rank % (k > 20 ? 5 : 1) == 0)
      drawing.text(fmt::format("{}", rank), {x, kTop - 14}, Anchor::middle, kSize);
  }
  for (const auto& [first, last] : ranks.cliques) {
    const double y = kTop + 12 + kBar * static_cast<double>(bars.size());
    bars.push_back({{x_of(rank_at(first)) - 3, y}, {x_of(rank_at(last)) + 3, y}});
  }
  for (std::size_t place = 0; place < k; ++place) {
    const bool at_left = place < left;
    const double x = x_of(rank_at(place)), edge = at_left ? begin - 10 : end + 10;
    const double y = names + kLine * (0.5 + static_cast<double>(at_left ? place : k - 1 - place));
    thin.insert(thin.end(), {{{x, kTop}, {x, y}}, {{edge, y}, {x, y}}});
    drawing.text(label(place), {at_left ? edge - 4 : edge + 4, y}, at_left ? Anchor::end : Anchor::start, kSize);
  }
  drawing.lines(thick, {.width = 1.5});
  drawing.lines(thin, {.width = 1});
  drawing.lines(bars, {.width = 4});
  for (std::size_t row = 0; ranks.control && row < k; ++row) {
    const Pixel at{x_of(ranks.friedman.average_ranks[row]), kTop};
    const bool open = differs_from_control(ranks, row);
    drawing.mark(0, at, row == *ranks.control ? 5 : 3.5, open ? report::kPaperColour : report::kInkColour, 1);
    if (open) drawing.ring(at, 3.5, {.width = 1.2});
  }
  if (ranks.control)
    drawing.text(fmt::format("large: {}, the control; open: different from it at {}", name_of(ranks, *ranks.control),
                             shortest(ranks.request.alpha)),
                 {begin, 10}, Anchor::start, kSize);
  return drawing.finished();
}

}  // namespace alidade
