// One call of a command of the user's in the folder of its task: where its files are, its threads, its log, its end.
// For solvers that such commands are behind.
// Failures are sentences for the row; nothing is thrown for them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/external/child_program.hpp"
#include "experiments/external/task_folder.hpp"
#include "problems/core/value.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

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
