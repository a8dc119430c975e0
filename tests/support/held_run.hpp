// Holds a run of an experiment at a named point: where it begins to write its map. So a test knows how far a command
// has come, and that it cannot end before the test has killed it, or the run.
// The place of the map's first file is taken by a pipe that nobody reads, so that opening it never ends.
// The pipe must be removed before the run is done again.
#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace alidade::testing {

/// Returns the pipe. `folder`: of results, which may not be there yet.
inline std::filesystem::path hold_run(const std::filesystem::path& folder, const std::string& run_id) {
  std::filesystem::create_directories(folder / "embeddings");
  std::filesystem::path pipe = folder / "embeddings" / (run_id + ".csv.part");
  std::filesystem::remove(pipe);  // of a run that was killed
  REQUIRE(::mkfifo(pipe.c_str(), 0644) == 0);
  return pipe;
}

}  // namespace alidade::testing
