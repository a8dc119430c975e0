// Reading a TOML configuration into a Table with places, overriding it, and writing it back.
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

/// The file, on top of the one that it names by `include = "shared.toml"` (relative to it) if it does: its own keys
/// replace those of the other, tables key by key, lists such as [[dataset]] as a whole. That one may include another.
/// `overrides` as of apply_override go on top of all; an include among them is relative to the current folder and
/// stands for the file's own.
/// @throws DataError if the file can not be read; ConfigError "file:line:column: ..." on bad TOML and on an include
/// that is not there or comes back to a file that it came from.
[[nodiscard]] Table read_config(const std::filesystem::path& file, std::span<const std::string> overrides = {});
/// One text by itself; an `include` stays in it.
[[nodiscard]] Table parse_config(std::string_view text, const std::string& file);

/// TOML text that parses to an equal table, keys in the same order (tables below the second level and lists
/// on one line); null entries are left out.
[[nodiscard]] std::string to_toml(const Table& table);

/// Applies "path=value", as in --set: "repeats=3", "problem.ete.t=[1,2]", "method.0.solver.max_iter=50"
/// (lists by index, from 0). @throws ConfigError, and leaves `config` as it was.
void apply_override(Table& config, std::string_view assignment);

/// In (0, 1e9] seconds; at least one byte, at most 2^60. @throws ConfigError naming the place.
[[nodiscard]] double seconds_of(const Value& value);
[[nodiscard]] std::uint64_t bytes_of(const Value& value);

}  // namespace alidade
