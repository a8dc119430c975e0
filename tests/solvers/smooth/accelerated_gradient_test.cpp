// Accelerated projected gradient, on domains with and without a border, and other solvers of losses over matrices.
#include <doctest/doctest.h>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/text.hpp"
#include "problems/public/manifolds.hpp"
#include "solvers/public/checks.hpp"
#include "solvers/public/solve.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/toy_problems.hpp"

namespace accelerated_gradient_test {
namespace {

using namespace alidade;
using testing::PointToy;

/// 1/2 |X - A|^2 on one block of one row: the nearest point of a manifold.
class Nearest : public PointToy<Nearest> {
 public:
  Nearest(Matrix a, const Manifold& manifold) : PointToy({{"X", 1, a.size(), manifold}}), a_(std::move(a)) {}
  double value_and_gradient(const Point& x, Point& g, Evaluation&) const {
    g.vector() = x.vector() - Eigen::Map<const Vector>(a_.data(), a_.size());
    return g.vector().squaredNorm() / 2;
  }

 private:
  Matrix a_;
};

/// A metric from distances, sum_t (u_t' X u_t - u_t' T u_t)^2 / 2 over symmetric X: smooth, and a finite sum.
class MetricFit : public PointToy<MetricFit> {
 public:
  MetricFit(const Matrix& truth, Index count, const Manifold& manifold, Rng& rng)
      : PointToy({{"X", 1, truth.size(), manifold}}), u_(testing::random_matrix(count, truth.rows(), rng)) {
    for (Index t = 0; t < count; ++t) wish_.push_back(u_.row(t) * truth * u_.row(t).transpose());
  }
  TermIndex term_count() const { return wish_.size(); }
  double term(const Point& x, TermIndex t, TermGradient& out) const {
    const auto u = u_.row(static_cast<Index>(t));
    const double off = u * matrix(x) * u.transpose() - wish_[t];
    Eigen::Map<Matrix>(out.add(0, 0, u.size() * u.size()), u.size(), u.size()) = off * u.transpose() * u;
    return off * off / 2;
  }
  double value_and_gradient(const Point& x, Point& g, Evaluation&) const {
    double out = 0;
    Eigen::Map<Matrix> G(g.flat().data(), u_.cols(), u_.cols());
    G.setZero();
    for (Index t = 0; t < u_.rows(); ++t) {
      const double off = u_.row(t) * matrix(x) * u_.row(t).transpose() - wish_[static_cast<std::size_t>(t)];
      G += off * u_.row(t).transpose() * u_.row(t);
      out += off * off / 2;
    }
    return out;
  }

 private:
  Eigen::Map<const Matrix> matrix(const Point& x) const { return {x.flat().data(), u_.cols(), u_.cols()}; }
  Matrix u_;
  std::vector<double> wish_;
};
static_assert(SmoothProblem<MetricFit> && FiniteSumProblem<MetricFit>);

Matrix matrix_of(const Solution& x, Index n) {
  return Eigen::Map<const Matrix>(std::get<Point>(x).flat().data(), n, n);
}

Matrix psd_of_rank(Index n, Index rank, Rng& rng) {
  const Matrix factor = testing::random_matrix(n, rank, rng);
  return factor * factor.transpose();
}

TEST_CASE("an ill-conditioned bowl takes far fewer gradients than its condition number") {
  Rng rng(1);
  const Problem problem("bowl",
                        testing::Bowl(testing::random_matrix(30, 2, rng), Vector::LinSpaced(30, 0, 8).array().exp()));
  const Solved solved = solve(problem, "accelerated_gradient");
  CHECK(solved.summary.termination == Termination::converged);
  CHECK(solved.summary.objective < 1e-6 * solved.summary.initial_objective);
  CHECK(solved.summary.counts.gradients < 2000);  // condition number 2981
}

TEST_CASE("the nearest positive semidefinite matrix is the projection, on any thread") {
  Rng rng(2);
  const Matrix a = testing::random_symmetric(5, rng);
  const Problem problem("nearest", Nearest(a, PsdCone{5}));
  CHECK(faults_of(problem).empty());
  const Solved solved = solve(problem, "accelerated_gradient", {.options = {{"gradient_tolerance", 1e-10}}});
  CHECK(solved.summary.termination == Termination::converged);
  const SymmetricEigen eigen(a);
  const Matrix nearest =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
  CHECK((matrix_of(solved.solution, 5) - nearest).norm() < 1e-8);
}

TEST_CASE("a smooth loss over a positive semidefinite matrix is solved on the border of the cone, on any thread") {
  Rng rng(3);
  const Matrix truth = psd_of_rank(4, 2, rng);
  const Problem problem("metric", MetricFit(truth, 40, PsdCone{4}, rng));
  CHECK(faults_of(problem).empty());
  CHECK_FALSE(problem.offers().has<Borderless>());
  const Solved solved = solve(problem, "accelerated_gradient", {.options = {{"gradient_tolerance", 1e-9}}, .seed = 5});
  CHECK(solved.summary.termination == Termination::converged);
  CHECK((matrix_of(solved.solution, 4) - truth).norm() < 1e-5 * truth.norm());
  const Solved by_terms = solve(
      problem, "riemannian_sgd",
      {.options = {{"learning_rate", 0.02}, {"batch_size", 1}, {"max_iter", 300}, {"update", "plain"}}, .seed = 5});
  CHECK((matrix_of(by_terms.solution, 4) - truth).norm() < 1e-2 * truth.norm());
  CHECK_THROWS_AS((void)solve(problem, "ceres"), UnsupportedPair);
}

TEST_CASE("a smooth loss over positive definite matrices is solved by L-BFGS and by gradients, on any thread") {
  Rng rng(4);
  const Matrix truth = psd_of_rank(4, 6, rng);
  const Problem problem("metric", MetricFit(truth, 40, PositiveDefinite{4}, rng));
  CHECK(faults_of(problem).empty());
  for (const auto& [solver, tolerance] : {std::pair{"ceres", 1e-4}, {"accelerated_gradient", 1e-3}}) {
    CAPTURE(solver);
    const Solved solved = solve(problem, solver, {.seed = 5});
    CHECK(solved.summary.usable());
    CHECK((matrix_of(solved.solution, 4) - truth).norm() < tolerance * truth.norm());
  }
}

TEST_CASE("the leading eigenvectors are a point of a Grassmann manifold, on any thread") {
  // max tr(X' A X) over 5 x 2 with orthonormal columns, as min |X - AX|^2 / 2 would not be: its own class.
  class Trace : public PointToy<Trace> {
   public:
    explicit Trace(Matrix a) : PointToy({{"X", 1, 2 * a.rows(), Grassmann{a.rows(), 2}}}), a_(std::move(a)) {}
    double value_and_gradient(const Point& x, Point& g, Evaluation&) const {
      const Eigen::Map<const Matrix> X(x.flat().data(), a_.rows(), 2);
      const Matrix AX = a_ * X;
      Eigen::Map<Matrix>(g.flat().data(), a_.rows(), 2) = -2 * AX;
      return -X.cwiseProduct(AX).sum();
    }

   private:
    Matrix a_;
  };
  Rng rng(5);
  const Matrix a = testing::random_symmetric(5, rng);
  const double best = -SymmetricEigen(a, false).eigenvalues().tail(2).sum();
  const Problem problem("trace", Trace(a));
  CHECK(faults_of(problem).empty());
  for (const char* solver : {"ceres", "accelerated_gradient", "gradient_descent"}) {
    CAPTURE(solver);
    CHECK(testing::close(solve(problem, solver, {.seed = 2}).summary.objective, best, {1e-5, 1e-5}));
  }
}

TEST_CASE("accelerated_gradient keeps the promises of solvers, with one thread and two") {
  Rng rng(6);
  const auto solver = testing::solver_with("accelerated_gradient", "{ max_iter = 30 }");
  for (const Problem& problem :
       {Problem("bowl", testing::Bowl(testing::random_matrix(4, 3, rng), Vector::LinSpaced(4, 1, 9), Oblique{})),
        Problem("nearest", Nearest(testing::random_symmetric(3, rng), PsdCone{3})),
        Problem("nearest", Nearest(testing::random_matrix(1, 4, rng), Hyperbolic{}))}) {
    const std::vector<std::string> faults = faults_of(*solver, problem);
    CHECK_MESSAGE(faults.empty(), join(faults, "\n"));
  }
}

}  // namespace
}  // namespace accelerated_gradient_test
