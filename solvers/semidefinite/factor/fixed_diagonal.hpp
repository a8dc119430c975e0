// Programs that fix the diagonal of X, such as max-cut, by a factor of few columns: X = VV', rows of V on spheres.
// Burer & Monteiro 2003; Wang, Chang & Kolter 2017 (mixing method), then truncated Newton steps (Absil, Baker &
// Gallivan 2007). C stays sparse. Multipliers have a closed form; a Cholesky factor proves the lower bound.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct FixedDiagonalOptions {
  Index rank = 0;
  double tolerance = 1e-6;  // objective - bound <= tolerance (1 + |objective|)
  Index max_iter = 60;
  Index sweeps = 10000;
  double memory_gb = 2;
  [[nodiscard]] static const OptionList<FixedDiagonalOptions>& list();
};

/// Starts from random rows. Leaves V and multipliers y in x with C - A'(y) positive semidefinite, so that b'y is the
/// proven lower bound. The upper bound is the objective of V, whose rows have their lengths.
///
/// Terminations: converged (the proven gap is at most `tolerance` times 1 + |objective|); max_iter, time_limit and
/// cancelled (x is usable, the certificate holds: the best bound so far, or one more if a factor takes at most two
/// seconds; some time before the deadline is kept for it); reduced_accuracy (the factor would not fit in memory_gb, so
/// the bound proven is a coarse one). One thread; the same bits every time.
class FixedDiagonalSolver final : public WithOptions<FixedDiagonalSolver, Solver, FixedDiagonalOptions> {
 public:
  static constexpr std::string_view kName = "fixed_diagonal";
  explicit FixedDiagonalSolver(FixedDiagonalOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SemidefiniteFace>(); }
  /// @throws DataError on a program of another shape
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;
};

}  // namespace alidade
