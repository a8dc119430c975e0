#include "problems/neighbor/affinities.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "problems/core/error.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/json_matrix.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/test_paths.hpp"

namespace affinities_test {
namespace {

using namespace alidade;
using namespace alidade::neighbor;
using namespace alidade::testing;

}  // namespace

TEST_CASE("betas are those of the reference, and every row has the entropy asked for") {
  std::ifstream in(std::string(test_folder()) + "/problems/data/neighbor_reference.json");
  const auto reference = nlohmann::json::parse(in);
  Executor executor;
  REQUIRE(reference["instances"].size() == 3);
  for (const auto& instance : reference["instances"]) {
    const Matrix D = distances_between(matrix_of(instance["X"]));
    const double perplexity = instance["perplexity"];
    const DissimilarityRows rows(of_dissimilarities(D), "a test");
    const Affinities affinities_of_rows = affinities(rows, perplexity, executor);
    CHECK(affinities_of_rows.capped == 0);
    for (Index i = 0; i < D.rows(); ++i) {
      CHECK(close(affinities_of_rows.beta[i], instance["beta"][static_cast<std::size_t>(i)], {1e-9, 0}));
      double sum = 0, entropy = 0;
      for (Index j = 0; j < D.rows(); ++j) {
        if (j == i) continue;
        const double log_p = -affinities_of_rows.beta[i] * D(i, j) * D(i, j) - affinities_of_rows.log_normalizer[i];
        sum += std::exp(log_p);
        entropy -= std::exp(log_p) * log_p;
      }
      CHECK(std::abs(sum - 1) < 1e-12);
      CHECK(std::abs(entropy - std::log(perplexity)) < 2e-10);
    }
  }
}

TEST_CASE("calibration survives rows over many orders of magnitude, and the scale of the data") {
  Rng rng(7);
  for (const double scale : {1e-30, 1e-3, 1.0, 1e30})
    for (const double spread : {0.1, 3.0, 30.0}) {
      CAPTURE(scale);
      CAPTURE(spread);
      std::vector<double> row(200);
      for (double& d : row) d = scale * std::exp(spread * rng.normal());
      for (const double perplexity : {1.1, 5.0, 150.0, 198.5}) {
        CAPTURE(perplexity);
        const RowAffinity affinity = calibrate(row, -1, perplexity);
        CHECK(std::abs(affinity.entropy - std::log(perplexity)) < 1e-8);
        CHECK_FALSE(affinity.capped);
      }
    }
}

TEST_CASE("if more objects are equally near than the perplexity, beta is capped and finite") {
  std::vector<double> row(100, 4.0);
  for (std::size_t j = 0; j < 30; ++j) row[j] = 0;
  const RowAffinity affinity = calibrate(row, -1, 20);
  CHECK(affinity.capped);
  CHECK(std::isfinite(affinity.beta));
  CHECK(affinity.entropy == doctest::Approx(std::log(30.0) + 1e-6).epsilon(1e-9));
  // All others equally near: any beta has their entropy.
  const RowAffinity simplex = calibrate(std::vector<double>(50, 2.0), 3, 20);
  CHECK(simplex.beta == 0.5);
  CHECK(simplex.entropy == doctest::Approx(std::log(49.0)));
  CHECK(calibrate(std::vector<double>(50, 0.0), 3, 20).beta == 0);
}

TEST_CASE("features and their dissimilarities give the same rows, with any number of threads") {
  Rng rng(3);
  const FeatureMatrix X = gaussian_points(90, 7, rng).cast<float>();
  const DissimilarityRows of_x(of_features(X), "a test");
  const DissimilarityRows of_d(of_dissimilarities(distances_between(X.cast<double>())), "a test");
  Executor one(1), three(3);
  const auto a = squared_dissimilarities<double>(of_x, one);
  const auto b = squared_dissimilarities<double>(of_d, three);
  CHECK((a.values - b.values).cwiseAbs().maxCoeff() < 1e-5 * b.values.maxCoeff());
  CHECK(close(a.mean, b.mean, {1e-6, 0}));
  CHECK(a.values == a.values.transpose());
  const auto again = squared_dissimilarities<double>(of_x, three);
  CHECK((again.values == a.values && again.mean == a.mean));
  CHECK(affinities(of_x, 15, one).beta == affinities(of_x, 15, three).beta);
}

TEST_CASE("invalid dissimilarities are refused with their place") {
  const auto refusal = [](Matrix D) {
    return message_of<Error>([&] { DissimilarityRows(of_dissimilarities(D), "NeRV"); });
  };
  Matrix D = Matrix::Ones(4, 4);
  D.diagonal().setZero();
  CHECK(refusal(D) == "(no error)");
  Matrix bad = D;
  bad(2, 1) = 3;
  CHECK(refusal(bad).find("'o2' and 'o1' (rows 3 and 2)") != std::string::npos);
  CHECK(refusal(bad).find("symmetric") != std::string::npos);
  bad = D;
  bad(0, 3) = bad(3, 0) = std::nan("");
  CHECK(refusal(bad).find("number >= 0") != std::string::npos);
  bad = D;
  bad(1, 1) = 1;
  CHECK(refusal(bad).find("itself") != std::string::npos);
  CHECK(refusal(Matrix::Zero(4, 3)).find("4 x 3") != std::string::npos);
  Executor executor;
  CHECK(message_of<Error>([&] {
          static_cast<void>(affinities(DissimilarityRows(of_dissimilarities(D), "NeRV"), 20, executor));
        }).find("below 3") != std::string::npos);
  CHECK(message_of<Error>([&] {
          static_cast<void>(squared_dissimilarities<float>(
              DissimilarityRows(of_features(FeatureMatrix::Ones(5, 2)), "NeRV"), executor));
        }).find("the same position") != std::string::npos);
}

}  // namespace affinities_test
