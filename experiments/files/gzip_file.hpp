// The whole text of a file, plain or gzip: which of the two its first two bytes say, not its name.
// gzip as of RFC 1952, several members one after another included.
// The text is held in memory at once; check sums and lengths of gzip members are verified.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

namespace alidade::datasets {

/// @throws DataError, one line that names the file and says what to do, if it cannot be read, is a
/// folder, is empty, or is gzip that is cut short, damaged or followed by something else.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// The content of gzip bytes; `name` stands for the file in messages. @throws DataError, also where it would have more
/// than `largest` bytes
[[nodiscard]] std::string unpack_gzip(std::string_view bytes, std::string_view name,
                                      std::size_t largest = std::numeric_limits<std::size_t>::max());

/// Whether bytes begin as gzip does.
[[nodiscard]] bool is_gzip(std::string_view bytes);

/// The bytes of a file as they lie there; empty for an empty file. @throws DataError if unreadable.
[[nodiscard]] std::string read_bytes(const std::filesystem::path& path);

}  // namespace alidade::datasets
