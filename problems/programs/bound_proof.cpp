#include "problems/programs/bound_proof.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/programs/definiteness.hpp"
#include "problems/programs/free_variables.hpp"

namespace alidade {
namespace {

using EntryTerms = std::vector<EntryTerm>;

using Changes = std::vector<FreeVariables::Change>;

/// The terms of C - A'(y), block by block: all places that `changes` of y touch are among them.
std::vector<EntryTerms> slack_terms(const SemidefiniteProgram& program, const Vector& y, const Changes& changes) {
  std::vector<EntryTerms> out(program.blocks.size());
  std::vector<std::size_t> count(program.blocks.size(), 0);
  for (const SymmetricEntry& e : program.cost) ++count[subscript(e.block)];
  for (const SemidefiniteConstraint& row : program.constraints)
    for (const SymmetricEntry& e : row.entries) ++count[subscript(e.block)];
  for (std::size_t b = 0; b < out.size(); ++b) out[b].reserve(count[b]);
  for (const SymmetricEntry& e : program.cost) out[subscript(e.block)].push_back({e.row, e.col, {e.value, 1}});
  for (std::size_t r = 0; r < program.constraints.size(); ++r) {
    const double multiplier = y[static_cast<Index>(r)];
    if (multiplier == 0 &&
        std::ranges::find(changes, static_cast<Index>(r), &FreeVariables::Change::first) == changes.end())
      continue;
    for (const SymmetricEntry& e : program.constraints[r].entries)
      out[subscript(e.block)].push_back({e.row, e.col, {e.value, -multiplier}});
  }
  return out;
}

/// A double at or above bound / coefficient, for a coefficient above 0.
double quotient_above(double bound, double coefficient) {
  const double out = bound / coefficient;
  const std::array<Product, 2> excess{Product{out, coefficient}, Product{-bound, 1}};
  return std::isfinite(out) && exact_sum(excess).low >= 0 ? out : std::nextafter(out, HUGE_VAL);
}

/// Constraints that bound diagonal entries and traces by themselves, and the multipliers that do it. A row with
/// diagonal entries v_i >= 0 alone and <A, X> <= b (or = b), b >= 0, gives X_ii <= b / v_i for X >= 0. With y0 = 1 /
/// v_i in such rows, A'(y0) >= I on a block or >= e_i e_i', and b'y0 is the bound: y - t y0 raises the eigenvalues of
/// C - A'(y) by t and costs t b'y0. Bounds are rounded up, and infinite where there is none.
class TraceBounds {
 public:
  explicit TraceBounds(const SemidefiniteProgram& program) : program_(program), trace_(program.blocks.size()) {
    for (const SemidefiniteBlock& block : program.blocks) entries_.emplace_back(subscript(block.size));
    const auto take_less = [&](BoundingRow& least, const BoundingRow& by) {
      if (by.about < least.about) least = by;
    };
    std::vector<Index> covered(program.blocks.size());
    std::vector<double> least(program.blocks.size());
    for (std::size_t r = 0; r < program.constraints.size(); ++r) {
      const SemidefiniteConstraint& row = program.constraints[r];
      if (row.relation == Relation::at_least || row.bound < 0) continue;
      if (!std::ranges::all_of(row.entries, [](const auto& e) { return e.row == e.col && e.value >= 0; })) continue;
      std::ranges::fill(covered, Index{0});
      std::ranges::fill(least, kNone);
      const auto by = [&](double coefficient) {
        return BoundingRow{static_cast<Index>(r), coefficient, row.bound / coefficient};
      };
      for (const SymmetricEntry& e : row.entries) {
        if (e.value == 0) continue;
        take_less(entries_[subscript(e.block)][subscript(e.row)], by(e.value));
        ++covered[subscript(e.block)];
        least[subscript(e.block)] = std::min(least[subscript(e.block)], e.value);
      }
      for (const SymmetricEntry& e : row.entries)  // a block may be met many times; the result is the same
        if (covered[subscript(e.block)] == program.blocks[subscript(e.block)].size)
          take_less(trace_[subscript(e.block)], by(least[subscript(e.block)]));
    }
  }

  [[nodiscard]] double of_entry(std::size_t block, Index entry) const {
    return bound_of(entries_[block][subscript(entry)]);
  }
  /// Of a block's trace, and whether it is the sum of those of its entries.
  [[nodiscard]] std::pair<double, bool> of_trace(std::size_t block) const {
    const double whole = bound_of(trace_[block]);
    std::vector<Product> entries;
    for (Index i = 0; i < program_.blocks[block].size; ++i) {
      entries.push_back({of_entry(block, i), 1});
      if (std::isinf(entries.back().left)) return {whole, false};
    }
    const double sum = exact_sum(entries).high;
    return {std::min(whole, sum), sum < whole};
  }
  /// Adds t y0 to y, for one entry or for the trace. @pre the bound is finite
  void pay_entry(std::size_t block, Index entry, double t, Vector& y) const {
    const BoundingRow& by = entries_[block][subscript(entry)];
    y[by.row] += t / by.coefficient;
  }
  void pay_trace(std::size_t block, bool by_entries, double t, Vector& y) const {
    if (!by_entries) {
      y[trace_[block].row] += t / trace_[block].coefficient;
      return;
    }
    for (const BoundingRow& by : entries_[block]) y[by.row] += t / by.coefficient;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  struct BoundingRow {
    Index row = -1;  // -1: none
    double coefficient = 1, about = kNone;
  };
  [[nodiscard]] double bound_of(const BoundingRow& by) const {
    return by.row < 0 ? kNone : quotient_above(program_.constraints[subscript(by.row)].bound, by.coefficient);
  }

  const SemidefiniteProgram& program_;
  std::vector<std::vector<BoundingRow>> entries_;  // block, entry of its diagonal: the row with the least bound
  std::vector<BoundingRow> trace_;                 // of those with all diagonal entries; the coefficient is their least
};

/// Block b of C - A'(y) after the changes of y. @pre entries are sorted by place
void widen(EnclosedMatrix& matrix, const SemidefiniteProgram& program, Index b, const Changes& changes) {
  const auto place = [](const EnclosedEntry& e) { return std::pair(e.row, e.col); };
  for (const auto& [constraint, change] : changes)
    for (const SymmetricEntry& e : program.constraints[subscript(constraint)].entries) {
      if (e.block != b || e.value == 0) continue;
      Enclosure& entry = std::ranges::lower_bound(matrix.entries, std::pair(e.row, e.col), {}, place)->value;
      const auto& [low, high] = e.value > 0 ? Enclosure{change.high, change.low} : change;
      entry.low = exact_sum(std::array{Product{entry.low, 1}, Product{-e.value, low}}).low;
      entry.high = exact_sum(std::array{Product{entry.high, 1}, Product{-e.value, high}}).high;
    }
}

/// A diagonal block: each negative number costs its size times what the rows let X have there.
/// `free`: the variables whose numbers are 0, or no less than -`rounding`.
BlockProof prove_numbers(const EnclosedMatrix& numbers, const FreeVariables* free, double rounding,
                         const TraceBounds& bounds, std::size_t b, std::vector<Product>& value, Vector& moved) {
  BlockProof out{.method = BlockProof::Method::signs};
  for (const EnclosedEntry& number : numbers.entries) {
    const double low = number.value.low;
    if (low >= 0 || (free && low >= -rounding && free->has(b, number.row))) continue;
    const double high = bounds.of_entry(b, number.row);
    if (std::isfinite(high) && std::isfinite(low)) {
      out.method = BlockProof::Method::trace;
      out.shift = std::max(out.shift, -low);
      out.trace = std::max(out.trace.value_or(0), high);
      value.push_back({low, high});
      bounds.pay_entry(b, number.row, low, moved);
    } else {
      out.row = number.row;
      break;
    }
  }
  if (out.row >= 0) out.method = BlockProof::Method::none;
  return out;
}

/// Of sums of these terms, generously.
double rounding_of(const EntryTerms& terms) {
  double largest = 0;
  for (const EntryTerm& e : terms) largest = std::max(largest, std::abs(e.term.left * e.term.right));
  return 128 * std::numeric_limits<double>::epsilon() * largest;
}

/// `promised`: a bound on all traces that no row gives; what it pays is not in `value` yet.
BlockProof prove_matrix(EntryTerms terms, EnclosedMatrix matrix, const Changes& changes, const TraceBounds& bounds,
                        std::optional<double> promised, std::size_t b, const BoundProofOptions& options,
                        std::vector<Product>& value, Vector& moved) {
  BlockProof out;
  const Index size = matrix.size;
  if (size > options.exact_rows) EntryTerms().swap(terms);  // of a large program they take as much as all else
  DefinitenessTest test(std::move(matrix), 1e9 * options.memory_gb);
  out.too_large = !test.possible();
  if (test.proves(0)) {
    out.method = BlockProof::Method::cholesky;
    return out;
  }
  if (changes.empty() && size <= options.exact_rows && exactly_semidefinite(size, terms)) {
    out.method = BlockProof::Method::exact;
    return out;
  }
  const auto [high, by_entries] = bounds.of_trace(b);
  const bool pays = std::isfinite(high);
  out.trace = pays ? std::optional(high) : promised;
  if (!out.trace && !options.measures) return out;
  const auto shift = test.least_shift();
  if (!shift) return out;
  out.shift = *shift;
  if (!out.trace) return out;
  out.method = BlockProof::Method::trace;
  if (pays) {
    value.push_back({-out.shift, high});
    bounds.pay_trace(b, by_entries, -out.shift, moved);
  }
  return out;
}

/// The violation of a row, rounded up; 0 only if it holds exactly.
double violation_above(const SemidefiniteConstraint& row, const Enclosure& excess) {
  switch (row.relation) {
    case Relation::at_most: return std::max(0.0, excess.high);
    case Relation::at_least: return std::max(0.0, -excess.low);
    case Relation::equal: break;
  }
  return std::max(std::abs(excess.low), std::abs(excess.high));
}

/// X by its entries; of those outside, an error.
class PrimalMatrix {
 public:
  PrimalMatrix(const SemidefiniteProgram& program, const std::vector<SymmetricEntry>& x) {
    for (const SemidefiniteBlock& block : program.blocks) {
      rows_.emplace_back(subscript(block.size));
      blocks_.push_back({block.size, {}});
    }
    for (const SymmetricEntry& e : x) {
      require<DataError>(e.block >= 0 && e.block < std::ssize(blocks_) && e.row >= 0 && e.row <= e.col &&
                             e.col < blocks_[subscript(e.block)].size && std::isfinite(e.value),
                         "An entry of X at ({}, {}) of block {} is outside the program's blocks, or {} is not finite.",
                         e.row, e.col, e.block, e.value);
      rows_[subscript(e.block)][subscript(e.row)].emplace_back(e.col, e.value);
      blocks_[subscript(e.block)].entries.push_back({e.row, e.col, {e.value, e.value}});
    }
    for (auto& block : rows_)
      for (auto& row : block) {
        std::ranges::sort(row);
        require<DataError>(std::ranges::adjacent_find(row, {}, &Entry::first) == row.end(),
                           "An entry of X is given twice.");
      }
  }

  [[nodiscard]] const std::vector<EnclosedMatrix>& blocks() const { return blocks_; }
  /// The terms of <A, X>.
  [[nodiscard]] std::vector<Product> terms_of(const std::vector<SymmetricEntry>& a) const {
    std::vector<Product> out;
    for (const SymmetricEntry& e : a) {
      const auto& row = rows_[subscript(e.block)][subscript(e.row)];
      const auto match = std::ranges::lower_bound(row, e.col, {}, &Entry::first);
      if (match == row.end() || match->first != e.col) continue;
      out.push_back({e.value, match->second});
      if (e.row != e.col) out.push_back(out.back());
    }
    return out;
  }

 private:
  using Entry = std::pair<Index, double>;
  std::vector<std::vector<std::vector<Entry>>> rows_;
  std::vector<EnclosedMatrix> blocks_;
};

/// The least shift that is proven for a block of X; 0 also where exact elimination decides.
std::optional<double> shift_of(const EnclosedMatrix& block, bool diagonal, const BoundProofOptions& options) {
  DefinitenessTest test(block, 1e9 * options.memory_gb);
  if (test.proves(0)) return 0;
  if (!diagonal && block.size <= options.exact_rows) {
    EntryTerms entries;
    for (const EnclosedEntry& e : block.entries) entries.push_back({e.row, e.col, {e.value.low, 1}});
    if (exactly_semidefinite(block.size, entries)) return 0;
  }
  return test.least_shift();
}

}  // namespace

BoundProof prove_bound(const SemidefiniteProgram& program, const Vector& multipliers,
                       const BoundProofOptions& options) {
  require<DataError>(multipliers.size() == static_cast<Index>(program.constraints.size()),
                     "There are {} multipliers for {} constraints.", multipliers.size(), program.constraints.size());
  for (Index r = 0; r < multipliers.size(); ++r)
    require<DataError>(std::isfinite(multipliers[r]), "Multiplier {} is {}. Multipliers must be finite.", r + 1,
                       multipliers[r]);
  Vector y = of_right_sign(program, multipliers);
  const FreeVariables free(program);
  const Vector balanced = free.balanced(y);
  const auto exact = free.exact_changes(balanced);
  const Changes changes = exact.value_or(Changes());
  BoundProof out;
  out.moved = (balanced - y).lpNorm<Eigen::Infinity>();
  y = balanced;
  std::vector<Product> value;  // terms of the bound
  for (Index r = 0; r < y.size(); ++r) value.push_back({program.constraints[subscript(r)].bound, y[r]});
  for (const auto& [constraint, change] : changes) {
    const double bound = program.constraints[subscript(constraint)].bound;
    value.push_back({bound, bound > 0 ? change.low : change.high});
    out.moved = std::max(out.moved, std::abs(change.high) + std::abs(balanced[constraint] - multipliers[constraint]));
  }
  out.multipliers = y;
  const TraceBounds bounds(program);
  const auto promised = options.trusting ? program.trace_bound : std::nullopt;
  double paid = 0;  // of the promise: all of it may lie in the worst block
  std::vector<EntryTerms> slack = slack_terms(program, y, changes);
  bool proven = true;
  for (std::size_t b = 0; b < slack.size(); ++b) {
    const SemidefiniteBlock& block = program.blocks[b];
    EnclosedMatrix matrix = enclosed(block.size, slack[b]);
    widen(matrix, program, static_cast<Index>(b), changes);
    if (block.diagonal) {
      const double rounding = exact ? HUGE_VAL : rounding_of(slack[b]);
      out.blocks.push_back(prove_numbers(matrix, exact || options.trusting ? &free : nullptr, rounding, bounds, b,
                                         value, out.multipliers));
    } else {
      out.blocks.push_back(prove_matrix(std::move(slack[b]), std::move(matrix), changes, bounds, promised, b, options,
                                        value, out.multipliers));
      if (std::isinf(bounds.of_trace(b).first)) paid = std::max(paid, out.blocks.back().shift);
    }
    proven = proven && out.blocks.back().method != BlockProof::Method::none;
  }
  if (promised) value.push_back({-paid, *promised});
  const double sum = exact_sum(value).low;
  if (proven && std::isfinite(sum)) out.lower_bound = sum;
  return out;
}

std::optional<ProvenBound> proven_bound(const SemidefiniteProgram& program, const Vector& y,
                                        const BoundProofOptions& options) {
  if (!y.allFinite()) return std::nullopt;
  BoundProof proof = prove_bound(program, y, options);
  if (!proof.lower_bound) return std::nullopt;
  return ProvenBound{*proof.lower_bound, std::move(proof.multipliers)};
}

std::optional<double> lower_bound(const SemidefiniteProgram& program, const Vector& y) {
  const auto proven = proven_bound(program, y);
  return proven ? std::optional(proven->value) : std::nullopt;
}

BoundProof prove_infeasible(SemidefiniteProgram program, const Vector& y, const BoundProofOptions& options) {
  program.cost.clear();
  BoundProof out = prove_bound(program, y, options);
  if (out.lower_bound && !(*out.lower_bound > 0)) out.lower_bound.reset();
  return out;
}

PrimalCheck check_primal(const SemidefiniteProgram& program, const std::vector<SymmetricEntry>& x, const Vector& y,
                         const BoundProofOptions& options) {
  require<DataError>(y.size() == static_cast<Index>(program.constraints.size()),
                     "There are {} multipliers for {} constraints.", y.size(), program.constraints.size());
  const PrimalMatrix matrix(program, x);
  PrimalCheck out;
  out.value = exact_sum(matrix.terms_of(program.cost));
  out.violations = Vector::Zero(y.size());
  for (Index r = 0; r < y.size(); ++r) {
    const SemidefiniteConstraint& row = program.constraints[subscript(r)];
    std::vector<Product> terms = matrix.terms_of(row.entries);
    terms.push_back({row.bound, -1});
    const double violation = violation_above(row, exact_sum(terms));
    out.price += std::abs(y[r]) * violation;
    out.violations[r] = violation;
    if (violation <= out.largest_violation) continue;
    out.largest_violation = violation;
    out.largest_row = r;
  }
  out.shift = 0;
  for (std::size_t b = 0; b < program.blocks.size() && out.shift; ++b) {
    const auto shift = shift_of(matrix.blocks()[b], program.blocks[b].diagonal, options);
    out.shift = shift ? std::optional(std::max(*out.shift, *shift)) : std::nullopt;
  }
  out.feasible = out.largest_violation == 0 && out.shift == 0;
  return out;
}

}  // namespace alidade
