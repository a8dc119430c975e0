// Which vector instructions kernels use.
// Each set sums in another order, so that results differ in their last digits.
// Every kernel asks best_instruction_set(); benchmarks and tests name another set where a kernel takes one.
#pragma once

namespace alidade {

/// Instruction sets, by the bytes that a register holds.
enum class InstructionSet { baseline = 16, avx2 = 32, avx512 = 64 };

/// The widest set that this processor supports; `baseline` on other architectures. The environment variable
/// ALIDADE_INSTRUCTION_SET (baseline, avx2 or avx512) limits it, so that several machines give the same digits.
/// @throws ConfigError if the variable has another value
[[nodiscard]] InstructionSet best_instruction_set();

}  // namespace alidade
