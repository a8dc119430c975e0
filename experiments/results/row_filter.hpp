// Rows that a table is about: conditions "field=value" and "field!=value" as they are given on the command line.
// A value is compared as text, and as a number where both are ("0.10" is 0.1); nothing after "=" is an absent field.
// Conditions on one field with "=" are alternatives; all others must hold together.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade {

/// The rows that meet the conditions, in their order. Fields are those of rows.hpp. O(rows x conditions)
/// @throws ConfigError for a condition without "=", a field that no row has (with the nearest), or when nothing is left
/// (with what there is).
[[nodiscard]] std::vector<Table> rows_where(std::vector<Table> rows, std::span<const std::string> conditions);

}  // namespace alidade
