// Converts JSON text to and from Value: the form of rows, manifests and traces.
// RFC 8259; whole numbers stay whole, reals print with the fewest digits that read back equal, absent is null.
// JSON has no infinity or NaN: both are written as null and read back as nothing.
#pragma once

#include <string>
#include <string_view>

#include "problems/core/value.hpp"

namespace alidade {

/// The one value in `text`. Keys keep their order; whole numbers beyond 64 bits become reals. `file` and `first_line`
/// (the line of the file, from 1, on which `text` begins) are for messages.
/// @throws DataError "file:line: ..." on a syntax error, text that is not UTF-8, a duplicate key, a number beyond the
/// range of double, or nesting deeper than 200.
[[nodiscard]] Value parse_json(std::string_view text, std::string_view file, std::size_t first_line = 1);

/// One line without a newline; equal values give equal bytes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_json(const Value& value);

/// For human readers: indented by two blanks, lists of plain values on one line, a newline at the end.
[[nodiscard]] std::string to_pretty_json(const Value& value);

/// Whether a text is UTF-8, which JSON and TOML must be.
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace alidade
