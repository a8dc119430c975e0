// Integer types: an index, the number of an object, and the subscript of a standard container.
// Separate from types.hpp, so that a source without matrices need not spend two seconds compiling Eigen.
// subscript(i) is the subscript of a std::vector for an Index i.
#pragma once

#include <cstddef>
#include <cstdint>

namespace alidade {

using Index = std::ptrdiff_t;    // Eigen's; see types.hpp
using ObjectId = std::uint32_t;  // 0 .. n-1; n < 2^32

/// Converts a nonnegative index to the subscript of a standard container.
[[nodiscard]] constexpr std::size_t subscript(Index i) { return static_cast<std::size_t>(i); }

}  // namespace alidade
