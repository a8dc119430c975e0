// Multiplicative updates: an unknown is multiplied by the ratio of the two halves of its gradient, x <- x (minus /
// plus)^e (Lee & Seung 2001). On a Euclidean block, the unknown y is the logarithm of z = exp(y), for which the same
// rule is y <- y + e ln(minus / plus); z is never formed. That rule has no natural step length; `step` and `exponent`
// set it.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct MultiplicativeOptions {
  /// scaled: ln(minus / plus) times the problem's unit of length for a coordinate; ratio: times 1, in the unit of the
  /// unknowns
  std::string step = "scaled";
  /// exponent of minus / plus; the safeguard starts with it and never exceeds it
  double exponent = 1;
  /// bound of |ln(minus / plus)|, needed because one half is 0 where all forces point to one side; 0: no bound
  double clip = 3;
  /// small number added to both halves
  double tiny = 1e-300;
  /// safeguard: while the objective would rise, halve the exponent and try again from the old point; after each step
  /// taken, raise it by a quarter
  bool safeguard = true;
  /// subtract the mean of each Euclidean column whose gradient sums to 0 over objects
  bool recentre = true;
  /// largest number of iterations; each is one step taken
  Index max_iter = 1000;
  /// converged when ten iterations change the objective by less than tolerance * objective
  double tolerance = 1e-5;
  /// number of starts; the lowest objective is kept
  Index n_init = 1;
  [[nodiscard]] static const OptionList<MultiplicativeOptions>& list();
};

/// One evaluation per iteration, and one more for each trial that the safeguard rejects. The safeguard keeps the
/// objective from rising. A Euclidean block is centred if that does not change its objective: if the gradient sums to
/// 0 over rows.
class Multiplicative final : public WithOptions<Multiplicative, PointSolver, MultiplicativeOptions> {
 public:
  static constexpr std::string_view kName = "multiplicative";
  explicit Multiplicative(MultiplicativeOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SplitGradientFace>(); }
  /// @throws UnsupportedPair if rows of the domain are neither Euclidean nor positive.

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double resolution() const override { return options_.tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

[[nodiscard]] SolverEntry multiplicative_entry();

}  // namespace alidade
