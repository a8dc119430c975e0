// The function that places new features on a finished map, in a file beside the map: embedding.projector.json.
// JSON: format "alidade projector", version 1, the projector's description, with matrices in base64, and the names of the
// features, if they had any.
// A projector that is read back gives the same bits.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/projector.hpp"

namespace alidade {

/// Follows a map's stem.
inline constexpr std::string_view kProjectorEnding = ".projector.json";

/// `feature_names`: of the table that made the map, in its order; or none.
[[nodiscard]] std::string projector_to_json(const Projector& projector,
                                            const std::vector<std::string>& feature_names = {});

/// Also sets `feature_names`, if it is given; to none if the file has none.
/// @throws DataError, one line with the file's name, if it is missing, incomplete, or of another format or version
[[nodiscard]] std::shared_ptr<const Projector> read_projector(const std::filesystem::path& file,
                                                              std::vector<std::string>* feature_names = nullptr);

}  // namespace alidade
