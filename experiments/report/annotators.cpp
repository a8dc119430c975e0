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

std::string verdict_of(const JudgedAnnotator& one) {
  std::vector<std::string> out;
  if (one.estimate.likely_guesser) out.emplace_back("likely guesser");
  if (one.estimate.reversed) out.emplace_back("answers the other way round");
  if (one.errors.own_group) out.emplace_back("of a group that agrees with each other");
  return join(out, "; ");
}

/// What is known of each annotator; with `estimated`, the method tells who guesses.
std::string table_of(std::vector<JudgedAnnotator> people, bool estimated) {
  std::erase_if(people, [](const JudgedAnnotator& one) { return one.estimate.answers == 0; });
  std::ranges::stable_sort(people, std::ranges::greater{}, [&](const JudgedAnnotator& one) {
    return estimated ? one.estimate.guess_rate : one.errors.error().value_or(-1);
  });
  const auto any = [&](auto has) { return std::ranges::any_of(people, has); };
  const bool errors = any([](const JudgedAnnotator& one) { return one.errors.heldout > 0; });
  const bool timed = any([](const JudgedAnnotator& one) { return one.errors.median_time.has_value(); });
  const bool sharpness = any([](const JudgedAnnotator& one) { return one.estimate.sharpness.has_value(); });
  const bool judged = estimated || any([](const JudgedAnnotator& one) { return one.errors.own_group; });
  HtmlTable table{estimated ? "How far each annotator can be trusted"
                            : "How well the map predicts each annotator's held-out answers",
                  "listing sorted",
                  {"Annotator", "Answers"},
                  {}};
  if (estimated) table.head.emplace_back("Guesses");
  if (estimated && !errors) table.head.emplace_back("Satisfied by the map");
  if (errors) table.head.insert(table.head.end(), {"Held out", "Held-out error", "Like other answers"});
  if (timed) table.head.emplace_back("Median time");
  if (sharpness) table.head.emplace_back("Sharpness");
  if (judged) table.head.emplace_back("");
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return HtmlCell("", std::nullopt);
    const double value = static_cast<double>(part) / static_cast<double>(whole);
    return HtmlCell(fmt::format("{:.0f} %", 100 * value), value);
  };
  const std::size_t all = people.size();
  people.resize(std::min(all, kMostListed));
  for (const JudgedAnnotator& one : people) {
    const auto& [estimate, person] = one;
    HtmlLine line{
        {escaped_name(estimate.name), {fmt::format("{}", estimate.answers), static_cast<double>(estimate.answers)}},
        ""};
    if (estimated)
      line.cells.emplace_back(fmt::format("{:.0f} %<span class=\"pm\"> ± {:.0f} %</span>", 100 * estimate.guess_rate,
                                          100 * estimate.standard_error),
                              estimate.guess_rate);
    if (estimated && !errors)
      line.cells.emplace_back(fmt::format("{:.0f} %", 100 * estimate.agreement), estimate.agreement);
    if (errors) {
      line.cells.emplace_back(fmt::format("{}", person.heldout), static_cast<double>(person.heldout));
      line.cells.push_back(share(person.violated, person.heldout));
      line.cells.push_back(share(person.alike, person.repeated));
    }
    if (timed)
      line.cells.push_back(person.median_time ? HtmlCell(fmt::format("{:.4g}", *person.median_time), person.median_time)
                                              : HtmlCell("", std::nullopt));
    if (sharpness)
      line.cells.push_back(estimate.sharpness ? HtmlCell(fmt::format("{:.2f}", *estimate.sharpness), estimate.sharpness)
                                              : HtmlCell("", std::nullopt));
    if (judged) line.cells.emplace_back(verdict_of(one));
    table.lines.push_back(std::move(line));
  }
  std::string out = table_html(table);
  if (all > kMostListed)
    out += fmt::format("<p class=\"caption\">{} more are in annotators.csv.</p>", all - kMostListed);
  return all > kMostOpen ? fold_html(counted(all, "annotator"), out) : out;
}

}  // namespace

std::vector<JudgedAnnotator> judged_annotators(const ReportModel& all) {
  const std::string file = text_field(all.rows.front(), "files.annotators");
  const auto path = file.empty() ? std::nullopt : all.inside(0, file);
  if (!all.single() || !path) return {};
  const std::string text = read_bytes(*path);
  const AnnotatorEstimates estimates = parse_annotators_csv(text, path->string());
  const auto errors = parse_annotator_errors(text, path->string());
  std::vector<JudgedAnnotator> out;
  for (std::size_t a = 0; a < estimates.annotators.size(); ++a)
    out.push_back({estimates.annotators[a], a < errors.size() ? errors[a] : AnnotatorErrors{}});
  return out;
}

bool are_estimated(const std::vector<JudgedAnnotator>& annotators) {
  return std::ranges::any_of(annotators, [](const auto& one) { return one.estimate.agreement > 0; });
}

Section annotator_section(const ReportModel& all) {
  std::string content, caption;
  try {
    std::vector<JudgedAnnotator> people = judged_annotators(all);
    if (people.empty()) return {};
    const bool estimated = are_estimated(people);
    const bool errors = std::ranges::any_of(people, [](const auto& one) { return one.errors.answers > 0; });
    const bool timed = std::ranges::any_of(people, [](const auto& one) { return one.errors.median_time.has_value(); });
    content = table_of(std::move(people), estimated);
    if (estimated)
      caption =
          "Guesses: share of an annotator's answers that are guesses, with its standard error. A likely guesser "
          "guesses more than half of at least ten answers, and significantly more than the median annotator. ";
    if (errors)
      caption +=
          "Held-out error: share of an annotator's held-out answers that the map violates; a guesser has about 50 %. "
          "With few held-out answers it may be far from that by chance. Like other answers: share of the other answers "
          "to the same questions that agree. ";
    if (timed)
      caption +=
          "Median time: of an annotator's responses, in the unit of the data; who answers much faster than others may "
          "be guessing. ";
    if (!estimated) caption += "To estimate who guesses: --problem ste_annotators.";
  } catch (const DataError& error) {
    content = "<p class=\"caption\">" + escaped(error.what()) + "</p>";
  }
  return {"annotators", "Annotators",
          "<section id=\"annotators\"><h2>Annotators</h2><p class=\"caption\">" + caption + "</p>" + content +
              "</section>"};
}

}  // namespace alidade::report
