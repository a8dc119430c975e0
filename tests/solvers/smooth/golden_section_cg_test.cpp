#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/approx.hpp"
#include "tests/support/nonnegative_fit.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/toy_problems.hpp"

namespace golden_section_cg_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

std::unique_ptr<const Solver> with(Index max_iter, double step_tolerance = 0.01, double scale = 1) {
  return solver_with("golden_section_cg",
                     fmt::format("{{ max_iter = {}, step_tolerance = {}, scale = {}, tolerance = 0 }}", max_iter,
                                 step_tolerance, scale));
}

/// Counts how often it is asked for values and gradients.
class Counted : public PointToy<Counted> {
 public:
  explicit Counted(std::shared_ptr<std::pair<int, int>> asked)
      : PointToy({{"x", 1, 1, Euclidean{}}}), asked_(std::move(asked)) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    ++asked_->first;
    return std::cosh(x.flat()[0] - 3);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation&) const {
    ++asked_->second;
    gradient.flat()[0] = std::sinh(x.flat()[0] - 3);
    return std::cosh(x.flat()[0] - 3);
  }

 private:
  std::shared_ptr<std::pair<int, int>> asked_;
};

}  // namespace

TEST_CASE("on a bowl of n curvatures n searches that are sharp enough find the lowest point") {
  Rng rng(kSeed);
  const Problem problem("bowl", Bowl(random_matrix(5, 1, rng), Vector::LinSpaced(5, 1, 10)));
  const Solution start = problem.start(rng);
  const Outcome sharp = solve(*with(6, 1e-7), problem, start);
  CHECK(sharp.summary.objective < 1e-9 * sharp.summary.initial_objective);
  // Steepest descent, which one search at a time is, is far from it by then.
  Solution x = start;
  for (int i = 0; i < 6; ++i) x = solve(*with(1, 1e-7), problem, x).x;
  CHECK(objective_of(problem, x) > 1e-4 * sharp.summary.initial_objective);
}

TEST_CASE("one search goes to the lowest point of the line, within the tolerance") {
  for (const double from : {-4.0, 2.9, 6.0}) {
    CAPTURE(from);
    const auto asked = std::make_shared<std::pair<int, int>>();
    const Problem problem("counted", Counted(asked));
    Point start = problem.domain()->zero();
    start.flat()[0] = from;
    const Outcome out = solve(*with(1), problem, start);
    const double slope = std::abs(std::sinh(from - 3));
    // A tolerance in the step is one in x times the slope; or 1 % of a bracket shorter than 1.
    CHECK(std::abs(std::get<Point>(out.x).flat()[0] - 3) < 0.01 * slope + 1e-6);
    CHECK(asked->first > 8);
    CHECK(asked->first < 80);
    CHECK(out.summary.counts.iterations == 1);
  }
}

TEST_CASE(
    "a scale changes the unit of steps, not the answer; the first step is as long as 1 / "
    "|gradient|") {
  Rng rng(kSeed);
  const Problem problem("bowl", Bowl(random_matrix(8, 2, rng), Vector::LinSpaced(8, 1, 10)));
  const Solution start = problem.start(rng);
  const Outcome one = solve(*with(60, 1e-6, 1), problem, start), many = solve(*with(60, 1e-6, 100), problem, start);
  CHECK(one.summary.objective < 1e-8 * one.summary.initial_objective);
  CHECK(many.summary.objective < 1e-8 * many.summary.initial_objective);
}

TEST_CASE("at most as many values as asked for bracket a point and narrow it down") {
  const auto asked = std::make_shared<std::pair<int, int>>();
  const Problem problem("counted", Counted(asked));
  Point start = problem.domain()->zero();
  start.flat()[0] = 50;
  const auto few = solver_with("golden_section_cg", "{ max_iter = 1, scale = 1, max_evaluations = 5 }");
  const Outcome out = solve(*few, problem, start, {.leaves_saddles = false});
  CHECK(asked->first <= 10 + 2);  // and the start and the end
  CHECK(out.summary.objective <= out.summary.initial_objective);
}

TEST_CASE("positive unknowns and unit rows keep where they live") {
  Rng rng(kSeed);
  const Problem fit = nonnegative_fit(rng);
  const Outcome out = solve(*with(400), fit, fit.start(rng));
  CHECK(out.summary.objective < 1e-2 * out.summary.initial_objective);
  CHECK((std::get<Point>(out.x).vector().array() > 0).all());

  const Matrix center = random_matrix(5, 3, rng);
  const Problem sphere("bowl", Bowl(center, Vector::LinSpaced(5, 1, 3), Oblique{2}));
  const Outcome round = solve(*with(400, 1e-4), sphere, sphere.start(rng));
  for (Index i = 0; i < 5; ++i) {
    const Vector expected = 2 * center.row(i).normalized();
    CHECK((std::get<Point>(round.x).block(0).row(i).transpose() - expected).norm() < 1e-3);
  }
}

TEST_CASE("a start at the lowest point is converged and unchanged") {
  Rng rng(kSeed);
  const Matrix center = random_matrix(5, 3, rng);
  const Problem problem("bowl", Bowl(center, Vector::Ones(5)));
  Point start = problem.domain()->zero();
  start.block(0) = center;
  const Outcome out = solve(*with(10), problem, start);
  CHECK(out.summary.termination == Termination::converged);
  CHECK(out.summary.counts.iterations == 0);
  CHECK(same_bits(std::get<Point>(out.x).flat(), start.flat()));
}

}  // namespace golden_section_cg_test
