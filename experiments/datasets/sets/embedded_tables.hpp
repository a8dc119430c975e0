// The tables (*.csv) and descriptions (*.json) beside this file as bytes of the program, from embedded_tables.cmake.
// They live as long as the program.
// Text: the rows of each table are read by RowReader, the descriptions by parse_json().
#pragma once

#include <string_view>

namespace alidade::datasets {

[[nodiscard]] std::string_view chemical_elements_csv();
[[nodiscard]] std::string_view europe_cities_csv();
[[nodiscard]] std::string_view sdplib_csv();
/// Of each data set what its entry in the catalog says of it, its files and options; `described` reads it.
[[nodiscard]] std::string_view datasets_json();

}  // namespace alidade::datasets
