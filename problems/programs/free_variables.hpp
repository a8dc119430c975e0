// Free variables of a program: nonnegative ones whose columns are opposite, so that only their difference counts.
// Their dual constraints are equations, a'y = c, which rounded multipliers miss by a little; nothing bounds what that
// costs. Multipliers beside them meet the equations: these are found here, for proofs of bounds.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "problems/programs/exact_arithmetic.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

class FreeVariables {
 public:
  /// Opposite columns have the same entries, those of the cost included, with the other sign. O(entries log entries).
  explicit FreeVariables(const SemidefiniteProgram& program);

  [[nodiscard]] bool empty() const { return equations_.empty(); }
  /// Whether this entry of a block is one of those.
  [[nodiscard]] bool has(std::size_t block, Index entry) const {
    return !free_[block].empty() && free_[block][subscript(entry)];
  }

  /// y, moved by the least length to where the equations hold up to rounding. Only multipliers of equalities move.
  /// y itself beyond 1,000 free variables, and where no such y is found. O(variables^2 constraints).
  [[nodiscard]] Vector balanced(const Vector& y) const;

  /// A multiplier and what it must change by.
  using Change = std::pair<Index, Enclosure>;
  /// Changes after which the equations hold exactly, each known within neighbouring doubles. Empty beyond 60 free
  /// variables, and where equalities do not determine them.
  [[nodiscard]] std::optional<std::vector<Change>> exact_changes(const Vector& y) const;

 private:
  /// a'y = cost, of one free variable.
  struct Equation {
    double cost = 0;
    std::vector<std::pair<Index, double>> entries;  // constraint, coefficient
  };
  [[nodiscard]] std::vector<Product> excess(const Equation& equation, const Vector& y) const;
  /// The coefficients of equalities: variables x constraints.
  [[nodiscard]] Matrix coefficients() const;

  Index constraints_ = 0;
  std::vector<bool> is_equality_;
  std::vector<Equation> equations_;
  std::vector<std::vector<bool>> free_;  // block, entry; no entries where a block has none
};

}  // namespace alidade
