// A semidefinite program as a problem with nothing added: for programs read from files, and for tests of solvers.
// Its map is a factor of the first block that is not diagonal: classical scaling's coordinates of that Gram matrix.
// The constructor checks the program once.
#pragma once

#include <memory>

#include "problems/contract/problem.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

class SdpProblem {
 public:
  /// @throws DataError unless require_valid(program) holds
  explicit SdpProblem(SemidefiniteProgram program);

  [[nodiscard]] const SemidefiniteProgram& program() const { return *program_; }
  /// Identities (ones in diagonal blocks; all ones, as a factor, in blocks above 2,000) without multipliers, feasible
  /// or not. Draws no random number.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// <C, X>.
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  /// U with X = U U'. Columns are in order of decreasing eigenvalue, for eigenvalues above 1e-9 of the largest. No
  /// columns
  /// if all blocks are diagonal.
  [[nodiscard]] Embedding decode(const Solution& x) const;

 private:
  std::shared_ptr<const SemidefiniteProgram> program_;
};
static_assert(SemidefiniteProblem<SdpProblem>);

}  // namespace alidade
