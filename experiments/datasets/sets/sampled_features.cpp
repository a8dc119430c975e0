// Features drawn at random: a sphere, a sheet bent into an S, a mixture of normal distributions.
#include <cmath>
#include <numbers>
#include <utility>

#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/datasets/sets/feature_entry.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {
namespace {

struct SphereOptions : FeatureOptions {
  Index n = 1000;
  std::string sampling = "area";
};

struct MixtureOptions : FeatureOptions {
  Index n = 1000, dimensions = 50, clusters = 10;
  double separation = 10;
};

struct SCurveOptions : FeatureOptions {
  Index n = 1000;
  double noise = 0;
};

DatasetEntry sphere_dataset() {
  OptionList<SphereOptions> options;
  options.integer("n", &SphereOptions::n, between(3, 1e7), kDescribed)
      .text("sampling", &SphereOptions::sampling, {"area", "angles"}, kDescribed)
      .include(FeatureOptions::list());
  return with_load(described("sphere"), options, [](const SphereOptions& chosen, const DatasetContext& context) {
    Rng rng = data_stream(context, "sphere", "points");
    FeatureData out;
    out.truth.resize(chosen.n, 3);
    for (Index i = 0; i < chosen.n; ++i) {
      if (chosen.sampling == "angles") {
        const double polar = std::numbers::pi * rng.uniform01();
        const double turn = 2 * std::numbers::pi * rng.uniform01();
        out.truth.row(i) << std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn), std::cos(polar);
        continue;
      }
      double norm = 0;
      while (!(norm > 1e-6)) {
        for (Index c = 0; c < 3; ++c) out.truth(i, c) = rng.normal();
        norm = out.truth.row(i).norm();
      }
      out.truth.row(i) /= norm;
    }
    out.features = out.truth.cast<float>();
    return observations_of(std::move(out), chosen, context, "sphere");
  });
}

DatasetEntry gaussian_mixture_dataset() {
  OptionList<MixtureOptions> options;
  options.integer("n", &MixtureOptions::n, between(3, 1e7), kDescribed)
      .integer("dimensions", &MixtureOptions::dimensions, between(1, 1e4), kDescribed)
      .integer("clusters", &MixtureOptions::clusters, between(1, 1e4), kDescribed)
      .real("separation", &MixtureOptions::separation, at_least(0), kDescribed)
      .include(FeatureOptions::list());
  return with_load(described("gaussian_mixture"), options,
                   [](const MixtureOptions& chosen, const DatasetContext& context) {
                     Rng centre_rng = data_stream(context, "gaussian_mixture", "centres");
                     Rng rng = data_stream(context, "gaussian_mixture", "points");
                     // E |a - b|^2 = 2 dimensions deviation^2
                     const double deviation = chosen.separation / std::sqrt(2 * static_cast<double>(chosen.dimensions));
                     Matrix centres(chosen.clusters, chosen.dimensions);
                     for (Index i = 0; i < centres.size(); ++i) centres.data()[i] = deviation * centre_rng.normal();
                     FeatureData out;
                     out.features.resize(chosen.n, chosen.dimensions);
                     for (Index i = 0; i < chosen.n; ++i) {
                       const Index cluster = i % chosen.clusters;
                       for (Index c = 0; c < chosen.dimensions; ++c)
                         out.features(i, c) = static_cast<float>(centres(cluster, c) + rng.normal());
                       out.labels.push_back(std::to_string(cluster + 1));
                     }
                     return observations_of(std::move(out), chosen, context, "gaussian_mixture");
                   });
}

DatasetEntry s_curve_dataset() {
  OptionList<SCurveOptions> options;
  options.integer("n", &SCurveOptions::n, between(3, 1e7), kDescribed)
      .real("noise", &SCurveOptions::noise, at_least(0), kDescribed)
      .include(FeatureOptions::list());
  return with_load(described("s_curve"), options, [](const SCurveOptions& chosen, const DatasetContext& context) {
    Rng rng = data_stream(context, "s_curve", "points"), noise = data_stream(context, "s_curve", "noise");
    FeatureData out;
    out.truth.resize(chosen.n, 2);
    out.features.resize(chosen.n, 3);
    for (Index i = 0; i < chosen.n; ++i) {
      const double along = 3 * std::numbers::pi * (rng.uniform01() - 0.5);
      const double across = 2 * rng.uniform01();
      out.truth.row(i) << along, across;
      const double places[] = {std::sin(along), across, std::copysign(std::cos(along) - 1, -along)};
      for (Index c = 0; c < 3; ++c) out.features(i, c) = static_cast<float>(places[c] + chosen.noise * noise.normal());
    }
    return observations_of(std::move(out), chosen, context, "s_curve");
  });
}

}  // namespace

std::vector<DatasetEntry> sampled_datasets() {
  return {sphere_dataset(), s_curve_dataset(), gaussian_mixture_dataset()};
}

}  // namespace alidade::datasets
