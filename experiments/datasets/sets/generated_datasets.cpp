#include <sentences/datasets.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/datasets/sets/triplet_sampling.hpp"
#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"
#include "problems/distances/neighbor_signs.hpp"
#include "problems/evidence/derived_signs.hpp"

namespace alidade::datasets {
namespace {

/// How one annotator answers.
struct Annotator {
  bool spammer = false;
  double guesses = 0;  // rate
  double factor = 1;   // of the sharpness
};

std::vector<Annotator> drawn_annotators(const Chosen& options, Rng& rng) {
  const double lapses = options.real("lapses"), spread_of_factors = options.real("sharpness_spread");
  const auto count = static_cast<std::size_t>(options.whole("annotators"));
  const auto spammers = static_cast<std::size_t>(std::llround(options.real("spammers") * static_cast<double>(count)));
  std::vector<Annotator> out(count);
  // All numbers are drawn whatever the options, so that the same annotators are more or less reliable.
  for (Annotator& one : out) {
    const double u = rng.uniform01(), spread = rng.normal();
    one.guesses = lapses > 0 ? 1 - std::pow(1 - u, 1 / (1 / lapses - 1)) : 0;
    one.factor = std::exp(spread_of_factors * spread);
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng.shuffle(std::span(order));
  for (std::size_t k = 0; k < spammers; ++k) out[order[k]] = {.spammer = true, .guesses = 1};
  return out;
}

/// The probability with which an STE of the points answers so: those near a tie are often reversed.
double chance_of(const Triplet& t, const Matrix& points, double sharpness) {
  const double margin = (points.row(t.anchor) - points.row(t.far)).squaredNorm() -
                        (points.row(t.anchor) - points.row(t.near)).squaredNorm();
  return 1 / (1 + std::exp(-sharpness * margin));
}

/// Answers by annotators in turn: triplet i is given by annotator i mod their number.
struct Annotated {
  TripletList triplets;
  std::vector<std::uint32_t> who;
  std::uint64_t contrary = 0;
};
Annotated answered_by(const std::vector<Annotator>& annotators, const TripletList& triplets, const Matrix& points,
                      const Chosen& options, Rng& rng) {
  const double sharpness = options.real("sharpness");
  const bool without_spammers = options.is("without_spammers");
  Annotated out{TripletList(triplets.object_count()), {}, 0};
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const auto a = static_cast<std::size_t>(i % annotators.size());
    Triplet t = triplets.at(i);
    const double right = sharpness > 0 ? chance_of(t, points, sharpness * annotators[a].factor) : 1;
    const bool guessed = rng.uniform01() < annotators[a].guesses;
    const bool reversed = rng.uniform01() >= (guessed ? 0.5 : right);
    if (without_spammers && annotators[a].spammer) continue;
    if (reversed) {
      std::swap(t.near, t.far);
      ++out.contrary;
    }
    out.triplets.add(t);
    out.who.push_back(static_cast<std::uint32_t>(a));
  }
  return out;
}

template <class Draw>
Observations load_points(const Chosen& options, const DatasetContext& context, std::string_view name,
                         Draw draw_coordinate) {
  const Index n = options.whole("n"), dimensions = options.whole("dimensions"), asked = options.whole("triplets");
  const double sharpness = options.real("sharpness");
  const bool people = options.whole("annotators") > 0, without_spammers = options.is("without_spammers");
  Observations out;
  Rng points = data_stream(context, name, "points");
  out.truth.resize(n, dimensions);
  for (Index i = 0; i < n; ++i) {
    out.objects.push_back(std::to_string(i + 1));
    for (Index c = 0; c < dimensions; ++c) out.truth(i, c) = draw_coordinate(points);
  }
  const std::uint64_t count =
      asked > 0 ? static_cast<std::uint64_t>(asked) : ample_triplet_count(n, dimensions, options.real("factor"));
  Rng draw = data_stream(context, name, "triplets");
  Rng flip = data_stream(context, name, "flips");
  TripletList exact = random_triplets(out.truth, count, draw);
  std::uint64_t guessed = 0;
  require<ConfigError>(people || (options.real("spammers") == 0 && options.real("lapses") == 0 &&
                                  options.real("sharpness_spread") == 0 && !without_spammers),
                       words::kOptionsNeedAnnotators, name);
  require<ConfigError>(!without_spammers || options.real("spammers") < 1, words::kAllSpammers, name);
  if (people) {
    Rng draw_people = data_stream(context, name, "annotators");
    const std::vector<Annotator> annotators = drawn_annotators(options, draw_people);
    Rng answer = data_stream(context, name, "answers");
    Annotated answers = answered_by(annotators, exact, out.truth, options, answer);
    for (std::size_t a = 0; a < annotators.size(); ++a)
      out.annotators.push_back(fmt::format("{}{}", annotators[a].spammer ? "spammer " : "", a + 1));
    out.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(answers.who));
    exact = std::move(answers.triplets);
    guessed = answers.contrary;
    require<DataError>(exact.size() > 0, words::kNothingWithoutSpammers, name);
  } else if (sharpness > 0) {
    Rng answer = data_stream(context, name, "answers");
    FlippedTriplets answers = flipped_where(
        exact, [&](const Triplet& t) { return answer.uniform01() >= chance_of(t, out.truth, sharpness); });
    exact = std::move(answers.triplets);
    guessed = answers.flipped;
  }
  FlippedTriplets triplets = flip_triplets(exact, options.real("noise"), flip);
  if (guessed > 0) add_note(out, words::kContraryTriplets, guessed, exact.size(), sharpness);
  if (triplets.flipped > 0) add_note(out, "{} of {} triplets are reversed.", triplets.flipped, exact.size());
  out.triplets = std::make_shared<TripletList>(std::move(triplets.triplets));
  return out;
}

template <class Draw>
DatasetEntry points_dataset(const char* name, Draw draw_coordinate) {
  return entry_of(described(name), [=](const Chosen& options, const DatasetContext& context) {
    return load_points(options, context, name, draw_coordinate);
  });
}

// ---- features drawn at random: a sphere, a sheet bent into an S, a mixture of normal distributions ----

Observations load_sphere(const Chosen& chosen, const DatasetContext& context) {
  const Index n = chosen.whole("n");
  Rng rng = data_stream(context, "sphere", "points");
  FeatureData out;
  out.truth.resize(n, 3);
  for (Index i = 0; i < n; ++i) {
    if (chosen.text("sampling") == "angles") {
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
  return observations_of(std::move(out), feature_options(chosen), context, "sphere");
}

Observations load_gaussian_mixture(const Chosen& chosen, const DatasetContext& context) {
  const Index n = chosen.whole("n"), dimensions = chosen.whole("dimensions"), clusters = chosen.whole("clusters");
  Rng centre_rng = data_stream(context, "gaussian_mixture", "centres");
  Rng rng = data_stream(context, "gaussian_mixture", "points");
  // E |a - b|^2 = 2 dimensions deviation^2
  const double deviation = chosen.real("separation") / std::sqrt(2 * static_cast<double>(dimensions));
  Matrix centres(clusters, dimensions);
  for (Index i = 0; i < centres.size(); ++i) centres.data()[i] = deviation * centre_rng.normal();
  FeatureData out;
  out.features.resize(n, dimensions);
  for (Index i = 0; i < n; ++i) {
    const Index cluster = i % clusters;
    for (Index c = 0; c < dimensions; ++c) out.features(i, c) = static_cast<float>(centres(cluster, c) + rng.normal());
    out.labels.push_back(std::to_string(cluster + 1));
  }
  return observations_of(std::move(out), feature_options(chosen), context, "gaussian_mixture");
}

Observations load_s_curve(const Chosen& chosen, const DatasetContext& context) {
  const Index n = chosen.whole("n");
  Rng rng = data_stream(context, "s_curve", "points"), noise = data_stream(context, "s_curve", "noise");
  FeatureData out;
  out.truth.resize(n, 2);
  out.features.resize(n, 3);
  for (Index i = 0; i < n; ++i) {
    const double along = 3 * std::numbers::pi * (rng.uniform01() - 0.5);
    const double across = 2 * rng.uniform01();
    out.truth.row(i) << along, across;
    const double places[] = {std::sin(along), across, std::copysign(std::cos(along) - 1, -along)};
    for (Index c = 0; c < 3; ++c)
      out.features(i, c) = static_cast<float>(places[c] + chosen.real("noise") * noise.normal());
  }
  return observations_of(std::move(out), feature_options(chosen), context, "s_curve");
}

// ---- places whose neighbours are similar ----

struct Shape {
  Matrix places{};
  std::vector<std::string> names{};  // empty: 1, 2, ...
  std::optional<PairSigns> signs{};  // else nearest neighbours are similar
};

/// Points at most `radius` apart are similar, all others dissimilar. O(n^2).
PairSigns signs_of_near_points(const Matrix& places, double radius) {
  std::vector<ObjectPair> similar;
  for (Index i = 0; i < places.rows(); ++i)
    for (Index j = 0; j < places.rows(); ++j)
      if (i != j && (places.row(i) - places.row(j)).squaredNorm() <= radius * radius)
        similar.push_back({static_cast<ObjectId>(i), static_cast<ObjectId>(j)});
  return {places.rows(), std::move(similar), std::vector<ObjectPair>{}, PairSigns::Others::dissimilar};
}

Shape star(const Chosen& chosen, Rng&) {
  const Index arms = chosen.whole("arms"), radii = chosen.whole("radii");
  Shape out{.places = Matrix::Zero(1 + arms * radii, 2), .names = {"centre"}};
  for (Index arm = 0; arm < arms; ++arm) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(arm) / static_cast<double>(arms);
    for (Index r = 1; r <= radii; ++r) {
      out.places.row(arm * radii + r) << static_cast<double>(r) * std::cos(angle),
          static_cast<double>(r) * std::sin(angle);
      out.names.push_back(fmt::format("arm {} at {}", arm + 1, r));
    }
  }
  return out;
}

Shape grid(const Chosen& chosen, Rng&) {
  const Index rows = chosen.whole("rows"), columns = chosen.whole("columns");
  Shape out{.places = Matrix(rows * columns, 2)};
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) {
      out.places.row(r * columns + c) << static_cast<double>(c), static_cast<double>(r);
      out.names.push_back(fmt::format("row {}, column {}", r + 1, c + 1));
    }
  return out;
}

Shape cylinder(const Chosen& chosen, Rng&) {
  const Index azimuths = chosen.whole("azimuths"), elevations = chosen.whole("elevations");
  Shape out{.places = Matrix(azimuths * elevations, 3), .signs = cylinder_signs(azimuths, elevations)};
  // Neighbours on a ring are at distance 1 along it, as are neighbouring rings.
  const double turn = 2 * std::numbers::pi / static_cast<double>(azimuths);
  for (Index e = 0; e < elevations; ++e)
    for (Index a = 0; a < azimuths; ++a) {
      const double angle = turn * static_cast<double>(a);
      out.places.row(e * azimuths + a) << std::cos(angle) / turn, std::sin(angle) / turn, static_cast<double>(e);
      out.names.push_back(fmt::format("azimuth {}, elevation {}", a + 1, e + 1));
    }
  return out;
}

Shape rectangle(const Chosen& chosen, Rng& rng) {
  const double radius = chosen.real("radius");
  Shape out{.places = Matrix(chosen.whole("n"), 2)};
  for (Index i = 0; i < out.places.rows(); ++i) {
    out.places(i, 0) = 2 * rng.uniform01();
    out.places(i, 1) = rng.uniform01();
  }
  if (radius > 0) out.signs = signs_of_near_points(out.places, radius);
  return out;
}

Shape annulus(const Chosen& chosen, Rng& rng) {
  Shape out{.places = Matrix(chosen.whole("n"), 2)};
  for (Index i = 0; i < out.places.rows(); ++i) {
    const double angle = 2 * std::numbers::pi * rng.uniform01();
    const double radius = std::sqrt(0.25 + 0.75 * rng.uniform01());  // uniform in area
    out.places.row(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  return out;
}

/// Features are rounded; signs use the exact points.
DatasetEntry shape_dataset(const char* name, Shape (*make)(const Chosen&, Rng&)) {
  const LoadChosen load = [=](const Chosen& chosen, const DatasetContext& context) {
    Rng rng = data_stream(context, name, "points");
    Shape shape = make(chosen, rng);
    Observations out;
    out.objects = std::move(shape.names);
    for (Index i = out.object_count(); i < shape.places.rows(); ++i) out.objects.push_back(std::to_string(i + 1));
    Executor executor;
    out.pair_signs = std::make_shared<PairSigns>(
        shape.signs ? *std::move(shape.signs)
                    : signs_of_places(shape.places, chosen.whole("k"), symmetry_of(chosen.text("symmetry")), executor));
    out.features = std::make_shared<FeatureMatrix>(shape.places.cast<float>());
    out.truth = std::move(shape.places);
    return out;
  };
  return entry_of(described(name), load, OptionGroup::none);
}

}  // namespace

std::vector<DatasetEntry> generated_datasets() {
  const auto features = [](const char* name, LoadChosen load) {
    return entry_of(described(name), std::move(load), OptionGroup::features);
  };
  return {points_dataset("gaussian", [](Rng& rng) { return rng.normal(); }),
          points_dataset("uniform", [](Rng& rng) { return rng.uniform01(); }),
          features("sphere", load_sphere),
          features("s_curve", load_s_curve),
          features("gaussian_mixture", load_gaussian_mixture),
          shape_dataset("star", star),
          shape_dataset("grid", grid),
          shape_dataset("cylinder", cylinder),
          shape_dataset("rectangle", rectangle),
          shape_dataset("annulus", annulus)};
}

}  // namespace alidade::datasets
