// What it means that a semidefinite program is solved to a tolerance: for every solver that claims so, in one place.
// The errors are those of semidefinite_program.hpp, the bounds those of the certificate.
// Numbers that are not finite never meet a tolerance.
#pragma once

#include <cmath>
#include <optional>

#include "problems/programs/semidefinite_program.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// A solver stops by errors of its own, of the same kind but in other norms, and its multipliers have to move a little
/// to prove a bound. So measures may be this many times the tolerance.
constexpr double kMetWithin = 10;

/// Whether the six errors, relative to 1 + ||b||_2, 1 + ||C||_F and the objectives, meet the tolerance.
[[nodiscard]] inline bool met_by_errors(const SemidefiniteErrors& errors, double tolerance) {
  return errors.worst_by_norms <= kMetWithin * tolerance;
}

/// Whether there is a proven bound, and the objective is within the tolerance times the scale of gaps of it.
[[nodiscard]] inline bool met_by_bound(const std::optional<Certificate>& certificate, double tolerance) {
  return certificate && certificate->estimated_to() <= kMetWithin * tolerance * certificate->scale;
}

}  // namespace alidade
