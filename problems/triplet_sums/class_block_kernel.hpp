// Full-batch sums of a triplet loss over the triplets that an attribute table induces, without storing them.
// A class of an attribute gives blocks: every ordered pair of its members times every object outside it.
// Distances are computed once per anchor and slopes are summed by pair; the inner loop is over the outside objects.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/triplet_sums/table_selection.hpp"
#include "problems/triplet_sums/triplet_loss.hpp"

namespace alidade::triplet {

/// The triplets of one anchor of one class.
struct AnchorBlock {
  std::uint32_t block = 0;   // in AttributeTable::class_blocks()
  std::uint32_t member = 0;  // the anchor among its members
};

/// All blocks of a table, in order, cut into consecutive chunks of about equal numbers of triplets. The number of
/// chunks depends only on the table and the requested size, so sums over chunks in order do not depend on threads.
struct AnchorBlocks {
  std::vector<AnchorBlock> blocks;
  std::vector<std::size_t> chunk_begin;  // into blocks; one more than there are chunks
  [[nodiscard]] std::size_t chunk_count() const { return chunk_begin.size() - 1; }
  [[nodiscard]] std::span<const AnchorBlock> chunk(std::size_t c) const {
    return std::span(blocks).subspan(chunk_begin[c], chunk_begin[c + 1] - chunk_begin[c]);
  }
};
/// `least`: least number of triplets in a chunk, unless there is only one; there are at most 16 chunks.
[[nodiscard]] AnchorBlocks anchor_blocks(const AttributeTable& table, std::uint64_t least = 1 << 16);

/// Scratch memory of one thread, grown on demand.
struct ClassBlockWorkspace {
  std::vector<double> near_distance, far_distance, near_slope, far_slope, far_similarity;
};

/// Number of selected triplets that mention each object. O(selected triplets).
[[nodiscard]] std::vector<std::uint64_t> mention_counts(const TableSelection& selection);

/// The sum of the loss over the selected triplets of `blocks`; adds its gradient to `gradient` unless that is
/// empty. y, gradient: n x d row-major. The order of sums is fixed. O(triplets + d pairs).
double add_class_blocks(const TripletLoss& loss, const TableSelection& selection, std::span<const AnchorBlock> blocks,
                        std::span<const double> y, Index d, std::span<double> gradient, ClassBlockWorkspace& workspace);

}  // namespace alidade::triplet
