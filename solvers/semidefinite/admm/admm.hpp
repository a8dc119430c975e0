// Semidefinite programs of any kind by the boundary point method: alternating directions on the dual, first order.
// Povh, Rendl & Wiegele 2006; Wen, Goldfarb & Yin 2010; with Anderson acceleration. For programs of
// many constraints, such as theta, whose AA' is sparse. Each iteration decomposes X once: one thread, O(sum of n^3).
#pragma once

namespace alidade {

struct SemidefiniteProgram;

/// The bytes that X, Z, their differences and decompositions of `admm` take with the default options; AA' is not among
/// them.
[[nodiscard]] double admm_bytes(const SemidefiniteProgram& program);

}  // namespace alidade
