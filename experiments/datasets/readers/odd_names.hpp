// Finds suspicious object names: markers of missing values, names that differ only in case or blanks, and formulas.
// Nothing is changed or merged; readers of the notes decide.
// Case is ignored for ASCII letters only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::datasets {

/// Whether tables use this text for a missing value: "", blanks, "?", "-", "NA", "N/A", "NaN", "null", "none", in any
/// case and with blanks around it.
[[nodiscard]] bool marks_missing(std::string_view text);

/// One sentence for each kind of suspicious name; empty if there are none. @pre `names` differ. O(n log n)
[[nodiscard]] std::vector<std::string> notes_on_names(std::span<const std::string> names);

}  // namespace alidade::datasets
