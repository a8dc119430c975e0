// Are maps of features any good? Clusters that anybody can tell apart, and the digits that the paper's successors show.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "experiments/datasets/catalog.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/catalog.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/solve_case.hpp"

namespace {

using namespace alidade;

constexpr Index kNeighbors = 12;

Table options(const std::string& text) { return *value_from_text(text).get_if<Table>(); }

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

Quality quality_of(const Observations& data, const std::string& problem_options,
                   const std::string& solver, const std::string& solver_options) {
  return quality_of(data, problem_catalog().at("weighted_ete").make(data, options(problem_options)),
                    *solver_catalog().at(solver).make(options(solver_options)));
}

TEST_CASE("clusters far apart stay apart, whatever the weights, the triplets and the solver") {
  Rng rng(20240611);
  Observations data;
  data.name = "clusters";
  FeatureMatrix X(400, 10);
  for (Index i = 0; i < X.rows(); ++i) {
    data.objects.push_back(std::to_string(i));
    data.labels.push_back(std::to_string(i % 8));
    for (Index c = 0; c < X.cols(); ++c)
      X(i, c) = static_cast<float>(rng.normal() + (c == i % 8 ? 15 : 0));
  }
  data.features = std::make_shared<const FeatureMatrix>(std::move(X));
  for (const std::string variant :
       {"{}", "{ weights = exponential }", "{ weights = uniform }", "{ triplets = drawn }",
        "{ start = random }", "{ t = 1.5, t_prime = 1.5 }"}) {
    CAPTURE(variant);
    const Quality fast = quality_of(data, variant, "ceres", "{ max_iter = 60 }");
    CHECK(fast.one_nn >= 0.95);
    CHECK(fast.trustworthiness >= 0.9);
  }
  const Quality stochastic =
      quality_of(data, "{}", "riemannian_sgd", "{ max_iter = 40, learning_rate = 0.05 }");
  CHECK(stochastic.one_nn >= 0.95);
}

}  // namespace

TEST_SUITE("needs data") {
  TEST_CASE("a map of the digits keeps neighbours and classes") {
    if (const char* folder = std::getenv("ALIDADE_DATA"); folder == nullptr || *folder == '\0') {
      MESSAGE("skipped: ALIDADE_DATA does not name the data folder");
      return;
    }
    datasets::DatasetContext context;
    context.folder = datasets::data_folder(std::nullopt);
    const Observations digits = datasets::dataset_catalog().at("digits").load({}, context);
    // Measured over seeds: .984 to .986 and .980 to .983.
    const Quality got = quality_of(digits, "{}", "ceres", "{ max_iter = 60 }");
    CHECK(got.trustworthiness >= 0.98);
    CHECK(got.one_nn >= 0.97);
    // t-SNE: .991 and .988, by all pairs and by the tree.
    const ProblemEntry& tsne = problem_catalog().at("tsne");
    const NamedSolver solver = recommended_solver(tsne);
    for (const char* method : {"{ method = exact }", "{ method = barnes_hut }"}) {
      const Quality of_tsne = quality_of(digits, tsne.make(digits, options(method)),
                                         *solver_catalog().at(solver.name).make(solver.options));
      CHECK(of_tsne.trustworthiness >= 0.9865);
      CHECK(of_tsne.one_nn >= 0.98);
    }
  }
}
