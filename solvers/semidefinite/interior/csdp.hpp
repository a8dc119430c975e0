// Semidefinite programs by CSDP 6.2, a primal-dual interior point method, silenced. Where its steps are long and the
// context has a deadline or can be stopped, it runs in a forked process, if the context may_fork. Borchers 1999 (CSDP);
// Helmberg, Rendl, Vanderbei & Wolkowicz 1996 (the direction). Inequalities get slacks in one diagonal block. One solve
// at a time per process: others wait for it, minding their own deadlines. The Schur matrix is dense, 8 m^2 bytes for m
// rows, and costs m^3 / 3 operations per iteration: for a few thousand rows.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct SemidefiniteProgram;

struct CsdpOptions {
  double tolerance = 1e-8;  // |A(X) - b| / (1 + |b|), |C - A'(y) - Z| / (1 + |C|) and the gap <= tolerance
  Index max_iter = 100;
  double memory_gb = 4;
  bool warm_start = true;
  double warm_shift = 1e-2;  // X + s I and Z + s I with s = warm_shift mean eigenvalue
  Index blas_threads = 1;
  [[nodiscard]] static const OptionList<CsdpOptions>& list();
};

/// Leaves X, y and Z in x. With `warm_start`, and if x has X, y and Z of the program's sizes, it starts from X + s I
/// and Z + s I, with s = warm_shift times the mean eigenvalue, more if a block is not positive definite. Otherwise, and
/// after a warm start that did not converge, it starts from multiples of I, whatever x is. x may be a
/// SemidefiniteSolution without blocks.
///
/// Terminations: converged (the errors and the certificate meet the tolerance, see semidefinite_run.hpp);
/// reduced_accuracy and stalled (x is the best iterate; the errors in the message and the
/// certificate say how good it is); max_iter; time_limit and cancelled (x is the better of the last and the best
/// iterate; a long iteration is cut short, a short one completes); infeasible (rows contradict each other) and
/// unbounded (the objective has no lower bound, or no multipliers prove one), both with x unchanged but for its ray and
/// a message that says how surely; backend_failure (x unchanged).
/// The certificate is the problem's own if it has one (all rows of a separation oracle). Otherwise it is proven_bound()
/// of the multipliers in x or, if that is empty, of a mixture with more interior multipliers of an earlier iteration;
/// x.proof has the multipliers that prove it.
class Csdp final : public WithOptions<Csdp, Solver, CsdpOptions> {
 public:
  static constexpr std::string_view kName = "csdp";
  explicit Csdp(CsdpOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SemidefiniteFace>(); }
  /// @throws DataError on a program that require_valid refuses, without rows, or with numbers that overflow;
  /// ConfigError on one that exceeds memory_gb or CSDP's indices, and if the build has no CSDP.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

  /// SolverEntry::missing.
  [[nodiscard]] static std::string_view missing();
  /// The most bytes that a solve allocates, including 8 m^2 for the Schur matrix. O(entries).
  [[nodiscard]] static double predicted_bytes(const SemidefiniteProgram& program);
};

}  // namespace alidade
