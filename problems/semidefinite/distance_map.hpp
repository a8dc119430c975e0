// Any DistanceProgram as a problem: points whose Gram matrix solves it, drawn by their axes of greatest variance.
// Spectral decomposition of G ([GR07] section 3); the share of the variance that the map shows stands beside it.
// The program is shared and immutable.
#pragma once

#include <memory>

#include "problems/faces/separation.hpp"
#include "problems/problem.hpp"
#include "problems/programs/distance_program.hpp"

namespace alidade::semidefinite {

class DistanceMap {
 public:
  /// n_components 0: as many as the solution has eigenvalues above 1e-5 of their sum.
  DistanceMap(std::shared_ptr<const DistanceProgram> program, Index n_components, std::vector<std::string> notes = {});

  [[nodiscard]] const DistanceProgram& distance_program() const { return *program_; }
  /// A factor of up to 8 random columns, tr G = T.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// The cost, with slacks at their best where rows have any.
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  /// Coordinates on the leading axes, zeros where the rank is less; estimates `eigenvalue_share` (of these axes) and
  /// `rank` (eigenvalues above 1e-5 of their sum).
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

 private:
  std::shared_ptr<const DistanceProgram> program_;
  Index n_components_;
  std::vector<std::string> notes_;
};
static_assert(SeparableProblem<DistanceMap> && AnyProblem<DistanceMap>);

}  // namespace alidade::semidefinite
