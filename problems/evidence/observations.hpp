// Evidence about n objects: triplets, attributes, labels, names, and the truth where data are synthetic.
// Shared and immutable; splits are views, so 47 million held-out triplets cost no memory.
// Convention: a Triplet's anchor is nearer to `near` than to `far`. Papers disagree on which letter is the
// anchor ([LL19] puts it in the middle, [AV16] first), so nothing here is positional.
#pragma once

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
  /// Where a triplet stands in the source that views, however nested, are made of; its own index where this is no
  /// view.
  [[nodiscard]] virtual std::uint64_t origin_index(std::uint64_t index) const { return index; }
  /// Fills `out` with the triplets [begin, begin + out.size()).
  virtual void read(std::uint64_t begin, std::span<Triplet> out) const;
};

/// Stored triplets, 12 bytes each plus 4 for aspects and 8 for weights where there are any.
class TripletList final : public TripletSource {
 public:
  explicit TripletList(Index object_count) : object_count_(object_count) {}
  void reserve(std::size_t count);
  /// @throws DataError on ids >= object_count, anchor, near and far not all different, or a weight that
  /// is negative or not finite.
  void add(const Triplet& triplet);
  /// All that another source holds.
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
/// and near share its value and far has another ([LL19] section 3, ordered pairs). Nothing is stored but
/// the codes: triplet u is found by mixed radix, in some 5 ns, and back.
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

  /// The triplets of one aspect and class: every ordered (anchor, near) pair of `members` with every one
  /// of the others. Index of (a, b, f) = first + (a * (m - 1) + b') * far_count + f', where b' skips a.
  struct ClassBlock {
    std::uint32_t aspect;
    std::uint64_t first;                // index of its first triplet
    std::span<const ObjectId> members;  // m of them
    std::span<const ObjectId> before;   // the others: those ordered before the class ...
    std::span<const ObjectId> after;    // ... and after it, in this order
    [[nodiscard]] std::size_t far_count() const { return before.size() + after.size(); }
    /// All objects of which the aspect says something, by class: before, members and after lie in one row.
    [[nodiscard]] std::span<const ObjectId> order() const {
      return {before.data(), before.size() + members.size() + after.size()};
    }
    [[nodiscard]] std::uint64_t size() const { return members.size() * (members.size() - 1) * far_count(); }
  };
  /// Classes without a triplet are left out.
  [[nodiscard]] const std::vector<ClassBlock>& class_blocks() const { return blocks_; }

  AttributeTable(const AttributeTable&) = delete;  // blocks_ looks into order_
  AttributeTable& operator=(const AttributeTable&) = delete;

 private:
  void index_blocks();

  Index object_count_;
  std::vector<Aspect> aspects_;
  std::vector<std::vector<ObjectId>> order_;       // per aspect: observed objects by class
  std::vector<std::vector<std::uint32_t>> place_;  // per aspect and object: position in order_
  std::vector<ClassBlock> blocks_;
  /// What `at` reads of a block.
  struct Radix {
    std::uint64_t first = 0;
    std::uint32_t partners = 0, fars = 0, before = 0, members = 0;
    std::uint32_t aspect = 0;
    const ObjectId* order = nullptr;
  };
  std::vector<Radix> radix_;             // one a block, then one that begins at total_
  std::vector<std::uint32_t> block_at_;  // block of index b << block_shift_
  unsigned block_shift_ = 0;
  std::vector<std::vector<std::int32_t>> block_of_;  // per aspect and class: index in blocks_, or -1
  std::uint64_t total_ = 0;
};

/// A circular range of a keyed permutation of another source: how splits are made.
class TripletView final : public TripletSource {
 public:
  /// Positions first, first+1, ..., first+count-1 (modulo base size) of the permutation.
  TripletView(std::shared_ptr<const TripletSource> base, std::uint64_t key, std::uint64_t first, std::uint64_t count);

  [[nodiscard]] std::uint64_t size() const override { return count_; }
  [[nodiscard]] Index object_count() const override { return base_->object_count(); }
  [[nodiscard]] Index aspect_count() const override { return base_->aspect_count(); }
  [[nodiscard]] bool weighted() const override { return base_->weighted(); }
  [[nodiscard]] bool stored() const override { return base_->stored(); }
  [[nodiscard]] Triplet at(std::uint64_t index) const override;
  [[nodiscard]] const std::shared_ptr<const TripletSource>& base() const { return base_; }
  /// Index in the base of the view's triplet `index`.
  [[nodiscard]] std::uint64_t base_index(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t origin_index(std::uint64_t index) const override {
    return base_->origin_index(base_index(index));
  }

 private:
  std::shared_ptr<const TripletSource> base_;
  Permutation permutation_;
  std::uint64_t first_, count_;
};

/// Listed triplets of another source, in the order listed; one may be listed several times. 8 bytes each.
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
  [[nodiscard]] std::uint64_t origin_index(std::uint64_t index) const override {
    return base_->origin_index(indices_[static_cast<std::size_t>(index)]);
  }

 private:
  std::shared_ptr<const TripletSource> base_;
  std::vector<std::uint64_t> indices_;
};

/// Another source with near and far swapped in some triplets: answers given wrongly, as in noise experiments.
/// Whether triplet i is reversed depends on the key and i alone; one reversed at a rate is so at every larger one.
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
/// A number for every triplet of a stored list, by which some belong together: the answer that implied it, the
/// person who gave it. Triplet i of a source has tags[source.origin_index(i)]. Null: no two belong together.
using TripletTags = std::shared_ptr<const std::vector<std::uint32_t>>;

/// How many tags occur; the number of triplets where there are none. O(triplets).
[[nodiscard]] std::uint64_t tag_count(const TripletSource& source, const TripletTags& tags);

/// Holds out round(fraction * size) triplets at random. With `together`, triplets of one tag stay on one side: tags
/// in random order until the number held out is as near to that as whole tags come; one at least.
/// @throws ConfigError unless 0 <= fraction < 1; DataError if nothing is left to learn from.
[[nodiscard]] TripletSplit hold_out(const std::shared_ptr<const TripletSource>& all, double fraction, std::uint64_t key,
                                    const TripletTags& together = nullptr);
/// Fold `fold` of `folds` held out; the folds of one key partition the triplets, sizes within one. With `together`,
/// triplets of one tag are in one fold, and sizes differ by less than twice the most frequent tag.
/// @throws ConfigError, DataError on folds that there can not be.
[[nodiscard]] TripletSplit hold_out_fold(const std::shared_ptr<const TripletSource>& all, Index fold, Index folds,
                                         std::uint64_t key, const TripletTags& together = nullptr);

/// What a fraction of is observed: of an aspect's objects, or of those of each of its values.
enum class HideUnit { object, value };

/// How far apart objects are in one aspect.
struct Dissimilarities {
  std::string name;  // of the aspect; "" for the only one
  Matrix values;     // n x n, symmetric, >= 0
  Matrix weights;    // n x n, symmetric, >= 0, 0 where nothing is known; 0 x 0: all 1
};

enum class ObservationKind {
  triplets,
  attributes,
  features,
  labels,
  truth,
  dissimilarities,
  pair_signs,
  distances  // features, or dissimilarities in one aspect: how far apart objects are
};
[[nodiscard]] std::string_view to_string(ObservationKind kind);

/// One dataset's evidence.
struct Observations {
  std::string name;
  std::vector<std::string> objects;  // names; not necessarily unique
  std::vector<std::string> aspects;  // names of aspects, one per aspect of the triplets, may be empty
  std::vector<std::string> labels;   // empty, or one per object ("" unknown)
  Matrix truth;                      // n x d, or 0 x 0
  std::shared_ptr<const TripletSource> triplets;
  /// The answer that implied each triplet, where answers imply several: neither independent evidence nor to be
  /// parted between training and test. A source that is no view of these triplets needs tags of its own.
  TripletTags answer;
  TripletTags annotator;  // who gave it: an index into annotators
  std::vector<std::string> annotators;
  std::shared_ptr<const AttributeTable> attributes;
  std::shared_ptr<const FeatureMatrix> features;  // one row an object, finite
  std::vector<Dissimilarities> dissimilarities;   // one an aspect
  std::shared_ptr<const PairSigns> pair_signs;    // of these objects
  bool signs_of_triplets = false;                 // whether those are what the triplets say
  FeatureFrame frame;                             // of the features
  double dissimilarity_unit = 1;                  // what dissimilarities are multiplied by to be those of the data
  std::vector<std::string> notes;                 // what reading them noticed

  [[nodiscard]] Index object_count() const { return static_cast<Index>(objects.size()); }
  [[nodiscard]] bool offers(ObservationKind kind) const;
  [[nodiscard]] std::vector<std::string> kinds() const;
};

/// What every problem of maps from triplets asks of its evidence; `problem` is who asks.
/// @throws DataError without triplets, with fewer than 3 objects, or if the triplets are about another number of them.
void require_triplets(const Observations& observations, std::string_view problem);

}  // namespace alidade
