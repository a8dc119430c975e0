// The frame of a solver of assignment problems: checked costs, first record, stop, last record.
// A solver derives from AssignmentSolver and implements only match, which finds the assignment of a matrix of costs.
// Until match has found it, the iterate stays what it was.
#pragma once

#include <optional>
#include <string>

#include "problems/core/types.hpp"
#include "problems/programs/solution.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// What became of a search; `x` and `certificate` count where it converged.
struct AssignmentSearch {
  Termination termination = Termination::converged;
  std::string message;
  AssignmentSolution x{};
  std::optional<Certificate> certificate{};
};

class AssignmentSolver : public Solver {
 public:
  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<AssignmentFace>(); }
  /// @throws DataError on costs that are not finite or beyond 1e300.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const final;

 private:
  /// Counts its iterations. `costs` has any number of rows and columns.
  virtual AssignmentSearch match(const Matrix& costs, SolveContext& context, Counts& counts) const = 0;
};

}  // namespace alidade
