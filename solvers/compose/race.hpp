// Race: several starts, each solved briefly by its own solver; the finishing solver continues from the best.
// Portfolio of starts and algorithms (Huberman, Lukose & Hogg 1997) for objectives with many local minima.
// Entrants run one after another; the trace covers all of them. Returns the best by the objective.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct RaceOptions {
  Value entrants;  // [{ start = "pca", solver = { name = "continuation", ... } }, ...]; no start: the given one
  Value finish;    // { name = "ceres", ... }
  RaceOptions();
  [[nodiscard]] static const OptionList<RaceOptions>& list();
};

class Race final : public Solver {
 public:
  /// `lookup` finds the inner solvers. @throws ConfigError naming the place of the fault
  Race(const RaceOptions& options, SolverLookup lookup);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace, Borderless>(); }
  [[nodiscard]] std::string_view name() const override { return "race"; }
  /// The union of the needs of its solvers.
  [[nodiscard]] CapabilitySet needs() const override;
  [[nodiscard]] ValueTable resolved_options() const override;
  /// Leaves out an entrant whose start the problem does not have, with a line in the log. If none is left, only the
  /// given start is used.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  struct Entrant {
    std::string start;  // "": the given start
    std::unique_ptr<Solver> solver;
  };
  std::vector<Entrant> entrants_;
  std::unique_ptr<Solver> finish_;
};

[[nodiscard]] SolverEntry race_entry(SolverLookup lookup);

}  // namespace alidade
