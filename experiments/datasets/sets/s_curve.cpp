#include <cmath>
#include <numbers>

#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"

namespace alidade::datasets {
namespace {

struct SCurveOptions : FeatureOptions {
  Index n = 1000;
  double noise = 0;
};

}  // namespace

DatasetEntry s_curve_dataset() {
  OptionList<SCurveOptions> options;
  options.integer("n", &SCurveOptions::n, between(3, 1e7), "number of points")
      .real("noise", &SCurveOptions::noise, at_least(0),
            "standard deviation of the noise added to each of the three coordinates; the truth "
            "has no noise")
      .include(FeatureOptions::list());
  return with_load({.name = "s_curve",
                    .summary = "points uniform on a sheet bent into an S (two three-quarter "
                               "circles of radius 1); the true map is the sheet, 3 pi by 2",
                    .citation = "generated",
                    .random = true},
                   options, [](const SCurveOptions& chosen, const DatasetContext& context) {
                     Rng rng = data_stream(context, "s_curve", "points"),
                         noise = data_stream(context, "s_curve", "noise");
                     FeatureData out;
                     out.truth.resize(chosen.n, 2);
                     out.features.resize(chosen.n, 3);
                     for (Index i = 0; i < chosen.n; ++i) {
                       const double along = 3 * std::numbers::pi * (rng.uniform01() - 0.5);
                       const double across = 2 * rng.uniform01();
                       out.truth.row(i) << along, across;
                       const double places[] = {std::sin(along), across, std::copysign(std::cos(along) - 1, -along)};
                       for (Index c = 0; c < 3; ++c)
                         out.features(i, c) = static_cast<float>(places[c] + chosen.noise * noise.normal());
                     }
                     return observations_of(std::move(out), chosen, context, "s_curve");
                   });
}

}  // namespace alidade::datasets
