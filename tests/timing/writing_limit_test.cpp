// Writing that never ends, by the real clock and the built command: the time limit kills it. That nothing of it depends
// on how fast the machine is: tests/experiments/commands/limits_test.cpp. What never ends is to bring the file of a map
// to the disk, see stalled_sync.cpp.

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/refused_commands.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace writing_limit_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

const std::string kAlidade = std::string("'") + alidade_command() + "'";

/// The command with a disk that never takes the files with `part` in their path.
std::string stalled(const std::string& part) {
  return std::string("LD_PRELOAD='") + stalled_sync_library() + "' ALIDADE_STALL='" + part + "' " + kAlidade;
}

/// A line of sh with its end bounded: status 124 or 137 where it had to be ended.
Ended bounded(const std::string& line, const fs::path& folder) {
  return run_line("timeout -k 1 120 sh -c \"" + line + "\"", folder);
}

}  // namespace

TEST_SUITE("timing") {
  TEST_CASE("writing counts against the time limit of a run: it is killed, others stay, and it can be repeated") {
    const ScratchFolder path{{"c.toml", "name = \"c\"\nrepeats = 2\n" + std::string(kOneRun)}};
    run_well("run c.toml -o free", path);
    const std::vector<Row> rows = read_rows(path / "free");
    REQUIRE(rows.size() == 2);
    const std::string stuck = text_field(rows[0], "run_id");
    for (const std::string& more : {std::string(), std::string(" --in-process")}) {
      CAPTURE(more);
      const std::string folder = more.empty() ? "children" : "alone";
      const std::string options = " run c.toml -o " + folder + more;
      const Ended ended = bounded(stalled(stuck + ".csv") + options + " --set timeout=1s", path);
      CAPTURE(ended.out + ended.err);
      CHECK(ended.status == 1);
      CHECK((ended.out + ended.err).find("Exceeded the time limit of 1 s") != std::string::npos);
      // In one process the run that is stuck is the last.
      REQUIRE(read_rows(path / folder).size() == (more.empty() ? 2U : 1U));
      for (const ValueTable& row : read_rows(path / folder))
        CHECK(text_field(row, "status") == (text_field(row, "run_id") == stuck ? "failed" : "ok"));
      CHECK(bounded(kAlidade + options + " --retry-failed", path).status == 0);
      const std::string map = "embeddings/" + stuck + ".csv";
      CHECK(content_of(path / folder / map) == content_of(path / "free" / map));
    }
  }

  TEST_CASE("writing counts against the time limit of embed, which then writes nothing") {
    const ScratchFolder path{{"a.csv", sixty_answers()}};
    const std::vector<std::string> before = inventory(path);
    const Ended ended = bounded(stalled("embedding.csv") + " embed a.csv -p ste -o map --timeout 3s", path);
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(holds_all(ended.err, {"Exceeded the time limit of 3 s", "Nothing was written"}));
    CHECK(inventory(path) == before);
  }
}

}  // namespace writing_limit_test
