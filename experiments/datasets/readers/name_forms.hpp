// Spellings of a name: one that a person reads as another may be other bytes.
// Numbers are compared by their digits, never as floating-point numbers: ids of 17 digits differ.
// Unicode's forms are those of utf8proc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace alidade::datasets {

/// The text in Unicode's normal form C, in which names are stored: "é" is one character. Bytes that are not UTF-8 stay.
[[nodiscard]] std::string composed(std::string_view name);

/// The plain spelling of a decimal number, with Unicode or ASCII blanks around it: "3" for 3.0, 003, +3 and 0.3e1.
/// Nothing for other text, for infinity and NaN, and for numbers of more than 40 digits.
[[nodiscard]] std::optional<std::string> plain_number(std::string_view name);

/// Whether a number is written with zeros that its value does not need in front, as codes are: 007.
[[nodiscard]] bool is_zero_filled(std::string_view number);

/// Equal for names that differ only in number format, case, spaces, quotes or Unicode form (as fullwidth letters do).
/// A space between two digits counts: "item 1 2" is not "item 12".
[[nodiscard]] std::string reading_of(std::string_view name);

/// What tells two names of one reading apart: "number format", "case", "spaces", "quotes", "Unicode form", or "case,
/// spaces or quotes" for several. @pre reading_of(a) == reading_of(b)
[[nodiscard]] std::string_view difference_of(std::string_view a, std::string_view b);

}  // namespace alidade::datasets
