#include "problems/programs/free_variables.hpp"

#include <algorithm>
#include <compare>

#include "problems/core/decompositions/cholesky.hpp"

namespace alidade {
namespace {

/// A column of a diagonal block: the cost as constraint -1, then the constraints.
struct DiagonalColumn {
  std::size_t block = 0;
  Index entry = 0;
  std::vector<std::pair<Index, double>> entries;

  [[nodiscard]] double sign() const { return entries.front().second < 0 ? -1 : 1; }
};

/// Columns that are equal up to their sign are equivalent.
std::strong_ordering compared(const DiagonalColumn& a, const DiagonalColumn& b) {
  if (const auto by_size = a.entries.size() <=> b.entries.size(); by_size != 0) return by_size;
  for (std::size_t k = 0; k < a.entries.size(); ++k) {
    const auto& [row, value] = a.entries[k];
    const auto& [other_row, other_value] = b.entries[k];
    if (const auto by_row = row <=> other_row; by_row != 0) return by_row;
    if (const auto by_value = std::strong_order(a.sign() * value, b.sign() * other_value); by_value != 0)
      return by_value;
  }
  return std::strong_ordering::equal;
}

std::vector<DiagonalColumn> diagonal_columns(const SemidefiniteProgram& program) {
  std::vector<std::size_t> first(program.blocks.size(), 0);
  std::vector<DiagonalColumn> out;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    first[b] = out.size();
    if (!program.blocks[b].diagonal) continue;
    for (Index i = 0; i < program.blocks[b].size; ++i) out.push_back({b, i, {}});
  }
  if (out.empty()) return out;
  const auto take = [&](Index constraint, const std::vector<SymmetricEntry>& entries) {
    for (const SymmetricEntry& e : entries)
      if (e.value != 0 && program.blocks[subscript(e.block)].diagonal)
        out[first[subscript(e.block)] + subscript(e.row)].entries.emplace_back(constraint, e.value);
  };
  take(-1, program.cost);
  for (std::size_t r = 0; r < program.constraints.size(); ++r)
    take(static_cast<Index>(r), program.constraints[r].entries);
  std::erase_if(out, [](const DiagonalColumn& column) { return column.entries.empty(); });
  return out;
}

}  // namespace

FreeVariables::FreeVariables(const SemidefiniteProgram& program)
    : constraints_(static_cast<Index>(program.constraints.size())), free_(program.blocks.size()) {
  std::vector<DiagonalColumn> columns = diagonal_columns(program);
  std::ranges::stable_sort(columns,
                           [](const DiagonalColumn& a, const DiagonalColumn& b) { return compared(a, b) < 0; });
  for (std::size_t begin = 0, end = 0; begin < columns.size(); begin = end) {
    bool both = false;
    for (end = begin; end < columns.size() && compared(columns[begin], columns[end]) == 0; ++end)
      both = both || columns[end].sign() != columns[begin].sign();
    if (!both) continue;
    for (std::size_t k = begin; k < end; ++k) {
      auto& of_block = free_[columns[k].block];
      of_block.resize(subscript(program.blocks[columns[k].block].size), false);
      of_block[subscript(columns[k].entry)] = true;
    }
    Equation equation;
    for (const auto& [constraint, value] : columns[begin].entries) {
      if (constraint < 0)
        equation.cost = value;
      else
        equation.entries.emplace_back(constraint, value);
    }
    equations_.push_back(std::move(equation));
  }
  if (empty()) return;
  for (const SemidefiniteConstraint& row : program.constraints) is_equality_.push_back(row.relation == Relation::equal);
}

std::vector<Product> FreeVariables::excess(const Equation& equation, const Vector& y) const {
  std::vector<Product> out{{equation.cost, 1}};
  for (const auto& [constraint, value] : equation.entries) out.push_back({value, -y[constraint]});
  return out;
}

Matrix FreeVariables::coefficients() const {
  Matrix out = Matrix::Zero(std::ssize(equations_), constraints_);
  for (std::size_t f = 0; f < equations_.size(); ++f)
    for (const auto& [constraint, value] : equations_[f].entries)
      if (is_equality_[subscript(constraint)]) out(static_cast<Index>(f), constraint) = value;
  return out;
}

Vector FreeVariables::balanced(const Vector& y) const {
  constexpr std::size_t kMost = 1000;
  constexpr int kRefinements = 3;
  if (empty() || equations_.size() > kMost || !y.allFinite()) return y;
  const Matrix a = coefficients();
  const PivotedCholesky normal(a * a.transpose());
  Vector out = y, rest(a.rows());
  for (int k = 0; k < kRefinements; ++k) {
    for (std::size_t f = 0; f < equations_.size(); ++f)
      rest[static_cast<Index>(f)] = exact_sum(excess(equations_[f], out)).low;
    out += a.transpose() * normal.solve(rest);
  }
  return out.allFinite() ? out : y;
}

std::optional<std::vector<FreeVariables::Change>> FreeVariables::exact_changes(const Vector& y) const {
  constexpr std::size_t kMost = 60;
  if (equations_.size() > kMost || !y.allFinite()) return std::nullopt;
  // One multiplier for each equation: the largest coefficient that elimination leaves.
  const Matrix whole = coefficients();
  Matrix a = whole;
  std::vector<Index> pivots;
  for (Index f = 0; f < a.rows(); ++f) {
    Index pivot = 0;
    if (!(a.row(f).cwiseAbs().maxCoeff(&pivot) > 0)) return std::nullopt;
    pivots.push_back(pivot);
    for (Index g = f + 1; g < a.rows(); ++g)
      if (a(g, pivot) != 0) {
        a.row(g) -= a(g, pivot) / a(f, pivot) * a.row(f);
        a(g, pivot) = 0;
      }
  }
  std::vector<std::vector<double>> square;
  std::vector<std::vector<Product>> right;
  for (std::size_t f = 0; f < equations_.size(); ++f) {
    std::vector<double>& row = square.emplace_back();
    for (const Index pivot : pivots) row.push_back(whole(static_cast<Index>(f), pivot));
    right.push_back(excess(equations_[f], y));
  }
  const auto solution = exact_solution(square, right);
  if (!solution) return std::nullopt;
  std::vector<Change> out;
  for (std::size_t k = 0; k < pivots.size(); ++k) out.emplace_back(pivots[k], (*solution)[k]);
  return out;
}

}  // namespace alidade
