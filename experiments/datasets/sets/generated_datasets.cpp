#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/triplet_sampling.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {
namespace {

struct PointOptions {
  Index n = 500;
  Index dimensions = 2;
  Index triplets = 0;
  double factor = 1;
  double noise = 0;
  double sharpness = 0;
  Index annotators = 0;
  double spammers = 0;
  double lapses = 0;
  double sharpness_spread = 0;
  bool without_spammers = false;
};

OptionList<PointOptions> point_options() {
  OptionList<PointOptions> options;
  options.integer("n", &PointOptions::n, between(3, 1e7), kDescribed)
      .integer("dimensions", &PointOptions::dimensions, between(1, 1e4), kDescribed)
      .integer("triplets", &PointOptions::triplets, between(0, kMostTriplets), kDescribed)
      .real("factor", &PointOptions::factor, above(0), kDescribed)
      .real("noise", &PointOptions::noise, half_open(0, 0.5), kDescribed)
      .real("sharpness", &PointOptions::sharpness, at_least(0), kDescribed)
      .integer("annotators", &PointOptions::annotators, between(0, 1e6), kDescribed)
      .real("spammers", &PointOptions::spammers, between(0, 1), kDescribed)
      .real("lapses", &PointOptions::lapses, half_open(0, 1), kDescribed)
      .real("sharpness_spread", &PointOptions::sharpness_spread, at_least(0), kDescribed)
      .flag("without_spammers", &PointOptions::without_spammers, kDescribed);
  return options;
}

/// How one annotator answers.
struct Annotator {
  bool spammer = false;
  double guesses = 0;  // rate
  double factor = 1;   // of the sharpness
};

std::vector<Annotator> drawn_annotators(const PointOptions& options, Rng& rng) {
  const auto count = static_cast<std::size_t>(options.annotators);
  const auto spammers = static_cast<std::size_t>(std::llround(options.spammers * static_cast<double>(count)));
  std::vector<Annotator> out(count);
  // All numbers are drawn whatever the options, so that the same annotators are more or less reliable.
  for (Annotator& one : out) {
    const double u = rng.uniform01(), spread = rng.normal();
    one.guesses = options.lapses > 0 ? 1 - std::pow(1 - u, 1 / (1 / options.lapses - 1)) : 0;
    one.factor = std::exp(options.sharpness_spread * spread);
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng.shuffle(std::span(order));
  for (std::size_t k = 0; k < spammers; ++k) out[order[k]] = {.spammer = true, .guesses = 1};
  return out;
}

/// Answers by annotators in turn: triplet i is given by annotator i mod their number.
struct Annotated {
  TripletList triplets;
  std::vector<std::uint32_t> who;
  std::uint64_t contrary = 0;
};
Annotated answered_by(const std::vector<Annotator>& annotators, const TripletList& triplets, const Matrix& points,
                      const PointOptions& options, Rng& rng) {
  Annotated out{TripletList(triplets.object_count()), {}, 0};
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const auto a = static_cast<std::size_t>(i % annotators.size());
    Triplet t = triplets.at(i);
    const double margin = (points.row(t.anchor) - points.row(t.far)).squaredNorm() -
                          (points.row(t.anchor) - points.row(t.near)).squaredNorm();
    const double sharpness = options.sharpness * annotators[a].factor;
    const double right = options.sharpness > 0 ? 1 / (1 + std::exp(-sharpness * margin)) : 1;
    const bool guessed = rng.uniform01() < annotators[a].guesses;
    const bool reversed = rng.uniform01() >= (guessed ? 0.5 : right);
    if (options.without_spammers && annotators[a].spammer) continue;
    if (reversed) {
      std::swap(t.near, t.far);
      ++out.contrary;
    }
    out.triplets.add(t);
    out.who.push_back(static_cast<std::uint32_t>(a));
  }
  return out;
}

/// The triplets as an STE of the points would answer them: those near a tie are often reversed.
FlippedTriplets answered_by_ste(const TripletList& triplets, const Matrix& points, double sharpness, Rng& rng) {
  FlippedTriplets out{TripletList(triplets.object_count()), 0};
  out.triplets.reserve(static_cast<std::size_t>(triplets.size()));
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    Triplet t = triplets.at(i);
    const double margin = (points.row(t.anchor) - points.row(t.far)).squaredNorm() -
                          (points.row(t.anchor) - points.row(t.near)).squaredNorm();
    if (rng.uniform01() >= 1 / (1 + std::exp(-sharpness * margin))) {
      std::swap(t.near, t.far);
      ++out.flipped;
    }
    out.triplets.add(t);
  }
  return out;
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
  TripletList exact = random_triplets(out.truth, count, draw);
  std::uint64_t guessed = 0;
  require<ConfigError>(options.annotators > 0 || (options.spammers == 0 && options.lapses == 0 &&
                                                  options.sharpness_spread == 0 && !options.without_spammers),
                       "{}: spammers, lapses, sharpness_spread and without_spammers are about annotators. Set the "
                       "number of annotators too.",
                       name);
  require<ConfigError>(!options.without_spammers || options.spammers < 1,
                       "{}: all annotators are spammers, so nothing is left without them.", name);
  if (options.annotators > 0) {
    Rng people = data_stream(context, name, "annotators");
    const std::vector<Annotator> annotators = drawn_annotators(options, people);
    Rng answer = data_stream(context, name, "answers");
    Annotated answers = answered_by(annotators, exact, out.truth, options, answer);
    for (std::size_t a = 0; a < annotators.size(); ++a)
      out.annotators.push_back(fmt::format("{}{}", annotators[a].spammer ? "spammer " : "", a + 1));
    out.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(answers.who));
    exact = std::move(answers.triplets);
    guessed = answers.contrary;
    require<DataError>(exact.size() > 0, "{}: no answer is left without the spammers. Set more triplets.", name);
  } else if (options.sharpness > 0) {
    Rng answer = data_stream(context, name, "answers");
    FlippedTriplets answers = answered_by_ste(exact, out.truth, options.sharpness, answer);
    exact = std::move(answers.triplets);
    guessed = answers.flipped;
  }
  FlippedTriplets triplets = flip_triplets(exact, options.noise, flip);
  if (guessed > 0)
    out.notes.push_back(fmt::format("{} of {} triplets are contrary to the distances (sharpness {:g}).", guessed,
                                    exact.size(), options.sharpness));
  if (triplets.flipped > 0)
    out.notes.push_back(fmt::format("{} of {} triplets are reversed.", triplets.flipped, exact.size()));
  out.triplets = std::make_shared<TripletList>(std::move(triplets.triplets));
  return out;
}

DatasetEntry gaussian_dataset() {
  return with_load(described("gaussian"), point_options(),
                   [](const PointOptions& options, const DatasetContext& context) {
                     return load_points(options, context, "gaussian", [](Rng& rng) { return rng.normal(); });
                   });
}

DatasetEntry uniform_dataset() {
  return with_load(described("uniform"), point_options(),
                   [](const PointOptions& options, const DatasetContext& context) {
                     return load_points(options, context, "uniform", [](Rng& rng) { return rng.uniform01(); });
                   });
}

}  // namespace

std::vector<DatasetEntry> generated_datasets() { return {gaussian_dataset(), uniform_dataset()}; }

}  // namespace alidade::datasets
