// How many starts a run takes, and that they differ.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/run/run.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/row_fields.hpp"

namespace starts_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

Experiment experiment(const std::string& method, const std::string& more = "") {
  return interpret(
      parse_config("name = \"x\"\n" + more + "[[dataset]]\nname = \"europe\"\n[[method]]\n" + method, "c.toml"));
}

ResultRow row_of(const Experiment& e, const Observations& observations) {
  return execute({e, plan(e).front(), observations, 0.0, 1, {}}).row;
}

/// Error-free answers about points of the plane.
Observations answers(Index n, std::uint64_t count, std::uint64_t seed) {
  Rng rng(seed);
  return observations_of(std::make_shared<TripletList>(triplets_of(gaussian_points(n, 2, rng), count, 0, rng)));
}

/// Symmetric, of no points.
Observations random_dissimilarities(Index n) {
  Rng rng(20261126);
  Matrix out = gaussian_points(n, n, rng).cwiseAbs();
  out = (out + out.transpose()).eval();
  out.diagonal().setZero();
  Observations data = of_dissimilarities(out);
  return data;
}

}  // namespace

TEST_CASE("a loss of triplets takes ten starts on small data, unless a solver or n_init is named") {
  const Observations small = answers(10, 200, 1);
  for (const char* problem : {"soe", "ste", "tste", "ckl", "gnmds", "ete", "ste_lapse"}) {
    CAPTURE(problem);
    const ResultRow row = row_of(experiment("problem = \"" + std::string(problem) + "\"\n"), small);
    CHECK(number_field(row, "solver.options.n_init") == 10);
    CHECK(number_field(row, "counts.starts") == 10);
  }
  const auto starts = [&](const Experiment& e, const Observations& data) {
    return number_field(row_of(e, data), "counts.starts").value();
  };
  CHECK(starts(experiment("problem = \"soe\"\nsolver = \"ceres\"\n"), small) == 1);
  CHECK(starts(experiment("problem = \"soe\"\nsolver = { name = \"ceres\", n_init = 3 }\n"), small) == 3);
  CHECK(starts(experiment("problem = \"soe\"\n", "[solver.ceres]\nn_init = 2\n"), small) == 2);
  CHECK(starts(experiment("problem = \"soe\"\nstarts = \"given\"\n"), small) == 1);
  CHECK(starts(experiment("problem = \"soe\"\nsolver = \"ceres\"\nstarts = \"by_size\"\n"), small) == 10);
  CHECK(starts(experiment("problem = \"soe\"\n", "[solver.ceres]\nmax_iter = 1\n"), answers(30, 12'501, 1)) == 1);
  CHECK(starts(experiment("problem = \"soe\"\n", "[solver.ceres]\nmax_iter = 1\n"), answers(30, 12'500, 1)) == 10);
  // The resolved configuration repeats the run.
  const Experiment e = experiment("problem = \"soe\"\n");
  const Experiment again = interpret(resolved_config(e));
  CHECK(starts(again, small) == 10);
  CHECK(plan(again).front().id == plan(e).front().id);
}

TEST_CASE("leaves_saddles is a key of a method: off, a run ends where its solver does") {
  const std::string method = "problem = \"soe\"\nsolver = \"gradient_descent\"\n";
  const Experiment on = experiment(method), off = experiment(method + "leaves_saddles = false\n");
  CHECK(plan(interpret(resolved_config(off))).front().id == plan(off).front().id);
  CHECK(plan(on).front().id != plan(off).front().id);
  CHECK(plan(experiment(method + "leaves_saddles = true\n")).front().id == plan(on).front().id);
  int left = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Observations data = answers(15, 200, seed);
    const auto went_on = [&](const Experiment& e) {
      return row_of(e, data).message.value_or("").find("went on from lower points") != std::string::npos;
    };
    left += went_on(on) ? 1 : 0;
    CHECK_FALSE(went_on(off));
  }
  CHECK(left > 0);
}

TEST_SUITE("statistical") {
  TEST_CASE("further starts from classical scaling or components are random, and never end higher") {
    // One data set: mds and local_mds end 2.2 % lower, sammon 0.8 %, cca at the same value. Margin of mds: a factor
    // 20.
    const Observations data = random_dissimilarities(20);
    for (const char* problem : {"mds", "sammon", "cca", "local_mds"}) {
      CAPTURE(problem);
      const auto objective = [&](const std::string& n_init) {
        const std::string name = problem;
        const std::string solver = name == "mds" || name == "sammon" ? "ceres" : "continuation";
        return number_field(row_of(experiment("problem = \"" + name + "\"\nsolver = { name = \"" + solver + "\", " +
                                              n_init + " }\n"),
                                   data),
                            "objective")
            .value();
      };
      const double one = objective("n_init = 1"), best = objective("n_init = 20");
      CHECK(best <= one);
      if (std::string(problem) == "mds") CHECK(best < 0.999 * one);
    }
  }

  TEST_CASE("soft ordinal embedding of 25 points without error satisfies its answers") {
    // With ten starts all ten seeds end at 0. One start ends at 3 % for about one such data set in ten.
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(seed);
      const ResultRow row = row_of(experiment("problem = \"soe\"\n"), answers(25, 1500, seed));
      CHECK(row.metric("train_error").value() < 0.01);
    }
  }
}

}  // namespace starts_test
