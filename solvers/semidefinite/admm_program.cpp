#include "solvers/semidefinite/admm_program.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "problems/core/decompositions/sparse_cholesky.hpp"
#include "problems/core/error.hpp"
#include "solvers/semidefinite/lapack.hpp"

namespace alidade {

/// Of AA' + ridge I: sparse, or dense where it fills in. Refined by residuals of AA' itself.
struct AdmmProgram::Factor {
  SparseMatrix product;  // AA'
  SparseCholesky sparse{SparseCholesky::Form::llt};
  Eigen::MatrixXd dense;
  bool is_dense = false, is_diagonal = false;
  int refinements = 0;

  [[nodiscard]] Vector once(const Vector& rhs) const {
    if (!is_dense) return sparse.solve(rhs);
    Vector out = rhs;
    solve_dense_cholesky(dense, out);
    return out;
  }
};

AdmmProgram::AdmmProgram(const SemidefiniteProgram& program, double bytes) {
  for (const SemidefiniteBlock& block : program.blocks) {
    const bool numbers = block.diagonal || block.size == 1;
    parts_.push_back({length_, block.size, numbers});
    length_ += numbers ? block.size : block.size * block.size;
  }
  const auto rows = static_cast<Index>(program.constraints.size());
  std::unordered_map<Index, int> place_of;
  const auto place = [&](const SymmetricEntry& e) {
    const Part& part = parts_[subscript(e.block)];
    const Index upper = part.offset + (part.numbers ? e.row : e.row + e.col * part.size);
    const auto [entry, fresh] = place_of.emplace(upper, static_cast<int>(upper_.size()));
    if (fresh) {
      upper_.push_back(upper);
      lower_.push_back(part.numbers ? upper : part.offset + e.col + e.row * part.size);
      diagonal_.push_back(e.row == e.col);
    }
    return entry->second;
  };
  const auto weighted = [](const SymmetricEntry& e) {
    return e.row == e.col ? e.value : std::numbers::sqrt2 * e.value;
  };
  std::vector<Eigen::Triplet<double>> entries;
  norms_ = Vector::Ones(rows);
  bounds_.resize(rows);
  for (Index r = 0; r < rows; ++r) {
    const SemidefiniteConstraint& row = program.constraints[subscript(r)];
    double squares = 0;
    for (const SymmetricEntry& e : row.entries) squares += weighted(e) * weighted(e);
    if (squares > 0) norms_[r] = std::sqrt(squares);
    for (const SymmetricEntry& e : row.entries)
      if (e.value != 0) entries.emplace_back(static_cast<int>(r), place(e), weighted(e) / norms_[r]);
    bounds_[r] = row.bound / norms_[r];
  }
  std::vector<std::pair<int, double>> costs;
  for (const SymmetricEntry& e : program.cost)
    if (e.value != 0) costs.emplace_back(place(e), weighted(e));
  for (const Part& part : parts_)  // the identity has a place, too
    for (Index i = 0; i < part.size; ++i) place({&part - parts_.data(), i, i, 1});
  const auto places = static_cast<Index>(upper_.size());
  cost_ = Vector::Zero(places);
  for (const auto& [where, value] : costs) cost_[where] += value;
  a_.resize(rows, places);
  a_.setFromTriplets(entries.begin(), entries.end());
  transposed_ = a_.transpose();
  if (bounds_.norm() > 0) x_unit_ = bounds_.norm();
  if (cost_.norm() > 0) z_unit_ = cost_.norm();
  bounds_ /= x_unit_;
  cost_ /= z_unit_;

  // Rows may depend on each other; they have norm 1.
  constexpr double kEntry = 12, kFull = 0.2, kRidge = 1e-13, kStrongRidge = 1e-9;
  factor_ = std::make_unique<Factor>();
  Factor& f = *factor_;
  f.product = (a_ * transposed_).pruned(1.0, 1e-300);
  const auto squared = static_cast<double>(rows) * static_cast<double>(rows);
  Eigen::SparseMatrix<double> matrix = f.product;
  f.is_diagonal = matrix.nonZeros() == rows;
  f.sparse.plan(matrix);
  const double fill = f.sparse.fill();
  f.is_dense = fill > kFull * squared / 2 && rows > 1;
  const double needed = kEntry * static_cast<double>(f.product.nonZeros()) + (f.is_dense ? 8 * squared : kEntry * fill);
  require<ConfigError>(needed <= bytes && fill < 2e9,
                       "Solver 'admm' would need {:.2g} GB for a factor of the products of {} constraints, but "
                       "memory_gb leaves {:.2g}. Raise memory_gb.",
                       needed / 1e9, rows, bytes / 1e9);
  for (const double ridge : {0.0, kRidge, kStrongRidge}) {
    f.refinements = ridge == kStrongRidge ? 3 : 1;
    if (f.is_dense) {
      f.dense = Eigen::MatrixXd(matrix);
      f.dense.diagonal().array() += ridge;
      if (dense_cholesky(f.dense) && f.dense.diagonal().minCoeff() > 1e-6) break;
    } else {
      if (f.sparse.factor(matrix, ridge)) break;
    }
  }
}

AdmmProgram::~AdmmProgram() = default;

Vector AdmmProgram::at_places(const Vector& x) const {
  Vector out(static_cast<Index>(upper_.size()));
  for (std::size_t k = 0; k < upper_.size(); ++k)
    out[static_cast<Index>(k)] = diagonal_[k] ? x[upper_[k]] : std::numbers::sqrt2 * x[upper_[k]];
  return out;
}

void AdmmProgram::add_places(const Vector& at_places, Vector& x) const {
  for (std::size_t k = 0; k < upper_.size(); ++k) {
    const double value = at_places[static_cast<Index>(k)];
    if (diagonal_[k]) {
      x[upper_[k]] += value;
    } else {
      x[upper_[k]] += value / std::numbers::sqrt2;
      x[lower_[k]] += value / std::numbers::sqrt2;
    }
  }
}

void AdmmProgram::add_identity(double value, Vector& x) const {
  for (const Part& part : parts_)
    for (Index i = 0; i < part.size; ++i) x[part.offset + (part.numbers ? i : i * (part.size + 1))] += value;
}

Vector AdmmProgram::identity_at_places() const {
  Vector out(static_cast<Index>(upper_.size()));
  for (std::size_t k = 0; k < upper_.size(); ++k) out[static_cast<Index>(k)] = diagonal_[k] ? 1 : 0;
  return out;
}

Vector AdmmProgram::solve(const Vector& rhs) const {
  const Factor& f = *factor_;
  if (f.is_diagonal) return rhs.cwiseQuotient(f.product.diagonal());
  Vector out = f.once(rhs);
  for (int k = 0; k < f.refinements; ++k) out += f.once(rhs - f.product * out);
  return out;
}

}  // namespace alidade
