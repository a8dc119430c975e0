#include "problems/neighbor/out_of_sample.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/neighbor/affinities.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/observation_makers.hpp"

namespace out_of_sample_test {
namespace {

using namespace alidade;
using namespace alidade::neighbor;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20261123;

/// Central differences against the gradient that a row writes, at some places.
void check_row(const VectorObjective& row, Index d, Rng& rng) {
  for (int trial = 0; trial < 5; ++trial) {
    const Vector y = gaussian_points(d, 1, rng).col(0);
    Vector gradient(d), other(d), plus = y, minus = y;
    CHECK(std::isfinite(row(y, gradient)));
    for (Index c = 0; c < d; ++c) {
      const double h = 1e-6;
      plus = minus = y;
      plus[c] += h;
      minus[c] -= h;
      const double slope = (row(plus, other) - row(minus, other)) / (2 * h);
      CHECK(slope == doctest::Approx(gradient[c]).epsilon(1e-5));
    }
  }
}

Vector log_affinities(const Matrix& X, const Vector& x, double perplexity, double& beta) {
  const Vector squared = (X.rowwise() - x.transpose()).rowwise().squaredNorm();
  const RowAffinity row = calibrate({squared.data(), static_cast<std::size_t>(squared.size())}, -1, perplexity);
  beta = row.beta;
  return (-row.beta * squared.array() - row.log_normalizer).matrix();
}

TEST_CASE("rows of t-SNE and NeRV have the divergence by its definition, and its gradient") {
  Rng rng = Rng::stream(kSeed, "rows");
  for (const Index d : {1, 2, 4}) {
    const Matrix Y = gaussian_points(40, d, rng);
    const std::vector<Index> near = {3, 17, 4, 30};
    const std::vector<double> p = {0.4, 0.3, 0.2, 0.1};
    for (const double nu : {1.0, 2.5}) {
      const VectorObjective row = tsne_row(Y, near, p, nu);
      check_row(row, d, rng);
      const Vector y = gaussian_points(d, 1, rng).col(0);
      Vector u(40), gradient(d);
      for (Index j = 0; j < 40; ++j)
        u[j] = std::pow(1 + (y.transpose() - Y.row(j)).squaredNorm() / nu, -0.5 * (nu + 1));
      double expected = 0;
      for (std::size_t k = 0; k < 4; ++k) expected += p[k] * std::log(p[k] / (u[near[k]] / u.sum()));
      CHECK(close(row(y, gradient), expected, {1e-10, 1e-12}));
    }
    double beta = 0;
    const Matrix X = gaussian_points(40, 3, rng);
    const Vector log_p = log_affinities(X, Vector::Constant(3, 0.3), 8, beta);
    CHECK(log_p.array().exp().sum() == doctest::Approx(1));
    for (const double lambda : {0.0, 0.1, 0.7, 1.0}) {
      const VectorObjective row = nerv_row(Y, log_p, beta, lambda);
      check_row(row, d, rng);
      const Vector y = gaussian_points(d, 1, rng).col(0);
      Vector q(40), gradient(d);
      for (Index j = 0; j < 40; ++j) q[j] = std::exp(-beta * (y.transpose() - Y.row(j)).squaredNorm());
      q /= q.sum();
      const Vector p_all = log_p.array().exp().matrix();
      const double expected = lambda * (p_all.array() * (p_all.array() / q.array()).log()).sum() +
                              (1 - lambda) * (q.array() * (q.array() / p_all.array()).log()).sum();
      CHECK(close(row(y, gradient), expected, {1e-8, 1e-10}));
    }
  }
}

TEST_CASE("descent ends where the gradient vanishes, at the lowest of its starts' minima") {
  // Two wells, the left one deeper.
  const VectorObjective row = [](const Vector& y, Vector& gradient) {
    const double x = y[0], s = x * x - 1;
    gradient.resize(2);
    gradient[0] = 4 * x * s + 0.2;
    gradient[1] = 2 * y[1];
    return s * s + 0.2 * x + y[1] * y[1];
  };
  const std::vector<Vector> starts = {Vector::Constant(2, 1.5), Vector::Constant(2, -1.5)};
  Vector gradient(2);
  const Vector both = lowest_place(row, starts, 0.1);
  CHECK(both[0] < 0);
  row(both, gradient);
  CHECK(gradient.norm() < 1e-3);
  const Vector right = lowest_place(row, std::span(starts).first(1), 0.1);
  CHECK(right[0] > 0);
}

/// Three clusters in space, of which the map is a scaled drawing.
struct Drawing {
  std::shared_ptr<const FeatureMatrix> X;
  Matrix Y;
};
Drawing drawing(Rng& rng, double scale) {
  Matrix places = gaussian_points(120, 2, rng);
  for (Index i = 0; i < 120; ++i) {
    places(i, 0) += i % 3 == 0 ? 12 : 0;
    places(i, 1) += i % 3 == 1 ? 12 : 0;
  }
  Matrix X = Matrix::Zero(120, 5);
  X.leftCols(2) = places;
  return {std::make_shared<const FeatureMatrix>(X.cast<float>()), scale * places};
}

UmapRow umap_row(const Drawing& map) {
  return {10, 1, fitted_kernel(0.1, 1), 5, Vector::LinSpaced(map.Y.rows(), 2, 9)};
}

/// The gradient of an objective by central differences.
Vector slope_at(const std::function<double(const Vector&)>& objective, const Vector& y) {
  Vector out(y.size());
  for (Index c = 0; c < y.size(); ++c) {
    Vector plus = y, minus = y;
    plus[c] += 1e-5;
    minus[c] -= 1e-5;
    out[c] = (objective(plus) - objective(minus)) / 2e-5;
  }
  return out;
}

TEST_CASE("new objects of UMAP and PaCMAP lie at a minimum of their row by its definition") {
  Rng rng = Rng::stream(kSeed, "minima");
  const Drawing map = drawing(rng, 1);
  const UmapRow row = umap_row(map);
  const PacmapRow pairs{5, 20, 10, Vector::LinSpaced(120, 0.5, 2)};
  const FeatureMatrix fresh = (FeatureMatrix(1, 5) << 0.4F, 0.7F, 0.1F, 0, 0).finished();
  const Vector squared = (map.X->cast<double>().rowwise() - fresh.row(0).cast<double>()).rowwise().squaredNorm();
  std::vector<Index> order(120);
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index j) { return squared[j]; });
  const auto apart = [&](const Vector& y, Index j) { return (y.transpose() - map.Y.row(j)).squaredNorm(); };
  {
    // Memberships: full up to the nearest, widths by bisection.
    Eigen::RowVectorXd v(10);
    for (Index k = 0; k < 10; ++k) v[k] = std::sqrt(squared[order[static_cast<std::size_t>(k)]]);
    const double nearest = v[0];
    double low = 0, high = 100;
    for (int step = 0; step < 100; ++step) {
      const double width = 0.5 * (low + high);
      (((nearest - v.array()) / width).exp().sum() > std::log2(11.0) ? high : low) = width;
    }
    v = ((nearest - v.array()) / low).exp().matrix();
    const auto objective = [&](const Vector& y) {
      const auto w = [&](Index j) { return 1 / (1 + row.kernel.a * std::pow(apart(y, j) + 1e-3, row.kernel.b)); };
      double out = 0;
      for (Index k = 0; k < 10; ++k) out -= 2 * v[k] * std::log(w(order[static_cast<std::size_t>(k)]));
      for (Index j = 0; j < 120; ++j) out -= 0.5 * 5 / 120 * (v.sum() + row.degrees[j]) * std::log(1 - w(j));
      return out;
    };
    const Vector y = umap_projector(map.X, map.Y, row)->project(fresh).row(0);
    CHECK(slope_at(objective, y).norm() < 2e-3);
    CHECK(slope_at(objective, y + Vector::Constant(2, 0.3)).norm() > 0.1);
  }
  {
    const double unit =
        (std::sqrt(squared[order[3]]) + std::sqrt(squared[order[4]]) + std::sqrt(squared[order[5]])) / 3;
    order.resize(20);
    std::ranges::sort(order, {}, [&](Index j) { return squared[j] / (unit * pairs.units[j]); });
    order.resize(5);
    const auto objective = [&](const Vector& y) {
      double out = 0;
      for (Index j = 0; j < 120; ++j) {
        const double s = 1 + apart(y, j);
        out += std::ranges::count(order, j) == 1 ? s / (10 + s) : 10.0 / 115 / s;
      }
      return out;
    };
    const Vector y = pacmap_projector(map.X, map.Y, pairs)->project(fresh).row(0);
    CHECK(slope_at(objective, y).norm() < 1e-3);
    CHECK(slope_at(objective, y + Vector::Constant(2, 0.3)).norm() > 0.01);
  }
}

TEST_CASE("an object of the map gets its own place, a new one a place near similar objects") {
  Rng rng = Rng::stream(kSeed, "places");
  const Drawing map = drawing(rng, 1);
  const auto check = [&](const Projector& projector, double reach) {
    CHECK(projector.feature_count() == 5);
    CHECK(projector.component_count() == 2);
    CHECK((projector.project(*map.X) - map.Y).cwiseAbs().maxCoeff() == 0);
    FeatureMatrix fresh = FeatureMatrix::Zero(30, 5);
    Matrix due(30, 2);
    for (Index i = 0; i < 30; ++i) {
      due.row(i) = gaussian_points(1, 2, rng) * 0.7;
      due(i, 0) += i % 3 == 0 ? 12 : 0;
      due(i, 1) += i % 3 == 1 ? 12 : 0;
      fresh.row(i).leftCols(2) = due.row(i).cast<float>();
    }
    const Matrix got = projector.project(fresh);
    CHECK((got - due).rowwise().norm().maxCoeff() < reach);
    // Whoever comes with it.
    CHECK((projector.project(fresh.middleRows(7, 1)) - got.middleRows(7, 1)).cwiseAbs().maxCoeff() == 0);
    // What its description makes again places at the same bits.
    const auto again = projector_from(projector.description());
    CHECK((again->project(fresh) - got).cwiseAbs().maxCoeff() == 0);
    CHECK_THROWS_AS(static_cast<void>(projector.project(FeatureMatrix::Zero(2, 4))), DataError);
    fresh(3, 2) = std::nanf("");
    CHECK_THROWS_AS(static_cast<void>(projector.project(fresh)), DataError);
  };
  SUBCASE("t-SNE") { check(*tsne_projector(map.X, map.Y, 10), 2.0); }
  SUBCASE("UMAP") { check(*umap_projector(map.X, map.Y, umap_row(map)), 2.0); }
  SUBCASE("PaCMAP") { check(*pacmap_projector(map.X, map.Y, {10, 60, 20, Vector::Ones(120)}), 1.5); }
  SUBCASE("NeRV") {
    for (const double lambda : {0.1, 0.5, 1.0}) check(*nerv_projector(map.X, map.Y, 10, lambda), 1.0);
  }
}

TEST_CASE("a map from dissimilarities places new objects by theirs to its objects, as one from features does") {
  Rng rng = Rng::stream(kSeed, "dissimilarities");
  const Drawing map = drawing(rng, 1);
  const Matrix X = map.X->cast<double>(), fresh = gaussian_points(9, 5, rng);
  const auto to_map = [&](const Matrix& rows) {
    FeatureMatrix out(rows.rows(), X.rows());
    for (Index i = 0; i < rows.rows(); ++i)
      out.row(i) = (X.rowwise() - rows.row(i)).rowwise().norm().transpose().cast<float>();
    return out;
  };
  const auto check = [&](const Projector& by_features, const Projector& by_dissimilarities) {
    CHECK_FALSE(by_features.takes_dissimilarities());
    CHECK(by_dissimilarities.takes_dissimilarities());
    CHECK(by_dissimilarities.feature_count() == 120);
    CHECK((by_dissimilarities.project(to_map(X)) - map.Y).cwiseAbs().maxCoeff() == 0);
    const Matrix got = by_dissimilarities.project(to_map(fresh));
    CHECK((got - by_features.project(fresh.cast<float>())).cwiseAbs().maxCoeff() < 1e-2);
    const auto again = projector_from(by_dissimilarities.description());
    CHECK((again->project(to_map(fresh)) - got).cwiseAbs().maxCoeff() == 0);
    CHECK_THROWS_WITH_AS(static_cast<void>(again->project(fresh.cast<float>())),
                         "The map was made of dissimilarities. Give those of each new object to the 120 objects of the "
                         "map, not 5 numbers.",
                         DataError);
    CHECK_THROWS_AS(static_cast<void>(again->project(-to_map(fresh))), DataError);
  };
  SUBCASE("t-SNE") { check(*tsne_projector(map.X, map.Y, 10), *tsne_projector(nullptr, map.Y, 10)); }
  SUBCASE("NeRV") { check(*nerv_projector(map.X, map.Y, 10, 0.5), *nerv_projector(nullptr, map.Y, 10, 0.5)); }
  SUBCASE("UMAP") {
    check(*umap_projector(map.X, map.Y, umap_row(map)), *umap_projector(nullptr, map.Y, umap_row(map)));
  }
  SUBCASE("PaCMAP") {
    const PacmapRow row{10, 60, 20, Vector::Ones(120)};
    check(*pacmap_projector(map.X, map.Y, row), *pacmap_projector(nullptr, map.Y, row));
  }
}

TEST_CASE("NeRV places objects on a map in other units") {
  Rng rng = Rng::stream(kSeed, "units");
  Rng same = rng;
  const Drawing map = drawing(rng, 1), small = drawing(same, 0.125);
  const FeatureMatrix fresh = (FeatureMatrix(1, 5) << 0.3F, 0.2F, 0, 0, 0).finished();
  const Matrix one = nerv_projector(map.X, map.Y, 10, 0.5)->project(fresh),
               other = nerv_projector(small.X, small.Y, 10, 0.5, 8)->project(fresh);
  CHECK((8 * other - one).cwiseAbs().maxCoeff() < 1e-3);
}

TEST_CASE("maps of UMAP and PaCMAP come with their projector, unless placement is off") {
  Rng rng = Rng::stream(kSeed, "problems");
  const Drawing map = drawing(rng, 1);
  Observations observations;
  for (Index i = 0; i < 120; ++i) observations.objects.push_back(std::to_string(i));
  observations.features = map.X;
  for (const char* name : {"umap", "pacmap"}) {
    CAPTURE(name);
    ValueTable options;
    Problem problem = problem_catalog().at(name).make(observations, options);
    const auto projector = problem.decode(problem.start(rng)).projector;
    REQUIRE(projector != nullptr);
    CHECK(projector->description().find("kind")->get_if<std::string>()->compare(name) == 0);
    CHECK(projector->project(*map.X).allFinite());
    options.set("placement", false);
    problem = problem_catalog().at(name).make(observations, options);
    CHECK(problem.decode(problem.start(rng)).projector == nullptr);
  }
}

TEST_CASE("descriptions that do not fit are refused") {
  Rng rng = Rng::stream(kSeed, "descriptions");
  const Drawing map = drawing(rng, 1);
  const ValueTable good = tsne_projector(map.X, map.Y, 10)->description();
  for (const char* key : {"perplexity", "degrees_of_freedom", "features", "map"}) {
    ValueTable bad = good;
    bad.erase(key);
    CHECK_THROWS_AS(static_cast<void>(projector_from(bad)), DataError);
  }
  ValueTable featureless = good;
  featureless.set("features", matrix_to_table(Eigen::Ref<const FeatureMatrix>(FeatureMatrix(120, 0))));
  CHECK_THROWS_AS(static_cast<void>(projector_from(featureless)), DataError);
  const auto refused = [](const std::shared_ptr<const Projector>& projector, const char* key, double value) {
    ValueTable bad = projector->description();
    bad.set(key, value);
    CAPTURE(key);
    CHECK_THROWS_AS(static_cast<void>(projector_from(bad)), DataError);
    bad.erase(key);
    CHECK_THROWS_AS(static_cast<void>(projector_from(bad)), DataError);
  };
  for (const char* key : {"neighbors", "a", "b", "repulsion", "degrees"})
    refused(umap_projector(map.X, map.Y, umap_row(map)), key, -1);
  for (const char* key : {"near", "listed", "further", "units"})
    refused(pacmap_projector(map.X, map.Y, {10, 60, 20, Vector::Ones(120)}), key, -1);
  for (const double perplexity : {0.5, 1e6}) {
    ValueTable bad = good;
    bad.set("perplexity", perplexity);
    CHECK_THROWS_AS(static_cast<void>(projector_from(bad)), DataError);
  }
  ValueTable lambda = nerv_projector(map.X, map.Y, 10, 0.5)->description();
  CHECK_NOTHROW(static_cast<void>(projector_from(lambda)));
  lambda.set("lambda", 1.5);
  CHECK_THROWS_AS(static_cast<void>(projector_from(lambda)), DataError);
}

}  // namespace
}  // namespace out_of_sample_test
