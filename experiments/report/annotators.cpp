#include <fmt/core.h>

#include <algorithm>

#include "experiments/files/counted.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"

namespace alidade::report {
namespace {

constexpr std::size_t kMostListed = 500;
constexpr std::size_t kMostOpen = 30;  // a longer table is folded

std::string verdict_of(const AnnotatorEstimate& one) {
  if (one.reversed) return one.likely_guesser ? "likely guesser; answers the other way round" : "the other way round";
  return one.likely_guesser ? "likely guesser" : "";
}

std::string table_of(const AnnotatorEstimates& estimates) {
  std::vector<AnnotatorEstimate> sorted = estimates.annotators;
  std::erase_if(sorted, [](const AnnotatorEstimate& one) { return one.answers == 0; });
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &AnnotatorEstimate::guess_rate);
  const bool sharpness = std::ranges::any_of(sorted, [](const auto& one) { return one.sharpness.has_value(); });
  HtmlTable table{"How far each annotator can be trusted",
                  "listing sorted",
                  {"Annotator", "Answers", "Guesses", "Satisfied by the map"},
                  {}};
  if (sharpness) table.head.emplace_back("Sharpness");
  table.head.emplace_back("");
  const std::size_t all = sorted.size();
  sorted.resize(std::min(all, kMostListed));
  for (const AnnotatorEstimate& one : sorted) {
    HtmlLine line{
        {escaped_name(one.name),
         {fmt::format("{}", one.answers), static_cast<double>(one.answers)},
         {fmt::format("{:.0f} %<span class=\"pm\"> ± {:.0f} %</span>", 100 * one.guess_rate, 100 * one.standard_error),
          one.guess_rate},
         {fmt::format("{:.0f} %", 100 * one.agreement), one.agreement}},
        ""};
    if (sharpness)
      line.cells.push_back(one.sharpness ? HtmlCell(fmt::format("{:.2f}", *one.sharpness), one.sharpness)
                                         : HtmlCell("", std::nullopt));
    line.cells.emplace_back(verdict_of(one));
    table.lines.push_back(std::move(line));
  }
  std::string out = table_html(table);
  if (all > kMostListed)
    out += fmt::format("<p class=\"caption\">{} more are in annotators.csv.</p>", all - kMostListed);
  return all > kMostOpen ? fold_html(counted(all, "annotator"), out) : out;
}

}  // namespace

Section annotator_section(const ReportModel& all) {
  const std::string file = text_field(all.rows.front(), "files.annotators");
  const auto path = file.empty() ? std::nullopt : all.inside(0, file);
  if (!path) return {};
  std::string content;
  try {
    content = table_of(read_annotators_csv(*path));
  } catch (const DataError& error) {
    content = "<p class=\"caption\">" + escaped(error.what()) + "</p>";
  }
  return {"annotators", "Annotators",
          "<section id=\"annotators\"><h2>Annotators</h2><p class=\"caption\">Guesses: share of an annotator's answers "
          "that are guesses, with its standard error. A likely guesser guesses more than half of at least 40 answers."
          "</p>" +
              content + "</section>"};
}

}  // namespace alidade::report
