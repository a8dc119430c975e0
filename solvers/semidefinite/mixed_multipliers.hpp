// The bound of a solver's last multipliers without the margin to prove one: that of a mixture with earlier ones.
// Interior point methods end at multipliers of a perturbed cost, or at singular ones; earlier ones are more interior.
// For programs whose rows do not bound the trace; where they do, any multipliers prove a bound.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "problems/programs/lower_bound.hpp"

namespace alidade {

/// How many of the latest earlier multipliers are of use; others need not be kept.
constexpr std::size_t kEarlierMultipliers = 12;

/// The bound of y, up to rounding. If y is not feasible enough, that of a mixture with the latest of the `earlier`
/// multipliers that is, with as little of them as suffices.
[[nodiscard]] std::optional<ProvenBound> bound_of_mixture(const SemidefiniteProgram& program, const Vector& y,
                                                          const std::vector<Vector>& earlier);

/// Multipliers that prove a bound with all rounding counted (bound_proof.hpp), near those of `proven`, which do up to
/// rounding; the same where rows bound the traces, or where none are found.
[[nodiscard]] Vector rigorous_multipliers(const SemidefiniteProgram& program, ProvenBound proven, const Vector& y,
                                          const std::vector<Vector>& earlier);

}  // namespace alidade
