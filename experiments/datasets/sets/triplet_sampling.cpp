#include "experiments/datasets/sets/triplet_sampling.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/memory.hpp"
#include "problems/distances/distance_blocks.hpp"

namespace alidade::datasets {
namespace {

struct Answer {
  ObjectId near = 0, far = 0;
};

/// Two objects besides the anchor, uniform over ordered pairs: drawn among the remaining ones, skipping those taken.
Answer two_others(std::uint64_t anchor, std::uint64_t n, Rng& rng) {
  std::uint64_t first = rng.below(n - 1);
  if (first >= anchor) ++first;
  std::uint64_t second = rng.below(n - 2);
  if (second >= std::min(anchor, first)) ++second;
  if (second >= std::max(anchor, first)) ++second;
  return {static_cast<ObjectId>(first), static_cast<ObjectId>(second)};
}

}  // namespace

TripletList random_triplets(Index object_count, std::uint64_t count, const Distance& distance, Rng& rng) {
  require<DataError>(object_count >= 3, "Triplets need at least 3 objects, not {}.", object_count);
  constexpr int kMostTies = 100'000;
  constexpr std::uint64_t kBytes = 12;  // of each
  const std::uint64_t memory = physical_memory();
  require<DataError>(memory == 0 || count <= memory / kBytes, words::kTripletsTooLarge, count,
                     static_cast<double>(count) * static_cast<double>(kBytes) / 1e9, static_cast<double>(memory) / 1e9);
  const auto n = static_cast<std::uint64_t>(object_count);
  TripletList out(object_count);
  out.reserve(count);
  int ties = 0;
  while (out.size() < count) {
    const std::uint64_t anchor = rng.below(n);
    const auto [first, second] = two_others(anchor, n, rng);
    Triplet triplet{.anchor = static_cast<ObjectId>(anchor), .near = first, .far = second};
    const double to_first = distance(triplet.anchor, triplet.near);
    const double to_second = distance(triplet.anchor, triplet.far);
    if (to_second < to_first) {
      std::swap(triplet.near, triplet.far);
    } else if (!(to_first < to_second)) {
      require<DataError>(++ties < kMostTies, words::kOnlyTies, kMostTies);
      continue;
    }
    ties = 0;
    out.add(triplet);
  }
  return out;
}

TripletList random_triplets(const Eigen::Ref<const Matrix>& points, std::uint64_t count, Rng& rng) {
  const auto squared_distance = [&points](ObjectId i, ObjectId j) {
    return (points.row(static_cast<Index>(i)) - points.row(static_cast<Index>(j))).squaredNorm();
  };
  return random_triplets(points.rows(), count, squared_distance, rng);
}

FlippedTriplets flip_triplets(const TripletList& triplets, double rate, Rng& rng) {
  require<ConfigError>(rate >= 0 && rate < 0.5, words::kRateOfReversed, rate);
  return flipped_where(triplets, [&](const Triplet&) { return rng.uniform01() < rate; });
}

std::uint64_t ample_triplet_count(Index object_count, Index dimensions, double factor) {
  const auto n = static_cast<double>(object_count);
  const double count = factor * 2 * static_cast<double>(dimensions) * n * std::log(n);
  require<DataError>(count <= kMostTriplets, words::kFactorTooLarge, factor, count, kMostTriplets);
  return static_cast<std::uint64_t>(std::llround(count));
}

namespace {

[[noreturn]] void refuse_equal(Index anchor) { throw DataError(fmt::format(words::kEquallyFar, anchor + 1)); }

/// The other objects by distance; ties by index.
class Neighbourhood {
 public:
  void order(std::span<const float> squared_distances, Index anchor) {
    const std::size_t n = squared_distances.size();
    keys_.clear();
    // Non-negative floats have the order of their bits.
    for (std::size_t j = 0; j < n; ++j)
      if (j != static_cast<std::size_t>(anchor))
        keys_.push_back(std::uint64_t{std::bit_cast<std::uint32_t>(squared_distances[j])} << 32 | j);
    std::ranges::sort(keys_);
  }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] ObjectId object(std::size_t position) const {
    return static_cast<ObjectId>(keys_[position] & 0xffffffffU);
  }
  /// Position of the first object farther than the one at `position`; size() if none.
  [[nodiscard]] std::size_t first_farther(std::size_t position) const {
    const std::uint64_t last = keys_[position] | 0xffffffffU;
    return static_cast<std::size_t>(std::ranges::upper_bound(keys_, last) - keys_.begin());
  }
  /// How many are nearer than the farthest.
  [[nodiscard]] std::size_t nearer_than_farthest() const {
    const std::uint64_t first = keys_.back() & ~std::uint64_t{0xffffffffU};
    return static_cast<std::size_t>(std::ranges::lower_bound(keys_, first) - keys_.begin());
  }

 private:
  std::vector<std::uint64_t> keys_;
};

Answer ask(const Neighbourhood& others, std::size_t candidates, const std::string& rule, Rng& rng) {
  const auto near = static_cast<std::size_t>(rng.below(candidates));
  const std::size_t farther = others.first_farther(near), count = others.size();
  std::size_t far = 0;
  if (rule == "clamped") {
    // Ranks count the anchor as 1, so the first of the others has rank 2.
    const std::size_t n = count + 1;
    const std::size_t rank = std::min(n, near + 2 + n / 2 + 1 + static_cast<std::size_t>(rng.below(n)));
    far = std::max(rank - 2, farther);
  } else {
    const std::size_t first = rule == "far_half" ? std::max((count + 1) / 2, farther) : farther;
    far = first + static_cast<std::size_t>(rng.below(count - first));
  }
  return {others.object(near), others.object(far)};
}

float squared_distance(const FeatureMatrix& X, Index i, Index j) {
  return squared_row_distance(X.row(i).data(), X.row(j).data(), X.cols());
}
float squared_distance(const Matrix& X, Index i, Index j) {
  return static_cast<float>((X.row(i) - X.row(j)).squaredNorm());
}

template <class Use>
void each_distance_row(const FeatureMatrix& X, std::span<const Index> anchors, const Use& use) {
  for_each_distance_row(X, anchors, use);
}
template <class Use>
void each_distance_row(const Matrix& X, std::span<const Index> anchors, const Use& use) {
  std::vector<float> row(static_cast<std::size_t>(X.rows()));
  for (std::size_t a = 0; a < anchors.size(); ++a) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = squared_distance(X, anchors[a], static_cast<Index>(j));
    use(a, std::span<const float>(row));
  }
}

template <class Real>
Answer ask_any(const RowMajorMatrix<Real>& features, Index anchor, Rng& rng) {
  constexpr int kMostTies = 100'000;
  const auto n = static_cast<std::uint64_t>(features.rows());
  const auto distance = [&](ObjectId j) { return squared_distance(features, anchor, static_cast<Index>(j)); };
  for (int draw = 0; draw < kMostTies; ++draw) {
    const auto [first, second] = two_others(static_cast<std::uint64_t>(anchor), n, rng);
    const float to_first = distance(first), to_second = distance(second);
    if (to_first < to_second) return {first, second};
    if (to_second < to_first) return {second, first};
  }
  refuse_equal(anchor);
}

template <class Real>
TripletList triplets_of(const RowMajorMatrix<Real>& features, const TripletQuestions& questions, std::uint64_t key) {
  const Index n = features.rows();
  require<DataError>(n >= 3, "Triplets need at least 3 objects, not {}.", n);
  const auto count = static_cast<std::size_t>(n), rounds = static_cast<std::size_t>(questions.triplets_per_object);
  TripletList out(n);
  if (rounds == 0) return out;
  std::vector<Answer> answers(count * rounds);  // by round, then by anchor
  std::vector<Index> anchors(count);
  std::iota(anchors.begin(), anchors.end(), Index{0});
  if (questions.far == "any") {
    for (std::size_t a = 0; a < count; ++a) {
      Rng rng = Rng::stream(key, a);
      for (std::size_t r = 0; r < rounds; ++r) answers[r * count + a] = ask_any(features, anchors[a], rng);
    }
  } else {
    Neighbourhood others;
    each_distance_row(features, anchors, [&](std::size_t a, std::span<const float> squared_distances) {
      others.order(squared_distances, anchors[a]);
      const std::size_t candidates =
          std::min(static_cast<std::size_t>(questions.neighbors), others.nearer_than_farthest());
      if (candidates == 0) refuse_equal(anchors[a]);
      Rng rng = Rng::stream(key, a);
      for (std::size_t r = 0; r < rounds; ++r) answers[r * count + a] = ask(others, candidates, questions.far, rng);
    });
  }
  out.reserve(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i)
    out.add({.anchor = static_cast<ObjectId>(i % count), .near = answers[i].near, .far = answers[i].far});
  return out;
}

}  // namespace

TripletList feature_triplets(const FeatureMatrix& features, const TripletQuestions& questions, std::uint64_t key) {
  return triplets_of(features, questions, key);
}
TripletList feature_triplets(const Matrix& features, const TripletQuestions& questions, std::uint64_t key) {
  return triplets_of(features, questions, key);
}

}  // namespace alidade::datasets
