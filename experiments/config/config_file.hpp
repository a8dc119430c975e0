// Reading a TOML configuration into a ValueTable with places, overriding it, and writing it back.
// toml++ stays in config_file.cpp.
// Durations ("120s", "2min", "1h", or seconds) and sizes ("2GB", "512MB", or bytes; 1 MB = 2^20) are text or numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "problems/core/value.hpp"

namespace alidade {

/// Reads the file. If it has `include = "shared.toml"` (a path relative to it), its keys replace those of the included
/// file: tables key by key, lists such as [[dataset]] as a whole. Included files may include others.
/// `overrides` (see apply_override) replace keys of all files. An include among them replaces the file's own and is
/// relative to the current folder.
/// @throws DataError if the file cannot be read; ConfigError "file:line:column: ..." on bad TOML, on a missing include
/// and on a circular one.
[[nodiscard]] ValueTable read_config(const std::filesystem::path& file, std::span<const std::string> overrides = {});
/// Parses one text; an `include` stays in it.
[[nodiscard]] ValueTable parse_config(std::string_view text, const std::string& file);

/// TOML text that parses to an equal table, with keys in the same order. Lists and tables below the second level take
/// one line. Null entries are left out.
[[nodiscard]] std::string to_toml(const ValueTable& table);

/// Applies "path=value", as in --set: "repeats=3", "problem.ete.t=[1,2]", "method.0.solver.max_iter=50" (list indices
/// start at 0). @throws ConfigError; then `config` is unchanged.
void apply_override(ValueTable& config, std::string_view assignment);

/// In (0, 1e9] seconds; at least one byte, at most 2^60. @throws ConfigError naming the place.
[[nodiscard]] double seconds_of(const Value& value);
[[nodiscard]] std::uint64_t bytes_of(const Value& value);

}  // namespace alidade
