// Full-batch sums of the squared hinge of distances (SoeLoss, [TvL14]) over all triplets of an attribute table.
// An anchor's distances are taken once; a pair of one of them to near and one to far then costs a few operations of a
// vector, and where there are many, sorting spares them: O(n ln n) an anchor instead of O(near far).
// Equal to class_block_kernel.hpp on the whole table up to rounding. Coordinates up to 1e150.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/triplet/class_block_kernel.hpp"

namespace alidade::triplet {

/// How the pairs of a distance to near and one to far are summed. `automatic` takes what their numbers, and nothing
/// else, make the faster.
enum class HingePairs { automatic, each, sorted };

/// Scratch memory of one thread, grown on demand.
struct DistanceHingeWorkspace {
  struct Place {
    double distance;
    std::uint32_t at;
  };
  std::vector<ObjectId> ids;                         // of the aspect's objects, by class
  std::vector<double> coordinates, gradient;         // d rows of them
  std::vector<double> distance, inverse, slope;      // of the anchor to each
  std::vector<double> near, far, near_sum, far_sum;  // of pairs that may cost something
  std::vector<std::uint32_t> near_at, far_at, bucket, bucket_begin;
  std::vector<Place> near_order, far_order;
};

/// The sum of max(0, margin + |y_i - y_near| - |y_i - y_far|)^2 over the triplets of `blocks`, which are the table's;
/// adds its gradient to `gradient` unless that is empty. The slope at a distance of 0 is taken as 0. y, gradient: n x d
/// row-major. The order of sums is fixed. NaN if a coordinate that counts is not finite.
/// O(d n) an anchor and its pairs, which are O(n ln n) where sorted.
double add_distance_hinges(double margin, const AttributeTable& table,
                           std::span<const AnchorBlock> blocks, std::span<const double> y, Index d,
                           std::span<double> gradient, DistanceHingeWorkspace& workspace,
                           HingePairs pairs = HingePairs::automatic);

}  // namespace alidade::triplet
