#include "solvers/compose/inner_solver.hpp"

#include <cmath>

#include "problems/core/error.hpp"

namespace alidade {

std::unique_ptr<Solver> make_inner_solver(const Value& value, std::string_view owner, SolverLookup lookup) {
  const auto [name, options, at] = named_options(value, owner, "solver", "ceres");
  return lookup(name, at.prefix()).make(options);
}

std::vector<std::unique_ptr<Solver>> make_inner_solvers(const Value& value, std::size_t fewest, std::string_view owner,
                                                        SolverLookup lookup) {
  const auto* list = value.get_if<ValueArray>();
  require<ConfigError>(list && list->size() >= fewest,
                       "{}{}: its option solvers must be a list of at least {}, each a name or {{ "
                       "name = \"ceres\", ... }}, not {}.",
                       value.at.prefix(), owner, fewest, value.to_text());
  std::vector<std::unique_ptr<Solver>> out;
  for (const Value& one : *list) out.push_back(make_inner_solver(one, owner, lookup));
  return out;
}

SolveContext inner_context(const SolveContext& outer, Rng rng) {
  SolveContext out(outer.executor);
  out.rng = rng;
  out.stop = outer.stop;
  out.deadline = outer.deadline;
  out.log = outer.log;
  out.leaves_saddles = outer.leaves_saddles;
  return out;
}

BlockEnd solve_block(const Solver& inner, const BlocksFace& blocks, Index b, Solution& x, const SolveContext& context,
                     Rng rng, Counts& counts) {
  BlockEnd out;
  SolveContext own = inner_context(context, rng);
  unless_thrown(
      [&] {
        Solution block = blocks.block_of(b, x);
        const Summary& end = out.summary = inner.solve(blocks.block_problem(b, x), block, own);
        counts.add_spent(end.counts);
        out.moved = end.usable() || (std::isfinite(end.objective) && end.objective < end.initial_objective);
        if (out.moved) blocks.set_block(b, block, x);
        if (!end.usable())
          out.trouble = fmt::format("block {} failed ({}): {}", b + 1, to_string(end.termination), end.message);
      },
      [&](const std::exception& error) {
        out.thrown = std::current_exception();
        out.trouble = fmt::format("block {} failed by an exception, '{}'.", b + 1, error.what());
      });
  return out;
}

std::unique_ptr<Solver> take_inner_solver(Value& option, std::string_view owner, SolverLookup lookup) {
  auto out = make_inner_solver(option, owner, lookup);
  const TextPosition at = option.at;
  option = inner_solver_table(*out);
  option.at = at;
  return out;
}

ValueTable inner_solver_table(const Solver& solver) {
  ValueTable out;
  out.set("name", std::string(solver.name()));
  out.merge(solver.resolved_options());
  return out;
}

}  // namespace alidade
