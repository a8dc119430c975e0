#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "experiments/files/counted.hpp"
#include "experiments/report/charts.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/rows.hpp"

namespace alidade::report {
namespace {

std::string candidates_html(const ValueTable& row) {
  const ValueArray& list = list_field(row, "chosen.candidates");
  if (list.empty()) return {};
  const std::string chosen = options_text(table_field(row, "chosen"), judgement_fields());
  const bool by_share = field(row, "chosen.eigenvalue_share") != nullptr;
  const char* judged_by = by_share ? "eigenvalue_share" : "validation_error";
  HtmlTable table{"Candidates with their validation errors",
                  "listing sorted",
                  {"Candidate", by_share ? "Share of variance on the map" : "Validation error", ""},
                  {}};
  for (const Value& entry : list) {
    const ValueTable* candidate = entry.get_if<ValueTable>();
    if (!candidate) continue;
    const std::string name = options_text(*candidate, judgement_fields());
    std::string error = shown_number(*candidate, judged_by);
    if (const std::string spread = shown_number(*candidate, "standard_error"); !error.empty() && !spread.empty())
      error += "<span class=\"pm\"> ± " + spread + "</span>";
    table.lines.push_back({{"<code>" + escaped(name) + "</code>",
                            {error.empty() ? "failed" : error, number_field(*candidate, judged_by)},
                            name == chosen                             ? "<strong>chosen</strong>"
                            : text_field(*candidate, "tied") == "true" ? "within one standard error"
                                                                       : ""},
                           ""});
  }
  return fold_html(fmt::format("{} of repeat {}", counted(table.lines.size(), "candidate"), text_field(row, "repeat")),
                   table_html(table));
}

struct Choice {
  std::string dataset, method, text;
  std::vector<std::size_t> rows;
};

// " (validation errors 0.1 to 0.2)"
std::string errors_text(const ReportModel& all, const Choice& choice) {
  double low = 0;
  double high = 0;
  std::size_t measured = 0;
  for (const std::size_t row : choice.rows) {
    const auto error = number_field(all.rows[row], "chosen.validation_error");
    if (!error) continue;
    low = measured == 0 ? *error : std::min(low, *error);
    high = measured == 0 ? *error : std::max(high, *error);
    ++measured;
  }
  if (measured == 0) return {};
  return low == high ? fmt::format(" (validation error {:.4g})", low)
                     : fmt::format(" (validation errors {:.4g} to {:.4g})", low, high);
}

}  // namespace

Section choice_section(const ReportModel& all) {
  std::vector<Choice> choices;
  std::map<std::pair<std::string, std::string>, std::size_t> of_pair;
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    const ValueTable& row = all.rows[i];
    const ValueTable& chosen = table_field(row, "chosen");
    if (chosen.empty()) continue;
    Choice choice{dataset_of(row), method_of(row), options_text(chosen, judgement_fields()), {i}};
    ++of_pair[{choice.dataset, choice.method}];
    const auto same = std::ranges::find_if(choices, [&](const Choice& other) {
      return std::tie(other.dataset, other.method, other.text) == std::tie(choice.dataset, choice.method, choice.text);
    });
    if (same == choices.end())
      choices.push_back(std::move(choice));
    else
      same->rows.push_back(i);
  }
  if (choices.empty()) return {};
  std::ranges::stable_sort(choices, {}, [&](const Choice& choice) {
    return std::pair(std::ranges::find(all.datasets, choice.dataset) - all.datasets.begin(),
                     std::ranges::find(all.methods, choice.method) - all.methods.begin());
  });
  std::string out = "<section id=\"choices\"><h2>Chosen by validation</h2><ul class=\"choices\">";
  for (const Choice& choice : choices) {
    const std::size_t first = choice.rows.front();
    out += fmt::format(
        "<li><strong dir=\"auto\">{}</strong> on <strong dir=\"auto\">{}</strong> chose "
        "<code>{}</code>",
        escaped_name(choice.method), escaped_name(choice.dataset), escaped(choice.text));
    const std::size_t runs = of_pair.at({choice.dataset, choice.method});
    if (runs > 1) out += fmt::format(" in {} of {}", choice.rows.size(), counted(runs, "run"));
    out += errors_text(all, choice);
    if (const std::string why = text_field(all.rows[first], "chosen.why"); !why.empty())
      out += "<small class=\"why\">Why: " + escaped(why) + "</small>";
    out += charts_html(dimension_charts(all, first), "dimensions") + candidates_html(all.rows[first]) + "</li>";
  }
  return {"choices", "Chosen by validation", out + "</ul></section>"};
}

}  // namespace alidade::report
