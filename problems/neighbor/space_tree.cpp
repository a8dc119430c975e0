#include "problems/neighbor/space_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace alidade::neighbor {
namespace {

constexpr std::uint32_t kLeafPoints = 32;
constexpr std::uint32_t kBucketPoints = 128;

struct Coded {
  std::uint64_t code;
  std::uint32_t point;
};

/// Stable, by code, a byte at a time.
void sort_by_code(std::vector<Coded>& items) {
  std::vector<Coded> other(items.size());
  std::array<std::array<std::uint32_t, 256>, 8> counts{};
  for (const Coded& item : items)
    for (std::size_t byte = 0; byte < 8; ++byte) ++counts[byte][item.code >> (8 * byte) & 0xff];
  for (std::size_t byte = 0; byte < 8; ++byte) {
    auto& count = counts[byte];
    if (count[items.front().code >> (8 * byte) & 0xff] == items.size()) continue;  // all the same
    std::uint32_t before = 0;
    for (std::uint32_t& c : count) before += std::exchange(c, before);
    for (const Coded& item : items) other[count[item.code >> (8 * byte) & 0xff]++] = item;
    items.swap(other);
  }
}

/// Bits of x spread so that there are d - 1 free ones between any two.
std::uint64_t spread_bits(std::uint64_t x, std::size_t d) {
  if (d == 2) {
    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
    x = (x | x << 2) & 0x3333333333333333;
    return (x | x << 1) & 0x5555555555555555;
  }
  if (d == 3) {
    x = (x | x << 32) & 0x001f00000000ffff;
    x = (x | x << 16) & 0x001f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
  }
  return x;
}

/// Places in a grid over all points, their bits interleaved, coordinates first to last.
template <class Real>
std::vector<Coded> codes_of(std::span<const Real> y, std::size_t d) {
  const std::size_t n = y.size() / d;
  std::array<double, 3> low{};
  double width = 0;
  for (std::size_t c = 0; c < d; ++c) {
    Real least = y[c], highest = y[c];
    for (std::size_t i = 0; i < n; ++i) {
      least = std::min(least, y[i * d + c]);
      highest = std::max(highest, y[i * d + c]);
    }
    low[c] = static_cast<double>(least);
    width = std::max(width, static_cast<double>(highest) - low[c]);
  }
  const int bits = d == 3 ? 21 : 31;
  const double cells = std::ldexp(1.0, bits), scale = width > 0 ? cells / width : 0;
  std::vector<Coded> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t code = 0;
    for (std::size_t c = 0; c < d; ++c) {
      const double place = std::min((static_cast<double>(y[i * d + c]) - low[c]) * scale, cells - 1);
      code |= spread_bits(static_cast<std::uint64_t>(place), d) << c;
    }
    out[i] = {code, static_cast<std::uint32_t>(i)};
  }
  return out;
}

}  // namespace

template <class Real>
SpaceTree<Real>::SpaceTree(std::span<const Real> y, Index d) : d_(static_cast<std::size_t>(d)) {
  const std::size_t n = y.size() / d_;
  if (n == 0) return;
  std::vector<Coded> items = codes_of(y, d_);
  sort_by_code(items);
  order_.resize(n);
  points_.resize(n * d_);
  std::vector<std::uint64_t> codes(n);
  for (std::size_t k = 0; k < n; ++k) {
    codes[k] = items[k].code;
    order_[k] = items[k].point;
    for (std::size_t c = 0; c < d_; ++c) points_[k * d_ + c] = y[order_[k] * d_ + c];
  }
  nodes_.reserve(n / 2);
  add_node(codes, 0, static_cast<std::uint32_t>(n), false);
}

template <class Real>
typename SpaceTree<Real>::Sums SpaceTree<Real>::add_node(std::span<const std::uint64_t> codes, std::uint32_t begin,
                                                         std::uint32_t end, bool in_bucket) {
  const std::size_t index = nodes_.size();
  // Equal codes cannot be separated.
  const bool leaf = end - begin <= kLeafPoints || codes[begin] == codes[end - 1];
  const bool bucket = !in_bucket && (leaf || end - begin <= kBucketPoints);
  const std::size_t bucket_index = buckets_.size();
  nodes_.push_back({{}, 0, begin, end, 0, leaf});
  if (bucket) buckets_.push_back({begin, end, {}, {}});
  Sums out;
  for (std::size_t c = 0; c < d_; ++c) out.low[c] = out.high[c] = points_[begin * d_ + c];
  if (leaf) {
    for (std::size_t k = begin; k < end; ++k)
      for (std::size_t c = 0; c < d_; ++c) {
        const Real x = points_[k * d_ + c];
        out.sum[c] += static_cast<double>(x);
        out.low[c] = std::min(out.low[c], x);
        out.high[c] = std::max(out.high[c], x);
      }
  } else {
    // Children differ in the first group of d bits in which codes differ.
    const int width = static_cast<int>(d_);
    const int highest = 63 - std::countl_zero(codes[begin] ^ codes[end - 1]);
    const int shift = highest / width * width;
    for (std::uint32_t from = begin; from < end;) {
      const std::uint64_t key = codes[from] >> shift;
      const auto behind = std::partition_point(codes.begin() + from, codes.begin() + end,
                                               [&](std::uint64_t code) { return code >> shift == key; });
      const auto to = static_cast<std::uint32_t>(behind - codes.begin());
      const Sums part = add_node(codes, from, to, in_bucket || bucket);
      for (std::size_t c = 0; c < d_; ++c) {
        out.sum[c] += part.sum[c];
        out.low[c] = std::min(out.low[c], part.low[c]);
        out.high[c] = std::max(out.high[c], part.high[c]);
      }
      from = to;
    }
  }
  Node& node = nodes_[index];
  Real side = 0;
  for (std::size_t c = 0; c < d_; ++c) {
    node.mean[c] = static_cast<Real>(out.sum[c] / (end - begin));
    side = std::max(side, out.high[c] - out.low[c]);
  }
  node.squared_width = side * side;
  node.next = static_cast<std::uint32_t>(nodes_.size());
  if (bucket) {
    buckets_[bucket_index].low = out.low;
    buckets_[bucket_index].high = out.high;
  }
  return out;
}

template <class Real>
void SpaceTree<Real>::interactions(const Bucket& bucket, double theta, Interactions& out) const {
  const auto squared_theta = static_cast<Real>(theta * theta);
  out.count = 0;
  const auto make_room = [&](std::size_t more) {
    if (whole_vectors(out.count + more) <= out.stride) return;
    const std::size_t stride = whole_vectors(std::max(out.count + more, 2 * out.stride + 512));
    std::vector<Real> numbers((d_ + 1) * stride, Real{0});
    for (std::size_t row = 0; row <= d_; ++row)
      std::copy_n(out.numbers.begin() + static_cast<std::ptrdiff_t>(row * out.stride), out.count,
                  numbers.begin() + static_cast<std::ptrdiff_t>(row * stride));
    out.numbers = std::move(numbers);
    out.stride = stride;
  };
  for (std::size_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    Real squared = 0;
    for (std::size_t c = 0; c < d_; ++c) {
      const Real beyond = std::max({bucket.low[c] - node.mean[c], node.mean[c] - bucket.high[c], Real{0}});
      squared += beyond * beyond;
    }
    if (node.squared_width < squared_theta * squared) {
      make_room(1);
      for (std::size_t c = 0; c < d_; ++c) out.numbers[c * out.stride + out.count] = node.mean[c];
      out.numbers[d_ * out.stride + out.count] = static_cast<Real>(node.end - node.begin);
      ++out.count;
      i = node.next;
    } else if (node.leaf) {
      const std::size_t count = node.end - node.begin;
      make_room(count);
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t c = 0; c < d_; ++c)
          out.numbers[c * out.stride + out.count + k] = points_[(node.begin + k) * d_ + c];
        out.numbers[d_ * out.stride + out.count + k] = 1;
      }
      out.count += count;
      i = node.next;
    } else {
      ++i;
    }
  }
  for (std::size_t k = out.count; k < whole_vectors(out.count); ++k)
    for (std::size_t row = 0; row <= d_; ++row) out.numbers[row * out.stride + k] = 0;
}

template class SpaceTree<float>;
template class SpaceTree<double>;

}  // namespace alidade::neighbor
