#include "solvers/semidefinite/cutting/working_set.hpp"

#include <algorithm>
#include <cmath>

namespace alidade {
namespace working_set {

constexpr double kIdleMultiplier = 1e-6;  // of the largest
constexpr double kIdleSlack = 1e-3;       // for a mean squared distance of 2
constexpr double kIdleRatio = 1e-2;       // y, as a share of the largest, over slack

}  // namespace working_set

Index WorkingSet::add(std::span<const ConstraintId> rows) {
  Index added = 0;
  for (const ConstraintId row : rows) {
    if (!idle_.try_emplace(row, false).second) continue;
    rows_.push_back(row);
    ++added;
  }
  std::ranges::sort(rows_);
  return added;
}

void WorkingSet::drop_idle(const DistanceProgram& program, const SemidefiniteSolution& x, const SquaredDistances& d2,
                           double unit) {
  if (!drop_ || x.multipliers.size() == 0) return;
  const double largest = x.multipliers.maxCoeff();
  for (std::size_t k = 0; k < x.rows.size(); ++k) {
    const auto state = idle_.find(x.rows[k]);
    if (state == idle_.end()) continue;
    const DistanceConstraint row = program.row(x.rows[k]);
    double value = row_value(row, d2);
    if (row.radius >= 0) value += row.radius_coefficient * x.blocks.at(1).values(row.radius, 0);
    // Along the central path y x slack is constant in every row, so their ratio shows which of them goes to 0.
    const double room = std::abs(value) / unit;
    state->second = !row.equality && room > working_set::kIdleSlack &&
                    x.multipliers[static_cast<Index>(k)] <
                        largest * std::max(working_set::kIdleMultiplier, working_set::kIdleRatio * room);
  }
  std::erase_if(rows_, [&](ConstraintId row) {
    const auto state = idle_.find(row);
    if (!state->second || !dropped_.insert(row).second) return false;
    idle_.erase(state);
    return true;
  });
}

std::vector<ConstraintId> active_rows(const DistanceProgram& source, const SemidefiniteSolution& x) {
  const double least = working_set::kIdleMultiplier * x.multipliers.maxCoeff();
  std::vector<ConstraintId> out;
  for (std::size_t k = 0; k < x.rows.size(); ++k)
    if (x.multipliers[static_cast<Index>(k)] > least || source.row(x.rows[k]).equality) out.push_back(x.rows[k]);
  return out;
}

}  // namespace alidade
