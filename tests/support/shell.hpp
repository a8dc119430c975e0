// Runs lines of the shell, for what a test needs beside the command itself: other programs, pipes, variables.
// Standard input is empty; what is printed is caught.
// A line that does not end hangs its test, whose time ctest limits.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/command_line.hpp"
#include "tests/support/scratch_folder.hpp"

namespace alidade::testing {

/// A line of sh, run in a folder. Status -1 where a signal ended the shell.
[[nodiscard]] inline Ended run_line(const std::string& line, const std::filesystem::path& folder = ".") {
  const ScratchFolder scratch;
  const std::filesystem::path out = scratch / "out", err = scratch / "err";
  const int status = std::system(("cd '" + folder.string() + "' && ( " + line + " ) < /dev/null > '" + out.string() +
                                  "' 2> '" + err.string() + "'")
                                     .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(out), content_of(err)};
}

/// Whether the shell finds a program.
[[nodiscard]] inline bool there_is(const std::string& program) { return run_line("command -v " + program).status == 0; }

}  // namespace alidade::testing
