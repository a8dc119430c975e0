// Rigid clusters: small graphs by hand, attempts to bend what is called rigid, and the face of random points.
#include "problems/semidefinite/rigid_clusters.hpp"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "problems/faces/separation.hpp"
#include "problems/semidefinite/stress_face.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/distance_laws.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/neighbor_pairs.hpp"
#include "tests/support/observation_makers.hpp"

namespace rigid_clusters_test {
namespace {

using namespace alidade;
using namespace alidade::semidefinite;
using namespace alidade::testing;

using Clusters = std::vector<std::vector<ObjectId>>;

double squared(const Matrix& points, ObjectId i, ObjectId j) {
  return (points.row(static_cast<Index>(i)) - points.row(static_cast<Index>(j))).squaredNorm();
}

std::vector<NeighborPair> pairs_of(const Matrix& points, std::initializer_list<std::pair<int, int>> edges) {
  std::vector<NeighborPair> out;
  for (const auto& [i, j] : edges) {
    const auto a = static_cast<ObjectId>(i), b = static_cast<ObjectId>(j);
    out.push_back({a, b, squared(points, a, b)});
  }
  return out;
}

double worst_of(const Matrix& points, const std::vector<NeighborPair>& pairs) {
  double worst = 0;
  for (const NeighborPair& pair : pairs)
    worst = std::max(worst, std::abs(squared(points, pair.i, pair.j) - pair.squared_distance));
  return worst;
}

/// Points in p dimensions, from a start beside `points`, with the pairs' distances: Levenberg-Marquardt. It may fail.
Matrix other_points(const Matrix& points, Index p, const std::vector<NeighborPair>& pairs, Rng& rng) {
  const Index n = points.rows();
  Matrix x = Matrix::Zero(n, p);
  x.leftCols(points.cols()) = points;
  for (double& entry : x.reshaped()) entry += 0.3 * rng.normal();
  const auto rest_of = [&](const Matrix& at) {
    Eigen::VectorXd rest(std::ssize(pairs));
    for (Index k = 0; k < rest.size(); ++k) {
      const NeighborPair& pair = pairs[subscript(k)];
      rest[k] = squared(at, pair.i, pair.j) - pair.squared_distance;
    }
    return rest;
  };
  double damping = 1e-2;
  Eigen::VectorXd rest = rest_of(x);
  for (int step = 0; step < 1000 && rest.norm() > 1e-13; ++step) {
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(rest.size(), n * p);
    for (Index k = 0; k < rest.size(); ++k) {
      const auto i = static_cast<Index>(pairs[subscript(k)].i), j = static_cast<Index>(pairs[subscript(k)].j);
      jacobian.row(k).segment(i * p, p) = 2 * (x.row(i) - x.row(j));
      jacobian.row(k).segment(j * p, p) = -2 * (x.row(i) - x.row(j));
    }
    Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
    normal.diagonal().array() += damping;
    const Eigen::VectorXd change = normal.ldlt().solve(jacobian.transpose() * rest);
    const Matrix trial = x - Eigen::Map<const Matrix>(change.data(), n, p);
    const Eigen::VectorXd rest_there = rest_of(trial);
    if (rest_there.norm() < rest.norm()) {
      x = trial;
      rest = rest_there;
      damping = std::max(1e-14, damping / 5);
    } else {
      damping *= 4;
    }
  }
  return x;
}

}  // namespace

TEST_CASE("four points of a plane with all distances are a cluster, and three or a frame of four are none") {
  Matrix square(4, 2);
  square << 0, 0, 1, 0, 1, 1.2, 0, 1;
  const auto all = pairs_of(square, {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}, {1, 3}});
  CHECK(rigid_clusters(square, all) == Clusters{{0, 1, 2, 3}});
  CHECK(rigid_clusters(square, pairs_of(square, {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}})).empty());
  CHECK(rigid_clusters(square.topRows(3), pairs_of(square, {{0, 1}, {1, 2}, {0, 2}})).empty());
  // In three dimensions four points with all distances are not singular.
  Matrix tetrahedron(4, 3);
  tetrahedron << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  CHECK(rigid_clusters(tetrahedron, pairs_of(tetrahedron, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}})).empty());
}

TEST_CASE("a cluster grows over what it makes known, and points of one line do not fix another") {
  // Two squares that share a side, and a point with distances to two corners of one and one of the other.
  Matrix points(7, 2);
  points << 0, 0, 1, 0, 1, 1.2, 0, 1, 2, 0.1, 2, 1.1, 1.1, 3;
  auto pairs = pairs_of(
      points,
      {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {1, 4}, {1, 5}, {2, 4}, {2, 5}, {4, 5}, {0, 6}, {3, 6}, {5, 6}});
  // The squares are a hinge: they turn about the side that they share.
  CHECK(rigid_clusters(points, pairs) == Clusters{{0, 1, 2, 3}, {1, 2, 4, 5}});
  pairs.push_back({0, 4, squared(points, 0, 4)});
  CHECK(rigid_clusters(points, pairs) == Clusters{{0, 1, 2, 3, 4, 5, 6}});
  // Three corners on a line leave a point free to turn about it.
  Matrix line(5, 2);
  line << 0, 0, 1, 0, 2, 0, 0.5, 1, 1.5, 2;
  const auto turning = pairs_of(line, {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}, {2, 4}});
  CHECK(rigid_clusters(line, turning) == Clusters{{0, 1, 2, 3}, {0, 1, 2, 4}});
}

TEST_CASE("groups of which each has 2^40 cliques take no more time than others") {
  // One object short of a cluster, or with one to spare, where all distances within a group are known.
  constexpr Index kDimensions = 40;
  Rng rng(5);
  for (const Index size : {kDimensions, kDimensions + 2}) {
    const Matrix points = gaussian_points(3 * size, kDimensions, rng);
    std::vector<NeighborPair> pairs;
    for (ObjectId i = 0; i < static_cast<ObjectId>(points.rows()); ++i)
      for (ObjectId j = i + 1; j < (i / subscript(size) + 1) * subscript(size); ++j)
        pairs.push_back({i, j, squared(points, i, j)});
    CHECK(rigid_clusters(points, pairs).size() == (size > kDimensions ? 3u : 0u));
  }
}

TEST_CASE("nothing that is called rigid bends, whatever the dimension") {
  Rng rng(91);
  int solved = 0, members = 0;
  double worst = 0;  // a bend is of the size of the points
  for (int draw = 0; draw < 24; ++draw) {
    const Index q = 1 + draw % 3;
    CAPTURE(draw);
    const Matrix points = gaussian_points(8, q, rng);
    const auto pairs = nearest_pairs(points, q + 2);
    const Clusters clusters = rigid_clusters(points, pairs);
    for (int start = 0; start < 4; ++start) {
      const Matrix bent = other_points(points, q + 3, pairs, rng);
      if (!(worst_of(bent, pairs) < 1e-8)) continue;
      ++solved;
      for (const auto& cluster : clusters) {
        CHECK(std::ssize(cluster) > q + 1);
        for (const ObjectId i : cluster)
          for (const ObjectId j : cluster)
            worst = std::max(worst, std::abs(squared(bent, i, j) - squared(points, i, j)));
        members += static_cast<int>(cluster.size());
      }
    }
  }
  CAPTURE(worst);
  CHECK(worst < 1e-3);
  CHECK(solved > 40);
  CHECK(members > 300);
}

TEST_CASE("coordinates in fewer dimensions keep distances, and are not given where there are none") {
  Rng rng(92);
  const Matrix flat = gaussian_points(20, 3, rng) * gaussian_points(3, 50, rng);
  const Matrix coordinates = flat_coordinates(flat, 5);
  REQUIRE(coordinates.cols() == 3);
  for (ObjectId i = 0; i < 20; ++i)
    for (ObjectId j = 0; j < i; ++j) CHECK(close(squared(coordinates, i, j), squared(flat, i, j), {1e-12, 1e-12}));
  CHECK(flat_coordinates(flat, 2).cols() == 0);
  CHECK(flat_coordinates(flat.cast<float>().cast<double>(), 5).cols() == 0);  // rounding leaves the space
}

TEST_CASE("a face holds the points, and its implied distances follow from the others") {
  Rng rng(93);
  const Matrix points = gaussian_points(40, 2, rng).rowwise() + Eigen::RowVector2d(3, -2);
  auto pairs = nearest_pairs(points, 7);
  const std::size_t before = pairs.size();
  const UnfoldingFace face = stress_face(points, pairs).face;
  const Index r = face.basis.cols();
  REQUIRE(r > 0);
  REQUIRE(r < 20);
  CHECK(pairs.size() + face.implied.size() == before);
  const Matrix& q = face.basis;
  CHECK((q.transpose() * q - Matrix::Identity(r, r)).cwiseAbs().maxCoeff() < 1e-12);
  CHECK(q.colwise().sum().cwiseAbs().maxCoeff() < 1e-12);
  const Matrix centred = points.rowwise() - points.colwise().mean();
  CHECK((q * (q.transpose() * centred) - centred).cwiseAbs().maxCoeff() < 1e-10);
  // Of any M: the least squares of the kept pairs' functionals reproduce the implied ones, and none is to spare.
  const auto functionals = [&](const std::vector<NeighborPair>& of) {
    Eigen::MatrixXd out(r * r, std::ssize(of));
    for (Index k = 0; k < out.cols(); ++k) {
      const Eigen::VectorXd a =
          (q.row(static_cast<Index>(of[subscript(k)].i)) - q.row(static_cast<Index>(of[subscript(k)].j))).transpose();
      out.col(k) = (a * a.transpose()).reshaped();
    }
    return out;
  };
  const Eigen::MatrixXd kept = functionals(pairs), others = functionals(face.implied);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(kept, Eigen::ComputeThinU | Eigen::ComputeThinV);
  CHECK(svd.singularValues().minCoeff() > 1e-7);
  CHECK((kept * svd.solve(others) - others).cwiseAbs().maxCoeff() < 1e-9);
}

TEST_CASE("a program on a face keeps the laws of programs") {
  Rng rng(94);
  const Matrix points = gaussian_points(30, 2, rng);
  const Problem problem = made("mvu", of_features(points), {{"neighbors", 6}});
  const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
  REQUIRE(program.cost().basis.cols() > 0);
  REQUIRE(problem.notes().size() == 1);
  CHECK(problem.notes().front().find("can not bend") != std::string::npos);
  // The data meet all rows, and near points are restored to such points.
  SemidefiniteSolution x;
  const Matrix exact = points.cast<float>().cast<double>();
  x.blocks.push_back({true, program.cost().basis.transpose() * exact});
  std::vector<ConstraintId> violated;
  Executor executor;
  CHECK(program.separate(SquaredDistances(program.cost(), x), 1, 1e-10, violated, executor).count == 0);
  x.blocks.front().values.array() *= 1 + 1e-5;
  CHECK(program.separate(SquaredDistances(program.cost(), x), 1, 1e-10, violated, executor).count > 0);
  const auto restored = program.restored(x, executor);
  REQUIRE(restored);
  CHECK(program.separate(SquaredDistances(program.cost(), *restored), 1, 1e-10, violated, executor).count == 0);
  check_certificates("mvu on a face", program, -(exact.rowwise() - exact.colwise().mean()).squaredNorm(), rng);
}

}  // namespace rigid_clusters_test
