// The cheapest assignment by trying all, for tests of those who find it.
// Costs: rows to columns, more of either.
// O(m!) for m columns (rows where there are more): a handful.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::testing {

/// The least cost over all matchings of min(rows, columns) pairs.
[[nodiscard]] inline double least_cost(const Matrix& costs) {
  if (costs.rows() > costs.cols()) return least_cost(costs.transpose());
  std::vector<Index> columns(static_cast<std::size_t>(costs.cols()));
  std::iota(columns.begin(), columns.end(), Index{0});
  double best = std::numeric_limits<double>::infinity();
  do {
    double sum = 0;
    for (Index i = 0; i < costs.rows(); ++i) sum += costs(i, columns[static_cast<std::size_t>(i)]);
    best = std::min(best, sum);
  } while (std::ranges::next_permutation(columns).found);
  return best;
}

}  // namespace alidade::testing
