// The checksum that a row's line has of itself, as its last field: "check":"<16 hexadecimal digits>".
// It is the beginning of the SHA-256 of the line without this field. It is verified on the text, so that a changed
// digit is noticed even if the number reads back the same.
// Rows of earlier versions have none.
#pragma once

#include <string>
#include <string_view>

namespace alidade {

/// `line`, a JSON object that is not empty and has no checksum, with the checksum as its last field.
[[nodiscard]] std::string with_checksum(std::string_view line);

/// `line`, a JSON object that is not empty, with one more field. @pre neither text needs an escape
[[nodiscard]] std::string with_text_field(std::string_view line, std::string_view name, std::string_view text);

enum class LineChecksum { none, right, wrong };
/// What the checksum at the end of a line says of the line. Blanks after the line do not count. O(size).
[[nodiscard]] LineChecksum checksum_of(std::string_view line);

}  // namespace alidade
