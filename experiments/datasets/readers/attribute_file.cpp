#include "experiments/datasets/readers/attribute_file.hpp"

#include <fmt/core.h>
#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/answer_layouts.hpp"
#include "experiments/datasets/readers/common_piles.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/random.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// Sorts values by number if all are whole numbers, and recodes them.
void sort_values(AttributeTable::Aspect& aspect) {
  const std::vector<std::size_t> order = value_order(aspect.values);
  std::vector<std::int32_t> place(order.size());
  std::vector<std::string> sorted;
  for (const std::size_t v : order) {
    place[v] = static_cast<std::int32_t>(sorted.size());
    sorted.push_back(std::move(aspect.values[v]));
  }
  aspect.values = std::move(sorted);
  for (std::int32_t& code : aspect.codes)
    if (code != AttributeTable::kMissing) code = place[static_cast<std::size_t>(code)];
}

/// The aspects of a table that imply no triplet, for messages.
std::vector<std::string> silent_aspects(const Observations& data) {
  std::vector<std::string> out;
  for (Index a = 0; a < data.attributes->aspect_count(); ++a)
    if (data.attributes->aspect_size(a) == 0) out.push_back(shown(data.aspects[static_cast<std::size_t>(a)]));
  return out;
}

void require_distinct(const std::vector<std::string>& columns, const Place& place) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    require<DataError>(!columns[c].empty(), "{}: Column {} has no name. Give it one.", place, c + 1);
    require<DataError>(std::ranges::count(columns, columns[c]) == 1,
                       "{}: Two columns are called '{}'. Give them different names.", place, shown(columns[c]));
  }
}

/// Notes for readers of the table. @throws DataError if it implies no triplet
void note_gaps(Observations& out, std::size_t rows, std::uint64_t missing_cells, const std::string& name) {
  const std::size_t incomplete = rows - out.objects.size();
  if (incomplete > 0)
    add_note(out, "{} of {} rows {} left out.", incomplete, rows,
             incomplete == 1 ? "lacks a value and is" : "lack a value and are");
  add_count(out, missing_cells, "value is missing.", "values are missing.");
  const std::vector<std::string> silent = silent_aspects(out);
  require<DataError>(out.attributes->size() > 0, words::kNoTripletImplied, name);
  if (!silent.empty())
    add_note(out, "No triplet comes from {}: all values are equal or all differ.", join(silent, ", "));
}

/// Whether the first row of a table is no header: half of its fields, or more, occur again in their columns.
bool is_row(const TableFields& first, std::span<const TableFields> below) {
  const std::vector<std::string> names(first.begin(), first.end());
  if (count_up(names) && first.size() > 2) return false;  // the columns of a data frame without names
  std::size_t again = 0;
  for (std::size_t c = 0; c < first.size(); ++c)
    again +=
        !first[c].empty() && std::ranges::any_of(below, [&](const TableFields& row) { return row[c] == first[c]; });
  return first.size() > 1 && 2 * again >= first.size();
}

/// The table of a text, whose first line is its header or, by evidence, not.
std::unique_ptr<Table> table_of_attributes(const RowReader& rows, const AttributeFileSpec& spec) {
  const auto read = [&](bool headed) {
    return std::make_unique<Table>(rows, TableRule{.has_header = [headed](const RowReader&) { return headed; },
                                                   .wanted = "a table",
                                                   .width = spec.columns.size()});
  };
  if (!spec.columns.empty() || spec.header == TablePart::absent) return read(false);
  if (spec.header == TablePart::there) return read(true);
  RowReader first = rows;
  const bool words = first.next() && std::ranges::none_of(first.fields(), [](std::string_view field) {
                       return parse_double(field).has_value();
                     });
  auto seen = read(words);  // rows that repeat a header say nothing
  const bool row = words ? is_row(seen->header, seen->rows) : is_row(seen->rows[0], std::span(seen->rows).subspan(1));
  return row == words ? read(!row) : std::move(seen);
}

/// Whether the first column of a table, which has no name, has values that differ.
bool is_index(const Table& table) {
  IdTable values;
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    if (table.rows[r].front().empty() || values.number(table.rows[r].front()) != r) return false;
  return table.width() > 1;
}

/// What stands where the table has no value.
struct MissingMarks {
  std::string_view own;
  bool signs;  // "-" is the opposite of "+"
  [[nodiscard]] bool operator()(std::string_view field) const {
    return field == own || (lacks_category(field) && !(signs && field == "-") && !(own != "?" && field == "?"));
  }
};

/// The values of one column, those that are one alike.
std::vector<std::string> merge_values(const std::vector<std::string_view>& values, const std::string& column,
                                      MergeNames mode, Said& out) {
  std::vector<std::string> texts(values.begin(), values.end());
  if (mode == MergeNames::no) {
    for (std::string& text : texts) text = composed(text);
    return texts;
  }
  const Said said = merge_labels(texts, mode, "value");
  for (const std::string& note : said.notes) {
    const bool is_guess = contains(said.guesses, note);
    add_note(is_guess ? out.guesses : out.notes, "Column '{}': {}", shown(column), note);
  }
  return texts;
}

/// The places of the names and the labels, and which columns are attributes.
struct AttributeColumns {
  std::optional<std::size_t> name, label;
  std::vector<bool> is_aspect;
};
AttributeColumns columns_of(const std::vector<std::string>& columns, bool index, const AttributeFileSpec& spec,
                            const std::string& name) {
  const auto column = [&](const std::string& wanted) -> std::optional<std::size_t> {
    const auto position = std::ranges::find(columns, wanted);
    if (!wanted.empty() && position == columns.end())
      throw ConfigError(
          fmt::format("'{}' has no column '{}'.{}", name, shown(wanted), suggestion(wanted, shown(columns))));
    return wanted.empty() ? std::nullopt : std::optional(static_cast<std::size_t>(position - columns.begin()));
  };
  AttributeColumns out;
  out.name = index && spec.name.empty() ? std::optional<std::size_t>(0) : column(spec.name);
  out.label = column(spec.label);
  out.is_aspect.assign(columns.size(), true);
  if (out.name) out.is_aspect[*out.name] = false;
  if (out.label && !spec.label_is_aspect) out.is_aspect[*out.label] = false;
  if (index) out.is_aspect[0] = false;
  for (const std::string& left_out : spec.not_read)
    if (const auto c = column(left_out)) out.is_aspect[*c] = false;
  require<DataError>(contains(out.is_aspect, true), words::kNoAttributeLeft, name);
  return out;
}

}  // namespace

AttributeTable::Aspect make_aspect(std::string name, std::span<const std::string_view> values) {
  AttributeTable::Aspect aspect{std::move(name), {}, {}};
  IdTable distinct;
  aspect.codes.reserve(values.size());
  for (const std::string_view value : values)
    aspect.codes.push_back(value.empty() ? AttributeTable::kMissing
                                         : static_cast<std::int32_t>(distinct.number(value)));
  aspect.values.assign(distinct.ids().begin(), distinct.ids().end());
  sort_values(aspect);
  return aspect;
}

Observations parse_attributes(std::string_view text, const std::string& name, const AttributeFileSpec& spec) {
  refuse_other_format(text, name);
  const auto table = table_of_attributes(
      RowReader(text, name, detect_separator(text, std::max<std::size_t>(spec.columns.size(), 2))), spec);
  Observations out;
  ChosenRows said;
  std::vector<std::string> columns = spec.columns;
  if (columns.empty()) columns.assign(table->header.begin(), table->header.end());
  for (std::size_t c = columns.size(); c < table->width(); ++c) columns.push_back(std::to_string(c + 1));
  if (spec.header == TablePart::detected && spec.columns.empty() && table->header.empty())
    add_note(said.guesses, words::kNoHeaderOfAttributes);
  bool index = spec.index == TablePart::there && spec.columns.empty();
  if (spec.index == TablePart::detected && !table->header.empty() && is_nameless(columns.front()) && is_index(*table)) {
    index = true;
    add_note(said.guesses, words::kNamelessIndex);
  }
  if (index && columns.front().empty()) columns.front() = "index";
  require_distinct(columns, table->place);
  const auto [name_at, label_at, is_aspect] = columns_of(columns, index, spec, name);
  const bool signs = std::ranges::any_of(table->rows, [](const TableFields& row) { return contains(row, "+"); });
  const MissingMarks missing{spec.missing, signs};
  std::uint64_t missing_cells = 0;
  std::vector<const TableFields*> kept;
  for (std::size_t r = 0; r < table->rows.size(); ++r) {
    const TableFields& row = table->rows[r];
    std::uint64_t gaps = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) gaps += is_aspect[c] && missing(row[c]) ? 1 : 0;
    if (spec.complete_rows_only && gaps > 0) continue;
    missing_cells += gaps;
    kept.push_back(&row);
    out.objects.push_back(name_at ? composed(row[*name_at]) : std::to_string(r + 1));
    if (label_at) out.labels.push_back(missing(row[*label_at]) ? std::string() : composed(row[*label_at]));
  }
  require<DataError>(out.objects.size() >= 3, "'{}' has {} objects{}. A map needs at least 3.", name,
                     out.objects.size(), spec.complete_rows_only ? " without a missing value" : "");
  std::vector<AttributeTable::Aspect> aspects;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!is_aspect[c]) continue;
    std::vector<std::string_view> values;  // "" missing
    for (const TableFields* row : kept) values.push_back(missing((*row)[c]) ? std::string_view() : (*row)[c]);
    const std::vector<std::string> texts = merge_values(values, columns[c], spec.merge_names, said);
    aspects.push_back(make_aspect(composed(columns[c]), std::vector<std::string_view>(texts.begin(), texts.end())));
    out.aspects.push_back(aspects.back().name);
  }
  add_guess(out, said.guesses);
  add_note(out, said.notes);
  add_note(out, table->notes());
  if (spec.merge_names != MergeNames::no) add_said(out, merge_labels(out.labels, spec.merge_names));
  out.attributes = std::make_shared<AttributeTable>(static_cast<Index>(out.objects.size()), std::move(aspects));
  out.triplets = out.attributes;
  note_gaps(out, table->rows.size(), missing_cells, name);
  return out;
}

namespace {

constexpr std::array<std::string_view, 3> kClusteringColumns = {"user", "item", "cluster"};
constexpr char kNoColumn[] =
    "{}: The header has no column '{}'. Name the columns there; if the file has no header, give an order, such as "
    "'user,item,cluster'.";
using Columns = std::array<std::size_t, 3>;

Columns columns_in_order(const std::string& order) {
  Columns out{};
  const std::vector<std::string_view> names = list_entries(order);
  for (std::size_t c = 0; c < kClusteringColumns.size(); ++c) {
    require<ConfigError>(std::ranges::count(names, kClusteringColumns[c]) == 1, words::kOrderOfClusterings,
                         shown(order), kClusteringColumns[c]);
    out[c] = static_cast<std::size_t>(std::ranges::find(names, kClusteringColumns[c]) - names.begin());
  }
  return out;
}

/// The one column that holds a part of a clustering by its name, or by a word of the same meaning: "participant",
/// "card", "pile".
std::optional<std::size_t> clustering_column(std::span<const std::string_view> header, const std::string& place,
                                             std::size_t part) {
  if (const auto column = find_column(header, kClusteringColumns[part], place)) return column;
  constexpr std::array kIs = {is_about_people, is_about_items, is_about_groups};
  std::optional<std::size_t> out;
  for (std::size_t c = 0; c < header.size(); ++c)
    if (kIs[part](header[c])) {
      if (out) return std::nullopt;
      out = c;
    }
  return out;
}

Columns columns_in_header(const RowReader& reader, const std::string& named) {
  Columns out{};
  const std::vector<std::string> ours =
      named_header(named, {kClusteringColumns.begin(), kClusteringColumns.end()}, reader.fields(), reader.place());
  const TableFields header(ours.begin(), ours.end());
  for (std::size_t c = 0; c < kClusteringColumns.size(); ++c) {
    const auto column = clustering_column(header, reader.place(), c);
    require<DataError>(column.has_value(), kNoColumn, reader.place(), kClusteringColumns[c]);
    out[c] = *column;
  }
  return out;
}

/// Whether the header is of a wide table: one row a person and one column an item or a pile, one row an item, or one
/// row a pile and columns of its items, such as card1 and card2.
enum class Wide { no, of_people, of_items, of_piles };
bool is_numbered_item(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789") + 1;
  return end > 0 && end < name.size() && is_about_items(trim(name.substr(0, end)));
}
/// The column of persons of a wide table: the first, or that behind such as the date.
std::size_t person_column(std::span<const std::string_view> header) {
  const auto person = std::ranges::find_if(header, is_about_people);
  const auto is_no_card = [](std::string_view name) {
    const std::string plain = lower_ascii(name);
    return is_background(name) || is_about_rows(name) ||
           std::ranges::any_of(std::array{"date", "time", "datum", "zeit"},
                               [&](const char* word) { return plain.find(word) != plain.npos; });
  };
  const bool behind = person != header.end() && std::all_of(header.begin(), person, is_no_card);
  return behind ? static_cast<std::size_t>(person - header.begin()) : 0;
}
Wide wide_form(std::span<const std::string_view> header) {
  constexpr std::size_t kFewest = 3;
  if (std::ranges::count_if(header, is_about_people) == 1 && std::ranges::count_if(header, is_about_groups) == 1 &&
      std::ranges::count_if(header, is_numbered_item) > 1)
    return Wide::of_piles;
  const auto is_other = [](std::string_view name) {
    return !name.empty() && !is_about_people(name) && !is_about_items(name) && !is_about_groups(name);
  };
  const std::size_t first = person_column(header);
  if (header.size() < first + 1 + kFewest || !std::ranges::all_of(header.subspan(first + 1), is_other)) return Wide::no;
  return is_about_people(header[first]) ? Wide::of_people : is_about_items(header[0]) ? Wide::of_items : Wide::no;
}

/// User, item and cluster, and the place of each.
struct LongRows {
  std::vector<TableFields> rows{};
  std::vector<Place> places{};
  void add(std::string_view user, std::string_view item, std::string_view cluster, const Place& place) {
    rows.push_back({user, item, cluster});
    places.push_back(place);
  }
};

constexpr std::string_view kSeparators = "|;,\n";

/// One row an item, where each row is a pile whose items are a list in one cell, such as "apple; pear". Nothing if two
/// rows are one pile, no cell is a list, or a person has an item twice.
std::optional<LongRows> spread_lists(const LongRows& piles) {
  std::set<std::pair<std::string_view, std::string_view>> seen, placed;
  std::array<std::size_t, kSeparators.size()> lists{};  // of each separator
  for (const TableFields& row : piles.rows) {
    if (!seen.emplace(row[0], row[2]).second) return std::nullopt;
    for (std::size_t s = 0; s < kSeparators.size(); ++s) lists[s] += row[1].find(kSeparators[s]) != row[1].npos ? 1 : 0;
  }
  const auto most = std::ranges::max_element(lists);
  if (*most == 0) return std::nullopt;
  const char separator = kSeparators[static_cast<std::size_t>(most - lists.begin())];
  LongRows out;
  for (std::size_t r = 0; r < piles.rows.size(); ++r)
    for (std::string_view left = piles.rows[r][1]; !left.empty();) {
      const std::string_view item = trim(left.substr(0, left.find(separator)));
      left.remove_prefix(std::min(left.find(separator), left.size() - 1) + 1);
      if (item.empty()) continue;
      if (!placed.emplace(piles.rows[r][0], item).second) return std::nullopt;
      out.add(piles.rows[r][0], item, piles.rows[r][2], piles.places[r]);
    }
  return out;
}

/// @throws DataError unless most people put two items together
void require_piles(const std::vector<TableFields>& rows, const Place& place) {
  std::map<std::string_view, std::set<std::string_view>> clusters;
  std::map<std::string_view, std::size_t> sorted;
  for (const TableFields& row : rows) {
    if (lacks_category(row[2])) continue;
    clusters[row[0]].insert(row[2]);
    ++sorted[row[0]];
  }
  const auto together =
      std::ranges::count_if(sorted, [&](const auto& s) { return clusters[s.first].size() < s.second; });
  require<DataError>(2 * together > std::ssize(sorted), kNoColumn, place, "item' or none 'cluster");
}

/// The columns of a wide table that are no cards, and those that may be none.
struct NoCards {
  std::vector<std::size_t> left_out;
  std::vector<std::string> doubted;
};
/// Left out are those before the person's; those whose cells no row has twice, as cards in one pile would; and those
/// that tell about the person by their names, such as the age, unless their cells go with the others'. Words do where
/// rows have them twice. Codes, such as 1 and 2, are equal by chance: they do where they are in a pile with the same
/// cards more often than if they are dealt to other people. Where most cards are, a column that is not is doubted.
NoCards no_cards(const Table& table, std::size_t person) {
  constexpr std::size_t kFewestRows = 4, kFewestDealt = 10, kLongestCode = 2;
  constexpr int kDeals = 39, kOften = 12;
  constexpr Index kMostDealt = 100;  // rows
  const std::size_t rows = table.rows.size();
  IdTable ids;
  static_cast<void>(ids.number(""));
  Eigen::ArrayXXi cells(std::min(std::ssize(table.rows), kMostDealt), std::ssize(table.header));  // 0: empty
  for (Index c = 0; c < cells.cols(); ++c)
    for (Index r = 0; r < cells.rows(); ++r)
      cells(r, c) = static_cast<int>(ids.number(table.rows[subscript(r)][subscript(c)]));
  const auto reached = [&](std::size_t c) {  // by how many deals
    Rng rng = Rng::stream(0, "cards", c);
    Eigen::ArrayXXi others = cells;
    others.col(static_cast<Index>(c)) = others.col(static_cast<Index>(person)) = -2;
    Eigen::ArrayXi own = cells.col(static_cast<Index>(c));
    own = (own == 0).select(-1, own);
    const auto spread = [&] {
      const Vector together = (others.colwise() - own == 0).cast<double>().colwise().sum().transpose();
      return (together.array() - together.mean()).square().sum();
    };
    const double given = spread();
    int out = 0;
    for (int deal = 0; deal < kDeals; ++deal) {
      rng.shuffle(std::span(own.data(), subscript(own.size())));
      out += spread() >= given ? 1 : 0;
    }
    return out;
  };
  NoCards out;
  for (std::size_t c = 0; c < table.width(); ++c) {
    if (c == person) continue;
    const auto shared = static_cast<std::size_t>(std::ranges::count_if(
        table.rows, [c](const TableFields& row) { return !row[c].empty() && std::ranges::count(row, row[c]) > 1; }));
    const bool coded = std::ranges::all_of(
        table.rows, [c](const TableFields& row) { return row[c].size() <= kLongestCode || reads_as_number(row[c]); });
    const bool named = is_background(table.header[c]);
    if (c < person || (named ? 5 * shared < rows || (coded && reached(c) > 0) : shared == 0 && rows >= kFewestRows))
      out.left_out.push_back(c);
    else if (!named && coded && rows >= kFewestDealt && reached(c) >= kOften)
      out.doubted.push_back(fmt::format("'{}'", shown(table.header[c])));
  }
  if (4 * out.doubted.size() > table.width() - out.left_out.size() - 1) out.doubted.clear();
  return out;
}

/// Makes rows of user, item and cluster of a table in another form, and says so; `at`: where they are in a long one.
/// The columns `chosen_by` tell which rows are read. @throws DataError as require_piles()
std::string lengthen(Table& table, Wide form, std::size_t person, const NoCards& no, Columns& at,
                     std::vector<std::size_t> chosen_by) {
  LongRows out, piles;
  std::vector<std::string> others;
  for (const std::size_t c : no.left_out) {
    chosen_by.push_back(c);
    others.push_back(fmt::format("'{}'", shown(table.header[c])));
  }
  const auto for_each_cell = [&](const auto& take) {
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      for (std::size_t c = 0; c < table.header.size(); ++c)
        if ((c != person || form == Wide::of_piles) && !contains(chosen_by, c))
          take(table.rows[r], c, table.rows[r][c], table.places[r]);
  };
  std::string guess;
  switch (form) {
    case Wide::no:
      if (std::ranges::none_of(table.rows, [&](const TableFields& row) {
            return row[at[1]].find_first_of(kSeparators) != std::string_view::npos;
          }))
        return "";
      for (std::size_t r = 0; r < table.rows.size(); ++r)
        piles.add(table.rows[r][at[0]], table.rows[r][at[1]], table.rows[r][at[2]], table.places[r]);
      if (auto lists = spread_lists(piles)) out = *std::move(lists);
      if (out.rows.empty()) return "";
      guess = "Each row was read as a pile, and its items as a list in one cell.";
      break;
    case Wide::of_piles:
      for_each_cell([&, user = *clustering_column(table.header, table.place, 0),
                     pile = *clustering_column(table.header, table.place, 2)](
                        const TableFields& row, std::size_t c, std::string_view cell, const Place& place) {
        if (is_numbered_item(table.header[c]) && !lacks_category(cell)) out.add(row[user], cell, row[pile], place);
      });
      guess = "Each row was read as a pile, and its further columns as the items in it.";
      break;
    case Wide::of_people:
      for_each_cell([&](const TableFields& row, std::size_t c, std::string_view cell, const Place& place) {
        out.add(row[person], table.header[c], cell, place);
        if (!lacks_category(cell)) piles.add(row[person], cell, table.header[c], place);
      });
      if (auto lists = spread_lists(piles)) {
        out = *std::move(lists);
        guess =
            "Each row was read as what one person sorted, and each further column as a pile with a list of its items.";
        break;
      }
      guess = fmt::format("Each row was read as what one person sorted, and each further column{}{} as an item.",
                          others.empty() ? "" : " but ", join(others, ", "));
      if (!no.doubted.empty()) guess += fmt::format(words::kDoubtedCards, join(no.doubted, ", "));
      require_piles(out.rows, table.place);
      break;
    case Wide::of_items:
      for_each_cell([&](const TableFields& row, std::size_t c, std::string_view cell, const Place& place) {
        out.add(table.header[c], row[0], cell, place);
      });
      guess = "Each row was read as an item, and each further column as what one person sorted.";
      require_piles(out.rows, table.place);
  }
  at = {0, 1, 2};
  table.header = {kClusteringColumns.begin(), kClusteringColumns.end()};
  table.rows = std::move(out.rows);
  table.places = std::move(out.places);
  return guess;
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
    require<DataError>(cluster.empty() || cluster == row.cluster, words::kTwoClusters, name, row.line,
                       shown(users.names()[row.user]), shown(items.names()[row.item]), shown(row.cluster),
                       shown(cluster), line[row.item]);
    out.repeated += cluster.empty() ? 0U : 1U;
    if (cluster.empty()) line[row.item] = row.line;
    cluster = row.cluster;
  }
  return out;
}

/// The table of a text, where its parts are, and what is said of its rows.
std::unique_ptr<Table> table_of_clusterings(const RowReader& rows, const std::string& order, const TableChoice& choice,
                                            Columns& at, ChosenRows& said) {
  const bool ordered = !order.empty();
  Wide form = Wide::no;
  std::vector<std::string> asked;  // the header of a survey, with the names of the items in its questions
  if (RowReader ahead = rows; ahead.next() && further_headers_of(ahead) > 1) {
    const TableFields header(ahead.fields().begin(), ahead.fields().end());
    if (ahead.next()) asked = asked_names(header, ahead.fields());
  }
  const auto has_header = [&](const RowReader& first) {
    const TableFields header(asked.begin(), asked.end());
    if (!ordered && choice.columns.empty()) form = wide_form(asked.empty() ? first.fields() : std::span(header));
    at = form != Wide::no ? Columns{} : ordered ? columns_in_order(order) : columns_in_header(first, choice.columns);
    // Above rows in a given order a header is no row.
    return !ordered || std::ranges::all_of(std::array{0U, 1U, 2U}, [&](unsigned part) {
      return clustering_column(first.fields(), first.place(), part) == std::optional(at[part]);
    });
  };
  auto out = std::make_unique<Table>(rows, TableRule{.has_header = has_header,
                                                     .wanted = "clusterings",
                                                     .further_headers = true,
                                                     .width = ordered ? list_entries(order).size() : 0});
  if (const auto own = std::ranges::mismatch(asked, out->header).in1; form == Wide::of_people && own != asked.end()) {
    add_guess(said, words::kNamedByQuestions, shown(*own));
    for (std::size_t c = 0; c < asked.size(); ++c) out->header[c] = out->keep(asked[c]);
  }
  const std::size_t person = form == Wide::of_people ? person_column(out->header) : 0;
  const NoCards no = form == Wide::of_people ? no_cards(*out, person) : NoCards{};
  std::vector<std::size_t> read(at.begin(), at.end());
  for (std::size_t c = 0; (form == Wide::of_items || form == Wide::of_people) && c < out->width(); ++c)
    if (!contains(no.left_out, c)) read.push_back(c);
  if (form == Wide::no && !out->header.empty()) leave_out_thingless(*out, {at[1], at[2]}, said.notes);
  choose_rows(*out, read, choice.where, said);
  add_guess(said, lengthen(*out, form, person, no, at, said.by));
  return out;
}

/// Asks about piles whose names may mark a missing answer, such as -99.
void ask_about_codes(std::span<const ClusterRow> rows, Observations& out) {
  std::vector<double> numbers;
  bool text = false;
  for (const ClusterRow& row : rows) {
    const auto value = parse_double(row.cluster);
    if (value) numbers.push_back(*value);
    text = text || (!value && !row.cluster.empty());
  }
  std::vector<double> codes = suspected_codes(numbers);
  if (text) codes = filtered(numbers, is_code);
  for (const double code : std::set<double>(codes.begin(), codes.end()))
    add_guess(out, words::kCodeAsPile, shortest(code), std::ranges::count(numbers, code));
}

/// Makes each user an aspect. `rows` are by user. @throws DataError if no user gives a triplet
void add_aspects(std::span<const ClusterRow> rows, const NameTable& users, const NameTable& items,
                 const std::string& name, Observations& out) {
  std::vector<AttributeTable::Aspect> aspects;
  std::uint64_t repeated = 0, unclustered = 0;
  Piles piles;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].user == rows[begin].user) ++end;
    const UserClusters of_user = clusters_of(rows.subspan(begin, end - begin), users, items, name);
    repeated += of_user.repeated;
    unclustered += of_user.unclustered;
    aspects.push_back(make_aspect(out.aspects[rows[begin].user], of_user.clusters));
    piles.push_back(of_user.clusters);
  }
  out.attributes = std::make_shared<const AttributeTable>(out.object_count(), std::move(aspects));
  out.triplets = out.attributes;
  require<DataError>(out.attributes->size() > 0, words::kNoUserImplies, name);
  add_count(out, repeated, "row repeats another row.", "rows repeat another row.");
  add_count(out, unclustered, "row names no cluster.", "rows name no cluster.");
  if (const std::vector<std::string> silent = silent_aspects(out); !silent.empty())
    add_note(out, words::kSilentUsers, silent.size(), out.aspects.size(), silent.front());
  add_note(out, note_on_common_piles(piles, out.objects));
}

}  // namespace

bool may_be_cards(const Table& table) {
  constexpr std::string_view kOfQuestions = "?_|/0123456789";
  const auto puts_together = [](const TableFields& row) {
    std::set<std::string_view> piles;
    return std::ranges::none_of(row, reads_as_number) && !std::all_of(row.begin() + 1, row.end(), [&](auto cell) {
             return cell.empty() || piles.insert(cell).second;
           });
  };
  return wide_form(table.header) == Wide::of_people &&
         std::none_of(table.header.begin() + 1, table.header.end(),
                      [&](auto name) { return name.find_first_of(kOfQuestions) != name.npos; }) &&
         2 * std::ranges::count_if(table.rows, puts_together) > std::ssize(table.rows);
}

Observations parse_clusterings(const RowReader& from, const std::string& order, const TableChoice& choice) {
  const std::string& name = from.file();
  require<ConfigError>(order.empty() || choice.columns.empty(), words::kOrderAndColumns, shown(order),
                       shown(choice.columns));
  Columns at{};
  ChosenRows said;
  const auto table = table_of_clusterings(from, order, choice, at, said);
  std::array<std::vector<std::string_view>, 3> spellings;
  for (std::size_t r = 0; r < table->rows.size(); ++r)
    for (std::size_t part = 0; part < 3; ++part) {
      const std::string_view field = table->rows[r][at[part]];
      require<DataError>(!field.empty() || part == 2, "{}: The row has no {}. Name one, or delete the row.",
                         table->places[r], kClusteringColumns[part]);
      if (part < 2 || !lacks_category(field)) spellings[part].push_back(field);
    }
  const auto table_of = [&](std::size_t part) { return NameTable::of(spellings[part], choice.merge_names); };
  NameTable users = table_of(0), items = table_of(1), clusters = table_of(2);
  std::vector<ClusterRow> rows;
  FirstRows first;
  std::vector<std::size_t> lines;
  for (std::size_t r = 0; r < table->rows.size(); ++r) {
    const auto field = [&](std::size_t part) { return table->rows[r][at[part]]; };
    const std::uint32_t user = users.number(field(0)), item = items.number(field(1));
    const bool none = lacks_category(field(2));
    const auto cluster = none ? static_cast<std::uint32_t>(clusters.names().size()) : clusters.number(field(2));
    rows.push_back({user, item, none ? "" : std::string_view(clusters.names()[cluster]), table->places[r].line});
    first.take(std::array{3 * user, 3 * item + 1, 3 * cluster + 2});
    lines.push_back(table->places[r].line);
  }
  first.refuse_further_headers(1, name, lines);
  Observations out;
  out.objects = items.names();
  out.aspects = users.names();
  require<DataError>(out.object_count() >= 3, "'{}' has {} items. A map needs at least 3.", name, out.object_count());
  for (const auto& [names, what] :
       {std::pair{&users, "user"}, std::pair{&items, "item"}, std::pair{&clusters, "cluster"}})
    add_guess(out, names->notes(what));
  add_note(out, notes_on_likeness(users.names(), "user"));
  add_note(out, notes_on_likeness(clusters.names(), "cluster"));
  add_note(out, notes_on_names(out.objects));
  add_note(out, table->notes());
  add_said(out, said);
  add_note(out, note_on_unread(table->header, at, said.by));
  ask_about_codes(rows, out);
  // By user, and for one user in file order.
  std::ranges::stable_sort(rows, {}, &ClusterRow::user);
  add_aspects(rows, users, items, name, out);
  return out;
}

}  // namespace alidade::datasets
