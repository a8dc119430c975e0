#include "problems/programs/distinct_rows.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace alidade {
namespace distinct_rows {

/// A limit on <A, X> for the A of a group of constraints, which is a constraint divided by its first entry.
struct Limit {
  double value;
  std::optional<std::size_t> constraint{};
  double multiplier = 0;  // of the constraint, for 1 of this
  bool equal = false;     // whether that is an equation
};
struct Group {
  Limit low{-std::numeric_limits<double>::infinity()}, high{std::numeric_limits<double>::infinity()};
};

}  // namespace distinct_rows

DistinctRows::DistinctRows(const SemidefiniteProgram& program) : count_(program.constraints.size()) {
  using distinct_rows::Group;
  using distinct_rows::Limit;
  using Quotients = std::vector<std::tuple<Index, Index, Index, double>>;
  std::map<Quotients, Group> groups;
  groups[{}] = {.low = {0}, .high = {0}};
  for (std::size_t r = 0; r < count_; ++r) {
    const SemidefiniteConstraint& row = program.constraints[r];
    Quotients key;
    for (const SymmetricEntry& e : row.entries)
      if (e.value != 0) key.emplace_back(e.block, e.row, e.col, e.value);
    std::ranges::sort(key);
    const double first = key.empty() ? 1 : std::get<3>(key.front());
    for (auto& entry : key) std::get<3>(entry) /= first;
    Group& group = groups[std::move(key)];
    const double value = row.bound / first;
    const bool at_most = first > 0 ? row.relation == Relation::at_most : row.relation == Relation::at_least;
    // An equation stands for both of its limits where it is as tight as others.
    const bool equal = row.relation == Relation::equal;
    const auto as_tight = [&](const Limit& than) { return equal && !than.equal && value == than.value; };
    const Limit limit{value, r, 1 / first, equal};
    if ((equal || !at_most) && (value > group.low.value || as_tight(group.low))) group.low = limit;
    if ((equal || at_most) && (value < group.high.value || as_tight(group.high))) group.high = limit;
  }
  std::set<std::size_t> kept;
  for (const auto& [quotients, group] : groups) {
    if (group.low.value > group.high.value && !contradiction_) {
      contradiction_ = Vector::Zero(static_cast<Index>(count_));
      if (group.low.constraint) (*contradiction_)[static_cast<Index>(*group.low.constraint)] += group.low.multiplier;
      if (group.high.constraint) (*contradiction_)[static_cast<Index>(*group.high.constraint)] -= group.high.multiplier;
    }
    if (quotients.empty()) continue;
    if (group.low.constraint) kept.insert(*group.low.constraint);
    if (group.high.constraint) kept.insert(*group.high.constraint);
  }
  kept_.assign(kept.begin(), kept.end());
}

SemidefiniteProgram DistinctRows::program(const SemidefiniteProgram& given) const {
  SemidefiniteProgram out{given.blocks, given.cost, {}, given.trace_bound};
  for (const std::size_t r : kept_) out.constraints.push_back(given.constraints[r]);
  return out;
}

SemidefiniteSolution DistinctRows::expanded(SemidefiniteSolution x) const {
  const auto expand = [&](Vector& y) {
    if (y.size() == 0) return;
    Vector out = Vector::Zero(static_cast<Index>(count_));
    for (std::size_t k = 0; k < kept_.size(); ++k) out[static_cast<Index>(kept_[k])] = y[static_cast<Index>(k)];
    y = std::move(out);
  };
  expand(x.multipliers);
  expand(x.proof);
  if (x.ray) expand(x.ray->multipliers);
  return x;
}

}  // namespace alidade
