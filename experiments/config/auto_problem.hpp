// `problem = "auto"`: lists the triplet losses that a run chooses from by validation, as setups.
// run/model_selection.hpp does the choosing; a configuration only names the candidates.
// Each loss comes with its default regulariser and a suitable solver.
#pragma once

#include <string_view>
#include <vector>

#include "experiments/config/setup.hpp"
#include "problems/core/options.hpp"

namespace alidade {

/// The problem that stands for a choice among all losses.
inline constexpr std::string_view kAuto = "auto";

/// Options of `problem = "auto"`.
[[nodiscard]] std::vector<OptionInfo> auto_options();

/// First candidates of `problem = "auto"`: one per family of losses. Each has its default solver if `solver` is "auto",
/// else `solver`. Families that this solver cannot minimise are left out.
[[nodiscard]] std::vector<MethodSetup> auto_families(Index n_components, std::string_view solver,
                                                     const Table& solver_options);

}  // namespace alidade
