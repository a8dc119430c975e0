// Evidence about n objects: triplets, attributes, labels, names, and the ground truth of synthetic data.
// Shared and immutable; splits are views, so 47 million held-out triplets cost no memory.
// Convention: a Triplet's anchor is nearer to `near` than to `far`. Papers disagree on which letter is the
// anchor ([LL19] puts it in the middle, [AV16] first), so members are named, not positional.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "problems/core/random.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/feature_frame.hpp"
#include "problems/evidence/pair_signs.hpp"

namespace alidade {

struct Triplet {
  ObjectId anchor = 0;
  ObjectId near = 0;
  ObjectId far = 0;
  std::uint32_t aspect = 0;
  double weight = 1;  // >= 0, finite
  friend bool operator==(const Triplet&, const Triplet&) = default;
};

/// A finite sequence of triplets that need not be stored.
class TripletSource {
 public:
  virtual ~TripletSource() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Number of objects the ids refer to.
  [[nodiscard]] virtual Index object_count() const = 0;
  [[nodiscard]] virtual Index aspect_count() const = 0;
  /// Whether any weight may differ from 1.
  [[nodiscard]] virtual bool weighted() const = 0;
  /// Whether reading one triplet is a memory access (true) or a computation (false).
  [[nodiscard]] virtual bool stored() const = 0;
  [[nodiscard]] virtual Triplet at(std::uint64_t index) const = 0;
  /// The triplet's index in the original source, through any nesting of views; `index` itself if this is not a
  /// view.
  [[nodiscard]] virtual std::uint64_t origin_index(std::uint64_t index) const { return index; }
  /// Fills `out`, which is as long, with the triplets of these indices. Where they are scattered in memory, many times
  /// as fast as one `at` after another.
  virtual void gather(std::span<const std::uint64_t> indices, std::span<Triplet> out) const;
  /// Fills `out` with the triplets [begin, begin + out.size()).
  void read(std::uint64_t begin, std::span<Triplet> out) const;
  /// Calls `use(index, triplet)` for all, in order.
  template <class Use>
  void each(const Use& use) const {
    std::array<Triplet, kBlock> block;
    for (std::uint64_t begin = 0; begin < size(); begin += kBlock) {
      const auto part =
          std::span(block).first(static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, size() - begin)));
      read(begin, part);
      for (std::size_t i = 0; i < part.size(); ++i) use(begin + i, part[i]);
    }
  }

 protected:
  static constexpr std::size_t kBlock = 256;
  /// For views: gathers the triplets `to_base(index)` of another source.
  template <class ToBase>
  static void gather_from(const TripletSource& base, std::span<const std::uint64_t> indices, std::span<Triplet> out,
                          const ToBase& to_base) {
    std::array<std::uint64_t, kBlock> block;
    for (std::size_t begin = 0; begin < indices.size(); begin += kBlock) {
      const std::span part = indices.subspan(begin, std::min(kBlock, indices.size() - begin));
      std::ranges::transform(part, block.begin(), to_base);
      base.gather(std::span(block).first(part.size()), out.subspan(begin, part.size()));
    }
  }
};

/// Stored triplets, 12 bytes each plus 4 for aspects and 8 for weights where there are any.
class TripletList final : public TripletSource {
 public:
  explicit TripletList(Index object_count) : object_count_(object_count) {}
  void reserve(std::size_t count);
  /// @throws DataError if an id is >= object_count, two of anchor, near and far are equal, or the weight
  /// is negative or not finite.
  void add(const Triplet& triplet);
  /// A list of all triplets of another source.
  [[nodiscard]] static TripletList copy_of(const TripletSource& source);

  [[nodiscard]] std::uint64_t size() const override { return anchor_.size(); }
  [[nodiscard]] Index object_count() const override { return object_count_; }
  [[nodiscard]] Index aspect_count() const override { return aspect_count_; }
  [[nodiscard]] bool weighted() const override { return !weight_.empty(); }
  [[nodiscard]] bool stored() const override { return true; }
  [[nodiscard]] Triplet at(std::uint64_t index) const override {
    const auto i = static_cast<std::size_t>(index);
    return {anchor_[i], near_[i], far_[i], aspect_.empty() ? 0 : aspect_[i], weight_.empty() ? 1.0 : weight_[i]};
  }
  void gather(std::span<const std::uint64_t> indices, std::span<Triplet> out) const override;
  [[nodiscard]] std::span<const ObjectId> anchors() const { return anchor_; }
  [[nodiscard]] std::span<const ObjectId> nears() const { return near_; }
  [[nodiscard]] std::span<const ObjectId> fars() const { return far_; }
  /// Empty when all are 1.
  [[nodiscard]] std::span<const double> weights() const { return weight_; }

 private:
  Index object_count_;
  Index aspect_count_ = 1;
  std::vector<ObjectId> anchor_, near_, far_;
  std::vector<std::uint32_t> aspect_;  // empty: all 0
  std::vector<double> weight_;         // empty: all 1
};

/// Objects x categorical attributes. Each attribute is an aspect and induces every triplet in which anchor
/// and near share its value and far has another ([LL19] section 3, ordered pairs). Only the codes are stored;
/// mixed radix finds triplet u, and the index of a triplet, in about 5 ns.
class AttributeTable final : public TripletSource {
 public:
  static constexpr std::int32_t kMissing = -1;
  struct Aspect {
    std::string name;
    std::vector<std::int32_t> codes;  // one per object, kMissing or an index into values
    std::vector<std::string> values;
  };
  /// @throws DataError unless every aspect has one code per object.
  AttributeTable(Index object_count, std::vector<Aspect> aspects);

  [[nodiscard]] const std::vector<Aspect>& aspects() const { return aspects_; }
  [[nodiscard]] std::uint64_t size() const override { return total_; }
  [[nodiscard]] Index object_count() const override { return object_count_; }
  [[nodiscard]] Index aspect_count() const override { return static_cast<Index>(aspects_.size()); }
  [[nodiscard]] bool weighted() const override { return false; }
  [[nodiscard]] bool stored() const override { return false; }
  [[nodiscard]] Triplet at(std::uint64_t index) const override;
  /// The inverse of `at`. @pre the triplet is one of the table's.
  [[nodiscard]] std::uint64_t index_of(const Triplet& triplet) const;
  [[nodiscard]] std::uint64_t aspect_size(Index aspect) const;

  /// The triplets of one aspect and class: every ordered (anchor, near) pair of `members` with each of
  /// the other objects. Index of (a, b, f) = first + (a * (m - 1) + b') * far_count + f', where b' skips a.
  struct ClassBlock {
    std::uint32_t aspect;
    std::uint64_t first;                // index of its first triplet
    std::span<const ObjectId> members;  // m of them
    std::span<const ObjectId> before;   // the other objects: those ordered before the class ...
    std::span<const ObjectId> after;    // ... and after it, in this order
    [[nodiscard]] std::size_t far_count() const { return before.size() + after.size(); }
    /// All objects that the aspect observes, by class: before, members and after are contiguous.
    [[nodiscard]] std::span<const ObjectId> order() const {
      return {before.data(), before.size() + members.size() + after.size()};
    }
    [[nodiscard]] std::uint64_t size() const { return members.size() * (members.size() - 1) * far_count(); }
  };
  /// Classes without a triplet are left out.
  [[nodiscard]] const std::vector<ClassBlock>& class_blocks() const { return blocks_; }

  AttributeTable(const AttributeTable&) = delete;  // blocks_ refers to order_
  AttributeTable& operator=(const AttributeTable&) = delete;

 private:
  void index_blocks();

  Index object_count_;
  std::vector<Aspect> aspects_;
  std::vector<std::vector<ObjectId>> order_;       // per aspect: observed objects by class
  std::vector<std::vector<std::uint32_t>> place_;  // per aspect and object: position in order_
  std::vector<ClassBlock> blocks_;
  /// The part of a block that `at` reads.
  struct Radix {
    std::uint64_t first = 0;
    std::uint32_t partners = 0, fars = 0, before = 0, members = 0;
    std::uint32_t aspect = 0;
    const ObjectId* order = nullptr;
  };
  std::vector<Radix> radix_;             // one per block, then one that begins at total_
  std::vector<std::uint32_t> block_at_;  // block of index b << block_shift_
  unsigned block_shift_ = 0;
  std::vector<std::vector<std::int32_t>> block_of_;  // per aspect and class: index in blocks_, or -1
  std::uint64_t total_ = 0;
};

/// A circular range of a keyed permutation of another source; splits are made of these. Of stored triplets, up to four
/// million, it has a copy in its own order, so that reading one after another is as fast as it can be.
class TripletView final : public TripletSource {
 public:
  /// Positions first, first+1, ..., first+count-1 (modulo base size) of the permutation.
  TripletView(std::shared_ptr<const TripletSource> base, std::uint64_t key, std::uint64_t first, std::uint64_t count);

  [[nodiscard]] std::uint64_t size() const override { return count_; }
  [[nodiscard]] Index object_count() const override { return base_->object_count(); }
  [[nodiscard]] Index aspect_count() const override { return base_->aspect_count(); }
  [[nodiscard]] bool weighted() const override { return base_->weighted(); }
  [[nodiscard]] bool stored() const override { return base_->stored(); }
  [[nodiscard]] Triplet at(std::uint64_t index) const override {
    return copy_ ? copy_->at(index) : base_->at(base_index(index));
  }
  void gather(std::span<const std::uint64_t> indices, std::span<Triplet> out) const override {
    if (copy_) return copy_->gather(indices, out);
    gather_from(*base_, indices, out, [this](std::uint64_t index) { return base_index(index); });
  }
  [[nodiscard]] const std::shared_ptr<const TripletSource>& base() const { return base_; }
  /// Index in the base of triplet `index` of the view.
  [[nodiscard]] std::uint64_t base_index(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t origin_index(std::uint64_t index) const override {
    return base_->origin_index(base_index(index));
  }

 private:
  std::shared_ptr<const TripletSource> base_;
  Permutation permutation_;
  std::uint64_t first_, count_;
  std::shared_ptr<const TripletList> copy_;  // or null
};

/// Listed triplets of another source, in the order listed, repeats allowed. 8 bytes each.
class TripletSelection final : public TripletSource {
 public:
  /// @pre every index < base->size().
  TripletSelection(std::shared_ptr<const TripletSource> base, std::vector<std::uint64_t> indices)
      : base_(std::move(base)), indices_(std::move(indices)) {}

  [[nodiscard]] std::uint64_t size() const override { return indices_.size(); }
  [[nodiscard]] Index object_count() const override { return base_->object_count(); }
  [[nodiscard]] Index aspect_count() const override { return base_->aspect_count(); }
  [[nodiscard]] bool weighted() const override { return base_->weighted(); }
  [[nodiscard]] bool stored() const override { return base_->stored(); }
  [[nodiscard]] Triplet at(std::uint64_t index) const override {
    return base_->at(indices_[static_cast<std::size_t>(index)]);
  }
  void gather(std::span<const std::uint64_t> indices, std::span<Triplet> out) const override {
    gather_from(*base_, indices, out, [this](std::uint64_t i) { return indices_[static_cast<std::size_t>(i)]; });
  }
  [[nodiscard]] std::uint64_t origin_index(std::uint64_t index) const override {
    return base_->origin_index(indices_[static_cast<std::size_t>(index)]);
  }

 private:
  std::shared_ptr<const TripletSource> base_;
  std::vector<std::uint64_t> indices_;
};

/// Another source with near and far swapped in some triplets: wrong answers, for noise experiments. Whether triplet i
/// is reversed depends on the key and i alone; a triplet reversed at one rate is reversed at every larger rate.
class ReversedTriplets final : public TripletSource {
 public:
  /// @throws ConfigError unless 0 <= rate <= 1.
  ReversedTriplets(std::shared_ptr<const TripletSource> base, double rate, std::uint64_t key);

  [[nodiscard]] std::uint64_t size() const override { return base_->size(); }
  [[nodiscard]] Index object_count() const override { return base_->object_count(); }
  [[nodiscard]] Index aspect_count() const override { return base_->aspect_count(); }
  [[nodiscard]] bool weighted() const override { return base_->weighted(); }
  [[nodiscard]] bool stored() const override { return base_->stored(); }
  [[nodiscard]] Triplet at(std::uint64_t index) const override;
  [[nodiscard]] bool reversed(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t origin_index(std::uint64_t index) const override { return base_->origin_index(index); }

 private:
  std::shared_ptr<const TripletSource> base_;
  double rate_;
  std::uint64_t key_;
};

struct TripletSplit {
  std::shared_ptr<const TripletSource> train;
  std::shared_ptr<const TripletSource> heldout;  // null when nothing is held out
};
/// A number per triplet of a stored list; triplets with the same number belong together (implied by one answer, or
/// given by one person). The tag of a source's triplet i is tags[source.origin_index(i)]. Null: none belong together.
using TripletTags = std::shared_ptr<const std::vector<std::uint32_t>>;

/// Number of distinct tags; the number of triplets if there are no tags. O(triplets).
[[nodiscard]] std::uint64_t tag_count(const TripletSource& source, const TripletTags& tags);

/// Holds out round(fraction * size) triplets at random. With `together`, triplets of one tag stay on one side: whole
/// tags are held out in random order, at least one, until the number of triplets is as near to that as possible.
/// @throws ConfigError unless 0 <= fraction < 1; DataError if no training triplet is left.
[[nodiscard]] TripletSplit hold_out(const std::shared_ptr<const TripletSource>& all, double fraction, std::uint64_t key,
                                    const TripletTags& together = nullptr);
/// Holds out fold `fold` of `folds`. The folds of one key partition the triplets; sizes differ by at most one. With
/// `together`, triplets of one tag are in one fold; sizes differ by less than twice the count of the most frequent tag.
/// @throws ConfigError, DataError on impossible folds.
[[nodiscard]] TripletSplit hold_out_fold(const std::shared_ptr<const TripletSource>& all, Index fold, Index folds,
                                         std::uint64_t key, const TripletTags& together = nullptr);

/// What the observed fraction refers to: an aspect's objects, or the objects of each of its values.
enum class HideUnit { object, value };

/// How far apart objects are in one aspect.
struct Dissimilarities {
  std::string name;  // of the aspect; "" for the only one
  Matrix values;     // n x n, symmetric, >= 0
  Matrix weights;    // n x n, symmetric, >= 0, 0 where unknown; 0 x 0: all 1
};

enum class ObservationKind {
  triplets,
  attributes,
  features,
  labels,
  truth,
  dissimilarities,
  pair_signs,
  distances,  // features, or dissimilarities in one aspect; either gives distances of objects
  annotators  // who gave each triplet; of the triplets, not a kind of its own in kinds()
};
[[nodiscard]] std::string_view to_string(ObservationKind kind);

struct PairJudgements;

/// The evidence of one dataset.
struct Observations {
  std::string name;
  std::vector<std::string> objects;  // names; not necessarily unique
  std::vector<std::string> aspects;  // names of aspects, one per aspect of the triplets, may be empty
  std::vector<std::string> labels;   // empty, or one per object ("" unknown)
  Matrix truth;                      // n x d, or 0 x 0
  std::shared_ptr<const TripletSource> triplets;
  /// The answer that implied each triplet, if answers imply several. Such triplets are not independent evidence and
  /// stay together when training and test sets are split. A source that is not a view of these triplets needs its own
  /// tags.
  TripletTags answer;
  /// The last so many triplets are a test set of its own file, which no fit may use.
  std::uint64_t test_triplets = 0;
  TripletTags annotator;  // who gave each triplet: an index into annotators
  std::vector<std::string> annotators;
  std::vector<double> response_times;  // median of each annotator, in the data's unit; NaN unknown, or empty
  std::vector<bool> one_sided;         // who nearly always chooses one side; empty if nobody, or if sides are unknown
  std::shared_ptr<const AttributeTable> attributes;
  std::shared_ptr<const FeatureMatrix> features;  // one row an object, finite
  /// The features in double, in the same frame, if float would merge or blur objects (feature_digits.hpp); else null.
  std::shared_ptr<const Matrix> precise_features;
  std::vector<Dissimilarities> dissimilarities;      // one an aspect
  std::shared_ptr<const PairJudgements> judgements;  // by the annotators, whose means the dissimilarities are; or null
  std::shared_ptr<const PairSigns> pair_signs;       // of these objects
  bool signs_of_triplets = false;                    // whether pair_signs are derived from the triplets
  FeatureFrame frame;                                // of the features
  double dissimilarity_unit = 1;                     // factor that converts dissimilarities to units of the data
  double weight_unit = 0;  // problems divide the triplets' weights by it; 0: by their typical_weight()
  std::vector<std::string> notes;    // remarks of the reader of the data
  std::vector<std::string> guesses;  // those of the notes that say how data were read that might mean otherwise

  [[nodiscard]] Index object_count() const { return static_cast<Index>(objects.size()); }
  [[nodiscard]] bool offers(ObservationKind kind) const;
  [[nodiscard]] std::vector<std::string> kinds() const;
};

/// Requires evidence of what a problem needs, in words. @throws DataError with what there is, and `advice`
void require_offered(bool offered, const Observations& observations, std::string_view problem, std::string_view wanted,
                     std::string_view advice = "Choose another problem or data set.");

/// What every problem of maps from triplets requires of its evidence; `problem` names the problem in messages.
/// @throws DataError without triplets, with fewer than 3 objects, or if the triplets refer to another number of
/// objects.
void require_triplets(const Observations& observations, std::string_view problem);

}  // namespace alidade
