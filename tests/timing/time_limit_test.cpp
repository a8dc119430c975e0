// No run outlives its time limit by more than the grace, whatever library it is in: every solver of the catalog on a
// problem that keeps it busy, and CSDP within one of its long steps, by `run`, `embed` and `sdp`.
// Limits are short and the patience of the checks is long: it is no matter of speed here.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "experiments/files/json.hpp"
#include "experiments/launch/process_pool.hpp"
#include "experiments/results/rows.hpp"
#include "problems/catalog.hpp"
#include "problems/contract/adapters.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/public/functions.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/child_processes.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/toy_problems.hpp"

namespace time_limit_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

constexpr double kPatience = 30;  // seconds beside limit and grace, for a machine that is busy

/// Evidence of every kind, enough of it to keep a solver busy.
Observations much_evidence(Index n) {
  Rng rng(7);
  Observations out = observations_of(std::make_shared<TripletList>(
      triplets_of(gaussian_points(n, 2, rng), static_cast<std::uint64_t>(100 * n), 0.1, rng)));
  out.features = std::make_shared<const FeatureMatrix>(gaussian_points(n, 20, rng).cast<float>());
  out.pair_signs = ring_signs(n);
  return out;
}

/// A semidefinite program of which an iteration of CSDP takes a second or more.
SemidefiniteProgram long_steps() {
  constexpr Index kSize = 60, kRows = 900;
  Rng rng(3);
  SemidefiniteProgram out{{{"X", kSize, false}}, {}, {}};
  for (Index i = 0; i < kSize; ++i) out.cost.push_back({0, i, i, 1});
  for (Index r = 0; r < kRows; ++r) {
    SemidefiniteConstraint row{"", {}, Relation::equal, 1};
    for (Index i = 0; i < kSize; ++i)
      for (Index j = i; j < kSize; ++j) row.entries.push_back({0, i, j, (i == j ? 1.0 : 0.0) + 0.1 * rng.normal()});
    out.constraints.push_back(std::move(row));
  }
  return out;
}

/// Max-cut of a torus whose edges have random signs, as in physics' spin glasses.
SemidefiniteProgram cut_of_torus(Index side) {
  Rng rng(4);
  SemidefiniteProgram out{{{"X", side * side, false}}, {}, {}};
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; ++j) {
      const Index own = i * side + j;
      for (const Index other : {i * side + (j + 1) % side, (i + 1) % side * side + j})
        out.cost.push_back({0, std::min(own, other), std::max(own, other), rng.uniform(0, 1) < 0.5 ? -0.25 : 0.25});
      out.constraints.push_back({"", {{0, own, own, 1}}, Relation::equal, 1});
    }
  return out;
}

/// Rosenbrock's function of many numbers >= 0, as a curved valley between bounds.
Problem bounded_valley() {
  return smooth(
      [](auto x, auto gradient) {
        std::ranges::fill(gradient, 0.0);
        double out = 0;
        for (std::size_t i = 0; i + 1 < x.size(); ++i) {
          const double along = 1 - x[i], across = x[i + 1] - x[i] * x[i];
          out += along * along + 100 * across * across;
          gradient[i] -= 2 * along + 400 * across * x[i];
          gradient[i + 1] += 200 * across;
        }
        return out;
      },
      100'000, {.start = std::vector<double>(100'000, 0.0), .lower = 0});
}

/// What keeps the solver busy: the problem of the catalog that is named, or the first that fits.
Problem problem_for(const SolverEntry& solver, const Observations& data) {
  if (solver.needs.has<AssignmentFace>()) {
    Rng rng(5);
    return {"assignment", CheapestAssignment(gaussian_points(1500, 1500, rng))};
  }
  if (solver.name == "projected_lbfgs") return bounded_valley();
  if (solver.name == "csdp") return {"long steps", SdpProblem(long_steps())};
  if (solver.name == "fixed_diagonal") return {"torus", SdpProblem(cut_of_torus(70))};
  if (solver.name == "admm" || solver.name == "burer_monteiro") return {"torus", SdpProblem(cut_of_torus(25))};
  Executor executor;
  if (solver.name == "eigen_dense") return problem_catalog().at("classical_mds").make(data, {}, executor);
  for (const ProblemEntry& entry : problem_catalog().entries()) {
    if (!std::ranges::all_of(entry.needs, [&](ObservationKind kind) { return data.offers(kind); })) continue;
    if (!fit(solver.name, solver.needs, entry.name, entry.offers).fits) continue;
    return entry.make(data, {}, executor);
  }
  throw DataError("no problem of the catalog fits solver " + solver.name);
}

/// A table of 400 objects in 10 dimensions.
std::string table() {
  Rng rng(11);
  std::string out;
  for (int i = 0; i < 400; ++i)
    for (int c = 0; c < 10; ++c) out += std::to_string(rng.normal() + (c % 4 == i % 4 ? 3 : 0)) + (c < 9 ? "," : "\n");
  return out;
}

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

}  // namespace

TEST_SUITE_BEGIN("timing");

TEST_CASE("every solver ends within its time limit plus the grace") {
  constexpr double kLimit = 0.5, kGrace = 2;
  const Observations data = much_evidence(1000);
  const auto& solvers = solver_catalog().entries();
  std::vector<Problem> problems;
  std::vector<Solution> starts;
  for (const SolverEntry& solver : solvers) {
    problems.push_back(problem_for(solver, data));
    Rng rng(1);
    starts.push_back(problems.back().start(rng));
  }
  PoolLimits limits;
  limits.timeout_seconds = kLimit;
  limits.grace_seconds = kGrace;
  PoolJobs jobs;
  jobs.count = solvers.size();
  jobs.prepare = [](std::size_t) { return true; };
  jobs.log = [](std::size_t) { return fs::path(); };
  jobs.tick = [] {};
  jobs.work = [&](std::size_t j, std::stop_token stop) {
    ValueTable options;
    if (find_option(solvers[j].options, "max_iter")) options.set("max_iter", 100'000);
    Executor executor;
    SolveContext context(executor);
    context.stop = std::move(stop);
    context.deadline = RunClock::deadline(kLimit);
    Solution x = starts[j];
    const Summary summary = solvers[j].make(options)->solve(problems[j], x, context);
    return std::string(to_string(summary.termination));
  };
  std::size_t ended = 0;
  jobs.done = [&](const ChildOutcome& outcome) {
    ++ended;
    const std::string& name = solvers[outcome.job].name;
    CAPTURE(name);
    CAPTURE(outcome.failure);
    CHECK(outcome.wall_seconds < kLimit + kGrace + kPatience);
    // Those of one long decomposition are killed, all others hear the end of their time, CSDP within a step.
    if (!outcome.delivered) CHECK(outcome.failure.find("limit") != std::string::npos);
    if (name == "csdp") CHECK(outcome.payload == "time_limit");
    MESSAGE(name << ": " << (outcome.delivered ? outcome.payload : outcome.failure) << " after " << outcome.wall_seconds
                 << " s");
  };
  run_in_children(limits, jobs, [] { return false; });
  CHECK(ended == solvers.size());
}

TEST_CASE("run and embed end in time with CSDP in a long step of cutting planes") {
  const ScratchFolder scratch{{"k.csv", table()}};
  const std::string method = "problem = { name = \"kpsde\", basis_size = 100 }\nsolver = \"cutting_plane\"\n";
  write_text(scratch / "c.toml",
             "name = \"c\"\ntimeout = \"2s\"\n[[dataset]]\nname = \"features\"\nfile = \"k.csv\"\n"
             "similarity = \"knn\"\n[[method]]\n" +
                 method);
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--out", "a"}, {"--out", "b", "--in-process"}}) {
    std::vector<std::string> words = {"run", "c.toml"};
    words.insert(words.end(), more.begin(), more.end());
    const auto begun = std::chrono::steady_clock::now();
    const Ended ended = run_command(words, scratch);
    CAPTURE(ended.err);
    CHECK(seconds_since(begun) < 2 + PoolLimits().grace_seconds + kPatience);
    const std::vector<Row> rows = read_rows(scratch / more[1]);
    REQUIRE(rows.size() == 1);
    CHECK(text_field(rows.front(), "termination") == "time_limit");
  }
  const auto begun = std::chrono::steady_clock::now();
  const Ended ended = run_well(
      "embed --features k.csv --problem kpsde --solver cutting_plane --set "
      "problem.basis_size=100 --timeout 2s --json",
      scratch);
  CHECK(seconds_since(begun) < 2 + PoolLimits().grace_seconds + kPatience);
  CHECK(ended.out.find("\"termination\":\"time_limit\"") != std::string::npos);
}

TEST_CASE("sdp obeys its time limit, SIGINT and SIGTERM within a long step") {
  const ScratchFolder scratch;
  const SemidefiniteProgram program = long_steps();
  {
    std::ofstream out(scratch / "long.dat-s");
    out << program.constraints.size() << "\n1\n" << program.blocks[0].size << "\n";
    for (std::size_t r = 0; r < program.constraints.size(); ++r) out << "1 ";
    out << "\n";
    for (const SymmetricEntry& e : program.cost)
      out << "0 1 " << e.row + 1 << ' ' << e.col + 1 << ' ' << -e.value << "\n";
    for (std::size_t r = 0; r < program.constraints.size(); ++r)
      for (const SymmetricEntry& e : program.constraints[r].entries)
        out << r + 1 << " 1 " << e.row + 1 << ' ' << e.col + 1 << ' ' << e.value << "\n";
  }
  const double highest = 1 + PoolLimits().grace_seconds + kPatience;
  {
    const auto begun = std::chrono::steady_clock::now();
    const Ended ended = run_command("sdp long.dat-s --timeout 1s", scratch);
    CHECK(ended.status == 1);
    CHECK(ended.out.find("time_limit") != std::string::npos);
    CHECK(seconds_since(begun) < highest + kPatience);  // it reads the file before
  }
  for (const int signal : {SIGINT, SIGTERM}) {
    Command command({"sdp", "long.dat-s"}, scratch);
    const auto begun = std::chrono::steady_clock::now();
    while (children_of(command.pid()).empty() && seconds_since(begun) < 2 * kPatience)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // until CSDP has its process
    const auto asked = std::chrono::steady_clock::now();
    command.send(signal);
    CHECK(command.wait().status == 130);
    CHECK(seconds_since(asked) < highest);
  }
}

TEST_CASE("a library that does not stop is ended with the process, and nothing is left incomplete") {
  // All eigenvectors of 3000 x 3000 numbers: one call.
  const ScratchFolder scratch;
  Rng rng(13);
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(rng.normal()) + "," + std::to_string(rng.normal()) + "\n";
  write_text(scratch / "x.csv", text);
  const auto begun = std::chrono::steady_clock::now();
  const Ended ended = run_command(
      "embed --features x.csv --problem classical_mds --solver eigen_dense --timeout 0.2s -o "
      "map",
      scratch);
  CHECK(seconds_since(begun) < 0.2 + PoolLimits().grace_seconds + kPatience);
  CAPTURE(ended.err);
  if (ended.status == 0) return;  // a fast machine
  CHECK(ended.status == 1);
  CHECK(ended.err.find("time limit of 0.2 s") != std::string::npos);
  CHECK_FALSE(fs::exists(scratch / "map"));
  CHECK(inventory(scratch).size() == 1);
}

TEST_SUITE_END();

}  // namespace time_limit_test
