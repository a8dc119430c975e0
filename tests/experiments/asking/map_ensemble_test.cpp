// The maps that questions are chosen by, and batches that mix random and chosen questions.
// Answers are noisy triplets of points in the plane.
#include "experiments/asking/map_ensemble.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/asking/next_questions.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"

namespace map_ensemble_test {

using namespace alidade;
using namespace alidade::asking;
using namespace alidade::testing;

namespace {

struct Study {
  explicit Study(Index n = 30, std::uint64_t count = 900, std::uint64_t seed = 2) : rng(seed) {
    truth = gaussian_points(n, 2, rng);
    answers = std::make_shared<const TripletList>(triplets_of(truth, count, 0.1, rng));
  }
  /// The first `count` answers.
  [[nodiscard]] std::shared_ptr<const TripletList> first(std::uint64_t count) const {
    auto out = std::make_shared<TripletList>(answers->object_count());
    for (std::uint64_t i = 0; i < count; ++i) out->add(answers->at(i));
    return out;
  }
  /// Those that do not mention the object.
  [[nodiscard]] std::shared_ptr<const TripletList> without(ObjectId object) const {
    auto out = std::make_shared<TripletList>(answers->object_count());
    for (std::uint64_t i = 0; i < answers->size(); ++i)
      if (const Triplet t = answers->at(i); t.anchor != object && t.near != object && t.far != object) out->add(t);
    return out;
  }
  Rng rng;
  Matrix truth;
  std::shared_ptr<const TripletList> answers;
  Executor alone;
};

/// By how much the places of an object differ in an ensemble without answers about it, and at most those of others.
std::pair<double, double> spreads_without(ObjectId object) {
  Study study(20, 3000);
  MapEnsemble ensemble({});
  ensemble.fit(study.without(object), nullptr, false, study.alone);
  double own = 0, others = 0;
  for (Index i = 0; i < 20; ++i) {
    double sum = 0;
    for (const Matrix& map : ensemble.maps()) sum += (map.row(i) - ensemble.map().row(i)).squaredNorm();
    (i == static_cast<Index>(object) ? own : others) = i == static_cast<Index>(object) ? sum : std::max(others, sum);
  }
  return {own, others};
}

std::vector<Question> questions_about(const Study& study) {
  return draw_questions(QuestionSpace(study.answers->object_count()), {}, 500, 9);
}

/// 20 of those questions by a sampler, 6 of them random.
std::vector<NextQuestion> batch_of(const std::string& sampler) {
  Study study;
  AskingRule rule;
  rule.random_share = 0.3;
  rule.strategy = sampler;
  Asker asker(rule);
  asker.learn(study.answers, nullptr, study.alone);
  const bool all_random = asker.all_random(*study.answers, study.answers->size());
  CHECK(all_random == (sampler == "random"));
  return asker.choose(questions_about(study), *study.answers, 20, all_random, study.alone);
}

/// Of the chosen questions and of the random ones, which come first.
std::pair<double, double> mean_information(const std::vector<NextQuestion>& batch) {
  double chosen = 0, random = 0;
  for (std::size_t q = 0; q < batch.size(); ++q) (q < 6 ? random : chosen) += batch[q].information.value_or(0);
  return {chosen / 14, random / 6};
}

}  // namespace

TEST_CASE("weights of resamples have Poisson's law, and belong to the answer and the map") {
  std::vector<int> times(8, 0);
  double sum = 0, squares = 0;
  constexpr int kCount = 40'000;
  for (std::uint64_t answer = 0; answer < kCount; ++answer) {
    const double weight = resampled_weight(3, 1, answer);
    CHECK(weight == std::floor(weight));
    ++times[static_cast<std::size_t>(std::min(weight, 7.0))];
    sum += weight;
    squares += weight * weight;
  }
  // Five standard errors.
  CHECK(std::abs(sum / kCount - 1) < 0.025);
  CHECK(std::abs(squares / kCount - 2) < 0.07);
  CHECK(std::abs(times[0] / double(kCount) - std::exp(-1.0)) < 0.013);
  CHECK(std::abs(times[2] / double(kCount) - std::exp(-1.0) / 2) < 0.01);
  int equal = 0;
  for (std::uint64_t answer = 0; answer < 1000; ++answer)
    equal += resampled_weight(3, 1, answer) == resampled_weight(3, 2, answer) ? 1 : 0;
  CHECK(equal > 200);
  CHECK(equal < 420);  // of independent maps: 309
}

TEST_SUITE("statistical") {
  TEST_CASE("a fitted map recovers points of the plane") {
    Study study(40, 4000);
    Rng rng(77);
    const TripletList fresh = triplets_of(study.truth, 5000, 0, rng);
    // 0.073 with kernels of AVX-512, AVX2 and SSE2: a margin of 0.017.
    CHECK(triplet_error(fitted_map(study.answers, {}), fresh) < 0.09);
  }

  TEST_CASE("refits from the maps before are as good as a fit from nothing") {
    Study study(40, 3000);
    MapEnsemble ensemble({});
    for (const std::uint64_t count : {200, 400, 900, 1500, 2200, 3000})
      ensemble.fit(study.first(count), nullptr, false, study.alone);
    Rng rng(78);
    const TripletList fresh = triplets_of(study.truth, 5000, 0, rng);
    const double warm = triplet_error(ensemble.map(), fresh);
    // 0.0880 and 0.0876 with kernels of AVX-512, AVX2 and SSE2; the eight maps have 0.101 to 0.130, of 0.168 allowed.
    CHECK(warm < triplet_error(fitted_map(study.answers, {}), fresh) + 0.01);
    for (const Matrix& map : ensemble.maps()) CHECK(triplet_error(map, fresh) < warm + 0.08);
  }

  TEST_CASE("maps agree about the places of objects with answers") {
    const auto [left_out, others] = spreads_without(7);
    // 5.11 and 0.22 with kernels of AVX-512, AVX2 and SSE2: 23 times as much.
    CHECK(left_out > 2 * others);
  }

  // Weights have mean 1 before the regulariser sees them, so that it weighs half as much beside answers given twice.
  TEST_CASE("answers given twice have the maps of answers with double weights and half the regulariser") {
    Study study(12, 200);
    auto twice = std::make_shared<TripletList>(12), doubled = std::make_shared<TripletList>(12);
    std::vector<std::uint32_t> answer;
    for (std::uint64_t i = 0; i < study.answers->size(); ++i) {
      Triplet t = study.answers->at(i);
      for (int copy = 0; copy < 2; ++copy) {
        twice->add(t);
        answer.push_back(static_cast<std::uint32_t>(i));
      }
      t.weight = 2;
      doubled->add(t);
    }
    EnsembleOptions half;
    half.lambda /= 2;
    MapEnsemble a({}), b(half);
    a.fit(twice, std::make_shared<const std::vector<std::uint32_t>>(answer), false, study.alone);
    b.fit(doubled, nullptr, false, study.alone);
    // At most 2.8e-4 with kernels of AVX-512, AVX2 and SSE2; .31 at least where copies have weights of their own.
    for (std::size_t k = 0; k < 8; ++k) CHECK((a.maps()[k] - b.maps()[k]).norm() < 1e-3 * a.maps()[k].norm());
  }

  TEST_CASE("chosen questions tell more than random ones, whatever they are chosen by") {
    for (const SamplerEntry& entry : sampler_catalog().entries()) {
      if (entry.need == SamplerNeed::nothing) continue;
      CAPTURE(entry.name);
      const auto [chosen, random] = mean_information(batch_of(entry.name));
      // 2.2, 6.7, 4.6 and 2.6 times as much, in the order of the catalog, with kernels of AVX-512, AVX2 and SSE2.
      CHECK(chosen > 1.2 * random);
    }
  }
}

TEST_CASE("an ensemble has eight maps, each another one") {
  Study study(40, 900);
  MapEnsemble ensemble({});
  for (const std::uint64_t count : {200, 400, 900}) ensemble.fit(study.first(count), nullptr, false, study.alone);
  REQUIRE(ensemble.maps().size() == 8);
  // Each has weights of its own, between 0 and several times the usual one.
  for (const Matrix& map : ensemble.maps()) CHECK((map - ensemble.map()).norm() > 0.01 * map.norm());
}

TEST_CASE("an ensemble has the same bits on one thread and on three threads") {
  Study study;
  MapEnsemble one({}), three({});
  Executor threads(3);
  for (const std::uint64_t count : {100, 600, 900}) {
    one.fit(study.first(count), nullptr, false, study.alone);
    three.fit(study.first(count), nullptr, false, threads);
  }
  CHECK(one.map() == three.map());
  for (std::size_t k = 0; k < 8; ++k) CHECK(one.maps()[k] == three.maps()[k]);
}

TEST_CASE("an object without answers has drawn places") {
  Study study(20, 3000);
  MapEnsemble ensemble({});
  ensemble.fit(study.without(7), nullptr, false, study.alone);
  // A drawn place is about as far out as the others.
  double drawn = 0, radius = 0;
  for (const Matrix& map : ensemble.maps()) drawn += map.row(7).squaredNorm() / 8;
  for (Index i = 0; i < 20; ++i) radius += ensemble.map().row(i).squaredNorm() / 20;
  // 0.64 of the radius with kernels of AVX-512, AVX2 and SSE2: the drawn numbers decide, not the descents.
  CHECK(drawn > 0.2 * radius);
  CHECK(drawn < 5 * radius);
}

TEST_CASE("triplets of one answer share their weight, that of the answer") {
  // All triplets are of one answer, so that the ensemble depends on nothing but that answer's weights.
  const Study study(12, 200);
  Executor alone;
  const auto maps_of = [&](std::uint32_t answer) {
    MapEnsemble ensemble({});
    ensemble.fit(study.answers, std::make_shared<const std::vector<std::uint32_t>>(200, answer), false, alone);
    return std::vector<Matrix>(ensemble.maps().begin(), ensemble.maps().end());
  };
  const std::uint64_t seed = EnsembleOptions{}.seed;
  const std::vector<Matrix> first = maps_of(0);
  int equal = 0, dropped = 0;
  for (std::uint32_t answer = 1; answer < 5; ++answer) {
    CAPTURE(answer);
    const std::vector<Matrix> maps = maps_of(answer);
    REQUIRE(maps.size() == 8);
    for (std::size_t k = 0; k < 8; ++k) {
      CAPTURE(k);
      const double one = resampled_weight(seed, static_cast<Index>(k), 0),
                   other = resampled_weight(seed, static_cast<Index>(k), answer);
      if (one == other) {
        ++equal;
        CHECK(maps[k] == first[k]);
      } else if (one == 0 || other == 0) {  // a map of drawn places
        ++dropped;
        CHECK(maps[k] != first[k]);
      }
    }
  }
  CHECK(equal > 0);
  CHECK(dropped > 0);
}

TEST_CASE("a batch has its share of random questions, which no score has touched") {
  const auto candidates = questions_about(Study());
  for (const SamplerEntry& entry : sampler_catalog().entries()) {
    CAPTURE(entry.name);
    const auto batch = batch_of(entry.name);
    REQUIRE(batch.size() == 20);
    std::set<std::size_t> places;
    for (std::size_t q = 0; q < batch.size(); ++q) {
      CHECK(batch[q].question == candidates[batch[q].candidate]);
      places.insert(batch[q].candidate);
      CHECK(batch[q].chosen == (entry.name != "random" && q >= 6));
      if (!batch[q].chosen) CHECK(batch[q].candidate == q);
      CHECK(batch[q].information.has_value() == (entry.need != SamplerNeed::nothing));
    }
    CHECK(places.size() == 20);
  }
}

TEST_CASE("without a few answers for each object all questions are random") {
  AskingRule rule;
  const Asker asker(rule);
  const TripletList none(10);
  CHECK(asker.all_random(none, 0));
  CHECK(asker.all_random(none, 19));
  CHECK_FALSE(asker.all_random(none, 20));
  rule.strategy = "balanced";
  CHECK_FALSE(Asker(rule).all_random(none, 0));
  rule.strategy = "informaton_gain";
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] { Asker{rule}; }),
                           {"'informaton_gain'", "'information_gain'"}));
}

TEST_CASE("objects without answers are asked about") {
  Study study(30, 900);
  auto without = std::make_shared<TripletList>(33);
  for (std::uint64_t i = 0; i < study.answers->size(); ++i) without->add(study.answers->at(i));
  for (const char* strategy : {"information_gain", "anchor_posterior", "round_robin", "balanced"}) {
    CAPTURE(strategy);
    AskingRule rule;
    rule.strategy = strategy;
    rule.random_share = 0;
    Asker asker(rule);
    asker.learn(without, nullptr, study.alone);
    std::vector<int> uses(33, 0);
    for (const NextQuestion& next :
         asker.choose(draw_questions(QuestionSpace(33), {}, 2000, 4), *without, 30, false, study.alone))
      for (const ObjectId object : {next.question.anchor, next.question.left, next.question.right}) ++uses[object];
    // 6 to 23 uses with kernels of AVX-512, AVX2 and SSE2.
    for (std::size_t i = 30; i < 33; ++i) CHECK(uses[i] >= 1);
  }
}

}  // namespace map_ensemble_test
