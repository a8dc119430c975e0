#include "solvers/catalog.hpp"

#include "problems/contract/adapters.hpp"

namespace alidade {

// Each solver: a source that defines `SolverEntry NAME_entry()`, and its line here, in the order of `alidade list`. The
// entry of one that is composed of others takes what finds these.
#define ALIDADE_SOLVERS(PLAIN, COMPOSED) \
  PLAIN(riemannian_sgd)                  \
  PLAIN(ceres)                           \
  PLAIN(gradient_descent)                \
  PLAIN(accelerated_gradient)            \
  PLAIN(projected_lbfgs)                 \
  PLAIN(trust_region)                    \
  COMPOSED(continuation)                 \
  PLAIN(majorization)                    \
  PLAIN(multiplicative)                  \
  PLAIN(golden_section_cg)               \
  COMPOSED(sequence)                     \
  COMPOSED(race)                         \
  COMPOSED(each_block)                   \
  COMPOSED(alternating)                  \
  PLAIN(hungarian)                       \
  PLAIN(boost_matching)                  \
  PLAIN(lanczos)                         \
  PLAIN(eigen_dense)                     \
  PLAIN(csdp)                            \
  PLAIN(admm)                            \
  PLAIN(burer_monteiro)                  \
  COMPOSED(cutting_plane)                \
  PLAIN(fixed_diagonal)                  \
  COMPOSED(interior_point)               \
  COMPOSED(low_rank)                     \
  PLAIN(widening_factor)

#define ALIDADE_DECLARED(name) SolverEntry name##_entry();
#define ALIDADE_DECLARED_COMPOSED(name) SolverEntry name##_entry(SolverLookup lookup);
ALIDADE_SOLVERS(ALIDADE_DECLARED, ALIDADE_DECLARED_COMPOSED)

namespace {

Registry<SolverEntry>& catalog_of_solvers() {
#define ALIDADE_MADE(name) name##_entry(),
#define ALIDADE_MADE_COMPOSED(name) name##_entry(solver_named),
  static Registry<SolverEntry> catalog("solver", {ALIDADE_SOLVERS(ALIDADE_MADE, ALIDADE_MADE_COMPOSED)});
  return catalog;
}

}  // namespace

const Registry<SolverEntry>& solver_catalog() { return catalog_of_solvers(); }
void add_solver(SolverEntry entry) { catalog_of_solvers().add(std::move(entry)); }
void add_unlisted_solver(SolverEntry entry) { catalog_of_solvers().add_unlisted(std::move(entry)); }

const SolverEntry& solver_named(std::string_view name, std::string_view where) {
  return solver_catalog().at(name, where);
}

NamedSolver recommended_solver(const ProblemEntry& problem, const ValueTable& given) {
  if (problem.solver.empty()) {
    NamedSolver out{default_solver(problem.offers), {}};
    if (!problem.of_blocks) return out;
    const auto [of_blocks, options] = problem.of_blocks(given);
    NamedSolver inner = recommended_solver(*of_blocks, options);
    if (inner.name == "ceres" && inner.options.empty()) return out;  // the default
    inner.options.set("name", inner.name);
    out.options.set("solver", std::move(inner.options));
    return out;
  }
  auto [name, options, at] = named_options(value_from_text(problem.solver), problem.name, "solver", "ceres");
  return {std::move(name), std::move(options)};
}

std::string default_solver(CapabilitySet offers) {
  const auto fits = [&](const SolverEntry& entry) { return fit(entry.name, entry.needs, "a problem", offers).fits; };
  for (const char* preferred : {"ceres", "projected_lbfgs", "continuation", "riemannian_sgd", "low_rank"})
    // A finite sum without a smooth face gets stochastic steps, not line searches on the added-up sum.
    if (offers.includes(solver_catalog().at(preferred).needs)) return preferred;
  for (const SolverEntry& entry : solver_catalog().entries())
    if (fits(entry)) return entry.name;
  return "";
}

}  // namespace alidade
