// The Riemannian trust region: how near it ends, at what cost, and off saddles.
#include <doctest/doctest.h>

#include <algorithm>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/text.hpp"
#include "problems/public/functions.hpp"
#include "problems/public/manifolds.hpp"
#include "solvers/public/checks.hpp"
#include "solvers/public/solve.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/toy_problems.hpp"

namespace trust_region_test {
namespace {

using namespace alidade;
using testing::PointToy;

/// sum_i 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2, lowest at ones; starts are random, so far from the valley's end.
class Rosenbrock : public PointToy<Rosenbrock> {
 public:
  explicit Rosenbrock(Index n) : PointToy({{"x", 1, n, Euclidean{}}}) {}
  double value_and_gradient(const Point& x, Point& g, Evaluation&) const {
    double out = 0;
    g.set_zero();
    const auto& v = x.vector();
    for (Index i = 0; i + 1 < v.size(); ++i) {
      const double off = v[i + 1] - v[i] * v[i], left = 1 - v[i];
      out += 100 * off * off + left * left;
      g.vector()[i] += -400 * v[i] * off - 2 * left;
      g.vector()[i + 1] += 200 * off;
    }
    return out;
  }
};

/// -tr(X' A X N) over X with two orthonormal columns, N = diag(2, 1) (Brockett 1991): the two leading eigenvectors, in
/// order. Every other pair of eigenvectors is a saddle or the highest point.
class Brockett : public PointToy<Brockett> {
 public:
  explicit Brockett(Matrix a) : PointToy({{"X", 1, 2 * a.rows(), Stiefel{a.rows(), 2}}}), a_(std::move(a)) {}
  double value_and_gradient(const Point& x, Point& g, Evaluation&) const {
    const Eigen::Map<const Matrix> X(x.flat().data(), a_.rows(), 2);
    const Matrix weighted = a_ * X * Eigen::Vector2d(2, 1).asDiagonal();
    Eigen::Map<Matrix>(g.flat().data(), a_.rows(), 2) = -2 * weighted;
    return -X.cwiseProduct(weighted).sum();
  }

 private:
  Matrix a_;
};

TEST_CASE("Rosenbrock's valley of 100 dimensions is walked to its end") {
  const Problem problem("rosenbrock", Rosenbrock(100));
  const Solved solved = solve(problem, "trust_region", {.options = {{"gradient_tolerance", 1e-12}}, .seed = 3});
  CHECK(solved.summary.termination == Termination::converged);
  // The chain has a second minimum, at 3.99, near x_1 = -1.
  CHECK((solved.summary.objective < 1e-15 || testing::close(solved.summary.objective, 3.9866, {1e-4, 0})));
  CHECK(solved.summary.counts.gradients < 6000);
}

TEST_CASE("the leading eigenvectors are found in order, to a gradient that descent does not reach, on any thread") {
  Rng rng(5);
  const Matrix a = testing::random_symmetric(40, rng);
  const Vector values = SymmetricEigen(a, false).eigenvalues();
  const double best = -2 * values[39] - values[38];
  const Problem problem("brockett", Brockett(a));
  CHECK(faults_of(problem).empty());
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Solved solved = solve(problem, "trust_region", {.options = {{"gradient_tolerance", 1e-9}}, .seed = seed});
    CHECK(solved.summary.termination == Termination::converged);
    CHECK(testing::close(solved.summary.objective, best, {1e-12, 0}));
    const double descent = solve(problem, "ceres", {.seed = seed}).summary.gradient_norm;
    CHECK(solved.summary.gradient_norm < 1e-2 * descent);
  }
}

TEST_CASE("a saddle is left along negative curvature, without the frame's help") {
  // x^4 / 4 - x^2 / 2 + |y|^2 / 2, lowest at x = 1 and -1, from next to its saddle at the origin.
  const auto saddle = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = x[0] * x[0] * x[0] - x[0];
    std::copy(x.begin() + 1, x.end(), gradient.begin() + 1);
    return std::pow(x[0], 4) / 4 - x[0] * x[0] / 2 + (x[1] * x[1] + x[2] * x[2]) / 2;
  };
  const Problem problem = smooth(saddle, 3, {.start = std::vector<double>{1e-9, 1, 1}});
  const auto solver = testing::solver_with("trust_region", "{ gradient_tolerance = 1e-12 }");
  Executor executor(1);
  SolveContext context(executor);
  context.leaves_saddles = false;
  Rng rng(1);
  Solution x = problem.start(rng);
  const Summary summary = solver->solve(problem, x, context);
  CHECK(summary.termination == Termination::converged);
  CHECK(testing::close(summary.objective, -0.25, {1e-12, 0}));
}

TEST_CASE("where no step but a tiny one lowers the objective the solve ends, and says so") {
  const auto wrong_sign = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = -2 * (x[0] - 2);
    return (x[0] - 2) * (x[0] - 2);
  };
  const Problem problem = smooth(wrong_sign, 1, {.start = std::vector<double>{0.7}});
  const Summary summary = solve(problem, "trust_region", {.leaves_saddles = false}).summary;
  CHECK(summary.termination == Termination::stalled);
  CHECK(summary.message.find("too short to matter") != std::string::npos);
  CHECK(summary.counts.iterations < 100);
}

TEST_CASE("trust_region keeps the promises of solvers, with one thread and two") {
  Rng rng(6);
  const auto solver = testing::solver_with("trust_region", "{ max_iter = 30 }");
  for (const Problem& problem :
       {Problem("bowl", testing::Bowl(testing::random_matrix(4, 3, rng), Vector::LinSpaced(4, 1, 9), Oblique{})),
        Problem("bowl", testing::Bowl(testing::random_matrix(4, 3, rng), Vector::LinSpaced(4, 1, 9))),
        Problem("brockett", Brockett(testing::random_symmetric(5, rng)))}) {
    const std::vector<std::string> faults = faults_of(*solver, problem);
    CHECK_MESSAGE(faults.empty(), join(faults, "\n"));
  }
}

}  // namespace
}  // namespace trust_region_test
