#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/stages.hpp"
#include "problems/neighbor/affinities.hpp"
#include "problems/neighbor/map_neighbor_tree.hpp"
#include "problems/neighbor/sparse_affinities.hpp"
#include "problems/neighbor/sparse_nerv_kernel.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/objective_of.hpp"
#include "tests/support/observation_makers.hpp"

namespace sparse_nerv_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using namespace alidade::neighbor;

constexpr std::uint64_t kSeed = 20240611;
/// At which a step of gradient descent reaches the end of the stage that sets a map's scale, of few objects.
constexpr double kGentleRate = 50;

Problem make(const Observations& observations, const std::string& text) {
  ValueTable options = *value_from_text(text).get_if<ValueTable>();
  if (!options.find("path")) options.set("path", "none");
  return problem_catalog().at("nerv_sparse").make(observations, options);
}

/// Points of `clusters` normal clusters.
FeatureMatrix clustered(Index n, Index p, Index clusters, Rng& rng) {
  const Matrix centres = 4 * gaussian_points(clusters, p, rng);
  Matrix out = gaussian_points(n, p, rng);
  for (Index i = 0; i < n; ++i) out.row(i) += centres.row(i % clusters);
  return out.cast<float>();
}

/// J of every row by its definition, all pairs, in double: KL divergences of p and q written out. Y and X in any units;
/// with widths calibrated by bisection here.
Vector plain_rows(const FeatureMatrix& X, const Matrix& Y, double perplexity, double lambda) {
  const Index n = X.rows();
  const Matrix Xd = X.cast<double>();
  Vector out(n);
  for (Index i = 0; i < n; ++i) {
    Vector D(n), d(n);
    for (Index j = 0; j < n; ++j) {
      D[j] = (Xd.row(i) - Xd.row(j)).squaredNorm();
      d[j] = (Y.row(i) - Y.row(j)).squaredNorm();
    }
    double nearest = std::numeric_limits<double>::infinity(), near = nearest;
    for (Index j = 0; j < n; ++j)
      if (j != i) {
        nearest = std::min(nearest, D[j]);
        near = std::min(near, d[j]);
      }
    const auto normalizer = [&](double beta) {
      double sum = 0;
      for (Index j = 0; j < n; ++j)
        if (j != i) sum += std::exp(-beta * (D[j] - nearest));
      return std::log(sum) - beta * nearest;
    };
    const auto entropy = [&](double beta) {
      const double log_z = normalizer(beta);
      double sum = 0;
      for (Index j = 0; j < n; ++j)
        if (j != i) sum += std::exp(-beta * D[j] - log_z) * (beta * D[j] + log_z);
      return sum;
    };
    double low = -30, high = 30;
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (low + high);
      (entropy(std::exp(middle)) > std::log(perplexity) ? low : high) = middle;
    }
    const double beta = std::exp(0.5 * (low + high)), log_z = normalizer(beta);
    double sum = 0;
    for (Index j = 0; j < n; ++j)
      if (j != i) sum += std::exp(-beta * (d[j] - near));
    const double log_s = std::log(sum) - beta * near;
    double misses = 0, false_neighbours = 0;
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      const double log_p = -beta * D[j] - log_z, log_q = -beta * d[j] - log_s;
      misses += std::exp(log_p) * (log_p - log_q);
      false_neighbours += std::exp(log_q) * (log_q - log_p);
    }
    out[i] = lambda * misses + (1 - lambda) * false_neighbours;
  }
  return out;
}

double estimate(const Embedding& embedding, std::string_view name) {
  for (const auto& [key, value] : embedding.estimates)
    if (key == name) return value;
  FAIL("no estimate ", name);
  return 0;
}

TEST_CASE("the tree finds the nearest objects and all within a radius, with duplicates and far ones") {
  Rng rng(kSeed);
  for (const Index d : {1, 2, 3, 5}) {
    CAPTURE(d);
    Matrix y = gaussian_points(300, d, rng);
    for (Index i = 0; i < 40; ++i) y.row(i) = y.row(0);
    y.row(299).array() += 1e6;
    const DisplayTree tree({y.data(), static_cast<std::size_t>(y.size())}, d);
    for (const Index i : {0, 41, 150, 299}) {
      double nearest = std::numeric_limits<double>::infinity();
      for (Index j = 0; j < 300; ++j)
        if (j != i) nearest = std::min(nearest, (y.row(i) - y.row(j)).squaredNorm());
      CHECK(close(tree.nearest(i), nearest, {1e-12, 0}));
      // From a place of nobody: met is all that is within what counts, and not everybody is.
      const Vector at = y.row(i).array() + 0.01;
      for (const double limit : {0.0, 0.05, 1e20}) {
        std::set<ObjectId> met;
        tree.nearest_first(at.data(), [&](ObjectId id) {
          CHECK(met.insert(id).second);
          return limit;
        });
        for (Index j = 0; j < 300; ++j)
          if ((y.row(j).transpose() - at).squaredNorm() < 0.999 * limit) CHECK(met.contains(static_cast<ObjectId>(j)));
        CHECK((limit < 1 ? met.size() < 200 : met.size() == 300));
      }
      for (const double radius : {0.0, 0.4, 2.0, 1e9}) {
        std::set<ObjectId> listed;
        tree.within(i, radius, [&](ObjectId id) { CHECK(listed.insert(id).second); });
        for (Index j = 0; j < 300; ++j) {
          const double distance = (y.row(i) - y.row(j)).norm();
          if (std::abs(distance - radius) > 1e-9 || distance == 0)
            CHECK(listed.contains(static_cast<ObjectId>(j)) == (distance <= radius));
        }
      }
    }
  }
}

TEST_CASE("listed and drawn probabilities sum to one, and the draws estimate the rest, on threads") {
  Rng rng(kSeed);
  const Observations data = of_features(gaussian_points(400, 10, rng).cast<float>());
  const DissimilarityRows rows(data, "test");
  Executor executor(2), alone;
  SparseAffinityOptions options;
  options.drawn = 12;
  options.nearest = 25;
  const SparseAffinities got = sparse_affinities(rows, options, executor);
  const Affinities want = affinities(rows, options.perplexity, executor);
  CHECK(close(got.beta[7], want.beta[7] * got.unit * got.unit, kSinglePrecision));
  CHECK(close(got.log_normalizer[7], want.log_normalizer[7], kSinglePrecision));
  CHECK(got.weights == sparse_affinities(rows, options, alone).weights);
  CHECK(got.ids == sparse_affinities(rows, options, alone).ids);
  CHECK(got.rest.mean() > 0.05);  // ten dimensions: far from all of p is in 25 of 399

  // E_p of some function of j, exactly and by the lists.
  double error = 0, variance = 0;
  for (Index i = 0; i < 400; ++i) {
    CHECK(std::abs(got.weights.row(i).cast<double>().sum() - 1) < 1e-5);
    for (Index k = 0; k < 12; ++k) {
      const Index drawn = got.ids(i, 25 + k);
      CHECK(drawn != i);
      for (Index l = 0; l < 25; ++l) CHECK(got.ids(i, l) != drawn);
    }
    double exact = 0;
    rows.for_each(i, i + 1, [&](Index, std::span<const double> D) {
      for (Index j = 0; j < 400; ++j)
        if (j != i)
          exact += std::exp(-want.beta[i] * D[static_cast<std::size_t>(j)] - want.log_normalizer[i]) *
                   static_cast<double>(j);
    });
    double listed = 0;
    for (Index k = 0; k < 37; ++k)
      listed += static_cast<double>(got.weights(i, k)) * static_cast<double>(got.ids(i, k));
    error += listed - exact;
    variance += std::pow(got.rest[i] * 400, 2) / 12;  // at most
  }
  CHECK(std::abs(error) < 4 * std::sqrt(variance));
}

TEST_CASE("with all neighbours listed the cost is the dense one, within its bound") {
  Rng rng(kSeed);
  const FeatureMatrix X = clustered(600, 6, 5, rng);
  for (const double lambda : {0.0, 0.1, 0.9, 1.0})
    for (const double cutoff : {3.0, 12.0}) {
      CAPTURE(lambda);
      CAPTURE(cutoff);
      const Problem problem =
          make(of_features(X), fmt::format("{{ n_neighbors = 599, lambda = {}, cutoff = {} }}", lambda, cutoff));
      Point x = std::get<Point>(problem.start(rng));
      x.vector() += 0.1 * problem.domain()->random(rng).vector();
      const Embedding map = problem.decode(x);
      const double want = plain_rows(X, map.only(), 20, lambda).mean(), got = objective_of(problem, x);
      const double bound = estimate(map, "cutoff_error");
      CHECK(std::abs(got - want) <= bound + 2e-5 * want);
      CHECK(got ==
            doctest::Approx(lambda * estimate(map, "misses") + (1 - lambda) * estimate(map, "false_neighbours")));
      // The bound says something, and at a low cutoff it has to.
      CHECK(bound < (cutoff > 10 ? 1e-3 : 0.3) * want);
      if (cutoff < 10) CHECK(std::abs(got - want) > 1e-3 * bound);
    }
}

/// Some steps down the gradient, each as far as lowers the cost.
void descend(const Problem& problem, Point& x, int steps) {
  Executor executor;
  Evaluation evaluation(executor);
  Point gradient = x, next = x;
  double value = problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation);
  double step = x.vector().norm() / gradient.vector().norm();
  for (int k = 0; k < steps; ++k) {
    next.vector() = x.vector() - step * gradient.vector();
    const double lower = problem.face<SmoothFace>().value(next, evaluation);
    step *= lower < value ? 1.5 : 0.4;
    if (!(lower < value)) continue;
    x = next;
    value = problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation);
  }
}

TEST_SUITE("heavy") {
  TEST_CASE("many objects: the dense cost within bound and sampling error, at the start and lower") {
    Rng rng(kSeed);
#ifdef ALIDADE_SANITIZED
    constexpr Index kObjects = 700;  // 2000 take ten minutes
#else
    constexpr Index kObjects = 2000;
#endif
    const FeatureMatrix X = clustered(kObjects, 12, 10, rng);
    const Observations data = of_features(X);
    for (const char* calibration : {"all", "nearest"}) {
      CAPTURE(calibration);
      const Problem problem =
          make(data, fmt::format("{{ calibration = {}, n_components = 3, lambda = 0.3 }}", calibration));
      Point x = std::get<Point>(problem.start(rng));
      const double at_start = objective_of(problem, x);
      for (const bool lower : {false, true}) {
        CAPTURE(lower);
        if (lower) {
          descend(problem, x, 40);
          REQUIRE(objective_of(problem, x) < 0.6 * at_start);
        }
        const Embedding map = problem.decode(x);
        const double want = plain_rows(X, map.only(), 20, 0.3).mean(), got = objective_of(problem, x);
        const double known = got + estimate(map, "dense_difference");
        CAPTURE(want);
        CAPTURE(got);
        CHECK(std::abs(known - want) <=
              estimate(map, "cutoff_error") + 4 * estimate(map, "dense_difference_error") + 2e-5 * want);
        // With p of all pairs the lists alone are near; without, what is beyond them is missing.
        CHECK(std::abs(got - want) < (std::string_view(calibration) == "all" ? 0.02 : 0.2) * want);
      }
    }
  }
}

TEST_CASE("a start has few enough near pairs, at the least scale for that") {
  Rng rng(kSeed);
  const Observations data = of_features(clustered(700, 8, 4, rng));
  const auto near_at = [&](const Problem& problem, const Point& x) {
    return estimate(problem.decode(x), "near_pairs");
  };
  const Problem wide = make(data, "{ path = weighted_ete }");
  const Point at_best = std::get<Point>(wide.start(rng));
  REQUIRE(near_at(wide, at_best) > 42'000);
  const Problem problem = make(data, "{ path = weighted_ete, most_pairs = 42000 }");
  const Point at_start = std::get<Point>(problem.start(rng));
  Point end = at_best;  // of the second stage, from a map of any size
  end.vector() *= 0.01;
  Point gradient = end;
  Executor executor;
  Evaluation evaluation(executor);
  problem.face<StagesFace>().stage(1, end).face<SmoothFace>().value_and_gradient(end, gradient, evaluation);
  end.vector() -= kGentleRate * gradient.vector();
  for (Point x : {at_start, end, std::get<Point>(problem.start_named("random", rng))}) {
    // Half of what is allowed, as far as 256 rows tell.
    CHECK(near_at(problem, x) == doctest::Approx(21'000).epsilon(0.15));
    x.vector() *= 0.9;
    CHECK(near_at(problem, x) > 21'000);
  }
}

TEST_CASE("a bent sheet starts flat, by its graph of neighbours") {
  Rng rng = Rng::stream(kSeed, "sheet");
  FeatureMatrix X(500, 3);
  for (Index i = 0; i < 500; ++i) {
    const double angle = 3 * (rng.uniform01() - 0.5) * 3.14159, height = 2 * rng.uniform01();
    X.row(i) << static_cast<float>(std::sin(angle)), static_cast<float>(height),
        static_cast<float>((angle < 0 ? -1 : 1) * (std::cos(angle) - 1));
  }
  const Problem problem = make(of_features(X), "{ start = geodesic_mds }");
  CHECK(problem.start_names() == std::vector<std::string>{"pca", "geodesic_mds", "random"});
  Executor executor;
  Evaluation evaluation(executor);
  Rng one(1), other(2);
  const Solution x = problem.start(one);
  const double flat = problem.objective(x, evaluation);
  CHECK(flat < 0.2);
  CHECK(flat < 0.1 * problem.objective(problem.start_named("pca", one), evaluation));
  // Nothing of it is drawn.
  CHECK(std::get<Point>(x).vector() == std::get<Point>(problem.start_named("geodesic_mds", other)).vector());
  CHECK_THROWS_AS(problem.start_named("tsne", one), ConfigError);
}

TEST_CASE("too dense a map has infinite cost, whatever is listed, on threads") {
  Rng rng(kSeed);
  const Observations data = of_features(clustered(700, 8, 4, rng));
  const Problem problem = make(data, "{ most_pairs = 42000 }");
  const Point start = std::get<Point>(problem.start(rng));
  Executor executor(2);
  Evaluation walked(executor);
  Point x = start, gradient = start, fresh = start;
  std::set<bool> kinds;
  for (const double factor : {1.0, 0.9, 0.7, 0.6, 0.5, 0.3, 0.5, 0.6, 0.7, 0.9, 1.0}) {
    CAPTURE(factor);
    x.vector() = factor * start.vector();
    Evaluation anew(executor);
    CHECK(problem.face<SmoothFace>().value_and_gradient(x, gradient, walked) ==
          problem.face<SmoothFace>().value_and_gradient(x, fresh, anew));
    CHECK(same_bits(gradient.flat(), fresh.flat()));
    // Its estimates are those of the sampled rows, without any of errors.
    const bool dense = problem.decode(x).estimates.size() == 2;
    CHECK(std::isinf(problem.objective(x, anew)) == dense);
    kinds.insert(dense);
  }
  CHECK(kinds.size() == 2);
}

TEST_CASE("sampled rows have the dense cost, and its lowest scale") {
  Rng rng(kSeed);
  const FeatureMatrix X = clustered(200, 5, 3, rng);  // fewer than are sampled: all are
  const Problem problem = make(of_features(X), "{ lambda = 0.4, most_pairs = 1 }");
  const Point x = std::get<Point>(problem.start(rng));
  const Matrix map = problem.decode(x).only();
  const double want = plain_rows(X, map, 20, 0.4).mean();
  const Embedding out = problem.decode(x);
  REQUIRE(out.estimates.size() == 2);
  CHECK(close(0.4 * estimate(out, "misses") + 0.6 * estimate(out, "false_neighbours"), want, {1e-5, 0}));
  CHECK(std::isinf(objective_of(problem, x)));
  for (const double factor : {0.5, 0.8, 1.25, 2.0}) CHECK(plain_rows(X, factor * map, 20, 0.4).mean() > want);
}

TEST_CASE("the gradient is the value's; threads and earlier evaluations change no bit") {
  Rng rng(kSeed);
  const Observations data = of_features(clustered(700, 8, 4, rng));
  for (const char* options : {"{ cutoff = 700, lambda = 0.1 }", "{ cutoff = 700, lambda = 1, n_components = 3 }",
                              "{ cutoff = 700, lambda = 0, n_components = 5, n_drawn = 0 }"}) {
    CAPTURE(options);
    const Problem problem = make(data, options);
    Point x = std::get<Point>(problem.start(rng));
    x.vector() += 0.05 * problem.domain()->random(rng).vector();
    check_gradient(problem, x, rng);
    check_thread_independence(problem, x);
  }
  const Problem problem = make(data, "{}");
  check_thread_independence(problem, std::get<Point>(problem.start(rng)));
  Executor executor(2);
  Evaluation walked(executor);
  Point x = std::get<Point>(problem.start(rng)), gradient = x, fresh = x;
  for (int step = 0; step < 12; ++step) {
    // Small moves keep the lists; a jump of one object, and of all, does not.
    const double size = step == 6 ? 3 : 1e-3;
    const Point move = problem.domain()->random(rng);
    if (step == 9)
      x.block(0).row(5) += Vector::Constant(2, 8).transpose();
    else
      x.vector() += size * move.vector();
    Evaluation anew(executor);
    const double value = problem.face<SmoothFace>().value_and_gradient(x, gradient, walked);
    CHECK(value == problem.face<SmoothFace>().value_and_gradient(x, fresh, anew));
    CHECK(same_bits(gradient.flat(), fresh.flat()));
    CHECK(gradient.block(0).colwise().sum().norm() < 1e-12);
  }
}

TEST_CASE("the path: another method, its map at the best scale, then the problem") {
  Rng rng(kSeed);
  const Observations data = of_features(clustered(150, 5, 3, rng));
  for (const char* path : {"tsne", "weighted_ete"}) {
    CAPTURE(path);
    const Problem problem = make(data, fmt::format("{{ path = {} }}", path));
    const Index stages = problem.face<StagesFace>().stage_count();
    REQUIRE(stages == (std::string_view(path) == "tsne" ? 4 : 3));
    const Point x = std::get<Point>(problem.start(rng));
    Executor executor;
    Evaluation evaluation(executor);
    for (Index k = stages - 2; k < stages; ++k) {
      const Problem stage = problem.face<StagesFace>().stage(k, x);
      CAPTURE(k);
      check_gradient(stage, std::get<Point>(stage.start(rng)), rng);
    }
    for (Index k = 0; k < stages - 2; ++k) {  // in single precision
      CAPTURE(k);
      const Problem stage = problem.face<StagesFace>().stage(k, x);
      Point gradient = x, ahead = x, behind = x;
      stage.face<SmoothFace>().value_and_gradient(x, gradient, evaluation);
      const double step = 0.01;
      ahead.vector() += step * gradient.vector().normalized() * x.vector().norm();
      behind.vector() -= step * gradient.vector().normalized() * x.vector().norm();
      const double slope = (objective_of(stage, ahead) - objective_of(stage, behind)) / (2 * step * x.vector().norm());
      CHECK(slope == doctest::Approx(gradient.vector().norm()).epsilon(0.05));
    }
    // Wherever the map's scale is, the last stage but one leads to where the cost is lowest along it.
    Point far = x;
    far.vector() *= 37;
    const Problem scale = problem.face<StagesFace>().stage(stages - 2, far);
    Point gradient = far;
    scale.face<SmoothFace>().value_and_gradient(far, gradient, evaluation);
    Point end = far;
    end.vector() -= kGentleRate * gradient.vector();
    CHECK(objective_of(problem, end) <= 1.01 * objective_of(problem, x));
    CHECK(problem.face<StagesFace>().stage(stages - 1, x).name() == "nerv_sparse");
  }
}

TEST_CASE("steps of a fixed rate on the path are those of the method itself, in its units") {
  Rng rng(kSeed);
  const Observations data = of_features(clustered(150, 5, 3, rng));
  const Problem problem = make(data, "{ path = tsne, perplexity = 20 }");
  Executor executor;
  const ValueTable same = *value_from_text("{ perplexity = 20, theta = 0.5, placement = false }").get_if<ValueTable>();
  const Problem alone = problem_catalog().at("tsne").make(data, same, executor);
  const Problem stage = problem.face<StagesFace>().stage(0, problem.start(rng));
  const Problem own = alone.face<StagesFace>().stage(0, alone.start(rng));
  const Point x = std::get<Point>(stage.start(rng)), y = std::get<Point>(own.start(rng));
  Point in_x = x, in_y = y;
  Evaluation evaluation(executor);
  stage.face<SmoothFace>().value_and_gradient(x, in_x, evaluation);
  own.face<SmoothFace>().value_and_gradient(y, in_y, evaluation);
  const double factor = y.vector().norm() / x.vector().norm();
  CHECK((factor * in_x.vector() - in_y.vector()).norm() < 1e-4 * in_y.vector().norm());
}

TEST_CASE("odd features: duplicates, one cluster far away, few objects, one that never varies") {
  Rng rng(kSeed);
  FeatureMatrix twice = gaussian_points(120, 3, rng).cast<float>();
  for (Index i = 0; i < 120; ++i) twice.row(i) = twice.row(i % 4).eval();
  FeatureMatrix far = gaussian_points(120, 3, rng).cast<float>();
  for (Index i = 0; i < 50; ++i) far.row(i).array() += 1e4F;
  FeatureMatrix idle = gaussian_points(120, 3, rng).cast<float>();
  idle.col(1).setConstant(7);
  const FeatureMatrix few = gaussian_points(4, 3, rng).cast<float>();
  for (const FeatureMatrix& X : {twice, far, idle, few})
    for (const char* calibration : {"all", "nearest"}) {
      CAPTURE(X.rows());
      CAPTURE(calibration);
      const Problem problem = make(
          of_features(X), fmt::format("{{ perplexity = {}, calibration = {} }}", X.rows() > 4 ? 20 : 1.5, calibration));
      Point x = std::get<Point>(problem.start(rng)), gradient = x;
      Executor executor;
      Evaluation evaluation(executor);
      for (const double factor : {1.0, 1e3, 0.0}) {  // the last: all at one place
        x.vector() *= factor;
        CHECK(std::isfinite(problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation)));
        CHECK(std::isfinite(largest_entry(gradient.flat())));
      }
    }
}

TEST_CASE("data that cannot be drawn are refused in one line") {
  Rng rng(kSeed);
  const auto message = [](const Observations& data, const std::string& options) -> std::string {
    return message_of<Error>([&] { return make(data, options); });
  };
  const FeatureMatrix X = gaussian_points(30, 3, rng).cast<float>();
  CHECK(message(of_features(X), "{ perplexity = 40 }").find("perplexity 40") != std::string::npos);
  CHECK(
      message(of_features(X), "{ perplexity = 20, n_neighbors = 15, calibration = nearest }").find("the 15 nearest") !=
      std::string::npos);
  CHECK(message(of_features(FeatureMatrix::Zero(30, 3)), "{}").find("the same position") != std::string::npos);
  FeatureMatrix bad = X;
  bad(3, 1) = std::numeric_limits<float>::quiet_NaN();
  CHECK(message(of_features(bad), "{}").find("not a finite number") != std::string::npos);
  CHECK(message(of_features(1e30F * X), "{}") == "(no error)");  // in another unit it can
  Observations none = of_features(X);
  none.features = nullptr;
  CHECK(message(none, "{}").find("needs features") != std::string::npos);
  const FeatureMatrix many = gaussian_points(2001, 5, rng).cast<float>();
  const std::string refusal = message(of_features(many), "{ path = tsne, n_components = 4, calibration = nearest }");
  CHECK(refusal.find("at most 3 dimensions") != std::string::npos);
  CHECK(refusal.find("weighted_ete") != std::string::npos);
}

}  // namespace
}  // namespace sparse_nerv_test
