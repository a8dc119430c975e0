// What a column of pairs or of groups holds, by its name, whatever its case, signs and final "id": the one list of such
// names for edges, distances, ratings and clusterings. Columns of people and of answers: answer_columns.hpp,
// export_table.hpp.
// Example: Source_ID, Target, Weight are the ends of an edge and its weight.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::datasets {

/// A name of a column without case, signs and a final "id": "Source_ID" as "source".
[[nodiscard]] std::string plain_column(std::string_view column);

/// The columns of the two things of a pair.
struct PairColumns {
  std::size_t a = 0, b = 1;
  bool may_be_names = false;  // these are also likely names of two things
};
/// `rated`: also by names such as stim1 and stim2, which columns of answers have too.
[[nodiscard]] std::optional<PairColumns> pair_columns(std::span<const std::string_view> header, bool rated = false);

/// Whether a column holds how far apart, or how similar, two things are: "distance", "d", "rating", "similarity",
/// "weight".
[[nodiscard]] bool is_about_closeness(std::string_view column);
/// Whether a column holds the things that were sorted: "item", "card".
[[nodiscard]] bool is_about_items(std::string_view column);
/// Whether a column holds groups of them: "cluster", "pile", "category".
[[nodiscard]] bool is_about_groups(std::string_view column);

}  // namespace alidade::datasets
