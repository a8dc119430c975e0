// `problem = "auto"`: lists the triplet losses that a run chooses from by validation, as setups.
// run/model_selection.hpp does the choosing; a configuration only names the candidates.
// Each loss comes with its default regulariser and a suitable solver.
#pragma once

#include <string_view>
#include <vector>

#include "experiments/config/setup.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// The problem that stands for a choice among all losses; as a number of components, the fewest that are as good as the
/// best.
inline constexpr std::string_view kAuto = "auto";
/// As a number of components, the one that predicts best.
inline constexpr std::string_view kBest = "best";

/// Options of `problem = "auto"`.
[[nodiscard]] std::vector<OptionInfo> auto_options();

/// First candidates of `problem = "auto"`: one per family of losses. Each has its default solver if `solver` is "auto",
/// else `solver`. Families that this solver cannot minimise are left out. Those that say who guesses come last, if
/// `annotators` says that the answers of several are known.
[[nodiscard]] std::vector<MethodSetup> auto_families(Index n_components, std::string_view solver,
                                                     const ValueTable& solver_options, bool annotators = false);

/// Whether two or more annotators are known.
[[nodiscard]] bool has_annotators(const Observations& observations);

}  // namespace alidade
