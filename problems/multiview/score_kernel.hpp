// Full-batch sums of SCORE's negative log-likelihood ([LL19] Eq. 3 to 5) over triplets of several aspects.
// Triplets of attribute tables are never stored. Distances and dot products are exponentiated once per pair, so a
// triplet costs one division and no exponential; logarithms are taken of products, and slopes are summed by pair.
// Rows must have unit length. The data fix the order of sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/triplet_sums/class_block_kernel.hpp"
#include "problems/triplet_sums/table_selection.hpp"

namespace alidade::multiview {

/// The point at which the sums are taken. A map belongs to one aspect, or to all of them.
struct ScorePoint {
  Index columns = 0;                // K + 1
  std::span<const double> objects;  // n x (K + 1)
  std::span<const double> normals;  // maps x (K + 1)
  std::span<const double> deltas;   // one per map, in [0, 1]
  double alpha = 0;                 // > 0
  bool mixed = true;                // false: every delta is 1 and the shared sphere has no effect
  bool pooled = false;              // all aspects share map 0

  [[nodiscard]] std::size_t map_of(std::uint32_t aspect) const { return pooled ? 0 : aspect; }
};

/// Scratch memory of one thread, grown on demand.
struct ScoreWorkspace {
  std::vector<double> coordinates, gradient, normal_gradient, rows;
};

/// The sum of -ln l over the selected triplets of `blocks`; adds its Euclidean gradient to `gradient` unless that is
/// empty. Above alpha = 100, each triplet needs exponentials. O(triplets + K pairs) time, O(K n) memory.
double add_class_blocks(const ScorePoint& at, const triplet::TableSelection& selection,
                        std::span<const triplet::AnchorBlock> blocks, std::span<double> gradient,
                        ScoreWorkspace& workspace);

/// The weighted sum over triplets [first, last) of any source, one by one.
double add_triplets(const ScorePoint& at, const TripletSource& source, std::uint64_t first, std::uint64_t last,
                    std::span<double> gradient);

}  // namespace alidade::multiview
