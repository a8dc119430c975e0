#include "experiments/datasets/readers/clustering_file.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/readers/column_roles.hpp"
#include "experiments/datasets/readers/name_table.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::array<std::string_view, 3> kClusteringColumns = {"user", "item", "cluster"};
using Columns = std::array<std::size_t, 3>;

Columns columns_in_order(const std::string& order) {
  Columns out{};
  const std::vector<std::string_view> names = list_entries(order);
  for (std::size_t c = 0; c < kClusteringColumns.size(); ++c) {
    require<ConfigError>(std::ranges::count(names, kClusteringColumns[c]) == 1,
                         "The order '{}' must name {} once, such as 'user,item,cluster'.", shown(order),
                         kClusteringColumns[c]);
    out[c] = static_cast<std::size_t>(std::ranges::find(names, kClusteringColumns[c]) - names.begin());
  }
  return out;
}

/// The one column that holds a part of a clustering by its name, or by a word of the same meaning: "participant",
/// "card", "pile".
std::optional<std::size_t> clustering_column(const RowReader& reader, std::size_t part) {
  if (const auto column = find_column(reader.fields(), kClusteringColumns[part], reader.place())) return column;
  constexpr std::array kIs = {is_about_people, is_about_items, is_about_groups};
  std::optional<std::size_t> out;
  for (std::size_t c = 0; c < reader.fields().size(); ++c)
    if (kIs[part](reader.fields()[c])) {
      if (out) return std::nullopt;
      out = c;
    }
  return out;
}

Columns columns_in_header(const RowReader& reader) {
  Columns out{};
  for (std::size_t c = 0; c < kClusteringColumns.size(); ++c) {
    const auto column = clustering_column(reader, c);
    require<DataError>(column.has_value(),
                       "{}: The header has no column '{}'. Name the columns there; if the file has no header, "
                       "give an order, such as 'user,item,cluster'.",
                       reader.place(), kClusteringColumns[c]);
    out[c] = *column;
  }
  return out;
}

struct ClusterRow {
  std::uint32_t user, item;
  std::string_view cluster;  // "" without one
  std::size_t line;
};

/// One user's cluster of each item; "" if the user gave none.
struct UserClusters {
  std::vector<std::string_view> clusters;
  std::uint64_t repeated = 0, unclustered = 0;  // rows
};
/// @throws DataError if two of the rows disagree
UserClusters clusters_of(std::span<const ClusterRow> rows, const NameTable& users, const NameTable& items,
                         const std::string& name) {
  UserClusters out{std::vector<std::string_view>(items.names().size()), 0, 0};
  std::vector<std::size_t> line(items.names().size(), 0);
  for (const ClusterRow& row : rows) {
    std::string_view& cluster = out.clusters[row.item];
    if (row.cluster.empty()) {
      ++out.unclustered;
      continue;
    }
    require<DataError>(cluster.empty() || cluster == row.cluster,
                       "{}:{}: User '{}' puts item '{}' into cluster '{}', but into '{}' on line {}. Keep one "
                       "of the rows.",
                       name, row.line, shown(users.names()[row.user]), shown(items.names()[row.item]),
                       shown(row.cluster), shown(cluster), line[row.item]);
    out.repeated += cluster.empty() ? 0U : 1U;
    if (cluster.empty()) line[row.item] = row.line;
    cluster = row.cluster;
  }
  return out;
}

/// Refuses rows at the beginning that share no user, item or cluster with any other, if few others are so.
void refuse_further_headers(std::span<const ClusterRow> rows, const NameTable& users, const NameTable& items,
                            const std::string& name) {
  constexpr std::size_t kMostHeaders = 5, kOthersPerHeader = 10;
  std::vector<std::size_t> of_user(users.names().size(), 0), of_item(items.names().size(), 0);
  std::unordered_map<std::string_view, std::size_t> of_cluster;
  for (const ClusterRow& row : rows) {
    ++of_user[row.user];
    ++of_item[row.item];
    ++of_cluster[row.cluster];
  }
  const auto is_alone = [&](const ClusterRow& row) {
    return of_user[row.user] == 1 && of_item[row.item] == 1 && of_cluster.at(row.cluster) == 1;
  };
  const auto further = static_cast<std::size_t>(std::ranges::find_if_not(rows, is_alone) - rows.begin());
  if (further == 0 || further > kMostHeaders || rows.size() < kOthersPerHeader * further) return;
  if (static_cast<std::size_t>(std::ranges::count_if(rows, is_alone)) > further) return;
  throw DataError(fmt::format(
      "{}: {} like {}, as survey tools export them: no user, item or cluster of {} occurs in another row. "
      "Delete {}. If {} no header, move {} to the end of the file.",
      at_line(name, rows.front().line),
      further == 1 ? "This line looks" : fmt::format("Lines {} to {} look", rows.front().line, rows[further - 1].line),
      further == 1 ? "a further header line" : "further header lines", further == 1 ? "it" : "them",
      further == 1 ? "it" : "them", further == 1 ? "it is" : "they are", further == 1 ? "it" : "them"));
}

/// The table of a text, and where its parts are.
std::unique_ptr<Table> table_of_clusterings(std::string_view text, const std::string& name, const std::string& order,
                                            Columns& at) {
  const bool ordered = !order.empty();
  const auto has_header = [&](const RowReader& first) {
    at = ordered ? columns_in_order(order) : columns_in_header(first);
    // Above rows in a given order a header is no row.
    return !ordered || std::ranges::all_of(std::array{0U, 1U, 2U}, [&](unsigned part) {
      return clustering_column(first, part) == std::optional(at[part]);
    });
  };
  return std::make_unique<Table>(
      RowReader(text, name, detect_separator(text, kClusteringColumns.size())),
      TableRule{.has_header = has_header, .wanted = "clusterings", .width = ordered ? list_entries(order).size() : 0});
}

/// Makes each user an aspect. `rows` are by user. @throws DataError if no user gives a triplet
void add_aspects(std::span<const ClusterRow> rows, const NameTable& users, const NameTable& items,
                 const std::string& name, Observations& out) {
  std::vector<AttributeTable::Aspect> aspects;
  std::uint64_t repeated = 0, unclustered = 0;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].user == rows[begin].user) ++end;
    const UserClusters of_user = clusters_of(rows.subspan(begin, end - begin), users, items, name);
    repeated += of_user.repeated;
    unclustered += of_user.unclustered;
    aspects.push_back(make_aspect(out.aspects[rows[begin].user], of_user.clusters));
  }
  out.attributes = std::make_shared<const AttributeTable>(out.object_count(), std::move(aspects));
  out.triplets = out.attributes;
  require<DataError>(out.attributes->size() > 0,
                     "No user of '{}' has two items in one cluster and a third in another, so the "
                     "file implies no triplet. Add clusterings.",
                     name);
  if (repeated > 0) out.notes.push_back(counted(repeated, "row repeats another row.", "rows repeat another row."));
  if (unclustered > 0) out.notes.push_back(counted(unclustered, "row names no cluster.", "rows name no cluster."));
  if (const std::vector<std::string> silent = silent_aspects(out); !silent.empty())
    out.notes.push_back(
        fmt::format("{} of {} users give no triplet, such as {}: they have only one cluster, or one item in "
                    "each.",
                    silent.size(), out.aspects.size(), silent.front()));
}

}  // namespace

Observations parse_clusterings(std::string_view text, const std::string& name, const std::string& order,
                               MergeNames merge_names) {
  Columns at{};
  const auto table = table_of_clusterings(text, name, order, at);
  std::array<std::vector<std::string_view>, 3> spellings;
  for (std::size_t r = 0; r < table->rows.size(); ++r)
    for (std::size_t part = 0; part < 3; ++part) {
      const std::string_view field = table->rows[r][at[part]];
      require<DataError>(!field.empty() || part == 2, "{}: The row has no {}. Name one, or delete the row.",
                         table->places[r], kClusteringColumns[part]);
      if (!field.empty()) spellings[part].push_back(field);
    }
  NameTable users = NameTable::of(spellings[0], merge_names), items = NameTable::of(spellings[1], merge_names),
            clusters = NameTable::of(spellings[2], merge_names);
  std::vector<ClusterRow> rows;
  for (std::size_t r = 0; r < table->rows.size(); ++r) {
    const auto field = [&](std::size_t part) { return table->rows[r][at[part]]; };
    const std::string_view cluster =
        field(2).empty() ? field(2) : std::string_view(clusters.names()[clusters.number(field(2))]);
    rows.push_back({users.number(field(0)), items.number(field(1)), cluster, table->places[r].line});
  }
  refuse_further_headers(rows, users, items, name);
  Observations out;
  out.objects = items.names();
  out.aspects = users.names();
  require<DataError>(out.object_count() >= 3, "'{}' has {} items. A map needs at least 3.", name, out.object_count());
  for (const auto& [names, what] :
       {std::pair{&users, "user"}, std::pair{&items, "item"}, std::pair{&clusters, "cluster"}}) {
    std::ranges::move(names->notes(what), std::back_inserter(out.guesses));
    if (names != &items) std::ranges::move(notes_on_likeness(names->names(), what), std::back_inserter(out.notes));
  }
  std::ranges::move(notes_on_names(out.objects), std::back_inserter(out.notes));
  out.notes.insert(out.notes.begin(), out.guesses.begin(), out.guesses.end());
  std::ranges::move(table->notes(), std::back_inserter(out.notes));
  // By user, and for one user in file order.
  std::ranges::stable_sort(rows, {}, &ClusterRow::user);
  add_aspects(rows, users, items, name, out);
  return out;
}

Observations read_clusterings(const std::filesystem::path& path, const std::string& order, MergeNames merge_names) {
  const TableText table = read_table_text(path);
  Observations out = parse_clusterings(table.text, path.string(), order, merge_names);
  add_guesses(out, table.guesses);
  return out;
}

}  // namespace alidade::datasets
