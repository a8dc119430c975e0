#include "problems/neighbor/sparse_affinities.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/vector_math.hpp"
#include "problems/core/wide_call.hpp"
#include "problems/distances/nearest_neighbors.hpp"
#include "problems/neighbor/affinities.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::neighbor {
namespace {

template <int bytes>
[[gnu::always_inline]] inline void weights_in_lanes(std::span<double> d, double beta, double log_normalizer) {
  using V = Vec<double, bytes>;
  const std::size_t whole = d.size() / kLanes<V> * kLanes<V>;
  for (std::size_t j = 0; j < whole; j += kLanes<V>) {
    V x = -beta * load<V>(d.data() + j) - log_normalizer;
    x = x < 0 ? x : V{};
    store<V>(d.data() + j, exp_of_nonpositive(x));
  }
  for (std::size_t j = whole; j < d.size(); ++j)
    d[j] = exp_of_nonpositive(std::min(-beta * d[j] - log_normalizer, 0.0));
}

/// The `count` nearest to i, in order, ties by id.
void find_nearest(std::span<const double> row, Index i, std::size_t count, std::vector<Neighbor<double>>& heap) {
  heap.clear();
  double worst = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!(row[j] < worst) || static_cast<Index>(j) == i) continue;
    if (heap.size() == count) {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    heap.push_back({row[j], static_cast<ObjectId>(j)});
    std::push_heap(heap.begin(), heap.end());
    if (heap.size() == count) worst = heap.front().squared_distance;
  }
  std::sort_heap(heap.begin(), heap.end());
}

/// calibrate(), with any beta > 0 for a row without a width of its own (all others coincide with it).
RowAffinity calibrated(std::span<const double> row, Index self, double perplexity) {
  const RowAffinity affinity = calibrate(row, self, perplexity);
  if (affinity.beta > 0) return affinity;
  RowAffinity out = affinity_at(row, self, 1);
  out.capped = true;
  return out;
}

SampledRows sample_of(Index n, Index count, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  count = std::min(count, n);
  Rng rng = Rng::stream(seed, "sampled rows");
  for (Index a = 0; a < count && count < n; ++a)
    std::swap(
        order[static_cast<std::size_t>(a)],
        order[static_cast<std::size_t>(a) + static_cast<std::size_t>(rng.below(static_cast<std::uint64_t>(n - a)))]);
  order.resize(static_cast<std::size_t>(count));
  std::ranges::sort(order);
  return {std::move(order), Vector(count), Vector(count), Vector(count)};
}

/// Room of one chunk of rows.
struct Room {
  std::vector<Neighbor<double>> heap;
  std::vector<double> p, marks;
};

/// Fills row i of the lists from all distances; squares in the units of the data.
void take_row(Index i, std::span<const double> row, const RowAffinity& affinity, const SparseAffinityOptions& options,
              Room& room, SparseAffinities& out) {
  const Index drawn = out.ids.cols() - options.nearest;
  find_nearest(row, i, static_cast<std::size_t>(options.nearest), room.heap);
  require<DataError>(room.heap.size() == static_cast<std::size_t>(options.nearest),
                     "The distances of the data overflow. Divide the features by a constant.");
  const auto p_of = [&](double squared) { return std::exp(-affinity.beta * squared - affinity.log_normalizer); };
  double listed = 0;
  for (Index k = 0; k < options.nearest; ++k) {
    const auto& neighbour = room.heap[static_cast<std::size_t>(k)];
    const double p = p_of(neighbour.squared_distance);
    out.ids(i, k) = neighbour.id;
    out.weights(i, k) = static_cast<float>(p);
    listed += p;
  }
  out.rest[i] = drawn > 0 ? std::max(1 - listed, 0.0) : 0;
  if (drawn == 0) return;
  room.p.assign(row.begin(), row.end());
  to_probabilities(room.p, affinity.beta, affinity.log_normalizer);
  room.p[static_cast<std::size_t>(i)] = 0;
  for (const auto& neighbour : room.heap) room.p[neighbour.id] = 0;
  double total = 0;
  for (const double p : room.p) total += p;
  Rng rng = Rng::stream(options.seed, "drawn", static_cast<std::uint64_t>(i));
  // One mark in each of m equal parts of the remaining probability: a stratified draw in proportion to p.
  room.marks.resize(static_cast<std::size_t>(drawn));
  for (Index k = 0; k < drawn; ++k)
    room.marks[static_cast<std::size_t>(k)] =
        total * (static_cast<double>(k) + rng.uniform01()) / static_cast<double>(drawn);
  const auto weight = static_cast<float>(out.rest[i] / static_cast<double>(drawn));
  double sum = 0;
  std::size_t j = 0, last = 0;
  for (Index k = 0; k < drawn; ++k) {
    const double mark = room.marks[static_cast<std::size_t>(k)];
    for (; j < room.p.size() && sum <= mark; ++j) {
      if (room.p[j] > 0) last = j;
      sum += room.p[j];
    }
    // If all remaining p are 0, the nearest fills the place with weight 0.
    out.ids(i, options.nearest + k) = total > 0 ? static_cast<ObjectId>(last) : out.ids(i, 0);
    out.weights(i, options.nearest + k) = total > 0 ? weight : 0;
  }
}

constexpr Index kRowsAtOnce = 24;

/// Distances of whole rows, summed chunk by chunk: their mean is the unit of the map.
struct DistanceSums {
  explicit DistanceSums(Index rows) : of_chunk(static_cast<std::size_t>(chunk_count(rows, kRowsAtOnce)), 0.0) {}
  void add(const Chunk& chunk, std::span<const double> squared) {
    double sum = 0;
    for (const double value : squared) sum += std::sqrt(value);
    of_chunk[static_cast<std::size_t>(chunk.number)] += sum;
  }
  [[nodiscard]] double total() const {
    double sum = 0;
    for (const double part : of_chunk) sum += part;
    return sum;
  }
  std::vector<double> of_chunk;
};

void keep(Index i, const RowAffinity& affinity, std::vector<char>& capped, SparseAffinities& out) {
  out.beta[i] = affinity.beta;
  out.log_normalizer[i] = affinity.log_normalizer;
  out.entropy[i] = affinity.entropy;
  capped[static_cast<std::size_t>(i)] = affinity.capped ? 1 : 0;
}

/// Calibrates and lists every row by all of its distances; returns the sum of distances. O(n^2 p).
double list_by_all_distances(const FeatureMatrix& X, const SparseAffinityOptions& options, Executor& executor,
                             std::vector<char>& capped, SparseAffinities& out) {
  DistanceSums sums(X.rows());
  executor.run_chunks(X.rows(), kRowsAtOnce, [&](const Chunk& chunk) {
    Room room;
    std::vector<Index> some;
    for (Index i = chunk.first; i < chunk.last; ++i) some.push_back(i);
    for_each_row(X, *out.points, some, [&](Index a, std::span<const double> row) {
      const Index i = some[static_cast<std::size_t>(a)];
      const RowAffinity affinity = calibrated(row, i, options.perplexity);
      keep(i, affinity, capped, out);
      sums.add(chunk, row);
      take_row(i, row, affinity, options, room, out);
    });
  });
  return sums.total();
}

/// Calibrates and lists every row by its nearest neighbours alone.
void list_nearest(const FeatureMatrix& X, const SparseAffinityOptions& options, Executor& executor,
                  std::vector<char>& capped, SparseAffinities& out) {
  require<ConfigError>(options.perplexity < static_cast<double>(options.nearest),
                       "The perplexity {} is too high for the {} nearest neighbours that are listed. List three "
                       "times as many as the perplexity.",
                       options.perplexity, options.nearest);
  const auto take = [&](Index i, std::span<const Neighbor<double>> nearest) {
    std::vector<double> row(nearest.size());
    std::ranges::transform(nearest, row.begin(), &Neighbor<double>::squared_distance);
    const RowAffinity of_row = calibrated(row, -1, options.perplexity);
    keep(i, of_row, capped, out);
    for (std::size_t k = 0; k < row.size(); ++k) {
      out.ids(i, static_cast<Index>(k)) = nearest[k].id;
      out.weights(i, static_cast<Index>(k)) =
          static_cast<float>(std::exp(-of_row.beta * row[k] - of_row.log_normalizer));
    }
  };
  each_nearest(X, options.nearest, SearchMethod::automatic, options.seed, executor, take);
}

/// Calibrates the sampled rows by all of their distances; returns the sum of distances.
double calibrate_sample(const FeatureMatrix& X, double perplexity, Executor& executor, const PackedPoints& points,
                        SampledRows& sample) {
  const auto count = static_cast<Index>(sample.rows.size());
  DistanceSums sums(count);
  executor.run_chunks(count, kRowsAtOnce, [&](const Chunk& chunk) {
    const Index first = chunk.first;
    const std::span<const Index> some(sample.rows.data() + first, static_cast<std::size_t>(chunk.last - first));
    for_each_row(X, points, some, [&](Index a, std::span<const double> row) {
      const RowAffinity affinity = calibrated(row, some[static_cast<std::size_t>(a)], perplexity);
      sample.beta[first + a] = affinity.beta;
      sample.log_normalizer[first + a] = affinity.log_normalizer;
      sample.entropy[first + a] = affinity.entropy;
      sums.add(chunk, row);
    });
  });
  return sums.total();
}

/// Of rows that are calibrated already.
void copy_sample(const SparseAffinities& from, SampledRows& sample) {
  for (std::size_t k = 0; k < sample.rows.size(); ++k) {
    const Index i = sample.rows[k];
    const auto a = static_cast<Index>(k);
    sample.beta[a] = from.beta[i];
    sample.log_normalizer[a] = from.log_normalizer[i];
    sample.entropy[a] = from.entropy[i];
  }
}

}  // namespace

void to_probabilities(std::span<double> d, double beta, double log_normalizer) {
  call_in_lanes(
      best_instruction_set(), [&](auto bytes)
                                  __attribute__((always_inline)) { weights_in_lanes<bytes>(d, beta, log_normalizer); });
}

void for_each_row(const FeatureMatrix& X, const PackedPoints& points, std::span<const Index> rows,
                  const std::function<void(Index, std::span<double>)>& use) {
  constexpr std::size_t kQueries = 24;
  const auto n = static_cast<std::size_t>(X.rows()), p = static_cast<std::size_t>(X.cols());
  std::vector<float> queries(kQueries * p), tile(kQueries * kTilePoints);
  std::vector<double> squared(kQueries * n);
  for (std::size_t first = 0; first < rows.size(); first += kQueries) {
    const std::size_t count = std::min(kQueries, rows.size() - first);
    for (std::size_t q = 0; q < count; ++q) std::copy_n(X.row(rows[first + q]).data(), p, queries.data() + q * p);
    for (std::size_t begin = 0; begin < n; begin += kTilePoints) {
      tile_distances(queries.data(), count, points, begin, tile.data());
      for (std::size_t q = 0; q < count; ++q)
        std::copy_n(tile.data() + q * kTilePoints, std::min(kTilePoints, n - begin), squared.data() + q * n + begin);
    }
    for (std::size_t q = 0; q < count; ++q) use(static_cast<Index>(first + q), {squared.data() + q * n, n});
  }
}

SparseAffinities sparse_affinities(const DissimilarityRows& rows, const SparseAffinityOptions& requested,
                                   Executor& executor) {
  const Index n = rows.size();
  require_perplexity(requested.perplexity, n);
  SparseAffinityOptions options = requested;
  options.nearest = std::min(requested.nearest, n - 1);
  const Index drawn = options.all_rows && options.nearest < n - 1 ? options.drawn : 0;
  SparseAffinities out;
  out.beta.resize(n);
  out.log_normalizer.resize(n);
  out.entropy.resize(n);
  out.rest = Vector::Zero(n);
  out.ids.resize(n, options.nearest + drawn);
  out.weights.resize(n, options.nearest + drawn);
  out.sample = sample_of(n, options.sample_rows, options.seed);
  const FeatureMatrix& X = *rows.features();
  out.points = std::make_shared<const PackedPoints>(X, 1.0F);
  std::vector<char> capped(static_cast<std::size_t>(n), 0);
  double measured_rows = 0, sum = 0;
  if (options.all_rows) {
    sum = list_by_all_distances(X, options, executor, capped, out);
    measured_rows = static_cast<double>(n);
    copy_sample(out, out.sample);
  } else {
    list_nearest(X, options, executor, capped, out);
    sum = calibrate_sample(X, options.perplexity, executor, *out.points, out.sample);
    measured_rows = static_cast<double>(out.sample.rows.size());
  }
  for (const char c : capped) out.capped += c;
  out.unit = sum / (measured_rows * static_cast<double>(n - 1));
  require<DataError>(out.unit > 0,
                     "All {} objects have the same position in the data, so there is nothing to "
                     "draw. Give objects that differ.",
                     n);
  require<DataError>(std::isfinite(out.unit), "The distances of the data overflow. Divide the features by a constant.");
  out.beta *= out.unit * out.unit;
  out.sample.beta *= out.unit * out.unit;
  return out;
}

}  // namespace alidade::neighbor
