// The connected parts of numbers 0 .. n - 1 while pairs of them are joined.
// Union by the root of the earlier argument, with path halving (Tarjan & van Leeuwen 1984).
// Parts are numbered from 0 in the order of their first numbers, whatever the order of the joins.
#pragma once

#include <numeric>
#include <vector>

#include "problems/core/index.hpp"

namespace alidade {

class ConnectedParts {
 public:
  explicit ConnectedParts(Index n) : count_(n), above_(subscript(n)) {
    std::iota(above_.begin(), above_.end(), std::size_t{0});
  }
  /// Whether that joined two parts. Amortised O(log n)
  bool join(std::size_t i, std::size_t j) {
    const std::size_t a = root(i), b = root(j);
    if (a == b) return false;
    above_[b] = a;
    --count_;
    return true;
  }
  [[nodiscard]] Index count() const { return count_; }
  /// The members of each part, ascending. O(n log n)
  [[nodiscard]] std::vector<std::vector<Index>> members() {
    constexpr auto kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> number(above_.size(), kNone);
    std::vector<std::vector<Index>> out;
    for (std::size_t i = 0; i < above_.size(); ++i) {
      std::size_t& mine = number[root(i)];
      if (mine == kNone) mine = out.size(), out.emplace_back();
      out[mine].push_back(static_cast<Index>(i));
    }
    return out;
  }

 private:
  std::size_t root(std::size_t i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }
  Index count_;
  std::vector<std::size_t> above_;
};

}  // namespace alidade
