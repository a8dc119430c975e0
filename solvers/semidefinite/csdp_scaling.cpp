#include "solvers/semidefinite/csdp_scaling.hpp"

#include <cmath>
#include <utility>

namespace alidade::csdp {
namespace {

/// The power of two that brings a norm to 1/2 or above, and below 1; 1 for a norm of 0.
double to_one(double norm) {
  int exponent = 0;
  if (norm > 0) std::frexp(norm, &exponent);
  return std::ldexp(1, -exponent);
}

bool extreme(double norm) { return norm > 0 && (norm < 1e-6 || norm > 1e7); }

}  // namespace

Scaling::Scaling(const SemidefiniteProgram& program) {
  const double cost = norm_of(program.cost);
  bool any = extreme(cost);
  std::vector<double> rows;
  for (const auto& row : program.constraints) {
    const double norm = norm_of(row.entries);
    any = any || extreme(norm);
    rows.push_back(to_one(norm));
  }
  if (!any) return;
  rows_ = std::move(rows);
  cost_ = to_one(cost);
}

SemidefiniteProgram Scaling::scaled(SemidefiniteProgram program) const {
  for (auto& e : program.cost) e.value *= cost_;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (auto& e : program.constraints[r].entries) e.value *= rows_[r];
    program.constraints[r].bound *= rows_[r];
  }
  return program;
}

void Scaling::scale(Iterate& iterate) const {
  if (!any()) return;
  for (std::size_t r = 0; r < rows_.size(); ++r) iterate.y[r + 1] *= cost_ / rows_[r];
  for (std::size_t b = 0; b < iterate.z.block_count(); ++b)
    for (double& value : iterate.z.block(b)) value *= cost_;
}

SemidefiniteSolution Scaling::unscaled(SemidefiniteSolution x) const {
  if (!any()) return x;
  unscale(x.multipliers);
  for (Matrix& block : x.dual_blocks) block /= cost_;
  return x;
}

void Scaling::unscale(Vector& multipliers) const {
  for (std::size_t r = 0; r < rows_.size(); ++r) multipliers[static_cast<Index>(r)] *= rows_[r] / cost_;
}

}  // namespace alidade::csdp
