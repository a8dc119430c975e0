// Where the shell would find a program.
// By PATH, as it is in the environment of this process.
// Nothing is run.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace alidade {

/// The first file of this name on PATH that may be run; of a name with a slash, the file itself, as an absolute path.
[[nodiscard]] std::optional<std::filesystem::path> program_path(std::string_view name);

}  // namespace alidade
