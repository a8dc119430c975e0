// A table of facts about objects: CSV (or with semicolons or tabs) with a header, the objects' names in the first
// column. Maps can be coloured by every other column: text, or numbers.
// Objects are identified by name.
// A name may occur only once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace alidade::report {

struct LabelColumns {
  std::vector<std::string> names;                       // of all columns except the first
  std::unordered_map<std::string, std::size_t> places;  // line of each object
  std::vector<std::vector<std::string>> values;         // column after column, one value per line
};

/// @throws DataError "file:line: ..." for lines of different lengths, a duplicate name, or a missing second column.
[[nodiscard]] LabelColumns parse_label_columns(std::string_view text, const std::string& file);
[[nodiscard]] LabelColumns read_label_columns(const std::filesystem::path& file);

}  // namespace alidade::report
