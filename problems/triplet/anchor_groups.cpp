#include "problems/triplet/anchor_groups.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "problems/core/error.hpp"

namespace alidade::triplet {
namespace {

// A listed group costs two loads and two scattered adds into small arrays per triplet, and one gather and one
// scatter of a whole row per partner; a direct group two gathers and two scatters of rows per triplet.
constexpr double kListedPartnersPerTriplet = 1.2;
constexpr std::size_t kPartnerLimit = std::size_t{1} << 16;
constexpr Index kMaxChunks = 16;
constexpr Index kTripletsPerChunk = 16384;
constexpr Index kTripletsPerObjectAndChunk = 8;

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

}  // namespace

AnchorGroups::AnchorGroups(std::span<const ObjectId> anchor, std::span<const ObjectId> near,
                           std::span<const ObjectId> far, std::span<const double> weights,
                           Index object_count)
    : object_count_(object_count), triplet_count_(static_cast<Index>(anchor.size())) {
  const std::size_t count = anchor.size();
  require<DataError>(near.size() == count && far.size() == count,
                     "Triplets need one anchor, near and far each; got {}, {} and {}.", count,
                     near.size(), far.size());
  require<DataError>(weights.empty() || weights.size() == count,
                     "Expected no weights or one for each of {} triplets; got {}.", count,
                     weights.size());
  require<DataError>(object_count >= 0 && object_count < Index{kNever},
                     "The number of objects must be below 2^32 - 1, not {}.", object_count);
  const auto n = static_cast<std::size_t>(object_count);

  std::vector<std::uint64_t> first(n + 1, 0);
  for (std::size_t t = 0; t < count; ++t) {
    require<DataError>(anchor[t] < n && near[t] < n && far[t] < n,
                       "Triplet {} is ({}, {}, {}), but there are only {} objects.", t, anchor[t],
                       near[t], far[t], n);
    ++first[anchor[t] + 1];
  }
  for (std::size_t i = 0; i < n; ++i) first[i + 1] += first[i];

  std::vector<ObjectId> sorted(2 * count);  // near, far of each
  if (!weights.empty()) weights_.resize(count);
  {
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t to = next[anchor[t]]++;
      sorted[2 * to] = near[t];
      sorted[2 * to + 1] = far[t];
      if (weights.empty()) continue;
      require<DataError>(std::isfinite(weights[t]) && weights[t] >= 0,
                         "The weight of triplet {} must be a number >= 0, not {}.", t, weights[t]);
      weights_[to] = weights[t];
    }
  }
  term_count_ = triplet_count_;
  total_weight_ = static_cast<double>(count);
  if (!weights.empty()) {
    total_weight_ = 0;
    for (const double w : weights) total_weight_ += w;
  }

  std::vector<std::uint32_t> stamp(n, kNever);  // the group that last saw this object
  std::vector<std::uint16_t> local(n);          // its place there
  std::vector<ObjectId> distinct;
  std::uint32_t group_id = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t begin = first[i];
    const std::size_t end = first[i + 1];
    while (begin < end) {
      // The longest run of triplets whose distinct partners fit into 16-bit places.
      distinct.clear();
      std::size_t stop = begin;
      for (; stop < end && distinct.size() + 2 <= kPartnerLimit; ++stop) {
        for (const ObjectId partner : {sorted[2 * stop], sorted[2 * stop + 1]}) {
          if (stamp[partner] == group_id) continue;
          stamp[partner] = group_id;
          local[partner] = static_cast<std::uint16_t>(distinct.size());
          distinct.push_back(partner);
        }
      }
      ++group_id;
      const bool direct = static_cast<double>(distinct.size()) >
                          kListedPartnersPerTriplet * static_cast<double>(stop - begin);
      if (direct) {
        for (; begin < stop; begin += groups_.back().size) {
          const std::size_t size = std::min<std::size_t>(stop - begin, kDirectLimit);
          append_header(static_cast<ObjectId>(i), begin, size, 2 * size, true);
          for (std::size_t t = 0; t < size; ++t) partners_.push_back(sorted[2 * (begin + t)]);
          for (std::size_t t = 0; t < size; ++t) partners_.push_back(sorted[2 * (begin + t) + 1]);
        }
      } else {
        append_header(static_cast<ObjectId>(i), begin, stop - begin, distinct.size(), false);
        partners_.insert(partners_.end(), distinct.begin(), distinct.end());
        for (std::size_t t = begin; t < stop; ++t) {
          near_.push_back(local[sorted[2 * t]]);
          far_.push_back(local[sorted[2 * t + 1]]);
        }
      }
      begin = stop;
    }
  }
  partners_.shrink_to_fit();
  near_.shrink_to_fit();
  far_.shrink_to_fit();
  groups_.shrink_to_fit();
  cut_chunks();
}

void AnchorGroups::append_header(ObjectId anchor, std::size_t first_term, std::size_t size,
                                 std::size_t partner_count, bool direct) {
  groups_.push_back({.first_partner = partners_.size(),
                     .first_local = near_.size(),
                     .first_term = first_term,
                     .partner_count = static_cast<std::uint32_t>(partner_count),
                     .size = static_cast<std::uint32_t>(size),
                     .anchor = anchor,
                     .direct = direct});
}

void AnchorGroups::cut_chunks() {
  const Index wanted =
      std::min(term_count_ / kTripletsPerChunk,
               term_count_ / (kTripletsPerObjectAndChunk * std::max<Index>(object_count_, 1)));
  const auto bounded = static_cast<std::uint64_t>(std::clamp<Index>(wanted, 1, kMaxChunks));
  const auto chunk_count = static_cast<Index>(std::bit_floor(bounded));
  chunks_.clear();
  Index group = 0;
  Index seen = 0;
  for (Index c = 0; c < chunk_count; ++c) {
    const Index begin = group;
    const Index goal = term_count_ * (c + 1) / chunk_count;
    while (group < group_count() && (seen < goal || c + 1 == chunk_count))
      seen += groups_[static_cast<std::size_t>(group++)].size;
    chunks_.push_back({begin, group});
  }
}

std::size_t AnchorGroups::memory_bytes() const {
  return sizeof(*this) + groups_.capacity() * sizeof(Header) +
         partners_.capacity() * sizeof(ObjectId) +
         (near_.capacity() + far_.capacity()) * sizeof(std::uint16_t) +
         weights_.capacity() * sizeof(double) + chunks_.capacity() * sizeof(GroupRange);
}

}  // namespace alidade::triplet
