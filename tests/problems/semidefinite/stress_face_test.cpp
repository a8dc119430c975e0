// The face of psd stresses: it holds the data, and the program on it has an interior, where rigid clusters leave none.
#include "problems/semidefinite/stress_face.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/random.hpp"
#include "problems/programs/rank_one_program.hpp"
#include "tests/support/neighbor_pairs.hpp"
#include "tests/support/observation_makers.hpp"

namespace stress_face_test {
namespace {

using namespace alidade;
using namespace alidade::semidefinite;
using alidade::testing::nearest_pairs;

TEST_CASE("on the face of a ring or a sheet, unfolding is solved, and no bound excludes the data") {
  Rng rng(5);
  int solved = 0, tried = 0;
  for (int draw = 0; draw < 6; ++draw)
    for (const Index d : {2, 3}) {
      CAPTURE(draw);
      CAPTURE(d);
      Matrix points(60, d);
      for (auto row : points.rowwise()) {
        const double t = 3 * std::numbers::pi * (rng.uniform(0, 1) - 0.5), radius = std::sqrt(rng.uniform(0.25, 1));
        if (d == 3)
          row << std::sin(t), rng.uniform(0, 2), std::copysign(1, t) * (std::cos(t) - 1);
        else
          row << radius * std::cos(t), radius * std::sin(t);
      }
      std::vector<NeighborPair> pairs = nearest_pairs(points, 5);
      if (!neighbor_graph(60, pairs).all_placed()) continue;
      ++tried;
      const std::size_t all = pairs.size();
      const auto [face, decided, complete] = stress_face(points, pairs);
      CHECK(complete);
      REQUIRE(face.basis.size() > 0);
      CHECK(pairs.size() + face.implied.size() == all);
      const Matrix centred = points.rowwise() - points.colwise().mean();
      CHECK((centred - face.basis * (face.basis.transpose() * centred)).norm() <= 1e-9 * centred.norm());

      const Index order = face.basis.cols();
      RankOneProgram program{across_pairs(face.basis, pairs),
                             Eigen::VectorXd::Zero(std::ssize(pairs)),
                             {},
                             -1,
                             Eigen::VectorXd(std::ssize(pairs))};
      for (Index k = 0; k < program.price.size(); ++k) program.price[k] = pairs[subscript(k)].squared_distance;
      const double least = SymmetricEigen(program.rows.transpose() * program.rows, false).eigenvalues()[0];
      const RankOneSolution found = solve_rank_one(
          program, Eigen::VectorXd::Constant(program.price.size(), 2 / least),
          Eigen::MatrixXd::Identity(order, order) * (centred.squaredNorm() / static_cast<double>(order)));
      const double bound = program.price.dot(found.v);
      CHECK(bound >= centred.squaredNorm() * (1 - 1e-9));
      if (decided && std::abs(bound - found.primal.trace()) <= 1e-6 * bound) ++solved;
    }
  CHECK(solved >= tried - 1);
}

TEST_CASE("a search for a face that is asked to stop keeps what is proven by then") {
  Rng rng(3);
  const Matrix points = alidade::testing::gaussian_points(40, 2, rng);
  const std::vector<NeighborPair> all = nearest_pairs(points, 5);
  REQUIRE(neighbor_graph(40, all).all_placed());
  const Matrix centred = points.rowwise() - points.colwise().mean();
  Index whole = 0, reached = 0, cut = 0;
  for (int allowed = 1; whole == 0; allowed *= 2) {
    CAPTURE(allowed);
    int looks = 0;
    Executor executor;
    const Executor::Breakable breaks(executor, [&] { return ++looks > allowed; });
    std::vector<NeighborPair> pairs = all;
    const auto [face, decided, complete] = stress_face(points, pairs, executor);
    CHECK(decided);
    CHECK(pairs.size() + face.implied.size() == all.size());
    if (face.basis.size() > 0)
      CHECK((centred - face.basis * (face.basis.transpose() * centred)).norm() <= 1e-9 * centred.norm());
    if (complete)
      whole = face.basis.cols();
    else if (++cut; face.basis.size() > 0)
      reached = face.basis.cols();
  }
  CHECK(cut > 3);
  CHECK(whole > 0);
  CHECK(reached >= whole);  // a face that was known by then
}

}  // namespace
}  // namespace stress_face_test
