// What the page's script draws maps from: runs, objects and maps as one JSON text.
// Coordinates are little-endian floats in base64; no '<' occurs in it, so that no text can end the script element.
// The script that reads it is report/script/*.js.
#pragma once

#include <string>

#include "experiments/report/report_model.hpp"

namespace alidade::report {

[[nodiscard]] std::string page_data(const ReportContents& contents);

/// What the values of a column are: numbers if all that are there are finite numbers and they are many; else
/// categories, in the order of numbers if all are, else by their text.
struct ColumnKind {
  bool numeric = false;
  std::vector<std::string> categories;  // of a column that is not numeric
};
[[nodiscard]] ColumnKind kind_of(const std::vector<std::string>& values);

}  // namespace alidade::report
