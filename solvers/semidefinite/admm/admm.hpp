// Semidefinite programs of any kind by the boundary point method: alternating directions on the dual, first order.
// Povh, Rendl & Wiegele 2006; Wen, Goldfarb & Yin 2010; with Anderson acceleration (anderson.hpp). For programs of
// many constraints, such as theta, whose AA' is sparse. Each iteration decomposes X once: one thread, O(sum of n^3).
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct SemidefiniteProgram;

struct AdmmOptions {
  double tolerance = 1e-6;  // max(errors) <= tolerance and objective - bound <= tolerance (1 + |objective|)
  Index max_iter = 20'000;
  double mu = 1;            // W = C - A'(y) - mu X; S = W's positive part, the next X = its negative part / mu
  double relaxation = 1.6;  // X <- X + relaxation (next X - X)
  Index anderson_memory = 8;
  bool warm_start = true;
  double memory_gb = 4;
  [[nodiscard]] static const OptionList<AdmmOptions>& list();
};

/// Leaves X (positive semidefinite), y and Z in x. Where a bound is proven, y is what proves it and Z = C - A'(y). With
/// `warm_start`, and if x has X, y and Z of the program's sizes, it starts from X and Z.
///
/// Terminations: converged (the six DIMACS errors are at most `tolerance`, and the proven gap at most that times 1 +
/// |objective|); reduced_accuracy (the errors are, but no bound proves it); stalled (errors fall too slowly: another
/// solver has to be taken); max_iter, time_limit and cancelled (x is the best iterate that was measured); infeasible
/// and unbounded (x is unchanged but for its ray, which proves what the message says); backend_failure (x unchanged).
/// The certificate is the problem's own if it has one, otherwise lifted_bound(): with a trace_proof() of the rows, and
/// without one of a cost that is lowered by a small multiple of I. One thread; the same bits every time.
class Admm final : public WithOptions<Admm, Solver, AdmmOptions> {
 public:
  static constexpr std::string_view kName = "admm";
  explicit Admm(AdmmOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SemidefiniteFace>(); }
  /// @throws DataError on a program that require_valid refuses or without rows; ConfigError on one that exceeds
  /// memory_gb.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

  /// The bytes that X, Z, their differences and decompositions take with the default options; AA' is not among them.
  [[nodiscard]] static double predicted_bytes(const SemidefiniteProgram& program);
};

}  // namespace alidade
