// Programs that this one calls: where the shell would find one, and a call that waits for its end.
// By PATH, as it is in the environment of this process. Programs with a limit of time: external/command_call.hpp.
// A call has this process's standard input and error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// The first file of this name on PATH that may be run; of a name with a slash, the file itself, as an absolute path.
[[nodiscard]] std::optional<std::filesystem::path> program_path(std::string_view name);

/// Runs words[0] as `program`, by PATH unless it has a slash, with the other words, and waits. Whether it ended with
/// status 0; `printed` gets its standard output, which otherwise is that of this process.
/// @throws DataError if it cannot be started
[[nodiscard]] bool succeeds(const std::string& program, std::vector<std::string> words, std::string* printed = nullptr);

}  // namespace alidade
