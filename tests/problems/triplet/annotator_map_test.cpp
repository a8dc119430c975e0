#include "problems/triplet/annotator_map.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "problems/contract/annotator_estimates.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/stages.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"

namespace annotator_map_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using namespace alidade::triplet;

constexpr std::uint64_t kSeed = 20261125;

/// Observations whose triplet i was given by annotator i mod `people`, named "p0", "p1", ...
Observations by_turns(TripletList triplets, std::uint32_t people) {
  auto tags = std::make_shared<std::vector<std::uint32_t>>();
  for (std::uint64_t i = 0; i < triplets.size(); ++i) tags->push_back(static_cast<std::uint32_t>(i % people));
  Observations out = observations_of(std::make_shared<TripletList>(std::move(triplets)));
  out.annotator = std::move(tags);
  for (std::uint32_t a = 0; a < people; ++a) out.annotators.push_back("p" + std::to_string(a));
  return out;
}

/// Answers of 20 people about points: p0 and p1 guess, p2 answers the other way round, the others err in 5 %.
Observations with_guessers(const Matrix& points, std::uint64_t count, Rng& rng) {
  constexpr std::uint32_t kPeople = 20;
  const TripletList exact = triplets_of(points, count, 0, rng);
  TripletList out(exact.object_count());
  for (std::uint64_t i = 0; i < exact.size(); ++i) {
    Triplet t = exact.at(i);
    const std::uint64_t who = i % kPeople;
    if (rng.uniform01() < (who < 2 ? 0.5 : who == 2 ? 0.95 : 0.05)) std::swap(t.near, t.far);
    out.add(t);
  }
  return by_turns(std::move(out), kPeople);
}

constexpr std::array kProblems = {"ste_annotators", "tste_annotators", "soe_annotators"};

TEST_CASE("margins have the slopes of their values, and those of SOE are its hinge made a probability") {
  const auto check = [](const auto& loss, double a, double b) {
    CAPTURE(a);
    CAPTURE(b);
    const Margin m = margin_of(loss, a, b);
    const double step = 1e-6;
    CHECK(m.d_near ==
          doctest::Approx((margin_of(loss, a + step, b).value - margin_of(loss, a - step, b).value) / (2 * step)));
    CHECK(m.d_far ==
          doctest::Approx((margin_of(loss, a, b + step).value - margin_of(loss, a, b - step).value) / (2 * step)));
    CHECK(margin_of(loss, b, a).value == doctest::Approx(-m.value));
  };
  for (const auto& [a, b] : {std::pair{0.5, 0.7}, {3.0, 0.2}, {0.1, 9.0}, {25.0, 1.0}}) {
    check(SteLoss{}, a, b);
    check(TSteLoss{1}, a, b);
    check(TSteLoss{3}, a, b);
    check(SoeLoss{}, a, b);
    const double u = std::sqrt(b) - std::sqrt(a);
    const auto hinge = [](double v) { return std::pow(std::max(0.0, 1 - v), 2); };
    const double p = std::exp(-hinge(u)) / (std::exp(-hinge(u)) + std::exp(-hinge(-u)));
    CHECK(margin_of(SoeLoss{}, a, b).value == doctest::Approx(std::log(p / (1 - p))));
  }
  CHECK(margin_of(SoeLoss{}, 0, 1).d_near == 0);
}

TEST_CASE("without guesses the first stage is the loss itself") {
  Rng rng(kSeed);
  const Observations data = by_turns(weighted(triplets_of(gaussian_points(25, 2, rng), 600, 0.1, rng), rng), 5);
  for (const auto& [name, plain, options] :
       {std::tuple{"ste_annotators", "ste", "{ lambda = 0.2 }"}, {"tste_annotators", "tste", "{ lambda = 0.2 }"}}) {
    CAPTURE(name);
    const Problem first = made(name, data, options).face<StagesFace>().stage(0, {});
    const Problem pooled = made(plain, data, std::string("{ lambda = 0.2, lambda0 = 0 }"));
    const Point x = first.domain()->random(rng);
    Executor executor;
    Evaluation evaluation(executor);
    Point gradient = first.domain()->zero(), expected = gradient;
    CHECK(close(first.face<SmoothFace>().value_and_gradient(x, gradient, evaluation),
                pooled.face<SmoothFace>().value_and_gradient(x, expected, evaluation), kSum));
    CHECK(all_close(gradient.flat(), expected.flat(), kGradient));
  }
}

TEST_CASE("the gradient of the best rates is that of the objective, with weights, sharpness and on a sphere") {
  for (const char* name : kProblems)
    for (const char* options : {"{}", "{ sharpness = estimated }", "{ sharpness = common, guess_prior = 1 }",
                                "{ manifold = oblique, radius = 2, n_components = 3, l2 = auto }"}) {
      CAPTURE(name);
      CAPTURE(options);
      Rng rng(kSeed + 1);
      const TripletList plain = triplets_of(gaussian_points(20, 2, rng), 900, 0.15, rng);
      const Observations data = by_turns(weighted(plain, rng), 6);
      const Problem problem = made(name, data, options);
      for (const Index k : {0, 1}) {
        CAPTURE(k);
        const Problem stage = problem.face<StagesFace>().stage(k, {});
        const Point x = stage.domain()->random(rng);
        check_gradient(stage, x, rng, 2);
        Executor executor;
        Evaluation evaluation(executor);
        if (k == 1) CHECK(problem.objective(Solution(x), evaluation) == stage.face<SmoothFace>().value(x, evaluation));
      }
    }
}

TEST_CASE("the objective of a map is the lowest over rates and sharpness") {
  Rng rng(kSeed);
  const Observations data = with_guessers(gaussian_points(20, 2, rng), 2000, rng);
  const auto answers = std::make_shared<const AnnotatedAnswers>(data);
  MapOptions options;
  options.lambda = 0.1;
  const AnnotatorPrior prior{.sharpness = true};
  const ReliabilityMap map({data, SteLoss{}, options}, answers, prior, true);
  Executor executor;
  Evaluation evaluation(executor);
  const Point x = map.domain().random(rng);
  const std::vector<Reliability> best = map.reliabilities(x);
  const auto with = [&](auto&& change) {
    double out = 0.1 * x.vector().squaredNorm();
    for (Index a = 0; a < answers->annotator_count(); ++a) {
      std::vector<double> margins;
      for (std::size_t t = answers->begin(a); t < answers->begin(a + 1); ++t) {
        const auto row = [&](ObjectId i) { return x.block(0).row(static_cast<Index>(i)); };
        margins.push_back((row(answers->anchors()[t]) - row(answers->fars()[t])).squaredNorm() -
                          (row(answers->anchors()[t]) - row(answers->nears()[t])).squaredNorm());
      }
      out += negative_log_posterior({margins, {}}, change(best[static_cast<std::size_t>(a)]), prior);
    }
    return out;
  };
  const double value = map.value(x, evaluation);
  CHECK(close(value, with([](Reliability r) { return r; }), kSum));
  for (int k = 0; k < 50; ++k)
    CHECK(value <= with([&](Reliability r) {
            return Reliability{std::clamp(r.guess_rate + 0.1 * rng.normal(), kLeastRate, 1 - kLeastRate),
                               r.log_sharpness + 0.1 * rng.normal()};
          }));
}

TEST_CASE("guessers and those who answer the other way round are found, and nobody else, whatever they weigh") {
  for (const double factor : {1.0, 1e-6, 1e3})
    for (const char* name : kProblems) {
      CAPTURE(name);
      CAPTURE(factor);  // of all answers of p0, p7 and p14
      Rng rng(kSeed);
      const Matrix points = 2 * gaussian_points(40, 2, rng);
      Observations data = with_guessers(points, 20 * 120, rng);
      TripletList list(40);
      for (std::uint64_t i = 0; i < data.triplets->size(); ++i) {
        Triplet t = data.triplets->at(i);
        if (i % 20 % 7 == 0) t.weight = factor;
        list.add(t);
      }
      data.triplets = std::make_shared<TripletList>(std::move(list));
      const Problem problem = made(name, data, "{ sharpness = common }");
      Point truth = problem.domain()->zero();
      truth.block(0) = points;
      const Embedding decoded = problem.decode(Solution(truth));
      REQUIRE(decoded.annotators);
      REQUIRE(decoded.annotators->annotators.size() == 20);
      for (std::size_t a = 0; a < 20; ++a) {
        const AnnotatorEstimate& one = decoded.annotators->annotators[a];
        CAPTURE(a);
        CHECK(one.name == "p" + std::to_string(a));
        CHECK(one.answers == 120);
        CHECK(one.likely_guesser == (a < 2));  // who answers the other way round does not guess
        CHECK(one.reversed == (a == 2));
        CHECK(one.standard_error > 0);
        CHECK(one.standard_error < 0.3);
        if (a >= 3) CHECK(one.guess_rate < 0.3);
        if (a >= 3) CHECK(one.agreement > 0.85);
        CHECK_FALSE(one.sharpness.has_value());
      }
      REQUIRE(decoded.estimates.size() == 3);
      CHECK(decoded.estimates[0].first == "guess_rate");
      if (factor == 1) CHECK(std::abs(decoded.estimates[0].second - 0.25) < 0.15);
      CHECK(decoded.estimates[1] == std::pair<std::string, double>{"likely_guessers", 2});
      CHECK(decoded.estimates[2] == std::pair<std::string, double>{"reversed_annotators", 1});
    }
}

/// Rankings of ten others by their distance to an object, five people in turns; p0 ranks at random.
Observations rankings(const Matrix& points, std::uint32_t each, Rng& rng) {
  constexpr std::uint32_t kPeople = 5, kRanked = 10;
  TripletList out(points.rows());
  auto who = std::make_shared<std::vector<std::uint32_t>>(), answer = std::make_shared<std::vector<std::uint32_t>>();
  for (std::uint32_t r = 0; r < kPeople * each; ++r) {
    const auto anchor = static_cast<ObjectId>(rng.below(static_cast<std::uint64_t>(points.rows())));
    std::vector<std::pair<double, ObjectId>> order;
    while (order.size() < kRanked) {
      const auto other = static_cast<ObjectId>(rng.below(static_cast<std::uint64_t>(points.rows())));
      if (other == anchor || std::ranges::find(order, other, &std::pair<double, ObjectId>::second) != order.end())
        continue;
      order.emplace_back(r % kPeople == 0 ? rng.uniform01() : (points.row(anchor) - points.row(other)).norm(), other);
    }
    std::ranges::sort(order);
    for (std::uint32_t near = 0; near < kRanked; ++near)
      for (std::uint32_t far = near + 1; far < kRanked; ++far) {
        out.add({anchor, order[near].second, order[far].second});
        who->push_back(r % kPeople);
        answer->push_back(r);
      }
  }
  Observations data = observations_of(std::make_shared<TripletList>(std::move(out)));
  data.annotator = std::move(who);
  data.answer = std::move(answer);
  for (std::uint32_t a = 0; a < kPeople; ++a) data.annotators.push_back("p" + std::to_string(a));
  return data;
}

TEST_CASE("who gave few answers is named only where they are clear, whole answers being what counts") {
  Rng rng(kSeed);
  const Matrix points = 2 * gaussian_points(40, 2, rng);
  const auto first = [&](const Observations& data) {
    const Problem problem = made("ste_annotators", data);
    Point truth = problem.domain()->zero();
    truth.block(0) = points;
    const auto all = problem.decode(Solution(truth)).annotators->annotators;
    for (std::size_t a = 1; a < all.size(); ++a) CHECK_FALSE(all[a].likely_guesser);
    return all[0];
  };
  Observations clear = rankings(points, 20, rng);
  const AnnotatorEstimate one = first(clear);
  CHECK(one.answers == 20);
  CHECK(one.likely_guesser);
  clear.answer = nullptr;  // 900 triplets of their own: as if more were known
  CHECK(one.standard_error > 1.2 * first(clear).standard_error);
  CHECK_FALSE(first(rankings(points, 9, rng)).likely_guesser);
  // A few triplets leave the rate open.
  CHECK_FALSE(first(by_turns(triplets_of(points, 5 * 12, 0.4, rng), 5)).likely_guesser);
}

TEST_CASE("sharpness is estimated where there are 200 answers of each, but not by t-STE") {
  Rng rng(kSeed);
  const Matrix points = 2 * gaussian_points(40, 2, rng);
  for (const std::uint64_t each : {199, 200}) {
    const Observations data = with_guessers(points, 20 * each, rng);
    for (const char* name : kProblems) {
      CAPTURE(name);
      CAPTURE(each);
      const Problem problem = made(name, data);
      Point truth = problem.domain()->zero();
      truth.block(0) = points;
      const auto result = problem.decode(Solution(truth)).annotators;
      CHECK(result->annotators[10].sharpness.has_value() ==
            (each == 200 && std::string_view(name) != "tste_annotators"));
      CHECK_FALSE(result->annotators[0].sharpness.has_value());  // a guesser has none
    }
  }
}

TEST_CASE("annotators without training answers, and objects without any, are no trouble") {
  Rng rng(kSeed);
  const TripletList few = triplets_of(gaussian_points(10, 2, rng), 300, 0.1, rng);
  auto list = std::make_shared<TripletList>(12);
  for (std::uint64_t i = 0; i < few.size(); ++i) list->add(few.at(i));
  Observations data = by_turns(*list, 4);
  data.annotators.emplace_back("late");
  const Problem problem = made("ste_annotators", data, "{ sharpness = estimated }");
  REQUIRE(problem.notes().size() == 1);
  const Solution start = problem.start(rng);
  const Embedding decoded = problem.decode(start);
  CHECK(decoded.annotators->annotators.size() == 5);
  CHECK(decoded.annotators->annotators[4].answers == 0);
  CHECK_FALSE(decoded.annotators->annotators[4].likely_guesser);
  const Problem whole = problem.face<StagesFace>().stage(1, start);
  Executor executor;
  Evaluation evaluation(executor);
  Point gradient = whole.domain()->zero();
  whole.face<SmoothFace>().value_and_gradient(std::get<Point>(start), gradient, evaluation);
  CHECK(gradient.block(0).bottomRows(2).isZero());
}

TEST_CASE("tags follow the triplets through a split") {
  Rng rng(kSeed);
  const Observations all = with_guessers(2 * gaussian_points(30, 2, rng), 20 * 100, rng);
  Observations part = all;
  part.triplets = hold_out(all.triplets, 0.5, 7).train;
  const AnnotatedAnswers answers(part);
  CHECK(answers.begin(answers.annotator_count()) == 1000);
  std::vector<Index> count(20, 0);
  for (std::uint64_t i = 0; i < part.triplets->size(); ++i)
    ++count[(*all.annotator)[static_cast<std::size_t>(part.triplets->origin_index(i))]];
  for (Index a = 0; a < 20; ++a) CHECK(answers.answer_count(a) == count[static_cast<std::size_t>(a)]);
}

TEST_CASE("data that cannot tell who guesses are refused in words") {
  Rng rng(kSeed);
  const TripletList triplets = triplets_of(gaussian_points(10, 2, rng), 100, 0, rng);
  CHECK(holds_all(message_of<DataError>([&] {
                    static_cast<void>(made("ste_annotators", observations_of(std::make_shared<TripletList>(triplets))));
                  }),
                  {"ste_annotators", "'test'", "--columns annotator=", "ste_lapse"}));
}

TEST_CASE("one annotator has one rate for all answers, and a note says so") {
  Rng rng(kSeed);
  const Observations data = by_turns(triplets_of(gaussian_points(10, 2, rng), 300, 0.2, rng), 1);
  const Problem problem = made("ste_annotators", data, "{ sharpness = estimated }");
  const Solution start = problem.start(rng);
  CHECK(problem.notes() ==
        std::vector<std::string>{"All answers are by one annotator, who cannot be compared with others: there is one "
                                 "rate of guesses for all answers, as with ste_lapse."});
  CHECK_FALSE(problem.decode(start).annotators->annotators[0].sharpness.has_value());
}

TEST_CASE("the sum has the same bits with any number of threads") {
  Rng rng(kSeed);
  const Observations data = with_guessers(gaussian_points(20, 2, rng), 8000, rng);
  const Problem whole = made("ste_annotators", data, "{ sharpness = estimated }").face<StagesFace>().stage(1, {});
  const Point x = whole.domain()->random(rng);
  Point alone = whole.domain()->zero(), shared = alone;
  Executor one, three(3);
  Evaluation first(one), second(three);
  CHECK(whole.face<SmoothFace>().value_and_gradient(x, alone, first) ==
        whole.face<SmoothFace>().value_and_gradient(x, shared, second));
  CHECK(same_bits(alone.flat(), shared.flat()));
}

}  // namespace
}  // namespace annotator_map_test
