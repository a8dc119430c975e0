// The constraints of a program over squared distances that a solver works with, of the many that it has.
// For cutting planes: constraints come as they are found violated, and those that are idle go.
// Idle: the multiplier is a small share of the largest, and the constraint has room. Each is dropped once at most.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "problems/programs/distance_program.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

/// The rows in use, in ascending order, with the state of each.
class WorkingSet {
 public:
  explicit WorkingSet(bool drop) : drop_(drop) {}

  [[nodiscard]] const std::vector<ConstraintId>& rows() const { return rows_; }
  /// Returns how many of the rows are new.
  Index add(std::span<const ConstraintId> rows);
  /// Drops inactive rows, but none a second time.
  void drop_idle(const DistanceProgram& program, const SemidefiniteSolution& x, const SquaredDistances& d2,
                 double unit);

 private:
  bool drop_;
  std::vector<ConstraintId> rows_;
  std::unordered_map<ConstraintId, bool> idle_;  // of every row in use
  std::unordered_set<ConstraintId> dropped_;
};

/// Rows that another solver found active.
[[nodiscard]] std::vector<ConstraintId> active_rows(const DistanceProgram& source, const SemidefiniteSolution& x);

}  // namespace alidade
