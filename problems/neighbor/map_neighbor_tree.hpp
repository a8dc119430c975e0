// A kd-tree over the places of a map, rebuilt when they have moved; finds nearest places and places within a radius.
// Bentley 1975; leaves hold a few points, stored contiguously. Any dimension, duplicates allowed.
// Places are found in no useful order; sums over them must sort first.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "problems/core/index.hpp"

namespace alidade::neighbor {

class DisplayTree {
 public:
  /// y: n x d, finite. O(n ln n). Copies them.
  DisplayTree(std::span<const double> y, Index components);

  /// Squared distance of place `i` to the nearest of all others. @pre n >= 2. O(ln n) expected
  [[nodiscard]] double nearest(Index i) const;

  /// Calls `use(id)` for all places within `radius` of place `i`, including itself; rounding may add a few that are
  /// slightly farther.
  template <class Use>
  void within(Index i, double radius, const Use& use) const {
    const double* at = place(i);
    const double squared = radius * radius * (1 + 1e-12);
    std::size_t waiting[64];
    std::size_t count = 0;
    waiting[count++] = 0;
    while (count > 0) {
      const Node& node = nodes_[waiting[--count]];
      if (gap(node, at) > squared) continue;
      if (node.right == 0) {
        for (std::size_t k = node.first; k < node.last; ++k)
          if (squared_to(k, at) <= squared) use(ids_[k]);
      } else {
        waiting[count++] = node.right;
        waiting[count++] = static_cast<std::size_t>(&node - nodes_.data()) + 1;
      }
    }
  }

  /// Calls `use(id)` for places; boxes nearer to `at` (d numbers) come first. `use` returns the squared distance beyond
  /// which places no longer count: boxes farther than that, allowing for rounding, are skipped. O(ln n) expected if
  /// that distance soon has few places within.
  template <class Use>
  void nearest_first(const double* at, const Use& use) const {
    by_boxes(at, [&](std::size_t k) { return use(ids_[k]); });
  }

 private:
  static constexpr double kLeastSquare = 1e-300;  // below it, squares are rounded coarsely
  struct Node {
    std::size_t first = 0, last = 0;  // range of ids_
    std::size_t right = 0;            // the left child follows its parent; 0: a leaf
    std::size_t box = 0;              // place in boxes_: d lows, d highs
  };
  /// nearest_first() with `use` called by number in the order of leaves.
  template <class Use>
  void by_boxes(const double* at, const Use& use) const {
    struct Waiting {
      std::size_t node;
      double gap;
    };
    Waiting waiting[64];
    std::size_t count = 0;
    waiting[count++] = {0, 0.0};
    double limit = std::numeric_limits<double>::infinity();
    while (count > 0) {
      const Waiting next = waiting[--count];
      if (next.gap > limit * (1 + 1e-12) + kLeastSquare) continue;
      const Node& node = nodes_[next.node];
      if (node.right == 0) {
        for (std::size_t k = node.first; k < node.last; ++k) limit = use(k);
        continue;
      }
      const Waiting left{next.node + 1, gap(nodes_[next.node + 1], at)};
      const Waiting right{node.right, gap(nodes_[node.right], at)};
      const bool left_first = left.gap <= right.gap;
      waiting[count++] = left_first ? right : left;
      waiting[count++] = left_first ? left : right;
    }
  }
  std::size_t build(std::size_t first, std::size_t last, std::span<const double> y);
  [[nodiscard]] const double* place(Index i) const { return sorted_.data() + where_[static_cast<std::size_t>(i)] * d_; }
  [[nodiscard]] double squared_to(std::size_t k, const double* at) const {
    double sum = 0;
    for (std::size_t c = 0; c < d_; ++c) {
      const double step = sorted_[k * d_ + c] - at[c];
      sum += step * step;
    }
    return sum;
  }
  /// Squared distance to a node's box.
  [[nodiscard]] double gap(const Node& node, const double* at) const {
    const double* low = boxes_.data() + node.box;
    double sum = 0;
    for (std::size_t c = 0; c < d_; ++c) {
      const double step = std::max({low[c] - at[c], at[c] - low[d_ + c], 0.0});
      sum += step * step;
    }
    return sum;
  }

  std::size_t d_;
  std::vector<ObjectId> ids_;       // in the order of leaves
  std::vector<std::size_t> where_;  // by object, its number in that order
  std::vector<double> sorted_;      // coordinates in that order
  std::vector<Node> nodes_;
  std::vector<double> boxes_;
};

}  // namespace alidade::neighbor
