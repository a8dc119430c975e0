#include "experiments/metrics/noise_ceiling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "problems/core/random.hpp"
#include "tests/support/dataset_loading.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/observation_makers.hpp"

namespace noise_ceiling_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using metrics::least_error;
using metrics::noise_ceiling;

constexpr std::uint64_t kSeed = 20261125;

/// `questions` different ones about 100 objects, each asked `times` times; an answer is near = first with chance p,
/// drawn once for each question.
TripletList asked_again(int questions, int times, const std::function<double(Rng&)>& chance) {
  TripletList out(100);
  Rng rng(kSeed);
  std::vector<Triplet> all;
  for (int q = 0; q < questions; ++q) {
    const auto anchor = static_cast<ObjectId>(q % 100),
               first = static_cast<ObjectId>((anchor + 1 + q / 100 % 49) % 100),
               second = static_cast<ObjectId>((anchor + 50 + q / 4900) % 100);
    const double p = chance(rng);
    for (int r = 0; r < times; ++r)
      all.push_back(rng.uniform01() < p ? Triplet{anchor, first, second} : Triplet{anchor, second, first});
  }
  rng.shuffle(std::span(all));
  for (const Triplet& t : all) out.add(t);
  return out;
}

TEST_CASE("the least error of a Beta distribution has its known values") {
  CHECK(least_error(1.0 / 3) == doctest::Approx(0.25));  // uniform
  CHECK(least_error(0) == 0);
  CHECK(least_error(0.5) == 0.5);
  CHECK(least_error(0.7) == 0.5);
  for (const double alpha : {0.1, 0.674, 3.0, 200.0}) {
    CAPTURE(alpha);
    // By the midpoint rule in v = p^power: below 1 the density of p is infinite at 0, that of p^alpha is not.
    double error = 0, whole = 0;
    constexpr int kSteps = 100'000;
    const double power = std::min(alpha, 1.0);
    for (int k = 0; k < kSteps; ++k) {
      const double v = std::pow(0.5, power) * (k + 0.5) / kSteps, p = std::pow(v, 1 / power);
      const double density = std::pow(p, alpha - power) * std::pow(1 - p, alpha - 1);
      error += p * density;
      whole += density;
    }
    CHECK(least_error(alpha / (2 * alpha + 1)) == doctest::Approx(error / whole).epsilon(1e-5));
  }
}

TEST_CASE("uniform chances give one third of differing answers and an error of one quarter, at any number of answers") {
  for (const int times : {2, 3, 9}) {
    CAPTURE(times);
    const auto result = noise_ceiling(asked_again(20'000, times, [](Rng& rng) { return rng.uniform01(); }));
    REQUIRE(result);
    CHECK(result->questions == 20'000);
    CHECK(result->answers == 20'000u * static_cast<unsigned>(times));
    CHECK(result->disagreement == doctest::Approx(1.0 / 3).epsilon(0.03));
    CHECK(result->error == doctest::Approx(0.25).epsilon(0.03));
    CHECK(result->lowest == doctest::Approx((1 - std::sqrt(1.0 / 3)) / 2).epsilon(0.03));
    CHECK(result->highest == result->disagreement);
    CHECK(result->error_interval.low < result->error);
    CHECK(result->error < result->error_interval.high);
    // Two or three answers tell no more than the disagreement, which may be that of coins among sure questions.
    CHECK(result->error_interval.high < result->disagreement + 0.01);
    if (times > 3) CHECK(result->error_interval.high - result->error_interval.low < 0.03);
  }
}

TEST_CASE("one chance for all questions gives the lower bound, and no doubt the upper one") {
  const auto same = noise_ceiling(asked_again(20'000, 3, [](Rng&) { return 0.2; }));
  CHECK(same->lowest ==
        doctest::Approx(0.2).epsilon(0.03));  // E min(p, 1 - p) is .2, whatever the Beta distribution says
  CHECK(same->error > same->lowest);
  // Two or three answers do not say that all chances are the same, nor that they are not; many do.
  for (const int times : {2, 3, 4, 8}) {
    CAPTURE(times);
    const auto interval = noise_ceiling(asked_again(3000, times, [](Rng&) { return 0.2; }))->error_interval;
    CHECK(interval.low < 0.2);
    CHECK(interval.high > 0.2);
    CHECK(interval.low > 0.18);
  }
  const auto sure = noise_ceiling(asked_again(50, 3, [](Rng& rng) { return rng.uniform01() < 0.5 ? 0.0 : 1.0; }));
  CHECK(sure->disagreement == 0);
  CHECK(sure->error == 0);
  const auto coins = noise_ceiling(asked_again(20'000, 2, [](Rng&) { return 0.5; }));
  CHECK(coins->error == doctest::Approx(0.5).epsilon(0.05));
  CHECK(coins->highest <= 0.5);
}

/// `questions` different ones, each asked as often as `times` says of its chance.
TripletList asked_of(int questions, const std::function<double(Rng&)>& chance, const std::function<int(double)>& times,
                     Rng& rng) {
  TripletList out(100);
  for (int q = 0; q < questions; ++q) {
    const double p = chance(rng);
    const auto anchor = static_cast<ObjectId>(q % 50), other = static_cast<ObjectId>(50 + q / 50);
    for (int r = 0; r < times(p); ++r)
      out.add(rng.uniform01() < p ? Triplet{anchor, other, 99} : Triplet{anchor, 99, other});
  }
  return out;
}

TEST_CASE("answers count alike: hard questions that few answered do not raise the least error") {
  // Half of the questions are clear and answered by 20, half are coins that 4 answered: of the answers, a sixth.
  Rng rng(kSeed);
  const auto result = noise_ceiling(asked_of(
      1000, [](Rng& r) { return r.uniform01() < 0.5 ? 0.02 : 0.5; }, [](double p) { return p == 0.5 ? 4 : 20; }, rng));
  REQUIRE(result);
  const double truth = (20 * 0.02 + 4 * 0.5) / 24;
  CHECK(result->error == doctest::Approx(truth).epsilon(0.12));
  CHECK(result->error_interval.low < truth);
  CHECK(truth < result->error_interval.high);
}

TEST_CASE("with many answers a question, clear and open questions are not taken for a Beta distribution") {
  Rng rng(kSeed);
  const auto result = noise_ceiling(asked_of(
      1000, [](Rng& r) { return r.uniform01() < 0.5 ? 0.02 : 0.5; }, [](double) { return 25; }, rng));
  REQUIRE(result);
  CHECK(result->error == doctest::Approx(0.26).epsilon(0.06));  // a Beta distribution of this D has .218
}

TEST_CASE("a few people who guess widen the interval of the least error") {
  Rng rng(kSeed);
  TripletList list(100);
  std::vector<std::uint32_t> who;
  for (ObjectId q = 0; q < 500; ++q)
    for (std::uint32_t person = 0; person < 20; ++person) {
      const bool right = rng.uniform01() < (person < 2 ? 0.5 : 0.95);
      list.add(right ? Triplet{q % 50, 50 + q / 50, 99} : Triplet{q % 50, 99, 50 + q / 50});
      who.push_back(person);
    }
  const auto by_question = noise_ceiling(list);
  const auto by_person = noise_ceiling(list, std::make_shared<const std::vector<std::uint32_t>>(std::move(who)));
  CHECK(by_person->error == by_question->error);
  CHECK(by_person->error_interval.high - by_person->error_interval.low >
        2 * (by_question->error_interval.high - by_question->error_interval.low));
}

TEST_CASE("the interval holds the truth in about 95 % of samples") {
  int held = 0;
  constexpr int kSamples = 200;
  for (int sample = 0; sample < kSamples; ++sample) {
    Rng rng = Rng::stream(kSeed, "coverage", static_cast<std::uint64_t>(sample));
    TripletList list(100);
    for (int q = 0; q < 200; ++q) {
      const double p = rng.uniform01();
      for (int r = 0; r < 4; ++r) {
        const auto anchor = static_cast<ObjectId>(q % 50), other = static_cast<ObjectId>(50 + q / 50);
        list.add(rng.uniform01() < p ? Triplet{anchor, other, 99} : Triplet{anchor, 99, other});
      }
    }
    const auto result = noise_ceiling(list);
    held += result->error_interval.low <= 0.25 && 0.25 <= result->error_interval.high ? 1 : 0;
  }
  CHECK(held >= 0.9 * kSamples);
}

TEST_CASE("the interval of a few people who differ is about people") {
  constexpr int kSamples = 200;
  constexpr double kTruth = 0.225;  // half of the people err in .4, half in .05
  for (const std::uint32_t people : {5U, 8U}) {
    CAPTURE(people);
    int held = 0, held_disagreement = 0;
    for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
      Rng rng = Rng::stream(kSeed, "few people", sample);
      TripletList list(100);
      auto who = std::make_shared<std::vector<std::uint32_t>>();
      for (std::uint32_t person = 0; person < people; ++person) {
        const double errs = rng.uniform01() < 0.5 ? 0.4 : 0.05;
        for (ObjectId q = 0; q < 200; ++q) {
          list.add(rng.uniform01() > errs ? Triplet{q % 50, 50 + q / 50, 99} : Triplet{q % 50, 99, 50 + q / 50});
          who->push_back(person);
        }
      }
      const auto result = noise_ceiling(list, who);
      constexpr double kDiffer = 2 * kTruth * (1 - kTruth);
      held += result->error_interval.low <= kTruth && kTruth <= result->error_interval.high ? 1 : 0;
      held_disagreement +=
          result->disagreement_interval.low <= kDiffer && kDiffer <= result->disagreement_interval.high ? 1 : 0;
    }
    CHECK(held >= 0.92 * kSamples);
    CHECK(held_disagreement >= 0.85 * kSamples);
  }
}

TEST_CASE("the interval holds the truth where coins stand among sure answers, near guessing, and where all agree") {
  struct Study {
    double coins, chance;
    int questions, times;
  };
  for (const Study& study : {Study{0.4, 0.5, 250, 2}, {0.4, 0.5, 250, 3}, {1, 0.45, 60, 10}, {1, 0.002, 250, 2}}) {
    CAPTURE(study.chance);
    CAPTURE(study.times);
    int held = 0;
    for (std::uint64_t sample = 0; sample < 40; ++sample) {
      Rng rng = Rng::stream(kSeed, "kinds", sample);
      std::size_t coins = 0;
      const auto result = noise_ceiling(asked_of(
          study.questions,
          [&](Rng& r) {
            const bool coin = r.uniform01() < study.coins;
            coins += coin ? 1 : 0;
            return coin ? study.chance : 0;
          },
          [&](double) { return study.times; }, rng));
      REQUIRE(result);
      const double truth = study.chance * static_cast<double>(coins) / study.questions;
      held += result->error_interval.low <= truth && truth <= result->error_interval.high ? 1 : 0;
    }
    CHECK(held >= 35);
  }
}

TEST_CASE("multiples of a weight count answers in any unit, degrees of trust do not, and aspects are other questions") {
  TripletList votes(100), trust(100), aspects(100), scaled(100), alike(100);
  for (const int times : {1, 1, 2})  // one triplet twice
    for (ObjectId q = 0; q < 30; ++q) alike.add({q, 50U + times % 2, 51U - times % 2, 0, 0.3});
  for (ObjectId q = 0; q < 30; ++q) {
    votes.add({q, 50, 51, 0, 3});
    votes.add({q, 51, 50, 0, 1});
    scaled.add({q, 50, 51, 0, 3.0 / 700});
    scaled.add({q, 51, 50, 0, 1.0 / 700});
    trust.add({q, 50, 51, 0, 0.95});
    trust.add({q, 51, 50, 0, 0.9});
    aspects.add({q, 50, 51, 0});
    aspects.add({q, 51, 50, 1});
  }
  CHECK(noise_ceiling(votes)->answers == 120);
  CHECK(noise_ceiling(votes)->disagreement == doctest::Approx(2.0 * 1 * 3 / (4 * 3)));
  CHECK(noise_ceiling(scaled)->answers == 120);
  CHECK(noise_ceiling(scaled)->error == noise_ceiling(votes)->error);
  CHECK(noise_ceiling(trust)->answers == 60);
  CHECK(noise_ceiling(alike)->answers == 90);
  // What one person answered once is one answer; weights as unequal as these then are degrees of trust.
  const auto person = std::make_shared<const std::vector<std::uint32_t>>(votes.size(), 0);
  CHECK(noise_ceiling(trust, person)->answers == 60);
  CHECK_FALSE(noise_ceiling(votes, person));
  CHECK_FALSE(noise_ceiling(aspects));
  // Numbers of answers stand once at each triplet: these may tell how sure somebody was.
  votes.add({0, 50, 51, 0, 2});
  CHECK_FALSE(noise_ceiling(votes));
}

TEST_CASE("nothing is said of answers that weigh little beside others") {
  TripletList list(100);
  for (ObjectId q = 0; q < 30; ++q)
    for (const double weight : {0.95, 0.11}) {
      list.add({q, 50, 51, 0, weight});
      list.add({q, 51, 50, 0, weight});
    }
  CHECK_FALSE(noise_ceiling(list));
  TripletList guessers(100);  // two of ten
  for (ObjectId q = 0; q < 60; ++q)
    for (ObjectId p = 0; p < 10; ++p)
      guessers.add({q, 98 + (p < 2 ? q % 2 : 0), 99 - (p < 2 ? q % 2 : 0), 0, p < 2 ? 0.013 : 1});
  CHECK_FALSE(noise_ceiling(guessers));
}

TEST_CASE("whole weights of questions that were asked once are no numbers of answers") {
  TripletList list(100);
  for (ObjectId q = 0; q < 60; ++q) list.add({q, 98 + q % 2, 99 - q % 2, 0, 1.0 + q % 5});
  CHECK_FALSE(noise_ceiling(list));
}

TEST_CASE("a question of a million answers has a least error") {
  TripletList list(100);
  for (ObjectId q = 0; q < 30; ++q)
    for (const ObjectId near : {50U, 51U}) list.add({q, near, 101 - near});
  for (int i = 0; i < 1'000'000; ++i) list.add({99, 50, 51});
  const auto result = noise_ceiling(list, std::make_shared<const std::vector<std::uint32_t>>(list.size(), 0));
  REQUIRE(result);
  CHECK(result->error >= 0);
  CHECK(result->error < 1e-3);
}

TEST_CASE("nothing is said of fewer than 20 repeated questions or of triplets that nobody answered") {
  CHECK(noise_ceiling(asked_again(20, 2, [](Rng&) { return 0.5; })));
  CHECK_FALSE(noise_ceiling(asked_again(19, 2, [](Rng&) { return 0.5; })));
  CHECK_FALSE(noise_ceiling(asked_again(500, 1, [](Rng&) { return 0.5; })));
  Rng rng(kSeed);
  CHECK_FALSE(noise_ceiling(*random_table(20, 3, rng)));
}

TEST_SUITE("needs data") {
  TEST_CASE("material appearance: two answers differ in 28.7 % of cases") {
    ALIDADE_NEEDS_DATA();
    const Observations data = load("material_appearance", {"weight=votes", "ties=both"});
    const auto result = noise_ceiling(*data.triplets);
    REQUIRE(result);
    CHECK(result->questions == 21'801);
    CHECK(result->disagreement == doctest::Approx(0.287).epsilon(0.002));
    CHECK(result->disagreement_interval.low == doctest::Approx(0.283).epsilon(0.004));
    CHECK(result->disagreement_interval.high == doctest::Approx(0.290).epsilon(0.004));
    CHECK(result->lowest == doctest::Approx(0.174).epsilon(0.004));
    CHECK(result->error == doctest::Approx(0.200).epsilon(0.004));
    CHECK_FALSE(noise_ceiling(*load("material_appearance").triplets));  // one majority a question
  }
}

}  // namespace
}  // namespace noise_ceiling_test
