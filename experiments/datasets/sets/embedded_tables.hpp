// The tables (*.csv) and descriptions (*.json) beside this file as bytes of the program, from embedded_tables.cmake.
// They live as long as the program.
// Text: the rows of each table are read by RowReader, the descriptions by parse_json().
#pragma once

#include <string_view>

namespace alidade::datasets {

[[nodiscard]] std::string_view chemical_elements_csv();
[[nodiscard]] std::string_view europe_cities_csv();
[[nodiscard]] std::string_view sdplib_csv();
/// Of each public data set what an entry of the catalog says of it and its files; `described` reads it.
[[nodiscard]] std::string_view public_datasets_json();

}  // namespace alidade::datasets
