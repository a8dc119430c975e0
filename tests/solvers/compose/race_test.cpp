#include <doctest/doctest.h>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"
#include "solvers/contract/solver.hpp"
#include "tests/support/toy_problems.hpp"

namespace race_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

/// Two valleys on a line, at -1 with value 0 and at 1 with value 1/2; each start is on one side.
class TwoValleys : public PointToy<TwoValleys> {
 public:
  TwoValleys() : PointToy({{"x", 1, 1, Euclidean{}}}) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    const double t = x.flat()[0], side = t < 0 ? -1 : 1;
    return (t - side) * (t - side) + (t < 0 ? 0 : 0.5);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const {
    gradient.flat()[0] = 2 * (x.flat()[0] - (x.flat()[0] < 0 ? -1 : 1));
    return value(x, e);
  }
  [[nodiscard]] static std::vector<std::string> start_names() { return {"left", "right"}; }
  [[nodiscard]] Solution start_named(std::string_view kind, Rng&) const {
    Point x = domain().zero();
    x.flat()[0] = kind == "left" ? -3 : 3;
    return x;
  }
};
static_assert(SmoothProblem<TwoValleys> && StartsByName<TwoValleys>);

std::unique_ptr<Solver> race(const std::string& options) {
  return solver_catalog().at("race").make(*value_from_text(options).get_if<ValueTable>());
}

Summary solve(const Solver& solver, const Problem& problem, Solution& x) {
  Executor executor;
  SolveContext context(executor);
  context.rng = Rng(5);
  return solver.solve(problem, x, context);
}

}  // namespace

TEST_CASE("the best entrant goes on, whichever comes first") {
  const Problem problem("two_valleys", TwoValleys());
  for (const char* order : {"[{ start = \"left\", solver = { name = \"ceres\", max_iter = 2 } }, { "
                            "start = \"right\", solver "
                            "= \"ceres\" }]",
                            "[{ start = \"right\" }, { start = \"left\" }]"}) {
    Rng rng(3);
    Solution x = problem.start_named("right", rng);
    const auto solver = race(fmt::format("{{ entrants = {}, finish = \"ceres\" }}", order));
    const Summary summary = solve(*solver, problem, x);
    CHECK(summary.usable());
    CHECK(summary.objective == doctest::Approx(0));
    CHECK(std::get<Point>(x).flat()[0] == doctest::Approx(-1));
    CHECK(summary.trace.size() > 2);
  }
}

TEST_CASE("the start that is given may run too, and starts that a problem has not are left out") {
  const Problem problem("two_valleys", TwoValleys());
  Rng rng(3);
  Solution x = problem.start_named("left", rng);
  const auto solver = race(
      "{ entrants = [{ start = \"right\" }, { solver = { name = \"ceres\", max_iter = 5 } }, { "
      "start = \"nowhere\" }] }");
  CHECK(solve(*solver, problem, x).objective == doctest::Approx(0));
  CHECK(std::get<Point>(x).flat()[0] == doctest::Approx(-1));
}

TEST_CASE("entrants that are none are refused") {
  for (const char* bad : {"{ entrants = [] }", "{ entrants = \"ceres\" }", "{ entrants = [1] }",
                          "{ entrants = [{ begin = \"pca\" }] }", "{ entrants = [{ solver = \"nothing\" }] }"})
    CHECK_THROWS_AS(race(bad), ConfigError);
}

}  // namespace race_test
