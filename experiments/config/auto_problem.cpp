#include "experiments/config/auto_problem.hpp"

#include <sentences/config.hpp>

#include <algorithm>
#include <array>

#include "problems/catalog.hpp"
#include "problems/contract/adapters.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

struct AutoOptions {
  Value n_components = std::int64_t{2};
  static const OptionList<AutoOptions>& list() {
    static const auto kList = OptionList<AutoOptions>().nested(
        "n_components", &AutoOptions::n_components, "whole number, \"auto\" or \"best\"",
        "dimension of the map; \"auto\": the fewest whose validation error is within two standard errors of the "
        "lowest, to draw or interpret; \"best\": that of the lowest validation error, to predict");
    return kList;
  }
};

}  // namespace

std::vector<OptionInfo> auto_options() { return AutoOptions::list().infos(); }

std::vector<MethodSetup> auto_families(Index n_components, std::string_view solver, const ValueTable& solver_options,
                                       bool annotators) {
  // The regularisers are near each family's best in the plane on Food, Music, Zoo, cars, materials and Gaussian points.
  // In more dimensions only the rule serves any number of answers; ETE, for which it is not measured, keeps its own.
  struct Family {
    std::string_view problem, in_plane, in_space;
  };
  constexpr std::string_view kByRule = "{ l2 = auto }";
  constexpr std::array<Family, 10> kFamilies = {{
      {"ste", "{ lambda = 0.05 }", kByRule},
      {"ste_lapse", "{ lambda = 0.3 }", kByRule},
      {"soe", "{ lambda0 = 0.0001 }", kByRule},
      {"tste", "{ lambda0 = 0.001 }", kByRule},
      {"ckl", "{ lambda0 = 0.0003 }", kByRule},
      {"ete", "{ t = 1.5, lambda0 = 0.001 }", "{ t = 1.5, lambda0 = 0.001 }"},
      {"ete", "{ t = 2, lambda0 = 0.003 }", "{ t = 2, lambda0 = 0.003 }"},
      {"ete", "{ t = 2.5, lambda0 = 0.003 }", "{ t = 2.5, lambda0 = 0.003 }"},
      {"ste_annotators", "{ lambda = 0.1, sharpness = common }", "{ l2 = auto, sharpness = common }"},
      {"soe_annotators", "{ lambda = 0.1, sharpness = common }", "{ l2 = auto, sharpness = common }"},
  }};
  constexpr Index kSpace = 3;
  std::vector<MethodSetup> out;
  for (const Family& family : kFamilies) {
    const ProblemEntry& problem = problem_catalog().at(family.problem);
    if (!annotators && std::ranges::find(problem.needs, ObservationKind::annotators) != problem.needs.end()) continue;
    const SolverEntry& with = solver_catalog().at(solver == kAuto ? default_solver(problem.offers) : solver);
    const ValueTable with_options =
        resolve_options(with.options, solver == kAuto ? ValueTable{} : solver_options, with.name);
    if (!fit(with.name, with.make(with_options)->needs(), problem.name, problem.offers).fits) continue;
    ValueTable options =
        *value_from_text(n_components < kSpace ? family.in_plane : family.in_space).get_if<ValueTable>();
    options.set("n_components", static_cast<std::int64_t>(n_components));
    out.push_back({std::string(kAuto),
                   problem.name,
                   resolve_options(problem.options, options, problem.name),
                   with.name,
                   with_options,
                   {},
                   ChoiceRule::lowest});
  }
  require<ConfigError>(!out.empty(), words::kAutoFitsNone, solver, solver);
  return out;
}

bool has_annotators(const Observations& observations) {
  return observations.offers(ObservationKind::annotators) && observations.annotators.size() > 1;
}

}  // namespace alidade
