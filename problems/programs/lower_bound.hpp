// The lower bound of lower_bound() (semidefinite_program.hpp) with multipliers that prove it.
// Up to rounding: bound_proof.hpp counts all of it.
// As elsewhere, y has one multiplier per constraint, and Z = C - sum y_r A_r.
#pragma once

#include <optional>

#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

/// A lower bound and multipliers that prove it by themselves: b'y is the value and Z = C - sum y_r A_r is positive
/// semidefinite, both up to rounding. Where only a promised trace bound gives a value, Z is not semidefinite.
struct ProvenBound {
  double value = 0;
  Vector multipliers;
};
/// lower_bound() with its multipliers: y, moved along the rows that bound traces until Z is positive semidefinite.
[[nodiscard]] std::optional<ProvenBound> proven_bound(const SemidefiniteProgram& program, const Vector& y);

}  // namespace alidade
