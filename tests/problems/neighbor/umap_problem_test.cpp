#include "problems/neighbor/umap_problem.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/contract/adapters.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/smooth.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/objective_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/odd_features.hpp"
#include "tests/support/wave_features.hpp"

namespace umap_problem_test {
namespace {

using namespace alidade;
using namespace alidade::neighbor;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20261128;

FuzzyGraph graph_of(const Observations& data, Index others, const FuzzyGraphOptions& options, int threads = 1) {
  Executor executor(threads);
  return fuzzy_graph(nearest_neighbors(*data.features, others, SearchMethod::exact, 1, executor), options, executor);
}

// Values of umap-learn 0.5.3: umap_.find_ab_params(spread, min_dist).
TEST_CASE("the kernel is the published fit") {
  const double kFits[][4] = {
      {0, 1, 1.9328083975546724, 0.7904949734010681},     {0.1, 1, 1.5769434601962196, 0.8950608779914887},
      {0.5, 1, 0.583030020479462, 1.3341669929263487},    {0.99, 1, 0.11930530006447332, 1.9163904159174419},
      {0.25, 2, 0.41627349693884963, 0.9218551322340262}, {0, 0.5, 5.7824833761979955, 0.790495105876208}};
  for (const auto& [min_dist, spread, a, b] : kFits) {
    CAPTURE(min_dist);
    const UmapKernel fit = fitted_kernel(min_dist, spread);
    CHECK(fit.a == doctest::Approx(a).epsilon(1e-4));
    CHECK(fit.b == doctest::Approx(b).epsilon(1e-4));
  }
}

// Values of umap-learn 0.5.3: umap_.fuzzy_simplicial_set of the same 12 objects with n_neighbors = 5.
TEST_CASE("the graph is the published one") {
  struct Case {
    double mix, connectivity;
    std::size_t edges;
    double sum, mixed_sum;
  };
  for (const Case& wanted :
       {Case{1, 1, 56, 35.84703, 98.23105795681477}, Case{0, 1, 40, 19.87928, 61.283618627116084},
        Case{0.5, 1.5, 56, 27.863129, 80.13444444537163}, Case{1, 2, 56, 34.086487, 95.33147169649601}}) {
    CAPTURE(wanted.mix);
    CAPTURE(wanted.connectivity);
    const FuzzyGraph graph = graph_of(wave_features(12, 3), 4, {wanted.connectivity, wanted.mix});
    CHECK(graph.tails.size() == wanted.edges);
    double sum = 0, mixed = 0;
    for (std::size_t e = 0; e < graph.tails.size(); ++e) {
      const auto weight = static_cast<double>(graph.weights[e]);
      sum += weight;
      mixed += weight * static_cast<double>((graph.heads[e] + 1) * graph.tails[e] % 7);
    }
    CHECK(sum == doctest::Approx(wanted.sum).epsilon(2e-5));
    CHECK(mixed == doctest::Approx(wanted.mixed_sum).epsilon(2e-5));
  }
}

// Values of a NumPy program with the graph of umap-learn 0.5.3, the kernel of its find_ab_params, and the negative
// samples by the hash of Rng::derive.
TEST_CASE("the objective has the values of its formula") {
  const std::pair<const char*, double> kCases[] = {
      {"{ n_neighbors = 5, negative_sample_rate = 0 }", 47.691092151459856},
      {"{ n_neighbors = 5, epochs_per_pass = 1, seed = 1 }", 123.45882907359733},
      {"{ n_neighbors = 5, seed = 1 }", 134.44049427191192},
      {"{ n_neighbors = 5, negative_sample_rate = 8, repulsion_strength = 0.5, seed = 3, min_dist = 0.5, spread = 2, "
       "epochs_per_pass = 4 }",
       169.5123370253192}};
  for (const auto& [options, value] : kCases) {
    CAPTURE(options);
    const Problem problem = made("umap", wave_features(12, 3), options);
    Point x = problem.domain()->zero();
    place_on_waves(x);
    CHECK(objective_of(problem, x) == doctest::Approx(value).epsilon(2e-5));
  }
}

TEST_CASE("the gradient is the value's, and the terms add up; steps follow it in single precision") {
  Rng rng(kSeed);
  for (const char* options :
       {"{}", "{ n_components = 3, negative_sample_rate = 17 }", "{ min_dist = 0.9, n_neighbors = 4 }"}) {
    CAPTURE(options);
    const Problem problem = made("umap", of_features(gaussian_points(50, 4, rng)), options);
    Point x = problem.domain()->random(rng);
    x.vector() *= 3;
    check_finite_sum(problem, x);
    check_gradient(adapt(problem, CapabilitySet::of<SmoothFace>()), x, rng);
  }
  Executor executor;
  const UmapProblem plain(of_features(gaussian_points(50, 4, rng)), {}, executor);
  Point x = plain.domain().random(rng);
  x.vector() *= 3;
  TermGradient exact(2, plain.rows_per_term()), step(2, plain.rows_per_term());
  int clipped = 0;
  for (TermIndex e = 0; e < plain.term_count(); ++e) {
    exact.clear();
    step.clear();
    CHECK(plain.direction(x, e, step) == doctest::Approx(plain.term(x, e, exact)).epsilon(1e-5));
    REQUIRE(exact.entries().size() == step.entries().size());
    for (std::size_t r = 0; r < step.entries().size(); ++r)
      for (Index c = 0; c < 2; ++c)
        if (std::abs(exact.entries()[r].gradient[c] - step.entries()[r].gradient[c]) > 1e-4) ++clipped;
  }
  CHECK(clipped < 200);
  x.vector() *= 1e-3;  // where repulsion is steep
  exact.clear();
  step.clear();
  plain.term(x, 0, exact);
  plain.direction(x, 0, step);
  CHECK(largest_entry(std::span(exact.entries()[0].gradient, 2)) >
        largest_entry(std::span(step.entries()[0].gradient, 2)));
}

TEST_CASE("negative samples are uniform and differ from term to term") {
  Rng rng(kSeed);
  Executor executor;
  const UmapProblem problem(of_features(gaussian_points(40, 3, rng)), {}, executor);
  std::vector<int> drawn(40, 0);
  const auto terms = problem.term_count();
  for (TermIndex t = 0; t < terms; ++t)
    for (Index k = 0; k < 5; ++k) ++drawn[problem.negative(t, k)];
  const double mean = static_cast<double>(5 * terms) / 40;
  for (const int count : drawn) CHECK(std::abs(count - mean) < 5 * std::sqrt(mean));
}

TEST_CASE("starts have a range of ten, and a graph in parts has no spectral one") {
  Rng rng(kSeed);
  const Problem whole = made("umap", of_features(gaussian_points(200, 4, rng)));
  const std::vector<std::string> names = {"spectral", "pca", "random"};
  CHECK(whole.start_names() == names);
  for (const std::string& name : names) {
    CAPTURE(name);
    const Matrix Y = std::get<Point>(whole.start_named(name, rng)).block(0);
    for (Index c = 0; c < 2; ++c) CHECK(Y.col(c).maxCoeff() - Y.col(c).minCoeff() == doctest::Approx(10).epsilon(1e-3));
  }
  // Two groups that are far from each other, each a curve that the second eigenvector orders.
  Matrix X = gaussian_points(60, 3, rng);
  X.bottomRows(30).array() += 1000;
  const Problem parts = made("umap", of_features(X));
  CHECK(parts.start_names().front() == "pca");
  CHECK(parts.notes().front().find("2 connected parts") != std::string::npos);
  Matrix line(120, 2);
  for (Index i = 0; i < 120; ++i) line.row(i) << static_cast<double>(i), 0.3 * std::sin(static_cast<double>(i));
  const Matrix places = std::get<Point>(made("umap", of_features(line)).start(rng)).block(0);
  // In order but for the ends, where objects have fewer edges.
  for (Index i = 11; i < 110; ++i) CHECK((places(i, 0) - places(i - 1, 0)) * (places(109, 0) - places(10, 0)) > 0);
}

TEST_CASE("any number of threads makes the same problem") {
  Rng rng(kSeed);
  const Observations data = of_features(gaussian_points(700, 6, rng));
  const auto start_by = [&](int threads) {
    Executor executor(threads);
    Rng same(3);
    return std::get<Point>(UmapProblem(data, {}, executor).start(same)).vector().eval();
  };
  CHECK(start_by(1) == start_by(3));
  CHECK(graph_of(data, 14, {}).weights == graph_of(data, 14, {}, 3).weights);
}

TEST_CASE("few objects, copies, dissimilarities and odd data are taken or refused in one line") {
  Rng rng(kSeed);
  check_odd_features("umap", "lowered from 15 to 5", rng);
  CHECK_THROWS_WITH_AS(made("umap", of_features(gaussian_points(20, 3, rng)), "{ min_dist = 2.0 }"),
                       doctest::Contains("min_dist = 2 is above spread = 1"), ConfigError);
}

}  // namespace
}  // namespace umap_problem_test
