// Exact matrices as entries of a ValueTable: their bytes in base64 (RFC 4648, section 4), little-endian, row by row.
// { rows = 2, cols = 3, type = "f64", base64 = "..." }; "f32" for float.
// Half the size of decimal digits; for files that programs read.
#pragma once

#include <string>
#include <string_view>

#include "problems/core/types.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// RFC 4648, with padding.
[[nodiscard]] std::string base64(const void* data, std::size_t size);

[[nodiscard]] ValueTable matrix_to_table(const Eigen::Ref<const Matrix>& matrix);
[[nodiscard]] ValueTable matrix_to_table(const Eigen::Ref<const FeatureMatrix>& matrix);

/// The inverse; numbers must be finite. `name` is the name of the entry in messages.
/// @throws DataError naming the fault
[[nodiscard]] Matrix matrix_from_table(const Value* value, std::string_view name);
[[nodiscard]] FeatureMatrix features_from_table(const Value* value, std::string_view name);

}  // namespace alidade
