#include "experiments/datasets/feature_triplets.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "experiments/datasets/feature_distances.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"

namespace alidade::datasets {
namespace {

struct Answer {
  ObjectId near = 0, far = 0;
};

/// An object's number below its distance, so that keys are ordered by distance, equal ones by index: floats that are
/// not negative are ordered as their bits are.
using Key = std::uint64_t;
Key key_of(float squared_distance, std::size_t object) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(squared_distance)} << 32 | object;
}
ObjectId object_of(Key key) { return static_cast<ObjectId>(key & 0xffffffffU); }

/// The others as seen from one anchor, ordered as far as the questions need it.
class Surroundings {
 public:
  Surroundings(const TripletQuestions& questions, Index object_count)
      : clamped_(questions.far == "clamped"),
        half_only_(questions.far == "far_half"),
        others_(static_cast<std::size_t>(object_count) - 1),
        nearest_(std::min(static_cast<std::size_t>(questions.neighbors), others_)) {}

  void look(std::span<const float> squared_distances, std::size_t anchor) {
    distances_ = squared_distances;
    anchor_ = anchor;
    keys_.clear();
    for (std::size_t j = 0; j < distances_.size(); ++j)
      if (j != anchor) keys_.push_back(key_of(distances_[j], j));
    const auto begin = keys_.begin(),
               cut = begin + static_cast<std::ptrdiff_t>(clamped_ ? others_ : nearest_);
    const auto half = begin + static_cast<std::ptrdiff_t>((others_ + 1) / 2);
    if (cut != keys_.end()) std::nth_element(begin, cut, keys_.end());
    std::sort(begin, cut);
    if (half_only_) {
      if (half > cut) std::nth_element(cut, half, keys_.end());
      half_ = half == keys_.end() ? 0 : *half;
    }
    // Those that are as far as the farthest have nobody beyond them.
    const Key farthest = key_of(*std::ranges::max_element(distances_), 0);
    candidates_ = static_cast<std::size_t>(
        std::lower_bound(begin, begin + static_cast<std::ptrdiff_t>(nearest_), farthest) - begin);
    require<DataError>(candidates_ > 0,
                       "All others are equally far from object {}, so no triplet has it as anchor.",
                       anchor + 1);
  }

  [[nodiscard]] Answer ask(Rng& rng) const {
    const auto near = static_cast<std::size_t>(rng.below(candidates_));
    const float to_near = distances_[object_of(keys_[near])];
    if (clamped_) {
      const auto farther = static_cast<std::size_t>(
          std::ranges::upper_bound(keys_, key_of(to_near, 0xffffffffU)) - keys_.begin());
      // Ranks count the anchor as 1, so the first of the others has rank 2.
      const std::size_t n = others_ + 1;
      const std::size_t rank =
          std::min(n, near + 2 + n / 2 + 1 + static_cast<std::size_t>(rng.below(n)));
      return {object_of(keys_[near]), object_of(keys_[std::max(rank - 2, farther)])};
    }
    for (;;) {  // ends: the farthest object will do
      const auto far = static_cast<std::size_t>(rng.below(distances_.size()));
      if (far == anchor_ || !(distances_[far] > to_near)) continue;
      if (half_only_ && key_of(distances_[far], far) < half_) continue;
      return {object_of(keys_[near]), static_cast<ObjectId>(far)};
    }
  }

 private:
  bool clamped_, half_only_;
  std::size_t others_, nearest_;
  std::size_t anchor_ = 0, candidates_ = 0;
  std::span<const float> distances_{};
  std::vector<Key> keys_{};  // the first nearest_ in order; all if clamped_
  Key half_ = 0;             // the first of the farther half
};

Answer ask_any(const FeatureMatrix& features, Index anchor, Rng& rng) {
  constexpr int kMostTies = 100'000;
  const auto n = static_cast<std::uint64_t>(features.rows()),
             a = static_cast<std::uint64_t>(anchor);
  const auto distance = [&](std::uint64_t j) {
    return squared_distance(features.row(anchor).data(), features.row(static_cast<Index>(j)).data(),
                            features.cols());
  };
  for (int draw = 0; draw < kMostTies; ++draw) {
    std::uint64_t first = rng.below(n - 1);
    if (first >= a) ++first;
    std::uint64_t second = rng.below(n - 2);
    if (second >= std::min(a, first)) ++second;
    if (second >= std::max(a, first)) ++second;
    const float to_first = distance(first), to_second = distance(second);
    if (to_first < to_second) return {static_cast<ObjectId>(first), static_cast<ObjectId>(second)};
    if (to_second < to_first) return {static_cast<ObjectId>(second), static_cast<ObjectId>(first)};
  }
  throw DataError(
      fmt::format("{} draws for object {} were ties: all others seem equally far from it.",
                  kMostTies, anchor + 1));
}

}  // namespace

OptionList<TripletQuestions> TripletQuestions::list() {
  OptionList<TripletQuestions> options;
  options
      .integer("triplets_per_object", &TripletQuestions::triplets_per_object, between(0, 1e6),
               "triplets made of the features, each object being the anchor of so many; 0: none")
      .integer("neighbors", &TripletQuestions::neighbors, between(1, 1e6),
               "near is one of so many nearest neighbours of the anchor")
      .text("far", &TripletQuestions::far, {"farther", "far_half", "clamped", "any"},
            "far is any object farther than near, one of the farther half, by the generator of "
            "ETE's authors "
            "(half of the triplets on the very farthest object), or near and far are any two "
            "objects");
  return options;
}

TripletList feature_triplets(const FeatureMatrix& features, const TripletQuestions& questions,
                             std::uint64_t key) {
  const Index n = features.rows();
  require<DataError>(n >= 3, "Triplets need at least 3 objects, not {}.", n);
  const auto count = static_cast<std::size_t>(n),
             rounds = static_cast<std::size_t>(questions.triplets_per_object);
  TripletList out(n);
  if (rounds == 0) return out;
  std::vector<Answer> answers(count * rounds);  // by round, then by anchor
  std::vector<Index> anchors(count);
  std::iota(anchors.begin(), anchors.end(), Index{0});
  if (questions.far == "any") {
    for (std::size_t a = 0; a < count; ++a) {
      Rng rng = Rng::stream(key, a);
      for (std::size_t r = 0; r < rounds; ++r)
        answers[r * count + a] = ask_any(features, anchors[a], rng);
    }
  } else {
    Surroundings surroundings(questions, n);
    for_each_distance_row(features, anchors,
                          [&](std::size_t a, std::span<const float> squared_distances) {
                            surroundings.look(squared_distances, a);
                            Rng rng = Rng::stream(key, a);
                            for (std::size_t r = 0; r < rounds; ++r)
                              answers[r * count + a] = surroundings.ask(rng);
                          });
  }
  out.reserve(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i)
    out.add({.anchor = static_cast<ObjectId>(i % count),
             .near = answers[i].near,
             .far = answers[i].far});
  return out;
}

}  // namespace alidade::datasets
