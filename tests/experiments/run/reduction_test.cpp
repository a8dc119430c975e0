// Are maps of features any good? Clusters that anybody can tell apart, and the digits that the paper's successors show.
#include <doctest/doctest.h>

#include <string>

#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/catalog.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/solve_case.hpp"

namespace reduction_test {
namespace {

using namespace alidade;

constexpr Index kNeighbors = 12;

ValueTable options(const std::string& text) { return *value_from_text(text).get_if<ValueTable>(); }

struct Quality {
  double trustworthiness, one_nn;
};

Quality quality_of(const Observations& data, const Problem& problem, const Solver& solver) {
  Rng rng(1);
  const testing::Outcome out = testing::solve(solver, problem, problem.start(rng));
  CHECK(out.summary.usable());
  const Matrix map = problem.decode(out.x).only();
  return {metrics::neighbor_preservation(map, *data.features, kNeighbors).trustworthiness,
          metrics::knn_accuracy(map, data.labels, 1)};
}

Quality quality_of(const Observations& data, const std::string& problem_options, const std::string& solver,
                   const std::string& solver_options) {
  return quality_of(data, problem_catalog().at("weighted_ete").make(data, options(problem_options)),
                    *solver_catalog().at(solver).make(options(solver_options)));
}

/// 400 objects in 8 clusters that anybody can tell apart.
Observations far_clusters() {
  Rng rng(20240611);
  Observations data;
  data.name = "clusters";
  FeatureMatrix X(400, 10);
  for (Index i = 0; i < X.rows(); ++i) {
    data.objects.push_back(std::to_string(i));
    data.labels.push_back(std::to_string(i % 8));
    for (Index c = 0; c < X.cols(); ++c) X(i, c) = static_cast<float>(rng.normal() + (c == i % 8 ? 15 : 0));
  }
  data.features = std::make_shared<const FeatureMatrix>(std::move(X));
  return data;
}

void check_apart(const Observations& data, const std::string& variant) {
  CAPTURE(variant);
  const Quality fast = quality_of(data, variant, "ceres", "{ max_iter = 60 }");
  CHECK(fast.one_nn >= 0.95);
  CHECK(fast.trustworthiness >= 0.9);
}

TEST_CASE("clusters far apart stay apart with any weights, triplets and solver") {
  const Observations data = far_clusters();
  // 1 and 0.981 to 0.985 with kernels of AVX-512, AVX2 and SSE2.
  for (const std::string variant : {"{}", "{ weights = exponential }", "{ weights = uniform }", "{ triplets = drawn }",
                                    "{ t = 1.5, t_prime = 1.5 }"})
    check_apart(data, variant);
  const Quality stochastic = quality_of(data, "{}", "riemannian_sgd", "{ max_iter = 40, learning_rate = 0.05 }");
  CHECK(stochastic.one_nn >= 0.95);  // 1 with these kernels
}

}  // namespace

TEST_SUITE("statistical") {
  TEST_CASE("clusters far apart stay apart from a random start") {
    // 0.965 to 0.995 and 0.953 to 0.976 over 8 seeds and kernels of AVX-512, AVX2 and SSE2: margins of 0.015 and
    // 0.053. The seed of this start has 0.980 to 0.985 and 0.967 to 0.969.
    check_apart(far_clusters(), "{ start = random }");
  }

  TEST_CASE("the recommended NeRV unrolls a sheet, tells clusters apart by t-SNE, and tears a sphere at a good place") {
    const ProblemEntry& nerv = problem_catalog().at("nerv");
    const auto ended = [&](const Observations& data, const std::string& start, const NamedSolver& solver,
                           const std::string& chosen = "{ placement = false }") {
      const Problem problem = nerv.make(data, options(chosen));
      Rng rng(1);
      return testing::solve(*solver_catalog().at(solver.name).make(solver.options), problem,
                            problem.start_named(start, rng))
          .summary.objective;
    };
    const NamedSolver recommended = recommended_solver(nerv), plain{"ceres", options("{ max_iter = 340 }")},
                      widened{"continuation", options("{ solver = { name = ceres, max_iter = 8 }, last_solver = { name "
                                                      "= ceres, max_iter = 340 } }")};
    datasets::DatasetContext context;
    context.seed = 1;
    const Observations sheet = datasets::dataset_catalog().at("s_curve").load({}, context),
                       clusters = datasets::dataset_catalog()
                                      .at("gaussian_mixture")
                                      .load(options("{ n = 400, clusters = 20, separation = 7 }"), context),
                       sphere = datasets::dataset_catalog().at("sphere").load(options("{ n = 400, sampling = angles }"),
                                                                              context);
    // 2e-5, 0.028 to 0.029 and 0.094 to 0.101 with kernels of AVX-512, AVX2 and SSE2.
    CHECK(ended(sheet, "pca", recommended) < 0.001);
    CHECK(ended(sheet, "tsne", plain) > 0.01);
    CHECK(ended(sheet, "pca", widened) > 0.01);
    // With these kernels 1.92 to 1.94, the same by both ways, and 2.05 to 2.25 of the others, of which a random start
    // comes nearest to its limit: by 0.042.
    const double by_tsne = ended(clusters, "tsne", plain);
    CHECK(ended(clusters, "pca", recommended) < 1.01 * by_tsne);
    CHECK(ended(clusters, "pca", widened) > 1.04 * by_tsne);
    CHECK(ended(clusters, "random", widened) > 1.04 * by_tsne);
    CHECK(ended(clusters, "geodesic_mds", plain) > 1.04 * by_tsne);
    // 0.560 and 0.654 with these kernels: a margin of 0.029.
    const std::string misses = "{ lambda = 0.9, placement = false }";
    CHECK(ended(sphere, "pca", recommended, misses) < 0.9 * ended(sphere, "pca", widened, misses));
  }

  TEST_CASE("a map of the digits keeps neighbours and classes") {
    ALIDADE_NEEDS_DATA();
    datasets::DatasetContext context;
    context.folder = datasets::data_folder(std::nullopt);
    const Observations digits = datasets::dataset_catalog().at("digits").load({}, context);
    // Over seeds 0.984 to 0.986 and 0.980 to 0.983; 0.985 and 0.983 with kernels of AVX-512, AVX2 and SSE2.
    const Quality got = quality_of(digits, "{}", "ceres", "{ max_iter = 60 }");
    CHECK(got.trustworthiness >= 0.98);
    CHECK(got.one_nn >= 0.97);
    // t-SNE by all pairs and by the tree: 0.991 to 0.992 and 0.988 with these kernels.
    const ProblemEntry& tsne = problem_catalog().at("tsne");
    const NamedSolver solver = recommended_solver(tsne);
    for (const char* method : {"{ method = exact }", "{ method = barnes_hut }"}) {
      const Quality of_tsne = quality_of(digits, tsne.make(digits, options(method)),
                                         *solver_catalog().at(solver.name).make(solver.options));
      CHECK(of_tsne.trustworthiness >= 0.9865);
      CHECK(of_tsne.one_nn >= 0.98);
    }
  }

  TEST_CASE("NeRV of wine and the digits reaches its target objective at every lambda") {
    ALIDADE_NEEDS_DATA();
    datasets::DatasetContext context;
    context.folder = datasets::data_folder(std::nullopt);
    const Observations wine = datasets::dataset_catalog().at("wine").load(options("{ scale = standard }"), context),
                       digits = datasets::dataset_catalog().at("digits").load({}, context);
    const ProblemEntry& nerv = problem_catalog().at("nerv");
    const NamedSolver recommended = recommended_solver(nerv);
    const auto solver = solver_catalog().at(recommended.name).make(recommended.options);
    const auto ended = [&](const Observations& data, const char* lambda) {
      const Problem problem = nerv.make(data, options(std::string("{ lambda = ") + lambda + ", placement = false }"));
      Rng rng(1);
      return testing::solve(*solver, problem, problem.start(rng)).summary.objective;
    };
    // 0.630, 0.704, 0.639 and 1.32, 1.73, 1.58 with kernels of AVX-512, AVX2 and SSE2:
    // margins of 0.011 at least. Without t-SNE's map among the starts 0.684, 0.736, 0.663 and 1.59, 1.80, 1.62.
    CHECK(ended(wine, "0.1") < 0.65);
    CHECK(ended(wine, "0.5") < 0.72);
    CHECK(ended(wine, "0.9") < 0.65);
    CHECK(ended(digits, "0.5") < 1.78);
#ifndef ALIDADE_SANITIZED  // the same code, a minute each
    CHECK(ended(digits, "0.1") < 1.4);
    CHECK(ended(digits, "0.9") < 1.61);
#endif
  }
}

}  // namespace reduction_test
