// Reads lists of objects: one name per line, or a table with a column `name`, and one of labels.
// A list says which objects there are, also those that no answer mentions, and what is known of each.
// Names are kept in their order.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/names.hpp"
#include "problems/core/types.hpp"

namespace alidade::datasets {

/// Names of objects with a label each ("" unknown).
struct LabelList {
  std::vector<std::string> names;  // unique
  std::vector<std::string> labels;
  std::vector<std::size_t> lines{};  // of the file, one per name; or empty
};

/// A plain or gzip file. The labels are empty. O(rows)
/// @throws DataError "file:line: what is wrong and what to do", also on a duplicate or an empty name
[[nodiscard]] LabelList read_object_list(const std::filesystem::path& path);

/// Parses text; messages call it `name`.
[[nodiscard]] LabelList parse_object_list(std::string_view text, const std::string& name);

/// A list of objects: columns `name_column` and `label_column` of a file whose first line names its columns, else the
/// file's two columns.
/// @throws DataError, also on a duplicate name.
[[nodiscard]] LabelList read_labels(const std::filesystem::path& path, const std::string& name_column = "name",
                                    const std::string& label_column = "label");
[[nodiscard]] LabelList parse_labels(std::string_view text, const std::string& name,
                                     const std::string& name_column = "name",
                                     const std::string& label_column = "label");

/// Objects of a table and what a list says of them.
struct ListedObjects {
  std::vector<std::string> objects, labels;
  bool by_name = false;  // else the list's rows are those of the table, in the same order, and name them
};
/// Gives each row of a table its label. `objects` are the table's own names, which the list must have, in any order; a
/// note counts what the list has beyond them. If they are row numbers or none (`named` false), the list names the rows
/// by position, unless it lists exactly these numbers.
/// @throws DataError naming the first object that is not listed; without names, if the list has another length
[[nodiscard]] ListedObjects labels_of(const LabelList& list, const std::string& list_file,
                                      std::vector<std::string> objects, bool named, Index rows,
                                      const std::string& table_file, MergeNames mode, Said& said);

}  // namespace alidade::datasets
