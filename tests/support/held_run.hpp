// Holds a run of an experiment at a named point: where it begins to write its map. So a test knows how far a command
// has come, and that it cannot end before the test has killed it, or the run.
// The place of the map's first file is taken by a file that this process has locked, as if it were writing it.
// The file must be removed before the run is done again.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>

#include <filesystem>
#include <string>

namespace alidade::testing {

/// Returns the file, which stays locked until this process ends. `folder`: of results, which may not be there yet.
inline std::filesystem::path hold_run(const std::filesystem::path& folder, const std::string& run_id) {
  std::filesystem::create_directories(folder / "embeddings");
  std::filesystem::path part = folder / "embeddings" / (run_id + ".csv.part");
  std::filesystem::remove(part);  // of a run that was killed
  const int file = ::open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  REQUIRE(file >= 0);
  REQUIRE(::flock(file, LOCK_EX | LOCK_NB) == 0);
  return part;
}

}  // namespace alidade::testing
