// Full-batch sums of SCORE's negative log-likelihood ([LL19] Eq. 3 to 5) over triplets of several aspects.
// Those of attribute tables are never stored: distances and dot products are exponentiated once a pair of an anchor's,
// so that a triplet costs one division and no exponential, its logarithm is that of a product, and slopes are summed a
// pair. Rows must have unit length. The order of sums is fixed by the data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/triplet_sums/class_block_kernel.hpp"
#include "problems/triplet_sums/table_selection.hpp"

namespace alidade::multiview {

/// Where the sums are taken. A map is that of one aspect, or of all of them.
struct ScorePoint {
  Index columns = 0;                // K + 1
  std::span<const double> objects;  // n x (K + 1)
  std::span<const double> normals;  // maps x (K + 1)
  std::span<const double> deltas;   // one a map, in [0, 1]
  double alpha = 0;                 // > 0
  bool mixed = true;                // false: every delta is 1 and the shared sphere plays no part
  bool pooled = false;              // all aspects share map 0

  [[nodiscard]] std::size_t map_of(std::uint32_t aspect) const { return pooled ? 0 : aspect; }
};

/// Scratch memory of one thread, grown on demand.
struct ScoreWorkspace {
  std::vector<double> coordinates, gradient, normal_gradient, rows;
};

/// The sum of -ln l over the selected triplets of `blocks`; adds its Euclidean gradient to `gradient` unless that is
/// empty. Up to alpha = 100 without, beyond with exponentials a triplet. O(triplets + K pairs) time, O(K n) memory.
double add_class_blocks(const ScorePoint& at, const triplet::TableSelection& selection,
                        std::span<const triplet::AnchorBlock> blocks, std::span<double> gradient,
                        ScoreWorkspace& workspace);

/// The same over triplets [first, last) of any source, weighted, one by one.
double add_triplets(const ScorePoint& at, const TripletSource& source, std::uint64_t first, std::uint64_t last,
                    std::span<double> gradient);

}  // namespace alidade::multiview
