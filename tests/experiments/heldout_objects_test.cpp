// Runs that hold objects out: what is trained on says nothing of them.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "experiments/config.hpp"
#include "experiments/datasets/catalog.hpp"
#include "experiments/rows.hpp"
#include "experiments/run.hpp"
#include "problems/core/error.hpp"

using namespace alidade;

namespace {

Experiment experiment(const std::string& split) {
  return interpret(
      parse_config("name = \"x\"\nseed = 4\nrepeats = 2\n[evaluate]\nmetrics = [\"train_error\", "
                   "\"sign_violations\"]\n[[dataset]]\nname = \"sphere\"\n"
                   "[[method]]\nproblem = \"ste\"\nsolver = { name = \"ceres\", max_iter = 5 }\n" +
                       split,
                   "c.toml"));
}

Observations sphere() {
  Table options;
  options.set("n", 40);
  options.set("triplets_per_object", 30);
  options.set("similarity", "pose");
  options.set("k", 3);
  return datasets::dataset_catalog().at("sphere").load(options, {});
}

}  // namespace

TEST_CASE("a run that holds objects out learns and draws the others alone") {
  const Observations data = sphere();
  const Experiment e = experiment("[split]\nobjects = 0.25\nholdout = 0.0\n");
  const RunResult result = execute({e, plan(e).front(), data, 0.0, 1, {}});
  REQUIRE(text_field(result.row, "status") == "ok");
  CHECK(*number_field(result.row, "heldout_objects") == 10);
  CHECK(*number_field(result.row, "n") == 30);
  CHECK(result.embedding.only().rows() == 30);
  CHECK(result.observations.object_count() == 30);
  CHECK(result.observations.features->rows() == 30);
  CHECK(result.observations.pair_signs->object_count() == 30);
  CHECK(*number_field(result.row, "triplets") < 0.6 * 1200);  // those of three known objects
  CHECK(number_field(result.row, "metrics.sign_violations").has_value());
  // The same in every call, others in every repeat.
  CHECK(execute({e, plan(e).front(), data, 0.0, 1, {}}).observations.objects ==
        result.observations.objects);
  CHECK(execute({e, plan(e).back(), data, 0.0, 1, {}}).observations.objects !=
        result.observations.objects);

  const Experiment counted = experiment("[split]\nobjects = 7\n");
  CHECK(*number_field(execute({counted, plan(counted).front(), data, 0.0, 1, {}}).row, "n") == 33);
  const Experiment none = experiment("");
  CHECK_FALSE(execute({none, plan(none).front(), data, 0.0, 1, {}}).row.find("heldout_objects"));
  CHECK(plan(none).front().id == plan(experiment("[split]\nobjects = 0\n")).front().id);
  CHECK(plan(none).front().id != plan(counted).front().id);
}

TEST_CASE("objects that can not be held out are refused") {
  CHECK_THROWS_AS(experiment("[split]\nobjects = 1.5\n"), ConfigError);
  CHECK_THROWS_AS(experiment("[split]\nobjects = -1\n"), ConfigError);
  const Experiment most = experiment("[split]\nobjects = 39\n");
  CHECK_THROWS_AS(execute({most, plan(most).front(), sphere(), 0.0, 1, {}}), DataError);
}
