#include "problems/programs/semidefinite_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>

#include "problems/core/error.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/trace_proof.hpp"

namespace alidade {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr double kViolated = 1e-9;  // relative to 1 + |bound|

/// "row 3 ('trace')", from 1.
std::string constraint_name(const SemidefiniteProgram& program, std::size_t r) {
  const std::string& name = program.constraints[r].name;
  return name.empty() ? fmt::format("Constraint {}", r + 1) : fmt::format("Constraint {} ('{}')", r + 1, name);
}

/// Whether an entry of `a` is not zero.
bool check_entries(const SemidefiniteProgram& program, const std::vector<SymmetricEntry>& a, const std::string& where) {
  std::vector<std::tuple<Index, Index, Index>> places;
  places.reserve(a.size());
  bool nonzero = false;
  for (const SymmetricEntry& e : a) {
    require<DataError>(e.block >= 0 && e.block < static_cast<Index>(program.blocks.size()),
                       "{} has an entry in block {}, but there are {} blocks, counted from 0.", where, e.block,
                       program.blocks.size());
    const SemidefiniteBlock& block = program.blocks[subscript(e.block)];
    require<DataError>(e.row >= 0 && e.row < block.size && e.col >= 0 && e.col < block.size,
                       "{} has an entry at ({}, {}), counted from 0, of block {} ('{}'), which is {} x {}.", where,
                       e.row, e.col, e.block, block.name, block.size, block.size);
    require<DataError>(
        e.row <= e.col,
        "{} has an entry at ({}, {}) of block {}, below the diagonal. Store the one above it; it counts for both.",
        where, e.row, e.col, e.block);
    require<DataError>(!block.diagonal || e.row == e.col,
                       "{} has an entry at ({}, {}) of block {} ('{}'), which is diagonal.", where, e.row, e.col,
                       e.block, block.name);
    require<DataError>(std::isfinite(e.value), "{} has {} at ({}, {}) of block {}. Entries must be finite.", where,
                       e.value, e.row, e.col, e.block);
    places.emplace_back(e.block, e.row, e.col);
    nonzero = nonzero || e.value != 0;
  }
  std::ranges::sort(places);
  const auto twice = std::ranges::adjacent_find(places);
  if (twice != places.end())
    throw DataError(fmt::format("{} has two entries at ({}, {}) of block {}. Store their sum.", where,
                                std::get<1>(*twice), std::get<2>(*twice), std::get<0>(*twice)));
  return nonzero;
}

double value_at(const Matrix& block, Index row, Index col) { return block(row, block.cols() == 1 ? 0 : col); }

double largest_bound(const SemidefiniteProgram& program) {
  double out = 0;
  for (const auto& row : program.constraints) out = std::max(out, std::abs(row.bound));
  return out;
}

/// How far y_r is on the wrong side of 0 for its row.
double wrong_sign(Relation relation, double y) {
  if (relation == Relation::at_most) return std::max(0.0, y);
  if (relation == Relation::at_least) return std::max(0.0, -y);
  return 0;
}

/// The slack of an inequality: b - <A, X> or <A, X> - b.
double slack_of_row(const SemidefiniteConstraint& row, double value) {
  return row.relation == Relation::at_least ? value - row.bound : row.bound - value;
}

void check_size(const SemidefiniteProgram& program, std::size_t b, const Matrix& values, std::string_view what) {
  const SemidefiniteBlock& block = program.blocks[b];
  const Index cols = block.diagonal ? 1 : block.size;
  require<DataError>(values.rows() == block.size && values.cols() == cols,
                     "{} of block {} ('{}') is {} x {}, but the program needs {} x {}.", what, b, block.name,
                     values.rows(), values.cols(), block.size, cols);
}

}  // namespace

std::string complaint_of_zero(const SemidefiniteConstraint& row) {
  const bool holds = row.relation == Relation::equal     ? row.bound == 0
                     : row.relation == Relation::at_most ? 0 <= row.bound
                                                         : 0 >= row.bound;
  const std::string_view sign = row.relation == Relation::equal ? "=" : row.relation == Relation::at_most ? "<=" : ">=";
  return fmt::format("has no entry other than 0, so it says 0 {} {}{}", sign, row.bound,
                     holds ? ", which always holds. Leave it out"
                           : ": no matrix satisfies it, and the program is infeasible. Correct the constraint");
}

void require_valid(const SemidefiniteProgram& program, bool zero_rows) {
  require<DataError>(!program.blocks.empty(), "The semidefinite program has no block. It needs at least one.");
  for (std::size_t b = 0; b < program.blocks.size(); ++b)
    require<DataError>(program.blocks[b].size >= 1, "Block {} ('{}') has size {}. A block needs at least one row.", b,
                       program.blocks[b].name, program.blocks[b].size);
  check_entries(program, program.cost, "The cost");
  std::set<std::string_view> names;
  for (std::size_t r = 0; r < program.constraints.size(); ++r) {
    const SemidefiniteConstraint& row = program.constraints[r];
    require<DataError>(std::isfinite(row.bound), "{} has the bound {}. Bounds must be finite.",
                       constraint_name(program, r), row.bound);
    if (!check_entries(program, row.entries, constraint_name(program, r)) && !zero_rows)
      throw DataError(fmt::format("{} {}.", constraint_name(program, r), complaint_of_zero(row)));
    require<DataError>(row.name.empty() || names.insert(row.name).second,
                       "Constraint {} has the name '{}' of an earlier constraint.", r + 1, row.name);
  }
  require<DataError>(!program.trace_bound || (std::isfinite(*program.trace_bound) && *program.trace_bound > 0),
                     "The trace bound is {}. It must be finite and above 0.", program.trace_bound.value_or(0));
}

double inner_product(const std::vector<SymmetricEntry>& a, const std::vector<Matrix>& x) {
  double sum = 0;
  for (const SymmetricEntry& e : a)
    sum += (e.row == e.col ? 1.0 : 2.0) * e.value * value_at(x[subscript(e.block)], e.row, e.col);
  return sum;
}

double inner_product(const std::vector<SymmetricEntry>& a, const std::vector<SemidefiniteSolution::Block>& x) {
  double sum = 0;
  for (const SymmetricEntry& e : a) {
    const SemidefiniteSolution::Block& block = x[subscript(e.block)];
    const double value =
        block.factored ? block.values.row(e.row).dot(block.values.row(e.col)) : value_at(block.values, e.row, e.col);
    sum += (e.row == e.col ? 1.0 : 2.0) * e.value * value;
  }
  return sum;
}

double largest_entry(const std::vector<SymmetricEntry>& a) {
  double out = 0;
  for (const SymmetricEntry& e : a) out = std::max(out, std::abs(e.value));
  return out;
}

double norm_of(const std::vector<SymmetricEntry>& a) {
  double squares = 0;
  const double largest = largest_entry(a);
  for (const SymmetricEntry& e : a) squares += (e.row == e.col ? 1 : 2) * (e.value * e.value);
  if (std::isnormal(squares) || largest == 0 || !std::isfinite(largest)) return std::sqrt(squares);
  std::vector<SymmetricEntry> scaled = a;
  for (SymmetricEntry& e : scaled) e.value /= largest;
  return largest * norm_of(scaled);
}

double dual_value(const SemidefiniteProgram& program, const Vector& y) {
  double out = 0;
  for (Index r = 0; r < y.size(); ++r) out += program.constraints[subscript(r)].bound * y[r];
  return out;
}

Vector of_right_sign(const SemidefiniteProgram& program, Vector y) {
  for (Index r = 0; r < y.size(); ++r)
    if (wrong_sign(program.constraints[subscript(r)].relation, y[r]) > 0) y[r] = 0;
  return y;
}

std::vector<Matrix> dense_blocks(const SemidefiniteProgram& program,
                                 const std::vector<SemidefiniteSolution::Block>& blocks) {
  require<DataError>(blocks.size() == program.blocks.size(), "The solution has {} blocks, but the program has {}.",
                     blocks.size(), program.blocks.size());
  std::vector<Matrix> out;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    require<DataError>(!(blocks[b].factored && program.blocks[b].diagonal),
                       "The solution has factors for block {} ('{}'), which is diagonal.", b, program.blocks[b].name);
    out.push_back(blocks[b].dense());
    check_size(program, b, out.back(), "The solution");
  }
  return out;
}

std::vector<Matrix> dual_slack(const SemidefiniteProgram& program, const Vector& y, double cost) {
  require<DataError>(y.size() == static_cast<Index>(program.constraints.size()),
                     "There are {} multipliers for {} constraints.", y.size(), program.constraints.size());
  std::vector<Matrix> out;
  for (const auto& block : program.blocks) out.push_back(Matrix::Zero(block.size, block.diagonal ? 1 : block.size));
  const auto add = [&](const std::vector<SymmetricEntry>& a, double scale) {
    for (const SymmetricEntry& e : a) {
      Matrix& block = out[subscript(e.block)];
      const Index col = program.blocks[subscript(e.block)].diagonal ? 0 : e.col;
      block(e.row, col) += scale * e.value;
      if (e.row != e.col) block(e.col, e.row) += scale * e.value;
    }
  };
  add(program.cost, cost);
  for (std::size_t r = 0; r < program.constraints.size(); ++r)
    add(program.constraints[r].entries, -y[static_cast<Index>(r)]);
  return out;
}

double SemidefiniteErrors::worst() const {
  double out = 0;
  for (const double e : dimacs) out = std::isnan(out) || std::isnan(e) ? kUndefined : std::max(out, std::abs(e));
  return out;
}

namespace {

void measure_by_norms(const SemidefiniteProgram& program, SemidefiniteErrors& errors) {
  double bounds = 0;
  for (const auto& row : program.constraints) bounds += row.bound * row.bound;
  SemidefiniteErrors scaled = errors;
  const double of_b = (1 + largest_bound(program)) / (1 + std::sqrt(bounds));
  const double of_c = (1 + largest_entry(program.cost)) / (1 + norm_of(program.cost));
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) scaled.dimacs[k] *= of_b;
  for (const std::size_t k : {std::size_t{2}, std::size_t{3}}) scaled.dimacs[k] *= of_c;
  errors.worst_by_norms = scaled.worst();
}

/// What the rows say of X and y; fills the figures that are not eigenvalues.
struct RowSums {
  double violations = 0;        // squared
  double matched = 0;           // y'A(X)
  double slacks = 0;            // times |y|
  double least_multiplier = 0;  // by how much one has a wrong sign, as a negative number
};
RowSums measure_rows(const SemidefiniteProgram& program, const SemidefiniteSolution& x, SemidefiniteErrors& out) {
  RowSums sums;
  out.primal_objective = inner_product(program.cost, x.blocks);
  out.dual_objective = dual_value(program, x.multipliers);
  for (std::size_t r = 0; r < program.constraints.size(); ++r) {
    const SemidefiniteConstraint& row = program.constraints[r];
    const double value = inner_product(row.entries, x.blocks), y = x.multipliers[static_cast<Index>(r)];
    const bool equal = row.relation == Relation::equal;
    const double slack = slack_of_row(row, value), violation = equal ? std::abs(slack) : std::max(0.0, -slack);
    if (!equal) sums.slacks += std::max(0.0, slack) * std::abs(y);
    sums.matched += value * y;
    sums.violations += violation * violation;
    sums.least_multiplier = std::min(sums.least_multiplier, -wrong_sign(row.relation, y));
    out.violations.max = std::max(out.violations.max, violation);
    out.violations.sum += violation;
    if (!(violation <= kViolated * (1 + std::abs(row.bound)))) ++out.violations.count;
  }
  return sums;
}

/// How far Z = C - A'(y) is from semidefinite, by factors; empty if they do not say, or eigenvalues are quick.
std::optional<double> sparse_lack(const SemidefiniteProgram& program, const Vector& y) {
  constexpr double kGigabytes = 8;
  constexpr Index kQuick = 200;
  if (std::ranges::all_of(program.blocks, [](const auto& b) { return b.diagonal || b.size <= kQuick; }))
    return std::nullopt;
  double out = 0;
  for (const BlockProof& block : prove_bound(program, y, {.exact_rows = 0, .memory_gb = kGigabytes}).blocks) {
    if (block.method == BlockProof::Method::none && !(block.shift > 0)) return std::nullopt;
    out = std::max(out, block.shift);
  }
  return out;
}

/// As sparse_lack(), if X needs no dense matrix either: it is a factor, and so semidefinite.
std::optional<double> lack_without_matrices(const SemidefiniteProgram& program, const SemidefiniteSolution& x) {
  if (!x.dual_blocks.empty() || x.blocks.size() != program.blocks.size() ||
      x.multipliers.size() != static_cast<Index>(program.constraints.size()) || !x.multipliers.allFinite())
    return std::nullopt;
  for (std::size_t b = 0; b < x.blocks.size(); ++b) {
    const SemidefiniteBlock& block = program.blocks[b];
    const Matrix& values = x.blocks[b].values;
    if (values.rows() != block.size || x.blocks[b].factored == block.diagonal ||
        (block.diagonal && (values.cols() != 1 || values.minCoeff() < 0)))
      return std::nullopt;
  }
  return sparse_lack(program, x.multipliers);
}

}  // namespace

SemidefiniteErrors errors_of(const SemidefiniteProgram& program, const SemidefiniteSolution& x) {
  SemidefiniteErrors out;
  RowSums sums;
  double least_x = 0, least_z = 0, dual = 0, inner = 0;  // inner: <X, Z> without slacks
  if (const auto lack = lack_without_matrices(program, x)) {
    sums = measure_rows(program, x, out);
    least_z = -*lack;
    inner = out.primal_objective - sums.matched;
  } else {
    const std::vector<Matrix> primal = dense_blocks(program, x.blocks);
    const std::vector<Matrix> exact = dual_slack(program, x.multipliers);
    const std::vector<Matrix>& z = x.dual_blocks.empty() ? exact : x.dual_blocks;
    require<DataError>(z.size() == program.blocks.size(), "The solution has {} dual blocks, but the program has {}.",
                       z.size(), program.blocks.size());
    sums = measure_rows(program, x, out);
    for (std::size_t b = 0; b < primal.size(); ++b) {
      check_size(program, b, z[b], "The dual solution");
      dual += (exact[b] - z[b]).squaredNorm();
      inner += primal[b].cwiseProduct(z[b]).sum();
      least_x = std::min(least_x, least_eigenvalue(primal[b], program.blocks[b].diagonal));
      least_z = std::min(least_z, least_eigenvalue(z[b], program.blocks[b].diagonal));
    }
  }
  least_z = std::min(least_z, sums.least_multiplier);
  const double b_scale = 1 + largest_bound(program), c_scale = 1 + largest_entry(program.cost);
  const double objective_scale = 1 + std::abs(out.primal_objective) + std::abs(out.dual_objective);
  out.dimacs = {std::sqrt(sums.violations) / b_scale,
                std::max(0.0, -least_x) / b_scale,
                std::sqrt(dual) / c_scale,
                std::max(0.0, -least_z) / c_scale,
                (out.primal_objective - out.dual_objective) / objective_scale,
                (inner + sums.slacks) / objective_scale};
  measure_by_norms(program, out);
  return out;
}

SemidefiniteErrors errors_of_rows(const SemidefiniteProgram& program, const SemidefiniteSolution& x) {
  SemidefiniteErrors out;
  measure_rows(program, x, out);
  return out;
}

EqualityForm equality_form(const SemidefiniteProgram& program) {
  EqualityForm out{{std::shared_ptr<void>(), &program}, {}, 0};
  for (const auto& row : program.constraints)
    out.slack_of.push_back(row.relation == Relation::equal ? -1 : out.slack_count++);
  if (out.slack_count == 0) return out;
  auto whole = std::make_shared<SemidefiniteProgram>(program);
  const auto block = static_cast<Index>(program.blocks.size());
  for (std::size_t r = 0; r < out.slack_of.size(); ++r) {
    const Index slack = out.slack_of[r];
    if (slack < 0) continue;
    SemidefiniteConstraint& row = whole->constraints[r];
    row.entries.push_back({block, slack, slack, row.relation == Relation::at_most ? 1.0 : -1.0});
    row.relation = Relation::equal;
  }
  whole->blocks.push_back({"slack", out.slack_count, true});
  out.program = std::move(whole);
  return out;
}

SemidefiniteSolution with_slacks(const EqualityForm& form, const SemidefiniteProgram& original,
                                 const SemidefiniteSolution& x) {
  SemidefiniteSolution out = x;
  if (form.slack_count == 0) return out;
  Matrix slack(form.slack_count, 1), dual(form.slack_count, 1);
  const std::vector<Matrix> primal = x.blocks.empty() ? std::vector<Matrix>() : dense_blocks(original, x.blocks);
  for (std::size_t r = 0; r < form.slack_of.size(); ++r) {
    const Index s = form.slack_of[r];
    if (s < 0) continue;
    const SemidefiniteConstraint& row = original.constraints[r];
    if (!primal.empty()) slack(s, 0) = std::max(0.0, slack_of_row(row, inner_product(row.entries, primal)));
    if (x.multipliers.size() > 0) {
      const double y = x.multipliers[static_cast<Index>(r)];
      dual(s, 0) = std::max(0.0, row.relation == Relation::at_most ? -y : y);
    }
  }
  if (!primal.empty()) out.blocks.push_back({false, slack});
  if (!x.dual_blocks.empty() && x.multipliers.size() > 0) out.dual_blocks.push_back(dual);
  return out;
}

SemidefiniteSolution without_slacks(const EqualityForm& form, SemidefiniteSolution x) {
  if (form.slack_count == 0) return x;
  if (!x.blocks.empty()) x.blocks.pop_back();
  if (!x.dual_blocks.empty()) x.dual_blocks.pop_back();
  return x;
}

}  // namespace alidade
