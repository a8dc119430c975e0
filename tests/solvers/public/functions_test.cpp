// Problems from functions: value and gradient written, or the value alone.
#include "problems/public/functions.hpp"

#include <ceres/jet.h>
#include <doctest/doctest.h>

#include <cmath>

#include "solvers/public/checks.hpp"
#include "solvers/public/solve.hpp"
#include "tests/support/message_of.hpp"

namespace functions_test {
namespace {

using namespace alidade;
using alidade::testing::message_of;

constexpr auto kRosenbrock = [](auto x) {
  auto out = 0.0 * x[0];
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const auto along = 1.0 - x[i], across = x[i + 1] - x[i] * x[i];
    out += along * along + 100.0 * across * across;
  }
  return out;
};

TEST_CASE("a function and its gradient are a problem in two lines, with the same bits on two threads") {
  const double centre = 3;
  const Problem bowl = smooth(
      [centre](auto x, auto gradient) {
        double out = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          out += (x[i] - centre) * (x[i] - centre);
          gradient[i] += 2 * (x[i] - centre);
        }
        return out;
      },
      5);
  CHECK(faults_of(bowl).empty());
  const Solved solved = solve(bowl, "ceres");
  for (const double x : unknowns_of(solved.solution)) CHECK(x == doctest::Approx(centre));
  CHECK(bowl.decode(solved.solution).only().rows() == 5);
}

TEST_CASE("jets give the gradient of a value, on one thread or two, as many unknowns at a time as they have room for") {
  const std::vector<double> start(10, -1);
  const FunctionOptions options{.name = "rosenbrock", .start = start};
  const Problem whole = autodiff<ceres::Jet<double, 10>>(kRosenbrock, 10, options);
  CHECK(faults_of(whole).empty());
  const Solved solved = solve(whole, "ceres", {.options = {{"max_iter", 1000}}});
  for (const double x : unknowns_of(solved.solution)) CHECK(x == doctest::Approx(1).epsilon(1e-3));
  const Problem parts = autodiff<ceres::Jet<double, 4>>(kRosenbrock, 10, options);
  CHECK(solve(parts, "ceres", {.options = {{"max_iter", 1000}}}).summary.objective == solved.summary.objective);
  Rng rng(1);
  const Solution begin = whole.start(rng);
  CHECK(std::ranges::equal(unknowns_of(begin), start));
}

TEST_CASE("bounds hold, on one side or both, and with two threads") {
  for (const FunctionOptions& bounds :
       {FunctionOptions{.lower = 2}, FunctionOptions{.lower = 2, .upper = 5}, FunctionOptions{.upper = 0.5}}) {
    const Problem problem = autodiff<ceres::Jet<double, 2>>(kRosenbrock, 2, bounds);
    if (bounds.lower[0] + 3 == bounds.upper[0])
      CHECK(faults_of(problem).empty());  // random points of the others are on the bound
    const Solved solved = solve(problem, "accelerated_gradient", {.options = {{"max_iter", 5000}}});
    const auto x = unknowns_of(solved.solution);
    CHECK(x[0] == doctest::Approx(bounds.lower[0] == 2 ? 2 : 0.5).epsilon(0.01));
    CHECK(x[1] == doctest::Approx(bounds.lower[0] == 2 ? 4 : 0.25).epsilon(0.01));
  }
}

TEST_CASE("what is wrong with a function is one sentence") {
  const auto of = [](FunctionOptions options) {
    return message_of<ConfigError>([&] { (void)autodiff<ceres::Jet<double, 2>>(kRosenbrock, 2, options); });
  };
  CHECK(of({.start = {1}}) == "function: The start has 1 numbers and the function 2.");
  const double nan = std::nan("");
  CHECK(of({.lower = std::vector<double>(3, 0)}) == "function: there are 3 bounds for 2 numbers.");
  CHECK(of({.lower = 1, .upper = std::vector<double>{2, 0.5}}) == "function: the bounds of number 1 leave nothing.");
  CHECK(of({.lower = std::vector<double>{0, nan}}) == "function: the bounds of number 1 leave nothing.");
  CHECK(of({.lower = 1, .upper = 1}) == "function: a box needs lower < upper.");
}

}  // namespace
}  // namespace functions_test
