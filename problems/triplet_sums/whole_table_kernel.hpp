// Full-batch sums over all triplets of an attribute table, for the two losses whose parts are functions of distances:
// the squared hinge of distances ([TvL14], SoeLoss) and the logistic loss of squared distances ([vdMW12], SteLoss).
// An anchor's distances and their exponentials are computed once; each pair (distance to near, distance to far) then
// costs a few vector operations. Equals class_block_kernel.hpp on the whole table up to rounding. Coordinates up to
// 1e150.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/triplet_sums/class_block_kernel.hpp"

namespace alidade::triplet {

/// How the pairs (distance to near, distance to far) are summed. `automatic` takes the faster way, which depends only
/// on the numbers of distances.
enum class HingePairs { automatic, each, sorted };

/// Scratch memory of one thread, grown on demand.
struct WholeTableWorkspace {
  struct Place {
    double distance;
    std::uint32_t at;
  };
  std::vector<ObjectId> ids;                         // of the aspect's objects, by class
  std::vector<double> coordinates, gradient;         // d rows of coordinates
  std::vector<double> distance, inverse, slope;      // from the anchor to each
  std::vector<double> near, far, near_sum, far_sum;  // of pairs whose loss may be nonzero
  std::vector<std::uint32_t> near_at, far_at, bucket, bucket_begin;
  std::vector<Place> near_order, far_order;
  ClassBlockWorkspace general;  // for anchors whose exponentials overflow or underflow
};

/// The sum of max(0, margin + |y_i - y_near| - |y_i - y_far|)^2 over the triplets of `blocks`, all of them the table's;
/// adds its gradient to `gradient` unless that is empty. The slope at distance 0 is set to 0. y, gradient: n x d
/// row-major. The order of sums is fixed. NaN if a coordinate with an effect is not finite.
/// O(d n) per anchor, plus its pairs, which cost O(n ln n) if sorted.
double add_distance_hinges(double margin, const AttributeTable& table, std::span<const AnchorBlock> blocks,
                           std::span<const double> y, Index d, std::span<double> gradient,
                           WholeTableWorkspace& workspace, HingePairs pairs = HingePairs::automatic);

/// The sum of -ln sigma(|y_i - y_far|^2 - |y_i - y_near|^2) over the triplets of `blocks`, with its gradient, as above.
/// Anchors with an object at a squared distance above 170 use class_block_kernel.hpp. O((d + pairs) n).
double add_logistic_pairs(const AttributeTable& table, std::span<const AnchorBlock> blocks, std::span<const double> y,
                          Index d, std::span<double> gradient, WholeTableWorkspace& workspace);

}  // namespace alidade::triplet
