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
  std::string step = "scaled";
  double exponent = 1;
  double clip = 3;
  double tiny = 1e-300;
  bool safeguard = true;
  bool recentre = true;
  Index max_iter = 1000;
  double tolerance = 1e-5;
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

}  // namespace alidade
