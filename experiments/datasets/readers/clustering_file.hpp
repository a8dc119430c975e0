// Clusterings of the same items by several users: rows of user, item, cluster, in any order.
// Each user is an attribute of the items ([LL19] section 5: Paris Attractions); its values are that user's clusters.
// Two items of one cluster are nearer to each other than to an item of another. Cluster names are per user.
// An item that a user did not cluster is missing from that user's attribute.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/name_table.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

/// Reads a plain or gzip file: comma, semicolon or tab. The first line names the columns user, item and cluster, or
/// such as participant, card and pile. For a file without such a line, `order` gives them, such as "user,item,cluster".
/// Other columns are not read. Objects are the items and aspects the users, both by first appearance. A row without a
/// cluster only says that the item exists. O(rows + users items).
/// @throws DataError "file:line: what is wrong and what to do"; ConfigError on an order without these columns.
[[nodiscard]] Observations read_clusterings(const std::filesystem::path& path, const std::string& order = "",
                                            MergeNames merge_names = MergeNames::automatic);

/// Parses text; messages call it `name`.
[[nodiscard]] Observations parse_clusterings(std::string_view text, const std::string& name,
                                             const std::string& order = "",
                                             MergeNames merge_names = MergeNames::automatic);

}  // namespace alidade::datasets
