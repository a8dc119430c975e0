#include "experiments/results/row_warnings.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/files/json.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/run.hpp"
#include "experiments/statistics/proportion.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/row_fields.hpp"
#include "tests/support/text_holds.hpp"

namespace row_warnings_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

using Warnings = std::vector<RowWarning>;

/// A row with this error on so many held-out triplets.
ResultRow row_with(double error, int triplets) {
  const statistics::Interval interval = statistics::wilson_interval(error, triplets);
  return row_of(*parse_json(fmt::format(
                                R"({{"heldout":{{"error":{},"low":{},"high":{},"unit":"triplets","independent":{},
                              "effective":{},"more_to_halve":1234}}}})",
                                error, interval.low, interval.high, triplets, triplets),
                            "test")
                     .get_if<ValueTable>());
}

RunResult run(const Observations& data, const std::string& more = "") {
  const Experiment e =
      interpret(parse_config("name = \"x\"\n[[dataset]]\nname = \"europe\"\n[[method]]\nproblem = "
                             "\"ste\"\nsolver = \"ceres\"\n" +
                                 more,
                             "c.toml"));
  return execute({e, plan(e).front(), data, 0.0, 1, {}});
}

}  // namespace

TEST_CASE("warnings follow the interval of the held-out error") {
  CHECK(warnings_of_error(row_with(0.2, 2000), false).empty());
  CHECK(warnings_of_error(row_with(0.499, 2000), false) == Warnings{RowWarning::chance});
  CHECK(warnings_of_error(row_with(0.465, 50'000), false) == Warnings{RowWarning::near_chance});
  CHECK(warnings_of_error(row_with(0.44, 50'000), false).empty());
  CHECK(warnings_of_error(row_with(0.54, 50'000), true) == Warnings{RowWarning::swapped});
  ResultRow not_fitted = row_with(0.54, 50'000);
  not_fitted.metrics.emplace_back("train_error", 0.52);
  CHECK(warnings_of_error(not_fitted, true) == Warnings{RowWarning::chance});
  // All ties, as of a collapsed map: wrong, but not the wrong way round.
  CHECK(warnings_of_error(row_with(1, 50'000), false) == Warnings{RowWarning::chance});
  CHECK(warnings_of_error(row_with(0.5, 12), false) == Warnings{RowWarning::chance, RowWarning::few_answers});
  CHECK(warnings_of_error(row_with(0, 80), false) == Warnings{RowWarning::few_answers});
}

TEST_CASE("if nothing is held out warnings follow the other errors") {
  const auto row = [](const char* metrics) {
    return row_of(
        *parse_json(std::string(R"({"heldout":null,"metrics":)") + metrics + "}", "test").get_if<ValueTable>());
  };
  CHECK(warnings_of_error(row(R"({"train_error":0.2})"), false).empty());
  CHECK(warnings_of_error(row(R"({"train_error":0.49})"), false) == Warnings{RowWarning::near_chance});
  CHECK(warnings_of_error(row(R"({"train_error":0.2,"preservation_hidden":0.503})"), false) ==
        Warnings{RowWarning::near_chance});
  CHECK(warnings_of_error(row(R"({"trustworthiness":0.4})"), false).empty());
}

TEST_CASE("every warning has a name, a phrase and a sentence, and reads back") {
  Warnings all;
  for (int k = 0; k <= static_cast<int>(RowWarning::time_limit); ++k) all.push_back(static_cast<RowWarning>(k));
  ResultRow row = row_with(0.5, 12);
  row.warnings = warning_names(all);
  CHECK(warnings_of(row) == all);
  for (const RowWarning warning : all) {
    CHECK(warning_phrase(warning) != "?");
    CHECK(warning_text(warning, row).ends_with("."));
  }
  Row later;
  later.set("warnings", ValueArray{"chance", "of a later version", 3});
  CHECK(warnings_of(later) == Warnings{RowWarning::chance});
  CHECK(warnings_of(Row{}).empty());
  later.set("termination", "time_limit");
  CHECK(warnings_of(later) == Warnings{RowWarning::chance, RowWarning::time_limit});
}

TEST_CASE("a random map has the trustworthiness that is expected of it, and its row says so") {
  Rng rng(20261127);
  Executor executor;
  for (const Index n : {6, 12, 30, 100, 400}) {
    CAPTURE(n);
    const int repeats = n < 400 ? 40 : 5;
    double sum = 0;
    int warned = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const FeatureMatrix features = gaussian_points(n, 3, rng).cast<float>();
      const Matrix map = gaussian_points(n, 2, rng);
      ResultRow row;
      row.n = n;
      const double value = metrics::neighbor_preservation(map, features, metrics::kTrustedNeighbors).trustworthiness;
      row.metrics.emplace_back("trustworthiness", value);
      sum += value;
      const Warnings warnings = warnings_of_neighbors(row);
      if (warnings.empty()) continue;
      ++warned;
      CHECK(holds(warning_text(warnings.front(), row), "better than on a random map: trustworthiness is"));
      row.metrics.front().second =
          metrics::neighbor_preservation(features.leftCols(2).cast<double>(), features, metrics::kTrustedNeighbors)
              .trustworthiness;
      if (n >= 30) CHECK(warnings_of_neighbors(row).empty());
    }
    const auto [mean, deviation] = metrics::random_trustworthiness(n, metrics::kTrustedNeighbors);
    CHECK(std::abs(sum / repeats - mean) < 6 * deviation / std::sqrt(repeats));
    CHECK(warned >= 0.85 * repeats);
  }
}

TEST_CASE("no error on 80 triplets is not reported as certain") {
  const ResultRow row = row_with(0, 80);
  CHECK(heldout_text(row) == "0.000 (95 % interval 0.000 to 0.046)");
  CHECK(holds(warning_text(RowWarning::few_answers, row), "About 1200 more answers would halve"));
  CHECK(heldout_text(row_with(0.16, 50'000)) == "0.1600 (95 % interval 0.1568 to 0.1632)");
  CHECK(heldout_text(ResultRow{}).empty());
}

TEST_CASE("an objective a little below its bound is not called proven without the violations that it owes it to") {
  const auto said = [](const char* objective) {
    return proof_text(row_of(*parse_json(fmt::format(R"({{"objective":{},"certificate":{{"lower_bound":-0.06482499}},
                                                         "problem":{{"name":"psde"}},
                                                         "violations":{{"count":17,"max":8.5e-9,"sum":4e-8}}}})",
                                                     objective),
                                         "test")
                                  .get_if<ValueTable>()));
  };
  CHECK(holds(said("-0.06482489"),
              "that psde allows has an objective below -0.06482499 for these data; this solution has -0.06482489."));
  const std::string below = said("-0.0648249902");
  CHECK(holds_all(below, {"that psde allows and that meets all constraints has",
                          "below -0.06482499 for these data. This solution has -0.0648249902",
                          "violates constraints by up to 8.5e-09"}));
  CHECK(proof_text(ResultRow{}).empty());
}

namespace {

/// Answers about points of the plane, of which this share is wrong.
Observations answers(std::uint64_t count, double wrong) {
  Rng rng(20261123);
  return observations_of(std::make_shared<TripletList>(triplets_of(gaussian_points(30, 2, rng), count, wrong, rng)));
}

}  // namespace

TEST_CASE("a row has the warnings of its error's interval") {
  const ResultRow guessed = run(answers(4000, 0.5)).row;
  CHECK(text_field(guessed, "status") == "ok");
  const Warnings warnings = warnings_of(guessed);
  if (*number_field(guessed, "heldout.low") <= 0.5)  // of others, whether they are reversed is a matter of the map
    for (const RowWarning warning : warnings_of_error(guessed, false))
      CHECK(std::ranges::find(warnings, warning) != warnings.end());
  // With few answers a map fits guesses, and nothing is left to judge it by.
  CHECK(is_null_field(run(answers(150, 0.5), "[split]\nholdout = 0.0\n").row, "heldout"));
  const ResultRow good = run(answers(4000, 0.1)).row;
  REQUIRE(good.warnings.has_value());
  CHECK(good.warnings->empty());
}

TEST_SUITE("statistical") {
  // One interval in twenty leaves 0.5 out.
  TEST_CASE("a row of guessed answers warns that the map is no better than guessing") {
    // 0.479 with the interval 0.444 to 0.513, with kernels of AVX-512, AVX2 and SSE2 alike.
    CHECK(warnings_of(run(answers(4000, 0.5)).row) == Warnings{RowWarning::chance});
  }
}

}  // namespace row_warnings_test
