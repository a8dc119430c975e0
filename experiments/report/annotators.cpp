#include <fmt/core.h>

#include <algorithm>

#include "experiments/files/counted.hpp"
#include "experiments/files/gzip_file.hpp"
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

/// Of a method that does not estimate who guesses.
std::string table_of_errors(std::vector<AnnotatorErrors> errors) {
  std::erase_if(errors, [](const AnnotatorErrors& one) { return one.answers == 0; });
  std::ranges::stable_sort(errors, std::ranges::greater{}, [](const auto& one) { return one.error().value_or(-1); });
  HtmlTable table{"How well the map predicts each annotator's held-out answers",
                  "listing sorted",
                  {"Annotator", "Answers", "Held out", "Held-out error", "Like other answers"},
                  {}};
  const std::size_t all = errors.size();
  errors.resize(std::min(all, kMostListed));
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return HtmlCell("", std::nullopt);
    const double value = static_cast<double>(part) / static_cast<double>(whole);
    return HtmlCell(fmt::format("{:.0f} %", 100 * value), value);
  };
  for (const AnnotatorErrors& one : errors)
    table.lines.push_back({{escaped_name(one.name),
                            {fmt::format("{}", one.answers), static_cast<double>(one.answers)},
                            {fmt::format("{}", one.heldout), static_cast<double>(one.heldout)},
                            share(one.violated, one.heldout),
                            share(one.alike, one.repeated)},
                           ""});
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
  std::string content, caption =
                           "Guesses: share of an annotator's answers that are guesses, with its standard error. A "
                           "likely guesser guesses more "
                           "than half of at least 40 answers.";
  try {
    const AnnotatorEstimates estimates = read_annotators_csv(*path);
    const bool estimated = std::ranges::any_of(estimates.annotators, [](const auto& one) { return one.agreement > 0; });
    if (estimated) {
      content = table_of(estimates);
    } else {
      content = table_of_errors(parse_annotator_errors(datasets::read_bytes(*path), path->string()));
      caption =
          "Held-out error: share of an annotator's held-out answers that the map violates; a guesser has about 50 %. "
          "With "
          "few held-out answers it may be far from that by chance. Like other answers: share of the other answers to "
          "the "
          "same questions that agree. To estimate who guesses: --problem ste_annotators.";
    }
  } catch (const DataError& error) {
    content = "<p class=\"caption\">" + escaped(error.what()) + "</p>";
  }
  return {"annotators", "Annotators",
          "<section id=\"annotators\"><h2>Annotators</h2><p class=\"caption\">" + caption + "</p>" + content +
              "</section>"};
}

}  // namespace alidade::report
