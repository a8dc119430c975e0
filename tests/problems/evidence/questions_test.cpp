#include "problems/evidence/questions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "problems/core/random.hpp"

namespace alidade::questions_test {
namespace {

std::shared_ptr<TripletList> list(Index objects, const std::vector<Triplet>& triplets) {
  auto out = std::make_shared<TripletList>(objects);
  for (const Triplet& t : triplets) out->add(t);
  return out;
}

}  // namespace

TEST_CASE("triplets with the same anchor, pair and aspect answer one question, whichever is near") {
  const auto triplets = list(4, {{.anchor = 0, .near = 1, .far = 2},
                                 {.anchor = 0, .near = 2, .far = 1},
                                 {.anchor = 1, .near = 0, .far = 2},
                                 {.anchor = 0, .near = 1, .far = 2, .aspect = 1},
                                 {.anchor = 0, .near = 1, .far = 3}});
  const Questions questions = questions_of(*triplets, nullptr);
  CHECK(questions.count == 4);
  CHECK((*questions.of)[0] == (*questions.of)[1]);
  CHECK((*questions.of)[0] != (*questions.of)[3]);
  CHECK(questions.repeated == doctest::Approx(0.4));
  std::vector<std::size_t> sizes;
  each_question(*triplets, [&](std::span<const std::uint64_t> places) { sizes.push_back(places.size()); });
  CHECK(sizes == std::vector<std::size_t>{2, 1, 1, 1});
}

TEST_CASE("repeated questions are visited as among all, and all that are not told apart from them may be repeated") {
  Rng rng(7);
  const auto triplets = std::make_shared<TripletList>(Index{12});
  for (int i = 0; i < 3000; ++i) {
    std::vector<ObjectId> ids(12);
    std::iota(ids.begin(), ids.end(), ObjectId{0});
    rng.shuffle(std::span(ids));
    triplets->add({ids[0], ids[1], ids[2], static_cast<std::uint32_t>(rng.below(4))});
  }
  for (const std::shared_ptr<const TripletSource>& source :
       {std::shared_ptr<const TripletSource>(triplets),
        std::shared_ptr<const TripletSource>(std::make_shared<TripletView>(triplets, 3, 0, 900))}) {
    std::vector<std::vector<std::uint64_t>> expected, found;
    each_question(*source, [&](std::span<const std::uint64_t> places) {
      if (places.size() > 1) expected.emplace_back(places.begin(), places.end());
    });
    each_repeated_question(
        *source, [&](std::span<const std::uint64_t> places) { found.emplace_back(places.begin(), places.end()); });
    CHECK(found == expected);
    CHECK(expected.size() > 50);
  }
  // Of different questions few share a cell.
  const auto distinct = std::make_shared<TripletList>(Index{3000});
  for (ObjectId i = 0; i + 2 < 3000; ++i) distinct->add({i, i + 1, i + 2});
  const std::vector<bool> again = may_be_repeated(*distinct);
  CHECK(std::ranges::count(again, true) < 600);
  CHECK_FALSE(few_repeated_questions(*distinct, nullptr));
}

TEST_CASE("questions that one answer answers are one: which of three is the odd one") {
  // Two people, the same three objects: 2 is the odd one, then 0. Then three others.
  const auto triplets = list(6, {{.anchor = 0, .near = 1, .far = 2},
                                 {.anchor = 1, .near = 0, .far = 2},
                                 {.anchor = 1, .near = 2, .far = 0},
                                 {.anchor = 2, .near = 1, .far = 0},
                                 {.anchor = 3, .near = 4, .far = 5},
                                 {.anchor = 4, .near = 3, .far = 5}});
  const auto answer = std::make_shared<const std::vector<std::uint32_t>>(std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2});
  const Questions questions = questions_of(*triplets, answer);
  CHECK(questions.count == 2);
  CHECK(*questions.of == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1});
  CHECK(questions.repeated == doctest::Approx(2.0 / 3));
  // Of a part, tags stay where the triplets of the whole are.
  const TripletSelection part(triplets, {2, 3, 5});
  const Questions of_part = questions_of(part, answer);
  CHECK(of_part.count == 2);
  CHECK(of_part.repeated == 0);
  CHECK((*of_part.of)[2] == (*of_part.of)[3]);
  CHECK((*of_part.of)[5] != (*of_part.of)[2]);
}

TEST_CASE("few repeated questions are told from many, and from too few to hold any out") {
  Rng rng(1);
  const auto are_few = [&](std::size_t questions, std::size_t people, std::uint32_t aspects) {
    std::vector<Triplet> all;
    for (std::size_t q = 0; q < questions; ++q) {
      const auto anchor = static_cast<ObjectId>(rng.below(20));
      const auto near = static_cast<ObjectId>((anchor + 1 + q % 19) % 20);
      const auto far = static_cast<ObjectId>((anchor + 1 + (q + 1 + q / 19 % 17) % 19) % 20);
      if (near == far) continue;
      for (std::size_t p = 0; p < people; ++p)
        for (std::uint32_t aspect = 0; aspect < aspects; ++aspect)
          all.push_back({.anchor = anchor, .near = near, .far = far, .aspect = aspect});
    }
    const auto triplets = list(20, all);
    return few_repeated_questions(*triplets, nullptr).has_value();
  };
  CHECK(are_few(60, 20, 1));
  CHECK(are_few(250, 20, 1));
  CHECK(are_few(250, 20, 2));  // each aspect has a map of its own, and few questions
  CHECK_FALSE(are_few(60, 1, 1));
  CHECK_FALSE(are_few(10, 20, 1));
  CHECK_FALSE(are_few(3000, 2, 1));
}

}  // namespace alidade::questions_test
