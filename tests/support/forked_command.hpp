// Calls the function of a command in a forked process, as if the command had been started: it has its own folder and
// signals, and what it prints is caught. But it meets the clock that the test moves by hand, which a program that is
// started does not. Example:
//
//     RunClock::ByHand clock;
//     ForkedCommand command([] { return commands::embed(request, {"alidade", "embed"}); }, folder);
//     command.send(SIGINT);  // however slow it is, the grace lasts
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>

#include "tests/support/command_line.hpp"
#include "tests/support/scratch_folder.hpp"

namespace alidade::testing {

class ForkedCommand {
 public:
  /// `command` returns the exit status; an exception is printed, and the status is 2.
  ForkedCommand(const std::function<int()>& command, const std::filesystem::path& folder) {
    const std::filesystem::path out = scratch_ / "out", err = scratch_ / "err";
    std::fflush(nullptr);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ > 0) return;
    constexpr int kHow = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC;
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    ::dup2(::open(out.c_str(), kHow, 0644), 1);
    ::dup2(::open(err.c_str(), kHow, 0644), 2);
    ::unsetenv("ALIDADE_DATA");
    int status = 2;
    try {
      std::filesystem::current_path(folder);
      status = command();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::fflush(nullptr);
    ::_exit(status);
  }
  ~ForkedCommand() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ForkedCommand(const ForkedCommand&) = delete;
  ForkedCommand& operator=(const ForkedCommand&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal) const { ::kill(pid_, signal); }
  /// A command that does not end hangs its test, whose time ctest limits.
  Ended wait() {
    int status = 0;
    REQUIRE(::waitpid(pid_, &status, 0) == pid_);
    pid_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), content_of(scratch_ / "out"),
            content_of(scratch_ / "err")};
  }

 private:
  ScratchFolder scratch_;
  pid_t pid_ = -1;
};

}  // namespace alidade::testing
