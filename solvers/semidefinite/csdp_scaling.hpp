// Programs of extreme scale for CSDP, whose tests for infeasibility are not scale-free.
// It calls a program with a cost of norm 1e10 unbounded, whatever its constraints.
// Rows and cost are multiplied by powers of two, which change no bit of a fraction.
#pragma once

#include <vector>

#include "problems/programs/semidefinite_program.hpp"
#include "solvers/semidefinite/csdp_iterate.hpp"

namespace alidade::csdp {

/// Row r is multiplied by row(r) and the cost by cost(); then y_r = row(r) / cost() times that of the scaled program,
/// Z is 1 / cost() times its, and X is the same. All are 1 unless a norm is below 1e-6 or above 1e7.
class Scaling {
 public:
  explicit Scaling(const SemidefiniteProgram& program);

  [[nodiscard]] bool any() const { return !rows_.empty(); }
  [[nodiscard]] double cost() const { return cost_; }
  /// @pre any()
  [[nodiscard]] SemidefiniteProgram scaled(SemidefiniteProgram program) const;
  /// y and Z of the program to those of the scaled one.
  void scale(Iterate& iterate) const;
  /// Back: multipliers and dual blocks.
  [[nodiscard]] SemidefiniteSolution unscaled(SemidefiniteSolution x) const;
  void unscale(Vector& multipliers) const;

 private:
  std::vector<double> rows_;  // empty: nothing is scaled
  double cost_ = 1;
};

}  // namespace alidade::csdp
