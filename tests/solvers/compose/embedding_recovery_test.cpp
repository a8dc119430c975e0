// What the embedding methods are for, by the solver that the catalog recommends for each: sheets laid flat, distances
// kept.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "problems/catalog.hpp"
#include "problems/faces/eigen.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/share_left.hpp"
#include "tests/support/solve_case.hpp"

namespace embedding_recovery_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

struct Sheet {
  Observations data;
  Matrix truth;  // along the roll and across
};

/// A rolled-up sheet of 1.5 turns.
Sheet swiss_roll(Index n, Rng& rng) {
  Sheet out;
  FeatureMatrix X(n, 3);
  out.truth.resize(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double t = 1.5 * std::numbers::pi * (1 + 2 * rng.uniform01()), height = 21 * rng.uniform01();
    X.row(i) << static_cast<float>(t * std::cos(t)), static_cast<float>(height), static_cast<float>(t * std::sin(t));
    // Length of the spiral.
    out.truth.row(i) << 0.5 * (t * std::sqrt(1 + t * t) + std::asinh(t)), height;
  }
  out.data.name = "roll";
  for (Index i = 0; i < n; ++i) out.data.objects.push_back("o" + std::to_string(i));
  out.data.features = std::make_shared<const FeatureMatrix>(std::move(X));
  return out;
}

Outcome fitted(const std::string& name, const Observations& data, const std::string& options = "{}",
               std::string solver = "") {
  const Problem problem = made(name, data, options);
  NamedSolver chosen = recommended_solver(problem_catalog().at(name));
  if (!solver.empty()) chosen = {std::move(solver), {}};
  Rng rng(kSeed);
  return solve(*solver_catalog().at(chosen.name).make(chosen.options), problem, problem.start(rng));
}

/// Largest of |corr| of a map's columns with the place along the roll.
double along(const Matrix& map, const Vector& place) {
  const Vector b = place.array() - place.mean();
  double best = 0;
  for (Index c = 0; c < map.cols(); ++c) {
    const Vector a = map.col(c).array() - map.col(c).mean();
    best = std::max(best, std::abs(a.dot(b)) / (a.norm() * b.norm()));
  }
  return best;
}

TEST_CASE("a rolled-up sheet is laid flat by isomap, opened by the others, and not by pca") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Sheet roll = swiss_roll(800, rng);
  const auto map = [&](const std::string& name, const std::string& options) {
    const Outcome out = fitted(name, roll.data, options);
    CAPTURE(name);
    CAPTURE(out.summary.message);
    CHECK(out.summary.termination == Termination::converged);
    return made(name, roll.data, options).decode(out.x).only();
  };
  CHECK(share_left(map("isomap", "{ n_neighbors = 6 }"), roll.truth) < 0.02);
  CHECK(share_left(map("isomap", "{ n_neighbors = 6, landmarks = 60 }"), roll.truth) < 0.03);
  CHECK(share_left(map("pca", "{}"), roll.truth) > 0.3);
  CHECK(along(map("lle", "{}"), roll.truth.col(0)) > 0.9);
  CHECK(along(map("laplacian_eigenmaps", "{}"), roll.truth.col(0)) > 0.9);
  CHECK(along(map("pca", "{}"), roll.truth.col(0)) < 0.7);
}

TEST_CASE("Lanczos and all eigenvectors agree on every spectral problem") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Sheet roll = swiss_roll(400, rng);
  for (const char* name : {"pca", "classical_mds", "isomap", "lle", "hlle", "laplacian_eigenmaps"}) {
    CAPTURE(name);
    const Outcome few = fitted(name, roll.data, "{}", "lanczos");
    const Outcome all = fitted(name, roll.data, "{}", "eigen_dense");
    CAPTURE(few.summary.message);
    const auto& a = std::get<EigenSolution>(few.x);
    const auto& b = std::get<EigenSolution>(all.x);
    const double scale = made(name, roll.data).face<EigenFace>().eigen_request().largest ? b.values.maxCoeff() : 1;
    CHECK((a.values - b.values).cwiseAbs().maxCoeff() < 1e-9 * scale);
    const Problem problem = made(name, roll.data);
    const Matrix difference = problem.decode(few.x).only() - problem.decode(all.x).only();
    CHECK(difference.norm() < 1e-3 * problem.decode(all.x).only().norm());
  }
}

Observations six_dimensions() {
  Rng rng(kSeed);
  Observations data;
  data.name = "test";
  data.features = std::make_shared<const FeatureMatrix>(gaussian_points(80, 6, rng).cast<float>());
  for (Index i = 0; i < 80; ++i) data.objects.push_back("o" + std::to_string(i));
  return data;
}

TEST_CASE("stress falls without a rise by SMACOF, and Sammon's to where its gradient vanishes") {
  CAPTURE(kSeed);
  const Observations data = six_dimensions();
  for (const char* options : {"{}", "{ weights = inverse_power }"}) {
    CAPTURE(options);
    const Outcome smacof = fitted("mds", data, options, "majorization");
    CHECK(smacof.summary.termination == Termination::converged);
    CHECK(smacof.summary.objective < smacof.summary.initial_objective);
    for (std::size_t i = 1; i < smacof.summary.trace.size(); ++i)
      CHECK(smacof.summary.trace[i].objective <= smacof.summary.trace[i - 1].objective * (1 + 1e-12));
  }
  const Outcome sammon = fitted("sammon", data);
  CHECK(sammon.summary.objective < sammon.summary.initial_objective);
  const auto [unit, objective, rounding] = made("sammon", data).unit_factors();
  CHECK(sammon.summary.gradient_norm * objective / unit < 1e-4);
}

TEST_SUITE("statistical") {
  TEST_CASE("stress falls by SMACOF further than classical scaling, and as far by L-BFGS") {
    CAPTURE(kSeed);
    const Observations data = six_dimensions();
    for (const char* options : {"{}", "{ weights = inverse_power }"}) {
      CAPTURE(options);
      const Outcome smacof = fitted("mds", data, options, "majorization");
      // 0.42 and 0.46 of the initial stress: one seed, kernels of AVX-512, AVX2 and SSE2.
      CHECK(smacof.summary.objective < 0.9 * smacof.summary.initial_objective);
      const Outcome batch = fitted("mds", data, options, "ceres");
      // They differ by 4e-6 without weights and by 2.0 % with them.
      CHECK(smacof.summary.objective == doctest::Approx(batch.summary.objective).epsilon(0.05));
    }
    const Outcome sammon = fitted("sammon", data);
    // 0.44 of the initial value: one seed, kernels of AVX-512, AVX2 and SSE2.
    CHECK(sammon.summary.objective < 0.8 * sammon.summary.initial_objective);
  }
}

TEST_SUITE("statistical") {
  TEST_CASE("cca opens a sphere that stress flattens: neighbours on its map are neighbours in the data") {
    CAPTURE(kSeed);
    Rng rng(kSeed);
    Matrix X = gaussian_points(300, 3, rng);
    X.rowwise().normalize();
    Observations data;
    data.name = "sphere";
    data.features = std::make_shared<const FeatureMatrix>(X.cast<float>());
    for (Index i = 0; i < 300; ++i) data.objects.push_back("o" + std::to_string(i));
    // Share of the 10 nearest on the map that are among the 20 nearest in the data.
    const auto true_neighbors = [&](const Matrix& map) {
      double hits = 0;
      for (Index i = 0; i < 300; ++i) {
        const auto nearest = [&](const Matrix& of, std::size_t count) {
          std::vector<Index> order;
          for (Index j = 0; j < 300; ++j)
            if (j != i) order.push_back(j);
          std::ranges::sort(order, {}, [&](Index j) { return (of.row(i) - of.row(j)).squaredNorm(); });
          order.resize(count);
          return order;
        };
        const std::vector<Index> there = nearest(X, 20);
        for (const Index j : nearest(map, 10)) hits += std::ranges::find(there, j) != there.end();
      }
      return hits / 3000;
    };
    const Outcome cca = fitted("cca", data), mds = fitted("mds", data);
    const double opened = true_neighbors(std::get<Point>(cca.x).block(0)),
                 flattened = true_neighbors(std::get<Point>(mds.x).block(0));
    CAPTURE(opened);
    CAPTURE(flattened);
    // 6.3 after 126, and shares of 0.986 against 0.593: one seed, kernels of AVX-512, AVX2 and SSE2.
    CHECK(cca.summary.objective < cca.summary.initial_objective);
    CHECK(opened > flattened + 0.1);
  }
}

}  // namespace
}  // namespace embedding_recovery_test
