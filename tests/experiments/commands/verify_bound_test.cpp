// `alidade verify PROGRAM SOLUTION` as its users meet it: what `alidade sdp -o` wrote is proven, what is false is not.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "experiments/datasets/sets/catalog.hpp"
#include "problems/programs/sdpa_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/packed_files.hpp"
#include "tests/support/printed_fields.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/text_holds.hpp"

namespace verify_bound_test {

using namespace alidade;
using namespace alidade::testing;
using alidade::testing::field;
using alidade::testing::number;

namespace {

struct Desk {
  ScratchFolder folder;
  [[nodiscard]] std::string path(const char* name) const { return (folder / name).string(); }
  void write(const char* name, const std::string& text) const { write_text(folder / name, text); }
};

/// The largest X_12 + X_21 of trace 1: 1, by y = 1.
const std::string kProgram = "1\n1\n2\n1\n0 1 1 2 1\n1 1 1 1 1\n1 1 2 2 1\n";

TEST_CASE("what sdp writes is proven: the bound that it printed, to the last digit" * alidade::testing::needs_csdp()) {
  const Desk desk;
  desk.write("theta", to_sdpa(theta_of_cycle(5)));
  for (const char* solver : {"csdp", "auto"}) {
    const Ended solved = run_well({"sdp", desk.path("theta"), "-o", desk.path("theta.sol"), "--solver", solver});
    const Ended verified = run_quietly({"verify", desk.path("theta"), desk.path("theta.sol")});
    CHECK(field(verified, "at most") == field(solved, "at most"));
    CHECK(number(field(verified, "at most")) >= std::sqrt(5.0) - 1e-15);
    CHECK(number(field(verified, "at most")) <= std::sqrt(5.0) + 1e-6);
    CHECK(field(verified, "block 1").starts_with("5 x 5, positive semidefinite"));
    CHECK(number(field(verified, "primal").substr(0, 10)) == doctest::Approx(std::sqrt(5.0)).epsilon(1e-6));
  }
}

TEST_CASE("the multipliers of fixed_diagonal are proven, and CSDP's for the same program" *
          alidade::testing::needs_csdp()) {
  const Desk desk;
  desk.write("cut", to_sdpa(testing::cut_of_complete_graph(7)));
  for (const char* solver : {"fixed_diagonal", "csdp"}) {
    const Ended solved = run_well({"sdp", desk.path("cut"), "-o", desk.path("cut.sol"), "--solver", solver});
    const Ended verified = run_well({"verify", desk.path("cut"), desk.path("cut.sol")});
    CHECK(field(verified, "at most") == field(solved, "at most"));
    CHECK(number(field(verified, "at most")) >= number(field(solved, "primal")) - 1e-6);
  }
}

TEST_CASE("bounds have the file's sign, rounded outward; multipliers that prove less prove less") {
  const Desk desk;
  desk.write("program", kProgram);
  const auto verified = [&](const std::string& solution, int status) {
    desk.write("solution", solution);
    const Ended out = run_command({"verify", desk.path("program"), desk.path("solution")});
    CAPTURE(out.out);
    CAPTURE(out.err);
    CHECK(out.status == status);
    return out;
  };
  CHECK(field(verified("1\n", 0), "at most") == "1");  // singular: decided exactly
  CHECK(field(verified("1\n", 0), "block 1") == "2 x 2, positive semidefinite by exact elimination");
  CHECK(field(verified("2.5\n", 0), "at most") == "2.5");
  CHECK(field(verified("2.5\n", 0), "block 1") == "2 x 2, positive semidefinite by a Cholesky factor");
  const Ended low = verified("0.999999999\n", 0);  // infeasible by 1e-9
  CHECK(number(field(low, "at most")) >= 1);
  CHECK(number(field(low, "at most")) <= 1 + 1e-9);
  CHECK(holds_all(field(low, "block 1"), {"within 1", "e-09", "the trace of X by 1 pay"}));
  CHECK(number(field(verified("-7\n", 0), "at most")) >= 1);
  // Of X: feasible exactly, nearly, not.
  CHECK(field(verified("1\n2 1 1 1 .5\n2 1 1 2 .5\n2 1 2 2 .5\n", 0), "X") == "feasible, exactly");
  CHECK(field(verified("1\n2 1 1 1 .5\n2 1 1 2 .5\n2 1 2 2 .5\n", 0), "at least") == "1");
  const Ended near = verified("1\n2 1 1 1 .5\n2 1 1 2 .4\n2 1 2 2 .50000001\n", 0);
  CHECK(number(field(near, "at least")) == doctest::Approx(0.8).epsilon(1e-6));
  CHECK(number(field(near, "at least")) <= 0.8);
  CHECK(holds_all(field(near, "X"), {"a feasible point is within"}));
  CHECK(holds_all(field(verified("2\n2 1 1 1 .5\n2 1 1 2 .5\n2 1 2 2 .75\n", 0), "X"),
                  {"violates constraint 1 by 0.25", "is positive semidefinite"}));
  CHECK(holds_all(field(verified("2\n2 1 1 1 .5\n2 1 1 2 .5\n2 1 2 2 .75\n", 0), "primal"), {"1, which", "0.5"}));
  CHECK(field(verified("1\n", 0), "X") == "none in the file");

  // Without a bound of the trace, y = 0.999 proves nothing, and its value is not called a bound.
  desk.write("program", "1\n1\n2\n1\n0 1 1 2 1\n1 1 1 1 1\n1 1 2 2 1\n1 1 1 2 1e-9\n");
  CHECK(field(verified("1.1\n", 0), "at most") == "1.1");
  const Ended none = verified("0.999\n", 1);
  CHECK(field(none, "at most").empty());
  CHECK(holds_all(none.out, {"not proven   This y proves no bound.", "no constraint bounds the trace of X"}));
  CHECK(none.out.find("0.999") == std::string::npos);
}

TEST_CASE("diagonal blocks, gzip, and many blocks of one kind in one line") {
  const Desk desk;
  const std::string program = "2\n4\n1 1 1 -2\n1 1\n0 4 1 1 1\n1 1 1 1 1\n1 2 1 1 1\n1 3 1 1 1\n2 4 1 1 1\n2 4 2 2 1\n";
  desk.write("program", testing::gzip_of(program));
  desk.write("solution", "1 1\n");
  const Ended out = run_well({"verify", desk.path("program"), desk.path("solution")});
  CHECK(field(out, "at most") == "2");
  CHECK(field(out, "blocks 1-3") == "each 1 x 1, positive semidefinite by a Cholesky factor");
  CHECK(field(out, "block 4") == "2 numbers, all of them 0 or more, exactly");
  desk.write("solution", "1 -1\n");  // the wrong sign in the diagonal block
  const Ended wrong = run_well({"verify", desk.path("program"), desk.path("solution")});
  CHECK(number(field(wrong, "at most")) >= 2);
}

TEST_CASE("rays of infeasible programs are written, and proven") {
  const Desk desk;
  desk.write("infeasible", "1\n1\n2\n-1\n0 1 1 1 1\n1 1 1 1 1\n1 1 2 2 1\n");
  Ended solved = run_command({"sdp", desk.path("infeasible"), "-o", desk.path("ray")});
  CHECK(solved.status == 1);
  CHECK(field(solved, "termination") == "infeasible");
  CHECK(content_of(desk.folder.path() / "ray").starts_with("* ray: y proves that the program is infeasible\n"));
  Ended verified = run_well({"verify", desk.path("infeasible"), desk.path("ray")});
  CHECK(field(verified, "infeasible") == "proven: no X meets the constraints");
  // The same ray of a feasible program proves nothing.
  desk.write("feasible", kProgram);
  verified = run_command({"verify", desk.path("feasible"), desk.path("ray")});
  CHECK(verified.status == 1);
  CHECK(holds_all(verified.out, {"not proven   This y does not prove"}));
  // No y: the largest X_11 with X_12 = 1 only.
  desk.write("unbounded", "1\n1\n2\n1\n0 1 1 1 1\n1 1 1 2 1\n");
  desk.write("ray", "* ray: X shows that no y proves a bound\n0\n2 1 1 1 1\n");
  verified = run_well({"verify", desk.path("unbounded"), desk.path("ray")});
  CHECK(holds_all(field(verified, "unbounded"), {"proven: no y gives a bound"}));
  desk.write("ray", "* ray: X shows that no y proves a bound\n0\n2 1 1 1 1\n2 1 1 2 1e-9\n2 1 2 2 1\n");
  verified = run_command({"verify", desk.path("unbounded"), desk.path("ray")});
  CHECK(verified.status == 0);  // one that does is near
  desk.write("ray", "* ray: X shows that no y proves a bound\n0\n2 1 1 1 1\n2 1 1 2 1e-9\n");
  verified = run_command({"verify", desk.path("unbounded"), desk.path("ray")});
  CHECK(verified.status == 1);
}

TEST_CASE("bad input has status 2 and one line; a folder needs no solution") {
  const Desk desk;
  desk.write("program", kProgram);
  desk.write("solution", "1\n");
  desk.write("broken", "1 2\n");
  desk.write("broken program", "1\n1\n2\n1\n0 1 1 3 1\n");
  const auto refused = [&](std::vector<std::string> arguments, std::initializer_list<std::string_view> parts) {
    arguments.insert(arguments.begin(), "verify");
    const Ended out = run_command(arguments);
    CAPTURE(out.err);
    CHECK(out.status == 2);
    CHECK(out.out.empty());
    CHECK(lines_of(out.err).size() == 1);
    CHECK(holds_all(out.err, parts));
  };
  refused({desk.path("program"), desk.path("broken")},
          {"broken:1: '2' follows y", "Give the solution of this program"});
  refused({desk.path("broken program"), desk.path("solution")}, {"broken program:5: block 1 has rows"});
  refused({desk.path("program"), desk.path("absent")}, {"absent", "cannot be read"});
  refused({desk.path("program")}, {"is a file, not a results folder", "alidade verify", "SOLUTION"});
  refused({desk.folder.path().string(), "--exact"}, {"--exact", "FILE SOLUTION"});
  refused({desk.path("program"), desk.path("solution"), "--max-size", "3B"}, {"--max-size"});
}

TEST_CASE("a solution that cannot be written is refused before the solve") {
  const Desk desk;
  // A solve of it would refuse for want of memory: what is said first was looked at first.
  desk.write("huge", "1\n1\n40000\n1\n1 1 1 1 1\n");
  for (const std::string& out : {desk.path("no folder") + "/x.sol", desk.folder.path().string()}) {
    const Ended ended = run_command({"sdp", desk.path("huge"), "-s", "csdp", "-o", out});
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(holds_all(ended.err, {"Cannot write " + out}));
  }
  // The check leaves nothing, and an old solution stays if the solve fails.
  desk.write("old.sol", "old");
  const Ended ended = run_command({"sdp", desk.path("huge"), "-s", "csdp", "-o", desk.path("old.sol")});
  CHECK(ended.status == 2);
  CHECK(content_of(desk.folder.path() / "old.sol") == "old");
  CHECK_FALSE(std::filesystem::exists(desk.path("old.sol.part")));
}

}  // namespace

TEST_SUITE("heavy") {
  TEST_CASE("the bounds of SDPLIB's smaller programs are proven, and no better than the published optima") {
    ALIDADE_NEEDS_DATA();
    const std::string data = alidade::testing::public_data();
    const Desk desk;
    int proven = 0;
    for (const auto& file : datasets::data_catalog().at("sdplib").files) {
      const std::string program = (std::filesystem::path(data) / file.path).string();
      const std::string name = std::filesystem::path(file.path).stem().string();
      // Those of a second or two.
      if (file.bytes > 100'000 || name.starts_with("max") || name.starts_with("qpG") || name.starts_with("mcp500") ||
          !file.path.ends_with(".dat-s") || !std::filesystem::exists(program))
        continue;
      CAPTURE(name);
      std::filesystem::remove(desk.path("solution"));
      const Ended solved = run_command({"sdp", program, "-o", desk.path("solution")});
      REQUIRE(std::filesystem::exists(desk.path("solution")));
      const Ended verified = run_command({"verify", program, desk.path("solution")});
      CAPTURE(solved.out);
      CAPTURE(verified.out);
      const bool claimed = field(solved, "proof").find("rounding included") != std::string::npos;
      CHECK(verified.status == (claimed ? 0 : 1));
      if (!claimed) continue;
      ++proven;
      CHECK(field(verified, "at most") == field(solved, "at most"));
      const std::size_t at = file.about.find("optimum ");
      if (at == file.about.npos || name.starts_with("hinf")) continue;  // published to three digits
      const double optimum = number(file.about.substr(at + 8));
      CHECK(number(field(verified, "at most")) >= optimum - 2e-4 * (1 + std::abs(optimum)));  // its digits
    }
    CHECK(proven >= 30);
  }
}

}  // namespace verify_bound_test
