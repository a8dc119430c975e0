// What of a folder of results is whole: its rows, the files that they name, and what was kept aside.
// It only reads, so it also works on folders that cannot be written. While a command writes the folder, a file may be
// there before its row.
// folder_repair.hpp mends what is found here.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/results/folder_damage.hpp"
#include "experiments/results/row_files.hpp"
#include "experiments/results/rows.hpp"

namespace alidade {

/// Lines that repair took out of runs.jsonl, each as a JSON object: `line`, `reason`, `run_id` and `text`.
constexpr std::string_view kBadRowsFile = "runs.jsonl.bad";

struct FolderCheck {
  /// A file that a run names, and that is missing or changed.
  struct LostFile {
    std::string run_id, run;  // its id; "METHOD on DATASET, repeat 0"
    std::string file;
    NamedFileState state = NamedFileState::missing;
  };
  /// A file with rows that a command could not append, because runs.jsonl was removed or changed.
  struct Aside {
    std::string name;
    std::vector<RowLine> lacking;  // rows of it whose runs have no final row in runs.jsonl
  };

  bool has_rows_file = true;
  std::vector<RowLine> lines;                  // of runs.jsonl
  std::map<RunStatus, std::size_t> runs;       // by how they ended
  std::size_t rows = 0, unchecked_rows = 0;    // whole rows; of these, without a checksum
  std::size_t files = 0, unchecked_files = 0;  // named by runs; of these, there but without a checksum
  std::vector<LostFile> lost_files;
  std::vector<Aside> asides;
  std::vector<std::string> unnamed;    // files of maps, traces and logs that no row names
  std::size_t damaged_files_kept = 0;  // by repair
  std::set<std::string> lost_runs;     // were taken out by repair, and have no final row yet
  std::size_t unknown_lines = 0;       // in runs.jsonl.bad, of which nobody knows the run
  std::vector<std::string> changed_logs;
  std::vector<std::string> changed_origins;  // of the manifest and the config: sentences
  std::vector<std::string> faults;           // of the same, with their remedies: repair cannot mend them
  std::vector<std::string> notes;            // what the user may want to know, one sentence each

  /// Bad lines of runs.jsonl, also a cut last one.
  [[nodiscard]] std::vector<const RowLine*> bad_lines() const;
  /// Whether repair finds something to mend: bad lines, lost files, changed logs, manifest or config, rows kept aside
  /// only, runs still to be done.
  [[nodiscard]] bool needs_repair() const;
};

/// Reads all rows and all files that they name. O(bytes).
/// @throws DataError if this is no folder of results, or a file of rows cannot be read
[[nodiscard]] FolderCheck check_folder(const std::filesystem::path& folder);

/// Planned runs that are not done, other than those of bad rows. Repair does those with files.
struct UndoneRuns {
  std::size_t planned = 0;
  std::size_t undone = 0;
  std::size_t with_row = 0;                         // of these: cancelled, or their data could not be read
  std::set<std::string, std::less<>> with_files{};  // of these: files are there, but no row
};
[[nodiscard]] UndoneRuns undone_runs(const FolderCheck& check, const std::vector<PlannedRun>& planned);

/// How the user gets a config.resolved.toml back, a sentence.
[[nodiscard]] std::string remedy_of_config(const std::filesystem::path& folder);

/// @throws DataError unless the folder has a file of rows, or one that was kept aside
void require_results_folder(const std::filesystem::path& folder);

/// What runs.jsonl.bad says.
struct MovedLines {
  std::set<std::string> run_ids;
  std::set<std::string> texts;
  std::size_t unknown = 0;  // lines of which nobody knows the run
};
[[nodiscard]] MovedLines read_moved_lines(const std::filesystem::path& folder);

/// The id of the run that a bad line was about; "" if the line does not say.
[[nodiscard]] std::string run_id_in(std::string_view line);

}  // namespace alidade
