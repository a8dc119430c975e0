// A program over squared distances whose rows are written out, for tests of what programs and solvers do with rows.
// Example: ListedProgram({.object_count = 3}, {{.terms = {{{0, 1, 1}}}, .term_count = 1, .bound = 2}})  // d_01 <= 2
// Rows have no radius; separation looks at all of them, and no value is repaired.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "problems/programs/distance_program.hpp"

namespace alidade::testing {

class ListedProgram final : public DistanceProgram {
 public:
  ListedProgram(DistanceCost cost, std::vector<DistanceConstraint> rows)
      : DistanceProgram(std::move(cost)), rows_(std::move(rows)) {}

  std::uint64_t row_count() const override { return rows_.size(); }
  DistanceConstraint row(ConstraintId id) const override { return rows_[id]; }
  std::string constraint_name(ConstraintId id) const override { return "row " + std::to_string(id); }
  std::vector<ConstraintId> all_constraints() const override {
    std::vector<ConstraintId> out(rows_.size());
    std::iota(out.begin(), out.end(), ConstraintId{0});
    return out;
  }
  std::vector<ConstraintId> first_constraints(Index, Rng&) const override { return {0}; }
  Violations separate(const SquaredDistances& d2, Index, double tolerance, std::vector<ConstraintId>& out,
                      Executor&) const override {
    Violations sum;
    for (const ConstraintId id : all_constraints()) {
      const double excess = row_value(rows_[id], d2),
                   by = rows_[id].equality ? std::abs(excess) : std::max(0.0, excess);
      sum.max = std::max(sum.max, by);
      if (!(by > tolerance)) continue;
      ++sum.count;
      sum.sum += by;
      out.push_back(id);
    }
    return sum;
  }
  std::optional<double> repaired_value(double, double, double) const override { return std::nullopt; }

 private:
  std::vector<DistanceConstraint> rows_;
};

}  // namespace alidade::testing
