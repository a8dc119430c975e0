#include "problems/triplet/reduction_triplets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/core/drawn_numbers.hpp"
#include "problems/core/error.hpp"

namespace alidade::triplet {
namespace {

using Features = Eigen::Ref<const RowMajorMatrix<float>>;

constexpr Index kObjectsPerChunk = 256;
constexpr int kDraws = 64;               // attempts at an object strictly farther than an inlier
constexpr double kRandomTriplets = 0.1;  // what zeta counts in TriMap's random triplets

double squared_distance(const Features& X, Index i, Index j) {
  return (X.row(i).cast<double>() - X.row(j).cast<double>()).squaredNorm();
}

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
  bool ties = false;
  void widen(double zeta) {
    least = std::min(least, zeta);
    highest = std::max(highest, zeta);
  }
  void widen(const Range& other) {
    least = std::min(least, other.least);
    highest = std::max(highest, other.highest);
    ties = ties || other.ties;
  }
};

/// Converts zeta to a weight, before scaling to mean 1.
class Weigher {
 public:
  Weigher(const ReductionTriplets& options, const Range& zeta) : options_(options), zeta_(zeta) {}
  [[nodiscard]] double operator()(double zeta) const {
    switch (options_.weights) {
      case TripletWeights::uniform: return 1;
      case TripletWeights::tempered_log: return tempered_log(1 + (zeta - zeta_.least));
      case TripletWeights::exponential: return std::exp(zeta - zeta_.highest) + options_.gamma;
    }
    return 0;
  }

 private:
  [[nodiscard]] double tempered_log(double x) const {
    const double power = 1 - options_.temperature;
    if (power == 0.5) return 2 * (std::sqrt(x) - 1);
    return power == 0 ? std::log(x) : (std::pow(x, power) - 1) / power;
  }

  const ReductionTriplets& options_;
  Range zeta_;
};

void require_some(double sum) {
  require<DataError>(sum > 0 && std::isfinite(sum),
                     "All distances of the features are equal, so no triplets can be made. Give objects that "
                     "differ.");
}

/// The triplets, which carry zeta, with weights of mean 1.
TripletList weighed(std::vector<Triplet>& drawn, Index n, const Weigher& weigher) {
  double sum = 0;
  for (Triplet& t : drawn) sum += t.weight = weigher(t.weight);
  require_some(sum);
  TripletList out(n);
  out.reserve(drawn.size());
  for (Triplet& t : drawn) {
    t.weight *= static_cast<double>(drawn.size()) / sum;
    out.add(t);
  }
  return out;
}

/// Scaled distances of every object to its inliers and outliers.
struct BlockDistances {
  BlockDistances(std::size_t objects, std::size_t inliers, std::size_t outliers)
      : near(objects * inliers), far(objects * outliers), farther(far.size() * inliers) {}
  std::vector<double> near, far;
  std::vector<unsigned char> farther;  // strictly, for each pair of an inlier and an outlier
};

/// Writes the ids of all blocks and their distances; returns the range of zeta.
Range measure_blocks(const Eigen::Ref<const RowMajorMatrix<float>>& X, const NearestNeighbors& neighbors,
                     const ReductionTriplets& options, Executor& executor, BlockDistances& distances,
                     ProductBlocks& out) {
  const Index n = X.rows();
  const std::size_t m = out.inliers, o = out.outliers, places = out.places;
  const Vector sigma = sigmas(neighbors, options.sigma_neighbor, options.sigma_count);
  std::vector<double>&near = distances.near, &far = distances.far;
  std::vector<unsigned char>& farther = distances.farther;
  std::vector<Range> ranges(static_cast<std::size_t>(chunk_count(n, kObjectsPerChunk)));
  executor.run_chunks(n, kObjectsPerChunk, [&](const Chunk& chunk) {
    Range& range = ranges[static_cast<std::size_t>(chunk.number)];
    std::vector<ObjectId> drawn, taken;
    for (Index i = chunk.first; i < chunk.last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      taken.assign(1, static_cast<ObjectId>(i));
      for (std::size_t j = 0; j < m; ++j) {
        const ObjectId id = neighbors.ids(i, static_cast<Index>(j));
        out.inlier_ids[at * m + j] = id;
        near[at * m + j] = neighbors.squared_distances(i, static_cast<Index>(j)) / (sigma[i] * sigma[id]);
        taken.push_back(id);
      }
      std::ranges::sort(taken);
      Rng rng = Rng::stream(options.seed, "outliers", i);
      draw_others(o, static_cast<std::size_t>(n), taken, rng, drawn);
      ObjectId* ids = out.outlier_ids.data() + at * places;
      for (std::size_t k = 0; k < o; ++k) {
        ids[k] = drawn[k];
        const double squared = squared_distance(X, i, ids[k]);
        far[at * o + k] = squared / (sigma[i] * sigma[ids[k]]);
        for (std::size_t j = 0; j < m; ++j) {
          const bool strictly = squared > neighbors.squared_distances(i, static_cast<Index>(j));
          farther[(at * m + j) * o + k] = strictly;
          if (strictly)
            range.widen(far[at * o + k] - near[at * m + j]);
          else
            range.ties = true;
        }
      }
      std::fill(ids + o, ids + places, ids[o - 1]);
    }
  });
  Range range;
  for (const Range& part : ranges) range.widen(part);
  return range;
}

/// Weights of mean 1.
void weigh_blocks(const Weigher& weigher, const BlockDistances& distances, Executor& executor, ProductBlocks& out) {
  const Index n = out.object_count;
  const std::size_t m = out.inliers, o = out.outliers, places = out.places;
  const std::vector<double>&near = distances.near, &far = distances.far;
  const std::vector<unsigned char>& farther = distances.farther;
  out.weights.assign(static_cast<std::size_t>(n) * m * places, 0.0F);
  std::vector<double> sums(static_cast<std::size_t>(chunk_count(n, kObjectsPerChunk)), 0.0);
  executor.run_chunks(n, kObjectsPerChunk, [&](const Chunk& chunk) {
    double& sum = sums[static_cast<std::size_t>(chunk.number)];
    for (Index i = chunk.first; i < chunk.last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (std::size_t j = 0; j < m; ++j)
        for (std::size_t k = 0; k < o; ++k) {
          if (!farther[(at * m + j) * o + k]) continue;
          const double weight = weigher(far[at * o + k] - near[at * m + j]);
          sum += weight;
          out.weights[(at * m + j) * places + k] = static_cast<float>(weight);
        }
    }
  });
  double sum = 0;
  for (const double part : sums) sum += part;
  require_some(sum);
  const auto scale = static_cast<float>(static_cast<double>(out.triplet_count()) / sum);
  for (float& weight : out.weights) weight *= scale;
}

}  // namespace

Vector sigmas(const NearestNeighbors& neighbors, Index ordinal, Index count) {
  const Index last = std::min(ordinal, neighbors.ids.cols()), used = std::min(count, last);
  Vector out = neighbors.squared_distances.middleCols(last - used, used).cwiseSqrt().rowwise().mean();
  const double mean = out.mean();
  if (!(mean > 0)) return Vector::Ones(out.size());
  return out.cwiseMax(kLeastSigma * mean);
}

std::vector<float> block_weights(const ReductionTriplets& options, std::size_t inliers, std::size_t outliers,
                                 std::size_t places,
                                 const std::function<std::optional<double>(std::size_t, std::size_t)>& zeta) {
  std::vector<std::optional<double>> all;
  Range range;
  for (std::size_t j = 0; j < inliers; ++j)
    for (std::size_t k = 0; k < outliers; ++k) {
      all.push_back(zeta(j, k));
      if (all.back()) range.widen(*all.back());
    }
  const Weigher weigher(options, range);
  std::vector<float> out(inliers * places, 0.0F);
  double sum = 0;
  for (std::size_t j = 0; j < inliers; ++j)
    for (std::size_t k = 0; k < outliers; ++k)
      if (const auto& one = all[j * outliers + k]) {
        const double weight = weigher(*one);
        sum += weight;
        out[j * places + k] = static_cast<float>(weight);
      }
  if (sum > 0 && std::isfinite(sum))
    for (float& weight : out) weight *= static_cast<float>(static_cast<double>(inliers * outliers) / sum);
  return out;
}

std::string_view triplet_weights_name(TripletWeights weights) {
  switch (weights) {
    case TripletWeights::uniform: return "uniform";
    case TripletWeights::tempered_log: return "tempered_log";
    case TripletWeights::exponential: return "exponential";
  }
  return "";
}

TripletWeights triplet_weights(const std::string& name) {
  if (name == "uniform") return TripletWeights::uniform;
  if (name == "exponential") return TripletWeights::exponential;
  require<ConfigError>(name == "tempered_log",
                       "The weights must be 'uniform', 'tempered_log' or 'exponential', not '{}'.", name);
  return TripletWeights::tempered_log;
}

Index ReductionTriplets::neighbors_needed(Index n) const {
  return std::max(candidates > 0 ? std::min(inliers + candidates, n - 1) : std::min(inliers, n - 2),
                  std::min(sigma_neighbor, n - 1));
}

ProductBlocks product_blocks(const Eigen::Ref<const RowMajorMatrix<float>>& X, const NearestNeighbors& neighbors,
                             const ReductionTriplets& options, Executor& executor) {
  const Index n = X.rows();
  ProductBlocks out;
  out.object_count = n;
  out.inliers = static_cast<std::size_t>(std::min(options.inliers, n - 2));
  out.outliers = std::min(static_cast<std::size_t>(options.outliers), static_cast<std::size_t>(n) - 1 - out.inliers);
  out.places = ProductBlocks::filled(out.outliers);
  out.inlier_ids.resize(static_cast<std::size_t>(n) * out.inliers);
  out.outlier_ids.resize(static_cast<std::size_t>(n) * out.places);
  BlockDistances distances(static_cast<std::size_t>(n), out.inliers, out.outliers);
  const Range range = measure_blocks(X, neighbors, options, executor, distances, out);
  if (options.weights == TripletWeights::uniform && !range.ties) {
    out.weights.assign(out.places, 0.0F);
    std::fill_n(out.weights.begin(), out.outliers, 1.0F);
  } else {
    weigh_blocks(Weigher(options, range), distances, executor, out);
  }
  return out;
}

TripletList drawn_triplets(const Eigen::Ref<const RowMajorMatrix<float>>& X, const NearestNeighbors& neighbors,
                           const ReductionTriplets& options) {
  const Index n = X.rows(), m = std::min(options.inliers, n - 2);
  const Vector sigma = sigmas(neighbors, options.sigma_neighbor);
  std::vector<Triplet> drawn;
  Range range;
  for (Index i = 0; i < n; ++i) {
    Rng rng = Rng::stream(options.seed, "triplets", i);
    for (Index j = 0; j < m; ++j) {
      const ObjectId near = neighbors.ids(i, j);
      const double near_squared = neighbors.squared_distances(i, j);
      for (Index draw = 0; draw < m; ++draw)
        for (int attempt = 0; attempt < kDraws; ++attempt) {
          const auto far = static_cast<ObjectId>(rng.below(static_cast<std::uint64_t>(n)));
          if (far == near || static_cast<Index>(far) == i) continue;
          const double squared = squared_distance(X, i, far);
          if (!(squared > near_squared)) continue;
          const double zeta = squared / (sigma[i] * sigma[far]) - near_squared / (sigma[i] * sigma[near]);
          range.widen(zeta);
          drawn.push_back({static_cast<ObjectId>(i), near, far, 0, zeta});
          break;
        }
    }
  }
  return weighed(drawn, n, Weigher(options, range));
}

TripletList trimap_triplets(const Eigen::Ref<const RowMajorMatrix<float>>& X, const NearestNeighbors& neighbors,
                            const ReductionTriplets& options) {
  const Index n = X.rows(), known = neighbors.ids.cols(), m = std::min(options.inliers, n - 2);
  const auto outliers = static_cast<std::size_t>(std::min(options.outliers, n - 1 - m));
  const Vector sigma = sigmas(neighbors, options.sigma_neighbor, options.sigma_count);
  std::vector<Triplet> drawn;
  Range range;
  std::vector<std::pair<double, ObjectId>> nearest(static_cast<std::size_t>(known));  // scaled distance, id
  std::vector<ObjectId> taken, others;
  for (Index i = 0; i < n; ++i) {
    const auto scaled = [&](ObjectId j) { return squared_distance(X, i, j) / (sigma[i] * sigma[j]); };
    const auto add = [&](std::pair<double, ObjectId> near, std::pair<double, ObjectId> far, double factor) {
      if (near.first == far.first) return;
      if (far < near) std::swap(near, far);
      const double zeta = factor * (far.first - near.first);
      range.widen(zeta);
      drawn.push_back({static_cast<ObjectId>(i), near.second, far.second, 0, zeta});
    };
    for (Index k = 0; k < known; ++k) {
      const ObjectId j = neighbors.ids(i, k);
      nearest[static_cast<std::size_t>(k)] = {neighbors.squared_distances(i, k) / (sigma[i] * sigma[j]), j};
    }
    std::ranges::partial_sort(nearest, nearest.begin() + m);
    const std::span inliers(nearest.data(), static_cast<std::size_t>(m));
    const auto self = static_cast<ObjectId>(i);
    taken.assign(1, self);
    for (const auto& inlier : inliers) taken.push_back(inlier.second);
    std::ranges::sort(taken);
    Rng rng = Rng::stream(options.seed, "triplets", i);
    for (const auto& inlier : inliers) {
      draw_others(outliers, static_cast<std::size_t>(n), taken, rng, others);
      for (const ObjectId far : others) add(inlier, {scaled(far), far}, 1);
    }
    for (Index r = 0; r < options.random; ++r) {
      draw_others(2, static_cast<std::size_t>(n), {&self, 1}, rng, others);
      add({scaled(others[0]), others[0]}, {scaled(others[1]), others[1]}, kRandomTriplets);
    }
  }
  return weighed(drawn, n, Weigher(options, range));
}

}  // namespace alidade::triplet
