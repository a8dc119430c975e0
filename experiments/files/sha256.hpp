// SHA-256 of bytes: how the data folder is checked.
// FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2.
// For bytes that are already in memory, and against mix-ups and damage rather than malice.
#pragma once

#include <string>
#include <string_view>

namespace alidade::datasets {

/// 64 lower-case hexadecimal digits. O(size).
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace alidade::datasets
