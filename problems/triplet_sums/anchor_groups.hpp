// Triplets sorted by anchor and compressed, as the full-batch kernels read them.
// Built once in O(triplets + objects) by counting sort; immutable; the same input gives the same structure.
// It keeps no map back to the order of the input: two orders of the same triplets give sums that differ in rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/core/index.hpp"

namespace alidade::triplet {

/// A part of an AnchorGroups: half-open ranges of its quads and of its lists.
struct GroupRange {
  Index quad_begin = 0, quad_end = 0;
  Index list_begin = 0, list_end = 0;
};

/// An anchor whose triplets share few partners becomes a *list*: its distinct partners, and each triplet as two
/// 16-bit places among them. All others are cut into *quads*: four triplets of one anchor with the ids written out.
/// Ids are stored doubled, which spares kernels a shift at two dimensions.
class AnchorGroups {
 public:
  static constexpr Index kQuad = 4;             // triplets a quad
  static constexpr Index kQuadIds = 2 * kQuad;  // four near, four far

  AnchorGroups() = default;
  /// Equal sizes, ids < object_count < 2^31, weights finite and >= 0 (empty: all 1).
  /// anchor == near or near == far is accepted; rejecting such triplets is the reader's duty. The layout is the one
  /// that is faster for maps of `dimensions`; results for any other number are right too.
  /// Memory: 4 bytes a triplet and 4 a distinct (anchor, partner) pair in lists; else 9.25 bytes a triplet and up to
  /// three empty places an anchor; 8 more with weights. @throws DataError
  AnchorGroups(std::span<const ObjectId> anchor, std::span<const ObjectId> near, std::span<const ObjectId> far,
               std::span<const double> weights, Index object_count, Index dimensions = 2);

  [[nodiscard]] Index object_count() const { return object_count_; }
  [[nodiscard]] Index triplet_count() const { return triplet_count_; }
  [[nodiscard]] double total_weight() const { return total_weight_; }
  [[nodiscard]] bool weighted() const { return weighted_; }

  /// Everything, in one range.
  [[nodiscard]] GroupRange all() const { return {0, quad_count(), 0, list_count()}; }
  /// Ranges of about equally many triplets that cover all(); at least one, possibly empty. Their number is a
  /// power of two up to 16 and depends on the data only, so that sums over chunks taken in order do not depend on
  /// the number of threads. It is bounded by triplets / (8 objects), so that adding up one private gradient a chunk
  /// stays cheap beside the chunks themselves.
  [[nodiscard]] std::span<const GroupRange> chunks() const { return chunks_; }
  [[nodiscard]] std::size_t memory_bytes() const;

  // ---- for kernels

  /// Every chunk holds a multiple of this many quads: filled up with empty ones.
  static constexpr Index kQuadMultiple = 4;
  [[nodiscard]] Index quad_count() const { return static_cast<Index>(quad_anchors_.size()); }
  /// Twice the anchor of each quad.
  [[nodiscard]] const std::uint32_t* quad_anchors() const { return quad_anchors_.data(); }
  /// How many of the quad's places hold triplets (0 to 4); the others name the anchor thrice.
  [[nodiscard]] const std::uint8_t* quad_sizes() const { return quad_sizes_.data(); }
  /// Twice the near and far ids, kQuadIds a quad.
  [[nodiscard]] const std::uint32_t* quad_ids() const { return quad_ids_.data(); }
  /// Four a quad, 0 at empty places; null when all are 1.
  [[nodiscard]] const double* quad_weights() const { return weighted_ ? quad_weights_.data() : nullptr; }

  struct List {
    std::uint32_t anchor;                      // doubled
    std::span<const std::uint32_t> partners;   // doubled, distinct, at most 65536
    std::span<const std::uint16_t> near, far;  // places among the partners, one pair a triplet
    std::span<const double> weights;           // empty when all are 1
  };
  [[nodiscard]] Index list_count() const { return static_cast<Index>(lists_.size()); }
  [[nodiscard]] List list(Index k) const;

 private:
  struct ListHeader {
    std::uint64_t first_partner;
    std::uint64_t first_triplet;
    std::uint32_t partner_count;
    std::uint32_t triplet_count;
    std::uint32_t anchor;
  };
  struct SortedTriplets;

  struct Run {
    ObjectId anchor;
    std::size_t begin, end;  // among the sorted triplets
  };

  struct Partners;
  void append_list(const SortedTriplets& sorted, const Run& run, const Partners& seen);
  void append_quads(const SortedTriplets& sorted, std::vector<Run>& pending);
  void append_empty_quads(ObjectId anchor);

  Index object_count_ = 0;
  Index triplet_count_ = 0;
  double total_weight_ = 0;
  bool weighted_ = false;
  std::vector<std::uint32_t> quad_anchors_, quad_ids_;
  std::vector<std::uint8_t> quad_sizes_;
  std::vector<double> quad_weights_;
  std::vector<ListHeader> lists_;
  std::vector<std::uint32_t> partners_;
  std::vector<std::uint16_t> near_, far_;
  std::vector<double> list_weights_;
  std::vector<GroupRange> chunks_{GroupRange{}};
};

inline AnchorGroups::List AnchorGroups::list(Index k) const {
  const ListHeader& h = lists_[static_cast<std::size_t>(k)];
  return {h.anchor,
          {partners_.data() + h.first_partner, h.partner_count},
          {near_.data() + h.first_triplet, h.triplet_count},
          {far_.data() + h.first_triplet, h.triplet_count},
          weighted_ ? std::span{list_weights_.data() + h.first_triplet, h.triplet_count} : std::span<const double>{}};
}

}  // namespace alidade::triplet
