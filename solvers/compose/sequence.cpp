#include "solvers/compose/sequence.hpp"

#include "problems/core/error.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/compose/staged_solve.hpp"

namespace alidade {

SequenceOptions::SequenceOptions() {
  ValueTable first, second;
  first.set("name", "riemannian_sgd");
  second.set("name", "ceres");
  solvers = ValueArray{std::move(first), std::move(second)};
}

const OptionList<SequenceOptions>& SequenceOptions::list() {
  static const auto kList =
      OptionList<SequenceOptions>()
          .nested("solvers", &SequenceOptions::solvers, "list of solvers",
                  "two or more solvers; each starts from the solution of "
                  "the one before")
          .integer("n_init", &SequenceOptions::n_init, at_least(1), "number of starts; the lowest objective is kept");
  return kList;
}

Sequence::Sequence(const SequenceOptions& options, SolverLookup lookup)
    : n_init_(options.n_init), parts_(make_inner_solvers(options.solvers, 2, "sequence", lookup)) {}

CapabilitySet Sequence::needs() const {
  CapabilitySet out;
  for (const auto& part : parts_) out |= part->needs();
  return out;
}

ValueTable Sequence::resolved_options() const {
  ValueArray parts;
  for (const auto& part : parts_) parts.emplace_back(inner_solver_table(*part));
  ValueTable out;
  out.set("solvers", std::move(parts));
  out.set("n_init", static_cast<std::int64_t>(n_init_));
  return out;
}

Summary Sequence::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  const auto solve_one = [&](const Problem& adapted, Solution& start, SolveContext& c) {
    StagedSolve whole(adapted, start, c);
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const std::string part = fmt::format("part {} of {}, {}", k + 1, parts_.size(), parts_[k]->name());
      if (!whole.may_begin(part) || !whole.run(*parts_[k], adapted, part)) break;
    }
    return whole.finish();
  };
  return best_of_starts(*this, problem, x, context, n_init_, solve_one);
}

SolverEntry sequence_entry(SolverLookup lookup) {
  return solver_entry<Sequence, SequenceOptions>(
      {.name = "sequence",
       .summary = "runs several solvers one after another, each from the solution of the one "
                  "before; the problems shown are those that fit its default solvers",
       .reference = "Bottou 2010, stochastic steps first and then batch ones",
       .description = "Runs two or more `solvers`, each from the point where the last one ended. Default: stochastic "
                      "gradient descent, then L-BFGS. Keeps the end with the lowest objective. Needs what its solvers "
                      "need together.",
       .by_schedule = true},
      lookup);
}

}  // namespace alidade
