// solve() and sdp::solve(): a problem or a program by the name of a solver, in one call.
#include "solvers/public/solve.hpp"

#include <doctest/doctest.h>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "solvers/catalog.hpp"
#include "solvers/public/sdp.hpp"
#include "solvers/public/solved_text.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/toy_problems.hpp"

namespace solve_test {
namespace {

using namespace alidade;
using alidade::testing::message_of;

Problem bowl() {
  Rng rng = Rng::stream(1, "bowl");
  return {"bowl", alidade::testing::Bowl(alidade::testing::random_matrix(4, 2, rng), Vector::LinSpaced(4, 1, 3))};
}

TEST_CASE("a problem is solved by a solver's name, with options, and the same seed gives the same point") {
  const Problem problem = bowl();
  std::vector<Index> seen;
  const SolveOptions options{.options = {{"max_iter", 50}, {"direction", "bfgs"}},
                             .seed = 7,
                             .progress = [&](const TraceRecord& record) { seen.push_back(record.iteration); }};
  const Solved solved = solve(problem, "ceres", options);
  CHECK(solved.summary.usable());
  CHECK(solved.summary.objective < 1e-12);
  REQUIRE_FALSE(seen.empty());
  CHECK(seen.front() == 0);
  const Solved again = solve(problem, "ceres", options);
  CHECK(alidade::testing::same_bits(std::get<Point>(solved.solution).flat(), std::get<Point>(again.solution).flat()));
  const Solved from_there = solve(problem, "ceres", {.start = solved.solution});
  CHECK(from_there.summary.initial_objective == solved.summary.objective);
}

/// (x^2 - 1)^2 + y^2: two wells, and a ridge between them.
class TwoWells : public testing::PointToy<TwoWells> {
 public:
  TwoWells() : PointToy({{"x", 1, 2, Euclidean{}}}) {}
  double value_and_gradient(const Point& at, Point& gradient, Evaluation&) const {
    const double x = at.flat()[0], y = at.flat()[1], well = x * x - 1;
    gradient.flat()[0] = 4 * x * well;
    gradient.flat()[1] = 2 * y;
    return well * well + y * y;
  }
};

TEST_CASE("solve() leaves a saddle, unless it is to show where the solver itself ends") {
  const Problem problem("two wells", TwoWells{});
  Point start = problem.domain()->zero();
  start.flat()[1] = 0.5;
  CHECK(solve(problem, "ceres", {.start = start}).summary.objective < 1e-3);
  CHECK(solve(problem, "ceres", {.start = start, .leaves_saddles = false}).summary.objective ==
        doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("a callback sees points and ends a solve with a reason, as a success or not, and keeps the best point") {
  const Problem problem = bowl();
  Executor executor;
  Evaluation evaluation(executor);
  for (const std::string& name : fitting_solvers(problem))
    for (const bool success : {true, false}) {
      CAPTURE(name);
      Solution last = problem.domain()->zero();
      double limit = 0;
      const auto callback = [&](const Solution& x, const TraceRecord& record) -> std::optional<EndOfSolve> {
        if (record.iteration == 0) limit = 0.9 * record.objective;
        last = x;
        if (!(record.objective < limit)) return std::nullopt;
        return EndOfSolve{"It is below nine tenths.", success};
      };
      const Solved solved = solve(problem, name, {.seed = 3, .callback = callback});
      CHECK(solved.summary.termination == (success ? Termination::converged : Termination::cancelled));
      CHECK(solved.summary.message == "Ended by the callback: It is below nine tenths.");
      CHECK(solved.summary.objective <= problem.objective(last, evaluation));
      CHECK(solved.summary.objective > 0);
    }
  std::stop_source source;
  const Solved stopped =
      solve(problem, "ceres", {.stop = source.get_token(), .callback = [&](const auto&, const auto&) {
                                 source.request_stop();  // the other way to end it
                                 return std::optional<EndOfSolve>();
                               }});
  CHECK(stopped.summary.termination == Termination::cancelled);
  CHECK(solve(problem, "ceres", {.callback = [](const auto&, const auto& record) -> std::optional<EndOfSolve> {
                if (record.iteration > 0) throw std::runtime_error("no");
                return std::nullopt;
              }})
            .summary.message.find("'no'") != std::string::npos);
}

TEST_CASE("what solve() found goes to a text and comes back bit for bit") {
  const Problem problem = bowl();
  Solved solved = solve(problem, "ceres", {.options = {{"max_iter", 3}}});
  solved.summary.certificate = Certificate{.lower_bound = -1, .gap = 0.25, .upper_bound = 3, .scale = 7};
  solved.summary.trace.back().metrics = {{"error", 0.125}};
  const Solved again = solved_of(problem, to_text(solved), "found.txt");
  CHECK(alidade::testing::same_bits(std::get<Point>(solved.solution).flat(), std::get<Point>(again.solution).flat()));
  CHECK(again.summary.termination == solved.summary.termination);
  CHECK(again.summary.message == solved.summary.message);
  CHECK(again.summary.objective == solved.summary.objective);
  CHECK(again.summary.counts.evaluations == solved.summary.counts.evaluations);
  REQUIRE(again.summary.trace.size() == solved.summary.trace.size());
  for (std::size_t i = 0; i < again.summary.trace.size(); ++i) {
    const TraceRecord &a = again.summary.trace[i], &b = solved.summary.trace[i];
    CHECK((a.iteration == b.iteration && a.seconds == b.seconds && a.objective == b.objective));
    CHECK((a.gradient_norm == b.gradient_norm || (std::isnan(a.gradient_norm) && std::isnan(b.gradient_norm))));
    CHECK(a.metrics == b.metrics);
  }
  REQUIRE(again.summary.certificate);
  CHECK(again.summary.certificate->lower_bound == -1);
  CHECK(again.summary.certificate->proven_to() == solved.summary.certificate->proven_to());
  CHECK(again.summary.certificate->scale == 7);
  CHECK(to_text(again) == to_text(solved));
  CHECK(solve(problem, "ceres", {.start = again.solution}).summary.initial_objective == solved.summary.objective);
  const auto refusal = [&](const Problem& of, const std::string& text) {
    return message_of<Error>([&] { (void)solved_of(of, text, "found.txt"); });
  };
  const std::string text = to_text(solved);
  CHECK(refusal(Problem("two wells", TwoWells{}), text) ==
        "'found.txt' is of another problem: two wells has a block 'x' of 1 x 2 numbers.");
  for (const std::string& wrong : {std::string(), std::string("{ schema = 2 }"), text.substr(0, text.size() / 2)})
    CHECK(refusal(problem, wrong).find("is no text of to_text()") != std::string::npos);
  CHECK(refusal(problem, "{ schema = 1 }").find("of another problem") != std::string::npos);
}

TEST_CASE("what is wrong with a call of solve() is one sentence") {
  const Problem problem = bowl();
  CHECK(message_of<ConfigError>([&] { (void)solve(problem, "cerse"); }).find("ceres") != std::string::npos);
  CHECK(message_of<ConfigError>([&] {
          (void)solve(problem, "ceres", {.options = {{"direction", "bfsg"}}});
        }).find("bfgs") != std::string::npos);
  CHECK(testing::holds_all(message_of<ConfigError>([&] {
                             (void)solve(problem, "ceres", {.options = {{"max_iter", 1}, {"max_iter", 2}}});
                           }),
                           {"'max_iter'", "twice"}));
  CHECK_THROWS_AS((void)solve(problem, "ceres", {.threads = 0}), ConfigError);
  CHECK_THROWS_AS((void)solve(problem, "admm"), UnsupportedPair);
  CHECK_THROWS_AS((void)solve(problem, "ceres", {.start = SemidefiniteSolution{}}), ConfigError);
  CHECK_THROWS_AS((void)available("cplex"), ConfigError);
}

TEST_CASE("solvers that fit are those that this build has") {
  const std::vector<std::string> names = fitting_solvers(bowl());
  CHECK(std::ranges::find(names, "ceres") != names.end());
  CHECK(std::ranges::find(names, "hungarian") == names.end());
  for (const SolverEntry& entry : solver_catalog().entries())
    CHECK(available(entry.name) == !missing_for(entry.name).has_value());
}

TEST_CASE("a program is solved and judged: a proven bound, and the errors") {
  const SemidefiniteProgram theta = alidade::testing::theta_of_cycle(5);
  for (const char* solver : {"auto", "admm", "burer_monteiro"}) {
    CAPTURE(solver);
    const sdp::Solved solved = sdp::solve(theta, {.solver = solver, .options = {{"tolerance", 1e-7}}});
    CHECK(solved.program.summary.usable());
    REQUIRE(solved.proven_bound.has_value());
    CHECK(*solved.proven_bound <= -std::sqrt(5) + 1e-12);
    CHECK(*solved.proven_bound == doctest::Approx(-std::sqrt(5)).epsilon(1e-5));
    REQUIRE(solved.errors.has_value());
    CHECK(solved.errors->worst() < 1e-5);
  }
}

TEST_CASE("the value of a program is the same in all units of its rows, its cost and its matrix") {
  Rng rng(733);
  for (const SemidefiniteProgram& given :
       {alidade::testing::smallest_eigenvalue_program(alidade::testing::gaussian_symmetric(5, rng)),
        alidade::testing::theta_of_cycle(9)})
    for (const std::string solver : {"auto", "admm", "burer_monteiro"}) {
      const auto value = [&](double cost, double bounds, const std::vector<double>& rows) {
        SemidefiniteProgram program = given;
        for (auto& e : program.cost) e.value *= cost;
        for (std::size_t r = 0; r < program.constraints.size(); ++r) {
          for (auto& e : program.constraints[r].entries) e.value *= rows[r % rows.size()];
          program.constraints[r].bound *= rows[r % rows.size()] * bounds;
        }
        const auto solved = sdp::solve(program, {.solver = solver, .options = {{"tolerance", 1e-7}}});
        return solved.program.summary.objective / (cost * bounds);
      };
      const auto optimum = doctest::Approx(value(1, 1, {1})).epsilon(1e-6);
      for (const double unit : {1e-6, 1e-4, 1e-3, 1e-2, 0.02, 0.05, 0.1, 10.0, 1e2, 1e3, 1e4, 1e6}) {
        CAPTURE(solver);
        CAPTURE(unit);
        CHECK(value(1, 1, {unit}) == optimum);
        CHECK(value(unit, 1, {1}) == optimum);
        CHECK(value(1, unit, {1}) == optimum);
        CHECK(value(unit, unit, {unit}) == optimum);
        CHECK(value(1, 1, {1, unit, 1 / unit}) == optimum);
      }
    }
}

/// The trace of a matrix whose corner is at least 1, in a unit of its own and with a judgement of its own.
class Scaled {
 public:
  Scaled() {
    SemidefiniteProgram program;
    program.blocks = {{.name = "X", .size = 2}};
    program.cost = {{.row = 0, .col = 0, .value = 1}, {.row = 1, .col = 1, .value = 1}};
    program.constraints = {{"corner", {{.row = 0, .col = 0, .value = -1}}, Relation::at_most, -1}};
    program_ = std::make_shared<const SemidefiniteProgram>(std::move(program));
  }
  const SemidefiniteProgram& program() const { return *program_; }
  double scale() const { return 3; }
  SemidefiniteSolution of_problem(SemidefiniteSolution x) const {
    x.blocks[0].values *= 3;
    return x;
  }
  std::optional<SemidefiniteJudgement> judge(SemidefiniteSolution&, Executor&) const {
    return SemidefiniteJudgement{.violations = {}, .lower_bound = 2.5};
  }
  Solution start(Rng&) const { return SemidefiniteSolution{}; }
  double objective(const Solution& x, Evaluation&) const {
    const auto& blocks = std::get<SemidefiniteSolution>(x).blocks;
    return blocks.empty() ? 0 : blocks[0].dense().trace();
  }
  Embedding decode(const Solution&) const { return {}; }

 private:
  std::shared_ptr<const SemidefiniteProgram> program_;
};

TEST_CASE("a semidefinite problem of one's own keeps its unit and its judgement") {
  const Problem problem = make_problem<SemidefiniteFace>("scaled", Scaled());
  CHECK(problem.face<SemidefiniteFace>().scale() == 3);
  const Solved solved = solve(problem, "admm", {.options = {{"tolerance", 1e-7}}});
  CHECK(solved.summary.objective == doctest::Approx(3).epsilon(1e-5));
  REQUIRE(solved.summary.certificate.has_value());
  CHECK(solved.summary.certificate->lower_bound == 2.5);
}

TEST_CASE("a solver that this build lacks says what to install before it solves") {
  const SolverEntry& csdp = solver_catalog().at("csdp");
  const SemidefiniteProgram theta = alidade::testing::theta_of_cycle(5);
  if (available("csdp")) {
    CHECK(csdp.missing.empty());
    return;
  }
  CHECK(csdp.missing.find("Install libsdp-dev") != std::string::npos);
  CHECK(message_of<ConfigError>([&] { (void)sdp::solve(theta, {.solver = "csdp"}); }) == csdp.missing);
  const sdp::Solved solved = sdp::solve(theta);
  CHECK(solved.program.solver == "admm");
  CHECK(solved.program.choice.find("this build lacks csdp") != std::string::npos);
}

TEST_CASE("a program without a feasible point has no bound, and a ray") {
  SemidefiniteProgram program = alidade::testing::smallest_eigenvalue_program(Matrix::Identity(3, 3));
  program.constraints.push_back({"again", program.constraints[0].entries, Relation::equal, 2});
  const sdp::Solved solved = sdp::solve(program);
  if (available("csdp")) {  // admm finds no ray here
    CHECK_FALSE(solved.program.summary.usable());
    CHECK_FALSE(solved.errors.has_value());
    CHECK_FALSE(solved.proven_bound.has_value());
  }
  CHECK_THROWS_AS((void)sdp::solve(program, {.solver = "cdsp"}), ConfigError);
  CHECK_THROWS_AS((void)sdp::solve({}, {}), DataError);
}

}  // namespace
}  // namespace solve_test
