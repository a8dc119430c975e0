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

SemidefiniteSolution multiplied(SemidefiniteSolution x, double solution, double cost, const Vector& multipliers) {
  for (SemidefiniteSolution::Block& block : x.blocks) block.values *= block.factored ? std::sqrt(solution) : solution;
  for (Matrix& block : x.dual_blocks) block *= cost;
  for (Vector* y : {&x.multipliers, &x.proof, x.ray ? &x.ray->multipliers : nullptr})
    if (y && y->size() == multipliers.size()) *y = y->cwiseProduct(multipliers).eval();
  return x;
}

}  // namespace

ProgramUnits::ProgramUnits(const SemidefiniteProgram& given) : cost_(unit_of(largest_entry(given.cost))) {
  double entries = 0, bounds = 0;
  for (const SemidefiniteConstraint& row : given.constraints) {
    entries = std::max(entries, largest_entry(row.entries));
    bounds = std::max(bounds, std::abs(row.bound));
  }
  const double unit = unit_of(entries);
  rows_ = Vector::Constant(std::ssize(given.constraints), unit);
  solution_ = unit_of(bounds / unit);
}

ProgramUnits ProgramUnits::by_norms(const SemidefiniteProgram& given, bool always) {
  ProgramUnits out;
  out.rows_.setOnes(std::ssize(given.constraints));
  bool any = always;
  const auto unit_for = [&](double norm) {
    int exponent = 0;
    if (norm > 0) std::frexp(norm, &exponent);
    any = any || (norm > 0 && (norm < 1e-6 || norm > 1e7));
    return std::ldexp(1, exponent);
  };
  const double cost = unit_for(norm_of(given.cost));
  Vector rows(out.rows_.size());
  for (Index r = 0; r < rows.size(); ++r) rows[r] = unit_for(norm_of(given.constraints[subscript(r)].entries));
  if (!any) return out;
  out.cost_ = cost;
  out.rows_ = std::move(rows);
  return out;
}

SemidefiniteProgram ProgramUnits::program(SemidefiniteProgram given) const {
  for (SymmetricEntry& e : given.cost) e.value /= cost_;
  for (std::size_t r = 0; r < given.constraints.size(); ++r) {
    SemidefiniteConstraint& row = given.constraints[r];
    for (SymmetricEntry& e : row.entries) e.value /= rows_[static_cast<Index>(r)];
    (row.bound /= rows_[static_cast<Index>(r)]) /= solution_;
  }
  if (given.trace_bound) *given.trace_bound /= solution_;
  return given;
}

SemidefiniteSolution ProgramUnits::of_program(SemidefiniteSolution given) const {
  return multiplied(std::move(given), 1 / solution_, 1 / cost_, rows_ / cost_);
}

SemidefiniteSolution ProgramUnits::of_given(SemidefiniteSolution x) const {
  return multiplied(std::move(x), solution_, cost_, cost_ * rows_.cwiseInverse());
}

}  // namespace alidade
