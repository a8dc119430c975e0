// Runs the built command and stops at its system calls, in all its processes and threads: a test may let a call pass,
// have it fail, shorten it, or kill the command there (ptrace(2) with seccomp(2)).
// Nothing in the command knows of this, and what libraries call is seen too. Linux on x86-64 only.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/command_line.hpp"

namespace alidade::testing {

struct SystemCall {
  pid_t thread = 0;
  long number = 0;  // SYS_...
  std::array<std::uint64_t, 6> arguments{};
  std::string path{};      // of its file, absolute; or "pipe:[7]" and the like; "" if it is about none
  std::string new_path{};  // of a rename
};

/// What becomes of a call.
struct Fate {
  enum class Kind {
    pass,
    refused,      // has no effect, and fails with `error`
    spoiled,      // has its effect, and fails with `error` nevertheless
    shortened,    // reads or writes half of its bytes, at least one
    killed,       // SIGKILL to the command's first process before the call has an effect
    killed_alone  // SIGKILL to the calling process alone
  };
  Kind kind = Kind::pass;
  int error = 0;
};

struct TracedEnd {
  Ended ended;
  bool hung = false;  // was killed after four minutes
};

/// "" if commands can be traced here, else why not.
[[nodiscard]] std::string why_no_tracing();

/// `before` decides on each of the `calls` (their numbers) from the first line of main() on; `after` sees their
/// results, or -errno. Both are called while the calling thread stands still, never two at a time. The command gets one
/// thread of BLAS and one arena. `launcher`: a program with its arguments that starts the command, such as mpirun.
[[nodiscard]] TracedEnd run_traced(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                                   const std::vector<long>& calls, const std::function<Fate(const SystemCall&)>& before,
                                   const std::function<void(const SystemCall&, std::int64_t result)>& after = {},
                                   const std::vector<std::string>& launcher = {});

/// Those whose `path` is known.
[[nodiscard]] std::vector<long> calls_on_files();

/// Ends a test case, with the reason, where commands cannot be traced.
#define ALIDADE_NEEDS_TRACING()                                                     \
  if (const std::string why = ::alidade::testing::why_no_tracing(); !why.empty()) { \
    MESSAGE("skipped: " << why);                                                    \
    return;                                                                         \
  }

}  // namespace alidade::testing
