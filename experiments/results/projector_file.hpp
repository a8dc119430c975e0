// The function that places new features on a finished map, as a file beside the map: embedding.projector.json.
// JSON: format "alidade projector", version 1, and the projector's description, matrices in base64.
// What is read back places features at the same bits.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "problems/projector.hpp"

namespace alidade {

/// Behind a map's stem.
inline constexpr std::string_view kProjectorEnding = ".projector.json";

[[nodiscard]] std::string projector_to_json(const Projector& projector);

/// @throws DataError, one line that names the file, if it is missing, of another format or version, or not whole
[[nodiscard]] std::shared_ptr<const Projector> read_projector(const std::filesystem::path& file);

}  // namespace alidade
