#include "solvers/semidefinite/placed_program.hpp"

#include <algorithm>
#include <utility>

namespace alidade {

std::vector<Index> PlacedProgram::place(const SemidefiniteProgram& program, const KeptElsewhere& kept_elsewhere) {
  constexpr Index kNone = -2;
  const auto m = static_cast<Index>(program.constraints.size());
  norms_ = Vector::Ones(m);
  bounds_.resize(m);
  for (Index r = 0; r < m; ++r) {
    const SemidefiniteConstraint& row = program.constraints[subscript(r)];
    if (const double norm = norm_of(row.entries); norm > 0) norms_[r] = norm;
    bounds_[r] = row.bound / norms_[r];
    largest_bound_ = std::max(largest_bound_, std::abs(row.bound));
  }
  if (const double norm = norm_of(program.cost); norm > 0) z_unit_ = norm;

  struct Left {
    Index matrix, row, col;
    double value;
  };
  std::vector<std::vector<Left>> left(program.blocks.size());
  std::vector<std::vector<SymmetricEntry>> by_part(program.blocks.size());
  for (Index r = -1; r < m; ++r) {
    const double unit = r < 0 ? z_unit_ : norms_[r];
    for (auto& part : by_part) part.clear();
    for (const SymmetricEntry& e : r < 0 ? program.cost : program.constraints[subscript(r)].entries)
      if (e.value != 0) by_part[subscript(e.block)].push_back(e);
    for (std::size_t p = 0; p < by_part.size(); ++p) {
      if (kept_elsewhere(r, p, by_part[p], unit)) continue;
      for (const SymmetricEntry& e : by_part[p]) left[p].push_back({r, e.row, e.col, e.value / unit});
    }
  }

  std::vector<Eigen::Triplet<double>> entries;
  std::vector<std::pair<Index, double>> costs;
  std::vector<Index> out;
  for (std::size_t p = 0; p < left.size(); ++p) {
    out.push_back(std::ssize(upper_));
    for (Index i = 0; i < program.blocks[p].size; ++i) left[p].push_back({kNone, i, i, 0});
    std::ranges::sort(left[p], {}, [](const Left& e) { return std::pair(e.row, e.col); });
    for (std::size_t k = 0; k < left[p].size(); ++k) {
      const Left& e = left[p][k];
      if (k == 0 || e.row != left[p][k - 1].row || e.col != left[p][k - 1].col) {
        upper_.push_back(static_cast<int>(e.row));
        lower_.push_back(static_cast<int>(e.col));
      }
      const auto place = static_cast<int>(upper_.size() - 1);
      if (e.matrix == -1) costs.emplace_back(place, e.value);
      if (e.matrix >= 0) entries.emplace_back(static_cast<int>(e.matrix), place, e.value);
    }
  }
  const auto places = std::ssize(upper_);
  out.push_back(places);
  weight_.resize(places);
  for (Index k = 0; k < places; ++k) weight_[k] = on_diagonal(k) ? 1 : 2;
  cost_ = Vector::Zero(places);
  for (const auto& [place, value] : costs) cost_[place] += value;
  a_.resize(m, places);
  a_.setFromTriplets(entries.begin(), entries.end());
  transposed_ = a_.transpose();
  return out;
}

void PlacedProgram::set_x_unit(double unit) {
  if (!(unit > 0)) return;
  x_unit_ = unit;
  bounds_ /= unit;
}

}  // namespace alidade
