// A data set added to the catalog, as experiments/datasets/adding.md explains it.
#include <doctest/doctest.h>

// [example]
// Points of a circle with normal noise: features, and as truth the circle itself.
// Every random choice has a stream of its own, named, so that a new option changes no other choice.
#include <cmath>
#include <numbers>

#include "experiments/datasets/sets/dataset_entries.hpp"

namespace alidade::datasets {

struct CircleOptions {
  Index n = 100;
  double noise = 0.05;
};

DatasetEntry circle_dataset() {
  OptionList<CircleOptions> options;
  options.integer("n", &CircleOptions::n, between(3, 1e6), "number of points")
      .real("noise", &CircleOptions::noise, at_least(0), "standard deviation, in radii");
  // Kinds of evidence go into their members: features, triplets, pair_signs, attributes, dissimilarities.
  return with_load({.name = "circle",
                    .summary = "points of a circle with noise",
                    .citation = "generated",
                    .random = true},
                   options, [](const CircleOptions& given, const DatasetContext& context) {
                     Rng rng = data_stream(context, "circle", "noise");
                     Observations out;
                     out.truth.resize(given.n, 2);
                     Matrix seen(given.n, 2);
                     for (Index i = 0; i < given.n; ++i) {
                       const double angle = 2 * std::numbers::pi * static_cast<double>(i) /
                                            static_cast<double>(given.n);
                       out.objects.push_back(std::to_string(i + 1));
                       out.truth.row(i) << std::cos(angle), std::sin(angle);
                       for (Index c = 0; c < 2; ++c)
                         seen(i, c) = out.truth(i, c) + given.noise * rng.normal();
                     }
                     out.features = std::make_shared<FeatureMatrix>(seen.cast<float>());
                     return out;
                   });
}

}  // namespace alidade::datasets
// [example]

namespace {

using namespace alidade;

TEST_CASE("the example of a data set depends on seed and repeat, and refuses what it can not be") {
  const datasets::DatasetEntry entry = datasets::circle_dataset();
  ValueTable options;
  options.set("n", std::int64_t{12});
  const Observations one = entry.load(options, {{}, 1, 0});
  CHECK(one.object_count() == 12);
  CHECK(one.name == "circle");
  CHECK(*one.features == *entry.load(options, {{}, 1, 0}).features);
  CHECK(*one.features != *entry.load(options, {{}, 1, 1}).features);
  options.set("n", std::int64_t{2});
  CHECK_THROWS_AS(static_cast<void>(entry.load(options, {})), ConfigError);
}

}  // namespace
