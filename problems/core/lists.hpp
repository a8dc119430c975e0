// Lists made of lists: what a function gives for each, those of which something holds, places in the order of a key.
// A function is a lambda, or a pointer to a member.
// Orders are stable; lists are copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace alidade {

/// What `make` gives for each, as an Out, or as it is.
template <class Out = void, class Range, class Make>
[[nodiscard]] auto mapped(Range&& from, const Make& make) {
  using Made = std::remove_cvref_t<decltype(std::invoke(make, *std::begin(from)))>;
  std::vector<std::conditional_t<std::is_void_v<Out>, Made, Out>> out;
  for (auto&& one : from) out.emplace_back(std::invoke(make, one));
  return out;
}

/// Those of which it holds.
template <class Range, class Holds>
[[nodiscard]] auto filtered(Range&& from, const Holds& holds) {
  std::vector<std::ranges::range_value_t<Range>> out;
  std::ranges::copy_if(from, std::back_inserter(out), std::cref(holds));
  return out;
}

template <class Range, class T>
[[nodiscard]] bool contains(const Range& list, const T& wanted) {
  return std::ranges::find(list, wanted) != std::ranges::end(list);
}

/// Appends what the list does not have yet.
template <class T, class Added>
void add_new(std::vector<T>& list, Added&& added) {
  if (!contains(list, added)) list.push_back(std::forward<Added>(added));
}

/// 0, 1, ... count - 1, by rising key; `key` takes a place.
template <class Key>
[[nodiscard]] std::vector<std::size_t> order_by(std::size_t count, const Key& key) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::ranges::stable_sort(out, {}, std::cref(key));
  return out;
}

}  // namespace alidade
