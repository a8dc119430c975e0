#include "experiments/commands/run_outcome.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "experiments/commands/note_lines.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/standard_error.hpp"

namespace alidade::commands {
namespace {

/// Prints each reason for failed or skipped runs once.
void say_reasons(const RunnerReport& report, const RunnerOptions& options) {
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(report.reasons.size(), kShown); ++i) {
    const RunnerReport::Reason& reason = report.reasons[i];
    fmt::print("{}: {}{}: {}{}\n", to_string(reason.status), reason.first,
               reason.runs > 1 ? fmt::format(" and {} more", reason.runs - 1) : "", reason.message,
               reason.status == RunStatus::failed && !reason.log.empty()
                   ? fmt::format(" [{}]", (options.folder / reason.log).string())
                   : "");
  }
  if (report.reasons.size() > kShown)
    fmt::print("{} more reasons: see `alidade report {}`\n", report.reasons.size() - kShown, options.folder.string());
}

}  // namespace

int say_outcome(const RunnerReport& report, const RunnerOptions& options) {
  for (const std::string& guess : report.guesses) fmt::print("Read by a guess: {}\n", guess);
  fmt::print("{}: {} ok, {} failed, {} skipped, {} done before. Results: {}\n", counted(report.planned, "run"),
             report.ok, report.failed, report.skipped, report.resumed, options.folder.string());
  if (report.without_files > 0)
    fmt::print("{}\n", counted(report.without_files, "run is done again: its files were missing.",
                               "runs are done again: their files were missing."));
  say_reasons(report, options);
  write_to_stderr(note_lines(report.notes));
  if (report.unplanned > 0)
    say("Note: {} also holds {} that this config does not plan, perhaps because the "
        "config or a data file was edited. Tables and reports show {} too. To start afresh, give another "
        "folder with --out.\n",
        options.folder.string(), counted(report.unplanned, "run"), report.unplanned == 1 ? "it" : "them");
  if (report.interrupted) {
    say("alidade: Interrupted. Give the same command again to resume.\n");
    return 130;
  }
  if (report.failed_before > 0)
    fmt::print(
        "{} of the runs done before failed. `alidade report {}` shows why; --retry-failed repeats "
        "them.\n",
        report.failed_before, options.folder.string());
  if (report.ok + report.resumed > 0) fmt::print("Next: alidade report {}\n", options.folder.string());
  return report.failed + report.failed_before > 0 ? 1 : 0;
}

}  // namespace alidade::commands
