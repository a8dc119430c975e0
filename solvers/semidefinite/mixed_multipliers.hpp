// The bound of a solver's last multipliers without the margin to prove one: that of a mixture with earlier ones.
// Interior point methods end at multipliers of a perturbed cost, or at singular ones; earlier ones are more interior.
// For programs whose rows do not bound the trace; where they do, any multipliers prove a bound.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "problems/programs/bound_proof.hpp"

namespace alidade {

/// How many of the latest earlier multipliers are of use; others need not be kept.
constexpr std::size_t kEarlierMultipliers = 12;

/// The bound of y. If y is not feasible enough, that of a mixture with the latest of the `earlier` multipliers that is,
/// with as little of them as suffices.
[[nodiscard]] std::optional<ProvenBound> bound_of_mixture(const SemidefiniteProgram& program, const Vector& y,
                                                          const std::vector<Vector>& earlier);

}  // namespace alidade
