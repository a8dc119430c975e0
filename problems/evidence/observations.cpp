#include "problems/evidence/observations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/triplet_chunks.hpp"

namespace alidade {

void TripletSource::gather(std::span<const std::uint64_t> indices, std::span<Triplet> out) const {
  std::ranges::transform(indices, out.begin(), [this](std::uint64_t index) { return at(index); });
}

void TripletSource::read(std::uint64_t begin, std::span<Triplet> out) const {
  if (const auto* list = dynamic_cast<const TripletList*>(this)) {  // in order, so nothing is fetched ahead
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = list->at(begin + i);
    return;
  }
  std::array<std::uint64_t, kBlock> indices;
  for (std::size_t at = 0; at < out.size(); at += kBlock) {
    const std::span part = out.subspan(at, std::min(kBlock, out.size() - at));
    std::iota(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(part.size()), begin + at);
    gather(std::span(indices).first(part.size()), part);
  }
}

// ---- TripletList -----------------------------------------------------------------------------------

void TripletList::reserve(std::size_t count) {
  anchor_.reserve(count);
  near_.reserve(count);
  far_.reserve(count);
}

void TripletList::add(const Triplet& t) {
  const auto n = static_cast<std::uint64_t>(object_count_);
  require<DataError>(t.anchor < n && t.near < n && t.far < n,
                     "Triplet {} names object {}, but there are only {} objects (0 to {}).", size() + 1,
                     std::max({t.anchor, t.near, t.far}), object_count_, object_count_ - 1);
  require<DataError>(t.anchor != t.near && t.anchor != t.far && t.near != t.far,
                     "Triplet {} (anchor {}, near {}, far {}) needs three different objects.", size() + 1, t.anchor,
                     t.near, t.far);
  require<DataError>(std::isfinite(t.weight) && t.weight >= 0,
                     "Triplet {} has weight {}. Weights must be finite and not negative.", size() + 1, t.weight);
  if (t.aspect != 0 && aspect_.empty()) aspect_.assign(anchor_.size(), 0U);
  if (t.weight != 1 && weight_.empty()) weight_.assign(anchor_.size(), 1.0);
  anchor_.push_back(t.anchor);
  near_.push_back(t.near);
  far_.push_back(t.far);
  if (!aspect_.empty() || t.aspect != 0) aspect_.push_back(t.aspect);
  if (!weight_.empty() || t.weight != 1) weight_.push_back(t.weight);
  aspect_count_ = std::max(aspect_count_, static_cast<Index>(t.aspect) + 1);
}

TripletList TripletList::copy_of(const TripletSource& source) {
  TripletList out(source.object_count());
  const auto count = static_cast<std::size_t>(source.size());
  for (auto* ids : {&out.anchor_, &out.near_, &out.far_}) ids->resize(count);
  if (source.aspect_count() > 1) out.aspect_.resize(count);
  if (source.weighted()) out.weight_.resize(count);
  out.aspect_count_ = source.aspect_count();
  each_in_chunks(source, [&](std::size_t) {
    return [&](std::size_t i, const Triplet& t) {
      out.anchor_[i] = t.anchor;
      out.near_[i] = t.near;
      out.far_[i] = t.far;
      if (!out.aspect_.empty()) out.aspect_[i] = t.aspect;
      if (!out.weight_.empty()) out.weight_[i] = t.weight;
    };
  });
  return out;
}

void TripletList::gather(std::span<const std::uint64_t> indices, std::span<Triplet> out) const {
  constexpr std::size_t kAhead = 32;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (i + kAhead < indices.size()) {
      const auto later = static_cast<std::size_t>(indices[i + kAhead]);
      for (const auto* ids : {&anchor_, &near_, &far_}) __builtin_prefetch(ids->data() + later);
    }
    out[i] = at(indices[i]);
  }
}

// ---- AttributeTable --------------------------------------------------------------------------------

AttributeTable::AttributeTable(Index object_count, std::vector<Aspect> aspects)
    : object_count_(object_count), aspects_(std::move(aspects)) {
  const auto n = static_cast<std::size_t>(object_count);
  order_.resize(aspects_.size());
  place_.resize(aspects_.size());
  block_of_.resize(aspects_.size());
  for (std::size_t t = 0; t < aspects_.size(); ++t) {
    const Aspect& aspect = aspects_[t];
    require<DataError>(aspect.codes.size() == n, "Aspect '{}' has {} codes for {} objects.", aspect.name,
                       aspect.codes.size(), n);
    const std::size_t classes = aspect.values.size();
    std::vector<std::uint32_t> start(classes + 1, 0);
    for (const std::int32_t code : aspect.codes) {
      require<DataError>(code >= kMissing && code < static_cast<std::int32_t>(classes),
                         "Aspect '{}' has code {} but {} values.", aspect.name, code, classes);
      if (code != kMissing) ++start[static_cast<std::size_t>(code) + 1];
    }
    for (std::size_t c = 0; c < classes; ++c) start[c + 1] += start[c];
    order_[t].resize(start[classes]);
    place_[t].assign(n, 0);
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (std::size_t i = 0; i < n; ++i) {
      if (aspect.codes[i] == kMissing) continue;
      const std::uint32_t position = next[static_cast<std::size_t>(aspect.codes[i])]++;
      order_[t][position] = static_cast<ObjectId>(i);
      place_[t][i] = position;
    }
    block_of_[t].assign(classes, -1);
    const std::span<const ObjectId> order = order_[t];
    for (std::size_t c = 0; c < classes; ++c) {
      const ClassBlock block{static_cast<std::uint32_t>(t), total_, order.subspan(start[c], start[c + 1] - start[c]),
                             order.first(start[c]), order.subspan(start[c + 1])};
      if (block.members.size() < 2 || block.far_count() == 0) continue;
      block_of_[t][c] = static_cast<std::int32_t>(blocks_.size());
      blocks_.push_back(block);
      total_ += block.size();
    }
  }
  index_blocks();
}

void AttributeTable::index_blocks() {
  constexpr unsigned kBuckets = 12;  // 2^12 places at most: a table that stays in the nearest cache
  for (const ClassBlock& block : blocks_)
    radix_.push_back({block.first, static_cast<std::uint32_t>(block.members.size() - 1),
                      static_cast<std::uint32_t>(block.far_count()), static_cast<std::uint32_t>(block.before.size()),
                      static_cast<std::uint32_t>(block.members.size()), block.aspect, block.before.data()});
  radix_.push_back({.first = total_});
  const auto bits = static_cast<unsigned>(std::bit_width(total_));
  block_shift_ = bits > kBuckets ? bits - kBuckets : 0;
  std::uint32_t b = 0;
  for (std::uint64_t index = 0; index < total_; index += std::uint64_t{1} << block_shift_) {
    while (radix_[b + 1].first <= index) ++b;
    block_at_.push_back(b);
  }
}

Triplet AttributeTable::at(std::uint64_t index) const {
  const Radix* block = radix_.data() + block_at_[static_cast<std::size_t>(index >> block_shift_)];
  while (block[1].first <= index) ++block;
  const std::uint64_t within = index - block->first;
  std::uint32_t a = 0, b = 0, far = 0;
  if (within >> 32 == 0) {  // divisions of 32 bits take a fraction of the time
    const auto small = static_cast<std::uint32_t>(within);
    const std::uint32_t pair = small / block->fars;
    far = small % block->fars;
    a = pair / block->partners;
    b = pair % block->partners;
  } else {
    const std::uint64_t pair = within / block->fars;
    far = static_cast<std::uint32_t>(within % block->fars);
    a = static_cast<std::uint32_t>(pair / block->partners);
    b = static_cast<std::uint32_t>(pair % block->partners);
  }
  if (b >= a) ++b;
  if (far >= block->before) far += block->members;
  const ObjectId* members = block->order + block->before;
  return {members[a], members[b], block->order[far], block->aspect, 1.0};
}

std::uint64_t AttributeTable::index_of(const Triplet& triplet) const {
  const std::size_t t = triplet.aspect;
  const auto code = static_cast<std::size_t>(aspects_[t].codes[triplet.anchor]);
  const ClassBlock& block = blocks_[static_cast<std::size_t>(block_of_[t][code])];
  const std::uint64_t base = block.before.size();
  const std::uint64_t a = place_[t][triplet.anchor] - base;
  std::uint64_t b = place_[t][triplet.near] - base;
  if (b > a) --b;
  std::uint64_t far = place_[t][triplet.far];
  if (far >= base) far -= block.members.size();
  return block.first + (a * (block.members.size() - 1) + b) * block.far_count() + far;
}

std::uint64_t AttributeTable::aspect_size(Index aspect) const {
  std::uint64_t sum = 0;
  for (const ClassBlock& block : blocks_)
    if (static_cast<Index>(block.aspect) == aspect) sum += block.size();
  return sum;
}

// ---- views -----------------------------------------------------------------------------------------

TripletView::TripletView(std::shared_ptr<const TripletSource> base, std::uint64_t key, std::uint64_t first,
                         std::uint64_t count)
    : base_(std::move(base)), permutation_(base_->size(), key), first_(first), count_(count) {
  constexpr std::uint64_t kMostCopied = 4'000'000;  // 12 bytes each, 24 with weights
  if (base_->stored() && count_ <= kMostCopied)
    copy_ = std::make_shared<const TripletList>(TripletList::copy_of(*this));
}

std::uint64_t TripletView::base_index(std::uint64_t index) const {
  const std::uint64_t position = first_ + index;
  return permutation_(position < permutation_.size() ? position : position - permutation_.size());
}

ReversedTriplets::ReversedTriplets(std::shared_ptr<const TripletSource> base, double rate, std::uint64_t key)
    : base_(std::move(base)), rate_(rate), key_(key) {
  require<ConfigError>(rate >= 0 && rate <= 1, "The rate of reversed triplets must be in [0, 1], not {}.", rate);
}

bool ReversedTriplets::reversed(std::uint64_t index) const {
  return static_cast<double>(Rng::derive(key_, index) >> 11) * 0x1.0p-53 < rate_;
}

Triplet ReversedTriplets::at(std::uint64_t index) const {
  Triplet out = base_->at(index);
  if (reversed(index)) std::swap(out.near, out.far);
  return out;
}

namespace {

/// The triplets of a source by tag, tags in random order; splits by whole tags cut this order.
struct TagOrder {
  std::vector<std::uint64_t> indices;  // of the source; within a tag in its order
  std::vector<std::uint64_t> ends;     // one past the last position of each tag that occurs
};

TagOrder order_by_tag(const TripletSource& all, const std::vector<std::uint32_t>& tags, std::uint64_t key) {
  std::uint64_t tag_count = 0;
  std::vector<std::uint32_t> tag(static_cast<std::size_t>(all.size()));
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    const std::uint64_t origin = all.origin_index(i);
    require<DataError>(origin < tags.size(), "Triplet {} has no tag. There are {} tags.", origin + 1, tags.size());
    tag[i] = tags[origin];
    tag_count = std::max(tag_count, std::uint64_t{tag[i]} + 1);
  }
  std::vector<std::uint64_t> next(tag_count, 0);
  for (const std::uint32_t t : tag) ++next[t];
  TagOrder out;
  const Permutation permutation(tag_count, key);
  std::uint64_t end = 0;
  for (std::uint64_t p = 0; p < tag_count; ++p) {
    const std::uint64_t t = permutation(p), count = next[t];
    next[t] = end;
    end += count;
    if (count > 0) out.ends.push_back(end);
  }
  out.indices.resize(tag.size());
  for (std::size_t i = 0; i < tag.size(); ++i) out.indices[next[tag[i]]++] = i;
  return out;
}

/// Holds out positions [begin, end) of the order.
TripletSplit split_at(const std::shared_ptr<const TripletSource>& all, const TagOrder& order, std::uint64_t begin,
                      std::uint64_t end) {
  const auto at = [&](std::uint64_t position) { return order.indices.begin() + static_cast<std::ptrdiff_t>(position); };
  std::vector<std::uint64_t> train(order.indices.begin(), at(begin));
  train.insert(train.end(), at(end), order.indices.end());
  return {std::make_shared<TripletSelection>(all, std::move(train)),
          std::make_shared<TripletSelection>(all, std::vector<std::uint64_t>(at(begin), at(end)))};
}

}  // namespace

std::uint64_t tag_count(const TripletSource& source, const TripletTags& tags) {
  if (!tags) return source.size();
  std::vector<bool> seen;
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    const std::uint32_t tag = tags->at(static_cast<std::size_t>(source.origin_index(i)));
    if (tag >= seen.size()) seen.resize(std::size_t{tag} + 1, false);
    if (!seen[tag]) ++count;
    seen[tag] = true;
  }
  return count;
}

TripletSplit hold_out(const std::shared_ptr<const TripletSource>& all, double fraction, std::uint64_t key,
                      const TripletTags& together) {
  require<ConfigError>(fraction >= 0 && fraction < 1, "The held-out fraction must be in [0, 1), not {}.", fraction);
  const std::uint64_t size = all->size();
  const auto held = static_cast<std::uint64_t>(std::llround(fraction * static_cast<double>(size)));
  if (held == 0) return {all, nullptr};
  require<DataError>(held < size, "Holding out {} of {} triplets leaves none to learn from. Hold out fewer.", held,
                     size);
  if (together) {
    const TagOrder order = order_by_tag(*all, *together, key);
    std::uint64_t end = order.ends.front();
    for (const std::uint64_t next : order.ends) {
      // Is `next` farther from `held` than `end` is?
      if (next > held && next - held > held - std::min(end, held)) break;
      end = next;
    }
    require<DataError>(end < size,
                       "Holding out {} of {} triplets in whole answers, or annotators, leaves none to learn "
                       "from. Hold out fewer.",
                       held, size);
    return split_at(all, order, 0, end);
  }
  return {std::make_shared<TripletView>(all, key, held, size - held), std::make_shared<TripletView>(all, key, 0, held)};
}

TripletSplit hold_out_fold(const std::shared_ptr<const TripletSource>& all, Index fold, Index folds, std::uint64_t key,
                           const TripletTags& together) {
  const std::uint64_t size = all->size();
  require<ConfigError>(folds >= 2 && fold >= 0 && fold < folds,
                       "Fold {} of {} does not exist. Give folds >= 2 and 0 <= fold < folds.", fold, folds);
  require<DataError>(static_cast<std::uint64_t>(folds) <= size,
                     "{} triplets cannot be divided into {} folds. Give fewer folds.", size, folds);
  const auto edge = [&](Index f) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(size) * static_cast<std::uint64_t>(f) /
                                      static_cast<std::uint64_t>(folds));
  };
  if (together) {
    const TagOrder order = order_by_tag(*all, *together, key);
    const std::size_t tags = order.ends.size(), count = subscript(folds);
    require<DataError>(tags >= count,
                       "{} triplets of {} answers, or annotators, cannot be divided into {} folds of whole "
                       "ones. Give fewer folds.",
                       size, tags, folds);
    // A tag belongs to the fold that contains its middle.
    std::vector<std::uint64_t> ends;  // of the folds
    std::uint64_t end = 0;
    for (const std::uint64_t next : order.ends) {
      while ((end + next) / 2 >= edge(static_cast<Index>(ends.size()) + 1)) ends.push_back(end);
      end = next;
    }
    ends.push_back(size);
    if (ends.size() != count || ends.front() == 0 || std::ranges::adjacent_find(ends) != ends.end()) {
      ends.clear();  // a few tags have most of the triplets: then each fold has as many of them
      for (std::size_t f = 1; f <= count; ++f) ends.push_back(order.ends[tags * f / count - 1]);
    }
    const std::size_t f = subscript(fold);
    const std::uint64_t begin = f == 0 ? 0 : ends[f - 1];
    end = ends[f];
    return split_at(all, order, begin, end);
  }
  const std::uint64_t begin = edge(fold), count = edge(fold + 1) - begin;
  return {std::make_shared<TripletView>(all, key, (begin + count) % size, size - count),
          std::make_shared<TripletView>(all, key, begin, count)};
}

// ---- Observations ----------------------------------------------------------------------------------

std::string_view to_string(ObservationKind kind) {
  switch (kind) {
    case ObservationKind::triplets: return "triplets";
    case ObservationKind::attributes: return "attributes";
    case ObservationKind::features: return "features";
    case ObservationKind::labels: return "labels";
    case ObservationKind::truth: return "truth";
    case ObservationKind::dissimilarities: return "dissimilarities";
    case ObservationKind::pair_signs: return "pair_signs";
    case ObservationKind::distances: return "features or dissimilarities";
    case ObservationKind::annotators: return "annotators";
  }
  return "";
}

bool Observations::offers(ObservationKind kind) const {
  switch (kind) {
    case ObservationKind::triplets: return triplets && triplets->size() > 0;
    case ObservationKind::attributes: return attributes != nullptr;
    case ObservationKind::features: return features != nullptr;
    case ObservationKind::labels: return !labels.empty();
    case ObservationKind::truth: return truth.size() > 0;
    case ObservationKind::dissimilarities: return !dissimilarities.empty();
    case ObservationKind::pair_signs: return pair_signs != nullptr;
    case ObservationKind::distances: return features != nullptr || dissimilarities.size() == 1;
    case ObservationKind::annotators: return offers(ObservationKind::triplets) && annotator && !annotators.empty();
  }
  return false;
}

std::vector<std::string> Observations::kinds() const {
  std::vector<std::string> out;
  for (const auto kind :
       {ObservationKind::triplets, ObservationKind::attributes, ObservationKind::features, ObservationKind::labels,
        ObservationKind::truth, ObservationKind::dissimilarities, ObservationKind::pair_signs})
    if (offers(kind)) out.emplace_back(to_string(kind));
  return out;
}

void require_offered(bool offered, const Observations& observations, std::string_view problem, std::string_view wanted,
                     std::string_view advice) {
  const std::vector<std::string> kinds = observations.kinds();
  require<DataError>(offered, "{} needs {}, but '{}' offers {}. {}", problem, wanted, observations.name,
                     kinds.empty() ? "nothing" : join(kinds, ", "), advice);
}

void require_triplets(const Observations& observations, std::string_view problem) {
  const Index n = observations.object_count();
  require_offered(observations.offers(ObservationKind::triplets), observations, problem, "triplets");
  require<DataError>(n >= 3, "A map from triplets needs at least 3 objects, but '{}' has {}. Add objects.",
                     observations.name, n);
  require<DataError>(observations.triplets->object_count() == n, "'{}' has {} objects, but its triplets are about {}.",
                     observations.name, n, observations.triplets->object_count());
}

}  // namespace alidade
