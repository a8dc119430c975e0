// Clusterings of the same items by several users: rows of user, item, cluster, in any order.
// Each user is an attribute of the items ([LL19] section 5: Paris Attractions), whose values are that user's clusters:
// two items of one cluster are nearer to each other than to an item of another. Names of clusters are a user's own.
// Items that a user put into no cluster are missing from that user's attribute.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

struct ClusteringFile {
  std::vector<std::string> objects;  // items, by first appearance
  std::vector<std::string> users;    // by first appearance; names of the table's aspects
  std::shared_ptr<const AttributeTable> table;
  std::vector<std::string> notes;
};

/// Reads a plain or gzip file: comma, semicolon or tab. The first line names the columns user, item and cluster, or
/// `order` does, such as "user,item,cluster", for files without such a line; other columns are not read. A row
/// without a cluster says that the item exists. O(rows + users items).
/// @throws DataError "file:line: what is wrong and what to do"; ConfigError on an order that names no such columns.
[[nodiscard]] ClusteringFile read_clusterings(const std::filesystem::path& path, const std::string& order = "");

/// The same for text at hand; `name` stands for the file in messages.
[[nodiscard]] ClusteringFile parse_clusterings(std::string_view text, const std::string& name,
                                               const std::string& order = "");

}  // namespace alidade::datasets
