// Weighted triplets of feature vectors for dimensionality reduction: nearest neighbours against farther objects.
// [AVW16] section on weighted t-ETE, Eq. 13; TriMap's triplets and its tempered-log weights are of [AW19].
// Weights are scaled to mean 1, so that learning rates and regularisers mean the same for every kind of weight.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/distances/nearest_neighbors.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/triplet/product_block_kernel.hpp"

namespace alidade::triplet {

/// The weight of a triplet with zeta = |x_i-x_k|^2 / (sigma_i sigma_k) - |x_i-x_j|^2 / (sigma_i sigma_j):
/// 1;  log_T(1 + zeta - min zeta) with log_T(x) = (x^(1-T) - 1) / (1 - T);  exp(zeta - max zeta) + gamma.
/// For every kind, the weight is 0 unless x_k is strictly farther from x_i than x_j.
enum class TripletWeights { uniform, tempered_log, exponential };
/// "uniform", "tempered_log" or "exponential". @throws ConfigError
[[nodiscard]] TripletWeights triplet_weights(const std::string& name);
[[nodiscard]] std::string_view triplet_weights_name(TripletWeights weights);

/// The least sigma, as a part of the mean one.
inline constexpr double kLeastSigma = 0.01;
/// The unit of distance at each object: the mean distance to `count` neighbours, of which that of rank `ordinal`, or
/// the last one, is the farthest; at least kLeastSigma of the mean. All 1 where every such distance is 0.
[[nodiscard]] Vector sigmas(const NearestNeighbors& neighbors, Index ordinal, Index count = 1);

struct ReductionTriplets {
  Index inliers = 10;         // m: nearest neighbours; at most n - 2
  Index candidates = 0;       // TriMap only: so many more neighbours, of which the m at the smallest scaled distances
  Index outliers = 32;        // o: at most the number of objects that are not inliers
  Index sigma_neighbor = 10;  // sigma_i = distance to this neighbour; at most n - 1
  Index sigma_count = 1;      // or the mean of those to it and to the sigma_count - 1 before it
  TripletWeights weights = TripletWeights::tempered_log;
  double temperature = 0.5;  // T of tempered_log
  double gamma = 0.01;       // exponential only
  Index random = 0;          // TriMap only: triplets of two random objects
  std::uint64_t seed = 1;    // of the outliers

  /// Number of nearest neighbours needed per object, for n objects.
  [[nodiscard]] Index neighbors_needed(Index n) const;
};

/// For every object i, the product of its m nearest neighbours and o distinct others, drawn uniformly from all objects
/// except i and its inliers. A triplet has weight 0 if its outlier is not strictly farther than its inlier (ties, or a
/// neighbour that an approximate search missed).
/// sigma_i is at least a hundredth of the mean sigma, so that duplicates do not divide by zero.
/// X: n x p, n >= 3. @throws DataError if all weights vanish, for example if all objects are equal.
/// O(n (m + p) o), memory O(n m o). Same bits for any number of threads.
[[nodiscard]] ProductBlocks product_blocks(const Eigen::Ref<const RowMajorMatrix<float>>& X,
                                           const NearestNeighbors& neighbors, const ReductionTriplets& options,
                                           Executor& executor);

/// Weights of mean 1 of one object's inliers x outliers, in rows of `places`, 0 at padded ones. zeta(j, k) is nothing
/// where the outlier k is not strictly farther than the inlier j: weight 0. The range of zeta is this object's own.
[[nodiscard]] std::vector<float> block_weights(
    const ReductionTriplets& options, std::size_t inliers, std::size_t outliers, std::size_t places,
    const std::function<std::optional<double>(std::size_t, std::size_t)>& zeta);

/// The paper's own n m^2 triplets: for each of the m neighbours j of i, m draws of k, uniform among the objects
/// farther from i than j. `outliers` is not used; otherwise as for product_blocks(). O(n m (m + p)).
[[nodiscard]] TripletList drawn_triplets(const Eigen::Ref<const RowMajorMatrix<float>>& X,
                                         const NearestNeighbors& neighbors, const ReductionTriplets& options);

/// TriMap's n (m o + r) triplets [AW19]. The m inliers of an object have the smallest scaled distances
/// |x_i-x_j|^2 / (sigma_i sigma_j) among its neighbours; each inlier has o outliers of its own, distinct and uniform
/// among all but i and its inliers; r pairs of others are uniform. The far object of a triplet is the one with the
/// larger scaled distance; without a difference there is no triplet. zeta of random ones counts a tenth.
/// O(n (m o + r) p).
[[nodiscard]] TripletList trimap_triplets(const Eigen::Ref<const RowMajorMatrix<float>>& X,
                                          const NearestNeighbors& neighbors, const ReductionTriplets& options);

}  // namespace alidade::triplet
