#include "solvers/compose/inner_solver.hpp"

#include "problems/core/error.hpp"

namespace alidade {

std::unique_ptr<Solver> make_inner_solver(const Value& given, std::string_view owner, SolverLookup known) {
  if (const auto* name = given.get_if<std::string>()) return known(*name, given.at.prefix()).make({});
  const auto* table = given.get_if<ValueTable>();
  const Value* name = table ? table->find("name") : nullptr;
  require<ConfigError>(name && name->get_if<std::string>(),
                       "{}{}: its option solver must be a name or {{ name = \"ceres\", ... }}.", given.at.prefix(),
                       owner);
  ValueTable options = *table;
  options.erase("name");
  return known(*name->get_if<std::string>(), name->at.prefix()).make(options);
}

std::vector<std::unique_ptr<Solver>> make_inner_solvers(const Value& given, std::size_t fewest, std::string_view owner,
                                                        SolverLookup known) {
  const auto* list = given.get_if<ValueArray>();
  require<ConfigError>(list && list->size() >= fewest,
                       "{}{}: its option solvers must be a list of at least {}, each a name or {{ "
                       "name = \"ceres\", ... }}, not {}.",
                       given.at.prefix(), owner, fewest, given.to_text());
  std::vector<std::unique_ptr<Solver>> out;
  for (const Value& one : *list) out.push_back(make_inner_solver(one, owner, known));
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

ValueTable inner_solver_table(const Solver& solver) {
  ValueTable out;
  out.set("name", std::string(solver.name()));
  out.merge(solver.resolved_options());
  return out;
}

}  // namespace alidade
