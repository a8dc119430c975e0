#include "problems/asking/question.hpp"

#include <algorithm>
#include <cmath>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"

namespace alidade::asking {
namespace {

constexpr Index kMostObjects = 2'000'000;

/// The place of an object among all but the anchor, and back.
std::uint64_t place_beside(ObjectId object, ObjectId anchor) { return object - (object > anchor ? 1U : 0U); }
ObjectId object_at(std::uint64_t place, ObjectId anchor) {
  return static_cast<ObjectId>(place) + (place >= anchor ? 1U : 0U);
}

}  // namespace

QuestionSpace::QuestionSpace(Index object_count) : objects_(object_count), pairs_(0) {
  require<DataError>(object_count >= 3, "A question is about three objects, but there are only {}. Add objects.",
                     object_count);
  require<DataError>(object_count <= kMostObjects, "Questions are about {} objects at most, not {}. Ask about a part.",
                     kMostObjects, object_count);
  const auto n = static_cast<std::uint64_t>(object_count);
  pairs_ = (n - 1) * (n - 2) / 2;
}

Question QuestionSpace::at(std::uint64_t number) const {
  const auto anchor = static_cast<ObjectId>(number / pairs_);
  const std::uint64_t pair = number % pairs_;  // high (high - 1) / 2 + low, with low < high
  auto high = static_cast<std::uint64_t>((1.0 + std::sqrt(1.0 + 8.0 * static_cast<double>(pair))) / 2.0);
  while (high * (high - 1) / 2 > pair) --high;  // the root may be rounded
  while (high * (high + 1) / 2 <= pair) ++high;
  return {anchor, object_at(pair - high * (high - 1) / 2, anchor), object_at(high, anchor)};
}

std::uint64_t QuestionSpace::number_of(const Question& question) const {
  const auto [low, high] =
      std::minmax({place_beside(question.left, question.anchor), place_beside(question.right, question.anchor)});
  return question.anchor * pairs_ + high * (high - 1) / 2 + low;
}

std::unordered_set<std::uint64_t> answered_questions(const QuestionSpace& space, const TripletSource& answers) {
  std::unordered_set<std::uint64_t> out;
  out.reserve(static_cast<std::size_t>(answers.size()));
  for (std::uint64_t i = 0; i < answers.size(); ++i) {
    const Triplet t = answers.at(i);
    out.insert(space.number_of({t.anchor, t.near, t.far}));
  }
  return out;
}

std::vector<Question> draw_questions(const QuestionSpace& space, const std::unordered_set<std::uint64_t>& leave_out,
                                     std::size_t count, std::uint64_t key) {
  const Permutation order(space.size(), key);
  Rng sides = Rng::stream(key, "sides");
  std::vector<Question> out;
  for (std::uint64_t i = 0; i < space.size() && out.size() < count; ++i) {
    const std::uint64_t number = order(i);
    if (leave_out.contains(number)) continue;
    Question question = space.at(number);
    if (sides.below(2) == 1) std::swap(question.left, question.right);
    out.push_back(question);
  }
  return out;
}

}  // namespace alidade::asking
