#include "solvers/smooth/ceres.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cmath>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/blocks.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/toy_problems.hpp"

namespace ceres_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

CeresOptions tight(std::string direction) {
  CeresOptions out;
  out.direction = std::move(direction);
  out.tolerance = 0;
  out.gradient_tolerance = 1e-10;
  out.max_iter = 2000;
  return out;
}

const std::vector<std::string> kDirections = {"lbfgs", "bfgs", "nonlinear_cg", "steepest_descent"};

/// A bowl with curvatures from 1 to 10 and its lowest value, 0, at a random centre.
Problem bowl(Rng& rng) { return {"bowl", Bowl(gaussian_points(6, 3, rng), Vector::LinSpaced(6, 1, 10))}; }

TEST_CASE("every direction ends at the lowest point of a bowl, converged") {
  for (const std::string& direction : kDirections) {
    CAPTURE(direction);
    Rng rng(kSeed);
    const Problem problem = bowl(rng);
    const Solution start = problem.start(rng);
    const Outcome out = solve(CeresSolver(tight(direction)), problem, start);
    CHECK(out.summary.termination == Termination::converged);
    CHECK(out.summary.objective < 1e-16);
    CHECK(out.summary.gradient_norm < 1e-7);
    // The trace ends with the point that is returned.
    CHECK(out.summary.trace.back().objective == out.summary.objective);
    CHECK(out.summary.trace.back().iteration == out.summary.counts.iterations);
  }
}

TEST_SUITE("statistical") {
  TEST_CASE("directions have their textbook speeds on a bowl: Newton-like far ahead of steepest descent") {
    Rng rng(kSeed);
    const Problem problem = bowl(rng);
    const Solution start = problem.start(rng);
    const auto iterations = [&](const std::string& direction) {
      return solve(CeresSolver(tight(direction)), problem, start).summary.counts.iterations;
    };
    // 9 iterations each, of less than 20 allowed: one seed, kernels of AVX-512, AVX2 and SSE2.
    CHECK(iterations("lbfgs") < iterations("steepest_descent") / 2);
    CHECK(iterations("bfgs") < iterations("steepest_descent") / 2);
  }
}

TEST_CASE("the inverse Hessian starts from the curvature of the last step, which takes far fewer evaluations") {
  Rng rng(kSeed);
  const Problem problem("bowl", Bowl(gaussian_points(30, 3, rng), Vector::LinSpaced(30, 1e2, 1e4)));
  const Solution start = problem.start(rng);
  const auto evaluations = [&](bool scaling) {
    CeresOptions options = tight("lbfgs");
    options.curvature_scaling = scaling;
    const Outcome out = solve(CeresSolver(options), problem, start);
    CHECK(out.summary.objective < 1e-10 * out.summary.initial_objective);
    return out.summary.counts.evaluations;
  };
  CHECK(CeresOptions{}.curvature_scaling);
  CHECK(evaluations(true) < evaluations(false) / 2);
}

TEST_CASE("on a sphere the nearest point to a given one is found, row by row") {
  Rng rng(kSeed);
  const Matrix center = gaussian_points(5, 3, rng);
  const Problem problem("bowl", Bowl(center, Vector::LinSpaced(5, 1, 3), Oblique{2}));
  for (const std::string& direction : kDirections) {
    CAPTURE(direction);
    const Outcome out = solve(CeresSolver(tight(direction)), problem, problem.start(rng));
    CHECK(out.summary.usable());
    for (Index i = 0; i < 5; ++i) {
      const Vector expected = 2 * center.row(i).normalized();
      CHECK((std::get<Point>(out.x).block(0).row(i).transpose() - expected).norm() < 1e-6);
    }
    CHECK(out.summary.gradient_norm < 1e-5);
  }
}

TEST_CASE("positive unknowns stay positive on the way to a nonnegative fit") {
  Rng rng(kSeed);
  const Matrix h = gaussian_points(3, 8, rng).cwiseAbs(), truth = gaussian_points(6, 3, rng).cwiseAbs();
  const Problem problem("toy_nmf", NonnegativeFit(truth * h, h));
  const Outcome out = solve(CeresSolver(tight("lbfgs")), problem, problem.start(rng));
  CHECK(out.summary.usable());
  CHECK(out.summary.objective < 1e-6 * out.summary.initial_objective);
  CHECK((std::get<Point>(out.x).vector().array() > 0).all());
}

TEST_CASE("a start where the gradient is zero is recorded and unchanged, as converged") {
  Rng rng(kSeed);
  const Problem problem = problem_catalog().at("ste").make(gaussian_observations(10, 2, rng), {});
  const Solution start = problem.domain()->zero();  // all objects at one point
  const Outcome out = solve(CeresSolver({}), problem, start, {.leaves_saddles = false});
  CHECK(out.summary.termination == Termination::converged);
  REQUIRE(out.summary.trace.size() == 1);
  CHECK(out.summary.trace.front().iteration == 0);
  CHECK(out.summary.gradient_norm == 0);
  CHECK(same_bits(std::get<Point>(out.x).flat(), std::get<Point>(start).flat()));
}

TEST_CASE("the observer is shown the point whose objective is recorded") {
  Rng rng(kSeed);
  const Problem problem = problem_catalog().at("tste").make(gaussian_observations(25, 2, rng), {});
  int looks = 0;
  ObserverOf observer([&](const Solution& x, TraceRecord& record) {
    CHECK(close(objective_of(problem, x), record.objective, kSum));
    ++looks;
  });
  const Outcome out = solve(CeresSolver({}), problem, problem.start(rng), {.observer = &observer});
  CHECK(looks == static_cast<int>(out.summary.trace.size()));
  CHECK(looks > 10);
}

TEST_CASE("a finite sum alone is solved through its adapter, which the summary names, on threads") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(40, 2, rng);
  const Problem problem("toy_springs", Springs(points, 30'000, rng));
  const Solution start = problem.start(rng);
  CeresOptions options = tight("lbfgs");
  const Outcome out = solve(CeresSolver(options), problem, start);
  CHECK(out.summary.via == std::vector<std::string>{"sum_of_terms"});
  CHECK(out.summary.objective < 1e-12 * out.summary.initial_objective);
  const Matrix matrix = std::get<Point>(out.x).block(0);
  const Matrix shift = (matrix - points).rowwise() - (matrix - points).colwise().mean();
  CHECK(shift.norm() < 1e-5);
  const Outcome two = solve(CeresSolver(options), problem, start, {.threads = 2});
  CHECK(same_bits(std::get<Point>(two.x).flat(), std::get<Point>(out.x).flat()));
}

TEST_CASE("blocks solved in turn descend to the best value that a factorisation can have") {
  Rng rng(kSeed);
  const Factorization toy(random_matrix(8, 6, rng), 2, 0.3);
  const Problem problem("toy_factorization", toy);
  Solution x = problem.start(rng);
  const CeresSolver inner(tight("lbfgs"));
  double before = objective_of(problem, x);
  for (int round = 0; round < 200; ++round)
    for (Index b = 0; b < 2; ++b) {
      const Problem part = problem.face<BlocksFace>().block_problem(b, x);
      const Outcome out = solve(inner, part, problem.face<BlocksFace>().block_of(b, x));
      REQUIRE(out.summary.usable());
      problem.face<BlocksFace>().set_block(b, out.x, x);
      const double after = objective_of(problem, x);
      REQUIRE(after <= before * (1 + 1e-14));
      before = after;
    }
  CHECK(close(before, toy.lowest_value(), {1e-6, 0}));
}

/// The most memory that this process has held so far.
long peak_kilobytes() {
  rusage spent{};
  REQUIRE(::getrusage(RUSAGE_SELF, &spent) == 0);
  return spent.ru_maxrss;
}

TEST_CASE("several thousand unknowns on spheres take no quadratic memory") {
  Rng rng(kSeed);
  const Problem problem("bowl", Bowl(gaussian_points(4000, 3, rng), Vector::Ones(4000), Oblique{1}));
  CeresOptions options;
  options.max_iter = 5;
  const long before = peak_kilobytes();
  const Outcome out = solve(CeresSolver(options), problem, problem.start(rng));
  CHECK(out.summary.usable());
  CHECK(peak_kilobytes() - before < 400'000);  // a dense 12,000 x 12,000 Jacobian has 1,152,000
}

/// A bowl whose gradient is no number where its value is below 53.9.
class Edge : public Bowl {
 public:
  using Bowl::Bowl;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const {
    const double out = Bowl::value_and_gradient(x, gradient, e);
    if (out < 53.9) gradient.vector().setConstant(kUnknown);
    return out;
  }
};

TEST_CASE("a first line search that meets no number is diverged on a curved domain, too, not a fault of Ceres") {
  const Matrix center{{0, 1, 2}, {3, 4, 0}, {1, 2, 3}, {4, 0, 1}};
  const Problem problem("edge", Edge(center, Vector::Constant(4, 2), Hyperbolic{}));
  Rng rng = Rng::stream(0, "init");
  const Outcome out = solve(*solver_with("ceres"), problem, problem.start(rng));
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::diverged);
  CHECK(out.summary.objective < out.summary.initial_objective);
  CHECK(out.summary.message.find("not finite") != std::string::npos);
}

TEST_CASE("options that contradict each other or the size of the problem are refused in words") {
  CeresOptions options;
  options.line_search = "armijo";
  CHECK(
      holds_all(message_of<ConfigError>([&] { CeresSolver{options}; }), {"'ceres'", "line_search = wolfe", "armijo"}));
  options.direction = "steepest_descent";
  CHECK_NOTHROW(CeresSolver{options});
  Rng rng(kSeed);
  const Problem large("bowl", Bowl(Matrix::Zero(5001, 2), Vector::Ones(5001)));
  CHECK_THROWS_WITH_AS(static_cast<void>(solve(CeresSolver(tight("bfgs")), large, large.start(rng))),
                       doctest::Contains("a dense 10002 x 10002 matrix. Above 10000 unknowns, use lbfgs"), ConfigError);
}

}  // namespace
}  // namespace ceres_test
