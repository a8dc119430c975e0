// Distances that are written in another form than a square table: the lower triangle, PHYLIP, or one pair a line.
// PHYLIP: the number of objects, then a line for each with its name and its distances to all, or to those before it.
// Example of pairs: "a,b,d\nVienna,Graz,145\n..." with every pair once, or in both directions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::datasets {

struct NamedDistances {
  std::vector<std::string> names;  // empty: the text has none
  Matrix values;                   // n x n; as in the text, so a square of PHYLIP need not be symmetric
  std::string note;                // which form was read
};

/// Nothing if the text has none of these forms, such as a square table. Fields are separated by comma, semicolon, tab
/// or blanks. `missing_words` mark a missing value too, in lower case. O(text).
/// @throws DataError, with file and line, if a form is clear but a pair is missing, given twice or not a number
[[nodiscard]] std::optional<NamedDistances> distances_in_other_form(std::string_view text, const std::string& file,
                                                                    std::span<const std::string> missing_words = {});

}  // namespace alidade::datasets
