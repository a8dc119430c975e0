// Programs of matrices of rank one against optima by hand.
#include "problems/programs/rank_one_program.hpp"

#include <doctest/doctest.h>

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

}  // namespace
}  // namespace rank_one_program_test
