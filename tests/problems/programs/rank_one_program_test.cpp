// Programs of matrices of rank one against optima by hand.
#include "problems/programs/rank_one_program.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/core/random.hpp"
#include "tests/support/approx.hpp"

namespace rank_one_program_test {
namespace {

using namespace alidade;

TEST_CASE("the least diagonal matrix above I, and the greatest trace of a given diagonal") {
  constexpr Index kOrder = 6;
  Rng rng(3);
  Eigen::VectorXd price(kOrder);
  for (double& p : price) p = rng.uniform(0.5, 2);
  const RankOneProgram program{Eigen::MatrixXd::Identity(kOrder, kOrder), Eigen::VectorXd::Zero(kOrder), {}, -1, price};
  const RankOneSolution out =
      solve_rank_one(program, Eigen::VectorXd::Constant(kOrder, 3), Eigen::MatrixXd::Identity(kOrder, kOrder));
  CHECK(price.dot(out.v) == doctest::Approx(price.sum()).epsilon(1e-8));
  CHECK(out.primal.trace() == doctest::Approx(price.sum()).epsilon(1e-8));
  CHECK(out.residual <= 1e-9);
  CHECK(out.product >= 0);
  CHECK(out.iterations < 30);
}

TEST_CASE("with freedom: the least shift that makes a combination semidefinite") {
  // Weights (v_0 - 1, v_0 + 2) of two unit vectors: v_0 = 1.
  RankOneProgram program{Eigen::MatrixXd::Identity(2, 2), Eigen::VectorXd(2), Eigen::MatrixXd::Ones(2, 1), 0,
                         Eigen::VectorXd::Ones(1)};
  program.weights << -1, 2;
  const RankOneSolution out =
      solve_rank_one(program, Eigen::VectorXd::Constant(1, 3), 0.5 * Eigen::MatrixXd::Identity(2, 2));
  CHECK(out.v[0] == doctest::Approx(1).epsilon(1e-7));
  CHECK(out.primal(0, 0) == doctest::Approx(1).epsilon(1e-7));
}

TEST_CASE("multipliers that may not be negative: the greatest trace under bounds of which some are slack") {
  // M_11 <= 1, M_22 <= 2 and M_11 + M_22 - 2 M_12 <= 9: the last can not bind, and pays nothing.
  Eigen::MatrixXd rows(3, 2);
  rows << 1, 0, 0, 1, 1, -1;
  const RankOneProgram program{rows, Eigen::VectorXd::Zero(3), {}, -1, Eigen::Vector3d(1, 2, 9), true};
  int seen = 0;
  RankOneOptions options;
  options.stop = [&](const RankOneSolution& now) {
    ++seen;
    CHECK(now.v.minCoeff() > 0);
    return false;
  };
  const RankOneSolution out =
      solve_rank_one(program, Eigen::VectorXd::Constant(3, 3), Eigen::MatrixXd::Identity(2, 2), options);
  CHECK(program.price.dot(out.v) == doctest::Approx(3).epsilon(1e-8));
  CHECK(out.primal.trace() == doctest::Approx(3).epsilon(1e-8));
  CHECK(out.v[2] <= 1e-8);
  CHECK(seen >= out.iterations);
}

TEST_CASE("a solve that is asked to end within an iteration keeps the best iterate before") {
  Eigen::MatrixXd rows(3, 2);
  rows << 1, 0, 0, 1, 1, -1;
  const RankOneProgram program{rows, Eigen::VectorXd::Zero(3), {}, -1, Eigen::Vector3d(1, 2, 9), true};
  for (const bool precise : {false, true}) {
    Index before = 0, ends_within = 0;
    for (int allowed = 0;; ++allowed) {
      CAPTURE(allowed);
      int looks = 0;
      RankOneOptions options{.precise = precise};
      options.asked = [&] { return ++looks > allowed; };
      const RankOneSolution out =
          solve_rank_one(program, Eigen::VectorXd::Constant(3, 3), Eigen::MatrixXd::Identity(2, 2), options);
      CHECK(out.v.minCoeff() > 0);
      CHECK(out.slack(0, 0) * out.slack(1, 1) > out.slack(0, 1) * out.slack(1, 0));
      CHECK(out.primal(0, 0) * out.primal(1, 1) > out.primal(0, 1) * out.primal(1, 0));
      CHECK(out.iterations >= before);
      ends_within += out.iterations == before ? 1 : 0;
      before = out.iterations;
      if (looks <= allowed) break;
    }
    CHECK(before > 5);
    CHECK(ends_within > 3 * before);
  }
}

TEST_CASE("twice the digits go on where doubles end") {
  // M_11 = M_22 = 1 and M_12 = 1/4, told by a direction that is almost the first.
  constexpr double kAside = 0x1p-20;
  Eigen::MatrixXd rows(3, 2);
  rows << 1, 0, 0, 1, 1, kAside;
  const Eigen::Vector3d price(1, 1, 1 + 0.5 * kAside + kAside * kAside);
  const RankOneProgram program{rows, Eigen::VectorXd::Zero(3), {}, -1, price};
  RankOneOptions options{.gap = 1e-24, .residual = 1e-24};
  const RankOneSolution rounded =
      solve_rank_one(program, Eigen::VectorXd::Constant(3, 3), Eigen::MatrixXd::Identity(2, 2), options);
  options.precise = true;
  const RankOneSolution out = solve_rank_one(program, rounded.v, rounded.primal, options);
  CHECK(rounded.residual > 1e-24);
  CHECK(out.residual <= 1e-24);
  CHECK(out.product <= 2.1e-24);
  CHECK(std::abs(out.primal(0, 1) - 0.25) <= 1e-9);
}

}  // namespace
}  // namespace rank_one_program_test
