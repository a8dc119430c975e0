// A map may be fitted to all triplets once its error was measured on some.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/files/json.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/run.hpp"
#include "problems/core/run_clock.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/row_fields.hpp"
#include "tests/support/text_holds.hpp"

namespace refit_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

Observations answers(Index count = 1000) {
  Rng rng(20261123);
  return observations_of(std::make_shared<TripletList>(triplets_of(gaussian_points(25, 2, rng), count, 0.1, rng)));
}

Experiment experiment(const std::string& split, const std::string& method = "problem = \"ste\"\nsolver = \"ceres\"\n",
                      const std::string& head = "") {
  return interpret(parse_config("name = \"x\"\nseed = 3\n" + head + "[split]\n" + split +
                                    "\n[[dataset]]\nname = \"europe\"\n[[method]]\n" + method,
                                "c.toml"));
}

RunResult run(const Experiment& e, int threads = 1, std::stop_token stop = {}) {
  const Observations data = answers();
  return execute({e, plan(e).front(), data, 0.0, threads, std::move(stop)});
}

ValueTable without(ValueTable row, std::vector<std::string> fields) {
  for (const std::string& field : fields) CHECK(row.erase(field));
  return row;
}

}  // namespace

TEST_CASE("a refitted map is that of a run without holdout, and its error that of a run with it") {
  const RunResult refitted = run(experiment("refit = true")), measured = run(experiment("")),
                  whole = run(experiment("holdout = 0.0"));
  CHECK((refitted.embedding.only() == whole.embedding.only()));
  CHECK_FALSE((refitted.embedding.only() == measured.embedding.only()));
  const std::vector<std::string> other = {"run_id", "seconds", "memory_mb", "refit"};
  CHECK(to_json(without(to_table(refitted.row), other)) == to_json(without(to_table(measured.row), other)));
  CHECK(is_null_field(measured.row, "refit"));
  const ValueTable refit = to_table(*refitted.row.refit);
  CHECK(refit.keys() == std::vector<std::string>{"written", "triplets", "termination", "message", "objective",
                                                 "train_error", "iterations"});
  CHECK(*refit.find("written") == Value(true));
  CHECK(number_field(refitted.row, "refit.triplets") == 1000);
  CHECK(number_field(refitted.row, "triplets") == 800);
  CHECK(*number_field(refitted.row, "refit.objective") == *number_field(whole.row, "objective"));
  CHECK(*number_field(refitted.row, "refit.train_error") == *number_field(whole.row, "metrics.train_error"));
  CHECK(number_field(refitted.row, "seconds.refit") > 0);
}

TEST_CASE("the refit to more than a million triplets begins at the measured map") {
  const Experiment e = experiment("refit = true");
  const auto share_of_iterations = [&](Index triplets) {
    const Observations data = answers(triplets);
    const RunResult result = execute({e, plan(e).front(), data, 0.0, 1, {}});
    return *number_field(result.row, "refit.iterations") / *number_field(result.row, "counts.iterations");
  };
  CHECK(share_of_iterations(1'000'000) > 0.8);
  CHECK(share_of_iterations(1'000'001) < 0.6);
}

TEST_CASE("a fit to more than a million triplets begins at a map of some of them, of the same bits on two threads") {
  const Experiment e = experiment("holdout = 0.0");
  const auto fit = [&](Index triplets, int threads) {
    const Observations data = answers(triplets);
    return execute({e, plan(e).front(), data, 0.0, threads, {}});
  };
  const RunResult one = fit(1'200'000, 1), two = fit(1'200'000, 2), fewer = fit(1'000'000, 1);
  CHECK(holds_all(*one.row.message, {"It started from a map of 150000 of the 1200000 triplets."}));
  CHECK((one.embedding.only() == two.embedding.only()));
  const auto error = [](const RunResult& result) { return *number_field(result.row, "metrics.train_error"); };
  CHECK(std::abs(error(one) - error(fewer)) < 0.002);
  CHECK(holds_none(*fewer.row.message, {"started"}));
}

TEST_CASE("a fit to the answers about many objects takes sums in single precision, unless asked for more") {
  Rng rng(1);
  const Observations data =
      observations_of(std::make_shared<TripletList>(triplets_of(gaussian_points(50'001, 2, rng), 120'000, 0.1, rng)));
  const auto message = [&](const std::string& tolerance) {
    const Experiment e =
        experiment("holdout = 0.0",
                   "problem = \"ste\"\nsolver = { name = \"ceres\", max_iter = 2, tolerance = " + tolerance + " }\n");
    return *execute({e, plan(e).front(), data, 0.0, 1, {}}).row.message;
  };
  CHECK(holds_all(message("1e-5"), {"single precision"}));
  CHECK(holds_none(message("1e-6"), {"single precision"}));
}

TEST_CASE("a refit keeps the choices made before measuring") {
  const std::string chooser = "problem = \"ste\"\nsolver = \"ceres\"\nchoose = { problem.n_components = [1, 2, 3] }\n";
  const RunResult refitted = run(experiment("refit = true", chooser));
  CHECK(to_json(refitted.row.chosen) == to_json(run(experiment("", chooser)).row.chosen));
  CHECK(text_field(refitted.row, "refit.written") == "true");
  CHECK(refitted.embedding.only().cols() == number_field(refitted.row, "chosen.problem.n_components"));
}

TEST_CASE("a bootstrap of a refitted map draws from all answers") {
  const RunResult result = run(experiment("refit = true\n[uncertainty]\nbootstrap = 3"));
  CHECK(number_field(result.row, "uncertainty.units") == 1000);
  CHECK(number_field(result.row, "uncertainty.replicates") == 3);
  CHECK(number_field(run(experiment("[uncertainty]\nbootstrap = 3")).row, "uncertainty.units") == 800);
}

TEST_CASE("a refit that runs out of time keeps the measured map, and the row says so") {
  // The clock moves when it is looked at: a hundred looks are for the first solve, about as many for the refit.
  const RunClock::ByHand clock(std::chrono::milliseconds(1));
  const RunResult result = run(
      experiment("refit = true", "problem = \"ste\"\nsolver = { name = \"riemannian_sgd\", max_iter = 100000000 }\n",
                 "timeout = \"0.2s\"\n"));
  CHECK(text_field(result.row, "status") == "ok");
  CHECK(text_field(result.row, "termination") == "time_limit");
  CHECK(text_field(result.row, "refit.written") == "false");
  CHECK(text_field(result.row, "refit.termination") == "time_limit");
  REQUIRE(result.embedding.maps.size() == 1);
  CHECK(metrics::triplet_error(result.embedding, *result.observations.triplets) ==
        *number_field(result.row, "metrics.train_error"));
  const std::string notes = join(*result.row.notes, " ");
  CHECK(notes.find("fitted to the training set") != std::string::npos);
}

TEST_CASE("an interrupted run is not refitted, and threads do not change a refitted map") {
  std::stop_source stop;
  stop.request_stop();
  CHECK(text_field(run(experiment("refit = true"), 1, stop.get_token()).row, "status") == "cancelled");
  CHECK((run(experiment("refit = true"), 1).embedding.only() == run(experiment("refit = true"), 2).embedding.only()));
}

TEST_CASE("refit is off by default and part of a run's id") {
  const auto id = [](const std::string& split) { return plan(experiment(split)).front().id; };
  CHECK(id("") == id("refit = false"));
  CHECK(id("") != id("refit = true"));
  CHECK(interpret(resolved_config(experiment("refit = true"))).split.refit);
}

}  // namespace refit_test
