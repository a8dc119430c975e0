// What a configuration may say, made from the records it is read by: config_keys and the catalogs of problems, solvers,
// data sets and metrics. For editors a JSON Schema (draft 7, of the TOML as JSON), for readers Markdown.
// The schema is no stricter than interpret(): what depends on several keys at once (zip, choose, conditions) it leaves
// open.
#pragma once

#include <string>

#include "problems/core/value.hpp"

namespace alidade {

[[nodiscard]] Table config_schema();

/// A heading for each section and each entry of the catalogs, and under it a table of keys.
[[nodiscard]] std::string config_reference();

}  // namespace alidade
