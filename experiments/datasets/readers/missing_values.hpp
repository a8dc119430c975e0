// Replaces missing values (NaN) of a table of features by a rule that the user states, and counts them.
// drop: rows with one are left out. mean: the mean of the column. knn: the mean of the five nearest rows that have the
// value; distances over the columns that both rows have, each in units of its standard deviation (Troyanskaya et al.
// 2001).
// Imputed values make objects look more alike than they may be: the note says how many there are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/numeric_table.hpp"

namespace alidade::datasets {

/// The note that counts what was done; "" if nothing is missing. `rule`: drop, mean or knn; `file` begins messages.
/// O(rows with missing values x rows x columns) for knn, else O(cells).
/// @throws DataError if a column, or for drop every row, has no value
[[nodiscard]] std::string replace_missing(NumericTable& table, std::string_view rule, const std::string& file);

}  // namespace alidade::datasets
