// Runs the built command as a user would, in a folder of choice, and catches what it prints.
// Programs that include this depend on the command, see CMakeLists.txt.
// Standard input is empty; ALIDADE_DATA is not set; a command that does not end in time is killed and fails.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/scratch_folder.hpp"
#include "tests/support/test_paths.hpp"

namespace alidade::testing {

/// Everything below a folder: relative paths, and for files their sizes and contents, sorted.
[[nodiscard]] inline std::vector<std::string> inventory(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::string line = entry.path().lexically_relative(folder).string();
    if (entry.is_regular_file()) line += " " + std::to_string(std::hash<std::string>{}(content_of(entry.path())));
    out.push_back(std::move(line));
  }
  std::ranges::sort(out);
  return out;
}

[[nodiscard]] inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto end = text.find('\n');
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out;
}

/// How a command ended.
struct Ended {
  int status = -1;  // exit status; -N if signal N ended it
  std::string out, err;
};

class Command {
 public:
  /// `out` and `err`: files or devices to print to, instead of files that `wait` reads.
  explicit Command(std::vector<std::string> arguments, const std::filesystem::path& folder = ".",
                   const std::filesystem::path& out = {}, const std::filesystem::path& err = {})
      : out_(out.empty() ? scratch_ / "out" : out), err_(err.empty() ? scratch_ / "err" : err) {
    arguments.insert(arguments.begin(), alidade_command());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    std::vector<char*> environment;
    for (char** entry = environ; *entry != nullptr; ++entry)
      if (!std::string_view(*entry).starts_with("ALIDADE_DATA=")) environment.push_back(*entry);
    environment.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    constexpr int kHow = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY;
    posix_spawn_file_actions_addopen(&actions, 1, out_.c_str(), kHow, 0644);
    posix_spawn_file_actions_addopen(&actions, 2, err_.c_str(), kHow, 0644);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    const int code = ::posix_spawn(&pid_, alidade_command(), &actions, nullptr, argv.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    REQUIRE(code == 0);
  }
  ~Command() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal) const { ::kill(pid_, signal); }
  Ended wait() {
    const auto begin = std::chrono::steady_clock::now();
    int status = 0;
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() - begin > kPatience) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
        FAIL("the command did not end");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    pid_ = -1;
    Ended ended;
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    if (std::filesystem::is_regular_file(out_)) ended.out = content_of(out_);
    if (std::filesystem::is_regular_file(err_)) ended.err = content_of(err_);
    return ended;
  }

 private:
#ifdef __SANITIZE_ADDRESS__
  static constexpr std::chrono::seconds kPatience{1200};
#else
  static constexpr std::chrono::seconds kPatience{240};
#endif
  ScratchFolder scratch_;
  std::filesystem::path out_, err_;
  pid_t pid_ = -1;
};

/// The words of a line, parted by blanks: "embed answers.csv -p ste".
[[nodiscard]] inline std::vector<std::string> words(std::string_view line) {
  std::istringstream in{std::string(line)};
  return {std::istream_iterator<std::string>(in), {}};
}

[[nodiscard]] inline Ended run_command(std::vector<std::string> arguments, const std::filesystem::path& folder = ".") {
  return Command(std::move(arguments), folder).wait();
}

/// The same end, which must be good: status 0. A failure shows what the command printed.
inline Ended succeeded(Ended ended) {
  CAPTURE(ended.out);
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  return ended;
}
/// A command that must succeed; `run_quietly`: without a word on standard error.
inline Ended run_well(std::vector<std::string> arguments, const std::filesystem::path& folder = ".") {
  return succeeded(run_command(std::move(arguments), folder));
}
inline Ended run_quietly(std::vector<std::string> arguments, const std::filesystem::path& folder = ".") {
  Ended ended = run_well(std::move(arguments), folder);
  CHECK(ended.err == "");
  return ended;
}

// The same of a line of words.
template <std::convertible_to<std::string_view> Line>
[[nodiscard]] Ended run_command(const Line& line, const std::filesystem::path& folder = ".") {
  return run_command(words(line), folder);
}
template <std::convertible_to<std::string_view> Line>
Ended run_well(const Line& line, const std::filesystem::path& folder = ".") {
  return run_well(words(line), folder);
}
template <std::convertible_to<std::string_view> Line>
Ended run_quietly(const Line& line, const std::filesystem::path& folder = ".") {
  return run_quietly(words(line), folder);
}

}  // namespace alidade::testing
