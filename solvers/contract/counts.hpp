// What a solve spends, in units that do not depend on the machine.
// Evaluations, gradients and terms are those of the objective as its problem computes it; a composed solver adds up its
// parts. Iterations and starts say how far a solve came rather than what it spent, and are each solver's own.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "problems/core/index.hpp"

namespace alidade {

struct Counts {
  Index iterations = 0;
  Index evaluations = 0;    // of the whole objective, with its gradient or without
  Index gradients = 0;      // those of them that gave the gradient, its two halves or the minimiser of a majoriser
  std::uint64_t terms = 0;  // single terms of a finite sum, each with its gradient
  std::uint64_t retractions = 0;  // of rows along a manifold that is not flat; a factor on a sphere is one row
  Index sdp_solves = 0;           // of semidefinite programs, those of a cutting plane's rounds each
  Index starts = 0;

  /// Adds what a part spent: all but its iterations and starts.
  void add_spent(const Counts& part);
};

/// What is spent, as rows and traces name it.
inline constexpr std::array<std::string_view, 5> kSpentNames = {"evaluations", "gradients", "terms", "retractions",
                                                                "sdp_solves"};
/// In the order of kSpentNames.
[[nodiscard]] std::array<std::uint64_t, kSpentNames.size()> spent(const Counts& counts);

}  // namespace alidade
