#include "experiments/report/charts.hpp"

#include <fmt/core.h>
#include <sentences/report.hpp>

#include "experiments/files/counted.hpp"
#include "experiments/files/json.hpp"
#include "experiments/report/html.hpp"
#include "problems/core/value.hpp"

namespace alidade::report {
namespace {

// Inside an HTML page a drawing needs no namespace; without one, the page contains no address at all.
std::string inside_page(std::string svg) {
  constexpr std::string_view kNamespace = " xmlns=\"http://www.w3.org/2000/svg\"";
  if (const auto at = svg.find(kNamespace); at != svg.npos) svg.erase(at, kNamespace.size());
  std::erase(svg, '\n');
  return svg;
}

// As wide as the available room: the viewBox gives its size. The drawing begins with its width and height.
std::string fitted(std::string svg) {
  for (const std::string_view name : {" width=\"", " height=\""})
    if (const auto at = svg.find(name); at != svg.npos) svg.erase(at, svg.find('"', at + name.size()) + 1 - at);
  return svg;
}

std::string attributes_of(const ChartView& view) {
  ValueArray choices;
  for (const auto& [label, value] : view.choices) choices.push_back(ValueArray{label, value});
  return fmt::format(" data-choices=\"{}\" data-title=\"{}\" data-said=\"{}\" data-caption=\"{}\" data-file=\"{}\"",
                     escaped(to_json(choices)), escaped(view.title), escaped(view.description), escaped(view.caption),
                     escaped(view.file));
}

std::string card_html(const ChartCard& card) {
  const ChartView& first = card.views.front();
  std::string out = fmt::format(
      "<figure class=\"chart\"{}><figcaption><span dir=\"auto\">{}</span><span "
      "class=\"tools\"></span></figcaption><div class=\"bar\"></div>",
      card.symmetric ? " data-symmetric" : "", escaped(first.title));
  out += fmt::format("<div class=\"plot\" role=\"img\" aria-label=\"{}\"{}>{}</div>", escaped(first.description),
                     attributes_of(first), fitted(inside_page(first.svg)));
  for (std::size_t i = 1; i < card.views.size(); ++i)
    out += "<template" + attributes_of(card.views[i]) + ">" + fitted(inside_page(card.views[i].svg)) + "</template>";
  out += fmt::format("<p class=\"caption\"{}>{}</p></figure>", first.caption.empty() ? " hidden" : "",
                     escaped(first.caption));
  return out;
}

// One button per method, with its line.
std::string legend_html(const std::vector<LegendEntry>& methods) {
  std::string out = "<div class=\"legend\" role=\"group\" aria-label=\"Methods shown\">";
  for (const LegendEntry& method : methods) {
    SvgDrawing swatch(26, 10, " aria-hidden=\"true\"");
    swatch.line({1, 5}, {25, 5},
                {.colour = palette_colour(method.k), .width = 2.5, .dashes = palette_dashes(method.k)});
    out += fmt::format(
        "<button type=\"button\" aria-pressed=\"true\" data-series=\"{}\" title=\"Show or hide "
        "this method\">{}<span class=\"word\" dir=\"auto\">{}</span></button>",
        method.k, inside_page(swatch.finished()), escaped_name(method.name));
  }
  return out + "</div>";
}

// The legend that the script draws below a saved chart.
std::string entries_html(const ChartGroup& group) {
  const ChartSize size = group.charts.front().views.front().size;
  SvgDrawing drawing(size.width, 0);
  const double height = draw_legend(drawing, group.methods, size);
  return fmt::format("<template class=\"entries\" data-height=\"{}\">{}</template>", height,
                     fitted(inside_page(drawing.finished())));
}

}  // namespace

std::string note_on_common_runs(std::optional<std::size_t> left_out) {
  return !left_out        ? words::kNoRunInCommon
         : *left_out == 0 ? ""
                          : fmt::format(words::kRunsNotInCommon, counted(*left_out, "run is", "runs are"));
}

std::string charts_html(const ChartGroup& group, std::string_view css_class) {
  if (group.charts.empty()) return {};
  const ValueArray shared(group.shared.begin(), group.shared.end());
  std::string out = fmt::format("<div class=\"charts {}\" data-shared=\"{}\"><div class=\"bar\"></div>", css_class,
                                escaped(to_json(shared)));
  if (group.methods.size() > 1) out += legend_html(group.methods) + entries_html(group);
  out += group.charts.size() > 1 ? "<div class=\"pair\">" : "<div>";
  for (const ChartCard& card : group.charts) out += card_html(card);
  out += "</div>";
  if (!group.caption.empty()) out += "<p class=\"caption\">" + escaped(group.caption) + "</p>";
  return out + "</div>";
}

}  // namespace alidade::report
