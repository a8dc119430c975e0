// The command `alidade sdp` as its users meet it: what it prints, what it writes, and how it ends.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numbers>
#include <sstream>

#include "experiments/datasets/sets/catalog.hpp"
#include "problems/programs/sdpa_file.hpp"
#include "solvers/public/solve.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/printed_fields.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/text_holds.hpp"

namespace sdp_command_test {

using namespace alidade;
using namespace alidade::testing;
using alidade::testing::field;
using alidade::testing::number;

namespace {

TEST_CASE("messages of sdp name no bound of the other sign than that of the file" * alidade::testing::needs_csdp()) {
  const ScratchFolder folder;
  const auto file = folder / "theta.dat-s";
  write_text(file, to_sdpa(theta_of_cycle(5)));
  for (const char* solver : {"csdp", "admm"}) {
    const Ended ended = run_well({"sdp", file.string(), "--solver", solver});
    CHECK(number(field(ended, "at most")) > 0);
    CHECK(field(ended, "message").find("lower bound") == std::string::npos);
  }
}

TEST_CASE("sdp solves a program from a file: optimum with the file's sign, six errors, status 0" *
          alidade::testing::needs_csdp()) {
  const ScratchFolder folder;
  const auto file = folder / "theta.dat-s";
  write_text(file, to_sdpa(theta_of_cycle(5)));
  const Ended ended = run_quietly({"sdp", file.string(), "--out", (folder / "theta.sol").string()});
  CHECK(field(ended, "termination") == "converged");
  CHECK(field(ended, "solver") == "csdp");
  CHECK(holds_all(field(ended, "program"), {"6 constraints", "5 x 5"}));
  CHECK(std::abs(number(field(ended, "primal")) - std::sqrt(5.0)) < 1e-6);
  CHECK(std::abs(number(field(ended, "dual")) - std::sqrt(5.0)) < 1e-6);
  CHECK(number(field(ended, "at most")) >= std::sqrt(5.0) - 1e-12);
  std::istringstream errors(field(ended, "errors"));
  int count = 0;
  for (double e = 0; errors >> e; ++count) CHECK(std::abs(e) < 1e-7);
  CHECK(count == 6);
  CHECK(number(field(ended, "iterations")) >= 3);
  CHECK(number(field(ended, "seconds")) >= 0);

  // The solution: y, Z and X, of which the trace of X and the value of y can be told from the text.
  const std::vector<std::string> lines = lines_of(content_of(folder / "theta.sol"));
  REQUIRE(lines.size() > 20);
  std::istringstream multipliers(lines[0]);
  double first = 0;
  multipliers >> first;
  CHECK(std::abs(first - std::sqrt(5.0)) < 1e-6);  // the bound of the trace is 1, all others 0
  double trace = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::istringstream line(lines[i]);
    int matrix = 0, block = 0, row = 0, col = 0;
    double value = 0;
    line >> matrix >> block >> row >> col >> value;
    REQUIRE_FALSE(line.fail());
    if (matrix == 2 && row == col) trace += value;
  }
  CHECK(std::abs(trace - 1) < 1e-7);
}

TEST_CASE("what is called optimal is so in any unit of the cost, the bounds and the constraints" *
          alidade::testing::needs_csdp()) {
  const ScratchFolder folder;
  const std::string file = (folder / "p.dat-s").string(), solution = (folder / "p.sol").string();
  using Units = std::array<double, 3>;
  for (const auto& [cost, bound, row] : {Units{1e-6, 1, 1},
                                         {1, 1e-9, 1},
                                         {1, 1e-50, 1},
                                         {1, 1e-300, 1},
                                         {1, 1e150, 1},
                                         {1, 1, 1e12},
                                         {1, 1, 1e-12},
                                         {1e150, 1e-200, 1e-100},
                                         {1.0 / 600, 3, 7}}) {
    SemidefiniteProgram program = theta_of_cycle(5);
    for (SymmetricEntry& e : program.cost) e.value *= cost;
    for (SemidefiniteConstraint& one : program.constraints) {
      one.bound *= bound;
      for (SymmetricEntry& e : one.entries) e.value *= row;
    }
    write_text(file, to_sdpa(program));
    CAPTURE(cost);
    CAPTURE(bound);
    CAPTURE(row);
    const double optimum = std::sqrt(5.0) * cost * (bound / row);
    for (const char* solver : {"csdp", "admm", "burer_monteiro"}) {
      CAPTURE(solver);
      const Ended ended = run_well({"sdp", file, "--solver", solver, "--out", solution});
      for (const char* of : {"primal", "dual", "at most"})
        CHECK(number(field(ended, of)) / optimum == doctest::Approx(1).epsilon(1e-5));
    }
    // The solution is that of the program given.
    CHECK(run_well({"verify", file, solution}).status == 0);
    CHECK(number(field(run_well({"sdp", file, "--solver", "csdp", "--start", solution}), "primal")) / optimum ==
          doctest::Approx(1).epsilon(1e-5));
  }
}

TEST_CASE("max-cut goes to csdp, and to fixed_diagonal where that lacks memory: the same optimum" *
          alidade::testing::needs_csdp()) {
  constexpr int kObjects = 41;  // on a cycle
  const double optimum = kObjects * (1 + std::cos(std::numbers::pi / kObjects)) / 2;
  std::string text = fmt::format("{0}\n1\n{0}\n", kObjects);
  for (int i = 0; i < kObjects; ++i) text += "1 ";
  text += "\n";
  for (int i = 1; i <= kObjects; ++i) text += fmt::format("0 1 {0} {0} 0.5\n{0} 1 {0} {0} 1\n", i);
  for (int i = 1; i < kObjects; ++i) text += fmt::format("0 1 {} {} -0.25\n", i, i + 1);
  text += fmt::format("0 1 1 {} -0.25\n", kObjects);
  const ScratchFolder folder;
  const auto file = folder / "cycle.dat-s";
  write_text(file, text);
  const auto solved = [&](std::vector<std::string> arguments, const std::string& solver) {
    arguments.insert(arguments.begin(), {"sdp", file.string()});
    const Ended ended = run_well(arguments);
    CHECK(field(ended, "solver") == solver);
    CHECK(number(field(ended, "primal")) == doctest::Approx(optimum).epsilon(1e-5));
    CHECK(number(field(ended, "at most")) >= optimum - 1e-9);
    CHECK(number(field(ended, "at most")) <= optimum * (1 + 1e-5));
  };
  solved({}, "csdp");
  solved({"--option", "memory_gb=0.0001"}, "fixed_diagonal");
  solved({"--solver", "fixed_diagonal"}, "fixed_diagonal");
  const Ended refused = run_command({"sdp", file.string(), "--solver", "csdp", "--option", "memory_gb=0.0001"});
  CHECK(refused.status == 2);
  CHECK(holds_all(refused.err, {"fixed_diagonal"}));
  write_text(file, to_sdpa(theta_of_cycle(5)));
  const Ended other = run_command({"sdp", file.string(), "--solver", "fixed_diagonal"});
  CHECK(other.status == 2);
  CHECK(holds_all(other.err, {"csdp"}));
}

TEST_CASE("a cut in a box, whose slacks are rows of the same block, is a program of fixed_diagonal" *
          alidade::testing::needs_csdp()) {
  // As qpG of SDPLIB: maximise <F_0, X> with X_ii + X_kk = 1 and k = i + n, on an odd cycle.
  constexpr int kObjects = 101;
  std::string text = fmt::format("{0}\n1\n{1}\n", kObjects, 2 * kObjects);
  for (int i = 0; i < kObjects; ++i) text += "1 ";
  text += "\n";
  for (int i = 1; i < kObjects; ++i) text += fmt::format("0 1 {} {} -0.5\n", i, i + 1);
  text += fmt::format("0 1 1 {} -0.5\n", kObjects);
  for (int i = 1; i <= kObjects; ++i) text += fmt::format("{0} 1 {0} {0} 1\n{0} 1 {1} {1} 1\n", i, kObjects + i);
  const double optimum = kObjects * std::cos(std::numbers::pi / kObjects);
  const ScratchFolder folder;
  const auto file = (folder / "box.dat-s").string(), solution = (folder / "box.sol").string();
  write_text(file, text);
  for (const char* solver : {"fixed_diagonal", "csdp"}) {
    const Ended ended = run_well({"sdp", file, "--solver", solver, "-o", solution});
    CHECK(number(field(ended, "primal")) == doctest::Approx(optimum).epsilon(1e-5));
    CHECK(number(field(ended, "at most")) >= optimum - 1e-9);
    const Ended verified = run_well({"verify", file, solution});
    CHECK(field(verified, "at most") == field(ended, "at most"));
  }
}

TEST_CASE("an unsolved program has status 1 and a reason; bad input has status 2 and one line" *
          alidade::testing::needs_csdp()) {
  const ScratchFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  // No X >= 0 has trace -1.
  write_text(path("infeasible"), "1\n1\n2\n-1\n0 1 1 1 1\n1 1 1 1 1\n1 1 2 2 1\n");
  Ended ended = run_command({"sdp", path("infeasible"), "-o", path("none.sol")});
  CHECK(ended.status == 1);
  CHECK(field(ended, "termination") == "infeasible");
  CHECK(field(ended, "message").find("infeasible") == 0);
  CHECK(field(ended, "primal").empty());
  CHECK(content_of(path("none.sol")).starts_with("* ray: y proves"));  // see verify_bound_test.cpp

  write_text(path("theta"), to_sdpa(theta_of_cycle(5)));
  ended = run_command({"sdp", path("theta"), "--option", "max_iter=3"});
  CHECK(ended.status == 1);
  CHECK(field(ended, "termination") == "max_iter");
  CHECK_FALSE(field(ended, "primal").empty());

  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), "sdp");
    const Ended out = run_command(arguments);
    CAPTURE(out.err);
    CHECK(out.status == 2);
    CHECK(out.out.empty());
    CHECK(lines_of(out.err).size() == 1);
    CHECK(out.err.find(part) != std::string::npos);
  };
  write_text(path("broken"), "1\n1\n2\n1\n1 1 1 7 1\n");
  refused({path("broken")}, "broken:5: block 1 has rows and columns 1 to 2; there is no (1, 7).");
  refused({path("absent")}, "cannot be read");
  refused({folder.path().string()}, "is a folder");
  refused({path("theta"), "--max-size", "20B"}, "--max-size");
  refused({path("theta"), "--max-size", "much"}, "much");
  refused({}, "argument 'file'");
  refused({path("theta"), "--option", "tolerance"}, "not NAME=VALUE");
  refused({path("theta"), "--option", "tolerence=1e-7"}, "Did you mean 'tolerance'?");
  refused({path("theta"), "--option", "tolerance=2"}, "tolerance");
  refused({path("theta"), "--option", "max_iter=5", "--option", "max_iter=6"}, "given twice");
  refused({path("theta"), "--solver", "cdsp"}, "csdp");
  refused({path("theta"), "--solver", "ceres"}, "lacks");
  refused({path("theta"), "--timeout", "soon"}, "duration");
  // Far too large for csdp: refused before memory is touched.
  write_text(path("huge"), "1\n1\n40000\n1\n1 1 1 1 1\n");
  refused({path("huge"), "--solver", "csdp"}, "memory_gb");
  // auto knows a solver that needs less; X_22 and on are not bounded, so it proves nothing and does not claim to.
  ended = run_command({"sdp", path("huge"), "--option", "max_iter=5"});
  CHECK(ended.status == 1);
  CHECK(field(ended, "solver") == "burer_monteiro");
  CHECK(field(ended, "termination") != "converged");
}

/// theta of the complement of a cycle of n: n (n - 3) / 2 edges, so n^2 / 2 constraints; theta = n / theta of the cycle.
std::string theta_of_cycle_complement(Index n) {
  SemidefiniteProgram program = alidade::testing::smallest_eigenvalue_program(-Matrix::Ones(n, n));
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 2; j < n; ++j)
      if (j - i != n - 1) program.constraints.push_back({"", {{0, i, j, 1}}, Relation::equal, 0});
  return to_sdpa(program);
}

TEST_CASE("auto takes admm for theta of many rows, says why, and csdp where admm does not finish" *
          alidade::testing::needs_csdp()) {
  constexpr Index kVertices = 47;
  const double theta = kVertices / alidade::testing::theta_of_odd_cycle(kVertices);
  const ScratchFolder folder;
  const auto file = (folder / "theta.dat-s").string();
  write_text(file, theta_of_cycle_complement(kVertices));
  Ended ended = run_well({"sdp", file});
  CHECK(field(ended, "solver") == "admm");
  CHECK(holds_all(field(ended, "choice"), {"1035 constraints", "47 rows", "trace"}));
  CHECK(std::abs(number(field(ended, "primal")) - theta) < 1e-5);
  CHECK(number(field(ended, "at most")) >= theta - 1e-9);

  ended = run_command({"sdp", file, "--option", "max_iter=3"});
  CAPTURE(ended.out);
  CHECK(field(ended, "solver") == "csdp");
  CHECK(field(ended, "choice").find("admm ended with max_iter") != std::string::npos);
  CHECK(std::abs(number(field(ended, "primal")) - theta) < 1e-5);
  CHECK(number(field(ended, "iterations")) > 3);

  // Options of csdp alone, and programs of few rows, are csdp's.
  ended = run_command({"sdp", file, "--option", "warm_shift=0.1"});
  CAPTURE(ended.out);
  CHECK(field(ended, "solver") == "csdp");
  CHECK(field(ended, "choice").find("'warm_shift' is no option of admm") != std::string::npos);

  // csdp's Schur matrix of 1035 rows takes 8.6 MB.
  ended = run_well({"sdp", file, "--option", "memory_gb=0.005"});
  CHECK(field(ended, "solver") == "admm");
  CHECK(field(ended, "choice").find("csdp would need 0.0") == 0);
}

/// theta of a random graph: `edges` of the pairs of n vertices.
std::string theta_of_random_graph(Index n, Index edges) {
  Rng rng(5);
  SemidefiniteProgram program = alidade::testing::smallest_eigenvalue_program(-Matrix::Ones(n, n));
  std::vector<std::pair<Index, Index>> pairs;
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j) pairs.emplace_back(i, j);
  for (std::size_t k = 0; k < subscript(edges); ++k) {
    std::swap(pairs[k], pairs[k + static_cast<std::size_t>(rng.below(pairs.size() - k))]);
    program.constraints.push_back({"", {{0, pairs[k].first, pairs[k].second, 1}}, Relation::equal, 0});
  }
  return to_sdpa(program);
}

TEST_CASE("auto takes a low-rank factor for theta of a sparse graph and for equipartition, and others where it stops" *
          alidade::testing::needs_csdp()) {
  const ScratchFolder folder;
  const auto file = (folder / "program.dat-s").string();
  write_text(file, theta_of_random_graph(100, 1010));
  Ended ended = run_well({"sdp", file});
  CHECK(field(ended, "solver") == "burer_monteiro");
  CHECK(holds_all(field(ended, "choice"), {"1011 constraints", "100 rows", "trace", "few entries"}));
  const double theta = number(field(ended, "primal"));
  CHECK(std::abs(number(field(ended, "at most")) - theta) < 1e-5 * theta);

  ended = run_well({"sdp", file, "--option", "max_iter=1"});
  CHECK(field(ended, "solver") == "admm");
  CHECK(field(ended, "choice").find("burer_monteiro ended with max_iter") != std::string::npos);
  CHECK(number(field(ended, "primal")) == doctest::Approx(theta).epsilon(1e-5));

  write_text(file, to_sdpa(alidade::testing::equipartition(110, 6, 3)));
  ended = run_well({"sdp", file});
  CHECK(field(ended, "solver") == "burer_monteiro");
  CHECK(field(ended, "choice").find("no feasible X is positive definite") != std::string::npos);

  // Where csdp's memory does not suffice, and few entries of X count.
  ended = run_well({"sdp", file, "--option", "memory_gb=0.0005"});
  CHECK(field(ended, "solver") == "burer_monteiro");
  CHECK(field(ended, "choice").find("csdp would need 0.0") == 0);
}

TEST_CASE("CSDP's own parameter file in the folder is not read, and CSDP prints nothing") {
  const ScratchFolder folder{{"theta", to_sdpa(theta_of_cycle(5))},
                             {"param.csdp", "axtol=1\natytol=1\nobjtol=1\nmaxiter=1\nprintlevel=3\n"}};
  const Ended ended = run_well("sdp theta", folder);
  CHECK(lines_of(ended.out).size() == 12);
  CHECK(ended.out.starts_with("program "));
  CHECK(ended.out.find("Iter") == std::string::npos);
}

TEST_CASE("sdp starts from a solution that it wrote, and refuses what is none") {
  const ScratchFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  write_text(path("theta"), to_sdpa(theta_of_cycle(7)));
  for (const char* solver : {"csdp", "admm"}) {
    if (!available(solver)) continue;
    CAPTURE(solver);
    const Ended first = run_command({"sdp", path("theta"), "--solver", solver, "-o", path("theta.sol")});
    const Ended again = run_well({"sdp", path("theta"), "--solver", solver, "--start", path("theta.sol")});
    CHECK(number(field(again, "iterations")) < number(field(first, "iterations")));
    CHECK(number(field(again, "primal")) == doctest::Approx(number(field(first, "primal"))).epsilon(1e-6));
  }
  write_text(path("other"), to_sdpa(theta_of_cycle(5)));
  write_text(path("ray"), "* ray: y proves that the program is infeasible\n0 0 0 0 0 0 0 0\n");
  for (const auto& [program, start] : {std::pair{"other", "theta.sol"}, {"theta", "ray"}, {"theta", "nowhere"}}) {
    const Ended refused = run_command({"sdp", path(program), "--start", path(start)});
    CHECK(refused.status == 2);
    CHECK(refused.err.find(start) != std::string::npos);
  }
}

TEST_CASE("a time limit ends a solve with status 1") {
  const ScratchFolder folder;
  const auto file = (folder / "theta").string();
  write_text(file, to_sdpa(theta_of_cycle(5)));
  const Ended ended = run_command({"sdp", file, "--timeout", "1e-9s"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(field(ended, "termination") == "time_limit");
}

}  // namespace

TEST_SUITE("statistical") {
  // Where CSDP gives up on these is a matter of rounding.
  TEST_CASE("what CSDP calls optimal is not, where errors or the proven gap miss the tolerance: status 1") {
    ALIDADE_NEEDS_DATA();
    const std::string folder = alidade::testing::public_data();
    for (const char* name : {"hinf4", "hinf9", "hinf12", "qap6", "qap7"}) {
      const auto file = std::filesystem::path(folder) / "sdplib" / (std::string(name) + ".dat-s");
      if (!std::filesystem::exists(file)) continue;
      const Ended ended = run_command({"sdp", file.string()});
      CAPTURE(ended.out);
      CHECK(ended.status == 1);
      // The largest error is 4e-7 to 1e-5 with kernels of AVX-512, AVX2 and SSE2, and 1e-8 is asked for.
      CHECK(field(ended, "termination") == "reduced_accuracy");
      // With kernels of AVX2 CSDP itself says of hinf9 that it is not optimal.
      const std::string message = field(ended, "message");
      CHECK((message.starts_with("CSDP reports convergence, but") || message.find("CSDP code 3") != message.npos));
    }
  }
}

TEST_SUITE("needs data") {
  TEST_CASE("small programs of SDPLIB reach their published optima") {
    if (!Csdp::missing().empty()) {
      MESSAGE("skipped: built without CSDP");
      return;
    }
    ALIDADE_NEEDS_DATA();
    const std::string folder = alidade::testing::public_data();
    for (const auto& file : datasets::data_catalog().at("sdplib").files) {
      // Those of a second or two.
      if (file.bytes > 30'000) continue;
      CAPTURE(file.about);
      const std::size_t at = file.about.find("optimum ");
      // hinf* are hardly feasible, and published to three digits.
      if (at == file.about.npos || file.path.starts_with("sdplib/hinf")) continue;
      const double optimum = number(file.about.substr(at + 8));
      const Ended ended = run_command({"sdp", (std::filesystem::path(folder) / file.path).string()});
      CAPTURE(ended.out);
      // truss7 is solved to 3e-8 and not to the 1e-8 asked for.
      const std::string termination = field(ended, "termination");
      CHECK((termination == "converged" || termination == "reduced_accuracy"));
      CHECK(number(field(ended, "primal")) == doctest::Approx(optimum).epsilon(1e-4));
    }
  }
}

}  // namespace sdp_command_test
