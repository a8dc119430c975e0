#include "experiments/files/folder.hpp"

#include <doctest/doctest.h>

#include "problems/core/error.hpp"
#include "tests/support/command_line.hpp"

namespace folder_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

TEST_CASE("what is in a folder is listed in order; nothing is in a folder that is not there") {
  const ScratchFolder scratch;
  for (const char* name : {"b", "a", "c"}) write_text(scratch.path() / name, name);
  const std::vector<fs::path> paths = paths_in(scratch.path());
  REQUIRE(paths.size() == 3);
  CHECK(paths[0] == scratch.path() / "a");
  CHECK(paths[2] == scratch.path() / "c");
  CHECK(paths_in(scratch.path() / "none").empty());
}

TEST_CASE("what cannot be read is refused, not taken for empty or missing") {
  const ScratchFolder scratch;
  write_text(scratch.path() / "file", "text");
  CHECK_THROWS_WITH_AS(static_cast<void>(paths_in(scratch.path() / "file")), doctest::Contains("Not a directory"),
                       DataError);
  fs::create_symlink("loop", scratch.path() / "loop");
  CHECK_THROWS_WITH_AS(static_cast<void>(is_there(scratch.path() / "loop")), doctest::Contains("Cannot read"),
                       DataError);
  CHECK_THROWS_WITH_AS(static_cast<void>(is_file(scratch.path() / "loop")), doctest::Contains("Cannot read"),
                       DataError);
  CHECK(is_there_or_link(scratch.path() / "loop"));
  CHECK_THROWS_WITH_AS(static_cast<void>(is_there_or_link(scratch.path() / "loop" / "file")),
                       doctest::Contains("Cannot read"), DataError);
  CHECK(is_there(scratch.path() / "file"));
  CHECK(is_file(scratch.path() / "file"));
  CHECK_FALSE(is_file(scratch.path()));
  CHECK_FALSE(is_file(scratch.path() / "none"));
  CHECK_FALSE(is_there(scratch.path() / "none"));
}

}  // namespace folder_test
