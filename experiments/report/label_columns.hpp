// A table of what is known about objects: CSV (or with semicolons or tabs) with a header, the objects' names in the
// first column. Any other column is one by which maps can be coloured: text, or numbers.
// Objects are known by their names; a name may stand there once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace alidade::report {

struct LabelColumns {
  std::vector<std::string> names;                       // of the columns but the first
  std::unordered_map<std::string, std::size_t> places;  // of the objects' lines
  std::vector<std::vector<std::string>> values;         // column after column, a value a line
};

/// @throws DataError "file:line: ..." for lines of other lengths, a name that stands there twice, or no second column.
[[nodiscard]] LabelColumns parse_label_columns(std::string_view text, const std::string& file);
[[nodiscard]] LabelColumns read_label_columns(const std::filesystem::path& file);

}  // namespace alidade::report
