// Adds objects to a finished map whose own objects stay fixed (`alidade embed --onto`).
// The map is read back from embed's folder: coordinates, names, labels and method.
// Each new object starts at the finished object's place that fits its answers best.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/datasets/readers/names.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/results/row.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/contract/problem.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/spaces/point.hpp"

namespace alidade {

struct FinishedMap {
  std::string name;                  // of its folder or file
  std::vector<std::string> objects;  // unique
  std::vector<std::string> labels;   // one each; all "" if there are none
  Matrix coordinates;                // n x d, finite
  ResultRow::Part problem, solver;   // those that made the map
  ResultRow::Dataset dataset;        // the map's data; without a name: of a table from elsewhere
  std::optional<double> factor{};    // of such a table's coordinates about `origin`, once a unit was chosen for them
  Eigen::RowVectorXd origin{};
  [[nodiscard]] Similarity similarity() const;
};

/// Labels that mark new objects, where objects have none of their own. They are not read back.
inline constexpr const char* kOnMap = "on the map before";
inline constexpr const char* kNew = "placed on it";  // behind the other, which keeps the colour of any map
void mark_new_objects(Observations& observations, const FinishedMap& map);

/// The map of a folder that embed wrote, or a map from elsewhere: a table of names and coordinates (CSV, TSV), which
/// does not say what made it.
/// @throws DataError on a folder without a map, a broken file, missing coordinates or a duplicate name.
[[nodiscard]] FinishedMap read_finished_map(const std::filesystem::path& place);

/// The answers, with the map's objects first in its order, then the new ones, if any. Answers that made the map are
/// left out, as they cannot judge it. `file` names the answers' file in messages; `merge_names` says which of their
/// names are those of the map.
/// @throws DataError if no object is on the map, or if all answers are among those of the map's data
[[nodiscard]] Observations onto(const FinishedMap& map, Observations answers, std::string_view file,
                                datasets::MergeNames merge_names);

/// The map's objects and the new ones, which the projector beside the map places. New objects without names
/// of their own (names_given false) are named by numbers that continue those of the map.
/// @throws DataError without a projector, if it does not fit the map or the features, or if a new name is already on
/// the map
struct PlacedObjects {
  Observations observations;  // names and labels
  Embedding embedding;
};
[[nodiscard]] PlacedObjects place_features(const FinishedMap& map, const Projector& projector,
                                           const datasets::FeatureData& features);

/// The problem on all objects, with the map's objects fixed.
[[nodiscard]] Problem with_map_fixed(const Problem& problem, const FinishedMap& map);

/// Puts the features (or the distances to the map's objects, which are then its names) into the order of the map's, by
/// their names, and adds a note. Nothing happens if either has no names, other than a note if the map has some.
/// @throws DataError naming the first feature that only one of both has
void order_features(datasets::FeatureData& features, const std::vector<std::string>& names_on_map,
                    std::string_view file);

/// The places of these objects on the map. @throws DataError naming those that are not on it
[[nodiscard]] Matrix places_on(const FinishedMap& map, const std::vector<std::string>& objects);
/// A start of the problem whose map is `places` (n x d, finite, in units of the data); what else it has is drawn.
/// @throws ConfigError if its maps are no such point, as those of eigenvectors are not; DataError on another shape
[[nodiscard]] Solution start_at_places(const Problem& problem, const Matrix& places, Rng& rng);

/// Starts each new object at the best of up to 256 places of finished objects, judged by its answers that involve only
/// finished objects; without such answers, in the middle of the map.
[[nodiscard]] Point start_on_map(const MethodSetup& method, const Observations& training, const FinishedMap& map,
                                 Rng& rng);

}  // namespace alidade
