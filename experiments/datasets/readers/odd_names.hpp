// Finds suspicious object names: markers of missing values, names that look alike, and formulas.
// Nothing is changed or merged; readers of the notes decide.
// Which names look alike is said in name_table.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::datasets {

/// Whether tables use this text for a missing value: "", blanks, "?", "-", "--", ".", "NA", "<NA>", "N/A", "n.a.",
/// "#N/A", "NaN", "\N", "null", "none", in any case and with blanks around it.
[[nodiscard]] bool marks_missing(std::string_view text);
/// The same for a category, such as a label: the word "none" in lower case is one.
[[nodiscard]] bool lacks_category(std::string_view text);

/// Sentences on each kind of suspicious name; empty if there are none. `can_merge`: whether the data set has the option
/// merge_names. Expected O(n)
[[nodiscard]] std::vector<std::string> notes_on_names(std::span<const std::string> names, bool can_merge = true);

}  // namespace alidade::datasets
