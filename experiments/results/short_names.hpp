// Short names of the fields of a row, for the command line: "heldout", "seconds", "knn_accuracy".
// Plain functions of the rows.
// Example: field_of_short_name("knn_accuracy", rows) is "metrics.knn_accuracy".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "problems/core/value.hpp"

namespace alidade {

/// The field that a short name means: "heldout" is metrics.heldout_error, a metric may leave out "metrics.". A name that
/// is a field with numbers, or that nothing answers to, as it is. O(rows)
[[nodiscard]] std::string field_of_short_name(std::string_view name, std::span<const ValueTable> rows);

}  // namespace alidade
