// Text for messages: nearest known names, escaping, numbers with all their digits.
// Distances are Damerau-Levenshtein on bytes; numbers print with the fewest digits that read back equal.
// Nothing here depends on the locale.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// The candidate closest to `name`, if `name` is likely a misspelling of it.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);

/// " Did you mean 'x'?" or, if nothing is near, " Known: a, b, c." (leading blank included).
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string> candidates);

[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

/// Shortest decimal text that reads back as the same double; "nan", "inf" or "-inf" for the others.
[[nodiscard]] std::string shortest(double value);

/// The double that the whole of `text` represents; empty if none. U+2212 is a minus sign; a number too near to 0 is 0,
/// and one too large is none.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

[[nodiscard]] std::string_view trim(std::string_view text);

/// 'A' to 'Z' as 'a' to 'z', every other byte as it is.
[[nodiscard]] constexpr char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
[[nodiscard]] std::string lower_ascii(std::string_view text);

}  // namespace alidade
