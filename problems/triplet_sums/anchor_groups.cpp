#include "problems/triplet_sums/anchor_groups.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/lent_executor.hpp"

namespace alidade::triplet {
namespace {

// Where lists are faster than quads, as measured (ETE(2,2), one thread, 30 to 400 triplets per anchor).
bool list_pays(std::size_t triplets, std::size_t partners, Index dimensions) {
  if (dimensions <= 2) return 5 * partners + 80 < triplets;
  if (dimensions <= 4) return 2 * partners + 10 < triplets;
  return 3 * partners + 20 < 2 * triplets;
}

constexpr std::size_t kPartnerLimit = std::size_t{1} << 16;
// Additions to the same row of a gradient wait for one another. So consecutive triplets of the input, which may share
// their near object, are kept apart, and so are the quads of one anchor.
constexpr std::size_t kInterleaved = 16;
constexpr Index kCounted = 1 << 18;  // triplets, by one thread
constexpr Index kMaxChunks = 16;
constexpr Index kTripletsPerChunk = 16384;
constexpr Index kTripletsPerObjectAndChunk = 8;
constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

Index chunks_of_triplets(Index triplets, Index objects) {
  const Index wanted =
      std::min(triplets / kTripletsPerChunk, triplets / (kTripletsPerObjectAndChunk * std::max<Index>(objects, 1)));
  const auto bounded = static_cast<std::uint64_t>(std::clamp<Index>(wanted, 1, kMaxChunks));
  return static_cast<Index>(std::bit_floor(bounded));
}

}  // namespace

/// The triplets by anchor, of which about `at_once` are in memory, besides the input.
struct AnchorGroups::SortedTriplets {
  std::span<const ObjectId> anchors, nears, fars;
  std::span<const double> input_weights;
  std::span<const std::uint64_t> first;  // of each anchor; one more at the end
  std::uint64_t at_once;
  std::vector<ObjectId> partners{};   // near, far of each triplet from `begin` on
  std::vector<double> weights{};      // empty when all are 1
  std::size_t begin = 0, loaded = 0;  // loaded: anchors, up to here

  /// Where the triplets of each anchor begin, and their end.
  [[nodiscard]] std::vector<std::uint64_t> count(std::size_t n) const {
    std::vector<std::uint64_t> out(n + 1, 0);
    executor_here().run_chunks(static_cast<Index>(anchors.size()), kCounted, [&](const Chunk& chunk) {
      for (auto t = static_cast<std::size_t>(chunk.first); t < static_cast<std::size_t>(chunk.last); ++t) {
        require<DataError>(anchors[t] < n && nears[t] < n && fars[t] < n,
                           "Triplet {} is ({}, {}, {}), but there are only {} objects.", t, anchors[t], nears[t],
                           fars[t], n);
        std::atomic_ref(out[anchors[t] + 1]).fetch_add(1, std::memory_order_relaxed);
      }
    });
    std::partial_sum(out.begin(), out.end(), out.begin());
    for (std::size_t t = 0; t < input_weights.size(); ++t)
      require<DataError>(std::isfinite(input_weights[t]) && input_weights[t] >= 0,
                         "The weight of triplet {} must be a number >= 0, not {}.", t, input_weights[t]);
    return out;
  }

  /// Has the triplets of the anchors from `from` to `to`, and of as many more before `end` as there is room for.
  void load(std::size_t from, std::size_t to, std::size_t end) {
    for (loaded = to + 1; loaded < end && first[loaded + 1] - first[from] <= at_once;) ++loaded;
    begin = first[from];
    partners.resize(2 * (first[loaded] - begin));
    if (!input_weights.empty()) weights.resize(first[loaded] - begin);
    std::vector<std::uint64_t> next(first.begin() + static_cast<std::ptrdiff_t>(from),
                                    first.begin() + static_cast<std::ptrdiff_t>(loaded));
    for (std::size_t t = 0; t < anchors.size(); ++t) {
      if (anchors[t] < from || anchors[t] >= loaded) continue;
      const std::size_t to_place = next[anchors[t] - from]++ - begin;
      partners[2 * to_place] = nears[t];
      partners[2 * to_place + 1] = fars[t];
      if (!weights.empty()) weights[to_place] = input_weights[t];
    }
  }
  [[nodiscard]] ObjectId partner(std::size_t t, std::size_t side) const { return partners[2 * (t - begin) + side]; }
  [[nodiscard]] double weight(std::size_t t) const { return weights[t - begin]; }
};

/// The distinct partners of a run of triplets with one anchor, and their places in it.
struct AnchorGroups::Partners {
  explicit Partners(std::size_t n) : place(n), stamp(n, kNever) {}
  /// Returns the end of the longest run from `begin` whose distinct partners fit into 16-bit places.
  std::size_t longest_run(const SortedTriplets& sorted, std::size_t begin, std::size_t end) {
    distinct.clear();
    std::size_t stop = begin;
    for (; stop < end && distinct.size() + 2 <= kPartnerLimit; ++stop)
      for (const ObjectId partner : {sorted.partner(stop, 0), sorted.partner(stop, 1)}) {
        if (stamp[partner] == run) continue;
        stamp[partner] = run;
        place[partner] = static_cast<std::uint16_t>(distinct.size());
        distinct.push_back(partner);
      }
    ++run;
    return stop;
  }

  std::vector<ObjectId> distinct;
  std::vector<std::uint16_t> place;
  std::vector<std::uint32_t> stamp;  // the run that last saw an object
  std::uint32_t run = 0;
};

AnchorGroups::AnchorGroups(std::span<const ObjectId> anchor, std::span<const ObjectId> near,
                           std::span<const ObjectId> far, std::span<const double> weights, Index object_count,
                           Index dimensions, std::uint64_t sorted_at_once)
    : object_count_(object_count),
      triplet_count_(static_cast<Index>(anchor.size())),
      total_weight_(static_cast<double>(anchor.size())),
      weighted_(!weights.empty()) {
  const std::size_t count = anchor.size();
  require<DataError>(near.size() == count && far.size() == count,
                     "Every triplet needs an anchor, a near and a far object, but there are {}, "
                     "{} and {} of them.",
                     count, near.size(), far.size());
  require<DataError>(weights.empty() || weights.size() == count,
                     "There must be no weights, or one for each of {} triplets, not {}.", count, weights.size());
  require<DataError>(object_count >= 0 && object_count < (Index{1} << 31),
                     "The number of objects must be below 2^31, not {}.", object_count);
  const auto n = static_cast<std::size_t>(object_count);
  const Executor::Breakable goes_on(executor_here(), {});  // a moment's work, after which there is a map
  SortedTriplets input{anchor, near, far, weights, {}, sorted_at_once};
  const std::vector<std::uint64_t> first = input.count(n);
  input.first = first;
  reserve_quads(input, 0, n);
  if (weighted_) total_weight_ = 0;

  const Index chunks = chunks_of_triplets(triplet_count_, object_count);
  const auto begin_of = [&](Index c) {  // the first anchor of a chunk
    const auto goal = static_cast<std::uint64_t>(triplet_count_ * c / chunks);
    return c == chunks ? n : static_cast<std::size_t>(std::ranges::lower_bound(first, goal) - first.begin());
  };
  chunks_.clear();
  for (Index c = 0; c < chunks;) {  // as many at once as there are threads
    std::vector<AnchorGroups> made(static_cast<std::size_t>(std::min<Index>(executor_here().threads(), chunks - c)));
    executor_here().run(std::ssize(made), [&](Index m) {
      AnchorGroups& chunk = made[static_cast<std::size_t>(m)];
      chunk.object_count_ = object_count;
      chunk.weighted_ = weighted_;
      SortedTriplets sorted = input;
      chunk.append_anchors(sorted, begin_of(c + m), begin_of(c + m + 1), dimensions);
    });
    c += std::ssize(made);
    for (AnchorGroups& chunk : made) append_chunk(std::exchange(chunk, {}));
  }
  const auto shrink = [](auto&... all) {
    // A copy takes more memory for a moment than it frees where little is free.
    ((all.size() < all.capacity() / 8 * 7 ? all.shrink_to_fit() : void()), ...);
  };
  shrink(quad_anchors_, quad_ids_, quad_sizes_, quad_weights_, lists_, partners_, near_, far_, list_weights_);
}

void AnchorGroups::reserve_quads(const SortedTriplets& sorted, std::size_t begin, std::size_t end) {
  std::size_t most = kMaxChunks * kQuadMultiple;  // where no anchor becomes a list
  for (std::size_t i = begin; i < end; ++i) most += (sorted.first[i + 1] - sorted.first[i] + kQuad - 1) / kQuad;
  quad_anchors_.reserve(most);
  quad_sizes_.reserve(most);
  quad_ids_.reserve(kQuadIds * most);
  if (weighted_) quad_weights_.reserve(kQuad * most);
}

void AnchorGroups::append_anchors(SortedTriplets& sorted, std::size_t begin, std::size_t end, Index dimensions) {
  reserve_quads(sorted, begin, end);
  std::optional<Partners> seen;
  std::vector<Run> pending;  // to become quads
  for (std::size_t i = begin, done = sorted.first[begin]; i < end; ++i) {
    const std::size_t last = sorted.first[i + 1];
    if (done < last && i >= sorted.loaded) sorted.load(pending.empty() ? i : pending.front().anchor, i, end);
    for (std::size_t t = done; weighted_ && t < last; ++t) total_weight_ += sorted.weight(t);
    while (done < last) {
      const bool few = 2 * (last - done) <= kPartnerLimit && !list_pays(last - done, 2, dimensions);
      if (!few && !seen) seen.emplace(static_cast<std::size_t>(object_count_));
      const Run run{static_cast<ObjectId>(i), done, few ? last : seen->longest_run(sorted, done, last)};
      done = run.end;
      if (!few && list_pays(run.end - run.begin, seen->distinct.size(), dimensions)) {
        append_list(sorted, run, *seen);
      } else {
        pending.push_back(run);
        if (pending.size() == kInterleaved) append_quads(sorted, pending);
      }
    }
  }
  append_quads(sorted, pending);
  if (quad_count() > 0) append_empty_quads(quad_anchors_.back() / 2);
}

void AnchorGroups::append_chunk(const AnchorGroups& chunk) {
  const GroupRange before = {quad_count(), 0, list_count(), 0};
  if (weighted_) total_weight_ += chunk.total_weight_;
  for (ListHeader list : chunk.lists_) {
    list.first_partner += partners_.size();
    list.first_triplet += near_.size();
    lists_.push_back(list);
  }
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(quad_anchors_, chunk.quad_anchors_);
  append(quad_ids_, chunk.quad_ids_);
  append(quad_sizes_, chunk.quad_sizes_);
  append(quad_weights_, chunk.quad_weights_);
  append(partners_, chunk.partners_);
  append(near_, chunk.near_);
  append(far_, chunk.far_);
  append(list_weights_, chunk.list_weights_);
  chunks_.push_back({before.quad_begin, quad_count(), before.list_begin, list_count()});
}

void AnchorGroups::append_list(const SortedTriplets& sorted, const Run& run, const Partners& seen) {
  const std::size_t count = run.end - run.begin;
  lists_.push_back({.first_partner = partners_.size(),
                    .first_triplet = near_.size(),
                    .partner_count = static_cast<std::uint32_t>(seen.distinct.size()),
                    .triplet_count = static_cast<std::uint32_t>(count),
                    .anchor = 2 * run.anchor});
  for (const ObjectId partner : seen.distinct) partners_.push_back(2 * partner);
  const std::size_t stride = (count + kInterleaved - 1) / kInterleaved;
  for (std::size_t first = run.begin; first < run.begin + stride; ++first)
    for (std::size_t t = first; t < run.end; t += stride) {
      near_.push_back(seen.place[sorted.partner(t, 0)]);
      far_.push_back(seen.place[sorted.partner(t, 1)]);
      if (weighted_) list_weights_.push_back(sorted.weight(t));
    }
}

void AnchorGroups::append_quads(const SortedTriplets& sorted, std::vector<Run>& pending) {
  constexpr std::size_t kSize = kQuad;
  for (std::size_t q = 0, more = 1; more > 0; ++q) {
    more = 0;
    for (const Run& run : pending) {
      const std::size_t quads = (run.end - run.begin + kSize - 1) / kSize;
      if (q >= quads) continue;
      const std::size_t first = run.begin + q;
      const auto holds = [&](std::size_t t) { return first + t * quads < run.end; };
      std::uint8_t size = 0;
      for (std::size_t t = 0; t < kSize; ++t) size = static_cast<std::uint8_t>(size + holds(t));
      quad_anchors_.push_back(2 * run.anchor);
      quad_sizes_.push_back(size);
      for (const std::size_t side : {0U, 1U})
        for (std::size_t t = 0; t < kSize; ++t)
          quad_ids_.push_back(2 * (holds(t) ? sorted.partner(first + t * quads, side) : run.anchor));
      if (weighted_)
        for (std::size_t t = 0; t < kSize; ++t)
          quad_weights_.push_back(holds(t) ? sorted.weight(first + t * quads) : 0);
      ++more;
    }
  }
  pending.clear();
}

void AnchorGroups::append_empty_quads(ObjectId anchor) {
  while (quad_count() % kQuadMultiple != 0) {
    quad_anchors_.push_back(2 * anchor);
    quad_sizes_.push_back(0);
    quad_ids_.insert(quad_ids_.end(), kQuadIds, 2 * anchor);
    if (weighted_) quad_weights_.insert(quad_weights_.end(), kQuad, 0.0);
  }
}

std::size_t AnchorGroups::memory_bytes() const {
  const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return sizeof(*this) + bytes(quad_anchors_) + bytes(quad_ids_) + bytes(quad_sizes_) + bytes(quad_weights_) +
         bytes(lists_) + bytes(partners_) + bytes(near_) + bytes(far_) + bytes(list_weights_) + bytes(chunks_);
}

}  // namespace alidade::triplet
