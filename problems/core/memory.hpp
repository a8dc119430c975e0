// How much memory the machine has.
// Problems that need more than that say so before they begin, and name what to take instead.
// Limits of a process, such as ulimit -v, are not looked at: they end in std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "problems/core/index.hpp"

namespace alidade {

/// Bytes of main memory; 0 if unknown.
[[nodiscard]] std::uint64_t physical_memory();

/// @throws DataError if numbers of `bytes` for all n x n pairs need more than that. `instead`: what to take, "'tsne',
/// which keeps those of near pairs".
void require_room_for_pairs(std::string_view problem, Index n, std::size_t bytes, std::string_view instead);

}  // namespace alidade
