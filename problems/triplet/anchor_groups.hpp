// Triplets sorted by anchor and compressed, as the full-batch kernels read them.
// Built once in O(triplets + objects) by counting sort; immutable; the same input gives the same structure.
// It keeps no map back to the order of the input: two orders of the same triplets give sums that differ in rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::triplet {

/// A half-open range of groups.
struct GroupRange {
  Index begin = 0;
  Index end = 0;
};

/// Triplets of one anchor. Either *listed*: `partners` are the distinct objects, and triplet k is
/// (partners[near[k]], partners[far[k]]); or *direct*, when sharing partners would save nothing: triplet k is
/// (partners[k], partners[size() + k]), `near` and `far` are empty and `partners` may repeat.
class AnchorGroups {
 public:
  struct Group {
    ObjectId anchor;
    std::uint32_t size;  // triplets
    std::span<const ObjectId> partners;
    std::span<const std::uint16_t> near, far;  // empty when direct
    std::span<const double> weights;           // empty when all are 1

    [[nodiscard]] bool direct() const { return near.empty(); }
  };

  /// No group holds more triplets than this when direct, nor more partners than 65536 when listed.
  static constexpr std::uint32_t kDirectLimit = 256;

  AnchorGroups() = default;
  /// Equal sizes, ids < object_count, object_count < 2^32, weights finite and >= 0 (empty: all 1).
  /// Triplets keep the order of the input within an anchor. anchor == near or near == far is accepted
  /// (such terms are constant or pull a point to itself); rejecting them is the reader's duty.
  /// Memory: 8 bytes a triplet when direct, else 4 bytes a triplet and 4 a distinct (anchor, partner) pair;
  /// 8 more with weights; 40 bytes a group. @throws DataError
  AnchorGroups(std::span<const ObjectId> anchor, std::span<const ObjectId> near,
               std::span<const ObjectId> far, std::span<const double> weights, Index object_count);

  [[nodiscard]] Index object_count() const { return object_count_; }
  /// Rows of the input.
  [[nodiscard]] Index triplet_count() const { return triplet_count_; }
  /// Terms evaluated: fewer than triplet_count() when `merged`.
  [[nodiscard]] Index term_count() const { return term_count_; }
  [[nodiscard]] double total_weight() const { return total_weight_; }
  /// True if the weights are multiplicities of merged duplicates (whole numbers).
  [[nodiscard]] bool merged() const { return merged_; }
  [[nodiscard]] bool weighted() const { return !weights_.empty(); }

  /// Groups in order of their anchors; an anchor may have several. Objects that are no anchor have none.
  [[nodiscard]] Index group_count() const { return static_cast<Index>(groups_.size()); }
  [[nodiscard]] Group group(Index g) const;
  [[nodiscard]] GroupRange all() const { return {0, group_count()}; }
  /// Consecutive ranges of about equally many triplets that cover all(); at least one, possibly empty. Their
  /// number is a power of two up to 16 and depends on the data only, so that sums over chunks taken in order do
  /// not depend on the number of threads. It is bounded by triplets / (8 objects), so that summing one private
  /// gradient per chunk stays cheap beside the chunks themselves.
  [[nodiscard]] std::span<const GroupRange> chunks() const { return chunks_; }

  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Header {
    std::uint64_t first_partner;
    std::uint64_t first_local;
    std::uint64_t first_term;
    std::uint32_t partner_count;
    std::uint32_t size;
    ObjectId anchor;
    bool direct;
  };

  void append_header(ObjectId anchor, std::size_t first_term, std::size_t size,
                     std::size_t partner_count, bool direct);
  void cut_chunks();

  Index object_count_ = 0;
  Index triplet_count_ = 0;
  Index term_count_ = 0;
  double total_weight_ = 0;
  bool merged_ = false;
  std::vector<Header> groups_;
  std::vector<ObjectId> partners_;
  std::vector<std::uint16_t> near_, far_;
  std::vector<double> weights_;
  std::vector<GroupRange> chunks_{GroupRange{}};
};

inline AnchorGroups::Group AnchorGroups::group(Index g) const {
  const Header& h = groups_[static_cast<std::size_t>(g)];
  Group out{h.anchor, h.size, {partners_.data() + h.first_partner, h.partner_count}, {}, {}, {}};
  if (!h.direct) {
    out.near = {near_.data() + h.first_local, h.size};
    out.far = {far_.data() + h.first_local, h.size};
  }
  if (!weights_.empty()) out.weights = {weights_.data() + h.first_term, h.size};
  return out;
}

}  // namespace alidade::triplet
