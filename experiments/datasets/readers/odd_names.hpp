// Names of objects that their writer may not have meant: marks of a missing value, and twins by case or blanks.
// Nothing is changed or merged; whoever reads the notes decides.
// ASCII letters alone are compared without their case.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::datasets {

/// Whether tables write this where a value is not known: "", blanks, "?", "-", "NA", "N/A", "NaN", "null", "none",
/// in either case and with blanks around.
[[nodiscard]] bool marks_missing(std::string_view text);

/// A sentence for each kind of odd name among `names`, which differ; empty if there are none. O(n log n)
[[nodiscard]] std::vector<std::string> notes_on_names(std::span<const std::string> names);

}  // namespace alidade::datasets
