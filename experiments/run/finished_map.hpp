// A finished map to which objects are added, its own objects held where they are (`alidade embed --onto`).
// Read back from the folder that embed wrote: coordinates, names, labels, and the method that made it.
// New objects begin at the place among the finished ones that suits their answers best.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/results/row.hpp"
#include "problems/core/random.hpp"
#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/problem.hpp"
#include "problems/spaces/point.hpp"

namespace alidade {

struct FinishedMap {
  std::vector<std::string> objects;  // unique
  std::vector<std::string> labels;   // one each; all "" where there are none
  Matrix coordinates;                // n x d, finite
  ResultRow::Part problem, solver;   // that made it
  ResultRow::Dataset dataset;        // that it was made of
};

/// @throws DataError on a folder without a map, a broken file, coordinates that are missing, or a name that is there
/// twice.
[[nodiscard]] FinishedMap read_finished_map(const std::filesystem::path& folder);

/// The answers with the map's objects first, in its order, then the new ones. `file` is theirs, for messages.
/// @throws DataError if no object is new.
[[nodiscard]] Observations onto(const FinishedMap& map, const Observations& answers, std::string_view file);

/// The map's objects and new ones, placed by the projector beside the map; new names are made of numbers where
/// `features` has none of its own (names_given false), beginning behind the map's objects.
/// @throws DataError without a projector, if it does not fit the map or the features, or if a name is on the map
/// already
struct PlacedObjects {
  Observations observations;  // names and labels
  Embedding embedding;
};
[[nodiscard]] PlacedObjects place_features(const FinishedMap& map, const Projector& projector,
                                           const datasets::FeatureData& features, bool names_given);

/// The problem on all objects with those of the map held where they are.
[[nodiscard]] Problem with_map_fixed(const Problem& problem, const FinishedMap& map);

/// Each new object at the best of up to 256 places of finished ones, judged by those of its answers that are about
/// finished ones alone; in the middle of the map where there are none.
[[nodiscard]] Point start_on_map(const MethodSetup& method, const Observations& training, const FinishedMap& map,
                                 Rng& rng);

}  // namespace alidade
