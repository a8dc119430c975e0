#include "problems/multiview/score_problem.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "problems/catalog.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/multiview/score_term.hpp"
#include "problems/multiview/tangent_map.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace score_problem_test {
namespace {

using namespace alidade;
using namespace alidade::multiview;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

ValueTable options(std::string_view text) { return *value_from_text(text).get_if<ValueTable>(); }

Problem make(const Observations& observations, std::string_view text = "{}") {
  return problem_catalog().at("score").make(observations, options(text));
}

Matrix rows_of(const nlohmann::json& rows, bool normalise) {
  Matrix out(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size()));
  for (Index i = 0; i < out.rows(); ++i)
    for (Index c = 0; c < out.cols(); ++c) out(i, c) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)];
  if (normalise) out.rowwise().normalize();
  return out;
}

/// One of the reference instances as observations and a point.
struct Instance {
  Observations observations;
  ValueTable table;
  Matrix objects, normals;
  std::vector<double> deltas;

  explicit Instance(const nlohmann::json& one) {
    const auto list = std::make_shared<TripletList>(one["n"].get<Index>());
    for (const auto& t : one["triplets_t_centre_near_far"]) list->add({t[1], t[2], t[3], t[0]});
    observations = observations_of(list);
    table.set("n_components", one["K"].get<std::int64_t>());
    table.set("alpha", one["alpha"].get<double>());
    table.set("kappa", one["kappa"].get<double>());
    std::string mu;
    for (const double entry : one["mu"]) mu += shortest(entry) + " ";
    table.set("mu", mu);
    table.set("delta_mode", "gradient");
    table.set("delta_coordinate", "projection");
    objects = rows_of(one["y_unnormalised"], true);
    normals = rows_of(one["x_unnormalised"], true);
    deltas = one["delta"].get<std::vector<double>>();
  }
  [[nodiscard]] Problem problem() const { return problem_catalog().at("score").make(observations, table); }
  [[nodiscard]] Point point(const Problem& of) const {
    Point x = of.domain()->zero();
    x.block(0) = objects;
    x.block(1) = normals;
    for (std::size_t t = 0; t < deltas.size(); ++t) x.block(2)(static_cast<Index>(t), 0) = deltas[t];
    return x;
  }
};

const nlohmann::json& reference() {
  static const nlohmann::json kFile = [] {
    std::ifstream in(std::string(test_folder()) + "/problems/data/multiview_reference.json");
    REQUIRE(in.good());
    return nlohmann::json::parse(in);
  }();
  return kFile;
}

constexpr Tolerance kReference = {1e-12, 1e-12};

TEST_CASE("value, Riemannian gradients, delta steps and satisfied triplets are those of the reference") {
  int cases = 0;
  for (const auto& one : reference()["score"]) {
    CAPTURE(cases);
    const Instance instance(one);
    const Problem problem = instance.problem();
    const Point x = instance.point(problem);
    Executor executor;
    Evaluation evaluation(executor);
    Point euclidean = problem.domain()->zero(), gradient = euclidean;
    CHECK(close(problem.face<SmoothFace>().value_and_gradient(x, euclidean, evaluation),
                -one["log_objective"].get<double>(), kReference));
    problem.domain()->gradient(x, euclidean, gradient);
    const Matrix y = rows_of(one["riemannian_grad_y"], false), n = rows_of(one["riemannian_grad_x"], false);
    const double scale = std::max(y.norm(), n.norm());
    CHECK((gradient.block(0) + y).norm() <= 1e-12 * scale);
    CHECK((gradient.block(1) + n).norm() <= 1e-12 * scale);
    for (std::size_t t = 0; t < instance.deltas.size(); ++t)
      CHECK(close(gradient.block(2)(static_cast<Index>(t), 0), -one["grad_delta"][t].get<double>(), kReference));

    // Algorithm 1's direction, summed over the triplets; zeros and ones of the third instance included.
    ValueTable published = instance.table;
    published.set("delta_mode", "algorithm_1");
    const ScoreProblem printed(instance.observations, ScoreOptions::list().parse(published, "test"));
    std::vector<double> sums(instance.deltas.size(), 0.0);
    for (TermIndex u = 0; u < printed.term_count(); ++u) {
      TermGradient term(10);
      printed.direction(x, u, term);
      sums[static_cast<std::size_t>(term.entries()[4].row)] -= *term.entries()[4].gradient;
    }
    for (std::size_t t = 0; t < sums.size(); ++t)
      CHECK(close(sums[t], one["paper_delta_direction_sum"][t].get<double>(), kReference));

    const Embedding embedding = problem.decode(Solution(x));
    int satisfied = 0;
    for (std::uint64_t u = 0; u < instance.observations.triplets->size(); ++u) {
      const Triplet t = instance.observations.triplets->at(u);
      const Matrix& map = embedding.maps[t.aspect].coordinates;
      satisfied += (map.row(t.anchor) - map.row(t.near)).norm() < (map.row(t.anchor) - map.row(t.far)).norm();
    }
    CHECK(satisfied == one["satisfied_triplets_on_maps"].get<int>());
    ++cases;
  }
  CHECK(cases == 4);
}

TEST_CASE("one stochastic step agrees with the reference, for either reading of delta") {
  const auto& step = reference()["score_sgd_step"];
  Instance instance(reference()["score"][0]);
  const auto list = std::make_shared<TripletList>(5);
  list->add({step["triplet"][1], step["triplet"][2], step["triplet"][3], step["triplet"][0]});
  list->add({0, 1, 2, 1});  // so that there are two aspects
  instance.observations = observations_of(list);
  instance.table.set("alpha", step["alpha"].get<double>());
  for (const char* mode : {"algorithm_1", "gradient"}) {
    CAPTURE(mode);
    instance.table.set("delta_mode", mode);
    const Problem problem = instance.problem();
    Point x = instance.point(problem);
    RowUpdate update(*problem.domain(), {.kind = RowRule::Kind::plain});
    update.set_learning_rate(step["eps"].get<double>());
    RunScratch scratch(*problem.domain());
    const std::array<TermIndex, 1> first = {0};
    problem.face<FiniteSumFace>().run(x, first, 1, 1, update, scratch);
    CHECK((x.block(0) - rows_of(step["y_after"], false)).norm() < 1e-12);
    CHECK((x.block(1) - rows_of(step["x_after"], false)).norm() < 1e-12);
    const auto& deltas = step[mode == std::string("gradient") ? "delta_after_true_gradient" : "delta_after_paper"];
    for (Index t = 0; t < 2; ++t)
      CHECK(close(x.block(2)(t, 0), deltas[static_cast<std::size_t>(t)].get<double>(), kReference));
  }
}

TEST_CASE("tangent coordinates keep tangent distances, in every dimension and at both poles") {
  Rng rng(kSeed);
  for (const Index k : {1, 2, 3, 5, 10})
    for (const int pole : {0, 1, -1, 2}) {
      CAPTURE(k);
      CAPTURE(pole);
      Vector x(k + 1);
      for (double& entry : x) entry = rng.normal();
      if (pole != 0) x.setZero();
      if (pole == 1 || pole == -1) x[k] = pole;
      if (pole == 2) x[0] = 1;  // the last coordinate is 0
      x.normalize();
      const Matrix y = gaussian_points(7, k + 1, rng);
      const std::span<const double> normal(x.data(), static_cast<std::size_t>(k + 1));
      const TangentFrame frame(normal);
      Matrix basis = Matrix::Zero(k, k + 1);  // B^T
      for (Index c = 0; c < k; ++c) {
        const Vector unit = Vector::Unit(k, c);
        frame.add_lifted(unit.data(), basis.row(c).data());
      }
      CHECK((basis * x).norm() < 1e-15 * static_cast<double>(k + 1));
      CHECK((basis * basis.transpose() - Matrix::Identity(k, k)).norm() < 2e-15 * static_cast<double>(k));
      const Matrix map = tangent_map(y, normal);
      CHECK((map - y * basis.transpose()).norm() < 1e-14);
      Vector coordinates(k);
      CHECK(close(frame.coordinates(y.row(0).data(), coordinates.data()), y.row(0).dot(x), {1e-14, 1e-14}));
      for (Index i = 1; i < 7; ++i) {
        const Vector apart = y.row(i) - y.row(0);
        const Vector tangent = apart - x * x.dot(apart);
        CHECK(close((map.row(i) - map.row(0)).norm(), tangent.norm(), {1e-14, 0}));
      }
    }
}

/// Aspects as they come: some codes missing, one of a single value, one without any, one with ties of rare values.
Observations odd_table(Index n, Rng& rng) {
  Observations out = attribute_observations(n, 3, rng);
  std::vector<AttributeTable::Aspect> aspects = out.attributes->aspects();
  AttributeTable::Aspect constant{"constant", std::vector<std::int32_t>(static_cast<std::size_t>(n), 0), {"same"}};
  AttributeTable::Aspect unknown{
      "unknown", std::vector<std::int32_t>(static_cast<std::size_t>(n), AttributeTable::kMissing), {"a", "b"}};
  AttributeTable::Aspect rare{
      "rare", std::vector<std::int32_t>(static_cast<std::size_t>(n), 0), {"often", "once", "twice"}};
  rare.codes[2] = 1;
  rare.codes[3] = rare.codes[4] = 2;
  aspects.insert(aspects.begin() + 1, constant);
  aspects.push_back(unknown);
  aspects.push_back(rare);
  out.attributes = std::make_shared<const AttributeTable>(n, std::move(aspects));
  out.triplets = out.attributes;
  for (const auto& aspect : out.attributes->aspects()) out.aspects.push_back(aspect.name);
  return out;
}

const std::vector<std::string> kVariants = {
    "{}",
    "{ alpha = 100 }",
    "{ delta = 0.7, n_components = 1 }",
    "{ delta_mode = gradient, alpha = 5 }",
    "{ delta_mode = gradient, n_components = 3, kappa = 0.3, delta = 0.9 }",
    "{ delta_mode = gradient, delta_coordinate = projection, alpha = 100 }",
    "{ delta_mode = em, n_components = 5, kappa = 2, mu = \"1 1 0 -2 0 3\" }",
    "{ delta_mode = algorithm_1, pooled = true, prior = per_touch, kappa = 0.1 }",
    "{ delta_mode = algorithm_1, alpha = 150, n_components = 2 }",
    "{ alpha = 400, pooled = true }",
};

/// A generic point: deltas inside (0, 1), the two nearest objects not on one spot.
Point generic_point(const Problem& problem, Rng& rng) { return problem.domain()->random(rng); }

TEST_CASE(
    "tables, views of them, lists and weights: terms add up to what kernels sum, by any number of "
    "threads") {
  for (const std::string& variant : kVariants) {
    CAPTURE(variant);
    Rng rng = Rng::stream(kSeed, variant);
    const Observations table = odd_table(17, rng);
    Observations view = table, list = table, with_weights = table;
    view.triplets = hold_out(table.triplets, 0.3, 5).train;
    const TripletList stored = TripletList::copy_of(*table.triplets);
    list.triplets = std::make_shared<TripletList>(stored);
    with_weights.triplets = std::make_shared<TripletList>(weighted(stored, rng));
    const Problem of_table = make(table, variant), of_list = make(list, variant);
    const Point x = generic_point(of_table, rng);
    for (const Observations* observations :
         {&table, &std::as_const(view), &std::as_const(list), &std::as_const(with_weights)}) {
      const Problem problem = make(*observations, variant);
      CHECK(problem.face<FiniteSumFace>().term_count() == observations->triplets->size());
      check_finite_sum(problem, x);
      check_thread_independence(problem, x);
    }
    Executor executor;
    Evaluation evaluation(executor);
    Point a = of_table.domain()->zero(), b = a;
    CHECK(close(of_table.face<SmoothFace>().value_and_gradient(x, a, evaluation),
                of_list.face<SmoothFace>().value_and_gradient(x, b, evaluation), kSum));
    CHECK((a.vector() - b.vector()).norm() <= 1e-11 * b.vector().norm());
  }
}

TEST_CASE("the gradient is the value's") {
  for (const std::string& variant : kVariants) {
    CAPTURE(variant);
    if (variant.find("alpha = 100") != std::string::npos || variant.find("alpha = 400") != std::string::npos)
      continue;  // too steep for the slopes that the check looks at
    Rng rng = Rng::stream(kSeed, "gradient", variant);
    for (const bool stored : {false, true}) {
      Observations observations = odd_table(12, rng);
      if (stored) observations.triplets = std::make_shared<TripletList>(TripletList::copy_of(*observations.triplets));
      const Problem problem = make(observations, variant);
      check_gradient(problem, generic_point(problem, rng), rng, 2);
    }
  }
}

TEST_CASE("many triplets are cut into chunks, and threads change no bit") {
  Rng rng(kSeed);
  const Observations observations = attribute_observations(90, 4, rng);
  for (const char* variant : {"{}", "{ delta_mode = gradient }"}) {
    const Problem problem = make(observations, variant);
    REQUIRE(observations.triplets->size() > (1 << 18));
    check_thread_independence(problem, generic_point(problem, rng));
  }
}

TEST_CASE("for extreme ratios logarithms agree with ratios where both are finite, and stay finite beyond") {
  for (const double delta : {0.0, 1e-9, 0.3, 1.0})
    for (const double a : {-199.0, -30.0, -1.0, 0.0, 2.0, 60.0, 199.0})
      for (const double b : {-199.0, -20.0, 0.0, 1.5, 45.0, 199.0}) {
        CAPTURE(delta);
        CAPTURE(a);
        CAPTURE(b);
        const MixtureTerm fast = mixture_term(1, delta, a, b),
                          slow = multiview::detail::mixture_in_logarithms(1, delta, a, b);
        const Tolerance tolerance = {1e-12, 1e-300};
        CHECK(close(fast.loss, slow.loss, {1e-12, 1e-15}));
        CHECK(close(fast.local, slow.local, tolerance));
        CHECK(close(fast.global, slow.global, tolerance));
        CHECK(std::abs(fast.d_delta - slow.d_delta) <= 1e-12 * (std::abs(slow.d_delta) + 1));
        CHECK(std::abs(fast.difference - slow.difference) <= 1e-15);
        if (delta == 1) {
          const MixtureTerm map = map_term(1, a);
          CHECK(close(map.loss, slow.loss, {1e-12, 1e-15}));
          CHECK(close(map.local, slow.local, tolerance));
        }
      }
  for (const double a : {-5000.0, 5000.0}) {
    const MixtureTerm term = mixture_term(2, 0.5, a, a);
    CHECK(std::isfinite(term.loss));
    CHECK(close(term.loss, a > 0 ? 1e4 : 0, {1e-12, 1e-300}));
    CHECK(close(map_term(2, a).loss, a > 0 ? 1e4 : 0, {1e-12, 1e-300}));
    CHECK(std::isfinite(term.local));
  }
}

TEST_CASE("objects on one spot, or above one another, have the subgradient 0") {
  Rng rng(kSeed);
  const Observations table = attribute_observations(8, 2, rng);
  Observations list = table;
  list.triplets = std::make_shared<TripletList>(TripletList::copy_of(*table.triplets));
  for (const Observations* observations : {&table, &std::as_const(list)}) {
    const Problem problem = make(*observations, "{ delta_mode = gradient }");
    Point x = problem.domain()->random(rng);
    x.block(0).row(1) = x.block(0).row(0);
    const Vector normal = x.block(1).row(0);
    const Vector above = x.block(0).row(2);
    x.block(0).row(3) = above - 2 * normal.dot(above) * normal;  // its mirror image in the plane
    Executor executor;
    Evaluation evaluation(executor);
    Point gradient = problem.domain()->zero();
    CHECK(std::isfinite(problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation)));
    CHECK(gradient.vector().allFinite());
    CHECK(gradient.vector().norm() > 0);
  }
}

TEST_CASE("aspects without triplets keep a map; notes name them and idle objects") {
  Rng rng(kSeed);
  const Observations observations = odd_table(14, rng);
  const Problem problem = make(observations, "{ delta_mode = em, delta = 0.25 }");
  REQUIRE(problem.notes().size() == 1);
  CHECK(holds_all(problem.notes().front(), {"2 of 6 aspects have no training triplet", ": constant, unknown."}));
  const Solution start = problem.start(rng);
  const Embedding embedding = problem.decode(start);
  REQUIRE(embedding.maps.size() == 6);
  for (std::size_t t = 0; t < 6; ++t) {
    CHECK(embedding.maps[t].name == observations.aspects[t]);
    CHECK(embedding.maps[t].coordinates.allFinite());
    CHECK(embedding.maps[t].coordinates.rows() == 14);
    CHECK(embedding.maps[t].coordinates.cols() == 2);
    CHECK(close(embedding.maps[t].normal.norm(), 1, kRounding));
    CHECK(embedding.estimates[t].first == "delta(" + observations.aspects[t] + ")");
    CHECK(embedding.estimates[t].second == 0.25);
  }
  CHECK(embedding.estimates.back() == std::pair<std::string, double>("absorbed", 0.0));

  const auto list = std::make_shared<TripletList>(5);
  list->add({0, 1, 2});
  const Problem one = make(observations_of(list));
  CHECK(one.notes() ==
        std::vector<std::string>{"2 of 5 objects are in no training triplet and stay at their random start: o3, o4."});
  const Embedding single = one.decode(one.start(rng));
  CHECK(single.maps.size() == 1);
  CHECK(single.maps.front().name.empty());
  CHECK(single.estimates.empty());
}

TEST_CASE("pooled aspects share a map, and the sum is that of their triplets as one aspect") {
  Rng rng(kSeed);
  const Observations observations = attribute_observations(15, 3, rng);
  const auto merged = std::make_shared<TripletList>(15);
  for (std::uint64_t u = 0; u < observations.triplets->size(); ++u) {
    Triplet t = observations.triplets->at(u);
    t.aspect = 0;
    merged->add(t);
  }
  const Problem pooled = make(observations, "{ pooled = true, delta_mode = gradient }");
  const Problem one = make(observations_of(merged), "{ delta_mode = gradient }");
  const Point x = pooled.domain()->random(rng);
  CHECK(x.block(1).rows() == 1);
  Executor executor;
  Evaluation evaluation(executor);
  CHECK(close(pooled.face<SmoothFace>().value(x, evaluation), one.face<SmoothFace>().value(x, evaluation), kSum));
  CHECK(pooled.decode(Solution(x)).maps.size() == 1);
}

TEST_CASE("bad options are refused with a sentence") {
  Rng rng(kSeed);
  const Observations observations = attribute_observations(8, 2, rng);
  CHECK_THROWS_AS(make(observations, "{ kappa = 1, mu = \"1 2\" }"), ConfigError);
  CHECK_THROWS_AS(make(observations, "{ kappa = 1, mu = \"1 x 2\" }"), ConfigError);
  CHECK_THROWS_AS(make(observations, "{ kappa = 1, mu = \"0 0 0\" }"), ConfigError);
  CHECK_THROWS_AS(make(observations, "{ alpha = 0 }"), ConfigError);
  CHECK_THROWS_AS(make(Observations{}), DataError);
}

}  // namespace
}  // namespace score_problem_test
