// Features drawn at random: a sphere, a mixture of normal distributions.
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

}  // namespace

DatasetEntry sphere_dataset() {
  OptionList<SphereOptions> options;
  options.integer("n", &SphereOptions::n, between(3, 1e7), "number of points")
      .text("sampling", &SphereOptions::sampling, {"area", "angles"},
            "area: uniform on the sphere; angles: uniform in latitude and longitude, which is "
            "denser at the poles")
      .include(FeatureOptions::list());
  return with_load({.name = "sphere",
                    .summary = "points of the unit sphere in space; their coordinates are both the features "
                               "and the truth",
                    .citation = "generated",
                    .random = true},
                   options, [](const SphereOptions& chosen, const DatasetContext& context) {
                     Rng rng = data_stream(context, "sphere", "points");
                     FeatureData out;
                     out.truth.resize(chosen.n, 3);
                     for (Index i = 0; i < chosen.n; ++i) {
                       if (chosen.sampling == "angles") {
                         const double polar = std::numbers::pi * rng.uniform01();
                         const double turn = 2 * std::numbers::pi * rng.uniform01();
                         out.truth.row(i) << std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn),
                             std::cos(polar);
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
  options.integer("n", &MixtureOptions::n, between(3, 1e7), "number of points")
      .integer("dimensions", &MixtureOptions::dimensions, between(1, 1e4), "number of dimensions")
      .integer("clusters", &MixtureOptions::clusters, between(1, 1e4), "number of clusters of equal size")
      .real("separation", &MixtureOptions::separation, at_least(0),
            "root mean square distance of two centres; around its centre, a cluster has variance "
            "1 in every dimension")
      .include(FeatureOptions::list());
  return with_load({.name = "gaussian_mixture",
                    .summary = "points of normal clusters around random centres; labels are the clusters",
                    .citation = "generated",
                    .random = true},
                   options, [](const MixtureOptions& chosen, const DatasetContext& context) {
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

// ---- the user's own ----

}  // namespace alidade::datasets
