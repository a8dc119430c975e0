// Mends the rows of a folder of results: what is bad is moved aside, with its reason; what was kept aside is taken up.
// Nothing is deleted. Killed at any moment, the same call goes on where it was.
// It does no run: it says which are to be done again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "experiments/config/experiment.hpp"

namespace alidade {

struct RepairReport {
  std::size_t bad_lines = 0;       // moved to runs.jsonl.bad
  std::size_t taken_out = 0;       // runs whose files are missing or changed: their rows were moved there too
  std::size_t damaged_files = 0;   // kept under another name
  std::string kept_manifest;       // name of the manifest that was changed, as it is kept; "" if it was not
  std::size_t picked_up = 0;       // rows of runs.jsonl.aside-*
  std::set<std::string> to_do;     // ids of planned runs that were lost, now or in an earlier repair
  std::size_t undone = 0;          // other planned runs without a final row
  std::vector<std::string> notes;  // what could not be mended, one sentence each
};

/// Repairs the rows, under the lock of the folder.
/// Runs that are not `planned` cannot be done again: rows of theirs whose files are missing or changed stay, with a
/// note.
/// A folder that is whole is not changed. O(bytes).
/// @throws DataError if the folder is in use, cannot be written, or has rows of a later version of this program
[[nodiscard]] RepairReport repair_rows(const std::filesystem::path& folder, const std::vector<PlannedRun>& planned);

}  // namespace alidade
