#include "problems/programs/program_units.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace alidade {
namespace {

/// Divides the numbers by the power of 4 that brings the largest size into [1, 4), and returns it; 1 if that is 0 or
/// ordinary.
double divide(const std::vector<double*>& numbers) {
  constexpr double kLeast = 0x1p-8, kMost = 0x1p20;
  double largest = 0;
  for (const double* number : numbers) largest = std::max(largest, std::abs(*number));
  if (largest == 0 || (largest >= kLeast && largest <= kMost)) return 1;
  const double unit = std::ldexp(1.0, std::ilogb(largest) & ~1);
  for (double* number : numbers) *number /= unit;
  return unit;
}

SemidefiniteSolution multiplied(SemidefiniteSolution x, double solution, double cost, double multipliers) {
  for (SemidefiniteSolution::Block& block : x.blocks) block.values *= block.factored ? std::sqrt(solution) : solution;
  for (Matrix& block : x.dual_blocks) block *= cost;
  for (Vector* y : {&x.multipliers, &x.proof, x.ray ? &x.ray->multipliers : nullptr})
    if (y) *y *= multipliers;
  return x;
}

}  // namespace

ProgramUnits::ProgramUnits(SemidefiniteProgram given) : program_(std::move(given)) {
  std::vector<double*> cost, entries, bounds;
  for (SymmetricEntry& e : program_.cost) cost.push_back(&e.value);
  for (SemidefiniteConstraint& row : program_.constraints) {
    for (SymmetricEntry& e : row.entries) entries.push_back(&e.value);
    bounds.push_back(&row.bound);
  }
  cost_ = divide(cost);
  rows_ = divide(entries);
  for (double* bound : bounds) *bound /= rows_;
  solution_ = divide(bounds);
  if (program_.trace_bound) *program_.trace_bound /= solution_;
}

SemidefiniteSolution ProgramUnits::of_program(SemidefiniteSolution given) const {
  return multiplied(std::move(given), 1 / solution_, 1 / cost_, rows_ / cost_);
}

SemidefiniteSolution ProgramUnits::of_given(SemidefiniteSolution x) const {
  return multiplied(std::move(x), solution_, cost_, cost_ / rows_);
}

}  // namespace alidade
