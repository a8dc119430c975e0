// Selects the rows of a table by conditions "field=value" and "field!=value" from the command line.
// Values are compared as numbers if both are numbers ("0.10" is 0.1), else as text; an empty value means an absent
// field.
// Several "=" conditions on one field are alternatives; all other conditions must hold together.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade {

/// The rows that meet the conditions, in their order. Fields are those of rows.hpp. O(rows x conditions)
/// @throws ConfigError for a condition without "=", a field that no row has (naming the nearest), or no matching row
/// (naming the values there are).
[[nodiscard]] std::vector<ValueTable> rows_where(std::vector<ValueTable> rows, std::span<const std::string> conditions);
/// The places of these rows in `rows`, ascending. @throws as rows_where
[[nodiscard]] std::vector<std::size_t> places_where(std::span<const ValueTable> rows,
                                                    std::span<const std::string> conditions);

}  // namespace alidade
