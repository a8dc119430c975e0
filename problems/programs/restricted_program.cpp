#include "problems/programs/restricted_program.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/sorted_lists.hpp"

namespace alidade {
namespace {

/// Sums of weights x d2_ij: by way of the basis or on top of a given matrix, whose upper triangle is read; as entries
/// where that is empty.
class GramEntries {
 public:
  GramEntries(const DistanceCost& cost, Matrix dense) : basis_(cost.basis), dense_(std::move(dense)) {}

  void add_distance(ObjectId a, ObjectId b, double weight) {
    const auto i = static_cast<Index>(std::min(a, b)), j = static_cast<Index>(std::max(a, b));
    if (basis_.size() > 0) {
      const Vector difference = (basis_.row(i) - basis_.row(j)).transpose();
      dense_.selfadjointView<Eigen::Upper>().rankUpdate(difference, weight);
      return;
    }
    for (const auto& [row, col, value] :
         {std::tuple(i, i, weight), std::tuple(j, j, weight), std::tuple(i, j, -weight)})
      (dense_.size() > 0 ? dense_(row, col) : sparse_[{row, col}]) += value;
  }
  void append_to(std::vector<SymmetricEntry>& out) const {
    for (Index i = 0; i < dense_.rows(); ++i)
      for (Index j = i; j < dense_.cols(); ++j)
        if (dense_(i, j) != 0) out.push_back({0, i, j, dense_(i, j)});
    for (const auto& [place, value] : sparse_)
      if (value != 0) out.push_back({0, place.first, place.second, value});
  }

 private:
  const Matrix& basis_;
  Matrix dense_;
  std::map<std::pair<Index, Index>, double> sparse_;
};

std::vector<SymmetricEntry> cost_entries(const DistanceCost& cost) {
  const Index order = cost.order();
  const bool based = cost.basis.size() > 0;
  Matrix c;
  if (based || cost.all_pairs != 0 || cost.ridge.size() > 0) {
    // kappa sum d2 = kappa n tr G for centred points, and tr G = tr M.
    c = Matrix::Constant(order, order, based ? 0 : -cost.all_pairs);
    c.diagonal().array() += cost.all_pairs * static_cast<double>(cost.object_count);
    if (cost.ridge.size() > 0) c += cost.ridge;
  }
  GramEntries entries(cost, std::move(c));
  for (const WeightedPair& pair : cost.pairs) entries.add_distance(pair.i, pair.j, pair.weight);
  std::vector<SymmetricEntry> out;
  entries.append_to(out);
  return out;
}

/// Rows without a radius, or whose radius has rows on both sides.
std::vector<std::pair<ConstraintId, DistanceConstraint>> binding_rows(const DistanceProgram& source,
                                                                      std::span<const ConstraintId> ids) {
  std::vector<std::pair<ConstraintId, DistanceConstraint>> rows;
  rows.reserve(ids.size());
  const auto radius_count = static_cast<std::size_t>(source.cost().radius_count);
  std::vector<char> below(radius_count, 0), above(radius_count, 0);
  for (const ConstraintId id : ids) {
    const DistanceConstraint row = source.row(id);
    rows.emplace_back(id, row);
    if (row.radius < 0) continue;
    const auto g = static_cast<std::size_t>(row.radius);
    if (row.equality || row.radius_coefficient > 0) below[g] = 1;
    if (row.equality || row.radius_coefficient < 0) above[g] = 1;
  }
  std::erase_if(rows, [&](const auto& entry) {
    const auto g = static_cast<std::size_t>(std::max<Index>(0, entry.second.radius));
    return entry.second.radius >= 0 && !(below[g] && above[g]);
  });
  return rows;
}

}  // namespace

RestrictedProgram restricted_program(const DistanceProgram& source, std::span<const ConstraintId> ids) {
  const DistanceCost& cost = source.cost();
  const Index order = cost.order();
  const auto rows = binding_rows(source, ids);

  RestrictedProgram out;
  out.scale = cost.trace_bound / static_cast<double>(order);
  SemidefiniteProgram& program = out.program;
  program.trace_bound = static_cast<double>(order);
  program.blocks = {{"M", order, false}};
  program.cost = cost_entries(cost);

  SemidefiniteConstraint trace{"trace", {}, Relation::at_most, static_cast<double>(order)};
  for (Index i = 0; i < order; ++i) trace.entries.push_back({0, i, i, 1});
  program.constraints.push_back(std::move(trace));

  for (const auto& [id, row] : rows)
    if (row.radius >= 0) out.radii.push_back(row.radius);
  sort_distinct(out.radii);
  auto scalars = static_cast<Index>(out.radii.size());
  for (const auto& [id, row] : rows) {
    SemidefiniteConstraint constraint{
        source.constraint_name(id), {}, row.equality ? Relation::equal : Relation::at_most, row.bound / out.scale};
    GramEntries entries(cost, cost.basis.size() > 0 ? Matrix(Matrix::Zero(order, order)) : Matrix());
    each_term(row, [&](const DistanceTerm& term) { entries.add_distance(term.i, term.j, term.coefficient); });
    entries.append_to(constraint.entries);
    if (row.radius >= 0) {
      const auto k = static_cast<Index>(place_in(out.radii, row.radius));
      constraint.entries.push_back({1, k, k, row.radius_coefficient});
    }
    if (std::isfinite(row.cap)) {
      constraint.entries.push_back({1, scalars, scalars, -1});
      program.cost.push_back({1, scalars, scalars, row.cap});
      ++scalars;
    }
    program.constraints.push_back(std::move(constraint));
    out.rows.push_back(id);
  }
  if (scalars > 0) program.blocks.push_back({"radii and slacks", scalars, true});
  return out;
}

SemidefiniteSolution of_whole(const DistanceProgram& source, const RestrictedProgram& restricted,
                              const SemidefiniteSolution& x) {
  SemidefiniteSolution out;
  SemidefiniteSolution::Block block = x.blocks.front();
  block.values *= block.factored ? std::sqrt(restricted.scale) : restricted.scale;
  out.blocks.push_back(std::move(block));
  Matrix radii = Matrix::Constant(source.cost().radius_count, 1, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < restricted.radii.size(); ++k)
    radii(restricted.radii[k], 0) = restricted.scale * x.blocks.at(1).values(static_cast<Index>(k), 0);
  out.blocks.push_back({false, std::move(radii)});
  if (x.multipliers.size() > 0) out.multipliers = -x.multipliers.tail(static_cast<Index>(restricted.rows.size()));
  out.rows = restricted.rows;
  return out;
}

}  // namespace alidade
