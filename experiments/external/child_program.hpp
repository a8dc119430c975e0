// Runs a program in a folder and waits for its end, a time limit or a stop. No process of it stays behind.
// Its standard output and error go to the files "stdout.txt" and "stderr.txt" there; its standard input is empty.
// Limits of memory are those of this process.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade {

struct ChildProgram {
  std::filesystem::path program;
  std::vector<std::string> words;                                   // the program's name, then its arguments
  std::filesystem::path folder;                                     // to run in
  std::vector<std::pair<std::string, std::string>> environment{};   // variables to set besides the present ones
  std::optional<std::chrono::steady_clock::time_point> deadline{};  // of RunClock
  std::stop_token stop{};
};

struct ProgramEnd {
  enum class Asked { no, late, stopped } asked = Asked::no;  // whether it was told to end, and why
  int exit_status = 0;                                       // -1: ended by a signal
  int signal = 0;
  double wall_seconds = 0;
  double cpu_seconds = 0;  // of it and of the processes that it waited for
};

/// Told to end (SIGTERM), it has a second before it is killed, with all that it started, also in other sessions.
/// @throws DataError if no process can be started
[[nodiscard]] ProgramEnd run_program(const ChildProgram& child);

}  // namespace alidade
