#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/files/counted.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"

namespace alidade::report {

Section warning_section(const ReportModel& all) {
  const Row& row = all.rows.front();
  std::string out;
  for (const RowWarning warning : warnings_of(row))
    out += std::string("<p class=\"callout") + (is_grave(warning) ? " grave" : "") + "\">" +
           escaped(warning_text(warning, row)) + "</p>";
  if (out.empty()) return {};
  return {"warnings", "", "<section id=\"warnings\" aria-label=\"Warnings\">" + out + "</section>"};
}

Section numbers_section(const ReportModel& all) {
  const Row& row = all.rows.front();
  std::string out;
  const auto add = [&](const std::string& name, const std::string& title, const std::string& unit) {
    if (const std::string number = shown_number(row, name); !number.empty())
      out += "<div><dt>" + escaped(title) + "</dt><dd>" + escaped(number) + unit + "</dd></div>";
  };
  for (const std::string& name : metric_fields(all.rows)) {
    add(name, title_of(name), "");
    if (const std::string error = heldout_text(row); name == "metrics.heldout_error" && !error.empty())
      out += "<div><dt>95 % interval of the held-out error</dt><dd>" +
             escaped(shown_number(row, "heldout.low") + " to " + shown_number(row, "heldout.high")) + "</dd></div>";
  }
  add("uncertainty.stability", "Stability", "");
  add("uncertainty.typical_shift", "Typical shift (map radii)", "");
  add("n", "Objects", "");
  add("triplets", "Training triplets", "");
  add("heldout_triplets", "Held-out triplets", "");
  add("n_components", "Dimensions", "");
  add("counts.iterations", "Iterations", "");
  add("seconds.solve", "Solving time", " s");
  if (out.empty()) return {};
  out = "<dl class=\"figures\">" + out + "</dl>";
  const std::string ended = row.termination.value_or(""), message = row.message.value_or("");
  if (!ended.empty() && row.ended_well())
    out += "<p class=\"caption\">Solver status: <strong>" + escaped(spaced(ended)) + "</strong>" +
           (message.empty() ? "" : ": " + escaped(message)) + "</p>";
  if (row.refit && row.refit->written)
    out += "<p class=\"caption\">The map uses all " + escaped(shown_number(row, "refit.triplets")) +
           " triplets (training error " + escaped(shown_number(row, "refit.train_error")) +
           "). The results above are from a fit to the training triplets alone, so that the held-out "
           "error is a fair estimate.</p>";
  for (const ResultRow::Part* part : {&row.problem, &row.solver})
    if (!part->options.empty())
      out += "<p class=\"caption\"><strong>" + escaped(part->name) +
             "</strong>: " + escaped(options_text(part->options)) + "</p>";
  return titled_section("results", "Results", fold_html("All results and options", out));
}

namespace {

constexpr std::size_t kMostListed = 500;
constexpr std::size_t kMostOpen = 30;  // a longer table is folded

std::string verdict_of(const JudgedAnnotator& one) {
  std::vector<std::string> out;
  if (one.estimate.likely_guesser) out.emplace_back("likely guesser");
  if (one.estimate.reversed) out.emplace_back("answers the other way round");
  if (one.estimate.group > 0) out.push_back(fmt::format("group {}", one.estimate.group));
  return join(out, "; ");
}

/// What is known of each annotator; with `estimated`, the method tells who guesses.
std::string table_of(std::vector<JudgedAnnotator> people, bool estimated) {
  std::erase_if(people, [](const JudgedAnnotator& one) { return one.estimate.answers == 0; });
  std::ranges::stable_sort(people, std::ranges::greater{}, [&](const JudgedAnnotator& one) {
    return estimated ? one.estimate.guess_rate : one.errors.error.value_or(-1);
  });
  const auto any = [&](auto has) { return std::ranges::any_of(people, has); };
  const bool errors = any([](const JudgedAnnotator& one) { return one.errors.heldout > 0; });
  const bool timed = any([](const JudgedAnnotator& one) { return one.errors.median_time.has_value(); });
  const bool sharpness = any([](const JudgedAnnotator& one) { return one.estimate.sharpness.has_value(); });
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
  if (estimated) table.head.emplace_back("");
  const auto share = [](const std::optional<double>& value) {
    return HtmlCell(value ? fmt::format("{:.0f} %", 100 * *value) : "", value);
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
      line.cells.push_back(share(person.error));
      line.cells.push_back(share(person.alike));
    }
    const auto& [time, sharp] = std::tie(person.median_time, estimate.sharpness);
    if (timed) line.cells.emplace_back(time ? fmt::format("{:.4g}", *time) : "", time);
    if (sharpness) line.cells.emplace_back(sharp ? fmt::format("{:.2f}", *sharp) : "", sharp);
    if (estimated) line.cells.emplace_back(verdict_of(one));
    table.lines.push_back(std::move(line));
  }
  std::string out = table_html(table);
  if (all > kMostListed)
    out += fmt::format("<p class=\"caption\">{} more are in annotators.csv.</p>", all - kMostListed);
  return all > kMostOpen ? fold_html(counted(all, "annotator"), out) : out;
}

}  // namespace

std::vector<JudgedAnnotator> judged_annotators(const ReportModel& all) {
  if (!all.single()) return {};
  const auto path = all.inside(0, all.rows.front().named_files().annotators.value_or(""));
  if (!path) return {};
  return parse_annotators_csv(read_bytes(*path), path->string());
}

bool are_estimated(const std::vector<JudgedAnnotator>& annotators) {
  return std::ranges::any_of(annotators, [](const auto& one) { return one.estimate.agreement > 0; });
}

Section annotator_section(const ReportModel& all) {
  std::string content;
  std::vector<std::string> caption;
  try {
    std::vector<JudgedAnnotator> people = judged_annotators(all);
    if (people.empty()) return {};
    const bool estimated = are_estimated(people);
    const auto any = [&](auto has) { return std::ranges::any_of(people, has); };
    if (estimated) caption.emplace_back(words::kGuesses);
    if (any([](const auto& one) { return one.errors.answers > 0; })) caption.emplace_back(words::kHeldOutErrors);
    if (any([](const auto& one) { return one.errors.median_time.has_value(); })) caption.emplace_back(words::kTimes);
    if (!estimated) caption.emplace_back("To estimate who guesses: --problem ste_annotators.");
    content = table_of(std::move(people), estimated);
  } catch (const DataError& error) {
    content = "<p class=\"caption\">" + escaped(error.what()) + "</p>";
  }
  return titled_section("annotators", "Annotators", "<p class=\"caption\">" + join(caption, " ") + "</p>" + content);
}

namespace {

/// A line for each aspect, a column for each map; or one column where each aspect has the error by its own map only, as
/// of many aspects the page would be too large.
std::string aspect_table(const AspectErrors& errors) {
  HtmlTable table{
      "Held-out error of the answers about each aspect, by the map of each", "listing", {"Answers about"}, {}};
  const bool all = std::ranges::all_of(
      errors.rows, [&](const AspectErrors::Row& row) { return row.by_map.size() == errors.maps.size(); });
  if (!all) table.head.emplace_back("its own map");
  if (all)
    for (const std::string& map : errors.maps)
      table.head.push_back(map.empty() ? "the one map" : "map of " + escaped_name(map));
  for (const AspectErrors::Row& row : errors.rows) {
    HtmlLine line{{HtmlCell(escaped_name(row.aspect))}, ""};
    for (const AspectErrors::Cell& cell : row.by_map)
      if (std::isnan(cell.error))
        line.cells.emplace_back("unknown");
      else
        line.cells.emplace_back(fmt::format("{:.0f} %<span class=\"pm\"> {:.0f} to {:.0f} %</span>", 100 * cell.error,
                                            100 * cell.interval.low, 100 * cell.interval.high),
                                cell.error);
    table.lines.push_back(std::move(line));
  }
  return table_html(table);
}

}  // namespace

AspectErrors aspect_errors_of(const ReportModel& all, std::size_t row) {
  const auto path = all.inside(row, "aspect_errors.csv");
  std::error_code ignored;
  if (!all.single() || !path || !std::filesystem::is_regular_file(*path, ignored)) return {};
  return parse_aspect_errors(read_bytes(*path), path->string());
}

Section aspect_section(const ReportModel& all) {
  std::string content;
  bool groups = false;
  try {
    const AspectErrors errors = aspect_errors_of(all, 0);
    if (errors.rows.empty()) return {};
    groups = errors.groups;
    content = aspect_table(errors);
  } catch (const DataError& error) {
    content = "<p class=\"caption\">" + escaped(error.what()) + "</p>";
  }
  const std::string of = groups ? "a group" : "an aspect";
  return {
      "aspects", groups ? "Groups" : "Aspects",
      fmt::format(
          "<section id=\"aspects\"><h2>Do the {0}s agree?</h2><p class=\"caption\">Held-out error of the answers {1} "
          "{2} (line), by the map of {2} (column), with its 95 % interval. {3} Guessing has 50 %.</p>",
          groups ? "group" : "aspect", groups ? "of" : "about", of,
          groups ? words::kGroupsTested : words::kAspectsAgreeIf) +
          content + "</section>"};
}

}  // namespace alidade::report
