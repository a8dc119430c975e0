// Runs of which objects are hidden from aspects: what is learnt from, what judges, and that no choice sees what is
// hidden.

#include <doctest/doctest.h>

#include <algorithm>

#include "experiments/config/config_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/run.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/aspects.hpp"
#include "tests/support/row_fields.hpp"

namespace hidden_objects_test {

using namespace alidade;

namespace {

constexpr std::uint64_t kSeed = 20240611;

/// 40 objects of two groups; five attributes say the group, each wrongly for some objects.
Observations groups() {
  Rng rng(kSeed);
  Observations out;
  out.name = "groups";
  std::vector<AttributeTable::Aspect> aspects;
  for (int t = 0; t < 5; ++t) {
    AttributeTable::Aspect aspect{"a" + std::to_string(t), {}, {"left", "right"}};
    for (int i = 0; i < 40; ++i) aspect.codes.push_back((i % 2) ^ (rng.uniform01() < 0.1 ? 1 : 0));
    out.aspects.push_back(aspect.name);
    aspects.push_back(std::move(aspect));
  }
  for (int i = 0; i < 40; ++i) out.objects.push_back(std::to_string(i));
  out.attributes = std::make_shared<AttributeTable>(40, std::move(aspects));
  out.triplets = out.attributes;
  return out;
}

Experiment experiment(const std::string& method, const std::string& dataset = "name = \"elements\"\n") {
  return interpret(
      parse_config("name = \"x\"\nseed = 4\n[evaluate]\nmetrics = [\"preservation_overall\", "
                   "\"preservation_hidden\", \"heldout_error\"]\n[[dataset]]\n" +
                       dataset + "[[method]]\n" + method,
                   "c.toml"));
}

/// The experiment, in which each aspect is learnt from this fraction of the objects.
Experiment observing(Experiment e, double observed_fraction) {
  for (DatasetSetup& dataset : e.datasets) dataset.options.set("observed_fraction", observed_fraction);
  return e;
}

RunResult run(const Experiment& e, const Observations& data) { return execute({e, plan(e).front(), data, 0.0, 1, {}}); }

const char* const kChosen =
    "problem = \"common_space\"\nsolver = { name = \"ceres\", max_iter = 60 }\n"
    "choose = { problem.lambda = [0.003, 0.03, 0.3] }\n";

}  // namespace

TEST_CASE("exactly the triplets of hidden objects are held out, and the training set is a table") {
  const Observations data = groups();
  const RunResult result = run(observing(experiment("problem = \"common_space\"\n"), 0.5), data);
  REQUIRE(text_field(result.row, "status") == "ok");
  REQUIRE(whole_table(result.observations) != nullptr);
  for (const AttributeTable::Aspect& aspect : result.observations.attributes->aspects())
    CHECK(std::ranges::count(aspect.codes, AttributeTable::kMissing) == 20);
  CHECK(*number_field(result.row, "triplets") + *number_field(result.row, "heldout_triplets") ==
        static_cast<double>(data.triplets->size()));
  CHECK(*number_field(result.row, "triplets") == static_cast<double>(result.observations.triplets->size()));
  CHECK(is_null_field(result.row, "metrics.heldout_error"));
  // 0.785 with kernels of AVX-512, AVX2 and SSE2.
  CHECK(*number_field(result.row, "metrics.preservation_hidden") > 0.5);
}

TEST_SUITE("statistical") {
  TEST_CASE("hidden objects are placed by what other aspects say, since groups are shared by all") {
    const RunResult result = run(observing(experiment("problem = \"common_space\"\n"), 0.5), groups());
    // 0.785 with kernels of AVX-512, AVX2 and SSE2; guessing has 0.5.
    CHECK(*number_field(result.row, "metrics.preservation_hidden") > 0.7);
  }
}

TEST_CASE("all methods of a repeat see the same objects, other repeats others") {
  const Observations data = groups();
  const Experiment e = observing(interpret(parse_config("name = \"x\"\nrepeats = 2\n[[dataset]]\nname = "
                                                        "\"elements\"\n[[method]]\nproblem = \"common_space\"\n"
                                                        "[[method]]\nproblem = \"score\"\n",
                                                        "c.toml")),
                                 0.5);
  std::vector<std::vector<std::int32_t>> codes;
  for (const PlannedRun& planned : plan(e))
    codes.push_back(execute({e, planned, data, 0.0, 1, {}}).observations.attributes->aspects().front().codes);
  REQUIRE(codes.size() == 4);
  CHECK(codes[0] == codes[1]);
  CHECK(codes[2] == codes[3]);
  CHECK(codes[0] != codes[2]);
}

TEST_CASE("choices are validated on further hidden objects, never on those that the run hides") {
  const Observations data = groups();
  const Experiment e = observing(experiment(kChosen), 0.6);
  const RunResult one = run(e, data);
  REQUIRE(text_field(one.row, "status") == "ok");
  const ValueTable& chosen = *one.row.chosen.get_if<ValueTable>();
  CHECK(*number_field(chosen, "holdouts") == 5);
  CHECK(*number_field(chosen, "validation_triplets") > 0);
  double lowest = 1;
  for (const Value& candidate : *chosen.find("candidates")->get_if<ValueArray>())
    lowest = std::min(lowest, *number_field(*candidate.get_if<ValueTable>(), "validation_error"));
  CHECK(*number_field(chosen, "validation_error") == lowest);

  // The hidden values turned round: nothing before the last measurement may differ.
  std::vector<AttributeTable::Aspect> turned = data.attributes->aspects();
  for (std::size_t t = 0; t < turned.size(); ++t)
    for (std::size_t i = 0; i < 40; ++i)
      if (one.observations.attributes->aspects()[t].codes[i] == AttributeTable::kMissing)
        turned[t].codes[i] = 1 - turned[t].codes[i];
  Observations other = data;
  other.attributes = std::make_shared<AttributeTable>(40, std::move(turned));
  other.triplets = other.attributes;
  const RunResult two = run(e, other);
  CHECK(to_json(two.row.chosen) == to_json(chosen));
  for (std::size_t t = 0; t < 5; ++t) CHECK(two.embedding.maps[t].coordinates == one.embedding.maps[t].coordinates);
  // 0.543 and 0.794 with kernels of AVX-512, AVX2 and SSE2: a margin of 0.05.
  CHECK(*number_field(two.row, "metrics.preservation_hidden") <
        *number_field(one.row, "metrics.preservation_hidden") - 0.2);
}

TEST_CASE("folds of triplets and hidden objects exclude each other; fractions have bounds") {
  const std::string hiding = "name = \"elements\"\nobserved_fraction = 0.5\n";
  CHECK_NOTHROW(static_cast<void>(experiment("problem = \"score\"\n", hiding)));
  CHECK_THROWS_AS(static_cast<void>(experiment("problem = \"score\"\n[split]\nfolds = 3\n", hiding)), ConfigError);
  for (const char* wrong :
       {"observed_fraction = 0.0\n", "observed_fraction = 1.5\n", "observed_by = \"row\"\n", "n_aspects = -1\n"})
    CHECK_THROWS_AS(
        static_cast<void>(experiment("problem = \"score\"\n", std::string("name = \"elements\"\n") + wrong)),
        ConfigError);
}

}  // namespace hidden_objects_test
