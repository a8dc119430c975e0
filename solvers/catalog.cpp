#include "solvers/catalog.hpp"

#include "problems/contract/adapters.hpp"
#include "solvers/assignment/boost_matching.hpp"
#include "solvers/assignment/hungarian.hpp"
#include "solvers/compose/alternating.hpp"
#include "solvers/compose/continuation.hpp"
#include "solvers/compose/each_block.hpp"
#include "solvers/compose/race.hpp"
#include "solvers/compose/sequence.hpp"
#include "solvers/eigen/eigen_dense.hpp"
#include "solvers/eigen/lanczos.hpp"
#include "solvers/semidefinite/admm.hpp"
#include "solvers/semidefinite/burer_monteiro.hpp"
#include "solvers/semidefinite/csdp.hpp"
#include "solvers/semidefinite/cutting_plane.hpp"
#include "solvers/semidefinite/fixed_diagonal.hpp"
#include "solvers/semidefinite/interior_point.hpp"
#include "solvers/semidefinite/low_rank.hpp"
#include "solvers/semidefinite/widening_factor.hpp"
#include "solvers/smooth/accelerated_gradient.hpp"
#include "solvers/smooth/ceres.hpp"
#include "solvers/smooth/golden_section_cg.hpp"
#include "solvers/smooth/gradient_descent.hpp"
#include "solvers/smooth/majorization.hpp"
#include "solvers/smooth/multiplicative.hpp"
#include "solvers/smooth/riemannian_sgd.hpp"

namespace alidade {

namespace {

Registry<SolverEntry>& catalog_of_solvers() {
  static Registry<SolverEntry> catalog("solver", {
                                                     riemannian_sgd_entry(),
                                                     ceres_entry(),
                                                     gradient_descent_entry(),
                                                     accelerated_gradient_entry(),
                                                     continuation_entry(solver_named),
                                                     majorization_entry(),
                                                     multiplicative_entry(),
                                                     golden_section_cg_entry(),
                                                     sequence_entry(solver_named),
                                                     race_entry(solver_named),
                                                     each_block_entry(solver_named),
                                                     alternating_entry(solver_named),
                                                     hungarian_entry(),
                                                     boost_matching_entry(),
                                                     lanczos_entry(),
                                                     eigen_dense_entry(),
                                                     csdp_entry(),
                                                     admm_entry(),
                                                     burer_monteiro_entry(),
                                                     cutting_plane_entry(solver_named),
                                                     fixed_diagonal_entry(),
                                                     interior_point_entry(solver_named),
                                                     low_rank_entry(solver_named),
                                                     widening_factor_entry(),
                                                 });
  return catalog;
}

}  // namespace

const Registry<SolverEntry>& solver_catalog() { return catalog_of_solvers(); }
void add_solver(SolverEntry entry) { catalog_of_solvers().add(std::move(entry)); }
void add_unlisted_solver(SolverEntry entry) { catalog_of_solvers().add_unlisted(std::move(entry)); }

const SolverEntry& solver_named(std::string_view name, std::string_view where) {
  return solver_catalog().at(name, where);
}

NamedSolver recommended_solver(const ProblemEntry& problem) {
  if (problem.solver.empty()) return {default_solver(problem.offers), {}};
  ValueTable options = *value_from_text(problem.solver).get_if<ValueTable>();
  const std::string name = *options.find("name")->get_if<std::string>();
  options.erase("name");
  return {name, std::move(options)};
}

std::string default_solver(CapabilitySet offers) {
  const auto fits = [&](const SolverEntry& entry) { return fit(entry.name, entry.needs, "a problem", offers).fits; };
  for (const char* preferred : {"ceres", "continuation", "riemannian_sgd", "low_rank"})
    // A finite sum without a smooth face gets stochastic steps, not line searches on the added-up sum.
    if (offers.includes(solver_catalog().at(preferred).needs)) return preferred;
  for (const SolverEntry& entry : solver_catalog().entries())
    if (fits(entry)) return entry.name;
  return "";
}

}  // namespace alidade
