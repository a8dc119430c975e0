#include "problems/neighbor/map_neighbor_tree.hpp"

#include <numeric>

namespace alidade::neighbor {
namespace {

constexpr std::size_t kLeaf = 12;

}  // namespace

DisplayTree::DisplayTree(std::span<const double> y, Index components)
    : d_(static_cast<std::size_t>(components)), ids_(y.size() / d_), where_(ids_.size()), sorted_(y.size()) {
  std::iota(ids_.begin(), ids_.end(), ObjectId{0});
  nodes_.reserve(4 * ids_.size() / kLeaf + 1);
  build(0, ids_.size(), y);
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    where_[ids_[k]] = k;
    std::copy_n(y.data() + ids_[k] * d_, d_, sorted_.data() + k * d_);
  }
}

std::size_t DisplayTree::build(std::size_t first, std::size_t last, std::span<const double> y) {
  const std::size_t index = nodes_.size();
  nodes_.push_back({first, last, 0, boxes_.size()});
  const std::size_t box = boxes_.size();
  boxes_.resize(box + 2 * d_);
  std::size_t widest = 0;
  for (std::size_t c = 0; c < d_; ++c) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t k = first; k < last; ++k) {
      low = std::min(low, y[ids_[k] * d_ + c]);
      high = std::max(high, y[ids_[k] * d_ + c]);
    }
    boxes_[box + c] = low;
    boxes_[box + d_ + c] = high;
    if (high - low > boxes_[box + d_ + widest] - boxes_[box + widest]) widest = c;
  }
  if (last - first <= kLeaf) return index;
  const std::size_t middle = first + (last - first) / 2;
  const auto begin = ids_.begin();
  const auto at = [&](std::size_t k) { return begin + static_cast<std::ptrdiff_t>(k); };
  std::nth_element(at(first), at(middle), at(last),
                   [&](ObjectId a, ObjectId b) { return y[a * d_ + widest] < y[b * d_ + widest]; });
  build(first, middle, y);
  const std::size_t right = build(middle, last, y);
  nodes_[index].right = right;
  return index;
}

double DisplayTree::nearest(Index i) const {
  const double* at = place(i);
  const std::size_t self = where_[static_cast<std::size_t>(i)];
  double best = std::numeric_limits<double>::infinity();
  by_boxes(at, [&](std::size_t k) {
    if (k != self) best = std::min(best, squared_to(k, at));
    return best;
  });
  return best;
}

}  // namespace alidade::neighbor
