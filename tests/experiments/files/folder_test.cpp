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
  for (const char* name : {"b", "a", "c"}) write_text(scratch / name, name);
  const std::vector<fs::path> paths = paths_in(scratch);
  REQUIRE(paths.size() == 3);
  CHECK(paths[0] == scratch / "a");
  CHECK(paths[2] == scratch / "c");
  CHECK(paths_in(scratch / "none").empty());
}

TEST_CASE("what cannot be read is refused, not taken for empty or missing") {
  const ScratchFolder scratch{{"file", "text"}};
  CHECK_THROWS_WITH_AS(static_cast<void>(paths_in(scratch / "file")), doctest::Contains("Not a directory"), DataError);
  fs::create_symlink("loop", scratch / "loop");
  CHECK_THROWS_WITH_AS(static_cast<void>(is_there(scratch / "loop")), doctest::Contains("Cannot read"), DataError);
  CHECK_THROWS_WITH_AS(static_cast<void>(is_file(scratch / "loop")), doctest::Contains("Cannot read"), DataError);
  CHECK(is_there_or_link(scratch / "loop"));
  CHECK_THROWS_WITH_AS(static_cast<void>(is_there_or_link(scratch / "loop" / "file")), doctest::Contains("Cannot read"),
                       DataError);
  CHECK(is_there(scratch / "file"));
  CHECK(is_file(scratch / "file"));
  CHECK_FALSE(is_file(scratch));
  CHECK_FALSE(is_file(scratch / "none"));
  CHECK_FALSE(is_there(scratch / "none"));
}

}  // namespace folder_test
