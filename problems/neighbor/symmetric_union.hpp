// Joins lists of nearest neighbours to symmetric rows: j is in row i if either lists the other.
// So t-SNE [vdM14] and UMAP [MHM18] make joint weights of those of each object.
// O(n k ln k), on one thread, in a fixed order.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::neighbor {

/// Row i is entries [begin[i], begin[i + 1]): ids, no id twice in a row, and a value of each.
template <class Real>
struct ListedRows {
  std::vector<std::size_t> begin;  // n + 1
  std::vector<ObjectId> ids;
  std::vector<Real> values;

  /// n rows of `count` entries, and room for the rows of their union.
  ListedRows(std::size_t n, std::size_t count) : begin(n + 1) {
    for (std::size_t i = 0; i <= n; ++i) begin[i] = i * count;
    ids.reserve(2 * n * count);  // as many as there can be, but for the ends of rows; what is not used takes no memory
    values.reserve(ids.capacity());
    ids.resize(n * count);
    values.resize(n * count);
  }
};

/// Rows of the union, ids ascending, with values joint(v_ij, v_ji); v is 0 where an object does not list the other.
/// `joint` is symmetric and is called for i = 0, 1, ... and the j of its row, ascending. Rows end with entries (i, 0),
/// up to a multiple of `multiple`. Besides the rows and their room, it needs memory for what one of two lists alone.
template <class Real, class Joint>
void join_symmetrically(ListedRows<Real>& rows, std::size_t multiple, const Joint& joint) {
  const std::size_t n = rows.begin.size() - 1, listed = rows.ids.size(), count = listed / n;
  struct Entry {
    ObjectId id;
    Real value;
  };
  std::vector<Entry> row(count);
  for (std::size_t first = 0; first < listed; first += count) {
    for (std::size_t k = 0; k < count; ++k) row[k] = {rows.ids[first + k], rows.values[first + k]};
    std::ranges::sort(row, {}, &Entry::id);
    for (std::size_t k = 0; k < count; ++k) {
      rows.ids[first + k] = row[k].id;
      rows.values[first + k] = row[k].value;
    }
  }
  /// The place of i in the list of j; `listed` if it is not there.
  const auto place = [&](std::size_t i, std::size_t j) {
    const std::span list = std::span(rows.ids).subspan(j * count, count);
    const auto found = std::ranges::lower_bound(list, static_cast<ObjectId>(i));
    return found != list.end() && *found == i ? j * count + static_cast<std::size_t>(found - list.begin()) : listed;
  };

  std::vector<bool> mutual(listed);
  std::vector<std::size_t> first_in(n + 1, 0);
  for (std::size_t e = 0; e < listed; ++e)
    if (!(mutual[e] = place(e / count, rows.ids[e]) < listed)) ++first_in[rows.ids[e] + std::size_t{1}];
  std::partial_sum(first_in.begin(), first_in.end(), first_in.begin());
  std::vector<Entry> incoming(first_in.back());  // of each object: who lists it alone, ascending
  std::vector<std::size_t> at(first_in.begin(), first_in.end() - 1);
  for (std::size_t e = 0; e < listed; ++e)
    if (!mutual[e]) incoming[at[rows.ids[e]]++].id = static_cast<ObjectId>(e / count);

  // The values of each pair stay until the later of its rows has used them.
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t own = i * count, in = first_in[i];
    while (own < (i + 1) * count || in < first_in[i + 1]) {
      const bool is_own = in == first_in[i + 1] || (own < (i + 1) * count && rows.ids[own] < incoming[in].id);
      const std::size_t j = is_own ? rows.ids[own] : incoming[in].id;
      const std::size_t back = is_own && !mutual[own] ? listed : place(i, j);
      const Real value = joint(is_own ? rows.values[own] : Real{0}, back < listed ? rows.values[back] : Real{0});
      if (!is_own) incoming[in].value = value;
      if (j < i && is_own) rows.values[own] = value;
      if (j < i && back < listed) rows.values[back] = value;
      ++(is_own ? own : in);
    }
  }

  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t size = count + first_in[i + 1] - first_in[i];
    rows.begin[i + 1] = rows.begin[i] + (size + multiple - 1) / multiple * multiple;
  }
  rows.ids.resize(rows.begin.back());
  rows.values.resize(rows.begin.back());
  // From the last to the first, each entry goes to its place, which is never before it.
  for (std::size_t i = n; i-- > 0;) {
    std::size_t to = rows.begin[i + 1], own = (i + 1) * count, in = first_in[i + 1];
    const std::size_t end = rows.begin[i] + count + first_in[i + 1] - first_in[i];
    while (to > end) {
      rows.ids[--to] = static_cast<ObjectId>(i);
      rows.values[to] = 0;
    }
    while (to-- > rows.begin[i]) {
      const bool is_own = in == first_in[i] || (own > i * count && rows.ids[own - 1] > incoming[in - 1].id);
      rows.ids[to] = is_own ? rows.ids[own - 1] : incoming[in - 1].id;
      rows.values[to] = is_own ? rows.values[own - 1] : incoming[in - 1].value;
      --(is_own ? own : in);
    }
  }
}

}  // namespace alidade::neighbor
