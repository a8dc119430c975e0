#include "solvers/semidefinite/admm/admm_program.hpp"

#include <algorithm>
#include <cmath>

#include "problems/core/decompositions/lapack.hpp"
#include "problems/core/decompositions/sparse_cholesky.hpp"
#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"

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

AdmmProgram::AdmmProgram(const SemidefiniteProgram& program, double bytes, const std::function<bool()>& asked) {
  const auto look = [&] {
    if (asked()) throw WorkStopped();
  };
  for (const SemidefiniteBlock& block : program.blocks) {
    const bool numbers = block.diagonal || block.size == 1;
    parts_.push_back({length_, block.size, numbers});
    length_ += numbers ? block.size : block.size * block.size;
  }
  const std::vector<Index> first = place(program, [](auto&&...) { return false; });
  set_x_unit(bounds_.norm());
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (Index k = first[p]; k < first[p + 1]; ++k) {
      const Part& part = parts_[p];
      const Index row = upper_[subscript(k)], col = lower_[subscript(k)];
      above_.push_back(part.offset + row + (part.numbers ? 0 : col * part.size));
      below_.push_back(part.offset + col + (part.numbers ? 0 : row * part.size));
    }
  const Index rows = bounds_.size();

  // Rows may depend on each other; they have norm 1.
  constexpr double kEntry = 12, kFull = 0.2, kRidge = 1e-13, kStrongRidge = 1e-9;
  const auto factor = std::make_shared<Factor>();
  factor_ = factor;
  Factor& f = *factor;
  const auto squared = static_cast<double>(rows) * static_cast<double>(rows);
  const auto require_room = [&](double needed) {
    require<ConfigError>(needed <= bytes,
                         "Solver 'admm' would need {:.2g} GB for a factor of the products of {} constraints, but "
                         "memory_gb leaves {:.2g}. Raise memory_gb.",
                         needed / 1e9, rows, bytes / 1e9);
  };
  constexpr double kCopies = 3;  // AA', a copy and that of its ordering
  double pairs = 0;
  for (Index place = 0; place < transposed_.rows(); ++place)
    pairs += std::pow(transposed_.outerIndexPtr()[place + 1] - transposed_.outerIndexPtr()[place], 2);
  require_room(kCopies * kEntry * std::min(pairs, squared));
  f.product = (SparseMatrix(a_ * weight_.asDiagonal()) * transposed_).pruned(1.0, 1e-300);
  Eigen::SparseMatrix<double> matrix = f.product;
  f.is_diagonal = matrix.nonZeros() == rows;
  look();
  f.sparse.plan(matrix);
  const double fill = f.sparse.fill();
  f.is_dense = fill > kFull * squared / 2 && rows > 1;
  require_room(fill < 2e9
                   ? kEntry * static_cast<double>(f.product.nonZeros()) + (f.is_dense ? 8 * squared : kEntry * fill)
                   : HUGE_VAL);
  look();
  for (const double ridge : {0.0, kRidge, kStrongRidge}) {
    f.refinements = ridge == kStrongRidge ? 3 : 1;
    if (f.is_dense) {
      f.dense = Eigen::MatrixXd(matrix);
      f.dense.diagonal().array() += ridge;
      const bool factored = dense_cholesky(f.dense, asked);
      look();
      if (factored && f.dense.diagonal().minCoeff() > 1e-6) break;
    } else {
      if (f.sparse.factor(matrix, ridge)) break;
    }
  }
}

Vector AdmmProgram::at_places(const Vector& x) const {
  Vector out(weight_.size());
  for (Index k = 0; k < out.size(); ++k) out[k] = weight_[k] * x[above_[subscript(k)]];
  return out;
}

void AdmmProgram::add_places(const Vector& at_places, Vector& x) const {
  for (Index k = 0; k < at_places.size(); ++k) {
    x[above_[subscript(k)]] += at_places[k];
    if (!on_diagonal(k)) x[below_[subscript(k)]] += at_places[k];
  }
}

void AdmmProgram::add_identity(double value, Vector& x) const {
  for (const Part& part : parts_)
    for (Index i = 0; i < part.size; ++i) x[part.offset + (part.numbers ? i : i * (part.size + 1))] += value;
}

Vector AdmmProgram::identity_at_places() const {
  Vector out(weight_.size());
  for (Index k = 0; k < out.size(); ++k) out[k] = on_diagonal(k) ? 1 : 0;
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
