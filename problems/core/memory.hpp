// How much memory the machine has.
// Problems that need more than that say so before they begin, and name what to take instead.
// Limits of a process, such as ulimit -v, are not looked at: they end in std::bad_alloc.
#pragma once

#include <cstdint>

namespace alidade {

/// Bytes of main memory; 0 if unknown.
[[nodiscard]] std::uint64_t physical_memory();

}  // namespace alidade
