#include "experiments/report/report.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/embedded_text.hpp"
#include "experiments/report/charts.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/page_data.hpp"
#include "experiments/report/report_model.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/svg.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;
using report::Section;

constexpr int kReloadSeconds = 5;           // of the page of a run in progress
constexpr std::size_t kListedSections = 4;  // a page with fewer needs no list of contents

// Replaces {{name}} in one pass, so that nothing in the data is taken for a placeholder.
std::string filled(std::string_view page, const std::map<std::string, std::string, std::less<>>& places) {
  std::string out;
  while (true) {
    const auto open = page.find("{{");
    out += page.substr(0, open);
    if (open == page.npos) return out;
    const auto close = page.find("}}", open);
    ALIDADE_ASSERT(close != page.npos);
    const auto place = places.find(page.substr(open + 2, close - open - 2));
    ALIDADE_ASSERT(place != places.end());
    out += place->second;
    page.remove_prefix(close + 2);
  }
}

std::string title_of(const ReportModel& all) { return all.single() ? all.rows.front().dataset.id : all.experiment(); }

std::string header_html(const ReportModel& all, const std::string& subtitle,
                        const std::optional<RunProgress>& running) {
  std::string out = "<header><div><p class=\"kind\">";
  out += all.single()              ? escaped(all.experiment())
         : all.sources.size() == 1 ? "Experiment"
                                   : counted(all.sources.size(), "experiment");
  out += "</p><h1 dir=\"auto\">" + escaped_name(title_of(all)) + "</h1>";
  if (!subtitle.empty()) out += "<p class=\"subtitle\">" + subtitle + "</p>";
  const std::string where = all.sources.size() == 1 ? report::now_and_where(all.sources.front().last_command()) : "";
  if (!where.empty()) out += "<p class=\"where\">" + escaped(where) + "</p>";
  if (running)
    out += fmt::format(
        "<p class=\"running\"><strong>Running: {} of {}.</strong> This page reloads itself every {} seconds. Numbers, "
        "marks and ranks are of the runs so far.</p>",
        report::with_commas(static_cast<std::int64_t>(running->done)), counted(running->planned, "run"),
        kReloadSeconds);
  return out + "</div><button type=\"button\" id=\"theme\" hidden>Theme: system</button></header>";
}

std::string status_html(const ReportModel& all) {
  std::string out = counted(all.rows.size(), "run");
  out += fmt::format(" of {} on {}", counted(all.methods.size(), "method"), counted(all.datasets.size(), "dataset"));
  for (const auto& [status, word] :
       {std::pair{RunStatus::failed, "failed"}, {RunStatus::skipped, "skipped"}, {RunStatus::cancelled, "interrupted"}})
    if (const std::size_t count = all.count_of(status); count > 0)
      out += fmt::format(" · <a href=\"#trouble\">{} {}</a>", count, word);
  return out;
}

// "100 objects in 2 dimensions · 12,516 triplets"; for a run without a map its method.
std::string map_facts(const Row& row) {
  const std::string objects = report::shown_number(row, "n"), dimensions = report::shown_number(row, "n_components");
  if (objects.empty() || !row.ended_well()) return row.method;
  std::string out = objects + (objects == "1" ? " object" : " objects");
  if (!dimensions.empty()) out += " in " + dimensions + (dimensions == "1" ? " dimension" : " dimensions");
  const bool given = row.problem.name == kGivenMap;
  std::string triplets = report::shown_number(row, given ? "heldout_triplets" : "refit.triplets");
  if (triplets.empty()) triplets = report::shown_number(row, "triplets");
  return triplets.empty()
             ? out
             : out + (given ? ", judged by " : " from ") + triplets + (triplets == "1" ? " triplet" : " triplets");
}

std::string contents_html(const std::vector<Section>& sections) {
  std::size_t shown = 0;
  std::string out = "<nav aria-label=\"Contents\"><ul>";
  for (const Section& section : sections) {
    if (section.title.empty()) continue;
    ++shown;
    out += fmt::format("<li><a href=\"#{}\" dir=\"auto\">{}</a></li>", section.id, escaped_name(section.title));
  }
  return shown < kListedSections ? std::string() : out + "</ul></nav>";
}

std::vector<Section> sections_of(const ReportModel& all, const fs::path& page_folder) {
  std::vector<Section> out;
  const auto add = [&](Section section) {
    if (!section.html.empty()) out.push_back(std::move(section));
  };
  if (all.rows.empty()) {
    add({"", "",
         "<section id=\"empty\"><h2>No runs yet</h2><p>runs.jsonl in this folder has no rows. Alidade "
         "adds a row when a run ends.</p></section>"});
  } else if (all.single()) {
    if (!all.rows.front().ended_well()) add(report::failure_section(all, page_folder));
    add(report::warning_section(all));
    add(report::verdict_section(all));
    if (!all.maps.empty())
      add({"map", "Map",
           "<section class=\"hero\" id=\"map\" aria-label=\"The map\"><div class=\"maps\" "
           "data-dataset=\"0\"></div></section>"});
    add(report::aspect_section(all));
    add(report::annotator_section(all));
    add(report::numbers_section(all));
    add(report::titled_section("convergence", "Convergence",
                               report::charts_html(report::curve_charts(all, all.datasets.front()), "curves")));
  } else {
    add(report::verdict_section(all));
    add(report::comparison_section(all));
    for (std::size_t d = 0; d < all.datasets.size(); ++d) add(report::dataset_section(all, d));
    add(report::profile_section(all));
    add(report::failure_section(all, page_folder));
  }
  add(report::choice_section(all));
  add(report::note_section(all));
  add(report::record_section(all, page_folder));
  return out;
}

/// In one function, one after the other.
std::string page_script() {
  std::string out;
  for (const char* part : {"page.js", "tables.js", "pens.js", "map_view.js", "maps.js", "charts.js", "printing.js"})
    out += embedded_text(part);
  return out;
}

}  // namespace

std::string report_page(std::span<const fs::path> results_folders, const fs::path& page_folder,
                        const ReportOptions& options) {
  const ReportModel all = gather_report(results_folders, options);
  const std::vector<Section> sections = sections_of(all, page_folder);
  const bool single = all.single();
  std::string body = "<a class=\"skip\" href=\"#content\">Skip to the content</a>" +
                     header_html(all,
                                 all.rows.empty() ? std::string()
                                 : single         ? escaped(map_facts(all.rows.front()))
                                                  : status_html(all),
                                 options.running);
  body += contents_html(sections);
  body += fmt::format("<main id=\"content\" tabindex=\"-1\"{}>", single ? " class=\"single\"" : "");
  for (const Section& section : sections) body += section.html;
  body += "</main>";
  std::map<std::string, std::string, std::less<>> places;
  places["title"] = escaped(title_of(all) + " – Alidade");
  places["body"] = std::move(body);
  places["data"] = report::page_data(all);
  places["reload"] =
      options.running ? fmt::format("\n<meta http-equiv=\"refresh\" content=\"{}\">", kReloadSeconds) : std::string();
  places["style"] = std::string(embedded_text("report.css")) + report::palette_css();
  places["script"] = page_script();
  places["generator"] = escaped("alidade " + text_field(all.sources.front().last_command(), "program.version"));
  return filled(embedded_text("report.html"), places);
}

std::string report_page(const fs::path& results_folder, const fs::path& page_folder, const ReportOptions& options) {
  return report_page(std::array{results_folder}, page_folder, options);
}

void write_report(std::span<const fs::path> results_folders, const fs::path& html_file, const ReportOptions& options) {
  const fs::path folder = html_file.has_parent_path() ? html_file.parent_path() : fs::path(".");
  write_output(html_file, report_page(results_folders, folder, options));
}

void write_report(const fs::path& results_folder, const fs::path& html_file, const ReportOptions& options) {
  write_report(std::array{results_folder}, html_file, options);
}

}  // namespace alidade
