// Sorted lists without repeats, and lists that lie one after another in memory, made by counting.
// Example: GroupedLists<Index> lists(n, [&](const auto& add) { for (const Edge& e : edges) add(e.from, e.to); });
// O(values log values), and O(values + lists) for grouped ones, which keep the order in which values come.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

namespace alidade {

/// Sorts, and keeps one of each.
template <class T, class Key = std::identity>
void sort_distinct(std::vector<T>& values, Key key = {}) {
  std::ranges::sort(values, {}, key);
  const auto repeated = std::ranges::unique(values, {}, key);
  values.erase(repeated.begin(), repeated.end());
}

/// Where a value is, or would be, in a sorted list.
template <class T>
[[nodiscard]] std::size_t place_in(const std::vector<T>& sorted, const T& value) {
  return static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
}

template <class T>
class GroupedLists {
 public:
  GroupedLists() = default;
  /// Calls `each(add)` twice; it calls add(list, value).
  template <class Each>
  GroupedLists(std::size_t count, const Each& each) : begins_(count + 1, 0) {
    each([&](std::size_t list, const T&) { ++begins_[list + 1]; });
    for (std::size_t list = 0; list < count; ++list) begins_[list + 1] += begins_[list];
    values_.resize(begins_.back());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    each([&](std::size_t list, const T& value) { values_[next[list]++] = value; });
  }
  [[nodiscard]] std::span<const T> operator[](std::size_t list) const {
    return std::span(values_).subspan(begins_[list], begins_[list + 1] - begins_[list]);
  }

 private:
  std::vector<std::size_t> begins_{0};
  std::vector<T> values_;
};

}  // namespace alidade
