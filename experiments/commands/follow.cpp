// The page of a run in progress, written again whenever the run has added rows.
#include <sentences/commands.hpp>

#include <array>
#include <chrono>
#include <set>
#include <system_error>
#include <thread>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/results/rows.hpp"

namespace alidade::commands {
namespace {

constexpr auto kLook = std::chrono::milliseconds(500);  // between two looks at the file of rows
constexpr int kInterrupted = 130;

/// What changes when a row is appended.
struct RowsStamp {
  std::uintmax_t bytes = 0;
  fs::file_time_type time{};
  bool operator==(const RowsStamp&) const = default;
};
std::optional<RowsStamp> stamp_of(const fs::path& folder) {
  std::error_code code;
  const std::uintmax_t bytes = fs::file_size(folder / kRowsFile, code);
  if (code) return std::nullopt;
  const fs::file_time_type time = fs::last_write_time(folder / kRowsFile, code);
  return code ? std::nullopt : std::optional(RowsStamp{bytes, time});
}

/// False if the command was interrupted meanwhile.
bool rest() {
  constexpr auto kStep = std::chrono::milliseconds(50);
  for (auto waited = std::chrono::milliseconds(0); waited < kLook && !interrupted(); waited += kStep)
    std::this_thread::sleep_for(kStep);
  return !interrupted();
}

/// Ids of the runs that the folder's config plans; nothing before the run has written it.
std::optional<std::set<std::string>> planned_ids(const fs::path& folder) {
  const fs::path file = folder / kConfigFile;
  const auto text = content_if_there(file);
  if (!text) return std::nullopt;
  std::set<std::string> out;
  for (const PlannedRun& run : plan(interpret(parse_config(*text, file.string())))) out.insert(run.id);
  return out;
}

RunProgress progress_of(const fs::path& folder, const std::set<std::string>& planned) {
  std::set<std::string> done;
  for (const Row& row : read_rows(folder))
    if (const std::string& id = row.run_id; planned.contains(id) && row.status != RunStatus::cancelled) done.insert(id);
  return {done.size(), planned.size()};
}

}  // namespace

int follow(const fs::path& folder, const fs::path& page, ReportOptions options) {
  std::error_code code;
  require<DataError>(fs::is_directory(folder, code), words::kNoFolderToFollow, folder.string());
  watch_for_interrupts();
  TerminalLine line;
  std::optional<std::set<std::string>> planned;
  std::optional<RowsStamp> written;  // the rows that the page shows
  bool told = false;
  do {
    const std::optional<RowsStamp> now = stamp_of(folder);
    if (!now || now == written) continue;
    if (!planned) planned = planned_ids(folder);
    if (!planned) continue;
    const RunProgress progress = progress_of(folder, *planned);
    const bool finished = progress.done == progress.planned;
    options.running = finished ? std::nullopt : std::optional(progress);
    write_report(std::array{folder}, page, options);
    written = now;
    if (!told) {
      fmt::print("{}\n", page.string());
      std::fflush(stdout);
    }
    told = true;
    const std::string so_far = fmt::format("{} of {}.", progress.done, counted(progress.planned, "run"));
    line.show(so_far + " Ctrl-C ends following, not the run.");
    if (!finished) continue;
    line.wipe();
    say("Finished: {}\n", so_far);
    return 0;
  } while (rest());
  line.wipe();
  // Without a follower the page would reload for nothing.
  options.running.reset();
  if (written) write_report(std::array{folder}, page, options);
  say("alidade: {}\n",
      written ? words::kFollowingStopped : "Stopped following. No run had ended, so there is no page.");
  return kInterrupted;
}

}  // namespace alidade::commands
