// What a call of CSDP was worth: its code in words, the iterate to keep, and the verdict after measuring its errors.
// CSDP's own verdict is believed only where the errors that Alidade measures allow it.
// Called only in a build with CSDP.
#pragma once

#include <optional>
#include <string>

#include "problems/programs/semidefinite_program.hpp"
#include "solvers/semidefinite/csdp_call.hpp"

namespace alidade::csdp {

/// CSDP's verdict in words ("optimal" and so on), with advice.
struct Verdict {
  Termination termination = Termination::backend_failure;
  std::string message;
};

[[nodiscard]] Verdict verdict_of(int code, const CsdpOptions& options);

/// An iterate and its errors; no errors if it has numbers that are not finite.
struct Measured {
  SemidefiniteSolution x;
  std::optional<SemidefiniteErrors> errors;
};

/// The last iterate. If CSDP was stopped, which may happen after its best iterate, the better of the two.
[[nodiscard]] Measured kept_iterate(const SemidefiniteProgram& program, const EqualityForm& form, Ended ended);

/// CSDP's verdict, corrected by the measured errors.
[[nodiscard]] Verdict corrected(Verdict verdict, const std::optional<SemidefiniteErrors>& errors, double tolerance);

}  // namespace alidade::csdp
