// `problem = "auto"`: the losses of triplets among which a run chooses by validation, as setups.
// How the run chooses is run/model_selection.hpp; a configuration only names what there is.
// Each loss comes with its default regulariser and the solver that suits it.
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

/// What `problem = "auto"` tries first, one a family of losses, each with its default solver or, unless that is "auto",
/// with the one given; families that it can not work on are left out.
[[nodiscard]] std::vector<MethodSetup> auto_families(Index n_components, std::string_view solver,
                                                     const Table& solver_options);

}  // namespace alidade
