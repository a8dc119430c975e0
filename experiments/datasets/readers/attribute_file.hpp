// Tables of categories: attributes of objects in UCI's format, or groups into which people sort the same items.
// Every attribute, and every user who sorts, is an aspect that induces triplets (problems/evidence/observations.hpp,
// AttributeTable; [LL19] section 5: Paris Attractions): two objects of one value are nearer to each other than to one
// of another value. Names of clusters are per user; an item that a user did not cluster is missing there.
// Objects of a table of attributes are rows, not names: two rows with one name (Zoo has two frogs) are two objects.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/datasets/readers/table.hpp"
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

/// Parses text; messages call it `name`. Values are numbered by value if all of a column are whole numbers, else by
/// first appearance. O(cells).
/// @throws DataError "file:line: what is wrong and what to do"; ConfigError if the spec names a column that the table
/// lacks.
[[nodiscard]] Observations parse_attributes(std::string_view text, const std::string& name,
                                            const AttributeFileSpec& spec);

/// One attribute from one value per object ("" missing), numbered as above.
[[nodiscard]] AttributeTable::Aspect make_aspect(std::string name, std::span<const std::string_view> values);

/// Clusterings in rows. The first names the columns user, item and cluster, or such as participant, card and pile.
/// Without such a row, `order` gives them, such as "user,item,cluster". Other columns are not read. Objects are the
/// items and aspects the users, both by first appearance. A row without a cluster only says that the item exists.
/// O(rows + users items).
/// @throws DataError "file:line: what is wrong and what to do"; ConfigError on an order without these columns.
[[nodiscard]] Observations parse_clusterings(const RowReader& from, const std::string& order = "",
                                             const TableChoice& choice = {});

/// Whether a table may be of card sorting, one row a person and one column a card: nothing in the header looks like a
/// question, and most people give two cards one pile.
[[nodiscard]] bool may_be_cards(const Table& table);

}  // namespace alidade::datasets
