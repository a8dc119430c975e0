// JSON text to and from Value: the form of rows, manifests and traces.
// RFC 8259; whole numbers stay whole, reals print with the fewest digits that read back equal, absent is null.
// A number that is not finite has no JSON: it is written as null and comes back as nothing.
#pragma once

#include <string>
#include <string_view>

#include "problems/core/value.hpp"

namespace alidade {

/// The one value that `text` spells. Keys keep their order; whole numbers beyond 64 bits become reals.
/// `file` and `first_line` (1-based, the line of the file on which `text` begins) are for messages.
/// @throws DataError "file:line: ..." on a syntax error, text that is not UTF-8, a key given twice, a
/// number beyond the range of double, or nesting deeper than 200.
[[nodiscard]] Value parse_json(std::string_view text, std::string_view file, std::size_t first_line = 1);

/// One line without a newline; equal values give equal bytes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_json(const Value& value);

/// The same for human readers: two blanks a level, lists of plain values on one line, a newline at the end.
[[nodiscard]] std::string to_pretty_json(const Value& value);

}  // namespace alidade
