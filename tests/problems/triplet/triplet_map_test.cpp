#include "problems/triplet/triplet_map.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "problems/catalog.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/smooth.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace triplet_map_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

ValueTable options(std::string_view text) { return *value_from_text(text).get_if<ValueTable>(); }

Problem make(std::string_view name, const Observations& observations, std::string_view text = "{}") {
  return problem_catalog().at(name).make(observations, options(text));
}

struct Variant {
  std::string problem;
  std::string options;
};
const std::vector<Variant> kVariants = [] {
  std::vector<Variant> out = {
      {"ste", "{}"},
      {"ste", "{ n_components = 3, lambda0 = 0.01, lambda = 1 }"},
      {"ste", "{ manifold = oblique, radius = 2 }"},
      {"ste", "{ l2 = auto, n_components = 4 }"},
      {"soe", "{ l2 = auto, l2_scale = 0.2 }"},
      {"ste", "{ lapse_rate = 0.1, lambda0 = 0.01 }"},
      {"gnmds", "{ smoothing = 4 }"},
      {"gnmds", "{ n_components = 3, lambda0 = 0.01, smoothing = 30 }"},
      {"ckl", "{}"},
      {"ckl", "{ mu = 2, n_components = 1 }"},
      {"soe", "{}"},
      {"soe", "{ margin = 0.1, n_components = 4, lambda0 = 0.01 }"},
      {"soe", "{ manifold = oblique, radius = 2 }"},
      {"tste", "{}"},
      {"tste", "{ n_components = 4 }"},
      {"tste", "{ alpha = 0.5, lambda0 = 0.01 }"},
      {"tste", "{ alpha = 2.5, manifold = oblique }"},
      {"ete", "{}"},
      {"ete", "{ t = 1, t_prime = 1 }"},
      {"ete", "{ t = 3, lambda0 = 0.001 }"},
      {"ete", "{ t = 1.5, t_prime = 1.5, n_components = 1, lambda0 = 0 }"},
      {"ete", "{ t = 2.5, t_prime = 1.2, n_components = 5 }"},
      {"ete", "{ manifold = oblique, radius = 3, lambda0 = 0.05 }"},
  };
  // With their defaults, the slopes of these change too fast for check_gradient().
  const std::map<std::string, std::string> slower = {{"gnmds", "{ smoothing = 4 }"}, {"ratio_ste", "{ mu = 1 }"}};
  for (const std::string& name : triplet::loss_names())
    out.push_back({name, slower.contains(name) ? slower.at(name) : "{ n_components = 3 }"});
  return out;
}();

struct Source {
  std::string name;
  std::function<Observations(Rng&)> make;
};
const std::vector<Source> kSources = {
    {"list", [](Rng& rng) { return gaussian_observations(15, 2, rng); }},
    {"weighted list",
     [](Rng& rng) {
       const TripletList plain = triplets_of(gaussian_points(15, 2, rng), 150, 0.1, rng);
       return observations_of(std::make_shared<TripletList>(weighted(plain, rng)));
     }},
    {"view of a list",
     [](Rng& rng) {
       const auto list = std::make_shared<TripletList>(triplets_of(gaussian_points(15, 2, rng), 300, 0, rng));
       return observations_of(hold_out(list, 0.3, 5).train);
     }},
    {"attribute table", [](Rng& rng) { return attribute_observations(14, 2, rng); }},
    {"view of an attribute table",
     [](Rng& rng) {
       Observations out = attribute_observations(14, 2, rng);
       out.triplets = hold_out(out.triplets, 0.4, 5).train;
       return out;
     }},
};

Point generic_point(const Problem& problem, Rng& rng) { return problem.domain()->random(rng); }

TEST_CASE(
    "for every source and option: the gradient is the value's, the terms add up, threads change no "
    "bit") {
  for (const Source& source : kSources)
    for (const Variant& variant : kVariants) {
      CAPTURE(source.name);
      CAPTURE(variant.problem);
      CAPTURE(variant.options);
      Rng rng = Rng::stream(kSeed, source.name, variant.options);
      const Observations observations = source.make(rng);
      const Problem problem = make(variant.problem, observations, variant.options);
      CHECK(problem.face<FiniteSumFace>().term_count() == observations.triplets->size());
      const Point x = generic_point(problem, rng);
      check_gradient(problem, x, rng, 2);
      check_finite_sum(problem, x);
      check_thread_independence(problem, x);
    }
}

TEST_CASE("many triplets in several chunks behave as few, on threads") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(60, 2, rng);
  const auto list = std::make_shared<TripletList>(triplets_of(points, 40'000, 0.1, rng));
  for (const std::string_view text : {"{}", "{ precision = float }"}) {
    const Problem problem = make("ete", observations_of(list), text);
    const Point x = generic_point(problem, rng);
    check_thread_independence(problem, x);
  }
  const Problem problem = make("tste", observations_of(list));
  const Point x = generic_point(problem, rng);
  check_gradient(problem, x, rng);
  check_finite_sum(problem, x);
}

TEST_CASE("single precision gives the double results to 1e-5 of the largest entry") {
  Rng rng(kSeed);
  for (const Source& source : kSources)
    for (const Variant& variant : kVariants) {
      CAPTURE(source.name);
      CAPTURE(variant.options);
      const Observations observations = source.make(rng);
      ValueTable table = options(variant.options);
      const auto& entry = problem_catalog().at(variant.problem);
      const Problem exact = entry.make(observations, table);
      table.set("precision", "float");
      const Problem single = entry.make(observations, table);
      const Point x = generic_point(exact, rng);
      Executor executor;
      Evaluation evaluation(executor);
      Point expected = exact.domain()->zero(), got = expected;
      const double f = exact.face<SmoothFace>().value_and_gradient(x, expected, evaluation);
      CHECK(close(single.face<SmoothFace>().value_and_gradient(x, got, evaluation), f, kSinglePrecision));
      CHECK(all_close(got.flat(), expected.flat(), kSinglePrecision));
      CHECK(single.face<SmoothFace>().value(x, evaluation) ==
            single.face<SmoothFace>().value_and_gradient(x, got, evaluation));
    }
}

TEST_CASE("triplets induced by an attribute table have the sum of their stored copy") {
  for (int repeat = 0; repeat < 3; ++repeat)
    for (const Variant& variant : kVariants) {
      CAPTURE(repeat);
      CAPTURE(variant.options);
      Rng rng = Rng::stream(kSeed, repeat);
      const Observations induced = attribute_observations(20, 3, rng);
      Observations stored = induced;
      stored.triplets = std::make_shared<TripletList>(TripletList::copy_of(*induced.triplets));
      const Problem a = make(variant.problem, induced, variant.options);
      const Problem b = make(variant.problem, stored, variant.options);
      const Point x = generic_point(a, rng);
      Executor executor;
      Evaluation evaluation(executor);
      Point ga = a.domain()->zero(), gb = ga;
      const double fa = a.face<SmoothFace>().value_and_gradient(x, ga, evaluation);
      const double fb = b.face<SmoothFace>().value_and_gradient(x, gb, evaluation);
      CHECK(close(fa, fb, kSum));
      CHECK(all_close(ga.flat(), gb.flat(), kSum));
      Point ta = a.domain()->zero(), tb = ta;
      for (const TermIndex t : {TermIndex{0}, a.face<FiniteSumFace>().term_count() - 1}) {
        CHECK(a.face<FiniteSumFace>().add_terms(x, t, t + 1, ta) == b.face<FiniteSumFace>().add_terms(x, t, t + 1, tb));
        CHECK(same_bits(ta.flat(), tb.flat()));
      }
    }
}

TEST_CASE("whole problems agree with the reference instances") {
  std::ifstream in(std::string(test_folder()) + "/problems/data/triplets_reference.json");
  REQUIRE(in.good());
  const nlohmann::json file = nlohmann::json::parse(in);
  int cases = 0;
  for (const auto& instance : file["instances"]) {
    const Index n = instance["n"], d = instance["d"];
    TripletList plain(n), with_weights(n);
    double total_weight = 0;
    for (std::size_t i = 0; i < instance["triplets"].size(); ++i) {
      const auto& t = instance["triplets"][i];
      const double weight = instance["weights"][i];
      plain.add({t[0], t[1], t[2]});
      with_weights.add({t[0], t[1], t[2], 0, weight});
      total_weight += weight;
    }
    for (const auto& one : instance["cases"]) {
      const std::string loss = one["loss"];
      const bool is_weighted = one["weights"] == "weighted";
      const double sum_of_weights = is_weighted ? total_weight : static_cast<double>(plain.size());
      ValueTable table;
      table.set("n_components", static_cast<std::int64_t>(d));
      // The file's lambda is absolute, the option's is per triplet.
      table.set("lambda0", one["lambda"].get<double>() * static_cast<double>(n) / sum_of_weights);
      table.set("lambda", 0.0);
      for (const auto& [key, value] : one["params"].items()) table.set(key, value.get<double>());
      if (loss == "gnmds") table.set("smoothing", 0.0);
      CAPTURE(loss);
      const std::string shown = Value(table).to_text();
      CAPTURE(shown);
      Observations observations = observations_of(std::make_shared<TripletList>(is_weighted ? with_weights : plain));
      observations.weight_unit = 1;  // as they are
      const Problem problem = problem_catalog().at(loss).make(observations, table);
      CHECK(problem.notes().empty());  // the regulariser of the file counts every object
      Point x = problem.domain()->zero(), gradient = x, expected = x;
      for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < d; ++c) {
          x.block(0)(i, c) = instance["coordinates"][static_cast<std::size_t>(i)][static_cast<std::size_t>(c)];
          expected.block(0)(i, c) = one["gradient"][static_cast<std::size_t>(i)][static_cast<std::size_t>(c)];
        }
      Executor executor;
      Evaluation evaluation(executor);
      CHECK(close(problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation), one["objective"], kSum));
      CHECK(all_close(gradient.flat(), expected.flat(), kGradient));
      ++cases;
    }
  }
  CHECK(cases == 19 * 8);
}

TEST_CASE("objects in no triplet have no gradient, no regulariser, and a note") {
  Rng rng(kSeed);
  const auto list = std::make_shared<TripletList>(10);
  list->add({0, 1, 2});
  list->add({3, 2, 1});
  Observations observations = observations_of(list);
  for (const Variant& variant : kVariants) {
    CAPTURE(variant.options);
    const Problem problem = make(variant.problem, observations, variant.options);
    const Point x = generic_point(problem, rng);
    Executor executor;
    Evaluation evaluation(executor);
    Point gradient = problem.domain()->zero();
    problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation);
    for (Index i = 4; i < 10; ++i) CHECK(gradient.block(0).row(i).norm() == 0);
    // The hinge of SOE may be met by chance, and has no regulariser by default.
    if (variant.problem != "soe")
      for (Index i = 0; i < 4; ++i) CHECK(gradient.block(0).row(i).norm() > 0);
    check_finite_sum(problem, x);
    REQUIRE(problem.notes().size() == 1);
    CHECK(holds_all(problem.notes().front(), {"6 of 10 objects", "random start", "o4, o5"}));
    Point moved = x;
    moved.block(0).row(9) *= 0.5;
    CHECK(problem.face<SmoothFace>().value(moved, evaluation) == problem.face<SmoothFace>().value(x, evaluation));
  }
}

TEST_CASE("lambda is per triplet and object: doubling the triplets doubles it") {
  Rng rng(kSeed);
  const TripletList once = triplets_of(gaussian_points(12, 2, rng), 200, 0, rng);
  TripletList twice = once;
  for (std::uint64_t i = 0; i < once.size(); ++i) twice.add(once.at(i));
  const auto penalty = [&](const TripletList& list, std::string_view with) {
    const auto observations = observations_of(std::make_shared<TripletList>(list));
    const Problem bare = make("ste", observations, "{ lambda0 = 0, lambda = 0 }"),
                  full = make("ste", observations, with);
    Rng same(3);
    const Point x = generic_point(bare, same);
    Executor executor;
    Evaluation evaluation(executor);
    return full.face<SmoothFace>().value(x, evaluation) - bare.face<SmoothFace>().value(x, evaluation);
  };
  const double single = penalty(once, "{ lambda0 = 0.1, lambda = 0 }");
  CHECK(penalty(twice, "{ lambda0 = 0.1, lambda = 0 }") == doctest::Approx(2 * single));
  Rng same(3);
  const Matrix x = gaussian_points(12, 2, same);
  CHECK(single == doctest::Approx(0.1 * 200 / 12 * x.squaredNorm()));
}

TEST_CASE("by rule lambda is l2_scale times the root of the answers per object in a triplet, and nothing else counts") {
  Rng rng(kSeed);
  const TripletList once = triplets_of(gaussian_points(12, 2, rng), 200, 0, rng);
  TripletList twice = once, heavier(12), with_idle(30);
  for (std::uint64_t i = 0; i < once.size(); ++i) {
    Triplet triplet = once.at(i);
    twice.add(triplet);
    with_idle.add(triplet);
    triplet.weight = 2;
    heavier.add(triplet);
  }
  const auto lambda = [&](const TripletList& list, std::string_view name, std::string_view with) {
    const auto observations = observations_of(std::make_shared<TripletList>(list));
    const Problem problem = make(name, observations, with);
    const Point x = problem.domain()->zero();
    const Embedding map = problem.decode(Solution(x));
    const auto entry = std::ranges::find(map.estimates, "lambda", [](const auto& estimate) { return estimate.first; });
    REQUIRE(entry != map.estimates.end());
    return entry->second;
  };
  const double answers_each = 200.0 / 12;
  CHECK(close(lambda(once, "ste", "{ l2 = auto, l2_scale = 0.7 }"), 0.7 * std::sqrt(answers_each), kSum));
  CHECK(close(lambda(twice, "ste", "{ l2 = auto, l2_scale = 0.7 }"), 0.7 * std::sqrt(2 * answers_each), kSum));
  // A common factor of the weights says nothing.
  CHECK(lambda(heavier, "ste", "{ l2 = auto }") == lambda(once, "ste", "{ l2 = auto }"));
  // Objects without answers change nothing: the places of the others do not depend on them.
  CHECK(lambda(with_idle, "ste", "{ l2 = auto }") == lambda(once, "ste", "{ l2 = auto }"));
  // lambda and lambda0 are replaced, and the dimension has no part in it.
  CHECK(lambda(once, "ste", "{ l2 = auto, lambda = 9, lambda0 = 9, n_components = 7 }") ==
        lambda(once, "ste", "{ l2 = auto }"));
  const std::vector<std::pair<std::string, double>> kDefaults = {
      {"ste", 1}, {"tste", 0.4}, {"ckl", 2}, {"gnmds", 3}, {"soe", 1}};
  for (const auto& [name, scale] : kDefaults) {
    CAPTURE(name);
    CHECK(close(lambda(once, name, "{ l2 = auto }"), scale * std::sqrt(answers_each), kSum));
  }
  // The objective has exactly this term, over the objects in a triplet.
  const auto value = [&](std::string_view with) {
    const auto observations = observations_of(std::make_shared<TripletList>(with_idle));
    Rng same(3);
    const Problem problem = make("tste", observations, with);
    const Point x = generic_point(problem, same);
    Executor executor;
    Evaluation evaluation(executor);
    return std::pair(problem.face<SmoothFace>().value(x, evaluation), x.block(0).topRows(12).squaredNorm());
  };
  const auto [bare, squares] = value("{ lambda0 = 0 }");
  const double ruled = value("{ l2 = auto }").first;
  CHECK(close(ruled - bare, 0.4 * std::sqrt(answers_each) * squares, {1e-10, 0}));
  // Without the rule the map has no estimate: named methods keep their rows.
  CHECK(make("ste", observations_of(std::make_shared<TripletList>(once)))
            .decode(Solution(make("ste", observations_of(std::make_shared<TripletList>(once))).domain()->zero()))
            .estimates.empty());
  CHECK_THROWS_AS(static_cast<void>(
                      make("ste", observations_of(std::make_shared<TripletList>(once)), "{ l2 = auto, l2_scale = 0 }")),
                  ConfigError);
  CHECK_THROWS_AS(static_cast<void>(make("ste", observations_of(std::make_shared<TripletList>(once)), "{ l2 = best }")),
                  ConfigError);
}

TEST_CASE("identities between problems hold for whole sums") {
  Rng rng(kSeed);
  const Observations observations = gaussian_observations(20, 2, rng);
  const auto value = [&](std::string_view name, std::string_view text) {
    const Problem problem = make(name, observations, text);
    Rng same(4);
    const Point x = generic_point(problem, same);
    Executor executor;
    Evaluation evaluation(executor);
    return problem.face<SmoothFace>().value(x, evaluation);
  };
  CHECK(close(value("ete", "{ t = 1, t_prime = 1, lambda0 = 0 }"), value("ste", "{ lambda0 = 0, lambda = 0 }"), kSum));
  CHECK(close(value("ete", "{ t = 1, t_prime = 2, lambda0 = 0 }"), value("tste", "{ alpha = 1, lambda0 = 0 }"), kSum));
  // alpha = 0 means max(n_components - 1, 1).
  CHECK(value("tste", "{}") == value("tste", "{ alpha = 1 }"));
  CHECK(value("tste", "{ n_components = 4 }") == value("tste", "{ n_components = 4, alpha = 3 }"));
  CHECK(value("tste", "{ n_components = 4 }") != value("tste", "{ n_components = 4, alpha = 1 }"));
}

TEST_CASE("starts depend on the stream, have the requested scale and lie on the manifold") {
  Rng rng(kSeed);
  const Observations observations = gaussian_observations(400, 2, rng);
  const Problem plane = make("ete", observations, "{ init_scale = 0.5, n_components = 3 }");
  Rng a(1), b(1), c(2);
  const Point x = std::get<Point>(plane.start(a));
  CHECK(same_bits(x.flat(), std::get<Point>(plane.start(b)).flat()));
  CHECK_FALSE(same_bits(x.flat(), std::get<Point>(plane.start(c)).flat()));
  CHECK(std::sqrt(x.vector().squaredNorm() / 1200) == doctest::Approx(0.5).epsilon(0.1));
  // Under the rule at least 0.1, else solvers would stop near the centre.
  const Problem ruled = make("ste", observations, "{ l2 = auto }");
  const Point y = std::get<Point>(ruled.start(a));
  CHECK(std::sqrt(y.vector().squaredNorm() / 800) == doctest::Approx(0.1).epsilon(0.1));
  const Point z = std::get<Point>(make("ste", observations, "{ l2 = auto, init_scale = 3 }").start(a));
  CHECK(std::sqrt(z.vector().squaredNorm() / 800) == doctest::Approx(3).epsilon(0.1));
  CHECK(plane.decode(Solution(x)).only() == x.block(0));
  CHECK(plane.decode(Solution(x)).maps.size() == 1);

  const Problem sphere = make("ete", observations, "{ manifold = oblique, radius = 4 }");
  const Point u = std::get<Point>(sphere.start(a));
  CHECK(sphere.domain()->residual(u) < 1e-14 * 4);
  CHECK(u.block(0).cols() == 3);  // a two-dimensional sphere has three coordinates
  CHECK(u.block(0).row(0).norm() == doctest::Approx(4));
}

TEST_CASE("every catalog entry describes its problems correctly") {
  Rng rng(kSeed);
  Observations observations = gaussian_observations(10, 2, rng);
  observations.features = std::make_shared<const FeatureMatrix>(observations.truth.cast<float>());
  observations.dissimilarities = {{"", Matrix::Ones(10, 10), {}}};
  observations.pair_signs = ring_signs(10);
  auto who = std::make_shared<std::vector<std::uint32_t>>();
  for (std::uint64_t i = 0; i < observations.triplets->size(); ++i) who->push_back(static_cast<std::uint32_t>(i % 3));
  observations.annotator = std::move(who);
  observations.annotators = {"x", "y", "z"};
  for (const ProblemEntry& entry : problem_catalog().entries()) {
    CAPTURE(entry.name);
    ValueTable fitting;  // ten objects have no twenty neighbours
    if (find_option(entry.options, "perplexity")) fitting.set("perplexity", 4.0);
    const Problem problem = entry.make(observations, fitting);
    CHECK(problem.name() == entry.name);
    CHECK(problem.offers() == entry.offers);
    CHECK_FALSE(entry.summary.empty());
    CHECK_FALSE(entry.reference.empty());
    CHECK_FALSE(entry.needs.empty());
    for (const OptionInfo& info : entry.options) {
      CHECK_FALSE(info.doc.empty());
      ValueTable table = fitting;
      if (info.name != "perplexity") table.set(info.name, info.default_value);
      CHECK_NOTHROW(static_cast<void>(entry.make(observations, table)));
    }
  }
}

TEST_CASE("impossible observations and options are refused in words") {
  Rng rng(kSeed);
  const Observations good = gaussian_observations(10, 2, rng);
  CHECK(holds_all(message_of<ConfigError>([&] { static_cast<void>(make("ete", good, "{ t = 0.5 }")); }),
                  {"'ete'", "'t'", ">= 1", "0.5"}));
  CHECK(holds_all(message_of<ConfigError>([&] { static_cast<void>(make("ste", good, "{ alpha = 1 }")); }),
                  {"'ste'", "'alpha'", "lapse_rate, n_components"}));
  CHECK_THROWS_AS(static_cast<void>(make("ete", good, "{ manifold = torus }")), ConfigError);

  Observations none;
  none.name = "names only";
  none.objects = {"a", "b", "c"};
  CHECK_THROWS_WITH_AS(static_cast<void>(make("ste", none)), doctest::Contains("'names only' offers nothing."),
                       DataError);
  none.triplets = std::make_shared<TripletList>(3);
  CHECK_THROWS_AS(static_cast<void>(make("ste", none)), DataError);

  // Two objects can not even make a triplet, so the count is what is wrong.
  const auto list = std::make_shared<TripletList>(10);
  list->add({0, 1, 2});
  Observations few = observations_of(list);
  few.objects.resize(2);
  CHECK_THROWS_AS(static_cast<void>(make("ste", few)), DataError);
  few.objects.resize(5);
  CHECK(holds_all(message_of<DataError>([&] { static_cast<void>(make("ste", few)); }), {"'test'", "5 objects", "10"}));
}

}  // namespace
}  // namespace triplet_map_test
