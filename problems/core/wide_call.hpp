// Calls a loop as it is compiled for AVX2 where the processor has that, so that its sums take wider registers.
// For loops with the same bits whatever the width: sums lane by lane, and no fused multiply-add.
// The loop is a lambda marked __attribute__((always_inline)), and so is all that it calls.
#pragma once

#include "problems/core/instruction_set.hpp"

namespace alidade {

#if defined(__x86_64__)
template <class Loop>
[[gnu::target("avx2")]] auto call_with_avx2(const Loop& loop) {
  return loop();
}
#endif

template <class Loop>
auto call_wide(const Loop& loop) {
#if defined(__x86_64__)
  if (best_instruction_set() != InstructionSet::baseline) return call_with_avx2(loop);
#endif
  return loop();
}

}  // namespace alidade
