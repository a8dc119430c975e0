// The sections of the report page as markup; report.cpp orders them.
// An empty section is "". Each has one h2, whose id is the target of the list of contents.
// Maps, which the script draws, are empty elements of class "maps"; charts are complete (charts.hpp).
#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/report/report_model.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/run/aspect_errors.hpp"

namespace alidade::report {

struct Section {
  std::string id;
  std::string title;  // plain text
  std::string html;
};
/// A section under its title; nothing without a body.
[[nodiscard]] inline Section titled_section(std::string id, std::string title, std::string_view body) {
  if (body.empty()) return {};
  std::string html = fmt::format("<section id=\"{}\"><h2>{}</h2>{}</section>", id, title, body);
  return {std::move(id), std::move(title), std::move(html)};
}

/// verdict.cpp: what the rows show, in sentences: of several methods which is best, which cannot be told from it and by
/// how much others are worse; of one map its error and what it means. "" if no run ended with a value.
[[nodiscard]] Section verdict_section(const ReportModel& contents);

/// comparison.cpp: tables of every metric, of stability and of time; one table for one dataset, else a panel per value.
[[nodiscard]] Section comparison_section(const ReportModel& contents);
/// comparison.cpp: profiles, if at least two methods ended well on at least two instances.
[[nodiscard]] Section profile_section(const ReportModel& contents);
/// comparison.cpp: dataset number d: its description, maps, curves and trade-offs.
[[nodiscard]] Section dataset_section(const ReportModel& contents, std::size_t d);

/// single_run.cpp: warnings to read before relying on the map of a single run.
[[nodiscard]] Section warning_section(const ReportModel& contents);
/// single_run.cpp: the numbers of a single run.
[[nodiscard]] Section numbers_section(const ReportModel& contents);

/// single_run.cpp: how far the annotators of a single run can be trusted.
[[nodiscard]] Section annotator_section(const ReportModel& contents);
/// single_run.cpp: what is known of the annotators of a single run.
/// Empty if annotators are not known. @throws DataError if their file is malformed
[[nodiscard]] std::vector<JudgedAnnotator> judged_annotators(const ReportModel& contents);
/// Whether the method estimated who guesses.
[[nodiscard]] bool are_estimated(const std::vector<JudgedAnnotator>& annotators);
/// single_run.cpp. Whether the aspects of a single map agree: the held-out answers about each, by the map of each.
[[nodiscard]] Section aspect_section(const ReportModel& contents);
/// single_run.cpp. The errors beside the map of a single run; empty if there are none. @throws DataError if they are
/// malformed
[[nodiscard]] AspectErrors aspect_errors_of(const ReportModel& contents, std::size_t row);

/// records.cpp: runs that did not end well, grouped by method, dataset and reason, with the ends of their logs: 30
/// lines, up to 8 KiB each, of up to 40 reasons. Links are relative to `page_folder`.
[[nodiscard]] Section failure_section(const ReportModel& contents, const std::filesystem::path& page_folder);
/// records.cpp: a link to the run's log, or only its name if the file is missing.
[[nodiscard]] std::string log_link_html(const ReportModel& contents, std::size_t row,
                                        const std::filesystem::path& page_folder);

/// records.cpp: what was chosen by validation, and why.
[[nodiscard]] Section choice_section(const ReportModel& contents);

/// records.cpp: every note once, with the runs it concerns.
[[nodiscard]] Section note_section(const ReportModel& contents);
/// records.cpp: commands, all runs, configurations, programs and machines.
[[nodiscard]] Section record_section(const ReportModel& contents, const std::filesystem::path& page_folder);
/// records.cpp: "2026-01-02 03:04 UTC · alidade 1.0 · 2 × a processor".
[[nodiscard]] std::string now_and_where(const ValueTable& manifest);

}  // namespace alidade::report
