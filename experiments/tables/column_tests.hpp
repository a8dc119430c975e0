// The tests of a comparison table: every cell of a column against its best cell or a baseline, paired over repetitions.
// Holm's correction is per column (Holm 1979).
// And what the marks of a table may claim, given how few pairs there are.
#pragma once

#include <cstddef>
#include <vector>

#include "experiments/tables/tables.hpp"

namespace alidade {

/// Fills in `references`, each tested cell's `comparison` and `tied`, and `test_notes`. The best cells are marked.
/// @pre the table's request has `significance` @throws ConfigError for an unknown baseline
void test_columns(ComparisonTable& table);

/// The samples of a cell, also those that a third row lacks.
[[nodiscard]] std::vector<Sample> all_samples(const Cell& cell);
/// The values of the repetitions that two cells share, in the order of the first, also those that a third row lacks.
struct PairedValues {
  std::vector<double> cell, reference;
};
[[nodiscard]] PairedValues paired_values(const Cell& cell, const Cell& reference);

/// Number of comparisons and pairs in the tests of a column.
struct ColumnTests {
  std::size_t comparisons = 0;              // that have a p
  std::size_t fewest_pairs = 0, pairs = 0;  // least and greatest number of pairs
  std::size_t needed = 0;  // pairs needed for one comparison to be significant; 0 for t tests, which need no minimum
  [[nodiscard]] bool conclusive() const { return comparisons > 0 && pairs >= needed; }
};
[[nodiscard]] ColumnTests tests_of(const ComparisonTable& table, std::size_t col);

/// Whether the column's best cells are marked. They are not if its cells share too few repetitions, or if they were
/// tested against the best and no difference could have been significant: a mark would claim one.
[[nodiscard]] bool marks_best(const ComparisonTable& table, std::size_t col);

}  // namespace alidade
