// The cost of a solve, in units that do not depend on the machine.
// Evaluations, gradients and terms are those of the problem's objective; a composed solver adds up its parts.
// Iterations and starts measure progress, not cost, and have each solver's own meaning.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "problems/core/index.hpp"

namespace alidade {

struct Counts {
  Index iterations = 0;
  Index evaluations = 0;          // of the whole objective, with or without its gradient
  Index gradients = 0;            // evaluations that gave the gradient, its two halves or a majoriser's minimiser
  std::uint64_t terms = 0;        // single terms of a finite sum, each with its gradient
  std::uint64_t retractions = 0;  // of rows along a curved manifold; a factor on a sphere is one row
  Index sdp_solves = 0;           // of semidefinite programs, including each round of a cutting plane
  Index starts = 0;

  /// Adds the cost of a part: everything except iterations and starts.
  void add_spent(const Counts& part);
};

/// The names of the costs in rows and traces.
inline constexpr std::array<std::string_view, 5> kSpentNames = {"evaluations", "gradients", "terms", "retractions",
                                                                "sdp_solves"};
/// The costs in the order of kSpentNames.
[[nodiscard]] std::array<std::uint64_t, kSpentNames.size()> spent(const Counts& counts);

}  // namespace alidade
