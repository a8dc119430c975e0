// Tables of categorical attributes in UCI's format: one object per row, one attribute per column.
// Every attribute is an aspect that induces triplets (problems/evidence/observations.hpp, AttributeTable).
// Objects are rows, not names: two rows with one name (Zoo has two frogs) are two objects.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/name_table.hpp"
#include "experiments/datasets/readers/table_layout.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

struct AttributeFileSpec {
  std::vector<std::string> columns{};   // their names, in order; empty: by `header`
  std::string name{};                   // column of the objects' names; "": rows are called 1, 2, ...
  std::string label{};                  // column of the labels; "": none
  bool label_is_aspect = false;         // whether that column is an attribute too
  std::vector<std::string> not_read{};  // columns left out
  std::string missing = "?";            // a missing value; an empty field is also missing
  bool complete_rows_only = false;      // leave out rows with a missing attribute
  /// Whether the first line names the columns, if `columns` does not; else they are called 1, 2, ... detected: not if
  /// half of its fields occur again in their columns.
  TablePart header = TablePart::there;
  /// Whether the first column is no attribute but names the rows. detected: if it has no name in the header, and values
  /// that differ.
  TablePart index = TablePart::absent;
  /// Which values of an attribute, and which labels, are one.
  MergeNames merge_names = MergeNames::no;
};

/// Reads a plain or gzip file. Values are numbered by value if all of a column are whole numbers, else by first
/// appearance. O(cells).
/// @throws DataError "file:line: what is wrong and what to do"; ConfigError if the spec names a column that the table
/// lacks.
[[nodiscard]] Observations read_attributes(const std::filesystem::path& path, const AttributeFileSpec& spec);

/// Parses text; messages call it `name`.
[[nodiscard]] Observations parse_attributes(std::string_view text, const std::string& name,
                                            const AttributeFileSpec& spec);

/// The aspects of a table that imply no triplet, for messages.
[[nodiscard]] std::vector<std::string> silent_aspects(const Observations& data);

/// One attribute from one value per object ("" missing), numbered as above.
[[nodiscard]] AttributeTable::Aspect make_aspect(std::string name, std::span<const std::string_view> values);

}  // namespace alidade::datasets
