// What a configuration may contain, made from the records that parse it: config_keys and the catalogs of problems,
// solvers, data sets and metrics.
// Editors get a JSON Schema (draft 7, of the TOML as JSON); readers get Markdown.
// The schema is no stricter than interpret(): rules on several keys at once (zip, choose, conditions) are not in it.
#pragma once

#include <string>

#include "problems/core/value.hpp"

namespace alidade {

[[nodiscard]] ValueTable config_schema();

/// A heading for each section and catalog entry, with a table of its keys.
[[nodiscard]] std::string config_reference();

}  // namespace alidade
