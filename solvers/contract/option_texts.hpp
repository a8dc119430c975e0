// What options say that several solvers have: one sentence each, for help, pages and Python's stubs.
// A solver gives it to its OptionList: .integer("n_init", &O::n_init, at_least(1), kStartsText).
// Options of the same name mean the same in every solver.
#pragma once

namespace alidade {

inline constexpr auto* kStartsText = "number of starts; the lowest objective is kept";
inline constexpr auto* kGradientText =
    "converged when the norm of the gradient, projected at a border, is below this times the largest norm met";
inline constexpr auto* kIdleText =
    "converged when ten iterations lower the objective by less than tolerance * objective";

}  // namespace alidade
