#include "problems/triplet/soe_majorizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "problems/core/sorted_lists.hpp"

namespace alidade::triplet {
namespace {

constexpr double kRigid = 1e8;          // u+ / p beyond which a pair moves as one
constexpr double kResidual = 1e-7;      // of the solve, relative to the right-hand side in V's diagonal
constexpr Index kChunkPairs = 1 << 15;  // neighbours a chunk of rows, about

std::uint64_t key_of(ObjectId a, ObjectId b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
}

}  // namespace

/// The pairs that triplets compare, as a symmetric graph.
struct SoeMajorizer::Pairs {
  std::vector<ObjectId> first, second;          // of each pair
  std::vector<double> near_weight, far_weight;  // summed over its triplets
  std::vector<std::uint32_t> near_slot,
      far_slot;                        // pairs of each stored triplet; empty where none are stored
  std::vector<std::size_t> row_begin;  // n + 1, into:
  std::vector<ObjectId> neighbor;
  std::vector<std::uint32_t> slot;
  std::vector<Index> row_chunks;  // borders of ranges of rows, fixed by the data

  Pairs(const TripletSum& sum);

 private:
  void take_list(const TripletList& list);
  void take_table(const TripletSource& source);
};

SoeMajorizer::Pairs::Pairs(const TripletSum& sum) {
  if (const TripletList* list = sum.list())
    take_list(*list);
  else
    take_table(sum.terms());
  const auto n = static_cast<std::size_t>(sum.object_count());
  row_begin.assign(n + 1, 0);
  for (std::size_t s = 0; s < first.size(); ++s) {
    ++row_begin[first[s] + 1];
    ++row_begin[second[s] + 1];
  }
  std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());
  neighbor.resize(2 * first.size());
  slot.resize(2 * first.size());
  std::vector<std::size_t> at(row_begin.begin(), row_begin.end() - 1);
  for (std::size_t s = 0; s < first.size(); ++s)
    for (const auto& [i, j] : {std::pair{first[s], second[s]}, std::pair{second[s], first[s]}}) {
      neighbor[at[i]] = j;
      slot[at[i]++] = static_cast<std::uint32_t>(s);
    }
  row_chunks = {0};
  for (std::size_t i = 0, begin = 0; i < n; ++i)
    if (row_begin[i + 1] - begin >= static_cast<std::size_t>(kChunkPairs) || i + 1 == n) {
      row_chunks.push_back(static_cast<Index>(i) + 1);
      begin = row_begin[i + 1];
    }
}

void SoeMajorizer::Pairs::take_list(const TripletList& list) {
  const auto anchors = list.anchors(), nears = list.nears(), fars = list.fars();
  const auto weights = list.weights();
  const std::size_t count = anchors.size();
  std::vector<std::uint64_t> keys;
  keys.reserve(2 * count);
  for (std::size_t t = 0; t < count; ++t) {
    keys.push_back(key_of(anchors[t], nears[t]));
    keys.push_back(key_of(anchors[t], fars[t]));
  }
  sort_distinct(keys);
  for (const std::uint64_t key : keys) {
    first.push_back(static_cast<ObjectId>(key >> 32));
    second.push_back(static_cast<ObjectId>(key));
  }
  near_weight.assign(keys.size(), 0);
  far_weight.assign(keys.size(), 0);
  near_slot.resize(count);
  far_slot.resize(count);
  const auto slot_of = [&](ObjectId a, ObjectId b) { return static_cast<std::uint32_t>(place_in(keys, key_of(a, b))); };
  for (std::size_t t = 0; t < count; ++t) {
    const double w = weights.empty() ? 1.0 : weights[t];
    near_slot[t] = slot_of(anchors[t], nears[t]);
    far_slot[t] = slot_of(anchors[t], fars[t]);
    near_weight[near_slot[t]] += w;
    far_weight[far_slot[t]] += w;
  }
}

void SoeMajorizer::Pairs::take_table(const TripletSource& source) {
  std::unordered_map<std::uint64_t, std::array<double, 2>> weight;
  source.each([&](std::uint64_t, const Triplet& t) {
    weight[key_of(t.anchor, t.near)][0] += t.weight;
    weight[key_of(t.anchor, t.far)][1] += t.weight;
  });
  std::vector<std::uint64_t> keys;
  for (const auto& [key, both] : weight) keys.push_back(key);
  std::ranges::sort(keys);
  for (const std::uint64_t key : keys) {
    first.push_back(static_cast<ObjectId>(key >> 32));
    second.push_back(static_cast<ObjectId>(key));
    near_weight.push_back(weight[key][0]);
    far_weight.push_back(weight[key][1]);
  }
}

struct SoeMajorizer::Shared {
  std::once_flag once;
  std::unique_ptr<const Pairs> pairs;
};

namespace {

/// A row of V: (V z)_i = sum over j of weight_j (z_i - z_j) + ridge z_i.
struct RowSpan {
  std::size_t i;
  std::span<const ObjectId> neighbors;
  const double* weight;
  double ridge;
  /// kCols is the number of columns, or 0 for `columns`.
  template <std::size_t kCols>
  void apply(const double* z, std::size_t columns, double* image) const {
    const std::size_t cols = kCols > 0 ? kCols : columns;
    const double* self = z + i * cols;
    double* out = image + i * cols;
    if constexpr (kCols > 0) {
      std::array<double, kCols> sum{};
      for (std::size_t c = 0; c < cols; ++c) sum[c] = ridge * self[c];
      for (std::size_t k = 0; k < neighbors.size(); ++k)
        for (std::size_t c = 0; c < cols; ++c) sum[c] += weight[k] * (self[c] - z[neighbors[k] * cols + c]);
      for (std::size_t c = 0; c < cols; ++c) out[c] = sum[c];
    } else {
      for (std::size_t c = 0; c < cols; ++c) out[c] = ridge * self[c];
      for (std::size_t k = 0; k < neighbors.size(); ++k)
        for (std::size_t c = 0; c < cols; ++c) out[c] += weight[k] * (self[c] - z[neighbors[k] * cols + c]);
    }
  }
};

/// Sets of objects that move as one.
class Rigid {
 public:
  explicit Rigid(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0U); }
  void join(ObjectId a, ObjectId b) {
    const ObjectId x = root(a), y = root(b);
    parent_[std::max(x, y)] = std::min(x, y);
    any_ = true;
  }
  [[nodiscard]] ObjectId root(ObjectId a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  [[nodiscard]] bool any() const { return any_; }

 private:
  std::vector<ObjectId> parent_;
  bool any_ = false;
};

}  // namespace

SoeMajorizer::SoeMajorizer(std::shared_ptr<const TripletSum> sum, double margin)
    : sum_(std::move(sum)), margin_(margin), shared_(std::make_shared<Shared>()) {}

SoeMajorizer::~SoeMajorizer() = default;

/// V at a map: the weighted Laplacian of the compared pairs. Pairs that are too stiff move as one: such a set has a
/// single step, and the sum of its rows is stored at its first object.
class SoeMajorizer::Laplacian {
 public:
  Laplacian(const Pairs& pairs, const TripletSum& sum, double margin, std::span<const double> x, std::size_t cols,
            Executor& executor)
      : pairs_(pairs),
        sum_(sum),
        executor_(executor),
        n_(static_cast<std::size_t>(sum.object_count())),
        cols_(cols),
        chunks_(pairs.row_chunks.size() - 1),
        root_(n_),
        diagonal_(n_, 0),
        weight_(pairs.slot.size()) {
    Rigid rigid(n_);
    const std::vector<double> v = pair_weights(x, margin, rigid);
    any_rigid_ = rigid.any();
    for (std::size_t i = 0; i < n_; ++i) root_[i] = rigid.root(static_cast<ObjectId>(i));
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t at = pairs.row_begin[i]; at < pairs.row_begin[i + 1]; ++at) {
        weight_[at] = v[pairs.slot[at]];
        if (root_[pairs.neighbor[at]] != root_[i]) diagonal_[root_[i]] += weight_[at];
      }
      if (sum.mentioned(static_cast<ObjectId>(i))) diagonal_[root_[i]] += sum.lambda();
    }
  }

  /// D with V D = `residual`, by conjugate gradients with V's diagonal as preconditioner, for all columns together.
  [[nodiscard]] std::vector<double> solve(std::vector<double> residual) const {
    const std::size_t size = n_ * cols_;
    std::vector<double> step(size, 0), direction(size), image(size);
    gather(residual);
    std::vector<double> first(cols_), alpha(cols_), beta(cols_);
    norm(residual, first);
    std::vector<double> total = first;
    const auto open = [&](std::size_t c) { return total[c] > kResidual * kResidual * first[c]; };
    const std::size_t limit = 2 * n_ + 50;
    for (std::size_t iteration = 0; iteration < limit; ++iteration) {
      bool more = false;
      for (std::size_t c = 0; c < cols_; ++c) more = more || open(c);
      if (!more) break;
      each_entry([&](std::size_t i, std::size_t c, std::size_t e) {
        direction[e] = (diagonal_[i] > 0 ? residual[e] / diagonal_[i] : 0) + beta[c] * direction[e];
      });
      multiply(direction, image);
      curvature(direction, image, alpha);
      for (std::size_t c = 0; c < cols_; ++c) {
        const bool solved = !open(c) || !(alpha[c] > 0);
        alpha[c] = solved ? 0 : total[c] / alpha[c];
      }
      each_entry([&](std::size_t, std::size_t c, std::size_t e) {
        step[e] += alpha[c] * direction[e];
        residual[e] -= alpha[c] * image[e];
      });
      beta = total;
      norm(residual, total);
      for (std::size_t c = 0; c < cols_; ++c) beta[c] = alpha[c] > 0 ? total[c] / beta[c] : 0;
      if (std::ranges::all_of(alpha, [](double a) { return a == 0; })) break;
    }
    return step;
  }

 private:
  /// The weights v of all pairs; pairs that move as one are merged in `rigid`.
  [[nodiscard]] std::vector<double> pair_weights(std::span<const double> x, double margin, Rigid& rigid) const {
    const std::size_t count = pairs_.first.size();
    std::vector<double> distance(count), v(count);
    for (std::size_t s = 0; s < count; ++s) {
      const double* a = x.data() + pairs_.first[s] * cols_;
      const double* b = x.data() + pairs_.second[s] * cols_;
      double squared = 0;
      for (std::size_t c = 0; c < cols_; ++c) squared += (a[c] - b[c]) * (a[c] - b[c]);
      distance[s] = std::sqrt(squared);
      v[s] = 2 * (pairs_.near_weight[s] + pairs_.far_weight[s]);
    }
    const auto stiffen = [&](std::size_t s, double u, double w) {
      // w * (u / p - 2); if that is too stiff, the pair moves as one.
      if (w <= 0 || u <= 2 * distance[s]) return;
      if (u > kRigid * distance[s])
        rigid.join(pairs_.first[s], pairs_.second[s]);
      else
        v[s] += w * (u / distance[s] - 2);
    };
    if (const TripletList* list = sum_.list()) {
      const std::span<const double> weights = list->weights();
      for (std::size_t t = 0; t < pairs_.near_slot.size(); ++t) {
        const std::size_t s = pairs_.near_slot[t];
        stiffen(s, margin + distance[s] - distance[pairs_.far_slot[t]], weights.empty() ? 1.0 : weights[t]);
      }
    } else {
      for (std::size_t s = 0; s < count; ++s) stiffen(s, margin + distance[s], pairs_.near_weight[s]);
    }
    return v;
  }

  /// body(i, c, entry) in order.
  template <class Body>
  void each_entry(const Body& body) const {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t c = 0; c < cols_; ++c) body(i, c, i * cols_ + c);
  }
  /// Calls body(row, chunk) on all threads.
  template <class Body>
  void each_row(const Body& body) const {
    executor_.run(static_cast<Index>(chunks_), [&](Index k) {
      const auto chunk = static_cast<std::size_t>(k);
      for (auto i = static_cast<std::size_t>(pairs_.row_chunks[chunk]);
           i < static_cast<std::size_t>(pairs_.row_chunks[chunk + 1]); ++i)
        body(i, chunk);
    });
  }
  /// Column sums of what body(row, sums of its chunk) adds; chunks are added in order, so bits do not depend on
  /// threads.
  template <class Body>
  void sum_rows(std::vector<double>& out, const Body& body) const {
    std::vector<double> partial(chunks_ * cols_, 0);
    each_row([&](std::size_t i, std::size_t chunk) { body(i, partial.data() + chunk * cols_); });
    std::ranges::fill(out, 0.0);
    for (std::size_t k = 0; k < chunks_; ++k)
      for (std::size_t c = 0; c < cols_; ++c) out[c] += partial[k * cols_ + c];
  }
  /// r^T diag^-1 r; an object whose triplets have no weight has neither gradient nor diagonal.
  void norm(const std::vector<double>& residual, std::vector<double>& out) const {
    sum_rows(out, [&](std::size_t i, double* sum) {
      if (diagonal_[i] > 0)
        for (std::size_t c = 0; c < cols_; ++c)
          sum[c] += residual[i * cols_ + c] * residual[i * cols_ + c] / diagonal_[i];
    });
  }
  /// d^T V d, of image = V d.
  void curvature(const std::vector<double>& direction, const std::vector<double>& image,
                 std::vector<double>& out) const {
    sum_rows(out, [&](std::size_t i, double* sum) {
      if (root_[i] == i)
        for (std::size_t c = 0; c < cols_; ++c) sum[c] += direction[i * cols_ + c] * image[i * cols_ + c];
    });
  }
  /// image = V direction; first gives the objects of a set the set's direction.
  void multiply(std::vector<double>& direction, std::vector<double>& image) const {
    spread(direction);
    each_row([&](std::size_t i, std::size_t) {
      const double ridge = sum_.mentioned(static_cast<ObjectId>(i)) ? sum_.lambda() : 0;
      const std::size_t begin = pairs_.row_begin[i], end = pairs_.row_begin[i + 1];
      const RowSpan row{i, std::span(pairs_.neighbor).subspan(begin, end - begin), weight_.data() + begin, ridge};
      if (cols_ == 2)
        row.apply<2>(direction.data(), cols_, image.data());
      else if (cols_ == 3)
        row.apply<3>(direction.data(), cols_, image.data());
      else
        row.apply<0>(direction.data(), cols_, image.data());
    });
    gather(image);
  }
  void gather(std::vector<double>& rows) const {
    if (!any_rigid_) return;
    for (std::size_t i = 0; i < n_; ++i)
      if (root_[i] != i)
        for (std::size_t c = 0; c < cols_; ++c) {
          rows[root_[i] * cols_ + c] += rows[i * cols_ + c];
          rows[i * cols_ + c] = 0;
        }
  }
  void spread(std::vector<double>& rows) const {
    if (!any_rigid_) return;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t c = 0; c < cols_; ++c) rows[i * cols_ + c] = rows[root_[i] * cols_ + c];
  }

  const Pairs& pairs_;
  const TripletSum& sum_;
  Executor& executor_;
  std::size_t n_, cols_, chunks_;
  std::vector<ObjectId> root_;    // the first object of each one's set
  std::vector<double> diagonal_;  // of roots
  std::vector<double> weight_;    // of pairs, in the order of the rows
  bool any_rigid_ = false;
};

void SoeMajorizer::minimize(std::span<const double> x, Index d, std::span<const double> gradient,
                            std::span<double> next, Evaluation& evaluation) const {
  std::call_once(shared_->once, [&] { shared_->pairs = std::make_unique<const Pairs>(*sum_); });
  const Laplacian laplacian(*shared_->pairs, *sum_, margin_, x, static_cast<std::size_t>(d), evaluation.executor);
  std::vector<double> residual(gradient.size());
  for (std::size_t e = 0; e < residual.size(); ++e) residual[e] = -0.5 * gradient[e];
  const std::vector<double> step = laplacian.solve(std::move(residual));
  for (std::size_t e = 0; e < step.size(); ++e) next[e] = x[e] + step[e];
}

}  // namespace alidade::triplet
