#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "problems/catalog.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/geodesics.hpp"
#include "problems/distances/principal_components.hpp"
#include "problems/faces/eigen.hpp"
#include "problems/spectral/spectral_map.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/objective_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/share_left.hpp"

namespace spectral_problems_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

Eigen::MatrixXd matrix_of(const EigenRequest& request) {
  if (request.dense) return *request.dense;
  if (request.sparse) return Eigen::MatrixXd(*request.sparse);
  Eigen::MatrixXd out(request.size, request.size);
  Vector unit = Vector::Zero(request.size), image(request.size);
  for (Index j = 0; j < request.size; ++j) {
    unit[j] = 1;
    request.apply({unit.data(), static_cast<std::size_t>(unit.size())},
                  {image.data(), static_cast<std::size_t>(image.size())});
    out.col(j) = image;
    unit[j] = 0;
  }
  return out;
}

/// By all eigenvectors.
EigenSolution solved(const Problem& problem) {
  const EigenRequest request = problem.face<EigenFace>().eigen_request();
  const Eigen::MatrixXd A = matrix_of(request);
  CHECK((A - A.transpose()).norm() <= 1e-12 * A.norm());
  const SymmetricEigen all(A);
  EigenSolution out;
  if (request.largest) {
    out.vectors = all.eigenvectors().rightCols(request.count).rowwise().reverse();
    out.values = all.eigenvalues().tail(request.count).reverse();
  } else {
    out.vectors = all.eigenvectors().leftCols(request.count);
    out.values = all.eigenvalues().head(request.count);
  }
  return out;
}

Matrix map_of(const Problem& problem) { return problem.decode(solved(problem)).only(); }

TEST_CASE("pca is the principal components, of objects or of fewer features, and places new ones") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  for (const auto& [n, p] : {std::pair<Index, Index>{80, 6}, {9, 30}}) {
    CAPTURE(n);
    Matrix X = gaussian_points(n, p, rng);
    X.col(0) *= 4;
    X.col(1) *= 2;
    const Observations data = of_features(X);
    const Problem problem = made("pca", data);
    const Embedding map = problem.decode(solved(problem));
    Executor executor;
    const auto expected = principal_components(*data.features, 2, executor);
    CHECK((map.only() - expected.scores).norm() < 1e-8 * expected.scores.norm());
    REQUIRE(map.projector != nullptr);
    CHECK(map.projector->project(*data.features) == map.only());
    CHECK(map.projector->project(data.features->bottomRows(1)) == map.only().bottomRows(1));
    const auto again = projector_from(map.projector->description());
    CHECK(again->project(*data.features) == map.only());
    CHECK_THROWS_AS(static_cast<void>(again->project(data.features->leftCols(p - 1))), DataError);
    const double whole = principal_components(*data.features, p, executor).variances.sum();
    CHECK(map.estimates.front().second == doctest::Approx(expected.variances.sum() / whole));
  }
  // Past the rank there is nothing.
  const Matrix flat = gaussian_points(10, 2, rng);
  const Matrix wide = map_of(made("pca", of_features(flat), "{ n_components = 4 }"));
  CHECK(wide.cols() == 4);
  CHECK(wide.rightCols(2).isZero());
  CHECK_THROWS_AS(static_cast<void>(made("pca", of_features(Matrix::Ones(5, 3)))), DataError);
}

TEST_CASE(
    "classical scaling of Euclidean distances is pca, and objects link all to all in isomap's "
    "graph") {
  Rng rng(kSeed);
  Matrix X = gaussian_points(50, 4, rng);
  X.col(0) *= 3;
  X.col(2) *= 2;
  const Observations data = of_features(X);
  const Matrix expected = map_of(made("pca", data, "{ n_components = 3 }"));
  for (const char* name : {"classical_mds", "isomap"}) {
    CAPTURE(name);
    const Problem problem = made(
        name, data, std::string(name) == "isomap" ? "{ n_components = 3, n_neighbors = 49 }" : "{ n_components = 3 }");
    const EigenSolution x = solved(problem);
    const Matrix map = problem.decode(x).only();
    for (Index c = 0; c < 3; ++c)
      CHECK(std::min((map.col(c) - expected.col(c)).norm(), (map.col(c) + expected.col(c)).norm()) <
            1e-5 * expected.col(c).norm());
    CHECK(objective_of(problem, x) == doctest::Approx(-x.values.sum()));
    CHECK(problem.decode(x).estimates.front().second > 0);
    CHECK(problem.decode(x).estimates.front().second < 0.1);
  }
  // In the plane with landmarks everybody comes to the right place.
  const Matrix plane = gaussian_points(60, 2, rng);
  const Problem landmarks = made("isomap", of_features(plane), "{ n_neighbors = 59, landmarks = 7 }");
  CHECK(landmarks.face<EigenFace>().eigen_request().size == 7);
  CHECK(share_left(map_of(landmarks), plane) < 1e-8);
}

TEST_CASE("classical scaling and isomap say what negative eigenvalues hold, with landmarks too") {
  // A closed ring: geodesics around it are those of no plane.
  Matrix ring(90, 2);
  for (Index i = 0; i < 90; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / 90;
    ring.row(i) << std::cos(angle), std::sin(angle);
  }
  const auto message_for = [](const Problem& problem) {
    double share = -1;
    for (const auto& [name, value] : problem.decode(solved(problem)).estimates)
      if (name == "negative_share") share = value;
    CHECK(share >= 0);
    const bool noted = std::ranges::any_of(problem.notes(), [](const std::string& note) {
      return note.find("negative eigenvalues") != std::string::npos;
    });
    CHECK(noted == (share >= 0.01));
    return share;
  };
  const Observations data = of_features(ring);
  CHECK(message_for(made("classical_mds", data)) < 1e-6);
  CHECK(message_for(made("isomap", data, "{ n_neighbors = 2 }")) > 0.01);
  CHECK(message_for(made("isomap", data, "{ n_neighbors = 2, landmarks = 30 }")) > 0.01);
  Matrix arcs(90, 90);
  for (Index i = 0; i < 90; ++i)
    for (Index j = 0; j < 90; ++j) arcs(i, j) = static_cast<double>(std::min(std::abs(i - j), 90 - std::abs(i - j)));
  CHECK(message_for(made("classical_mds", testing::of_dissimilarities(arcs))) > 0.01);
}

TEST_CASE("isomap unrolls an arc, and places only the largest part") {
  Matrix X(120, 2), arc(120, 1);
  for (Index i = 0; i < 120; ++i) {
    const double angle = 1.5 * std::numbers::pi * static_cast<double>(i) / 119;
    X.row(i) << std::cos(angle), std::sin(angle);
    arc(i, 0) = angle;
  }
  CHECK(share_left(map_of(made("isomap", of_features(X), "{ n_neighbors = 3, n_components = 1 }")), arc) < 1e-4);
  Matrix apart = X;
  apart.bottomRows(40).array() += 30;
  for (const char* name : {"isomap", "lle", "hlle", "laplacian_eigenmaps"}) {
    CAPTURE(name);
    const Problem joined = made(name, of_features(apart), "{ n_neighbors = 6 }");
    REQUIRE(joined.notes().size() == 1);
    CHECK(joined.notes()[0].find("2 connected parts (of 80, 40 objects). They were joined by 1 edge") !=
          std::string::npos);
    CHECK(map_of(joined).allFinite());
    const Problem largest = made(name, of_features(apart), "{ n_neighbors = 6, disconnected = largest }");
    const Matrix map = map_of(largest);
    CHECK(map.topRows(80).allFinite());
    CHECK(map.bottomRows(40).array().isNaN().all());
    CHECK_THROWS_AS(static_cast<void>(made(name, of_features(apart), "{ n_neighbors = 6, disconnected = error }")),
                    DataError);
  }
}

TEST_CASE(
    "lle's matrix is what neighbours leave unexplained, by weights of a constrained least "
    "squares") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Index n = 40, k = 6;
  const Matrix X = gaussian_points(n, 3, rng).cast<float>().cast<double>();
  const Problem problem = made("lle", of_features(X), "{ n_neighbors = 6, reg = 0.01 }");
  Matrix lacks = Matrix::Identity(n, n);
  for (Index i = 0; i < n; ++i) {
    std::vector<Index> order;
    for (Index j = 0; j < n; ++j)
      if (j != i) order.push_back(j);
    std::ranges::sort(order, {}, [&](Index j) { return (X.row(i) - X.row(j)).norm(); });
    // min |x_i - sum w_a x_a|^2 + reg tr(G) |w|^2 with sum w = 1, by its multiplier.
    Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(k + 1, k + 1);
    for (Index a = 0; a < k; ++a)
      for (Index b = 0; b < k; ++b)
        kkt(a, b) = (X.row(order[static_cast<std::size_t>(a)]) - X.row(i))
                        .dot(X.row(order[static_cast<std::size_t>(b)]) - X.row(i));
    kkt.topLeftCorner(k, k).diagonal().array() += 0.01 * kkt.trace();
    kkt.row(k).head(k).setOnes();
    kkt.col(k).head(k).setOnes();
    Vector right = Vector::Zero(k + 1);
    right[k] = 1;
    const Vector w = kkt.fullPivLu().solve(right);
    for (Index a = 0; a < k; ++a) lacks(i, order[static_cast<std::size_t>(a)]) -= w[a];
  }
  const Eigen::MatrixXd A = matrix_of(problem.face<EigenFace>().eigen_request());
  CHECK((A - lacks.transpose() * lacks).norm() < 1e-10 * A.norm());
  CHECK((A * Vector::Ones(n)).norm() < 1e-10);
  const Matrix map = map_of(problem);
  CHECK(map.colwise().mean().norm() < 1e-9);
  CHECK((map.transpose() * map / static_cast<double>(n) - Matrix::Identity(2, 2)).norm() < 1e-9);
}

/// A sheet of 2 x 1, rolled up around an axis of radius 0.3, with a square hole in its middle; `sheet`: its flat
/// coordinates.
Matrix holed_roll(Index n, Rng& rng, Matrix& sheet) {
  Matrix out(n, 3);
  sheet.resize(n, 2);
  for (Index i = 0; i < n;) {
    const double x = 2 * rng.uniform01(), y = rng.uniform01();
    if (std::abs(x - 1) < 0.4 && std::abs(y - 0.5) < 0.2) continue;
    sheet.row(i) << x, y;
    out.row(i) << 0.5 * std::cos(x / 0.5), 0.5 * std::sin(x / 0.5), y;
    ++i;
  }
  return out;
}

TEST_CASE(
    "hlle's matrix is the sum of squares of what quadratic fits on tangent planes leave to second "
    "order") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Index n = 45, k = 9;
  for (const Index d : {1, 2}) {
    CAPTURE(d);
    const Matrix X = gaussian_points(n, 4, rng).cast<float>().cast<double>();
    const Problem problem =
        made("hlle", of_features(X), fmt::format("{{ n_neighbors = {}, n_components = {} }}", k, d));
    Matrix expected = Matrix::Zero(n, n);
    std::vector<int> times(static_cast<std::size_t>(n), 0);  // among the nearest of another
    std::vector<Vector> lacks;
    for (Index i = 0; i < n; ++i) {
      std::vector<Index> order(static_cast<std::size_t>(n));
      for (Index j = 0; j < n; ++j) order[static_cast<std::size_t>(j)] = j;
      std::ranges::sort(order, {}, [&](Index j) { return (X.row(i) - X.row(j)).norm(); });
      order.erase(order.begin());  // itself
      order.resize(k);
      Eigen::MatrixXd local(k, 4);
      for (Index a = 0; a < k; ++a) local.row(a) = X.row(order[static_cast<std::size_t>(a)]);
      for (const Index j : order) ++times[static_cast<std::size_t>(j)];
      const Eigen::RowVectorXd mean = local.colwise().mean();
      local.rowwise() -= mean;
      const Eigen::JacobiSVD<Eigen::MatrixXd> parts(local, Eigen::ComputeThinU | Eigen::ComputeThinV);
      // What linear functions on the tangent plane predict for i.
      const Vector ahead = parts.singularValues().head(d).cwiseInverse().asDiagonal() *
                           (parts.matrixV().leftCols(d).transpose() * (X.row(i) - mean).transpose());
      Vector lack = Vector::Zero(n);
      for (Index a = 0; a < k; ++a)
        lack[order[static_cast<std::size_t>(a)]] =
            -1.0 / static_cast<double>(k) - parts.matrixU().row(a).head(d).dot(ahead);
      lack[i] = 1;
      lacks.push_back(lack);
      const Eigen::MatrixXd u = parts.matrixU().leftCols(d);
      Eigen::MatrixXd plane(k, 1 + d), all(k, 1 + d + d * (d + 1) / 2);
      plane << Eigen::VectorXd::Ones(k), u;
      all.leftCols(1 + d) = plane;
      for (Index a = 0, c = 1 + d; a < d; ++a)
        for (Index b = a; b < d; ++b) all.col(c++) = u.col(a).cwiseProduct(u.col(b));
      // The projector on the quadratics less that on the straight ones.
      const auto projector = [](const Eigen::MatrixXd& A) {
        return Eigen::MatrixXd(A * (A.transpose() * A).inverse() * A.transpose());
      };
      const Eigen::MatrixXd local_sum = projector(all) - projector(plane);
      for (Index a = 0; a < k; ++a)
        for (Index b = 0; b < k; ++b)
          expected(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]) += local_sum(a, b);
    }
    Index free = 0;
    for (Index i = 0; i < n; ++i)
      if (times[static_cast<std::size_t>(i)] == 0) {
        expected += lacks[static_cast<std::size_t>(i)] * lacks[static_cast<std::size_t>(i)].transpose();
        ++free;
      }
    CHECK(free > 0);
    const Eigen::MatrixXd A = matrix_of(problem.face<EigenFace>().eigen_request());
    CHECK((A - expected).norm() < 1e-9 * A.norm());
    CHECK((A * Vector::Ones(n)).norm() < 1e-10 * A.norm());
  }
}

TEST_CASE(
    "hlle gives a flat sheet with a hole its own coordinates, and a rolled one nearly so; lle does "
    "not") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  Matrix sheet;
  const Matrix roll = holed_roll(500, rng, sheet);
  // In the plane the coordinates have no second derivatives at all: the places themselves, distances included.
  const Problem flat = made("hlle", of_features(sheet));
  const EigenSolution lowest = solved(flat);
  CHECK(lowest.values[2] < 1e-10);
  const Matrix map = flat.decode(lowest).only();
  CHECK(share_left(map, sheet) < 1e-8);
  CHECK((distances_between(map) - distances_between(sheet)).cwiseAbs().maxCoeff() < 1e-3);
  // Rolled up, lengths along the sheet are those in space up to curvature.
  const Matrix unrolled = map_of(made("hlle", of_features(roll)));
  CHECK(share_left(unrolled, sheet) < 1e-3);
  CHECK(share_left(map_of(made("lle", of_features(roll))), sheet) > 0.01);
  CHECK((distances_between(unrolled) - distances_between(sheet)).cwiseAbs().maxCoeff() < 0.1);
}

TEST_CASE("isomap, lle and classical scaling place new objects by their neighbours, in the formulas of the papers") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  constexpr Index kOld = 120, kNew = 15, kNeighbors = 9;
  Matrix sheet;
  const Matrix roll = holed_roll(kOld + kNew, rng, sheet);
  const Observations data = of_features(Matrix(roll.topRows(kOld)));
  const FeatureMatrix fresh = roll.bottomRows(kNew).cast<float>();
  Matrix apart(kNew, kOld);  // of new objects from those of the map
  for (Index i = 0; i < kNew; ++i)
    apart.row(i) = (data.features->cast<double>().rowwise() - fresh.row(i).cast<double>()).rowwise().norm();
  const auto nearest = [&](Index i) {
    std::vector<Index> order(kOld);
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, {}, [&](Index j) { return apart(i, j); });
    order.resize(kNeighbors);
    return order;
  };
  for (const char* options : {"{ n_neighbors = 9 }", "{ n_neighbors = 9, landmarks = 40 }"}) {
    CAPTURE(options);
    const Embedding map = made("isomap", data, options).decode(solved(made("isomap", data, options)));
    REQUIRE(map.projector != nullptr);
    CHECK(map.projector->project(*data.features) == map.only());
    const Matrix got = map.projector->project(fresh);
    CHECK(projector_from(map.projector->description())->project(fresh) == got);
    CHECK(map.projector->project(fresh.bottomRows(1)) == got.bottomRows(1));
    if (std::string(options).find("landmarks") != std::string::npos) continue;
    // The Nystroem formula, with the graph's distances by the neighbours of a new object.
    Executor executor;
    const KnnGraph graph = knn_graph(DissimilarityRows(data, "test"), kNeighbors, Disconnected::join, executor);
    const Matrix along = geodesic_distances(graph, executor);
    const Matrix D2 = along.cwiseAbs2();
    Matrix lengths = Matrix::Constant(kNew, kOld, std::numeric_limits<double>::infinity());
    for (Index i = 0; i < kNew; ++i)
      for (const Index j : nearest(i))
        lengths.row(i) = lengths.row(i).cwiseMin((along.row(j).array() + apart(i, j)).matrix());
    const Eigen::RowVectorXd eigenvalues = map.only().colwise().squaredNorm();
    const Matrix K = -0.5 * (lengths.cwiseAbs2().rowwise() - D2.colwise().mean());
    const Matrix want = K * map.only() * eigenvalues.cwiseInverse().asDiagonal();
    CHECK((got - want).norm() < 1e-5 * want.norm());
    CHECK(share_left(Matrix(got), Matrix(sheet.bottomRows(kNew))) < 0.05);
  }
  const Problem lle = made("lle", data, "{ n_neighbors = 9, reg = 0.01 }");
  const Embedding map = lle.decode(solved(lle));
  REQUIRE(map.projector != nullptr);
  CHECK(map.projector->project(*data.features) == map.only());
  const Matrix got = map.projector->project(fresh);
  CHECK(projector_from(map.projector->description())->project(fresh) == got);
  for (Index i = 0; i < kNew; ++i) {
    const std::vector<Index> near = nearest(i);
    Eigen::MatrixXd Z(kNeighbors, 3);
    for (Index a = 0; a < kNeighbors; ++a)
      Z.row(a) = (data.features->row(near[static_cast<std::size_t>(a)]) - fresh.row(i)).cast<double>();
    Eigen::MatrixXd gram = Z * Z.transpose();
    gram.diagonal().array() += 0.01 * gram.trace();
    const Eigen::VectorXd w = gram.ldlt().solve(Eigen::VectorXd::Ones(kNeighbors));
    Eigen::RowVectorXd want = Eigen::RowVectorXd::Zero(2);
    for (Index a = 0; a < kNeighbors; ++a) want += w[a] / w.sum() * map.only().row(near[static_cast<std::size_t>(a)]);
    CHECK((got.row(i) - want).norm() < 1e-4 * (1 + want.norm()));
  }
  const Problem scaled = made("classical_mds", data);
  const Embedding linear = scaled.decode(solved(scaled));
  REQUIRE(linear.projector != nullptr);
  CHECK(linear.projector->project(*data.features) == linear.only());
  const Problem pca = made("pca", data);
  const Embedding components = pca.decode(solved(pca));
  CHECK((linear.projector->project(fresh).cwiseAbs() - components.projector->project(fresh).cwiseAbs()).norm() < 1e-3);
  // From dissimilarities by theirs, as by the features.
  Matrix among(kOld, kOld);
  for (Index i = 0; i < kOld; ++i)
    among.row(i) =
        (data.features->cast<double>().rowwise() - data.features->row(i).cast<double>()).rowwise().norm().transpose();
  const Observations distances = of_dissimilarities(0.5 * (among + among.transpose()));
  for (const char* name : {"classical_mds", "isomap"}) {
    CAPTURE(name);
    const Problem by_features = made(name, data), problem = made(name, distances);
    const Embedding by_distances = problem.decode(solved(problem));
    REQUIRE(by_distances.projector != nullptr);
    CHECK(by_distances.projector->project(among.cast<float>()) == by_distances.only());
    const Matrix found = by_distances.projector->project(apart.cast<float>());
    CHECK(projector_from(by_distances.projector->description())->project(apart.cast<float>()) == found);
    const Matrix due = by_features.decode(solved(by_features)).projector->project(fresh);
    CHECK((found.cwiseAbs() - due.cwiseAbs()).norm() < 1e-3 * due.norm());
  }
  // Not where only a part is placed: neighbours may then have no place.
  Matrix parts = gaussian_points(40, 3, rng);
  parts.bottomRows(8).array() += 100;
  const Problem part = made("isomap", of_features(parts), "{ n_neighbors = 5, disconnected = largest }");
  CHECK(part.decode(solved(part)).projector == nullptr);
}

TEST_CASE("problems say whether their maps place new objects") {
  Rng rng(kSeed);
  const Observations data = of_features(Matrix(gaussian_points(40, 4, rng).cast<float>().cast<double>()));
  for (const ProblemEntry& entry : problem_catalog().entries()) {
    if (entry.needs.size() != 1 || !data.offers(entry.needs.front()) || !entry.offers.has<EigenFace>()) continue;
    CAPTURE(entry.name);
    const Problem problem = made(entry.name, data);
    CHECK((problem.decode(solved(problem)).projector != nullptr) == entry.places_objects);
  }
}

TEST_CASE("hlle keeps two dimensions of a surface that is not flat") {
  constexpr Index kPoints = 500;
  for (const Index k : {10, 15}) {
    CAPTURE(k);
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      CAPTURE(seed);
      Rng rng(seed);
      Matrix torus(kPoints, 3);
      for (Index i = 0; i < kPoints; ++i) {
        const double u = 2 * std::numbers::pi * rng.uniform01(), v = 2 * std::numbers::pi * rng.uniform01();
        torus.row(i) << (2 + std::cos(v)) * std::cos(u), (2 + std::cos(v)) * std::sin(u), std::sin(v);
      }
      const Matrix map = map_of(made("hlle", of_features(torus), fmt::format("{{ n_neighbors = {} }}", k)));
      const Eigen::RowVectorXd deviation =
          (map.rowwise() - map.colwise().mean()).colwise().norm() / std::sqrt(static_cast<double>(kPoints));
      CAPTURE(deviation);
      CHECK(deviation[1] > 0.8 * deviation[0]);
    }
  }
}

TEST_CASE("hlle refuses data whose neighbourhoods have fewer dimensions than the map") {
  Matrix line = Matrix::Zero(30, 3);
  for (Index i = 0; i < 30; ++i) line.row(i) << 0.1 * std::pow(i, 1.1), 0.2 * std::pow(i, 1.1), 0;
  CHECK_THROWS_WITH_AS(made("hlle", of_features(line)), doctest::Contains("lie in 1 dimension"), DataError);
  CHECK_THROWS_AS(static_cast<void>(made("hlle", of_features(Matrix(line.leftCols(1))))), DataError);
  CHECK(std::abs(map_of(made("hlle", of_features(line), "{ n_components = 1 }")).col(0).maxCoeff()) > 0.1);
}

TEST_CASE("hlle takes duplicates and neighbourhoods on a line, and refuses too few neighbours") {
  Rng rng(kSeed);
  Matrix X = gaussian_points(40, 3, rng);
  for (Index i = 0; i < 8; ++i) X.row(i) = X.row(0);
  X.bottomRows(12).rightCols(2).setZero();
  CHECK(map_of(made("hlle", of_features(X))).allFinite());
  CHECK_THROWS_AS(static_cast<void>(made("hlle", of_features(X), "{ n_neighbors = 5 }")), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(made("hlle", of_features(X.topRows(12)), "{ n_neighbors = 21, n_components = 5 }")),
                  DataError);
}

TEST_CASE("lle takes duplicates, features all the same but one, and fewer objects than neighbours") {
  Rng rng(kSeed);
  Matrix X = gaussian_points(30, 2, rng);
  for (Index i = 0; i < 15; ++i) X.row(i) = X.row(0);
  CHECK(map_of(made("lle", of_features(X))).allFinite());
  Matrix constant = Matrix::Zero(12, 3);
  constant(4, 1) = 1;
  CHECK(map_of(made("lle", of_features(constant), "{ n_neighbors = 3 }")).allFinite());
  CHECK(map_of(made("lle", of_features(gaussian_points(5, 2, rng)))).allFinite());
  CHECK_THROWS_AS(static_cast<void>(made("lle", of_features(gaussian_points(5, 2, rng)), "{ n_components = 4 }")),
                  DataError);
}

TEST_CASE("Laplacian eigenmaps: the quadratic form of the graph, the generalised problem's scaling") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Index n = 50;
  const Matrix X = gaussian_points(n, 3, rng).cast<float>().cast<double>();
  for (const bool heat : {false, true}) {
    CAPTURE(heat);
    const double width = 1.7;
    const Problem problem = made("laplacian_eigenmaps", of_features(X),
                                 heat ? "{ n_neighbors = 5, weights = heat, width = 1.7 }" : "{ n_neighbors = 5 }");
    Matrix W = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        Index nearer = 0;
        for (Index l = 0; l < n; ++l) nearer += l != i && (X.row(i) - X.row(l)).norm() < (X.row(i) - X.row(j)).norm();
        if (i != j && nearer < 5)
          W(i, j) = W(j, i) = heat ? std::exp(-(X.row(i) - X.row(j)).squaredNorm() / width) : 1.0;
      }
    const Vector D = W.rowwise().sum();
    const Eigen::MatrixXd laplacian = Eigen::MatrixXd(D.asDiagonal()) - Eigen::MatrixXd(W);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> expected(laplacian,
                                                                             Eigen::MatrixXd(D.asDiagonal()));
    const EigenSolution x = solved(problem);
    CHECK((x.values - expected.eigenvalues().head(3)).norm() < 1e-5);
    const Matrix map = problem.decode(x).only();
    for (Index c = 0; c < 2; ++c) {
      const Vector wanted = std::sqrt(D.sum()) * expected.eigenvectors().col(c + 1);
      CHECK(std::min((map.col(c) - wanted).norm(), (map.col(c) + wanted).norm()) < 1e-3 * wanted.norm());
    }
    CHECK((map.transpose() * D.asDiagonal() * map / D.sum() - Matrix::Identity(2, 2)).norm() < 1e-9);
    CHECK((D.transpose() * map).norm() < 1e-8 * D.sum());
  }
  CHECK_THROWS_AS(static_cast<void>(made("laplacian_eigenmaps", of_features(1e3 * X), "{ weights = heat, width = 1 }")),
                  DataError);
}

TEST_CASE("the constant vector is removed from any mixture") {
  // A double eigenvalue 0, of two parts: eigenvectors that are turned against each other.
  const Index n = 10;
  Vector first = Vector::Zero(n), second = Vector::Zero(n), third = Vector::Zero(n);
  first.head(4).setConstant(0.5);
  second.tail(6).setConstant(1 / std::sqrt(6.0));
  third[0] = std::sqrt(0.5);
  third[1] = -std::sqrt(0.5);
  EigenSolution x{Matrix(n, 3), (Vector(3) << 0, 0, 1).finished()};
  x.vectors << first, second, third;
  const Vector same = Vector::Constant(n, 1 / std::sqrt(10.0));
  const EigenSolution rest = spectral::without_direction(x, same);
  REQUIRE(rest.vectors.cols() == 2);
  CHECK((rest.vectors.transpose() * same).norm() < 1e-12);
  CHECK(rest.values[0] == doctest::Approx(0));
  CHECK(rest.values[1] == doctest::Approx(1));
  CHECK(std::abs(rest.vectors.col(1).dot(third)) == doctest::Approx(1));
  CHECK(rest.vectors(0, 0) * rest.vectors(9, 0) < 0);
}

TEST_CASE("the objective is the trace on the span, whatever vectors span it") {
  Rng rng(kSeed);
  const Problem problem = made("laplacian_eigenmaps", of_features(gaussian_points(30, 2, rng)));
  const EigenSolution best = solved(problem);
  const double least = objective_of(problem, best);
  CHECK(least == doctest::Approx(best.values.sum()));
  EigenSolution turned = best;
  turned.vectors.col(0) += 3 * turned.vectors.col(1);
  turned.vectors.col(2) *= -5;
  CHECK(objective_of(problem, turned) == doctest::Approx(least));
  for (int k = 0; k < 20; ++k) CHECK(objective_of(problem, problem.start(rng)) > least);
}

}  // namespace
}  // namespace spectral_problems_test
