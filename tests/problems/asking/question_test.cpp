#include "problems/asking/question.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "problems/core/error.hpp"

namespace question_test {

using namespace alidade;
using namespace alidade::asking;

TEST_CASE("numbers and questions are one to one") {
  for (const Index n : {3, 4, 5, 9, 17}) {
    CAPTURE(n);
    const QuestionSpace space(n);
    REQUIRE(space.size() == static_cast<std::uint64_t>(n * (n - 1) * (n - 2) / 2));
    std::set<std::array<ObjectId, 3>> seen;
    for (std::uint64_t number = 0; number < space.size(); ++number) {
      const Question q = space.at(number);
      CHECK(q.left < q.right);
      CHECK(q.anchor != q.left);
      CHECK(q.anchor != q.right);
      CHECK(q.right < static_cast<ObjectId>(n));
      CHECK(space.number_of(q) == number);
      CHECK(space.number_of({q.anchor, q.right, q.left}) == number);
      seen.insert({q.anchor, q.left, q.right});
    }
    CHECK(seen.size() == space.size());
  }
}

TEST_CASE("the largest space keeps its numbers") {
  const QuestionSpace space(2'000'000);
  for (const std::uint64_t number : {std::uint64_t{0}, space.size() / 3, space.size() - 1})
    CHECK(space.number_of(space.at(number)) == number);
  CHECK(space.at(space.size() - 1) == Question{1'999'999, 1'999'997, 1'999'998});
}

TEST_CASE("too few and too many objects are refused") {
  CHECK_THROWS_AS(QuestionSpace(2), DataError);
  CHECK_THROWS_AS(QuestionSpace(2'000'001), DataError);
}

TEST_CASE("drawn questions differ, have no answer yet, and end with the last one") {
  const QuestionSpace space(6);
  TripletList answers(6);
  answers.add({.anchor = 0, .near = 1, .far = 2});
  answers.add({.anchor = 0, .near = 2, .far = 1});  // the same question
  answers.add({.anchor = 5, .near = 4, .far = 3});
  const auto answered = answered_questions(space, answers);
  CHECK(answered.size() == 2);
  const auto drawn = draw_questions(space, answered, 1000, 7);
  CHECK(drawn.size() == space.size() - 2);
  std::set<std::uint64_t> numbers;
  bool swapped = false, straight = false;
  for (const Question& q : drawn) {
    numbers.insert(space.number_of(q));
    (q.left < q.right ? straight : swapped) = true;
  }
  CHECK(numbers.size() == drawn.size());
  for (const std::uint64_t number : answered) CHECK_FALSE(numbers.contains(number));
  CHECK(swapped);
  CHECK(straight);
  // A shorter draw is the beginning of a longer one; another key is another order.
  const auto few = draw_questions(space, answered, 5, 7);
  CHECK(std::ranges::equal(few, std::span(drawn).first(5)));
  CHECK_FALSE(std::ranges::equal(draw_questions(space, answered, 5, 8), few));
}

TEST_CASE("all questions are equally likely, in either order") {
  const QuestionSpace space(5);  // 30 questions
  std::map<std::array<ObjectId, 3>, int> times;
  constexpr int kDraws = 12'000;
  for (int key = 0; key < kDraws; ++key) {
    const Question q = draw_questions(space, {}, 1, static_cast<std::uint64_t>(key)).front();
    ++times[{q.anchor, q.left, q.right}];
  }
  CHECK(times.size() == 60);
  // 200 each; six standard deviations are 84.
  for (const auto& [question, count] : times) {
    CHECK(count > 116);
    CHECK(count < 284);
  }
}

}  // namespace question_test
