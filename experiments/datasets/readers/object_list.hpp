// Reads a list of objects: one name per line, or a table whose first line has a column `name`.
// For objects that no answer mentions yet; lists with labels are read by triplet_file.hpp.
// Names are kept in their order.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "experiments/datasets/readers/triplet_file.hpp"

namespace alidade::datasets {

/// A plain or gzip file. The labels are empty. O(rows)
/// @throws DataError "file:line: what is wrong and what to do", also on a duplicate or an empty name
[[nodiscard]] LabelList read_object_list(const std::filesystem::path& path);

/// Parses text; messages call it `name`.
[[nodiscard]] LabelList parse_object_list(std::string_view text, const std::string& name);

}  // namespace alidade::datasets
