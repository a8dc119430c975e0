// What every solver of semidefinite programs promises: known optima with proofs, rays where there is none, stops that
// leave what was reached, the same bits again, and bounds in the unit of the problem; and what it means to meet a
// tolerance.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/programs/sdpa_file.hpp"
#include "solvers/semidefinite/semidefinite_run.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/solved_programs.hpp"

namespace program_contract_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 907;

/// Those of this build that take any program; and that for a fixed diagonal, where asked for.
std::vector<std::string> solvers(bool of_cuts_too = false) {
  std::vector<std::string> out;
  for (const char* name : {"csdp", "admm", "burer_monteiro", "fixed_diagonal"})
    if (solver_catalog().at(name).missing.empty() && (of_cuts_too || std::string_view(name) != "fixed_diagonal"))
      out.emplace_back(name);
  return out;
}

Outcome solve_by(const std::string& name, const SemidefiniteProgram& program, const std::string& options = "",
                 const Case& how = {}) {
  return solve(*solver_with(name, options), bare(program), SemidefiniteSolution{}, how);
}

/// The largest <J, X> with tr X = 1 and X_ij = 0 on the edges of Petersen's graph: theta is 4.
SemidefiniteProgram theta_of_petersen() {
  SemidefiniteProgram out = smallest_eigenvalue_program(-Matrix::Ones(10, 10));
  const auto edge = [&](Index i, Index j) {
    out.constraints.push_back({"", {{0, std::min(i, j), std::max(i, j), 1}}, Relation::equal, 0});
  };
  for (Index i = 0; i < 5; ++i) {
    edge(i, (i + 1) % 5);
    edge(i, i + 5);
    edge(5 + i, 5 + (i + 2) % 5);
  }
  return out;
}

TEST_CASE("theta of graphs, cuts, eigenvalues and the manual's example of SDPA are proven") {
  const std::vector<std::pair<SemidefiniteProgram, double>> known = {
      {theta_of_cycle(5), -std::sqrt(5.0)},
      {theta_of_cycle(9), -theta_of_odd_cycle(9)},
      {theta_of_cycle(21), -theta_of_odd_cycle(21)},
      {theta_of_petersen(), -4},
      {cut_of_complete_graph(3), -9.0 / 4},
      {cut_of_complete_graph(8), -16},
      {smallest_eigenvalue_program((Matrix(2, 2) << 2, 1, 1, 2).finished()), 1},
      {parse_sdpa(
           "3\n1\n2\n48 -8 20\n0 1 1 1 -11\n0 1 2 2 23\n1 1 1 1 10\n1 1 1 2 4\n2 1 2 2 -8\n3 1 1 2 -8\n3 1 2 2 -2\n",
           "e"),
       41.9}};
  for (const std::string& name : solvers())
    for (const auto& [program, optimum] : known) {
      CAPTURE(name);
      CAPTURE(optimum);
      check_proven(program, solve_by(name, program), optimum);
    }
}

TEST_CASE("blocks and rows of all kinds have CSDP's optimum, with a proof where no row bounds a trace" * needs_csdp()) {
  std::vector<SemidefiniteProgram> programs = {mixed_program()};
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    programs.push_back(random_mixture(4 + 3 * static_cast<Index>(seed), kSeed + seed));
  for (const SemidefiniteProgram& program : programs) {
    CAPTURE(program.constraints.size());
    const Outcome reference = solve_by("csdp", program);
    REQUIRE(reference.summary.termination == Termination::converged);
    CHECK(solution_in(reference.x).blocks.size() == program.blocks.size());  // the slacks are not the caller's
    for (const std::string& name : solvers()) {
      CAPTURE(name);
      check_proven(program, solve_by(name, program), reference.summary.objective);
    }
  }
}

TEST_CASE("infeasible and unbounded programs are proven to be so, and leave the start") {
  const SemidefiniteProgram none = infeasible_program(), free = unbounded_program();
  for (const std::string& name : solvers()) {
    CAPTURE(name);
    Outcome out = solve_by(name, none);
    CHECK(out.summary.termination == Termination::infeasible);
    CHECK(out.summary.message.starts_with("infeasible: a combination of the constraints proves that no X meets them"));
    CHECK_FALSE(out.summary.certificate);
    CHECK(solution_in(out.x).blocks.empty());
    REQUIRE(solution_in(out.x).ray);
    CHECK(prove_infeasible(none, solution_in(out.x).ray->multipliers).lower_bound.value_or(-1) > 0);
    out = solve_by(name, free);
    CAPTURE(out.summary.message);
    const bool perhaps = name == "burer_monteiro" && out.summary.termination == Termination::likely_unbounded;
    CHECK((perhaps || out.summary.termination == Termination::unbounded));
    CHECK(out.summary.message.ends_with("Bound the trace"));
    CHECK(solution_in(out.x).blocks.empty());
    REQUIRE(solution_in(out.x).ray);
    const auto& ray = solution_in(out.x).ray->blocks;
    CHECK(inner_product(free.cost, ray) < 0);
    if (!perhaps) CHECK(inner_product(free.constraints[0].entries, ray) == 0);
  }
}

TEST_CASE("the same bits again, and with two threads") {
  for (const std::string& name : solvers(true)) {
    CAPTURE(name);
    const SemidefiniteProgram program =
        name == "fixed_diagonal" ? cut_of_complete_graph(40) : random_mixture(10, kSeed);
    const Outcome one = solve_by(name, program), two = solve_by(name, program, "", {.threads = 2});
    CHECK(one.summary.message == two.summary.message);
    CHECK(solution_in(one.x).multipliers == solution_in(two.x).multipliers);
    for (std::size_t b = 0; b < program.blocks.size(); ++b)
      CHECK(solution_in(one.x).blocks[b].values == solution_in(two.x).blocks[b].values);
  }
}

TEST_CASE("a stop, a deadline and a last iteration are heard within the solve and leave what was reached") {
  const SemidefiniteProgram program = theta_of_cycle(31);
  for (const std::string& name : solvers()) {
    CAPTURE(name);
    Outcome out = solve_by(name, program, "", {.stopped_before = true});
    CHECK(out.summary.termination == Termination::cancelled);
    CHECK(solution_in(out.x).blocks.empty());
    CHECK(out.summary.trace.size() == 1);
    Case how;
    ObserverOf stopper([&](const Solution& x, TraceRecord& record) {
      if (record.iteration == 3) how.stop.request_stop();
      if (record.iteration > 0) CHECK(dense_blocks(program, solution_in(x).blocks).front().allFinite());
    });
    how.observer = &stopper;
    out = solve_by(name, program, "", how);
    CHECK(out.summary.termination == Termination::cancelled);
    CHECK(out.summary.counts.iterations == 3);
    CHECK(out.summary.trace.back().iteration == 3);
    REQUIRE(out.summary.certificate);
    CHECK(out.summary.certificate->lower_bound <= -theta_of_odd_cycle(31) + 1e-9);
    RunClock::ByHand clock;
    Case late{.time_limit = std::chrono::seconds(1)};
    ObserverOf waiter([&](const Solution&, TraceRecord& record) {
      if (record.iteration == 2) clock.advance(std::chrono::seconds(2));
    });
    late.observer = &waiter;
    out = solve_by(name, program, "", late);
    CHECK(out.summary.termination == Termination::time_limit);
    CHECK(out.summary.counts.iterations == 2);
    out = solve_by(name, program, "{ max_iter = 3 }");
    CHECK(out.summary.termination == Termination::max_iter);
    CHECK(out.summary.usable());
  }
}

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

TEST_CASE("bounds, objectives and records are in the unit of the problem, not of its program") {
  constexpr double kOptimum = -16 * kUnit;
  const Problem problem = make_problem<SemidefiniteFace>("in units", InUnits(cut_of_complete_graph(8)));
  for (const std::string& name : solvers(true)) {
    CAPTURE(name);
    const Outcome out = solve(*solver_with(name), problem, SemidefiniteSolution{});
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
  const SemidefiniteProgram unbounded{{{"X", 2, false}}, {{0, 0, 0, 1}}, {}};
  for (const std::string& name : solvers(true)) {
    CAPTURE(name);
    CHECK(message_of<DataError>([&] { return solve_by(name, unbounded); }) ==
          "Solver '" + name + "' needs at least one constraint: without one the optimum is 0 or minus infinity.");
    CHECK(message_of<Error>([&] {
            return solve(*solver_with(name), bare(cut_of_complete_graph(3)), Point{});
          }).find("start") != std::string::npos);
  }
}

TEST_CASE("errors are relative to the norms of b and C, and numbers that are not finite meet nothing") {
  const SemidefiniteProgram program = cut_of_complete_graph(9);  // nine rows, each with the bound 1
  SemidefiniteSolution x;
  x.blocks = {{false, 1.5 * Matrix::Identity(9, 9)}};
  x.multipliers = Vector::Zero(9);
  x.dual_blocks = {Matrix::Zero(9, 9)};
  const SemidefiniteErrors errors = errors_of(program, x);
  CHECK(errors.dimacs[0] == doctest::Approx(1.5 / 2));  // |r| = 1.5, largest bound 1
  const double dual = norm_of(program.cost) / (1 + norm_of(program.cost));
  const double gap = std::max(std::abs(errors.dimacs[4]), std::abs(errors.dimacs[5]));
  CHECK(errors.worst_by_norms == doctest::Approx(std::max({1.5 / 4, dual, gap})));
  SemidefiniteErrors some;
  some.worst_by_norms = 1e-7;
  CHECK(met_by_errors(some, 1e-8));
  CHECK_FALSE(met_by_errors(some, 9e-9));
  some.worst_by_norms = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(met_by_errors(some, 1));
}

TEST_CASE("without a proven bound no tolerance is met; with one, the gap decides, of either sign") {
  CHECK_FALSE(met_by_bound(std::nullopt, 1));
  CHECK(met_by_bound(Certificate{.lower_bound = 2 - 3e-7, .gap = 3e-7, .scale = 3}, 1e-8));
  CHECK_FALSE(met_by_bound(Certificate{.lower_bound = 2 - 4e-7, .gap = 4e-7, .scale = 3}, 1e-8));
  CHECK_FALSE(met_by_bound(Certificate{.lower_bound = 2 + 4e-7, .gap = -4e-7, .scale = 3}, 1e-8));
  CHECK_FALSE(met_by_bound(Certificate{.lower_bound = 0, .gap = std::numeric_limits<double>::quiet_NaN()}, 1));
}

}  // namespace
}  // namespace program_contract_test
