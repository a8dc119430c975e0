#include "experiments/config/auto_problem.hpp"

#include <array>
#include <utility>

#include "problems/adapters.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

struct AutoOptions {
  Value n_components = std::int64_t{2};
  static const OptionList<AutoOptions>& list() {
    static const auto kList = OptionList<AutoOptions>().nested(
        "n_components", &AutoOptions::n_components, "whole number or \"auto\"",
        "dimension of the map; \"auto\": the lowest one whose validation error is within one "
        "standard error of the best");
    return kList;
  }
};

}  // namespace

std::vector<OptionInfo> auto_options() { return AutoOptions::list().infos(); }

std::vector<MethodSetup> auto_families(Index n_components, std::string_view solver, const Table& solver_options) {
  // The regularisers are near each family's best on Food, Music, Zoo, cars, materials and Gaussian points.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kFamilies = {{
      {"ste", "{ lambda = 0.05 }"},
      {"ste_lapse", "{ lambda = 0.3 }"},
      {"soe", "{ lambda0 = 0.0001 }"},
      {"tste", "{ lambda0 = 0.001 }"},
      {"ckl", "{ lambda0 = 0.0003 }"},
      {"ete", "{ t = 1.5, lambda0 = 0.001 }"},
      {"ete", "{ t = 2, lambda0 = 0.003 }"},
      {"ete", "{ t = 2.5, lambda0 = 0.003 }"},
  }};
  std::vector<MethodSetup> out;
  for (const auto& [name, text] : kFamilies) {
    const ProblemEntry& problem = problem_catalog().at(name);
    const SolverEntry& with = solver_catalog().at(solver == kAuto ? default_solver(problem.offers) : solver);
    const Table with_options = resolve_options(with.options, solver == kAuto ? Table{} : solver_options, with.name);
    if (!fit(with.name, with.make(with_options)->needs(), problem.name, problem.offers).fits) continue;
    Table options = *value_from_text(text).get_if<Table>();
    options.set("n_components", static_cast<std::int64_t>(n_components));
    out.push_back({std::string(kAuto),
                   problem.name,
                   resolve_options(problem.options, options, problem.name),
                   with.name,
                   with_options,
                   {},
                   ChoiceRule::lowest});
  }
  require<ConfigError>(!out.empty(),
                       "The solver '{}' fits none of the problems that 'auto' tries. Leave the solver out, or name "
                       "a problem that it fits (see `alidade list solvers {}`).",
                       solver, solver);
  return out;
}

}  // namespace alidade
