// The function that places new features on a finished map, in a file beside the map: embedding.projector.json.
// JSON: format "alidade projector", version 1, the projector's description, with matrices in base64, the names of the
// features, if they had any, and how they were scaled, if they were.
// A projector that is read back gives the same bits.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/projector.hpp"
#include "problems/evidence/feature_scaling.hpp"

namespace alidade {

/// Follows a map's stem.
inline constexpr std::string_view kProjectorEnding = ".projector.json";

/// Of the table that made the map.
struct ProjectedFeatures {
  std::vector<std::string> names{};         // in its order; or none
  std::optional<FeatureScaling> scaling{};  // none: not scaled
};

[[nodiscard]] std::string projector_to_json(const Projector& projector, const ProjectedFeatures& features = {});

/// Also sets `features`, if it is given; to none if the file has none.
/// @throws DataError, one line with the file's name, if it is missing, incomplete, or of another format or version
[[nodiscard]] std::shared_ptr<const Projector> read_projector(const std::filesystem::path& file,
                                                              ProjectedFeatures* features = nullptr);

}  // namespace alidade
