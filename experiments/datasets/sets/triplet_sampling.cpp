#include "experiments/datasets/sets/triplet_sampling.hpp"

#include <cmath>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/memory.hpp"

namespace alidade::datasets {

TripletList random_triplets(Index object_count, std::uint64_t count, const Distance& distance, Rng& rng) {
  require<DataError>(object_count >= 3, "Triplets need at least 3 objects, not {}.", object_count);
  constexpr int kMostTies = 100'000;
  constexpr std::uint64_t kBytes = 12;  // of each
  const std::uint64_t memory = physical_memory();
  require<DataError>(memory == 0 || count <= memory / kBytes,
                     "{} triplets need {:.3g} GB, and this machine has {:.3g} GB of memory. Ask for fewer.", count,
                     static_cast<double>(count) * static_cast<double>(kBytes) / 1e9, static_cast<double>(memory) / 1e9);
  const auto n = static_cast<std::uint64_t>(object_count);
  TripletList out(object_count);
  out.reserve(count);
  int ties = 0;
  while (out.size() < count) {
    // Uniform over ordered triples of distinct objects: draw among the remaining ones, skip the taken ones.
    const std::uint64_t anchor = rng.below(n);
    std::uint64_t first = rng.below(n - 1);
    if (first >= anchor) ++first;
    std::uint64_t second = rng.below(n - 2);
    if (second >= std::min(anchor, first)) ++second;
    if (second >= std::max(anchor, first)) ++second;
    Triplet triplet{.anchor = static_cast<ObjectId>(anchor),
                    .near = static_cast<ObjectId>(first),
                    .far = static_cast<ObjectId>(second)};
    const double to_first = distance(triplet.anchor, triplet.near);
    const double to_second = distance(triplet.anchor, triplet.far);
    if (to_second < to_first) {
      std::swap(triplet.near, triplet.far);
    } else if (!(to_first < to_second)) {
      require<DataError>(++ties < kMostTies,
                         "{} draws in a row were ties, so all distances seem to be equal. Give "
                         "objects with different features.",
                         kMostTies);
      continue;
    }
    ties = 0;
    out.add(triplet);
  }
  return out;
}

TripletList random_triplets(const Eigen::Ref<const Matrix>& points, std::uint64_t count, Rng& rng) {
  const auto squared_distance = [&points](ObjectId i, ObjectId j) {
    return (points.row(static_cast<Index>(i)) - points.row(static_cast<Index>(j))).squaredNorm();
  };
  return random_triplets(points.rows(), count, squared_distance, rng);
}

FlippedTriplets flip_triplets(const TripletList& triplets, double rate, Rng& rng) {
  require<ConfigError>(rate >= 0 && rate < 0.5,
                       "The rate of reversed triplets must be in [0, 0.5), "
                       "not {}.",
                       rate);
  FlippedTriplets out{TripletList(triplets.object_count()), 0};
  out.triplets.reserve(triplets.size());
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    Triplet triplet = triplets.at(i);
    if (rng.uniform01() < rate) {
      std::swap(triplet.near, triplet.far);
      ++out.flipped;
    }
    out.triplets.add(triplet);
  }
  return out;
}

std::uint64_t ample_triplet_count(Index object_count, Index dimensions, double factor) {
  const auto n = static_cast<double>(object_count);
  const double count = factor * 2 * static_cast<double>(dimensions) * n * std::log(n);
  require<DataError>(count <= kMostTriplets,
                     "factor {} asks for {:.3g} triplets, and the limit is {:.0e}. Give a smaller factor.", factor,
                     count, kMostTriplets);
  return static_cast<std::uint64_t>(std::llround(count));
}

}  // namespace alidade::datasets
