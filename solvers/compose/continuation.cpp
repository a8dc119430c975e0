// Continuation: follows the path of easier problems to a problem; solves each from the solution of the one before.
// [AG90] Allgower & Georg, "Numerical continuation methods"; graduated optimisation (Blake & Zisserman 1987).
// The trace covers all stages; easier ones have an objective, the problem's own, only at their ends. Returns the best
// solution by the objective of the problem itself.
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/faces/stages.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/compose/staged_solve.hpp"
#include "solvers/contract/option_texts.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {
namespace {

struct ContinuationOptions {
  Value solver;        // of each stage: { name = "ceres", ... }
  Value last_solver;   // of the last stage; null: `solver`
  Index n_stages = 0;  // 0: the problem's own path
  Index n_init = 1;
  ContinuationOptions();
  [[nodiscard]] static const OptionList<ContinuationOptions>& list() {
    static const auto kList =
        OptionList<ContinuationOptions>()
            .nested("solver", &ContinuationOptions::solver, "solver", "solver for each stage")
            .nested("last_solver", &ContinuationOptions::last_solver, "solver",
                    "solver for the last stage, the problem itself; by default the solver for each "
                    "stage")
            .integer("n_stages", &ContinuationOptions::n_stages, between(0, 1000),
                     "in place of the problem's option n_stages; 0: the problem's own")
            .integer("n_init", &ContinuationOptions::n_init, at_least(1), kStartsText);
    return kList;
  }
};

class Continuation final : public Solver {
 public:
  /// `lookup` finds the inner solvers.
  /// @throws ConfigError if the catalog does not have an inner solver, or one of its options is wrong.
  Continuation(const ContinuationOptions& options, SolverLookup lookup);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<StagesFace>(); }
  [[nodiscard]] std::string_view name() const override { return "continuation"; }
  [[nodiscard]] CapabilitySet needs() const override;
  [[nodiscard]] ValueTable resolved_options() const override;
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  Summary solve_one(const Problem& problem, Solution& x, SolveContext& context) const;
  Index n_stages_;
  Index n_init_;
  std::unique_ptr<Solver> inner_;
  std::unique_ptr<Solver> last_;  // null: inner_
};

ContinuationOptions::ContinuationOptions() {
  ValueTable inner;
  inner.set("name", "ceres");
  solver = std::move(inner);
}

Continuation::Continuation(const ContinuationOptions& options, SolverLookup lookup)
    : n_stages_(options.n_stages),
      n_init_(options.n_init),
      inner_(make_inner_solver(options.solver, "continuation", lookup)),
      last_(options.last_solver.is_null() ? nullptr : make_inner_solver(options.last_solver, "continuation", lookup)) {}

CapabilitySet Continuation::needs() const {
  return n_stages_ > 0 ? needed() | CapabilitySet::of<StageNumberFace>() : needed();
}

ValueTable Continuation::resolved_options() const {
  ValueTable out;
  out.set("solver", inner_solver_table(*inner_));
  out.set("last_solver", inner_solver_table(last_ ? *last_ : *inner_));
  out.set("n_stages", static_cast<std::int64_t>(n_stages_));
  out.set("n_init", static_cast<std::int64_t>(n_init_));
  return out;
}

Summary Continuation::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  std::vector<std::string> via;
  Problem adapted = require_fit(*this, problem, x, via);
  if (n_stages_ > 0) adapted = adapted.face<StageNumberFace>().with_n_stages(n_stages_);
  Summary out = best_of_starts(adapted, x, context, n_init_,
                               [&](Solution& start, SolveContext& c) { return solve_one(adapted, start, c); });
  out.via = std::move(via);
  return out;
}

Summary Continuation::solve_one(const Problem& problem, Solution& x, SolveContext& context) const {
  const StagesFace& path = problem.face<StagesFace>();
  StagedSolve whole(problem, x, context);
  const Index stages = path.stage_count();
  for (Index k = 0; k < stages; ++k) {
    const std::string stage = fmt::format("stage {} of {}", k + 1, stages);
    const Solver& solver = last_ && k + 1 == stages ? *last_ : *inner_;
    if (!whole.may_begin(stage) || !whole.run(solver, path.stage(k, whole.reached()), stage)) break;
  }
  return whole.finish();
}

}  // namespace

SolverEntry continuation_entry(SolverLookup lookup) {
  return solver_entry<Continuation, ContinuationOptions>(
      {.name = "continuation",
       .summary = "solves a sequence of easier stages of the problem and then the problem itself, "
                  "each by an inner solver",
       .reference = "Allgower & Georg 1990; Blake & Zisserman 1987",
       .description = "Solves the easier problems that a problem offers, one after another, each by an inner solver. "
                      "Its `n_stages` replaces the problem's option.",
       .by_schedule = true},
      lookup);
}

}  // namespace alidade
