// The function that places new features on a finished map, in a file beside the map: embedding.projector.json.
// JSON: format "alidade projector", version 1, and the projector's description, with matrices in base64.
// A projector that is read back gives the same bits.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "problems/contract/projector.hpp"

namespace alidade {

/// Follows a map's stem.
inline constexpr std::string_view kProjectorEnding = ".projector.json";

[[nodiscard]] std::string projector_to_json(const Projector& projector);

/// @throws DataError, one line with the file's name, if it is missing, incomplete, or of another format or version
[[nodiscard]] std::shared_ptr<const Projector> read_projector(const std::filesystem::path& file);

}  // namespace alidade
