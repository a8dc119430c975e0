// Semidefinite programs by CSDP 6.2: a primal-dual interior point method, silent; in a copy of the process where its
// steps are long. Borchers 1999 (CSDP); Helmberg, Rendl, Vanderbei & Wolkowicz 1996 (the direction). Inequalities get
// slacks in one diagonal block. One solve at a time in a process: others wait for it, minding their own deadlines. The
// Schur matrix is dense, 8 m^2 bytes for m rows, and costs m^3 / 3 operations an iteration: for few thousand rows.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct SemidefiniteProgram;

struct CsdpOptions {
  double tolerance = 1e-8;
  Index max_iter = 100;
  double memory_gb = 4;
  bool warm_start = true;
  double warm_shift = 1e-2;
  Index blas_threads = 1;
  [[nodiscard]] static const OptionList<CsdpOptions>& list();
};

/// Leaves X, y and Z in x. Starts from x where that has X, y and Z of the program's sizes (and `warm_start`): X + s I
/// and Z + s I, with s = warm_shift times the mean eigenvalue, more where a block is not positive definite; else from
/// multiples of I, whatever x is; so again after a warm start that did not converge. x may be a SemidefiniteSolution
/// without blocks.
///
/// Terminations: converged; reduced_accuracy and stalled (x is the best iterate; the errors in the message and the
/// certificate say what it is worth); max_iter; time_limit and cancelled (x is the better of the last and the best
/// iterate; a long iteration is cut short, a short one ends); infeasible (x unchanged; the message says whether rows
/// contradict each other or the objective has no lower bound, and how surely); backend_failure (x unchanged).
/// The certificate is the problem's own where it has one (all rows of a separation oracle), else lower_bound() of the
/// multipliers in x or, where that gives none, of a mixture with those of an earlier iteration that are further inside.
class Csdp final : public Solver {
 public:
  explicit Csdp(const CsdpOptions& options);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SemidefiniteFace>(); }
  [[nodiscard]] std::string_view name() const override { return "csdp"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] Table resolved_options() const override;
  /// @throws DataError on a program that require_valid refuses, without rows, or with numbers that overflow;
  /// ConfigError on one that is beyond memory_gb or beyond CSDP's indices, and where the build has no CSDP.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

  /// What a solve allocates at most, in bytes, of which 8 m^2 for the Schur matrix. O(entries).
  [[nodiscard]] static double predicted_bytes(const SemidefiniteProgram& program);

 private:
  CsdpOptions options_;
};

[[nodiscard]] SolverEntry csdp_entry();

}  // namespace alidade
