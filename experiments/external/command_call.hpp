// One call of a command of the user's in the folder of its task: where its files are, its threads, its log, its end.
// For solvers that such commands are behind.
// Failures are sentences for the row; nothing is thrown for them.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/external/task_folder.hpp"
#include "problems/core/value.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

// Runs a program in a folder and waits for its end, a time limit or a stop. No process of it stays behind.
// Its standard output and error go to the files "stdout.txt" and "stderr.txt" there; its standard input is empty.
// Limits of memory are those of this process.
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

/// Whether word k of a command names a file: it is then called by its absolute path. Of a bare first word PATH decides.
[[nodiscard]] bool names_file(const std::vector<std::string>& command, std::size_t k);

/// @throws DataError unless there is such a program
void require_program(const std::string& name);

/// Runs the command in the folder until its end, the deadline or the stop of the context; `arguments` follow its own.
/// What it prints goes to the log. @throws DataError if it cannot be started
[[nodiscard]] ProgramEnd call_command(const std::vector<std::string>& command,
                                      const std::vector<std::string>& arguments, const TaskFolder& folder,
                                      SolveContext& context);

/// Why a command can have left no result; "" if it may have, and where it was ended by force, if `result` is there.
[[nodiscard]] std::string failure_of(const ProgramEnd& end, const std::filesystem::path& result);
/// "The command gave no map: WHY. Its last words: ...", of its standard error.
[[nodiscard]] std::string failure_text(std::string_view result, std::string_view why, const TaskFolder& folder);

/// SHA-256 of the files that the option `command` names; "" of none. @throws DataError if one cannot be read
[[nodiscard]] std::string checksum_of_command(const ValueTable& options);

/// The words of the option `command`.
[[nodiscard]] std::vector<std::string> words_of_command(const ValueTable& options);

}  // namespace alidade
