// A solver added to the catalog, as solvers/adding.md explains it, and what the tests of solvers ask of it.
#include <doctest/doctest.h>

// [example]
// Steepest descent with a step that is halved until the objective falls, and doubled after a step taken.
// Armijo 1966: a step is taken if it lowers f by at least a ten-thousandth of what the slope promises.
// State lives on the stack of solve_one(), so that one solver can serve several solves at once.
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct HalvingOptions {
  Index max_iter = 1000;
  double tolerance = 1e-8;
  Index n_init = 1;
  static const OptionList<HalvingOptions>& list() {
    static const auto kList =
        OptionList<HalvingOptions>()
            .integer("max_iter", &HalvingOptions::max_iter, at_least(0), "steps taken")
            .real("tolerance", &HalvingOptions::tolerance, at_least(0),
                  "converged when the gradient is below this times the longest met")
            .integer("n_init", &HalvingOptions::n_init, at_least(1),
                     "starts; the lowest objective is kept");
    return kList;
  }
};

class Halving final : public WithOptions<Halving, PointSolver, HalvingOptions> {
 public:
  static constexpr std::string_view kName = "halving";
  explicit Halving(HalvingOptions options) : WithOptions(options) {}
  static CapabilitySet needed() { return CapabilitySet::of<SmoothFace>(); }

 private:
  Index start_count() const override { return options_.n_init; }

  Summary solve_one(PointSolve& run) const override {
    run.record_start();  // every solver records where it began
    if (auto end = run.ended_at_start()) return *std::move(end);
    const Domain& domain = run.domain();
    Point gradient = domain.zero(), direction = domain.zero(), step = domain.zero(), next = run.x;
    double value = run.problem().value_and_gradient(run.x, gradient), length = 0;
    for (Index iteration = 1; iteration <= run.left_of(options_.max_iter); ++iteration) {
      domain.gradient(run.x, gradient, direction);
      const double norm = domain.norm(run.x, direction);
      if (norm <= options_.tolerance * run.problem().longest_gradient())
        return run.finish(Termination::converged, "The gradient is below the tolerance.");
      if (iteration == 1) length = 0.1 * std::max(run.x.vector().norm(), 1e-3) / norm;
      for (;; length /= 2) {
        if (auto end = run.stopped(iteration)) return *std::move(end);
        if (length * norm < 1e-300)
          return run.finish(Termination::stalled, "No step lowers the objective.");
        step.vector() = -length * direction.vector();
        run.problem().retract(run.x, step, next);
        const double after = run.problem().value_and_gradient(next, gradient);
        if (after > value - 1e-4 * length * norm * norm || !std::isfinite(after)) continue;
        run.x = next;
        value = after;
        break;
      }
      length *= 2;
      ++run.counts().iterations;
      run.record(iteration, value, norm, run.x);
    }
    return run.finish(Termination::max_iter, "All iterations done.");
  }
};

// solvers/catalog.cpp names it.
SolverEntry halving_entry() {
  return solver_entry<Halving>(
      {.summary = "steepest descent, its step halved until the objective falls",
       .reference = "Armijo 1966"});
}

}  // namespace alidade
// [example]

#include "problems/catalog.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/solve_case.hpp"

namespace {

using namespace alidade;
using namespace alidade::testing;

TEST_CASE("the example of a solver keeps the promises of solvers") {
  Rng rng(1);
  const Observations data = gaussian_observations(20, 2, rng);
  const Problem problem = problem_catalog().at("ste").make(data, ValueTable{});
  const auto solver = halving_entry().make(ValueTable{});
  const Solution start = problem.start(rng);
  const Outcome end = solve(*solver, problem, start);
  CHECK(end.summary.usable());
  CHECK(end.summary.objective < 0.5 * end.summary.initial_objective);
  CHECK(end.summary.objective == objective_of(problem, end.x));
  CHECK(end.summary.counts.iterations > 0);
  for (std::size_t k = 1; k < end.summary.trace.size(); ++k)
    CHECK(end.summary.trace[k].objective <= end.summary.trace[k - 1].objective);
  CHECK(std::get<Point>(solve(*solver, problem, start, {.threads = 2}).x).vector() ==
        std::get<Point>(end.x).vector());
  const Outcome stopped = solve(*solver, problem, start, {.stopped_before = true});
  CHECK(stopped.summary.termination == Termination::cancelled);
  CHECK(std::get<Point>(stopped.x).vector() == std::get<Point>(start).vector());
}

}  // namespace
