// Joins lists of nearest neighbours to symmetric rows: j is in row i if either lists the other.
// So t-SNE [vdM14] and UMAP [MHM18] make joint weights of those of each object.
// O(n k ln k), on one thread, in a fixed order.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::neighbor {

/// For i = 0, 1, ...: calls add(i, j, p_ij, p_ji) for the j of its row, ascending, then end_row(i). p is 0 where an
/// object does not list the other. ids: n x k, no id twice in a row; listed: n x k, the p of those.
template <class Add, class EndRow>
void symmetric_union(const RowMajorMatrix<ObjectId>& ids, const Matrix& listed, const Add& add, const EndRow& end_row) {
  using Entry = std::pair<ObjectId, double>;
  const Index n = ids.rows(), count = ids.cols();
  // Those who list i, ascending.
  std::vector<std::size_t> begin(static_cast<std::size_t>(n) + 1, 0);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < count; ++k) ++begin[ids(i, k) + std::size_t{1}];
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) begin[i + 1] += begin[i];
  std::vector<Entry> incoming(begin.back());
  std::vector<std::size_t> at(begin.begin(), begin.end() - 1);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < count; ++k) incoming[at[ids(i, k)]++] = {static_cast<ObjectId>(i), listed(i, k)};

  std::vector<Entry> outgoing(static_cast<std::size_t>(count));
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < count; ++k) outgoing[static_cast<std::size_t>(k)] = {ids(i, k), listed(i, k)};
    std::ranges::sort(outgoing, {}, &Entry::first);
    const Entry* other = incoming.data() + begin[static_cast<std::size_t>(i)];
    const Entry* const end = incoming.data() + begin[static_cast<std::size_t>(i) + 1];
    for (const auto& [id, p] : outgoing) {
      for (; other != end && other->first < id; ++other) add(i, other->first, 0.0, other->second);
      const bool both = other != end && other->first == id;
      add(i, id, p, both ? other->second : 0.0);
      if (both) ++other;
    }
    for (; other != end; ++other) add(i, other->first, 0.0, other->second);
    end_row(i);
  }
}

}  // namespace alidade::neighbor
