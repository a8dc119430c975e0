#include "problems/programs/program_units.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alidade {
namespace {

/// The power of 4 by which a size comes into [1, 4); 1 if that is 0 or ordinary.
double unit_of(double largest) {
  constexpr double kLeast = 0x1p-8, kMost = 0x1p20;
  if (largest == 0 || (largest >= kLeast && largest <= kMost)) return 1;
  return std::ldexp(1.0, std::ilogb(largest) & ~1);
}

SemidefiniteSolution multiplied(SemidefiniteSolution x, double solution, double cost, double multipliers) {
  for (SemidefiniteSolution::Block& block : x.blocks) block.values *= block.factored ? std::sqrt(solution) : solution;
  for (Matrix& block : x.dual_blocks) block *= cost;
  for (Vector* y : {&x.multipliers, &x.proof, x.ray ? &x.ray->multipliers : nullptr})
    if (y) *y *= multipliers;
  return x;
}

}  // namespace

ProgramUnits::ProgramUnits(const SemidefiniteProgram& given) : cost_(unit_of(largest_entry(given.cost))) {
  double entries = 0, bounds = 0;
  for (const SemidefiniteConstraint& row : given.constraints) {
    entries = std::max(entries, largest_entry(row.entries));
    bounds = std::max(bounds, std::abs(row.bound));
  }
  rows_ = unit_of(entries);
  solution_ = unit_of(bounds / rows_);
}

SemidefiniteProgram ProgramUnits::program(SemidefiniteProgram given) const {
  for (SymmetricEntry& e : given.cost) e.value /= cost_;
  for (SemidefiniteConstraint& row : given.constraints) {
    for (SymmetricEntry& e : row.entries) e.value /= rows_;
    (row.bound /= rows_) /= solution_;
  }
  if (given.trace_bound) *given.trace_bound /= solution_;
  return given;
}

SemidefiniteSolution ProgramUnits::of_program(SemidefiniteSolution given) const {
  return multiplied(std::move(given), 1 / solution_, 1 / cost_, rows_ / cost_);
}

SemidefiniteSolution ProgramUnits::of_given(SemidefiniteSolution x) const {
  return multiplied(std::move(x), solution_, cost_, cost_ / rows_);
}

}  // namespace alidade
