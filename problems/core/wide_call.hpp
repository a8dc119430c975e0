// Calls a lambda as it is compiled for an instruction set, so that its loops take registers of that width.
// The lambda is marked __attribute__((always_inline)), and so is all that it calls.
// call_wide() is for loops with the same bits whatever the width: sums lane by lane, and no fused multiply-add.
#pragma once

#include <type_traits>

#include "problems/core/instruction_set.hpp"

namespace alidade {

#if defined(__x86_64__)
template <class Loop>
[[gnu::target("avx2")]] auto call_with_avx2(const Loop& loop) {
  return loop();
}
template <class Kernel>
[[gnu::target("arch=x86-64-v3")]] auto call_with_32_bytes(const Kernel& kernel) {
  return kernel(std::integral_constant<int, 32>());
}
template <class Kernel>
[[gnu::target("arch=x86-64-v4")]] auto call_with_64_bytes(const Kernel& kernel) {
  return kernel(std::integral_constant<int, 64>());
}
#endif

template <class Loop>
auto call_wide(const Loop& loop, InstructionSet set = best_instruction_set()) {
#if defined(__x86_64__)
  if (set != InstructionSet::baseline) return call_with_avx2(loop);
#endif
  static_cast<void>(set);
  return loop();
}

/// kernel(bytes), `bytes` the constant number of bytes of the set's registers, as in
///   call_in_lanes(set, [&](auto bytes) __attribute__((always_inline)) { return sum_in_lanes<bytes>(numbers); });
template <class Kernel>
auto call_in_lanes(InstructionSet set, const Kernel& kernel) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return call_with_64_bytes(kernel);
  if (set == InstructionSet::avx2) return call_with_32_bytes(kernel);
#endif
  static_cast<void>(set);
  return kernel(std::integral_constant<int, 16>());
}

}  // namespace alidade
