// Sequence: runs solvers one after another on the same problem, each from the end of the one before.
// Cheap noisy steps find the right valley, exact ones its bottom: L. Bottou, "Large-scale machine learning with
// stochastic gradient descent" (2010), section 4, on hybrids of stochastic and batch steps.
// The trace covers all parts. Returns the best end of a part by the objective.
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/compose/staged_solve.hpp"
#include "solvers/contract/option_texts.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {
namespace {

struct SequenceOptions {
  Value solvers;  // [ { name = "riemannian_sgd", ... }, { name = "ceres", ... } ], two or more
  Index n_init = 1;
  SequenceOptions();
  [[nodiscard]] static const OptionList<SequenceOptions>& list() {
    static const auto kList = OptionList<SequenceOptions>()
                                  .nested("solvers", &SequenceOptions::solvers, "list of solvers",
                                          "two or more solvers; each starts from the solution of "
                                          "the one before")
                                  .integer("n_init", &SequenceOptions::n_init, at_least(1), kStartsText);
    return kList;
  }
};

class Sequence final : public Solver {
 public:
  /// `lookup` finds the inner solvers.
  /// @throws ConfigError unless at least two solvers of the catalog are listed, with valid options.
  Sequence(const SequenceOptions& options, SolverLookup lookup);

  /// The needs of the default parts, riemannian_sgd and ceres.
  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<FiniteSumFace, SmoothFace, Borderless>(); }
  [[nodiscard]] std::string_view name() const override { return "sequence"; }
  /// The union of the needs of its parts.
  [[nodiscard]] CapabilitySet needs() const override;
  [[nodiscard]] ValueTable resolved_options() const override;
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  Index n_init_;
  std::vector<std::unique_ptr<Solver>> parts_;
};

SequenceOptions::SequenceOptions() {
  ValueTable first, second;
  first.set("name", "riemannian_sgd");
  second.set("name", "ceres");
  solvers = ValueArray{std::move(first), std::move(second)};
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

}  // namespace

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
