// The whole text of a file, plain or gzip; its first two bytes decide, not its name.
// gzip as of RFC 1952, including several members in sequence.
// The whole text is held in memory, up to ReadingLimit; check sums and lengths of gzip members are verified.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace alidade {

/// @throws DataError, one line that names the file and says what to do, if it cannot be read, is a folder or empty, is
/// larger than ReadingLimit, or is gzip that is truncated, damaged or followed by other bytes.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// Unpacks gzip bytes; messages call them `name`. @throws DataError
[[nodiscard]] std::string unpack_gzip(std::string_view bytes, std::string_view name);

/// Unpacks a stream of zlib (RFC 1950); nothing if it is damaged. @throws DataError if it is larger than ReadingLimit
[[nodiscard]] std::optional<std::string> unpack_zlib(std::string_view bytes, std::string_view name);

/// Whether bytes begin like gzip.
[[nodiscard]] bool is_gzip(std::string_view bytes);

/// A file's bytes as stored; empty for an empty file. @throws DataError if unreadable.
[[nodiscard]] std::string read_bytes(const std::filesystem::path& path);

// The cyclic redundancy check of gzip and PNG.
// Polynomial and order of bits: RFC 1952, section 8.
// Defined in gzip_file.cpp, beside the library that computes it.

/// O(length).
[[nodiscard]] std::uint32_t crc32_of(std::string_view bytes);

}  // namespace alidade
