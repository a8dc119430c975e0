#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/similarity.hpp"
#include "problems/core/executor.hpp"
#include "problems/distances/neighbor_signs.hpp"
#include "problems/evidence/derived_signs.hpp"

namespace alidade::datasets {
namespace {

Observations observations_at(Matrix places, std::vector<std::string> names) {
  Observations out;
  out.objects = std::move(names);
  out.features = std::make_shared<FeatureMatrix>(places.cast<float>());
  out.truth = std::move(places);
  return out;
}

/// Points whose nearest neighbours are similar. Features are rounded; signs use the exact points.
Observations with_neighbors(Observations out, const NeighborOptions& options) {
  Executor executor;
  out.pair_signs =
      std::make_shared<PairSigns>(signs_of_places(out.truth, options.k, symmetry_of(options.symmetry), executor));
  return out;
}

/// Points at most `radius` apart are similar, all others dissimilar. O(n^2).
Observations with_near_points(Observations out, double radius) {
  std::vector<ObjectPair> similar;
  const Matrix& places = out.truth;
  for (Index i = 0; i < places.rows(); ++i)
    for (Index j = 0; j < places.rows(); ++j)
      if (i != j && (places.row(i) - places.row(j)).squaredNorm() <= radius * radius)
        similar.push_back({static_cast<ObjectId>(i), static_cast<ObjectId>(j)});
  out.pair_signs = std::make_shared<PairSigns>(places.rows(), std::move(similar), std::vector<ObjectPair>{},
                                               PairSigns::Others::dissimilar);
  return out;
}

constexpr const char* kShapes =
    "A. Globerson, S. Roweis, Visualizing pairwise similarity via semidefinite programming, "
    "AISTATS 2007, section 5";

struct StarOptions : NeighborOptions {
  Index arms = 6, radii = 4;
};
struct GridOptions : NeighborOptions {
  Index rows = 6, columns = 6;
};
struct CylinderOptions : OwnSimilarity {
  Index azimuths = 18, elevations = 9;
};
struct RectangleOptions : NeighborOptions {
  RectangleOptions() {
    k = 6;
    symmetry = "union";
  }
  Index n = 300;
  double radius = 0;
};
struct AnnulusOptions : NeighborOptions {
  AnnulusOptions() {
    k = 5;
    symmetry = "union";
  }
  Index n = 300;
};

DatasetEntry star_dataset() {
  OptionList<StarOptions> options;
  options.integer("arms", &StarOptions::arms, between(2, 1e4), kDescribed)
      .integer("radii", &StarOptions::radii, between(1, 1e4), kDescribed)
      .include(NeighborOptions::list());
  return with_load(described("star"), options, [](const StarOptions& chosen, const DatasetContext&) {
    Matrix places = Matrix::Zero(1 + chosen.arms * chosen.radii, 2);
    std::vector<std::string> names = {"centre"};
    for (Index arm = 0; arm < chosen.arms; ++arm) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(arm) / static_cast<double>(chosen.arms);
      for (Index r = 1; r <= chosen.radii; ++r) {
        places.row(arm * chosen.radii + r) << static_cast<double>(r) * std::cos(angle),
            static_cast<double>(r) * std::sin(angle);
        names.push_back(fmt::format("arm {} at {}", arm + 1, r));
      }
    }
    return with_neighbors(observations_at(std::move(places), std::move(names)), chosen);
  });
}

DatasetEntry grid_dataset() {
  OptionList<GridOptions> options;
  options.integer("rows", &GridOptions::rows, between(1, 1e4), kDescribed)
      .integer("columns", &GridOptions::columns, between(1, 1e4), kDescribed)
      .include(NeighborOptions::list());
  return with_load(described("grid"), options, [](const GridOptions& chosen, const DatasetContext&) {
    Matrix places(chosen.rows * chosen.columns, 2);
    std::vector<std::string> names;
    for (Index r = 0; r < chosen.rows; ++r)
      for (Index c = 0; c < chosen.columns; ++c) {
        places.row(r * chosen.columns + c) << static_cast<double>(c), static_cast<double>(r);
        names.push_back(fmt::format("row {}, column {}", r + 1, c + 1));
      }
    return with_neighbors(observations_at(std::move(places), std::move(names)), chosen);
  });
}

DatasetEntry cylinder_dataset() {
  OptionList<CylinderOptions> options;
  options.integer("azimuths", &CylinderOptions::azimuths, between(2, 1e5), kDescribed)
      .integer("elevations", &CylinderOptions::elevations, between(1, 1e5), kDescribed);
  return with_load(described("cylinder"), options, [](const CylinderOptions& chosen, const DatasetContext&) {
    Matrix places(chosen.azimuths * chosen.elevations, 3);
    std::vector<std::string> names;
    // Neighbours on a ring are at distance 1 along it, as are neighbouring rings.
    const double turn = 2 * std::numbers::pi / static_cast<double>(chosen.azimuths);
    for (Index e = 0; e < chosen.elevations; ++e)
      for (Index a = 0; a < chosen.azimuths; ++a) {
        const double angle = turn * static_cast<double>(a);
        places.row(e * chosen.azimuths + a) << std::cos(angle) / turn, std::sin(angle) / turn, static_cast<double>(e);
        names.push_back(fmt::format("azimuth {}, elevation {}", a + 1, e + 1));
      }
    Observations out = observations_at(std::move(places), std::move(names));
    out.pair_signs = std::make_shared<PairSigns>(cylinder_signs(chosen.azimuths, chosen.elevations));
    return out;
  });
}

DatasetEntry rectangle_dataset() {
  OptionList<RectangleOptions> options;
  options.integer("n", &RectangleOptions::n, between(3, 1e6), kDescribed)
      .real("radius", &RectangleOptions::radius, at_least(0), kDescribed)
      .include(NeighborOptions::list());
  return with_load(described("rectangle"), options, [](const RectangleOptions& chosen, const DatasetContext& context) {
    Rng rng = data_stream(context, "rectangle", "points");
    Matrix places(chosen.n, 2);
    std::vector<std::string> names;
    for (Index i = 0; i < chosen.n; ++i) {
      places(i, 0) = 2 * rng.uniform01();
      places(i, 1) = rng.uniform01();
      names.push_back(std::to_string(i + 1));
    }
    Observations out = observations_at(std::move(places), std::move(names));
    return chosen.radius > 0 ? with_near_points(std::move(out), chosen.radius) : with_neighbors(std::move(out), chosen);
  });
}

DatasetEntry annulus_dataset() {
  OptionList<AnnulusOptions> options;
  options.integer("n", &AnnulusOptions::n, between(3, 1e6), kDescribed).include(NeighborOptions::list());
  return with_load(described("annulus"), options, [](const AnnulusOptions& chosen, const DatasetContext& context) {
    Rng rng = data_stream(context, "annulus", "points");
    Matrix places(chosen.n, 2);
    std::vector<std::string> names;
    for (Index i = 0; i < chosen.n; ++i) {
      const double angle = 2 * std::numbers::pi * rng.uniform01();
      const double radius = std::sqrt(0.25 + 0.75 * rng.uniform01());  // uniform in area
      places.row(i) << radius * std::cos(angle), radius * std::sin(angle);
      names.push_back(std::to_string(i + 1));
    }
    return with_neighbors(observations_at(std::move(places), std::move(names)), chosen);
  });
}

}  // namespace

std::vector<DatasetEntry> shape_datasets() {
  return {star_dataset(), grid_dataset(), cylinder_dataset(), rectangle_dataset(), annulus_dataset()};
}

}  // namespace alidade::datasets
