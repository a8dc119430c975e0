// The faults that an operating system can answer a call with: which calls, where, and how.
// Only faults that do happen: a disk gives EIO, a pipe does not; a file may be read in parts, a folder may not.
// Calls on files of other folders (of the loader, of /proc) are left alone, but for limits that hit all files.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/faults/traced_command.hpp"

namespace alidade::testing {

struct FaultKind {
  std::string name;         // "write: ENOSPC"
  std::vector<long> calls;  // their numbers
  Fate fate;
  enum class Where { working_folder, anywhere } where = Where::working_folder;
  std::function<bool(const SystemCall&)> only = {};  // which of these calls; all, if empty
  bool lasts = false;                                // it befalls all later calls too, as of a full disk
};

[[nodiscard]] std::span<const FaultKind> fault_kinds();

/// Whether a fault of this kind can befall the call of a command that works in `folder`, an absolute path.
[[nodiscard]] bool befalls(const FaultKind& kind, const SystemCall& call, const std::filesystem::path& folder);

/// Whether a path is the folder or below it.
[[nodiscard]] bool is_below(const std::string& path, const std::filesystem::path& folder);

}  // namespace alidade::testing
