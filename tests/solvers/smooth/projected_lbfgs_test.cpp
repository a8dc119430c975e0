// Quasi-Newton steps within bounds: optima that are known, by hand or by active sets.
#include <ceres/jet.h>
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <limits>

#include "problems/public/functions.hpp"
#include "solvers/public/checks.hpp"
#include "solvers/public/solve.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/toy_problems.hpp"

namespace projected_lbfgs_test {
namespace {

using namespace alidade;
constexpr double kFree = std::numeric_limits<double>::infinity();

struct Valley {  // Rosenbrock's function
  template <class T>
  T operator()(std::span<const T> x) const {
    T out(0);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const T along = 1.0 - x[i], across = x[i + 1] - x[i] * x[i];
      out += along * along + 100.0 * across * across;
    }
    return out;
  }
};

/// |A x - b|^2 / 2
Problem least_squares(const Matrix& a, const Vector& b, FunctionOptions options) {
  return smooth(
      [a, b](auto x, auto gradient) {
        const Vector rest = a * Eigen::Map<const Vector>(x.data(), std::ssize(x)) - b;
        Eigen::Map<Vector>(gradient.data(), std::ssize(gradient)) = a.transpose() * rest;
        return rest.squaredNorm() / 2;
      },
      a.cols(), std::move(options));
}

/// The minimum over x >= 0 of the best of all supports that meets the optimality conditions: exact, for few columns.
Vector nonnegative_least_squares(const Matrix& a, const Vector& b) {
  const Index n = a.cols();
  for (unsigned support = 0; support < 1U << n; ++support) {
    std::vector<Index> columns;
    for (Index i = 0; i < n; ++i)
      if (support >> i & 1U) columns.push_back(i);
    Vector x = Vector::Zero(n);
    if (!columns.empty()) {
      const Matrix chosen = a(Eigen::all, columns);
      x(columns) = chosen.colPivHouseholderQr().solve(b);
    }
    const Vector g = a.transpose() * (a * x - b);
    if (x.minCoeff() >= 0 && g.minCoeff() >= -1e-9) return x;
  }
  return {};
}

TEST_CASE("Rosenbrock's function within bounds of single numbers has the minimum that is known") {
  // x1 <= 0.5 and x2 free: x2 = x1^2; x1 >= 1.5: the same on the other side. x2 <= 0.25 alone binds at x1 near 0.5.
  const auto solved = [](std::vector<double> lower, std::vector<double> upper) {
    const Problem problem = autodiff<ceres::Jet<double, 2>>(
        Valley(), 2, {.start = {-1.2, 1}, .lower = std::move(lower), .upper = std::move(upper)});
    const Solved out = solve(problem, "projected_lbfgs");
    CHECK(out.summary.termination == Termination::converged);
    CHECK(out.summary.counts.evaluations < 100);
    const auto x = unknowns_of(out.solution);
    return std::vector<double>(x.begin(), x.end());
  };
  auto x = solved({-kFree, -kFree}, {0.5, kFree});
  CHECK(x[0] == 0.5);
  CHECK(x[1] == doctest::Approx(0.25).epsilon(1e-8));
  x = solved({1.5, -kFree}, {kFree, kFree});
  CHECK(x[0] == 1.5);
  CHECK(x[1] == doctest::Approx(2.25).epsilon(1e-8));
  x = solved({-kFree, -kFree}, {kFree, kFree});
  CHECK(x[0] == doctest::Approx(1).epsilon(1e-6));
  CHECK(x[1] == doctest::Approx(1).epsilon(1e-6));
  x = solved({-2, 0.3}, {2, 0.3});  // a number that is fixed: 200 (0.3 - x^2) (-2 x) - 2 (1 - x) = 0
  CHECK(x[1] == 0.3);
  CHECK(-400 * (0.3 - x[0] * x[0]) * x[0] - 2 * (1 - x[0]) == doctest::Approx(0).epsilon(1e-4));
}

TEST_CASE("nonnegative least squares gives the answer of the active set") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const Matrix a = testing::random_matrix(14, 10, rng);
    const Vector b = testing::random_matrix(14, 1, rng);
    const Vector want = nonnegative_least_squares(a, b);
    REQUIRE(want.size() == 10);
    const Solved found = solve(least_squares(a, b, {.lower = 0}), "projected_lbfgs",
                               {.options = {{"gradient_tolerance", 1e-12}, {"tolerance", 0}}, .seed = seed});
    const auto x = unknowns_of(found.solution);
    CHECK((Eigen::Map<const Vector>(x.data(), 10) - want).norm() < 1e-6 * want.norm());
    for (Index i = 0; i < 10; ++i) CHECK((x[static_cast<std::size_t>(i)] == 0) == (want[i] == 0));
  }
}

TEST_CASE("bounds that nothing presses against change nothing, and those of one side hold alone") {
  Rng rng(3);
  const Matrix a = testing::random_matrix(60, 40, rng);
  const Vector b = testing::random_matrix(60, 1, rng);
  const Vector want = a.colPivHouseholderQr().solve(b);
  const Solved found = solve(least_squares(a, b, {.lower = std::vector<double>(40, -kFree), .upper = 1e6}),
                             "projected_lbfgs", {.options = {{"gradient_tolerance", 1e-10}, {"tolerance", 0}}});
  const auto x = unknowns_of(found.solution);
  CHECK((Eigen::Map<const Vector>(x.data(), 40) - want).norm() < 1e-6 * want.norm());
}

TEST_CASE("projected_lbfgs keeps the promises of solvers, with one thread and two") {
  const Problem problem = autodiff<ceres::Jet<double, 4>>(
      Valley(), 12, {.lower = std::vector<double>{0, -1, .4, 0, 0, 0, 0, 0, 0, 0, 0, 0}, .upper = 0.9});
  CHECK(faults_of(problem).empty());
  CHECK(problem.offers() == CapabilitySet::of<SmoothFace, Boxed>());
  CHECK(fitting_solvers(problem) ==
        std::vector<std::string>{"gradient_descent", "accelerated_gradient", "projected_lbfgs"});
  const auto solver = solver_catalog().at("projected_lbfgs").make({});
  CHECK(faults_of(*solver, problem) == std::vector<std::string>{});
}

TEST_CASE("within bounds, too, a solve leaves the point where it starts if that is no minimum") {
  // (x^2 - 1)^2 - y in each pair of numbers: flat at x = 0, which is a maximum; y is held by its bound.
  const Problem problem = smooth(
      [](auto x, auto gradient) {
        double out = 0;
        for (std::size_t i = 0; i < x.size(); i += 2) {
          const double off = x[i] * x[i] - 1;
          out += off * off - x[i + 1];
          gradient[i] = 4 * off * x[i];
          gradient[i + 1] = -1;
        }
        return out;
      },
      6, {.start = std::vector<double>(6), .lower = -0.75, .upper = std::vector<double>{2, 0, 2, 0, 2, 0}});
  for (const char* solver : {"projected_lbfgs", "accelerated_gradient"}) {
    CAPTURE(solver);
    const Solved found = solve(problem, solver);
    CHECK(found.summary.termination == Termination::converged);
    CHECK(found.summary.objective < 3 * 0.1915);  // at -0.75, or at 1: 0.1914 and 0
    CHECK(solve(problem, solver, {.leaves_saddles = false}).summary.objective == 3);
  }
}

TEST_CASE("a step into what has no value is cut") {
  // -log of x and of 1 - x - y: infinite outside of a triangle that the bounds do not describe.
  const Problem problem = smooth(
      [](auto x, auto gradient) {
        const double rest = 1 - x[0] - x[1];
        gradient[0] = -1 / x[0] + 1 / rest;
        gradient[1] = 1 + 1 / rest;
        return -std::log(x[0]) - std::log(rest) + x[1];
      },
      2, {.start = {0.01, 0.9}, .lower = 0});
  const Solved found = solve(problem, "projected_lbfgs");
  CHECK(found.summary.termination == Termination::converged);
  CHECK(unknowns_of(found.solution)[0] == doctest::Approx(0.5));
  CHECK(unknowns_of(found.solution)[1] == 0);
}

}  // namespace
}  // namespace projected_lbfgs_test
