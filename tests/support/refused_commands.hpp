// Commands that must be refused: check_refused({"embed", "bad.csv"}, folder, {"bad.csv:3: "}).
// And the least of good input that they are given besides: answers, and a configuration of one short run.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/command_line.hpp"

namespace alidade::testing {

/// What must happen on bad input: status 2, nothing on standard output, one line on standard error that begins
/// with the program's name and holds all of `parts`, and a folder that is as it was.
inline void check_refused(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          const std::vector<std::string>& parts) {
  std::string line;
  for (const std::string& argument : arguments) line += argument + " ";
  CAPTURE(line);
  const auto before = inventory(folder);
  const Ended ended = run_command(arguments, folder);
  CAPTURE(ended.err);
  CHECK(ended.status == 2);
  CHECK(ended.out.empty());
  CHECK(ended.err.starts_with("alidade: "));
  CHECK(ended.err.ends_with("\n"));
  CHECK(lines_of(ended.err).size() == 1);
  CHECK(ended.err.size() < 600);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(ended.err.find(part) != std::string::npos);
  }
  CHECK(inventory(folder) == before);
}

/// Sixty answers about nine objects.
[[nodiscard]] inline std::string sixty_answers(const std::string& header = "anchor,near,far\n") {
  std::string out = header;
  for (int i = 0; i < 60; ++i) {
    const int a = i % 6;
    out += "p" + std::to_string(a) + ",p" + std::to_string(a + 1) + ",p" + std::to_string(a + 2 + i % 2) + "\n";
  }
  return out;
}

/// One run of a tenth of a second; append it to a name.
inline constexpr const char* kOneRun = R"([[dataset]]
name = "europe"
triplets = 300
[[method]]
problem = "ste"
solver = { name = "ceres", max_iter = 5 }
)";

}  // namespace alidade::testing
