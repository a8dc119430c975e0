#include <string>

#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/triplet_sampling.hpp"

namespace alidade::datasets {
namespace {

struct PointOptions {
  Index n = 500;
  Index dimensions = 2;
  Index triplets = 0;
  double factor = 1;
  double noise = 0;
};

OptionList<PointOptions> point_options() {
  OptionList<PointOptions> options;
  options.integer("n", &PointOptions::n, between(3, 1e7), "number of points")
      .integer("dimensions", &PointOptions::dimensions, between(1, 1e4), "number of dimensions, d")
      .integer("triplets", &PointOptions::triplets, at_least(0), "number of triplets; 0: factor * 2 d n ln n")
      .real("factor", &PointOptions::factor, above(0), "factor of that number, if triplets is 0")
      .real("noise", &PointOptions::noise, half_open(0, 0.5), "probability that a triplet is reversed");
  return options;
}

template <class Draw>
Observations load_points(const PointOptions& options, const DatasetContext& context, std::string_view name,
                         Draw draw_coordinate) {
  Observations out;
  Rng points = data_stream(context, name, "points");
  out.truth.resize(options.n, options.dimensions);
  for (Index i = 0; i < options.n; ++i) {
    out.objects.push_back(std::to_string(i + 1));
    for (Index c = 0; c < options.dimensions; ++c) out.truth(i, c) = draw_coordinate(points);
  }
  const std::uint64_t count = options.triplets > 0 ? static_cast<std::uint64_t>(options.triplets)
                                                   : ample_triplet_count(options.n, options.dimensions, options.factor);
  Rng draw = data_stream(context, name, "triplets");
  Rng flip = data_stream(context, name, "flips");
  FlippedTriplets triplets = flip_triplets(random_triplets(out.truth, count, draw), options.noise, flip);
  if (triplets.flipped > 0)
    out.notes.push_back(fmt::format("{} of {} triplets are reversed.", triplets.flipped, count));
  out.triplets = std::make_shared<TripletList>(std::move(triplets.triplets));
  return out;
}

}  // namespace

DatasetEntry gaussian_dataset() {
  return with_load({.name = "gaussian",
                    .summary = "points of a standard normal distribution, with random triplets of their "
                               "distances",
                    .citation = "generated",
                    .random = true},
                   point_options(), [](const PointOptions& options, const DatasetContext& context) {
                     return load_points(options, context, "gaussian", [](Rng& rng) { return rng.normal(); });
                   });
}

DatasetEntry uniform_dataset() {
  return with_load({.name = "uniform",
                    .summary = "points uniform in the unit cube, with random triplets of their distances",
                    .citation = "generated",
                    .random = true},
                   point_options(), [](const PointOptions& options, const DatasetContext& context) {
                     return load_points(options, context, "uniform", [](Rng& rng) { return rng.uniform01(); });
                   });
}

}  // namespace alidade::datasets
