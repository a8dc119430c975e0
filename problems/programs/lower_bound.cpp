#include "problems/programs/lower_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/programs/free_variables.hpp"
#include "problems/programs/trace_rows.hpp"

namespace alidade {
namespace {

/// Upper bounds on diagonal entries and on traces, implied by single rows.
struct DiagonalBounds {
  std::vector<Vector> entries;  // infinity: none
  std::vector<double> trace;
  std::vector<bool> by_entries;  // whether the trace's is the sum of the entries'
};
DiagonalBounds implied_bounds(const SemidefiniteProgram& program, const TraceRows& rows) {
  const auto bound_of = [&](const BoundingRow& by) {
    return by.row < 0 ? std::numeric_limits<double>::infinity()
                      : program.constraints[subscript(by.row)].bound / by.coefficient;
  };
  DiagonalBounds out;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    Vector& entries = out.entries.emplace_back(program.blocks[b].size);
    for (Index i = 0; i < entries.size(); ++i) entries[i] = bound_of(rows.entries[b][subscript(i)]);
    const double sum = entries.sum(), whole = bound_of(rows.trace[b]);
    out.by_entries.push_back(sum < whole);
    out.trace.push_back(std::min(whole, sum));
  }
  return out;
}

}  // namespace

std::optional<double> lower_bound(const SemidefiniteProgram& program, const Vector& y) {
  const auto proven = proven_bound(program, y);
  return proven ? std::optional(proven->value) : std::nullopt;
}

std::optional<ProvenBound> proven_bound(const SemidefiniteProgram& program, const Vector& y) {
  Vector clipped = y;
  for (std::size_t r = 0; r < program.constraints.size(); ++r) {
    const auto i = static_cast<Index>(r);
    if (!std::isfinite(clipped[i])) return std::nullopt;
    const Relation relation = program.constraints[r].relation;
    if ((relation == Relation::at_most && clipped[i] > 0) || (relation == Relation::at_least && clipped[i] < 0))
      clipped[i] = 0;
  }
  const FreeVariables free(program);
  clipped = free.balanced(clipped);
  double out = 0, magnitude = 0;
  for (std::size_t r = 0; r < program.constraints.size(); ++r) {
    const double term = program.constraints[r].bound * clipped[static_cast<Index>(r)];
    out += term;
    magnitude += std::abs(term);
  }
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  constexpr double kRounded = 64 * kEpsilon;  // of an equation that balanced() has met
  out -= kEpsilon * magnitude;
  const std::vector<Matrix> z = dual_slack(program, clipped);
  // Bounds the rounding error of the sums in the entries of Z.
  std::vector<double> largest(z.size(), 0);
  const auto note = [&](const std::vector<SymmetricEntry>& a, double scale) {
    for (const SymmetricEntry& e : a)
      largest[subscript(e.block)] = std::max(largest[subscript(e.block)], std::abs(scale * e.value));
  };
  note(program.cost, 1);
  for (std::size_t r = 0; r < program.constraints.size(); ++r)
    note(program.constraints[r].entries, clipped[static_cast<Index>(r)]);
  const TraceRows rows = trace_rows(program);
  const DiagonalBounds bounds = implied_bounds(program, rows);
  Vector repaired = clipped;
  double promised = 0;  // cost of the promised trace, which may lie wholly in the worst block
  for (std::size_t b = 0; b < z.size(); ++b) {
    const bool diagonal = program.blocks[b].diagonal;
    const double size = static_cast<double>(program.blocks[b].size);
    const double allowance = kEpsilon * size * std::max(largest[b], z[b].cwiseAbs().maxCoeff());
    if (diagonal) {
      for (Index i = 0; i < z[b].rows(); ++i) {
        const double least = z[b](i, 0) - kEpsilon * largest[b];
        if (least >= 0 || (free.has(b, i) && std::abs(z[b](i, 0)) <= kRounded * largest[b])) continue;
        const double bound = std::min(bounds.entries[b][i], bounds.trace[b]);
        if (std::isinf(bound)) return std::nullopt;
        out += bound * least;
        add_entry_multipliers(rows, b, i, least, repaired);
      }
      continue;
    }
    const double least = SymmetricEigen(z[b], false).eigenvalues()[0] - allowance;
    if (least >= 0) continue;
    if (std::isfinite(bounds.trace[b])) {
      out += bounds.trace[b] * least;
      add_trace_multipliers(rows, b, bounds.by_entries[b], least, repaired);
    } else if (program.trace_bound)
      promised = std::min(promised, *program.trace_bound * least);
    else
      return std::nullopt;
  }
  out += promised;
  if (!std::isfinite(out)) return std::nullopt;
  return ProvenBound{out, std::move(repaired)};
}

}  // namespace alidade
