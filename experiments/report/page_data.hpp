// The data from which the page's script draws maps: runs, objects and maps as one JSON text.
// Coordinates are little-endian floats in base64. The text has no '<', so that it cannot end the script element.
// The script that reads it is report/script/*.js.
#pragma once

#include <string>

#include "experiments/report/report_model.hpp"

namespace alidade::report {

[[nodiscard]] std::string page_data(const ReportModel& contents);

/// The kind of a column's values: numbers if there are many and all are finite numbers; else categories.
struct ColumnKind {
  bool numeric = false;
  std::vector<std::string> categories;  // the different values, ordered as numbers if all are numbers, else as text
};
[[nodiscard]] ColumnKind kind_of(const std::vector<std::string>& values);

}  // namespace alidade::report
