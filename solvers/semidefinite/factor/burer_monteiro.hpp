// Semidefinite programs of any kind by a factor of few columns, X = VV' block by block (x = v o v for numbers):
//   L(V) = <C, VV'> - y'r + sigma/2 |r|^2,  r = A(VV') - b,  then y <- y - sigma r.
// Burer & Monteiro 2003, "A nonlinear programming algorithm for solving semidefinite programs via low-rank
// factorization": L is minimised by L-BFGS with an exact line search along its quartic, then by truncated Newton steps.
// Memory and time grow with the entries of the program, not with the squares of its blocks. The problem in V is not
// convex; multipliers whose lower bound meets the objective prove the optimum, and the certificate's eigenvectors lead
// out of other stationary points.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct BurerMonteiroOptions {
  Index rank = 0;
  double tolerance = 1e-6;  // max(errors) <= tolerance and objective - bound <= tolerance (1 + |objective|)
  Index max_iter = 200;
  Index inner_iterations = 1000;  // fewer where |SV| |V| <= omega (1 + |objective|); omega falls with |r|
  Index memory = 6;
  double penalty_growth = 3;  // sigma <- penalty_growth sigma where |r| stays above a quarter of the least so far
  double memory_gb = 4;
  [[nodiscard]] static const OptionList<BurerMonteiroOptions>& list();
};

/// Starts from X and y if x has both, otherwise from random factors. Leaves factors of X and multipliers y in x; where
/// a bound is proven, y is what proves it.
///
/// Terminations: converged (the six DIMACS errors are at most `tolerance`, and the proven gap at most that times 1 +
/// |objective|); reduced_accuracy (the errors are, but no bound proves it); stalled (errors fall too slowly: another
/// solver has to be taken); max_iter, time_limit and cancelled (x is the best iterate that was measured); diverged (x
/// unchanged); infeasible and unbounded, proven or likely (x is unchanged but for its ray, which proves what the
/// message says). The certificate is the problem's own if it has one, otherwise lifted_bound(). One thread; the same
/// bits every time.
class BurerMonteiro final : public WithOptions<BurerMonteiro, Solver, BurerMonteiroOptions> {
 public:
  static constexpr std::string_view kName = "burer_monteiro";
  explicit BurerMonteiro(BurerMonteiroOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SemidefiniteFace>(); }
  /// @throws DataError on a program that require_valid refuses or without rows
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;
};

}  // namespace alidade
