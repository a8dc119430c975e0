#include "problems/distances/nearest_neighbors.hpp"

// hnswlib's manual prefetches read one link past the end of a full list of links.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nanoflann.hpp>

#include "problems/core/error.hpp"
#include "problems/distances/distance_blocks.hpp"

namespace alidade {
namespace {

using Features = Eigen::Ref<const RowMajorMatrix<float>>;

// For 2,000 to 70,000 points in clusters, the tree is faster with 5 features and blocks are with 8.
constexpr Index kTreeFeatures = 5;
constexpr double kBlockWork = 4e12;     // n^2 p above which `automatic` is approximate
constexpr std::size_t kQueryTile = 96;  // a multiple of the rows that every kernel takes at once
constexpr Index kQueriesPerChunk = 480;
constexpr std::size_t kSpare = 8;   // candidates beyond the neighbours wanted
constexpr std::size_t kLinks = 16;  // HNSW: links of a point
constexpr std::size_t kBuildBreadth = 100;
constexpr std::size_t kSearchBreadth = 100;

/// Each sum is made in order of the features; several at once hide the time that an addition takes.
template <std::size_t kAtOnce>
std::array<double, kAtOnce> exact_squared_distances(const float* x, const std::array<const float*, kAtOnce>& others,
                                                    Index p) {
  std::array<double, kAtOnce> sum{};
  for (Index c = 0; c < p; ++c) {
    const auto number = static_cast<double>(x[c]);
    for (std::size_t k = 0; k < kAtOnce; ++k) {
      const double difference = number - static_cast<double>(others[k][c]);
      sum[k] += difference * difference;
    }
  }
  return sum;
}

double exact_squared_distance(const float* x, const float* y, Index p) {
  return exact_squared_distances<1>(x, {y}, p)[0];
}

/// The nearest candidates so far, ascending.
template <class Real>
class Shortlist {
 public:
  explicit Shortlist(std::size_t capacity) : capacity_(capacity) { kept_.reserve(capacity + 1); }
  void clear() { kept_.clear(); }
  [[nodiscard]] bool full() const { return kept_.size() == capacity_; }
  [[nodiscard]] std::size_t size() const { return kept_.size(); }
  [[nodiscard]] Real worst() const {
    return full() ? kept_.back().squared_distance : std::numeric_limits<Real>::infinity();
  }
  void add(Neighbor<Real> candidate) {
    if (full() && !(candidate < kept_.back())) return;
    kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), candidate), candidate);
    if (kept_.size() > capacity_) kept_.pop_back();
  }
  [[nodiscard]] const std::vector<Neighbor<Real>>& kept() const { return kept_; }

 private:
  std::size_t capacity_;
  std::vector<Neighbor<Real>> kept_;
};

/// Offers all rows but `self`, in double.
void scan(const Features& X, const float* x, Index self, Shortlist<double>& list) {
  constexpr Index kAtOnce = 8;
  list.clear();
  const auto offer = [&](Index other, double squared) {
    if (other != self) list.add({squared, static_cast<ObjectId>(other)});
  };
  Index other = 0;
  for (; other + kAtOnce <= X.rows(); other += kAtOnce) {
    std::array<const float*, kAtOnce> others;
    for (Index k = 0; k < kAtOnce; ++k) others[static_cast<std::size_t>(k)] = X.row(other + k).data();
    const auto squared = exact_squared_distances(x, others, X.cols());
    for (Index k = 0; k < kAtOnce; ++k) offer(other + k, squared[static_cast<std::size_t>(k)]);
  }
  for (; other < X.rows(); ++other) offer(other, exact_squared_distance(x, X.row(other).data(), X.cols()));
}
void scan_row(const Features& X, Index row, Shortlist<double>& list) { scan(X, X.row(row).data(), row, list); }

// ---- blocks

/// A power of two that brings the largest entry near 1, so that squares neither overflow nor underflow near it.
float power_of_two_scale(const Features& X) {
  const float largest = X.cwiseAbs().maxCoeff();
  if (largest == 0) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0F, std::clamp(-exponent, -120, 120));
}

void search_blocks(const Features& X, std::size_t wanted, Executor& executor, const TakeNeighbors& take) {
  const auto n = static_cast<std::size_t>(X.rows());
  const Index p = X.cols();
  const std::size_t listed = std::min(wanted + kSpare, n - 1);
  const float scale = power_of_two_scale(X);
  const PackedPoints points(X, scale);
  const double error = (static_cast<double>(p) + 4) * 0x1.0p-24;
  const double lost = static_cast<double>(p) * 1e-37;  // squares that underflowed
  const double unscale = 1 / (static_cast<double>(scale) * static_cast<double>(scale));

  executor.run_chunks(X.rows(), kQueriesPerChunk, [&](const Chunk& chunk) {
    std::vector<float> tile(kQueryTile * kTilePoints), least(kQueryTile * kStretches);
    RowMajorMatrix<float> queries;
    std::vector<Shortlist<float>> lists(kQueryTile, Shortlist<float>(listed));
    Shortlist<double> scanned(wanted);
    std::vector<Neighbor<double>> exact;
    for (Index first = chunk.first; first < chunk.last; first += static_cast<Index>(kQueryTile)) {
      const auto rows = std::min(static_cast<std::size_t>(chunk.last - first), kQueryTile);
      queries = scale * X.middleRows(first, static_cast<Index>(rows));
      for (std::size_t q = 0; q < rows; ++q) lists[q].clear();
      for (std::size_t point = 0; point < n; point += kTilePoints) {
        executor.look();
        tile_distances(queries.data(), rows, points, point, tile.data());
        least_distances(tile.data(), rows, least.data());
        const std::size_t there = std::min(kTilePoints, n - point);
        for (std::size_t q = 0; q < rows; ++q) {
          const float* distances = tile.data() + q * kTilePoints;
          for (std::size_t t = 0; t < there; t += kStretch) {
            if (!(least[q * kStretches + t / kStretch] < lists[q].worst())) continue;
            for (std::size_t s = t; s < std::min(t + kStretch, there); ++s)
              if (distances[s] < lists[q].worst() && point + s != static_cast<std::size_t>(first) + q)
                lists[q].add({distances[s], static_cast<ObjectId>(point + s)});
          }
        }
      }
      for (std::size_t q = 0; q < rows; ++q) {
        const Index row = first + static_cast<Index>(q);
        exact.clear();
        for (const auto& candidate : lists[q].kept())
          exact.push_back({exact_squared_distance(X.row(row).data(), X.row(candidate.id).data(), p), candidate.id});
        std::sort(exact.begin(), exact.end());
        const bool all = exact.size() == n - 1;
        const double floor = (static_cast<double>(lists[q].worst()) * (1 - error) - lost) * unscale;
        // Objects not listed are at least `floor` away. If that does not decide, for example among many ties, the
        // row is searched in double.
        if (all || (exact.size() >= wanted &&
                    (exact[wanted - 1].squared_distance == 0 || exact[wanted - 1].squared_distance < floor))) {
          take(row, std::span(exact).first(wanted));
        } else {
          scan_row(X, row, scanned);
          take(row, scanned.kept());
        }
      }
    }
  });
}

// ---- tree

struct TreePoints {
  const Features* X;
  [[nodiscard]] std::size_t kdtree_get_point_count() const { return static_cast<std::size_t>(X->rows()); }
  [[nodiscard]] double kdtree_get_pt(std::size_t i, std::size_t c) const {
    return static_cast<double>((*X)(static_cast<Index>(i), static_cast<Index>(c)));
  }
  template <class Box>
  [[nodiscard]] bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

/// nanoflann's result set with ties by id: it also accepts points as far as the worst.
struct TreeResult {
  Shortlist<double> list;
  ObjectId self;
  // nanoflann's names
  [[nodiscard]] bool full() const { return list.full(); }
  [[nodiscard]] std::size_t size() const { return list.size(); }
  [[nodiscard]] double worstDist() const { return list.worst() * (1 + 1e-9) + std::numeric_limits<double>::min(); }
  bool addPoint(double squared_distance, std::uint32_t id) {
    if (id != self) list.add({squared_distance, id});
    return true;
  }
};

void search_tree(const Features& X, std::size_t wanted, Executor& executor, const TakeNeighbors& take) {
  using Metric = nanoflann::L2_Simple_Adaptor<double, TreePoints>;
  const TreePoints points{&X};
  const nanoflann::KDTreeSingleIndexAdaptor<Metric, TreePoints> tree(static_cast<std::int32_t>(X.cols()), points);
  executor.run_chunks(X.rows(), kQueriesPerChunk, [&](const Chunk& chunk) {
    TreeResult result{Shortlist<double>(wanted), 0};
    for (Index row = chunk.first; row < chunk.last; ++row) {
      result.list.clear();
      result.self = static_cast<ObjectId>(row);
      const Vector query = X.row(row).cast<double>();
      tree.findNeighbors(result, query.data(), {});
      take(row, result.list.kept());
    }
  });
}

// ---- approximate

struct GraphSpace final : hnswlib::SpaceInterface<float> {
  explicit GraphSpace(Index features) : p(features) {}
  std::size_t get_data_size() override { return static_cast<std::size_t>(p) * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override {
    return [](const void* x, const void* y, const void* size) {
      return squared_row_distance(static_cast<const float*>(x), static_cast<const float*>(y),
                                  *static_cast<const Index*>(size));
    };
  }
  void* get_dist_func_param() override { return &p; }
  Index p;
};

void search_graph(const Features& X, std::size_t wanted, std::uint64_t seed, Executor& executor,
                  const TakeNeighbors& take) {
  const auto n = static_cast<std::size_t>(X.rows());
  GraphSpace space(X.cols());
  hnswlib::HierarchicalNSW<float> graph(&space, n, kLinks, kBuildBreadth, seed);
  const float scale = power_of_two_scale(X);
  Eigen::RowVectorXf scaled(X.cols());
  // One by one, because links depend on the order of insertion.
  for (std::size_t i = 0; i < n; ++i) {
    executor.look();
    scaled = scale * X.row(static_cast<Index>(i));
    graph.addPoint(scaled.data(), i);
  }
  graph.setEf(std::max(kSearchBreadth, wanted + 1 + kSpare));
  executor.run_chunks(X.rows(), kQueriesPerChunk, [&](const Chunk& chunk) {
    Shortlist<double> list(wanted);
    Eigen::RowVectorXf query(X.cols());
    for (Index row = chunk.first; row < chunk.last; ++row) {
      list.clear();
      query = scale * X.row(row);
      auto nearest = graph.searchKnn(query.data(), std::min(n, wanted + 1 + kSpare));
      for (; !nearest.empty(); nearest.pop()) {
        const auto id = static_cast<ObjectId>(nearest.top().second);
        if (static_cast<Index>(id) == row) continue;
        list.add({exact_squared_distance(X.row(row).data(), X.row(id).data(), X.cols()), id});
      }
      if (!list.full()) scan_row(X, row, list);  // unreachable in the graph
      take(row, list.kept());
    }
  });
}

}  // namespace

SearchMethod search_method(const std::string& name) {
  if (name == "auto") return SearchMethod::automatic;
  if (name == "exact") return SearchMethod::exact;
  require<ConfigError>(name == "approximate",
                       "The neighbour search must be 'auto', 'exact' or 'approximate', not '{}'.", name);
  return SearchMethod::approximate;
}

NearestNeighbors nearest_neighbors(const Features& X, Index count, SearchMethod method, std::uint64_t seed,
                                   Executor& executor) {
  NearestNeighbors out(X.rows(), count);
  out.search = each_nearest(X, count, method, seed, executor, std::bind_front(&NearestNeighbors::keep, &out));
  return out;
}

std::string each_nearest(const Features& X, Index count, SearchMethod method, std::uint64_t seed, Executor& executor,
                         const TakeNeighbors& take) {
  require<ConfigError>(count >= 1 && count < X.rows(),
                       "With {} objects, the number of neighbours must be between 1 and {}, not "
                       "{}.",
                       X.rows(), X.rows() - 1, count);
  for (Index i = 0; i < X.rows(); ++i)
    require<DataError>(X.row(i).allFinite(),
                       "The features of object {} are not all finite numbers. Correct them, or "
                       "leave the object out.",
                       i);
  const auto wanted = static_cast<std::size_t>(count);
  const auto n = static_cast<double>(X.rows());
  const bool tree = X.cols() <= kTreeFeatures;
  const bool approximate = method == SearchMethod::approximate || (method == SearchMethod::automatic && !tree &&
                                                                   n * n * static_cast<double>(X.cols()) > kBlockWork);
  if (approximate) {
    search_graph(X, wanted, seed, executor, take);
    return "approximate, hnsw";
  }
  if (tree) {
    search_tree(X, wanted, executor, take);
    return "exact, kd-tree";
  }
  search_blocks(X, wanted, executor, take);
  return "exact, blocks";
}

std::vector<Neighbor<double>> nearest_to(const Features& X, const Eigen::Ref<const Eigen::RowVectorXf>& x,
                                         Index count) {
  Shortlist<double> list(static_cast<std::size_t>(count));
  scan(X, x.data(), -1, list);
  return list.kept();
}

}  // namespace alidade
