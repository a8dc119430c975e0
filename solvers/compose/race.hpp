// Race: several starts, each with a solver of its own for a while; the best goes on with the finishing solver.
// Portfolio of starts and algorithms (Huberman, Lukose & Hogg 1997) for objectives with many valleys.
// Entrants run one after another; the trace runs through all of them, and what is kept is the best by the objective.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct RaceOptions {
  Value entrants;  // [{ start = "pca", solver = { name = "continuation", ... } }, ...]; without start: the start given
  Value finish;    // { name = "ceres", ... }
  RaceOptions();
  [[nodiscard]] static const OptionList<RaceOptions>& list();
};

class Race final : public Solver {
 public:
  /// @throws ConfigError with the place of what is wrong
  /// `known` finds the inner solvers. @throws ConfigError
  Race(const RaceOptions& options, SolverLookup known);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace, Borderless>(); }
  [[nodiscard]] std::string_view name() const override { return "race"; }
  /// What its solvers need together.
  [[nodiscard]] CapabilitySet needs() const override;
  [[nodiscard]] Table resolved_options() const override;
  /// An entrant whose start the problem does not have is left out, with a line in the log; if none is left, the start
  /// given goes on alone.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  struct Entrant {
    std::string start;  // "": the start given
    std::unique_ptr<Solver> solver;
  };
  std::vector<Entrant> entrants_;
  std::unique_ptr<Solver> finish_;
};

[[nodiscard]] SolverEntry race_entry(SolverLookup known);

}  // namespace alidade
