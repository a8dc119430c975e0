// Runs that hold objects out: what is trained on says nothing of them.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>

#include "experiments/config/config_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/model_selection.hpp"
#include "experiments/run/run.hpp"
#include "experiments/run/run_files.hpp"
#include "problems/contract/projector.hpp"
#include "problems/core/error.hpp"
#include "problems/evidence/object_holdout.hpp"
#include "tests/support/row_fields.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heldout_objects_test {

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

class ScaledFeatures final : public Projector {
 public:
  explicit ScaledFeatures(double scale) : scale_(scale) {}
  [[nodiscard]] Index feature_count() const override { return 3; }
  [[nodiscard]] Index component_count() const override { return 3; }
  [[nodiscard]] ValueTable description() const override { return {}; }

 private:
  [[nodiscard]] Matrix places_of(const Eigen::Ref<const FeatureMatrix>& X) const override {
    return scale_ * X.cast<double>();
  }

  double scale_;
};

Observations sphere() {
  ValueTable options;
  options.set("n", 40);
  options.set("triplets_per_object", 30);
  options.set("similarity", "pose");
  options.set("k", 3);
  return datasets::dataset_catalog().at("sphere").load(options, {});
}

}  // namespace

TEST_CASE("a run with held-out objects is trained on the others alone and draws only these") {
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
  CHECK(execute({e, plan(e).front(), data, 0.0, 1, {}}).observations.objects == result.observations.objects);
  CHECK(execute({e, plan(e).back(), data, 0.0, 1, {}}).observations.objects != result.observations.objects);

  const Experiment counted = experiment("[split]\nobjects = 7\n");
  CHECK(*number_field(execute({counted, plan(counted).front(), data, 0.0, 1, {}}).row, "n") == 33);
  const Experiment none = experiment("");
  CHECK_FALSE(execute({none, plan(none).front(), data, 0.0, 1, {}}).row.heldout_objects.has_value());
  CHECK(plan(none).front().id == plan(experiment("[split]\nobjects = 0\n")).front().id);
  CHECK(plan(none).front().id != plan(counted).front().id);
}

TEST_CASE("held-out objects are judged where the map's projector places their features") {
  const Observations data = sphere();
  const ObjectSplit split = hold_out_objects(data, 10, 3);
  const metrics::HeldOutObjects heldout{data, split.kept, split.heldout};
  Embedding map{{{"", split.training.features->cast<double>()}}};
  const auto precision = [&] {
    return metrics::metric_catalog()
        .at("heldout_neighbor_precision")
        .compute({map, {split.training, nullptr, nullptr, &heldout}});
  };
  CHECK(std::isnan(precision()));  // nobody says where they belong
  map.projector = std::make_shared<ScaledFeatures>(1);
  // Their own places: the nearest known object of 40 on a sphere is nearly always among the three similar ones or one
  // of those that are not known.
  CHECK(precision() > 0.7);
  map.projector = std::make_shared<ScaledFeatures>(-1);  // the other side of the sphere
  CHECK(precision() == 0);
  CHECK(std::isnan(metrics::metric_catalog().at("heldout_neighbor_precision").compute({map, {split.training}})));
}

TEST_CASE("if objects judge the run, choices are validated on objects too") {
  const Observations data = sphere();
  const Experiment e =
      experiment("choose = { problem.lambda = [0.1, 0.2, 0.3] }\n[split]\nobjects = 5\nvalidation = 0.3\n");
  int asked = 0;
  std::set<std::string> judges_seen;
  const Choice choice =
      choose({e.methods.front(), data, e.split, 1, std::nullopt, std::nullopt,
              [&](const MethodSetup& setup, const metrics::Evidence& judges) -> std::optional<double> {
                const Observations& inner = judges.observations;
                ++asked;
                CHECK(inner.object_count() == 28);
                REQUIRE(judges.heldout_objects != nullptr);
                CHECK(judges.heldout == nullptr);
                CHECK(&judges.heldout_objects->all == &data);
                REQUIRE(judges.heldout_objects->heldout.size() == 12);
                for (std::size_t r = 0; r < 28; ++r)
                  CHECK(inner.objects[r] == data.objects[static_cast<std::size_t>(judges.heldout_objects->kept[r])]);
                for (const Index i : judges.heldout_objects->heldout)
                  judges_seen.insert(data.objects[static_cast<std::size_t>(i)]);
                return std::abs(setup.problem_options.find("lambda")->number().value() - 0.2);
              },
              true});
  CHECK(asked == 15);  // five hold-outs each
  CHECK(judges_seen.size() > 25);
  CHECK(choice.method.problem_options.find("lambda")->number().value() == 0.2);
  const ValueTable& note = *choice.note.get_if<ValueTable>();
  CHECK(*note.find("validation_objects") == Value(60));
  CHECK_FALSE(note.find("validation_triplets"));
}

TEST_CASE("a map that places new objects also has the places of the held-out ones") {
  const Observations data = sphere();
  const Experiment e = interpret(parse_config(
      "name = \"x\"\n[[dataset]]\nname = \"sphere\"\n[[method]]\nproblem = \"pca\"\n[split]\nobjects = 6\n", "c.toml"));
  const RunResult result = execute({e, plan(e).front(), data, 0.0, 1, {}});
  REQUIRE(result.embedding.projector);
  const auto& [objects, labels, coordinates] = result.heldout_places;
  REQUIRE(objects.size() == 6);
  CHECK(coordinates.rows() == 6);
  CHECK(coordinates.cols() == result.embedding.only().cols());
  CHECK(coordinates.allFinite());
  for (const std::string& name : objects)
    CHECK(std::ranges::find(result.observations.objects, name) == result.observations.objects.end());
  const testing::ScratchFolder scratch;
  FileBatch batch;
  const ResultRow::Files files = write_maps(batch, scratch, result, {"map"}, {"ellipses"}, "annotators.csv");
  batch.commit();
  CHECK(files.heldout == "map.heldout.csv");
  CHECK(read_map_csv(scratch / "map.heldout.csv").objects == objects);
}

TEST_CASE("impossible holdouts of objects are refused") {
  CHECK_THROWS_AS(experiment("[split]\nobjects = 1.5\n"), ConfigError);
  CHECK_THROWS_AS(experiment("[split]\nobjects = -1\n"), ConfigError);
  const Experiment most = experiment("[split]\nobjects = 39\n");
  CHECK_THROWS_AS(execute({most, plan(most).front(), sphere(), 0.0, 1, {}}), DataError);
}

}  // namespace heldout_objects_test
