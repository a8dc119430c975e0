// Bytes of a text file as UTF-8, by the iconv of the C library.
// UTF-16 and UTF-32 are recognised by their mark, UTF-16 also by its zeros; XML may name its encoding.
// What is no text is refused by name, with the command that converts it: a workbook, a Parquet file, a picture.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace alidade {

/// The text in UTF-8, without a byte order mark at the begin of any line; a CR alone ends a line. Messages call it
/// `file`.
/// @throws DataError for a known binary format, for other bytes that are not text, and for text in another encoding
/// (Latin-1), which cannot be told from its bytes; the message has the line and a command that converts it.
[[nodiscard]] std::string as_utf8(std::string bytes, const std::string& file);

/// UTF-16 and UTF-32 in UTF-8, marks and line ends as in as_utf8(); other bytes as they are. @throws DataError if
/// damaged
[[nodiscard]] std::string without_mark(std::string bytes, const std::string& file);

/// Bytes of the character in UTF-8 at the begin of a text; 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// As read_text(), then as_utf8().
[[nodiscard]] std::string read_utf8(const std::filesystem::path& path);

}  // namespace alidade
