#include "problems/neighbor/tsne_problem.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/catalog.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/stages.hpp"
#include "problems/neighbor/affinities.hpp"
#include "problems/neighbor/symmetric_affinities.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"

namespace tsne_problem_test {
namespace {

using namespace alidade;
using namespace alidade::neighbor;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20261122;

Observations of_distances(const Matrix& X) {
  Observations out = of_objects(X.rows());
  const FeatureMatrix rounded = X.cast<float>();
  Matrix D(X.rows(), X.rows());
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.rows(); ++j) D(i, j) = (rounded.row(i) - rounded.row(j)).cast<double>().norm();
  out.dissimilarities.push_back({"", D, {}});
  return out;
}

Point place(const Problem& problem, double scale, Rng& rng) {
  Point x = problem.domain()->random(rng);
  x.vector() *= scale;
  return x;
}

double value_of(const Problem& problem, const Point& x) {
  Executor executor;
  Evaluation evaluation(executor);
  return problem.face<SmoothFace>().value(x, evaluation);
}

Point gradient_of(const Problem& problem, const Point& x) {
  Executor executor;
  Evaluation evaluation(executor);
  Point out = problem.domain()->zero();
  problem.face<SmoothFace>().value_and_gradient(x, out, evaluation);
  return out;
}

/// KL(P || Q) as the papers write it, with a factor a on the attraction.
double plain_kl(const Matrix& P, const Matrix& Y, double nu, double a = 1) {
  const Index n = Y.rows();
  Matrix u = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (i != j) u(i, j) = std::pow(1 + (Y.row(i) - Y.row(j)).squaredNorm() / nu, -0.5 * (nu + 1));
  double out = std::log(u.sum());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (P(i, j) > 0) out += a * P(i, j) * std::log(P(i, j) / u(i, j));
  return out;
}

/// (p_j|i + p_i|j) / 2n of these rows.
Matrix plain_affinities(const Matrix& X, double perplexity) {
  const Index n = X.rows();
  Matrix conditional = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    const Vector squared = (X.rowwise() - X.row(i)).rowwise().squaredNorm();
    const RowAffinity row = calibrate({squared.data(), static_cast<std::size_t>(n)}, i, perplexity);
    for (Index j = 0; j < n; ++j)
      if (j != i) conditional(i, j) = std::exp(-row.beta * squared[j] - row.log_normalizer);
  }
  return (conditional + conditional.transpose()) / (2 * static_cast<double>(n));
}

TEST_CASE("value is the Kullback-Leibler divergence by its definition, exaggerated in the first stage") {
  Rng rng = Rng::stream(kSeed, "value");
  const Matrix X = gaussian_points(60, 5, rng).cast<float>().cast<double>();
  const Matrix P = plain_affinities(X, 7);
  CHECK(P.sum() == doctest::Approx(1));
  for (const double nu : {1.0, 0.5, 4.0}) {
    CAPTURE(nu);
    const Problem problem = made("tsne", of_features(X),
                                 fmt::format("{{ perplexity = 7, precision = double, degrees_of_freedom = {} }}", nu));
    const Point x = place(problem, 2, rng);
    // Distances of features are formed in float.
    CHECK(value_of(problem, x) == doctest::Approx(plain_kl(P, x.block(0), nu)).epsilon(1e-6));
    REQUIRE(problem.face<StagesFace>().stage_count() == 2);
    // 12 is more than 60 objects by 3 x 7 neighbours.
    CHECK(value_of(problem.face<StagesFace>().stage(0, Solution(x)), x) ==
          doctest::Approx(plain_kl(P, x.block(0), nu, 60.0 / 21)).epsilon(1e-6));
    CHECK(holds_all(problem.notes().front(), {"Exaggeration lowered from 12 to 2.857"}));
    CHECK(value_of(problem.face<StagesFace>().stage(1, Solution(x)), x) == value_of(problem, x));
  }
  CHECK(made("tsne", of_features(X), "{ exaggeration = 1 }").face<StagesFace>().stage_count() == 1);
}

TEST_CASE("the exaggeration lets a small map grow in all dimensions, by the Laplacian's eigenvalues, on threads") {
  Rng rng = Rng::stream(kSeed, "laplacian");
  Executor executor;
  for (const Index p : {2, 8, 20}) {
    CAPTURE(p);
    const Matrix X = gaussian_points(300, p, rng);
    const Observations data = of_features(X);
    const DissimilarityRows rows(data, "test");
    const auto sparse = affinities_of_nearest<double>(rows, 20, SearchMethod::exact, 1, executor);
    const auto all = affinities_of_all<float>(rows, 20, executor);
    const Matrix P = plain_affinities(X.cast<float>().cast<double>(), 20);
    Matrix laplacian = -P;
    laplacian.diagonal() += P.rowwise().sum();
    const Vector values = SymmetricEigen(Eigen::MatrixXd(299 * laplacian)).eigenvalues();
    for (const Index k : {1, 2, 3, 5}) {
      CAPTURE(k);
      const double value = laplacian_eigenvalue(all, k, 0, executor);
      CHECK(value > values[k - 1] - 1e-4);
      CHECK(value < values[k - 1] + 0.015);
      CHECK(laplacian_eigenvalue(sparse, k, 0, executor) == doctest::Approx(value).epsilon(0.3));
    }
    CHECK(laplacian_eigenvalue(all, 3, 1.1 * values[2], executor) <= 1.1 * values[2]);
    CHECK(laplacian_eigenvalue(all, 3, 0.9 * values[2], executor) > 0.9 * values[2]);
    Executor two(2);
    CHECK(laplacian_eigenvalue(all, 3, 0, two) == laplacian_eigenvalue(all, 3, 0, executor));

    const Problem problem = made("tsne", data, "{ perplexity = 20 }");
    const double highest = std::min(300.0 / 60, 0.9 / values[2]);  // of 300 objects by 3 x 20 neighbours
    const std::string note = problem.notes().front();
    CHECK(note.starts_with("Exaggeration lowered from 12 to "));
    CHECK(std::stod(note.substr(note.find(" to ") + 4)) == doctest::Approx(highest).epsilon(0.05));
    CHECK((note.find("would shrink to a point") != std::string::npos) == (0.9 / values[2] < 5));
  }
}

TEST_CASE("affinities of nearest neighbours are those of a plain computation, sorted, symmetric") {
  Rng rng = Rng::stream(kSeed, "nearest");
  const Matrix X = gaussian_points(80, 3, rng);
  Executor executor;
  for (const Observations& data : {of_features(X), of_distances(X)}) {
    const DissimilarityRows rows(data, "test");
    const auto p = affinities_of_nearest<double>(rows, 5, SearchMethod::exact, 1, executor);
    Matrix dense = Matrix::Zero(80, 80);
    for (std::size_t i = 0; i < 80; ++i)
      for (std::size_t k = p.begin[i]; k < p.begin[i + 1]; ++k) {
        if (p.values[k] == 0) continue;
        CHECK(p.ids[k] != i);
        CHECK(dense(static_cast<Index>(i), p.ids[k]) == 0);
        dense(static_cast<Index>(i), p.ids[k]) = p.values[k];
      }
    CHECK((dense - dense.transpose()).cwiseAbs().maxCoeff() == 0);
    CHECK(dense.sum() == doctest::Approx(1).epsilon(1e-12));
    // With 15 of 79 neighbours what is left out is small.
    const Matrix all = plain_affinities(X.cast<float>().cast<double>(), 5);
    CHECK((dense - all).cwiseAbs().sum() < 0.05);
    CHECK((dense - all).cwiseAbs().sum() > 1e-6);
    double entropy = 0;
    for (Index k = 0; k < dense.size(); ++k)
      if (dense.data()[k] > 0) entropy += dense.data()[k] * std::log(dense.data()[k]);
    CHECK(p.sum_p_log_p == doctest::Approx(entropy));
  }
}

TEST_CASE("the gradient is the derivative, halves add up to it, threads change no bit") {
  Rng rng = Rng::stream(kSeed, "gradient");
  const Observations data = of_features(gaussian_points(90, 4, rng));
  for (const char* options :
       {"{ n_components = 1 }", "{}", "{ degrees_of_freedom = 0.5 }", "{ n_components = 3 }",
        "{ n_components = 5, degrees_of_freedom = 2 }", "{ method = barnes_hut, theta = 0, perplexity = 6 }",
        "{ method = barnes_hut, theta = 0, perplexity = 6, n_components = 3 }"}) {
    CAPTURE(options);
    ValueTable table = *value_from_text(options).get_if<ValueTable>();
    table.set("precision", "double");
    const Problem problem = problem_catalog().at("tsne").make(data, table);
    const Point x = place(problem, 1.5, rng);
    check_gradient(problem, x, rng);
    check_split_gradient(problem, x);
    check_thread_independence(problem, x);
    const Problem exaggerated = problem.face<StagesFace>().stage(0, Solution(x));
    check_gradient(exaggerated, x, rng);
    check_split_gradient(exaggerated, x);
    // Nothing changes when the map is moved, so the gradient sums to 0.
    const Point gradient = gradient_of(problem, x);
    CHECK(gradient.block(0).colwise().sum().cwiseAbs().maxCoeff() < 1e-12 * gradient.block(0).cwiseAbs().sum());
  }
}

TEST_CASE("single precision and the tree keep their stated accuracy of the exact gradient, on threads") {
  Rng rng = Rng::stream(kSeed, "approximate");
  const Matrix X = gaussian_points(1200, 6, rng);
  const auto error = [&](const std::string& a, const std::string& b, double scale) {
    const Problem one = made("tsne", of_features(X), a), other = made("tsne", of_features(X), b);
    const Point x = place(one, scale, rng);
    const Point g = gradient_of(one, x), h = gradient_of(other, x);
    CHECK(value_of(one, x) == doctest::Approx(value_of(other, x)).epsilon(5e-3));
    return (g.vector() - h.vector()).norm() / g.vector().norm();
  };
  for (const double scale : {0.05, 10.0}) {
    CAPTURE(scale);
    CHECK(error("{ precision = double, method = exact }", "{ method = exact }", scale) < 2e-5);
    const std::string tree = "{ precision = double, method = barnes_hut, theta = ";
    const double coarse = error(tree + "0 }", tree + "0.8 }", scale), fine = error(tree + "0 }", tree + "0.3 }", scale);
    CHECK(coarse < 0.1);
    CHECK(fine < 0.01);
    CHECK(fine < coarse);
    CHECK(error(tree + "0.3 }", "{ method = barnes_hut, theta = 0.3 }", scale) < 1e-4);
    CHECK(error(tree + "0 }", "{ method = fft }", scale) < 0.01);
  }
  for (const char* method : {"{ method = barnes_hut }", "{ method = fft }"}) {
    const Problem large = made("tsne", of_features(X), method);
    check_thread_independence(large, place(large, 5, rng));
  }
  const Problem by_tree = made("tsne", of_features(X), "{ method = barnes_hut }");
  check_split_gradient(made("tsne", of_features(X), "{ method = barnes_hut, precision = double }"),
                       place(by_tree, 5, rng));
}

TEST_CASE("features and their distances make the same problem") {
  Rng rng = Rng::stream(kSeed, "both");
  const Matrix X = gaussian_points(70, 3, rng);
  for (const char* options : {"{ method = exact, perplexity = 6, start = random }",
                              "{ method = barnes_hut, perplexity = 6, start = random }"}) {
    const Problem a = made("tsne", of_features(X), options), b = made("tsne", of_distances(X), options);
    const Point x = place(a, 1, rng);
    CHECK(value_of(a, x) == doctest::Approx(value_of(b, x)).epsilon(1e-5));
    CHECK_FALSE(a.decode(Solution(x)).projector->takes_dissimilarities());
    CHECK(b.decode(Solution(x)).projector->takes_dissimilarities());
  }
}

TEST_CASE("starts are scaled principal components or noise; for distances always noise") {
  Rng rng = Rng::stream(kSeed, "starts");
  Matrix X = gaussian_points(200, 3, rng);
  X.col(0) *= 5;
  const Problem problem = made("tsne", of_features(X), "{}");
  CHECK(problem.start_names() == std::vector<std::string>{"pca", "random"});
  const Point pca = std::get<Point>(problem.start(rng));
  CHECK(same_bits(pca.flat(), std::get<Point>(problem.start_named("pca", rng)).flat()));
  CHECK(std::sqrt(pca.block(0).col(0).squaredNorm() / 200) == doctest::Approx(1e-4));
  CHECK(std::abs(pca.block(0).col(0).dot(X.col(0))) > 0.9 * pca.block(0).col(0).norm() * X.col(0).norm());
  const Point noise = std::get<Point>(problem.start_named("random", rng));
  CHECK(std::sqrt(noise.vector().squaredNorm() / 400) == doctest::Approx(1e-4).epsilon(0.2));
  CHECK_THROWS_AS(static_cast<void>(problem.start_named("spiral", rng)), ConfigError);
  const Problem distances = made("tsne", of_distances(X), "{}");
  CHECK(distances.start_names() == std::vector<std::string>{"random"});
  CHECK_THROWS_AS(static_cast<void>(distances.start_named("pca", rng)), ConfigError);
  // A second axis without variance still tells points apart.
  Matrix line = Matrix::Zero(50, 3);
  for (Index i = 0; i < 50; ++i) line(i, 1) = static_cast<double>(i);
  const Point on_line = std::get<Point>(made("tsne", of_features(line), "{}").start(rng));
  CHECK(on_line.block(0).col(1).cwiseAbs().maxCoeff() > 0);
  CHECK(on_line.block(0).col(1).cwiseAbs().maxCoeff() < 1e-5);
}

TEST_CASE("hard data: duplicates, a constant feature, few objects, one cluster far away, on threads") {
  Rng rng = Rng::stream(kSeed, "hard");
  for (const char* method : {"exact", "barnes_hut", "fft"}) {
    CAPTURE(method);
    const std::string options = fmt::format("{{ method = {} }}", method);
    const auto check_finite = [&](const Matrix& X) {
      const Problem problem = made("tsne", of_features(X), options);
      const Point x = std::get<Point>(problem.start(rng));
      const Point spread = place(problem, 3, rng);
      for (const Point& at : {x, spread}) {
        CHECK(std::isfinite(value_of(problem, at)));
        CHECK(gradient_of(problem, at).vector().allFinite());
        check_thread_independence(problem, at);
      }
      return problem;
    };
    Matrix X = gaussian_points(150, 4, rng);
    Matrix duplicates = X;
    duplicates.topRows(100).rowwise() = X.row(0);
    const auto notes = check_finite(duplicates).notes();
    CHECK(notes.back().ends_with(" objects have more nearest neighbours at the same distance than the perplexity."));
    Matrix constant = X;
    constant.col(2).setConstant(4);
    check_finite(constant);
    Matrix far = X;
    far.topRows(40).array() += 1e5;
    check_finite(far);
    for (const Index n : {3, 4, 5, 30, 91}) {
      CAPTURE(n);
      const auto of_few = check_finite(X.topRows(n)).notes();
      const bool lowered = of_few.front().starts_with("Perplexity lowered from 30 to ");
      CHECK(lowered == (n < 91));
    }
  }
}

TEST_CASE("data that cannot be drawn are refused in words") {
  Rng rng = Rng::stream(kSeed, "bad");
  const auto message = [&](const Matrix& X, const std::string& options) -> std::string {
    return message_of<Error>([&] { return made("tsne", of_features(X), options); });
  };
  Matrix X = gaussian_points(20, 3, rng);
  CHECK(holds_all(message(X, "{ method = barnes_hut, n_components = 4 }"),
                  {"'tsne'", "3 dimensions", "method = \"exact\""}));
  CHECK(holds_all(message(Matrix::Ones(9, 2), "{}"), {"All 9 objects", "nothing to draw"}));
  X(4, 1) = std::nan("");
  CHECK(holds_all(message(X, "{}"), {"'o4' (row 5) is not a finite number"}));
  CHECK(holds_all(message(Matrix::Identity(2, 2), "{}"), {"tsne needs at least 3 objects", "'test' has 2."}));
  const Observations nothing = of_objects(9);
  CHECK_THROWS_AS(static_cast<void>(made("tsne", nothing, "{}")), DataError);
}

TEST_CASE("infinite places have a value that no solver accepts") {
  Rng rng = Rng::stream(kSeed, "far");
  for (const char* method : {"exact", "barnes_hut", "fft"}) {
    const Problem problem =
        made("tsne", of_features(gaussian_points(50, 3, rng)), fmt::format("{{ method = {} }}", method));
    Point x = place(problem, 1, rng);
    x.flat()[4] = std::nan("");
    CHECK_FALSE(std::isfinite(value_of(problem, x)));
    CHECK(value_of(problem, place(problem, 1e200, rng)) == std::numeric_limits<double>::infinity());
  }
}

}  // namespace
}  // namespace tsne_problem_test
