// Triplets sorted by anchor and compressed, in the layout of the full-batch kernels.
// Built once in O(triplets + objects) by counting sort; immutable; the same input gives the same structure.
// It does not keep the input order: two orders of the same triplets give sums that differ in rounding.
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
/// 16-bit places among them. Triplets of other anchors form *quads*: four triplets of one anchor, with explicit ids.
/// Ids are stored doubled, which saves kernels a shift in two dimensions.
class AnchorGroups {
 public:
  static constexpr Index kQuad = 4;             // triplets per quad
  static constexpr Index kQuadIds = 2 * kQuad;  // four near, four far

  AnchorGroups() = default;
  /// Spans have equal sizes, ids < object_count < 2^31, and weights are finite and >= 0 (empty: all 1).
  /// anchor == near or near == far is accepted; the reader must reject such triplets. The layout is the
  /// fastest for maps of `dimensions`; results are correct for any number.
  /// Memory: in lists, 4 bytes per triplet and 4 per distinct (anchor, partner) pair; otherwise 9.25 bytes per triplet
  /// and up to three empty places per anchor; 8 more with weights. Besides, a chunk, or else `sorted_at_once` triplets
  /// of 8 bytes, for each thread of executor_here(). Threads change nothing.
  /// @throws DataError
  AnchorGroups(std::span<const ObjectId> anchor, std::span<const ObjectId> near, std::span<const ObjectId> far,
               std::span<const double> weights, Index object_count, Index dimensions = 2,
               std::uint64_t sorted_at_once = std::uint64_t{1} << 22);

  [[nodiscard]] Index object_count() const { return object_count_; }
  [[nodiscard]] Index triplet_count() const { return triplet_count_; }
  [[nodiscard]] double total_weight() const { return total_weight_; }
  [[nodiscard]] bool weighted() const { return weighted_; }

  /// All groups as one range.
  [[nodiscard]] GroupRange all() const { return {0, quad_count(), 0, list_count()}; }
  /// Ranges that cover all(), with about equal numbers of triplets; at least one, possibly empty. Their number is a
  /// power of two up to 16 and depends only on the data, so sums over chunks in order do not depend on
  /// the number of threads. It is at most triplets / (8 objects), so that adding one private gradient per chunk
  /// is cheap compared with the chunks themselves.
  [[nodiscard]] std::span<const GroupRange> chunks() const { return chunks_; }
  [[nodiscard]] std::size_t memory_bytes() const;

  // ---- for kernels

  /// The number of quads in a chunk is padded to a multiple of this with empty quads.
  static constexpr Index kQuadMultiple = 4;
  [[nodiscard]] Index quad_count() const { return static_cast<Index>(quad_anchors_.size()); }
  /// Twice the anchor of each quad.
  [[nodiscard]] const std::uint32_t* quad_anchors() const { return quad_anchors_.data(); }
  /// Number of triplets in each quad (0 to 4); the other places name the anchor three times.
  [[nodiscard]] const std::uint8_t* quad_sizes() const { return quad_sizes_.data(); }
  /// Twice the near and far ids, kQuadIds per quad.
  [[nodiscard]] const std::uint32_t* quad_ids() const { return quad_ids_.data(); }
  /// Four per quad, 0 at empty places; null if all are 1.
  [[nodiscard]] const double* quad_weights() const { return weighted_ ? quad_weights_.data() : nullptr; }

  struct List {
    std::uint32_t anchor;                      // doubled
    std::span<const std::uint32_t> partners;   // doubled, distinct, at most 65536
    std::span<const std::uint16_t> near, far;  // places among the partners, one pair per triplet
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
  void reserve_quads(const SortedTriplets& sorted, std::size_t begin, std::size_t end);
  /// Appends the anchors from `begin` to `end`, their quads padded.
  void append_anchors(SortedTriplets& sorted, std::size_t begin, std::size_t end, Index dimensions);
  void append_chunk(const AnchorGroups& chunk);
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
