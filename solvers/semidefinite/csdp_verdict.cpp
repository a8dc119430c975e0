#include "solvers/semidefinite/csdp_verdict.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/semidefinite/met_tolerance.hpp"

namespace alidade::csdp {
namespace {

bool finite(const SemidefiniteSolution& x) {
  return std::ranges::all_of(x.blocks, [](const auto& b) { return b.values.allFinite(); }) &&
         std::ranges::all_of(x.dual_blocks, [](const auto& b) { return b.allFinite(); }) && x.multipliers.allFinite();
}

Measured measured(const SemidefiniteProgram& program, const EqualityForm& form, SemidefiniteSolution raw) {
  Measured out{without_slacks(form, std::move(raw)), {}};
  if (finite(out.x)) out.errors = errors_of(program, out.x);
  return out;
}

}  // namespace

Verdict verdict_of(int code, const CsdpOptions& options) {
  switch (code) {
    case 0: return {Termination::converged, "optimal"};
    case 3:
      return {Termination::reduced_accuracy,
              "less accurate than asked (CSDP code 3); see the gap. Scale the constraints, or set "
              "a looser tolerance"};
    case 4:
      return {Termination::max_iter, fmt::format("{} iterations were not enough. Raise max_iter", options.max_iter)};
    case 5:
      return {Termination::stalled,
              "stuck at the primal boundary (CSDP code 5); the constraints may have no interior. "
              "Set a looser tolerance"};
    case 6:
      return {Termination::stalled,
              "stuck at the dual boundary (CSDP code 6); the dual may have no interior. Bound the "
              "trace, or set a looser tolerance"};
    case 7:
      return {Termination::stalled,
              "no more progress (CSDP code 7); the program may have no interior. Set a looser "
              "tolerance"};
    case 8:
      return {Termination::stalled,
              "singular matrices (CSDP code 8); constraints may depend on each other. Leave out "
              "those that follow from others"};
    case 9: return {Termination::backend_failure, "CSDP found numbers that are not finite (code 9). Scale the program"};
    default: return {Termination::backend_failure, fmt::format("CSDP ended with the unknown code {}", code)};
  }
}

Measured kept_iterate(const SemidefiniteProgram& program, const EqualityForm& form, Ended ended) {
  Measured last = measured(program, form, std::move(ended.last));
  if (ended.code != kStopped) return last;
  SemidefiniteSolution best = without_slacks(form, std::move(ended.best));
  const bool any = std::ranges::any_of(best.blocks, [](const auto& block) { return !block.values.isZero(0); });
  if (!any || !finite(best)) return last;  // there may be none yet
  const SemidefiniteErrors other = errors_of(program, best);
  if (last.errors && !(other.worst() < last.errors->worst())) return last;
  return {std::move(best), other};
}

Verdict corrected(Verdict verdict, const std::optional<SemidefiniteErrors>& errors, double tolerance) {
  constexpr double kMeaningless = 1e-2;
  if (!errors || std::isnan(errors->worst()))
    return {Termination::backend_failure, verdict.message + "; its solution has numbers that are not finite"};
  if (verdict.termination == Termination::stalled && errors->worst() > kMeaningless)
    return {Termination::backend_failure,
            fmt::format("{}; its solution has an error of {:.1g}", verdict.message, errors->worst())};
  if (verdict.termination == Termination::converged && !met_by_errors(*errors, tolerance))
    return {Termination::reduced_accuracy,
            fmt::format("CSDP reports convergence, but the largest relative error is {:.1g}. Scale the "
                        "constraints, or set a looser tolerance",
                        errors->worst_by_norms)};
  return verdict;
}

}  // namespace alidade::csdp
