#include "problems/programs/fixed_diagonal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "problems/programs/definiteness.hpp"

namespace alidade {
namespace {

FrontCholesky::Sparse strictly_lower_triangle(const SparseMatrix& cost) {
  FrontCholesky::Sparse out(cost.rows(), cost.cols());
  out.reserve(cost.nonZeros() / 2);
  for (Index j = 0; j < cost.rows(); ++j) {
    out.startVec(j);
    for (SparseMatrix::InnerIterator it(cost, j); it; ++it)
      if (it.col() > j) out.insertBack(it.col(), j) = it.value();
  }
  out.finalize();
  return out;
}

}  // namespace

Vector FixedDiagonal::of_program(const Vector& y) const {
  Vector out = Vector::Zero(constraint_count);
  for (Index i = 0; i < y.size(); ++i) out[constraint[subscript(i)]] = y[i] / coefficient[i];
  return out;
}

FixedDiagonalForm fixed_diagonal_form(const SemidefiniteProgram& program) {
  FixedDiagonalForm out;
  if (program.blocks.size() != 1 || program.blocks.front().diagonal) {
    out.reason = fmt::format("it has {} blocks or a diagonal one", program.blocks.size());
    return out;
  }
  const Index n = program.blocks.front().size;
  FixedDiagonal form;
  form.diagonal = Vector::Zero(n);
  form.coefficient = Vector::Zero(n);
  form.constraint.assign(subscript(n), -1);
  form.constraint_count = static_cast<Index>(program.constraints.size());
  for (std::size_t r = 0; r < program.constraints.size(); ++r) {
    const SemidefiniteConstraint& row = program.constraints[r];
    const SymmetricEntry* only = nullptr;
    bool single = true;
    for (const SymmetricEntry& e : row.entries) {
      if (e.value == 0) continue;
      single = single && only == nullptr && e.row == e.col;
      only = &e;
    }
    if (!single || only == nullptr) {
      out.reason = fmt::format("constraint {} is not about one diagonal entry alone", r + 1);
      return out;
    }
    if (row.relation != Relation::equal) {
      if ((row.relation == Relation::at_most) != (only->value > 0)) {
        out.reason = fmt::format("constraint {} is a lower bound of X({}, {})", r + 1, only->row + 1, only->row + 1);
        return out;
      }
      form.capped.resize(subscript(n), false);
      form.capped[subscript(only->row)] = true;
    }
    const double value = row.bound / only->value;
    if (!(value > 0) || !std::isfinite(value)) {
      out.reason =
          fmt::format("constraint {} fixes X({}, {}) at {}, not above 0", r + 1, only->row + 1, only->row + 1, value);
      return out;
    }
    if (form.constraint[subscript(only->row)] >= 0) {
      if (form.diagonal[only->row] == value) continue;
      out.reason = fmt::format("constraints {} and {} fix X({}, {}) at different values",
                               form.constraint[subscript(only->row)] + 1, r + 1, only->row + 1, only->row + 1);
      return out;
    }
    form.constraint[subscript(only->row)] = static_cast<Index>(r);
    form.coefficient[only->row] = only->value;
    form.diagonal[only->row] = value;
  }
  const auto free = std::ranges::find(form.constraint, Index{-1});
  if (free != form.constraint.end()) {
    const auto i = free - form.constraint.begin() + 1;
    out.reason = fmt::format("no constraint fixes X({}, {})", i, i);
    return out;
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (const SymmetricEntry& e : program.cost) {
    if (e.value == 0) continue;
    if (e.row == e.col && e.value > 0 && !form.capped.empty() && form.capped[subscript(e.row)]) {
      out.reason = fmt::format("X({}, {}) is only bounded from above, and has a positive cost", e.row + 1, e.col + 1);
      return out;
    }
    const int i = static_cast<int>(e.row), j = static_cast<int>(e.col);
    entries.emplace_back(i, j, e.value);
    if (i != j) entries.emplace_back(j, i, e.value);
  }
  form.cost.resize(n, n);
  form.cost.setFromTriplets(entries.begin(), entries.end());
  out.found = std::move(form);
  return out;
}

DiagonalCertificate::DiagonalCertificate(const FixedDiagonal& program, double bytes)
    : program_(program),
      below_(strictly_lower_triangle(program.cost)),
      diagonal_(program.cost.diagonal()),
      plan_(below_),
      possible_(plan_.bytes() <= bytes) {}

std::optional<double> DiagonalCertificate::bound(const Vector& y, const std::function<bool()>& stop) {
  if (!possible_ || !y.allFinite()) return std::nullopt;
  const Index n = y.size();
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  Vector slack(n);  // diagonal of C - diag(y)
  double roots = 0, sum = 0, magnitude = 0;
  for (Index i = 0; i < n; ++i) {
    const double entry = diagonal_[i];
    magnitude += program_.diagonal[i] * (std::abs(entry) + 2 * std::abs(y[i]));
    slack[i] = entry - y[i];
    if (!(slack[i] > 0)) return std::nullopt;
    roots += std::sqrt(slack[i] * program_.diagonal[i]);
    sum += program_.diagonal[i] * y[i];
  }
  if (plan_.factor(below_, {slack.data(), subscript(n)}, stop) != FrontCholesky::Outcome::positive) return std::nullopt;
  const double rounding = static_cast<double>(n + 8) * kEpsilon;
  return sum - factor_error(static_cast<double>(plan_.longest_row())) * roots * roots * (1 + 2 * rounding) -
         rounding * magnitude;
}

}  // namespace alidade
