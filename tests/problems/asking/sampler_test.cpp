// Scores against closed forms and plain loops, and batches against what each sampler promises.
// The page of the samplers lists each of them.
#include "problems/asking/sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "problems/asking/expected_information.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"

namespace sampler_test {

using namespace alidade;
using namespace alidade::asking;
using alidade::testing::gaussian_points;
using alidade::testing::triplets_of;

namespace {

double sigma(double x) { return 1 / (1 + std::exp(-x)); }
double entropy(double p) { return -(p * std::log2(p) + (1 - p) * std::log2(1 - p)); }

ValueTable option(const char* name, std::int64_t value) {
  ValueTable out;
  out.set(name, value);
  return out;
}

std::vector<Question> questions_of(Index n, std::size_t count, std::uint64_t key) {
  return draw_questions(QuestionSpace(n), {}, count, key);
}

/// Answers, a map and an ensemble about random points.
struct Desk {
  explicit Desk(Index n = 12, Index d = 2, std::uint64_t seed = 5) : rng(seed), map(gaussian_points(n, d, rng)) {
    answers = std::make_shared<TripletList>(triplets_of(map, 40, 0.1, rng));
    for (int k = 0; k < 4; ++k) maps.push_back(map + 0.3 * gaussian_points(n, d, rng));
  }
  [[nodiscard]] Knowledge knowledge() const { return {*answers, &map, maps}; }
  Rng rng;
  Matrix map;
  std::shared_ptr<TripletList> answers;
  std::vector<Matrix> maps;
  Executor alone;
};

}  // namespace

TEST_CASE("entropy in bits: 1 at one half, 0 at the ends, symmetric") {
  CHECK(binary_entropy(0.5) == doctest::Approx(1));
  CHECK(binary_entropy(0) == 0);
  CHECK(binary_entropy(1) == 0);
  CHECK(binary_entropy(0.11) == doctest::Approx(entropy(0.11)));
  CHECK(binary_entropy(0.11) == doctest::Approx(binary_entropy(0.89)));
  CHECK(binary_entropy(1e-12) > 0);
}

TEST_CASE("the probability of an answer is that of STE, whatever the distances") {
  Matrix map(3, 1);
  map << 0, 1, 3;
  CHECK(choice_probability(map, {0, 1, 2}) == doctest::Approx(sigma(8)));
  CHECK(choice_probability(map, {0, 2, 1}) == doctest::Approx(sigma(-8)));
  map << 0, 1, 1e3;
  CHECK(choice_probability(map, {0, 1, 2}) == 1);
  CHECK(choice_probability(map, {0, 2, 1}) == 0);
  CHECK(choice_entropy(map, std::vector<Question>{{0, 2, 1}}).front() == 0);
}

TEST_CASE("maps that are sure and disagree are worth a bit; maps that agree, or know nothing, none") {
  Executor alone;
  Matrix near_one(3, 1), near_two(3, 1), tie(3, 1);
  near_one << 0, 1, 9;
  near_two << 0, 9, 1;
  tie << 0, 1, -1;
  const std::vector<Question> asked = {{0, 1, 2}};
  const auto of = [&](const std::vector<Matrix>& maps) { return ensemble_information(maps, asked, alone).front(); };
  CHECK(of({near_one, near_two}) == doctest::Approx(1));
  CHECK(of({near_one, near_one}) == doctest::Approx(0));
  CHECK(of({tie, tie}) == doctest::Approx(0));
  // A tie and a sure map: H(3/4) - (1 + 0) / 2.
  CHECK(of({tie, near_one}) == doctest::Approx(entropy(0.75) - 0.5));
}

TEST_CASE("the information about a place agrees with a plain sum over the grid") {
  // One dimension: axis, mean and spread are the map's own.
  Rng rng(9);
  const Matrix map = gaussian_points(7, 1, rng);
  TripletList answers = triplets_of(map, 25, 0.2, rng);
  answers.add({.anchor = 0, .near = 1, .far = 2, .weight = 2.5});
  const double mean = map.mean();
  const double spread = std::sqrt((map.array() - mean).square().mean());
  const std::vector<Question> asked = questions_of(7, 30, 3);
  Executor alone;
  const auto result = anchor_information(map, answers, asked, 15, alone);
  for (std::size_t q = 0; q < asked.size(); ++q) {
    double total = 0, probability = 0, lost = 0;
    for (int g = 0; g < 15; ++g) {
      const double standard = -2.5 + 5.0 * g / 14, place = mean + spread * standard;
      double posterior = std::exp(-0.5 * standard * standard);
      const auto p_of = [&](ObjectId near, ObjectId far) {
        return sigma(std::pow(place - map(far, 0), 2) - std::pow(place - map(near, 0), 2));
      };
      for (std::uint64_t i = 0; i < answers.size(); ++i)
        if (const Triplet t = answers.at(i); t.anchor == asked[q].anchor)
          posterior *= std::pow(p_of(t.near, t.far), t.weight);
      const double p = p_of(asked[q].left, asked[q].right);
      total += posterior;
      probability += posterior * p;
      lost += posterior * entropy(p);
    }
    CHECK(result[q] == doctest::Approx(entropy(probability / total) - lost / total).epsilon(1e-9));
  }
}

TEST_CASE("an anchor with many answers is worth less than one without") {
  Rng rng(4);
  const Matrix map = gaussian_points(10, 2, rng);
  TripletList answers(10);
  const TripletList many = triplets_of(map, 4000, 0, rng);
  for (std::uint64_t i = 0; i < many.size(); ++i)
    if (many.at(i).anchor != 9) answers.add(many.at(i));
  Executor alone;
  const std::vector<Question> asked = questions_of(10, 360, 1);
  const auto result = anchor_information(map, answers, asked, 15, alone);
  double known = 0, unknown = 0;
  for (std::size_t q = 0; q < asked.size(); ++q) (asked[q].anchor == 9 ? unknown : known) += result[q];
  CHECK(unknown / 36 > 3 * known / 324);
}

TEST_CASE("a grid of too many places is refused, with what to do") {
  Desk desk(8, 4);
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] {
                             return anchor_information(desk.map, *desk.answers, questions_of(8, 2, 1), 15, desk.alone);
                           }),
                           {"15 points", "4 dimensions", "smaller grid"}));
  CHECK(anchor_information(desk.map, *desk.answers, questions_of(8, 2, 1), 5, desk.alone).size() == 2);
}

TEST_CASE("scores have the same bits on one thread and on three threads") {
  const Desk desk(40);
  const std::vector<Question> asked = questions_of(40, 1500, 2);
  Executor one, three(3);
  CHECK(ensemble_information(desk.maps, asked, one) == ensemble_information(desk.maps, asked, three));
  CHECK(anchor_information(desk.map, *desk.answers, asked, 9, one) ==
        anchor_information(desk.map, *desk.answers, asked, 9, three));
}

TEST_CASE("every sampler takes different candidates, as many as asked for or as there are") {
  const Desk desk;
  Executor alone;
  const std::vector<Question> candidates = questions_of(12, 60, 11);
  for (const SamplerEntry& entry : sampler_catalog().entries()) {
    CAPTURE(entry.name);
    const auto sampler = entry.make({});
    const auto information = sampler->information(candidates, desk.knowledge(), alone);
    CHECK((information.empty() || information.size() == candidates.size()));
    for (const double bits : information) {
      CHECK(bits >= 0);
      CHECK(bits <= 1 + 1e-12);
    }
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{17}, std::size_t{100}}) {
      const auto chosen = sampler->choose(candidates, information, count, desk.knowledge());
      CHECK(chosen.size() == std::min(count, candidates.size()));
      CHECK(std::set<std::size_t>(chosen.begin(), chosen.end()).size() == chosen.size());
    }
    CHECK_THROWS_AS(static_cast<void>(entry.make(option("no_such_option", 1))), ConfigError);
  }
}

TEST_CASE("a diverse batch takes the best first, then spreads over objects") {
  const std::vector<Question> candidates = {{0, 1, 2}, {0, 3, 4}, {5, 1, 3}, {6, 7, 8}};
  // After the first: 0.9 / 2 of the same anchor; 0.8 / 1.5 that shares one other object; 0.5 that shares none.
  CHECK(diverse_batch(candidates, std::vector<double>{1.0, 0.9, 0.8, 0.5}, 4, 9) ==
        std::vector<std::size_t>{0, 2, 3, 1});
  // Equal scores: in their order.
  CHECK(diverse_batch(candidates, std::vector<double>(4, 0.0), 4, 9) == std::vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("balanced questions use all objects equally often, from no answers on") {
  constexpr Index n = 20;
  const auto sampler = sampler_catalog().at("balanced").make({});
  TripletList answers(n);
  std::vector<int> uses(n, 0);
  for (int batch = 0; batch < 4; ++batch) {
    const auto candidates = questions_of(n, 1500, static_cast<std::uint64_t>(batch));
    for (const std::size_t q : sampler->choose(candidates, {}, 25, {answers, nullptr, {}})) {
      const Question& c = candidates[q];
      answers.add({.anchor = c.anchor, .near = c.left, .far = c.right});
      for (const ObjectId object : {c.anchor, c.left, c.right}) ++uses[object];
    }
  }
  const auto [least, highest] = std::ranges::minmax(uses);
  CHECK(std::accumulate(uses.begin(), uses.end(), 0) == 300);
  CHECK(highest - least <= 1);
}

TEST_CASE("in a round robin each object is the anchor in turn, with its best question") {
  const Desk desk(10);
  Executor alone;
  const TripletList none(10);
  const Knowledge knowledge{none, &desk.map, {}};
  const auto candidates = questions_of(10, 300, 3);
  const auto sampler = sampler_catalog().at("round_robin").make(option("grid", 9));
  const auto information = sampler->information(candidates, knowledge, alone);
  const auto chosen = sampler->choose(candidates, information, 20, knowledge);
  std::vector<int> turns(10, 0);
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    ++turns[candidates[chosen[c]].anchor];
    if (c == 9) CHECK(turns == std::vector<int>(10, 1));
  }
  CHECK(turns == std::vector<int>(10, 2));
  for (std::size_t q = 0; q < candidates.size(); ++q)  // the first of each is its best
    for (std::size_t c = 0; c < 10; ++c)
      if (candidates[q].anchor == candidates[chosen[c]].anchor) CHECK(information[q] <= information[chosen[c]]);
}

}  // namespace sampler_test
