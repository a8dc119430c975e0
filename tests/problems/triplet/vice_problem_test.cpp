// VICE: its gradient is that of the value, its prior's part is the integral, and axes are kept whose numbers are sure.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/odd_one_out_study.hpp"

namespace vice_problem_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

TEST_CASE("vice: its gradient is the value's, and threads change no bit") {
  Rng rng(83);
  const OddOneOutStudy study(20, 2, 200, rng);
  for (const char* options :
       {"{ n_components = 4 }", "{ n_components = 3, draws = 2, spike = 0.1, slab = 2, pi = 0.9 }"}) {
    CAPTURE(options);
    const Problem problem = made("vice", study.observations, options);
    Point at = problem.domain()->random(rng);
    at.block(1).array() -= 1;
    check_gradient(problem, at, rng);
    check_thread_independence(problem, at);
  }
}

TEST_CASE("vice: without spike, the objective is the mean likelihood and the divergence of two normal distributions") {
  Rng rng(84);
  const OddOneOutStudy study(20, 2, 200, rng);
  constexpr double kSlab = 1.5, kDeviation = 0.7;
  Executor executor;
  Evaluation evaluation(executor);
  const auto objective = [&](const Point& x, const char* options) {
    return made("vice", study.observations, options).objective(x, evaluation);
  };
  const char* options = "{ n_components = 2, spike = 1.5, slab = 1.5, seed = 3 }";
  Point x = made("vice", study.observations, options).domain()->random(rng);
  x.block(0).array() -= 20;  // all similarities are 0
  x.block(1).setConstant(std::log(kDeviation));
  double divergence = 0;
  for (const double mean : x.block(0).reshaped())
    divergence += std::log(kSlab / kDeviation) + (kDeviation * kDeviation + mean * mean) / (2 * kSlab * kSlab) - 0.5;
  CHECK(close(objective(x, options), 200 * std::log(3.0) + divergence, kSum));
}

TEST_CASE("vice: an axis is kept where five objects are surely above 0") {
  Rng rng(85);
  const OddOneOutStudy study(20, 2, 300, rng);
  const Problem problem = made("vice", study.observations, "{ n_components = 4 }");
  Point x = problem.domain()->zero();
  x.block(1).setConstant(std::log(0.1));
  x.block(0).col(0).head(5).setConstant(1);
  x.block(0).col(2).head(6).setConstant(2);
  x.block(0).col(3).head(4).setConstant(9);
  x.block(0).col(1).setConstant(-1);
  const Embedding map = problem.decode(x);
  REQUIRE(map.only().cols() == 2);
  CHECK(map.only().col(0) == x.block(0).col(2));
  CHECK(map.only().col(1) == x.block(0).col(0));
  CHECK(map.estimates.front() == std::pair<std::string, double>("axes", 2));
  CHECK(map.estimates[1] == std::pair<std::string, double>("sure_1", 6));
  CHECK(map.estimates[4].first == "deviation_2");
  CHECK(close(map.estimates[4].second, 0.1, kSum));
  x.block(0).setConstant(-1);
  CHECK(problem.decode(x).only() == Matrix::Zero(20, 1));
}

}  // namespace
}  // namespace vice_problem_test
