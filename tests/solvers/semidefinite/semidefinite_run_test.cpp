// What solvers of semidefinite programs share: problems whose objective is a multiple of their program's have bounds in
// the same unit, and one refusal of what none can take.
#include "solvers/semidefinite/semidefinite_run.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/solved_programs.hpp"

namespace semidefinite_run_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr double kUnit = 3;

/// A program whose objective is kUnit times its cost.
class InUnits {
 public:
  explicit InUnits(SemidefiniteProgram program)
      : program_(std::make_shared<const SemidefiniteProgram>(std::move(program))) {}
  const SemidefiniteProgram& program() const { return *program_; }
  double scale() const { return kUnit; }
  Solution start(Rng&) const { return SemidefiniteSolution{}; }
  double objective(const Solution& x, Evaluation&) const {
    const auto& blocks = std::get<SemidefiniteSolution>(x).blocks;
    return blocks.empty() ? kUnknown : kUnit * inner_product(program_->cost, blocks);
  }
  Embedding decode(const Solution&) const { return {}; }

 private:
  std::shared_ptr<const SemidefiniteProgram> program_;
};

/// Names of those in this build that take any program with a fixed diagonal.
std::vector<std::string> solvers() {
  std::vector<std::string> out;
  for (const char* name : {"csdp", "admm", "burer_monteiro", "fixed_diagonal"})
    if (solver_catalog().at(name).missing.empty()) out.emplace_back(name);
  return out;
}

Outcome solve_by(const std::string& name, const Problem& problem, const Solution& start, Observer* observer = nullptr) {
  return solve(*solver_catalog().at(name).make({}), problem, start, {.observer = observer});
}

TEST_CASE("bounds, objectives and records are in the unit of the problem, not of its program") {
  const SemidefiniteProgram cut = cut_of_complete_graph(8);
  constexpr double kOptimum = -16 * kUnit;
  const Problem problem = make_problem<SemidefiniteFace>("in units", InUnits(cut));
  for (const std::string& name : solvers()) {
    CAPTURE(name);
    const Outcome out = solve_by(name, problem, SemidefiniteSolution{});
    CAPTURE(out.summary.message);
    CHECK(close(out.summary.objective, kOptimum, {1e-5, 0}));
    REQUIRE(out.summary.certificate);
    CHECK(out.summary.certificate->lower_bound <= kOptimum + 1e-9);
    CHECK(close(out.summary.certificate->lower_bound, kOptimum, {1e-5, 0}));
    CHECK(out.summary.certificate->estimated_to() < 1e-3);
    REQUIRE(!out.summary.trace.empty());
    CHECK(close(out.summary.trace.back().objective, kOptimum, {1e-4, 0}));
  }
}

TEST_CASE("what none can take is refused by the name of the solver") {
  const Problem unbounded = bare({{{"X", 2, false}}, {{0, 0, 0, 1}}, {}});
  const Problem cut = bare(cut_of_complete_graph(3));
  for (const std::string& name : solvers()) {
    CAPTURE(name);
    CHECK(message_of<DataError>([&] { return solve_by(name, unbounded, SemidefiniteSolution{}); }) ==
          "Solver '" + name + "' needs at least one constraint: without one the optimum is 0 or minus infinity.");
    CHECK(message_of<Error>([&] { return solve_by(name, cut, Point{}); }).find("start") != std::string::npos);
  }
}

}  // namespace
}  // namespace semidefinite_run_test
