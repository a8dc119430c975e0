// SHA-256 of bytes, to check the data folder.
// FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2.
// For bytes in memory; guards against mix-ups and damage rather than malice.
#pragma once

#include <string>
#include <string_view>

namespace alidade {

/// 64 lower-case hexadecimal digits. O(size).
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace alidade
