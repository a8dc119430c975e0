#include "problems/programs/trace_rows.hpp"

#include <algorithm>
#include <limits>

namespace alidade {

TraceRows trace_rows(const SemidefiniteProgram& program) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  TraceRows out;
  const auto bound_of = [&](const BoundingRow& by) {
    return by.row < 0 ? kInfinity : program.constraints[subscript(by.row)].bound / by.coefficient;
  };
  const auto take_less = [&](BoundingRow& least, const BoundingRow& by) {
    if (bound_of(by) < bound_of(least)) least = by;
  };
  for (const SemidefiniteBlock& block : program.blocks) out.entries.emplace_back(subscript(block.size));
  out.trace.resize(program.blocks.size());
  std::vector<Index> covered(program.blocks.size());
  std::vector<double> least(program.blocks.size());
  for (std::size_t r = 0; r < program.constraints.size(); ++r) {
    const SemidefiniteConstraint& row = program.constraints[r];
    if (row.relation == Relation::at_least || row.bound < 0) continue;
    if (!std::ranges::all_of(row.entries, [](const auto& e) { return e.row == e.col && e.value >= 0; })) continue;
    std::ranges::fill(covered, Index{0});
    std::ranges::fill(least, kInfinity);
    const auto index = static_cast<Index>(r);
    for (const SymmetricEntry& e : row.entries) {
      if (e.value == 0) continue;
      take_less(out.entries[subscript(e.block)][subscript(e.row)], {index, e.value});
      ++covered[subscript(e.block)];
      least[subscript(e.block)] = std::min(least[subscript(e.block)], e.value);
    }
    for (const SymmetricEntry& e : row.entries)  // a block may be met many times; the result is the same
      if (covered[subscript(e.block)] == program.blocks[subscript(e.block)].size)
        take_less(out.trace[subscript(e.block)], {index, least[subscript(e.block)]});
  }
  return out;
}

void add_entry_multipliers(const TraceRows& rows, std::size_t block, Index entry, double t, Vector& y) {
  const BoundingRow& by = rows.entries[block][subscript(entry)];
  y[by.row] += t / by.coefficient;
}

void add_trace_multipliers(const TraceRows& rows, std::size_t block, bool by_entries, double t, Vector& y) {
  if (!by_entries) {
    y[rows.trace[block].row] += t / rows.trace[block].coefficient;
    return;
  }
  for (const BoundingRow& by : rows.entries[block]) y[by.row] += t / by.coefficient;
}

}  // namespace alidade
