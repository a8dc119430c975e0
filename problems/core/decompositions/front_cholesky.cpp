#include "problems/core/decompositions/front_cholesky.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/wide_call.hpp"

namespace alidade {
namespace {

using Sparse = FrontCholesky::Sparse;

/// Rows of the lower triangle: for each i the columns j < i.
class RowsBelow {
 public:
  explicit RowsBelow(const Sparse& lower) : begin_(subscript(lower.cols()) + 1, 0) {
    const auto visit = [&](const auto& take) {
      for (Index j = 0; j < lower.cols(); ++j)
        for (Sparse::InnerIterator it(lower, j); it; ++it)
          if (it.row() > j) take(subscript(it.row()), static_cast<int>(j));
    };
    visit([&](std::size_t i, int) { ++begin_[i + 1]; });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    columns_.resize(subscript(begin_.back()));
    std::vector<int> next(begin_.begin(), begin_.end() - 1);
    visit([&](std::size_t i, int j) { columns_[subscript(next[i]++)] = j; });
  }
  [[nodiscard]] Index size() const { return std::ssize(begin_) - 1; }
  [[nodiscard]] std::span<const int> operator[](Index i) const {
    const int first = begin_[subscript(i)];
    return {columns_.data() + first, subscript(begin_[subscript(i) + 1] - first)};
  }

 private:
  std::vector<int> begin_, columns_;
};

/// The elimination tree (Liu 1990): the parent of each column, -1 at a root.
std::vector<Index> elimination_tree(const RowsBelow& rows) {
  const Index n = rows.size();
  std::vector<Index> parent(subscript(n), -1), ancestor(subscript(n), -1);
  for (Index i = 0; i < n; ++i)
    for (Index j : rows[i])
      while (j != -1 && j < i) {
        const Index next = ancestor[subscript(j)];
        ancestor[subscript(j)] = i;
        if (next == -1) parent[subscript(j)] = i;
        j = next;
      }
  return parent;
}

/// New numbers of the columns, so that each subtree is without gaps and children come before parents.
std::vector<int> postorder(const std::vector<Index>& parent) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> child(parent.size(), -1), sibling(parent.size(), -1), stack;
  for (Index j = n - 1; j >= 0; --j)
    if (parent[subscript(j)] >= 0) sibling[subscript(j)] = std::exchange(child[subscript(parent[subscript(j)])], j);
  std::vector<int> number(parent.size(), -1);
  int next = 0;
  for (Index root = 0; root < n; ++root) {
    if (parent[subscript(root)] >= 0) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const Index j = stack.back();
      const Index c = child[subscript(j)];
      if (c >= 0) {
        child[subscript(j)] = sibling[subscript(c)];
        stack.push_back(c);
      } else {
        number[subscript(j)] = next++;
        stack.pop_back();
      }
    }
  }
  return number;
}

enum class Panel { done, not_positive, stopped };

/// Eliminates the first `columns` of a front, of which the lower triangle counts, block by block.
Panel eliminate(Eigen::MatrixXd& front, Index columns, const std::function<bool()>& stop) {
  constexpr Index kBlock = 96;
  const Index m = front.rows();
  for (Index first = 0; first < columns; first += kBlock) {
    if (stop()) return Panel::stopped;
    const Index width = std::min(kBlock, columns - first), rest = m - first - width;
    auto corner = front.block(first, first, width, width);
    Eigen::Ref<Eigen::MatrixXd> pivots(corner);
    if (!cholesky_in_place(pivots)) return Panel::not_positive;
    for (Index j = 0; j < width; ++j)
      if (!(pivots(j, j) > 0) || !pivots.col(j).tail(width - j).allFinite()) return Panel::not_positive;
    if (rest == 0) continue;
    auto below = front.block(first + width, first, rest, width);
    solve_transposed_lower_from_right(pivots, below);
    if (!below.allFinite()) return Panel::not_positive;
    front.bottomRightCorner(rest, rest).selfadjointView<Eigen::Lower>().rankUpdate(below, -1);
  }
  return Panel::done;
}

}  // namespace

FrontCholesky::FrontCholesky(const Sparse& pattern, double most_entries) : size_(pattern.rows()) {
  if (size_ == 0) return;
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  place_.resize(subscript(size_));
  std::iota(place_.begin(), place_.end(), 0);
  {
    const std::vector<double> diagonal(subscript(size_), 1);  // AMD takes rows without one for dense ones
    const Sparse lower = permuted(pattern, diagonal);
    Eigen::AMDOrdering<int>()(lower.selfadjointView<Eigen::Lower>(), order);
  }
  for (Index k = 0; k < size_; ++k) place_[subscript(order.indices()[k])] = static_cast<int>(k);
  const std::vector<int> number = postorder(elimination_tree(RowsBelow(permuted(pattern))));
  for (int& p : place_) p = number[subscript(p)];

  // Row i of L has the columns on the paths from the columns of row i of the matrix to i (Davis, section 4.2).
  const Sparse lower = permuted(pattern);
  const RowsBelow rows(lower);
  const std::vector<Index> parent = elimination_tree(rows);
  std::vector<Index> count(subscript(size_), 1), seen(subscript(size_), -1);
  for (Index i = 0; i < size_; ++i) {
    seen[subscript(i)] = i;
    Index length = 1;
    for (Index j : rows[i])
      for (; seen[subscript(j)] != i; j = parent[subscript(j)]) {
        seen[subscript(j)] = i;
        ++count[subscript(j)];
        ++length;
      }
    longest_row_ = std::max(longest_row_, length);
    entries_ += static_cast<double>(length);
    if (entries_ > most_entries) {
      bytes_ = operations_ = std::numeric_limits<double>::infinity();
      return;
    }
  }
  make_nodes(parent, count);
  fill_patterns(lower);
}

/// Consecutive columns of one pattern become a node; so do small nodes whose patterns differ little, since each node
/// costs time of its own.
void FrontCholesky::make_nodes(const std::vector<Index>& parent, const std::vector<Index>& count) {
  constexpr Index kSmall = 16;
  constexpr double kZeros = 0.1;
  for (Index j = 0; j < size_; ++j) {
    const bool same = j > 0 && parent[subscript(j - 1)] == j && count[subscript(j - 1)] == count[subscript(j)] + 1;
    if (same) {
      ++nodes_.back().columns;
    } else {
      nodes_.push_back({.first = j, .columns = 1});
    }
  }
  // Each node takes up the child right before it, if that costs few zeros.
  std::vector<Node> merged;
  std::vector<double> zeros;  // of each of them
  for (Node& node : nodes_) {
    double zero = 0;
    const Node* const child = merged.empty() ? nullptr : &merged.back();
    const Index last = child ? child->first + child->columns - 1 : -1;
    if (child && parent[subscript(last)] == node.first) {
      const Index below = count[subscript(last)] - 1, whole = count[subscript(node.first)];
      const double added = static_cast<double>(child->columns) * static_cast<double>(whole - below);
      const auto columns = static_cast<double>(child->columns + node.columns);
      const double total = columns * static_cast<double>(whole + child->columns) - columns * (columns - 1) / 2;
      const double all = zeros.back() + added;
      if (!(added > 0) || (std::min(child->columns, node.columns) <= kSmall && all <= kZeros * total)) {
        node.first = child->first;
        node.columns += child->columns;
        zero = all;
        merged.pop_back();
        zeros.pop_back();
      }
    }
    merged.push_back(node);
    zeros.push_back(zero);
  }
  nodes_.assign(merged.begin(), merged.end());  // no more than they need
  std::vector<Index> node_of(subscript(size_));
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    for (Index c = 0; c < nodes_[k].columns; ++c) node_of[subscript(nodes_[k].first + c)] = static_cast<Index>(k);
  for (Node& node : nodes_) {
    const Index up = parent[subscript(node.first + node.columns - 1)];
    if (up >= 0) node.parent = node_of[subscript(up)];
  }
}

/// The rows below each node, and what fronts cost.
void FrontCholesky::fill_patterns(const Sparse& lower) {
  const std::size_t none = nodes_.size();
  std::vector<std::size_t> child(nodes_.size(), none), sibling(nodes_.size(), none), seen(subscript(size_), none);
  std::vector<int> rows;
  double held = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Node& node = nodes_[k];
    const Index end = node.first + node.columns;
    rows.clear();
    const auto take = [&](Index row) {
      if (row < end || seen[subscript(row)] == k) return;
      seen[subscript(row)] = k;
      rows.push_back(static_cast<int>(row));
    };
    for (Index j = node.first; j < end; ++j)
      for (Sparse::InnerIterator it(lower, j); it; ++it) take(it.row());
    double of_children = 0;
    for (std::size_t c = child[k]; c != none; c = sibling[c]) {
      for (const int row : below(nodes_[c])) take(row);
      const auto rest = static_cast<double>(nodes_[c].count);
      of_children += rest * rest;
    }
    std::ranges::sort(rows);
    node.begin = below_.size();
    node.count = rows.size();
    below_.insert(below_.end(), rows.begin(), rows.end());
    if (node.parent >= 0) sibling[k] = std::exchange(child[subscript(node.parent)], k);
    const auto rest = static_cast<double>(node.count), columns = static_cast<double>(node.columns);
    const double front = rest + columns;
    bytes_ = std::max(bytes_, 8 * (held + front * front + rest * rest));
    held += rest * rest - of_children;
    operations_ += (front * front * front - rest * rest * rest) / 3;
    bytes_ = std::max(bytes_, 8 * held);
  }
}

FrontCholesky::Sparse FrontCholesky::permuted(const Sparse& matrix, std::span<const double> diagonal) const {
  // Two passes, since triplets would take three times the memory of the result.
  const auto visit = [&](const auto& take) {
    for (std::size_t j = 0; j < diagonal.size(); ++j) take(place_[j], place_[j], diagonal[j]);
    for (Index j = 0; j < matrix.cols(); ++j)
      for (Sparse::InnerIterator it(matrix, j); it; ++it) {
        if (it.row() <= j) continue;
        const auto [low, high] = std::minmax(place_[subscript(j)], place_[subscript(it.row())]);
        take(high, low, it.value());
      }
  };
  Sparse out(size_, size_);
  std::vector<int> next(subscript(size_), 0);
  visit([&](int, int column, double) { ++next[subscript(column)]; });
  int* begin = out.outerIndexPtr();
  for (Index j = 0; j < size_; ++j) {
    begin[j + 1] = begin[j] + next[subscript(j)];
    next[subscript(j)] = begin[j];
  }
  out.resizeNonZeros(begin[size_]);
  visit([&](int row, int column, double value) {
    const int at = next[subscript(column)]++;
    out.innerIndexPtr()[at] = row;
    out.valuePtr()[at] = value;
  });
  return out;
}

FrontCholesky::Outcome FrontCholesky::factor(Sparse matrix, std::span<const double> diagonal,
                                             const std::function<bool()>& stop, std::vector<float>* kept) const {
  const Sparse lower = permuted(matrix, diagonal);
  Sparse().swap(matrix);  // to assign an empty one would keep the memory (Eigen 3.4)
  if (kept) {
    std::size_t size = 0;
    for (const Node& node : nodes_) size += panel_size(node);
    kept->resize(size);
  }
  std::size_t filled = 0;
  std::vector<Index> local(subscript(size_));
  std::vector<std::pair<const Node*, Eigen::MatrixXd>> waiting;  // what children leave to their parents: a stack
  Eigen::MatrixXd front;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    if (stop()) return Outcome::stopped;
    const std::span<const int> rows = below(node);
    const Index rest = std::ssize(rows), end = node.first + node.columns;
    for (Index c = 0; c < node.columns; ++c) local[subscript(node.first + c)] = c;
    for (Index r = 0; r < rest; ++r) local[subscript(rows[subscript(r)])] = node.columns + r;
    front.setZero(node.columns + rest, node.columns + rest);
    for (Index j = node.first; j < end; ++j)
      for (Sparse::InnerIterator it(lower, j); it; ++it) front(local[subscript(it.row())], j - node.first) = it.value();
    while (!waiting.empty() && waiting.back().first->parent == static_cast<Index>(k)) {
      const auto& [child, left] = waiting.back();
      const std::span<const int> rows_of_child = below(*child);
      for (Index c = 0; c < left.cols(); ++c) {
        double* to = &front(0, local[subscript(rows_of_child[subscript(c)])]);
        for (Index r = c; r < left.rows(); ++r) to[local[subscript(rows_of_child[subscript(r)])]] += left(r, c);
      }
      waiting.pop_back();
    }
    switch (eliminate(front, node.columns, stop)) {
      case Panel::stopped: return Outcome::stopped;
      case Panel::not_positive: return Outcome::not_positive;
      case Panel::done: break;
    }
    if (kept)
      for (Index c = 0; c < node.columns; ++c)
        for (Index r = c; r < front.rows(); ++r) (*kept)[filled++] = static_cast<float>(front(r, c));
    if (rest > 0) waiting.emplace_back(&node, front.bottomRightCorner(rest, rest));
  }
  return Outcome::positive;
}

/// The columns of a node as they are kept: each from its diagonal entry down.
std::size_t FrontCholesky::panel_size(const Node& node) {
  const std::size_t columns = subscript(node.columns);
  return columns * (columns + 1) / 2 + columns * node.count;
}

/// Both triangular solves, row by row of X, with the width of a row known where it is small.
struct FrontCholesky::Solve {
  const std::vector<Node>* nodes;
  const int* below;
  const float* end;  // of the kept factor
  std::size_t size;
  float* rows;
  int groups;

  template <int kGroups>
  [[gnu::always_inline]] void run() const {
    constexpr int kMost = kGroups > 0 ? kGroups * kLanes : kMostGroups * kLanes;
    const int width = kGroups > 0 ? kGroups * kLanes : groups * kLanes;
    std::array<float, kMost> own;
    const auto row = [&](Index i) { return rows + i * width; };
    const auto at = [](int c) { return static_cast<std::size_t>(c); };
    const float* entry = end - size;
    for (const Node& node : *nodes)
      for (Index k = 0; k < node.columns; ++k) {
        float* x = row(node.first + k);
        const float inverse = 1 / *entry++;
        for (int c = 0; c < width; ++c) x[c] = own[at(c)] = x[c] * inverse;
        const auto take = [&](float* to) {
          const float value = *entry++;
          for (int c = 0; c < width; ++c) to[c] -= value * own[at(c)];
        };
        for (Index r = k + 1; r < node.columns; ++r) take(row(node.first + r));
        for (std::size_t r = 0; r < node.count; ++r) take(row(below[node.begin + r]));
      }
    const float* last = end;
    for (auto node = nodes->rbegin(); node != nodes->rend(); ++node)
      for (Index k = node->columns - 1; k >= 0; --k) {
        last -= node->columns - k + static_cast<Index>(node->count);
        const float* under = last;
        float* x = row(node->first + k);
        for (int c = 0; c < width; ++c) own[at(c)] = x[c];
        const float inverse = 1 / *under++;
        const auto take = [&](const float* from) {
          const float value = *under++;
          for (int c = 0; c < width; ++c) own[at(c)] -= value * from[c];
        };
        for (Index r = k + 1; r < node->columns; ++r) take(row(node->first + r));
        for (std::size_t r = 0; r < node->count; ++r) take(row(below[node->begin + r]));
        for (int c = 0; c < width; ++c) x[c] = own[at(c)] * inverse;
      }
  }
  [[gnu::always_inline]] void any() const {
    switch (groups) {
      case 1: run<1>(); break;
      case 2: run<2>(); break;
      case 3: run<3>(); break;
      case 4: run<4>(); break;
      default: run<0>(); break;
    }
  }
  static constexpr int kLanes = 8, kMostGroups = 32;
};

void FrontCholesky::solve(const std::vector<float>& kept, float* rows, int groups) const {
  const Solve job{&nodes_, below_.data(), kept.data() + kept.size(), kept.size(), rows, groups};
  call_wide([&]() __attribute__((always_inline)) { job.any(); });
}

}  // namespace alidade
