// Joins lists of nearest neighbours to symmetric rows: j is in row i if either lists the other.
// So t-SNE [vdM14] and UMAP [MHM18] make joint weights of those of each object.
// O(n k ln k), on one thread, in a fixed order.
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::neighbor {

/// For i = 0, 1, ...: calls add(i, j, p_ij, p_ji) for the j of its row, ascending, then end_row(i). p is 0 where an
/// object does not list the other. ids: n x k, no id twice in a row; listed: n x k, the p of those. Sorts both by id;
/// besides, it needs as much memory as ids.
template <class Real, class Add, class EndRow>
void symmetric_union(RowMajorMatrix<ObjectId>& ids, RowMajorMatrix<Real>& listed, const Add& add,
                     const EndRow& end_row) {
  const Index n = ids.rows(), count = ids.cols();
  std::vector<std::pair<ObjectId, Real>> row(static_cast<std::size_t>(count));
  std::vector<std::size_t> begin(static_cast<std::size_t>(n) + 1, 0);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < count; ++k) row[static_cast<std::size_t>(k)] = {ids(i, k), listed(i, k)};
    std::ranges::sort(row, {}, [](const auto& entry) { return entry.first; });
    for (Index k = 0; k < count; ++k) {
      std::tie(ids(i, k), listed(i, k)) = row[static_cast<std::size_t>(k)];
      ++begin[ids(i, k) + std::size_t{1}];
    }
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) begin[i + 1] += begin[i];
  // Those who list i, ascending.
  std::vector<ObjectId> incoming(begin.back());
  std::vector<std::size_t> at(begin.begin(), begin.end() - 1);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < count; ++k) incoming[at[ids(i, k)]++] = static_cast<ObjectId>(i);

  const auto listed_by = [&](ObjectId j, Index i) {
    const ObjectId* const first = ids.row(j).data();
    return listed(j, std::lower_bound(first, first + count, static_cast<ObjectId>(i)) - first);
  };
  for (Index i = 0; i < n; ++i) {
    const ObjectId* other = incoming.data() + begin[static_cast<std::size_t>(i)];
    const ObjectId* const end = incoming.data() + begin[static_cast<std::size_t>(i) + 1];
    for (Index k = 0; k < count; ++k) {
      const ObjectId id = ids(i, k);
      for (; other != end && *other < id; ++other) add(i, *other, Real{0}, listed_by(*other, i));
      const bool both = other != end && *other == id;
      add(i, id, listed(i, k), both ? listed_by(id, i) : Real{0});
      if (both) ++other;
    }
    for (; other != end; ++other) add(i, *other, Real{0}, listed_by(*other, i));
    end_row(i);
  }
}

}  // namespace alidade::neighbor
