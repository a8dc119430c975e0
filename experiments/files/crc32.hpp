// The cyclic redundancy check of gzip and PNG.
// Polynomial and order of bits: RFC 1952, section 8.
// Defined in gzip_file.cpp, beside the library that computes it.
#pragma once

#include <cstdint>
#include <string_view>

namespace alidade {

/// O(length).
[[nodiscard]] std::uint32_t crc32_of(std::string_view bytes);

}  // namespace alidade
