#include "problems/programs/program_units.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alidade {
namespace {

/// The power of 4 by which a size comes into [1, 4); 1 if that is 0 or ordinary.
double unit_of(double largest, double least = 0x1p-7) {
  constexpr double kMost = 0x1p20;
  if (largest == 0 || (largest >= least && largest <= kMost)) return 1;
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

ProgramUnits::ProgramUnits(const SemidefiniteProgram& given) : rows_(std::ssize(given.constraints)) {
  double x = 0;  // the size that constraints ask of X
  for (Index r = 0; r < rows_.size(); ++r) {
    const SemidefiniteConstraint& row = given.constraints[subscript(r)];
    const double entries = largest_entry(row.entries);
    rows_[r] = unit_of(entries);
    if (entries > 0) x = std::max(x, std::abs(row.bound) / entries);
  }
  solution_ = unit_of(x);
  const double cost = largest_entry(given.cost);
  cost_ = unit_of(cost);
  cost_ *= std::min(1.0, unit_of(cost / cost_ * (x / solution_), 0x1p-10));
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
