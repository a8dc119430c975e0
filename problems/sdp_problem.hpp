// A semidefinite program with nothing round it, as a problem: for programs out of files, and for tests of solvers.
// It is drawn by the factor of its first block that is not diagonal: classical scaling's coordinates of that Gram
// matrix. The program is checked once, here.
#pragma once

#include <memory>

#include "problems/faces/semidefinite.hpp"
#include "problems/problem.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

class BareProgram {
 public:
  /// @throws DataError unless require_valid(program) holds
  explicit BareProgram(SemidefiniteProgram program);

  [[nodiscard]] const SemidefiniteProgram& program() const { return *program_; }
  /// Identities (ones where diagonal) without multipliers, whatever the rows ask: no random number is drawn.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// <C, X>.
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  /// U with X = U U', columns by falling eigenvalue, of those above 1e-9 of the largest; of 0 columns for programs
  /// that are all diagonal.
  [[nodiscard]] Embedding decode(const Solution& x) const;

 private:
  std::shared_ptr<const SemidefiniteProgram> program_;
};
static_assert(SemidefiniteProblem<BareProgram>);

}  // namespace alidade
