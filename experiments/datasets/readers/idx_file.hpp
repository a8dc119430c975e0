// Arrays in the IDX format of MNIST: a big-endian header, then numbers in row order.
// Format: two zero bytes, the type of number, the number of dimensions, one int32 for each, then data (Y. LeCun, C.
// Cortes, C. Burges, The MNIST database).
// Plain or gzip, whatever the file's name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "problems/core/types.hpp"

namespace alidade::datasets {

/// One object per row: the first dimension counts objects, the others are flattened into the row. Reads any of IDX's
/// six number types, as float. O(size).
/// @throws DataError, one line with the file's name, if it cannot be read, is no IDX file, or has more or fewer numbers
/// than its header says.
[[nodiscard]] FeatureMatrix read_idx(const std::filesystem::path& path);

/// Parses bytes; messages call them `name`.
[[nodiscard]] FeatureMatrix parse_idx(std::string_view bytes, const std::string& name);

}  // namespace alidade::datasets
