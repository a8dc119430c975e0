// Majorisation: repeatedly minimises a bound that touches the objective at the current point (de Leeuw 1977; Hunter &
// Lange 2004); for the stress of distances this is SMACOF. There is no step length.
// The objective never rises: a step that raises it, by rounding alone, ends the solve at the point before.
#include <cmath>
#include <deque>
#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/option_texts.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {
namespace {

struct MajorizationOptions {
  Index max_iter = 1000;
  double tolerance = 1e-5;
  double relaxation = 1;
  Index n_init = 1;
  [[nodiscard]] static const OptionList<MajorizationOptions>& list() {
    using O = MajorizationOptions;
    static const OptionList<O> kList =
        OptionList<O>()
            .integer("max_iter", &O::max_iter, between(0, 1e9),
                     "largest number of iterations; each minimises one bound")
            .real("tolerance", &O::tolerance, at_least(0), kIdleText)
            .real("relaxation", &O::relaxation, between(1, 2),
                  "step x + relaxation * (minimiser - x); values above 1 are faster; a step that "
                  "would raise the objective uses 1 instead")
            .integer("n_init", &O::n_init, at_least(1), kStartsText);
    return kList;
  }
};

class Majorization final : public WithOptions<Majorization, PointSolver, MajorizationOptions> {
 public:
  static constexpr std::string_view kName = "majorization";
  explicit Majorization(MajorizationOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<MajorizerFace>(); }

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double resolution() const override { return options_.tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

Summary Majorization::solve_one(PointSolve& run) const {
  // At twice the step a quadratic bound is no higher than at its start; a curved domain has no such line.
  const double relaxation = run.domain().is_euclidean() ? options_.relaxation : 1;
  run.record_start();
  if (auto end = run.ended_at_start()) return *std::move(end);

  Point minimiser = run.x, next = run.x;
  std::deque<double> recent = {run.initial_objective()};
  for (Index iteration = 1; iteration <= run.left_of(options_.max_iter); ++iteration) {
    if (auto end = run.stopped(iteration)) return *std::move(end);
    const double before = recent.back();
    run.problem().minimize_majorizer(run.x, minimiser);
    double after = 0;
    bool taken = false;
    if (relaxation > 1) {
      next.vector() = run.x.vector() + relaxation * (minimiser.vector() - run.x.vector());
      after = run.problem().objective(next);
      taken = after <= before;
    }
    if (!taken) {
      std::swap(next, minimiser);
      after = run.problem().objective(next);
      taken = after <= before;
    }
    if (!taken)
      return std::isfinite(after) ? run.finish(Termination::converged,
                                               "Converged: the objective falls no further at this floating-point "
                                               "precision.")
                                  : run.finish(Termination::diverged, "The minimiser of the bound is not finite.");
    std::swap(run.x, next);
    ++run.counts().iterations;
    run.record(iteration, after, kUnknown, run.x);
    recent.push_back(after);
    if (recent.size() <= kJudgedIterations) continue;
    if (recent.front() - after <= options_.tolerance * std::abs(after) &&
        (options_.tolerance > 0 || recent.front() == after))
      return run.finish(Termination::converged, PointSolve::idle_text(options_.tolerance));
    recent.pop_front();
  }
  return run.finish_iterations(options_.max_iter);
}

}  // namespace

SolverEntry majorization_entry() {
  return solver_entry<Majorization>(
      {.summary = "majorization (MM): repeatedly minimises an upper bound that touches the "
                  "objective; needs no step size",
       .reference = "de Leeuw 1977; Hunter & Lange 2004; de Leeuw & Heiser 1980",
       .description = "Minimises an upper bound that touches the objective at the current point, and repeats. The "
                      "objective never rises. `relaxation` up to 2 goes beyond the minimiser."});
}

}  // namespace alidade
