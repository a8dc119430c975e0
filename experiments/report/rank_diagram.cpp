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

std::string svg_line(double x1, double y1, double x2, double y2, double width) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke-width=\"{}\"/>\n", x1, y1,
                     x2, y2, width);
}

std::string svg_text(double x, double y, const char* anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     report::xml_text(text));
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
  constexpr double kUsualAxis = 420, kLeastAxis = 80, kGlyph = 6.8, kLine = 18, kBar = 8, kTop = 58, kMargin = 12;
  const std::size_t k = ranks.row_keys.size();
  const std::size_t left = (k + 1) / 2;  // the better half has its names on the left
  std::size_t longest_left = 0, longest_right = 0;
  for (std::size_t place = 0; place < k; ++place) {
    std::size_t& longest = place < left ? longest_left : longest_right;
    longest = std::max(longest, display_width(name_of(ranks, ranks.order[place])) + 7);
  }
  const double begin = kMargin + kGlyph * static_cast<double>(longest_left) + 16;
  const double beside = begin + 16 + kGlyph * static_cast<double>(longest_right) + kMargin;
  const double axis = wanted ? std::max(*wanted - beside, kLeastAxis) : kUsualAxis;
  const double end = begin + axis;
  const double width = end + 16 + kGlyph * static_cast<double>(longest_right) + kMargin;
  const double names = kTop + 16 + kBar * static_cast<double>(ranks.cliques.size());
  const double height = names + kLine * static_cast<double>(left) + kMargin;
  const auto x_of = [&](double rank) { return begin + axis * (rank - 1) / static_cast<double>(k - 1); };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 "
      "0 {0:.0f} {1:.0f}\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"12\" stroke=\"black\" fill=\"black\">\n"
      "<title>Average ranks of {2} methods over {3} data sets by {4}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\" stroke=\"none\"/>\n"
      "<style>text {{ stroke: none }}</style>\n",
      width, height, k, ranks.blocks.size(), report::xml_text(ranks.value));
  if (ranks.critical_difference) {
    const double length = axis * *ranks.critical_difference / static_cast<double>(k - 1);
    const double shown = std::min(length, axis);
    out += svg_line(begin, 22, begin + shown, 22, 1.5) + svg_line(begin, 18, begin, 26, 1.5);
    if (length <= axis) out += svg_line(begin + shown, 18, begin + shown, 26, 1.5);
    out += svg_text(begin + shown / 2, 14, "middle",
                    fmt::format("critical difference {:.3f}{}", *ranks.critical_difference,
                                length > axis ? ", wider than the axis" : ""));
  }
  out += svg_line(begin, kTop, end, kTop, 1.5);
  const std::size_t every = k > 20 ? 5 : 1;
  for (std::size_t rank = 1; rank <= k; ++rank) {
    const double x = x_of(static_cast<double>(rank));
    out += svg_line(x, kTop - 6, x, kTop, 1.5);
    if (rank == 1 || rank % every == 0) out += svg_text(x, kTop - 10, "middle", fmt::format("{}", rank));
  }
  for (std::size_t c = 0; c < ranks.cliques.size(); ++c) {
    const auto rank_at = [&](std::size_t place) { return ranks.friedman.average_ranks[ranks.order[place]]; };
    const double y = kTop + 12 + kBar * static_cast<double>(c);
    out += svg_line(x_of(rank_at(ranks.cliques[c].first)) - 3, y, x_of(rank_at(ranks.cliques[c].second)) + 3, y, 4);
  }
  for (std::size_t place = 0; place < k; ++place) {
    const std::size_t row = ranks.order[place];
    const double rank = ranks.friedman.average_ranks[row], x = x_of(rank);
    const bool at_left = place < left;
    const double y = names + kLine * (0.5 + static_cast<double>(at_left ? place : k - 1 - place));
    out += svg_line(x, kTop, x, y, 1) + svg_line(at_left ? begin - 10 : end + 10, y, x, y, 1);
    const std::string name = name_of(ranks, row), number = fmt::format("{:.2f}", rank);
    out += svg_text(at_left ? begin - 14 : end + 14, y + 4, at_left ? "end" : "start",
                    at_left ? name + "  " + number : number + "  " + name);
    if (ranks.control)
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", x, kTop,
                         row == *ranks.control ? 5 : 3.5, differs_from_control(ranks, row) ? "white" : "black");
  }
  if (ranks.control)
    out += svg_text(begin, 14, "start",
                    fmt::format("large: {}, the control; open: different from it at {}", name_of(ranks, *ranks.control),
                                shortest(ranks.request.alpha)));
  return out + "</svg>\n";
}

}  // namespace alidade
