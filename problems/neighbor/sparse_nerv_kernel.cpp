#include "problems/neighbor/sparse_nerv_kernel.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "problems/core/upper_median.hpp"
#include "problems/core/vector_math.hpp"
#include "problems/core/wide_call.hpp"
#include "problems/neighbor/map_neighbor_tree.hpp"
#include "problems/neighbor/nerv_tradeoff.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::neighbor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kPad = 8;  // lanes of the widest vector of doubles
constexpr double kFar = 1e4;     // an exponent whose exponential is 0
// Multiples of the limit: pairs may exceed the estimate from sampled rows, and lists reach farther.
constexpr std::size_t kMostSurplus = 2, kMostListed = 3;

// ---- a row, given who may be near

struct RowRoom {
  std::vector<double> squared, exponent, excess, weight;
  std::vector<ObjectId> near;
  void resize(std::size_t count) {
    if (squared.size() >= count + kPad) return;
    for (auto* buffer : {&squared, &exponent, &excess, &weight}) buffer->resize(count + kPad);
    near.resize(count + kPad);
  }
};

struct RowTask {
  const double* y = nullptr;  // n x d
  Index d = 0;
  Index i = 0;
  std::span<const ObjectId> candidates;  // sorted; without i
  const float* distances = nullptr;      // D of each
  double beta = 0, cutoff = 0;
  double lambda = 0;
};

struct RowSums {
  double log_sum = 0;  // ln S
  double excess = 0;   // beta E_q[D - d]
  double limit = 0;    // the largest d that counts
  std::size_t near = 0;
};

template <int kFixed>
[[gnu::always_inline]] inline void squared_gaps(const RowTask& row, double* out) {
  const Index d = kFixed > 0 ? kFixed : row.d;
  const double* own = row.y + row.i * d;
  for (std::size_t k = 0; k < row.candidates.size(); ++k) {
    const double* other = row.y + static_cast<Index>(row.candidates[k]) * d;
    double sum = 0;
    for (Index c = 0; c < d; ++c) sum += (own[c] - other[c]) * (own[c] - other[c]);
    out[k] = sum;
  }
}

/// Leaves the near objects in memory, compacted in order of id, with -beta (d - min), beta (D - d) and q.
template <int bytes>
[[gnu::always_inline]] inline RowSums sums_in_lanes(const RowTask& row, RowRoom& room) {
  using V = Vec<double, bytes>;
  const std::size_t count = row.candidates.size();
  room.resize(count);
  double* const squared = room.squared.data();
  if (row.d == 2)
    squared_gaps<2>(row, squared);
  else if (row.d == 3)
    squared_gaps<3>(row, squared);
  else
    squared_gaps<0>(row, squared);
  double least = kInfinity;
  for (std::size_t k = 0; k < count; ++k) least = squared[k] < least ? squared[k] : least;
  RowSums out;
  out.limit = least + row.cutoff / row.beta;

  double* const exponent = room.exponent.data();
  double* const excess = room.excess.data();
  ObjectId* const near = room.near.data();
  std::size_t m = 0;
  for (std::size_t k = 0; k < count; ++k) {
    near[m] = row.candidates[k];
    exponent[m] = row.beta * (least - squared[k]);
    excess[m] = row.beta * (static_cast<double>(row.distances[k]) - squared[k]);
    m += squared[k] <= out.limit ? 1 : 0;
  }
  out.near = m;
  for (std::size_t k = m; k < m + kPad; ++k) {
    exponent[k] = -kFar;
    excess[k] = 0;
  }
  V sum{}, weighted{};
  for (std::size_t k = 0; k < m; k += kLanes<V>) {
    const V q = exp_of_nonpositive(load<V>(exponent + k));
    sum += q;
    weighted += q * load<V>(excess + k);
    store<V>(room.weight.data() + k, q);
  }
  const double total = sum_lanes(sum);
  out.log_sum = std::log(total) - row.beta * least;
  out.excess = sum_lanes(weighted) / total;
  const V scale = splat<V>(-row.beta / total), rest = splat<V>(1 - row.lambda),
          shift = splat<V>(row.lambda - (1 - row.lambda) * out.excess);
  for (std::size_t k = 0; k < m; k += kLanes<V>)
    store<V>(room.weight.data() + k, scale * load<V>(room.weight.data() + k) * (shift + rest * load<V>(excess + k)));
  return out;
}

RowSums sums_of(const RowTask& row, RowRoom& room) {
  return call_in_lanes(
      best_instruction_set(), [&](auto bytes)
                                  __attribute__((always_inline)) { return sums_in_lanes<bytes>(row, room); });
}

/// Adds 2 w (y_i - y_j) to row i of the gradient, and takes it from row j.
template <int kFixed>
[[gnu::always_inline]] inline void scatter(const double* y, Index width, Index i, const ObjectId* others,
                                           const double* weights, std::size_t count, double* gradient) {
  const Index d = kFixed > 0 ? kFixed : width;
  const double* own = y + i * d;
  double* const to = gradient + i * d;
  for (std::size_t k = 0; k < count; ++k) {
    const Index j = static_cast<Index>(others[k]) * d;
    for (Index c = 0; c < d; ++c) {
      const double pull = 2 * weights[k] * (own[c] - y[j + c]);
      to[c] += pull;
      gradient[j + c] -= pull;
    }
  }
}
void scatter_any(const double* y, Index d, Index i, const ObjectId* others, const double* weights, std::size_t count,
                 double* gradient) {
  if (d == 2)
    scatter<2>(y, d, i, others, weights, count, gradient);
  else if (d == 3)
    scatter<3>(y, d, i, others, weights, count, gradient);
  else
    scatter<0>(y, d, i, others, weights, count, gradient);
}

struct RowCost {
  double misses = 0, false_neighbours = 0;
};

/// A_i and K_i, given the sums over q; `gradient` (or null) gets what p pulls.
RowCost cost_of_row(const SparseNerv& model, const double* y, Index i, const RowSums& sums, RowRoom& room,
                    double* gradient) {
  const SparseAffinities& p = model.p;
  const Index width = p.ids.cols(), d = model.components;
  const double* own = y + i * d;
  room.resize(static_cast<std::size_t>(width));
  double mean = 0;
  for (Index k = 0; k < width; ++k) {
    const double* other = y + static_cast<Index>(p.ids(i, k)) * d;
    double squared = 0;
    for (Index c = 0; c < d; ++c) squared += (own[c] - other[c]) * (own[c] - other[c]);
    const auto weight = static_cast<double>(p.weights(i, k));
    mean += weight * squared;
    room.weight[static_cast<std::size_t>(k)] = model.lambda * p.beta[i] * weight;
  }
  if (gradient && model.lambda > 0)
    scatter_any(y, d, i, p.ids.row(i).data(), room.weight.data(), static_cast<std::size_t>(width), gradient);
  return {p.beta[i] * mean - p.entropy[i] + sums.log_sum, p.log_normalizer[i] - sums.log_sum + sums.excess};
}

// ---- chunks of rows

Index part_count(Index n) { return std::clamp<Index>(n / 256, 1, 16); }
Index part_edge(Index n, Index part) { return n * part / part_count(n); }

struct Rows {                      // of one chunk
  std::vector<std::size_t> begin;  // of each row, and the end
  std::vector<ObjectId> ids;
  std::vector<float> distances;
  std::vector<float> reach;  // objects within it are listed
};

/// |x - y|^2 of p numbers. Four sums at once, so that additions need not wait for one another; relative error about
/// (p / 32 + 8) 2^-24.
template <int bytes>
[[gnu::always_inline]] inline float distance_in_sums(const float* x, const float* y, Index p) {
  using V = Vec<float, bytes>;
  constexpr Index kLane = kLanes<V>;
  V sum[4]{};
  Index c = 0;
  for (; c + 4 * kLane <= p; c += 4 * kLane)
#pragma GCC unroll 4
    for (Index s = 0; s < 4; ++s) {
      const V gap = load<V>(x + c + s * kLane) - load<V>(y + c + s * kLane);
      sum[s] += gap * gap;
    }
  for (; c + kLane <= p; c += kLane) {
    const V gap = load<V>(x + c) - load<V>(y + c);
    sum[0] += gap * gap;
  }
  auto total = static_cast<float>(sum_lanes(V((sum[0] + sum[1]) + (sum[2] + sum[3]))));
  for (; c < p; ++c) total += (x[c] - y[c]) * (x[c] - y[c]);
  return total;
}
float distance_in_units(const SparseNerv& model, Index i, Index j) {
  static const InstructionSet kBest = best_instruction_set();
  const FeatureMatrix& X = *model.features;
  const double unit = model.p.unit;
  const float squared = call_in_lanes(
      kBest, [&](auto bytes) __attribute__((always_inline)) {
        return distance_in_sums<bytes>(X.row(i).data(), X.row(j).data(), X.cols());
      });
  return static_cast<float>(static_cast<double>(squared) / (unit * unit));
}

/// Finds the objects within a radius of a place, in order of id. For one thread at a time.
class OrderedSearch {
 public:
  OrderedSearch(const DisplayTree& tree, Index n) : tree_(tree), marks_(static_cast<std::size_t>(n) / 64 + 1, 0) {}
  /// Valid until the next call.
  const std::vector<ObjectId>& operator()(Index i, double radius) {
    found_.clear();
    tree_.within(i, radius, [&](ObjectId id) {
      if (static_cast<Index>(id) != i) found_.push_back(id);
    });
    constexpr std::size_t kMarksWorthAnId = 16;
    if (marks_.size() > kMarksWorthAnId * found_.size()) {
      std::ranges::sort(found_);
      return found_;
    }
    for (const ObjectId id : found_) marks_[id / 64] |= std::uint64_t{1} << (id % 64);
    std::size_t count = 0;
    for (std::size_t word = 0; word < marks_.size(); ++word) {
      for (std::uint64_t left = marks_[word]; left != 0; left &= left - 1)
        found_[count++] = static_cast<ObjectId>(64 * word + static_cast<std::size_t>(std::countr_zero(left)));
      marks_[word] = 0;
    }
    return found_;
  }

 private:
  const DisplayTree& tree_;
  std::vector<std::uint64_t> marks_;  // a bit for each object; 0 between calls
  std::vector<ObjectId> found_;
};

double radius_within(double nearest_squared, double beta, double cutoff) {
  return std::sqrt(nearest_squared + cutoff / beta);
}

}  // namespace

struct SparseNervWorkspace::Lists {
  std::shared_ptr<const SparseNerv> of;
  double typical_reach = 0;    // median of sqrt(cutoff / beta)
  double skin = 0.2;           // how much farther than needed is listed, in reaches
  std::vector<double> places;  // when listed; empty: nothing is
  int uses = 0;                // since then
  std::vector<Rows> rows;      // of each chunk
  // Buffers of each chunk.
  std::vector<RowRoom> rooms;
  std::vector<std::vector<double>> parts;
  std::vector<double> moved;

  void begin(const std::shared_ptr<const SparseNerv>& model);
  [[nodiscard]] bool list(std::span<const double> y, Executor& executor);
  [[nodiscard]] bool list(const DisplayTree& tree, double width, Executor& executor);
  [[nodiscard]] bool sum(std::span<const double> y, std::span<double> gradient, SparseNervCost& out,
                         Executor& executor);
};

SparseNervWorkspace::SparseNervWorkspace() : lists_(std::make_unique<Lists>()) {}
SparseNervWorkspace::~SparseNervWorkspace() = default;
SparseNervWorkspace::SparseNervWorkspace(SparseNervWorkspace&&) noexcept = default;
SparseNervWorkspace& SparseNervWorkspace::operator=(SparseNervWorkspace&&) noexcept = default;

void SparseNervWorkspace::Lists::begin(const std::shared_ptr<const SparseNerv>& model) {
  if (of == model) return;
  *this = {};
  of = model;
  const Index n = model->size();
  typical_reach = upper_median(Vector((model->cutoff / model->p.beta.array()).sqrt()));
  const auto chunks = static_cast<std::size_t>(part_count(n));
  rows.resize(chunks);
  rooms.resize(chunks);
  parts.resize(chunks);
}

/// Returns false and changes nothing if that needs far more pairs than allowed.
bool SparseNervWorkspace::Lists::list(const DisplayTree& tree, double width, Executor& executor) {
  const SparseNerv& model = *of;
  const Index n = model.size();
  std::atomic<std::size_t> listed = 0;
  const std::size_t limit = kMostListed * model.most_pairs;
  std::vector<Rows> anew(rows.size());
  executor.run(part_count(n), [&](Index chunk) {
    Rows& now = anew[static_cast<std::size_t>(chunk)];
    now.ids.reserve(rows[static_cast<std::size_t>(chunk)].ids.size());
    now.begin.push_back(0);
    OrderedSearch search(tree, n);
    for (Index i = part_edge(n, chunk); i < part_edge(n, chunk + 1); ++i) {
      const double beta = model.p.beta[i];
      const double radius = radius_within(tree.nearest(i), beta, model.cutoff) +
                            width * std::max(std::sqrt(model.cutoff / beta), typical_reach);
      const std::vector<ObjectId>& neighbors = search(i, radius);
      if (listed.fetch_add(neighbors.size()) + neighbors.size() > limit) return;
      // Rounded down, so that all objects within it are listed.
      now.reach.push_back(std::nextafter(static_cast<float>(radius), 0.0F));
      now.ids.insert(now.ids.end(), neighbors.begin(), neighbors.end());
      now.begin.push_back(now.ids.size());
    }
  });
  if (listed > limit) return false;
  // Distances last, because they are expensive; those of pairs listed before are reused.
  executor.run(part_count(n), [&](Index chunk) {
    Rows& old = rows[static_cast<std::size_t>(chunk)];
    Rows& now = anew[static_cast<std::size_t>(chunk)];
    now.distances.resize(now.ids.size());
    const Index first = part_edge(n, chunk), last = part_edge(n, chunk + 1);
    for (Index i = first; i < last; ++i) {
      const auto row = static_cast<std::size_t>(i - first);
      std::size_t k = old.begin.empty() ? 0 : old.begin[row];
      const std::size_t end = old.begin.empty() ? 0 : old.begin[row + 1];
      for (std::size_t at = now.begin[row]; at < now.begin[row + 1]; ++at) {
        const ObjectId id = now.ids[at];
        while (k < end && old.ids[k] < id) ++k;
        now.distances[at] =
            k < end && old.ids[k] == id ? old.distances[k] : distance_in_units(model, i, static_cast<Index>(id));
      }
    }
    old = std::move(now);
  });
  return true;
}

bool SparseNervWorkspace::Lists::list(std::span<const double> y, Executor& executor) {
  constexpr double kLeastSkin = 0.01;
  if (!places.empty()) skin = uses < 3 ? std::max(skin / 2, 0.05) : std::min(skin * 1.25, 0.4);
  uses = 0;
  places.clear();
  const DisplayTree tree(y, of->components);
  if (!list(tree, skin, executor) && !list(tree, kLeastSkin, executor)) {
    for (Rows& chunk : rows) chunk = {};
    return false;
  }
  places.assign(y.begin(), y.end());
  return true;
}

/// Returns false if some row needs more than is listed.
bool SparseNervWorkspace::Lists::sum(std::span<const double> y, std::span<double> gradient, SparseNervCost& out,
                                     Executor& executor) {
  const SparseNerv& model = *of;
  const Index n = model.size(), d = model.components;
  if (places.empty()) return false;
  moved.resize(static_cast<std::size_t>(n));
  double farthest = 0;
  for (Index i = 0; i < n; ++i) {
    double squared = 0;
    for (Index c = 0; c < d; ++c) {
      const auto at = static_cast<std::size_t>(i * d + c);
      squared += (y[at] - places[at]) * (y[at] - places[at]);
    }
    const double distance = std::sqrt(squared);
    moved[static_cast<std::size_t>(i)] = distance;
    farthest = std::max(farthest, distance);
  }
  std::atomic<bool> stale = false;
  std::vector<SparseNervCost> costs(rows.size());
  executor.run(part_count(n), [&](Index chunk) {
    const auto c = static_cast<std::size_t>(chunk);
    const Rows& mine = rows[c];
    RowRoom& room = rooms[c];
    std::vector<double>& part = parts[c];
    part.assign(gradient.size(), 0.0);
    const Index first = part_edge(n, chunk), last = part_edge(n, chunk + 1);
    for (Index i = first; i < last; ++i) {
      if (stale.load(std::memory_order_relaxed)) return;
      const auto row = static_cast<std::size_t>(i - first);
      const std::size_t begin = mine.begin[row];
      const RowTask task{y.data(),
                         d,
                         i,
                         {mine.ids.data() + begin, mine.begin[row + 1] - begin},
                         mine.distances.data() + begin,
                         model.p.beta[i],
                         model.cutoff,
                         model.lambda};
      const RowSums sums = sums_of(task, room);
      const double reach = std::sqrt(sums.limit) + moved[static_cast<std::size_t>(i)] + farthest;
      if (!(reach * (1 + 1e-9) <= static_cast<double>(mine.reach[row]))) {
        stale = true;
        return;
      }
      if (!part.empty()) scatter_any(y.data(), d, i, room.near.data(), room.weight.data(), sums.near, part.data());
      const RowCost cost = cost_of_row(model, y.data(), i, sums, room, part.empty() ? nullptr : part.data());
      costs[c].misses += cost.misses;
      costs[c].false_neighbours += cost.false_neighbours;
      costs[c].pairs += sums.near;
    }
  });
  if (stale) return false;
  ++uses;
  out = {};
  for (const SparseNervCost& cost : costs) {
    out.misses += cost.misses / static_cast<double>(n);
    out.false_neighbours += cost.false_neighbours / static_cast<double>(n);
    out.pairs += cost.pairs;
  }
  std::ranges::fill(gradient, 0.0);
  for (const auto& part : parts)
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += part[k];
  for (double& entry : gradient) entry /= static_cast<double>(n);
  return true;
}

// ---- rows with complete information

namespace {

constexpr Index kSampleAtOnce = 16;
constexpr int kStepsAnOctave = 32;  // of a factor, 2 % each

/// Calls `use(chunk, a, D)` for all sampled rows: a counts them, D squared distances in units, n of them.
template <class Use>
void for_each_sampled(const SparseNerv& model, Executor& executor, const Use& use) {
  const SampledRows& sample = model.p.sample;
  const auto count = static_cast<Index>(sample.rows.size());
  const double scale = 1 / (model.p.unit * model.p.unit);
  executor.run_chunks(count, kSampleAtOnce, [&](const Chunk& chunk) {
    const Index first = chunk.first;
    for_each_row(*model.features, *model.p.points,
                 std::span<const Index>(sample.rows.data() + first, static_cast<std::size_t>(chunk.last - first)),
                 [&](Index a, std::span<double> D) {
                   for (double& squared : D) squared *= scale;
                   use(chunk.number, first + a, std::span<const double>(D));
                 });
  });
}

/// d_ij of all j, and infinity for i itself.
void squared_gaps_to_all(const SparseNerv& model, std::span<const double> y, Index i, std::vector<double>& out) {
  const Index n = model.size(), d = model.components;
  out.resize(static_cast<std::size_t>(n));
  const double* own = y.data() + i * d;
  for (Index j = 0; j < n; ++j) {
    double sum = 0;
    for (Index c = 0; c < d; ++c) {
      const double gap = own[c] - y[static_cast<std::size_t>(j * d + c)];
      sum += gap * gap;
    }
    out[static_cast<std::size_t>(j)] = sum;
  }
  out[static_cast<std::size_t>(i)] = kInfinity;
}

struct DenseRow {
  std::vector<double> p, squared, q;
};

/// A_i and K_i over all pairs. `row` holds p and squared gaps; its q is room.
RowCost dense_cost(double beta, double log_normalizer, double entropy, double scale, Index i, std::span<const double> D,
                   DenseRow& row) {
  double least = kInfinity;
  for (const double d : row.squared) least = std::min(least, d);
  const double factor = beta * scale * scale;
  row.q = row.squared;
  row.q[static_cast<std::size_t>(i)] = 1e300 / std::max(factor, 1.0);
  to_probabilities(row.q, factor, -factor * least);
  row.q[static_cast<std::size_t>(i)] = 0;
  double sum = 0, excess = 0, mean = 0;
  for (std::size_t j = 0; j < D.size(); ++j) {
    if (static_cast<Index>(j) == i) continue;
    sum += row.q[j];
    excess += row.q[j] * (beta * D[j] - factor * row.squared[j]);
    mean += row.p[j] * row.squared[j];
  }
  excess /= sum;
  const double log_sum = std::log(sum) - factor * least;
  return {factor * mean - entropy + log_sum, log_normalizer - log_sum + excess};
}

void take_p(const SampledRows& sample, Index a, std::span<const double> D, DenseRow& row) {
  row.p.assign(D.begin(), D.end());
  to_probabilities(row.p, sample.beta[a], sample.log_normalizer[a]);
  row.p[static_cast<std::size_t>(sample.rows[static_cast<std::size_t>(a)])] = 0;
}

}  // namespace

namespace {

/// Whether more pairs than allowed are near, as the sampled rows estimate. O(sample n); O(1) if all pairs are allowed.
bool too_dense(const SparseNerv& model, std::span<const double> y, Executor& executor) {
  const auto n = static_cast<std::size_t>(model.size());
  if (n * (n - 1) <= model.most_pairs) return false;
  const auto count = static_cast<Index>(model.p.sample.rows.size());
  std::atomic<std::size_t> near = 0;
  executor.run_chunks(count, kSampleAtOnce, [&](const Chunk& chunk) {
    std::vector<double> gaps;
    for (Index a = chunk.first; a < chunk.last; ++a) {
      const Index i = model.p.sample.rows[static_cast<std::size_t>(a)];
      squared_gaps_to_all(model, y, i, gaps);
      const double limit = std::ranges::min(gaps) + model.cutoff / model.p.beta[i];
      near += static_cast<std::size_t>(std::ranges::count_if(gaps, [&](double gap) { return gap <= limit; }));
    }
  });
  return static_cast<double>(near) * static_cast<double>(n) >
         static_cast<double>(model.most_pairs) * static_cast<double>(count);
}

}  // namespace

SparseNervCost SparseNervWorkspace::operator()(const std::shared_ptr<const SparseNerv>& model,
                                               std::span<const double> y, std::span<double> gradient,
                                               Executor& executor) {
  lists_->begin(model);
  SparseNervCost out;
  if (!std::ranges::all_of(y, [](double at) { return std::isfinite(at); })) {
    out.misses = out.false_neighbours = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  // Decided before anything is listed, and from the map alone.
  if (!too_dense(*model, y, executor)) {
    // With new lists no place has moved since, so the second sum always succeeds.
    const bool done = lists_->sum(y, gradient, out, executor) ||
                      (lists_->list(y, executor) && lists_->sum(y, gradient, out, executor));
    if (done && out.pairs <= kMostSurplus * model->most_pairs) return out;
  }
  out = {};
  out.too_dense = true;
  std::ranges::fill(gradient, 0.0);
  return out;
}

SparseNervCost sampled_cost(const SparseNerv& model, std::span<const double> y, Executor& executor) {
  const SampledRows& sample = model.p.sample;
  const auto count = static_cast<Index>(sample.rows.size());
  std::vector<SparseNervCost> costs(static_cast<std::size_t>(chunk_count(count, kSampleAtOnce)));
  for_each_sampled(model, executor, [&](Index chunk, Index a, std::span<const double> D) {
    const Index i = sample.rows[static_cast<std::size_t>(a)];
    DenseRow row;
    squared_gaps_to_all(model, y, i, row.squared);
    take_p(sample, a, D, row);
    const RowCost cost = dense_cost(sample.beta[a], sample.log_normalizer[a], sample.entropy[a], 1, i, D, row);
    costs[static_cast<std::size_t>(chunk)].misses += cost.misses;
    costs[static_cast<std::size_t>(chunk)].false_neighbours += cost.false_neighbours;
  });
  SparseNervCost out;
  for (const SparseNervCost& cost : costs) {
    out.misses += cost.misses / static_cast<double>(count);
    out.false_neighbours += cost.false_neighbours / static_cast<double>(count);
  }
  return out;
}

double best_scale(const SparseNerv& model, std::span<const double> y, Executor& executor) {
  const SampledRows& sample = model.p.sample;
  const std::size_t count = sample.rows.size();
  std::vector<double> sums(count, 0.0);
  std::vector<double> gaps;
  for (std::size_t a = 0; a < count; ++a) {
    squared_gaps_to_all(model, y, sample.rows[a], gaps);
    for (const double gap : gaps)
      if (gap < kInfinity) sums[a] += std::sqrt(gap);
  }
  double mean = 0;
  for (const double sum : sums) mean += sum;
  mean /= static_cast<double>(count) * static_cast<double>(model.size() - 1);
  if (!(mean > 0)) return 1;

  return least_cost_scale(mean, [&](std::span<const double> scales) {
    std::vector<double> costs(count * scales.size(), 0.0);
    for_each_sampled(model, executor, [&](Index, Index a, std::span<const double> D) {
      DenseRow row;
      const auto at = static_cast<std::size_t>(a);
      squared_gaps_to_all(model, y, sample.rows[at], row.squared);
      take_p(sample, a, D, row);
      for (std::size_t s = 0; s < scales.size(); ++s) {
        const RowCost cost =
            dense_cost(sample.beta[a], sample.log_normalizer[a], sample.entropy[a], scales[s], sample.rows[at], D, row);
        costs[at * scales.size() + s] = model.lambda * cost.misses + (1 - model.lambda) * cost.false_neighbours;
      }
    });
    std::vector<double> totals(scales.size(), 0.0);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t s = 0; s < scales.size(); ++s) totals[s] += costs[a * scales.size() + s];
    return totals;
  });
}

double roomy_scale(const SparseNerv& model, std::span<const double> y, double least, double near_count,
                   Executor& executor) {
  constexpr int kSteps = 16 * kStepsAnOctave;
  // left[k]: number of pairs that are near at factors below step k, but not at step k.
  std::vector<std::size_t> left(kSteps + 1, 0);
  const auto count = static_cast<Index>(model.p.sample.rows.size());
  std::vector<std::vector<std::size_t>> parts(static_cast<std::size_t>(chunk_count(count, kSampleAtOnce)), left);
  executor.run_chunks(count, kSampleAtOnce, [&](const Chunk& chunk) {
    auto& part = parts[static_cast<std::size_t>(chunk.number)];
    std::vector<double> gaps;
    for (Index a = chunk.first; a < chunk.last; ++a) {
      const Index i = model.p.sample.rows[static_cast<std::size_t>(a)];
      squared_gaps_to_all(model, y, i, gaps);
      const double nearest = std::ranges::min(gaps);
      // Near up to the factor sqrt(cutoff / (beta (d - nearest))).
      const double scale = model.cutoff / (model.p.beta[i] * least * least);
      for (const double gap : gaps) {
        if (!(gap < kInfinity)) continue;  // the object itself
        const double squared = scale / (gap - nearest);
        if (squared < 1)
          ++part[0];
        else
          ++part[static_cast<std::size_t>(
              std::min<double>(std::floor(0.5 * kStepsAnOctave * std::log2(squared)) + 1, kSteps))];
      }
    }
  });
  for (const auto& part : parts)
    for (std::size_t k = 0; k < left.size(); ++k) left[k] += part[k];
  const auto allowed = near_count * static_cast<double>(count);
  std::size_t near = static_cast<std::size_t>(count) * static_cast<std::size_t>(model.size() - 1);
  for (int k = 0; k < kSteps; ++k) {
    near -= left[static_cast<std::size_t>(k)];
    if (static_cast<double>(near) <= allowed) return least * std::exp2(static_cast<double>(k) / kStepsAnOctave);
  }
  return least;
}

// ---- errors

namespace {

/// A row of the sparse cost by itself, without lists.
class LoneRows {
 public:
  LoneRows(const SparseNerv& model, std::span<const double> y) : model_(model), y_(y), tree_(y, model.components) {}

  /// What is near within `cutoff`, and A_i and K_i with it.
  struct RowResult {
    RowCost cost;
    RowSums sums;
    double least = 0;
  };
  /// What one thread needs.
  struct Room {
    explicit Room(const LoneRows& rows) : search(rows.tree_, rows.model_.size()) {}
    OrderedSearch search;
    RowRoom row;
    std::vector<float> distances;
  };
  RowResult operator()(Index i, double cutoff, Room& room) const {
    const double beta = model_.p.beta[i], least = tree_.nearest(i);
    // A little more than needed, as rounding differs.
    const std::vector<ObjectId>& ids = room.search(i, radius_within(least, beta, cutoff) * (1 + 1e-6));
    std::vector<float>& distances = room.distances;
    distances.resize(ids.size());
    for (std::size_t k = 0; k < ids.size(); ++k)
      distances[k] = distance_in_units(model_, i, static_cast<Index>(ids[k]));
    const RowTask task{y_.data(), model_.components, i, ids, distances.data(), beta, cutoff, model_.lambda};
    const RowSums sums = sums_of(task, room.row);
    return {cost_of_row(model_, y_.data(), i, sums, room.row, nullptr), sums, least};
  }

 private:
  const SparseNerv& model_;
  std::span<const double> y_;
  DisplayTree tree_;
};

}  // namespace

SparseNervError sparse_nerv_error(const SparseNerv& model, std::span<const double> y, const SparseNervCost& cost,
                                  Executor& executor) {
  const Index n = model.size();
  const LoneRows rows(model, y);
  // An upper bound on distances in the data, through the mean.
  const FeatureMatrix& X = *model.features;
  const Vector centre = X.cast<double>().colwise().mean();
  Vector from_centre(n);
  for (Index i = 0; i < n; ++i) from_centre[i] = (X.row(i).cast<double>().transpose() - centre).norm() / model.p.unit;
  const double widest = from_centre.maxCoeff();

  // Sums also farther pairs, and bounds those that are farther still.
  const double wide = std::max(2 * model.cutoff, std::log(static_cast<double>(n)) + 30);
  const Index chunks = part_count(n);
  std::vector<double> sums(static_cast<std::size_t>(chunks), 0.0), bounds = sums;
  executor.run(chunks, [&](Index chunk) {
    LoneRows::Room room(rows);
    for (Index i = part_edge(n, chunk); i < part_edge(n, chunk + 1); ++i) {
      const auto sums_of_row = rows(i, wide, room);
      const double beta = model.p.beta[i];
      sums[static_cast<std::size_t>(chunk)] +=
          model.lambda * sums_of_row.cost.misses + (1 - model.lambda) * sums_of_row.cost.false_neighbours;
      const double nearest = beta * sums_of_row.least;
      // The mass left out, of a sum that is at least 1 relative to the nearest.
      const double left = static_cast<double>(n - 1 - static_cast<Index>(sums_of_row.sums.near)) * std::exp(-wide);
      const double farthest = from_centre[i] + widest;
      bounds[static_cast<std::size_t>(chunk)] +=
          left * (model.lambda + (1 - model.lambda) * (1 + beta * farthest * farthest + nearest + wide +
                                                       std::abs(sums_of_row.sums.excess)));
    }
  });
  SparseNervError out;
  double wider = 0;
  for (const double sum : sums) wider += sum / static_cast<double>(n);
  out.cutoff = std::abs(wider - cost.at(model.lambda));
  for (const double bound : bounds) out.cutoff += bound / static_cast<double>(n);

  const SampledRows& sample = model.p.sample;
  const std::size_t count = sample.rows.size();
  std::vector<double> differences(count, 0.0);
  for_each_sampled(model, executor, [&](Index, Index a, std::span<const double> D) {
    const auto at = static_cast<std::size_t>(a);
    const Index i = sample.rows[at];
    DenseRow row;
    squared_gaps_to_all(model, y, i, row.squared);
    take_p(sample, a, D, row);
    const RowCost dense = dense_cost(sample.beta[a], sample.log_normalizer[a], sample.entropy[a], 1, i, D, row);
    LoneRows::Room room(rows);
    const RowCost sparse = rows(i, model.cutoff, room).cost;
    differences[at] = model.lambda * (dense.misses - sparse.misses) +
                      (1 - model.lambda) * (dense.false_neighbours - sparse.false_neighbours);
  });
  double mean = 0, squares = 0;
  for (const double difference : differences) mean += difference / static_cast<double>(count);
  for (const double difference : differences) squares += (difference - mean) * (difference - mean);
  out.dense_difference = mean;
  const double share = static_cast<double>(count) / static_cast<double>(n);
  if (count > 1)
    out.standard_error = std::sqrt(squares / static_cast<double>(count - 1) / static_cast<double>(count) * (1 - share));
  return out;
}

}  // namespace alidade::neighbor
