#include "experiments/datasets/readers/attribute_file.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "experiments/datasets/readers/column_roles.hpp"
#include "experiments/datasets/readers/id_table.hpp"
#include "experiments/datasets/readers/name_forms.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
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

std::vector<std::string> silent_aspects(const Observations& data) {
  std::vector<std::string> out;
  for (Index a = 0; a < data.attributes->aspect_count(); ++a)
    if (data.attributes->aspect_size(a) == 0) out.push_back(shown(data.aspects[static_cast<std::size_t>(a)]));
  return out;
}

namespace {

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
    out.notes.push_back(fmt::format("{} of {} rows {} left out.", incomplete, rows,
                                    incomplete == 1 ? "lacks a value and is" : "lack a value and are"));
  if (missing_cells > 0) out.notes.push_back(counted(missing_cells, "value is missing.", "values are missing."));
  const std::vector<std::string> silent = silent_aspects(out);
  require<DataError>(out.attributes->size() > 0,
                     "No attribute of '{}' has two objects with one value and a third with "
                     "another, so the table implies no triplet. Group its values into classes.",
                     name);
  if (!silent.empty())
    out.notes.push_back(
        fmt::format("No triplet comes from {}: all values are equal or all differ.", join(silent, ", ")));
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
                                      MergeNames mode, Observations& out) {
  std::vector<std::string> texts(values.begin(), values.end());
  if (mode == MergeNames::no) {
    for (std::string& text : texts) text = composed(text);
    return texts;
  }
  std::vector<std::string> notes, guesses;
  merge_labels(texts, mode, notes, guesses, "value");
  for (const std::string& note : guesses) out.guesses.push_back(fmt::format("Column '{}': {}", shown(column), note));
  for (const std::string& note : notes)
    if (std::ranges::find(guesses, note) == guesses.end())
      out.notes.push_back(fmt::format("Column '{}': {}", shown(column), note));
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
    if (wanted.empty()) return std::nullopt;
    const auto position = std::ranges::find(columns, wanted);
    if (position == columns.end())
      throw ConfigError(
          fmt::format("'{}' has no column '{}'.{}", name, shown(wanted), suggestion(wanted, shown(columns))));
    return static_cast<std::size_t>(position - columns.begin());
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
  require<DataError>(std::ranges::find(out.is_aspect, true) != out.is_aspect.end(),
                     "'{}' has no column left to be an attribute. Leave fewer columns out.", name);
  return out;
}

}  // namespace

Observations parse_attributes(std::string_view text, const std::string& name, const AttributeFileSpec& spec) {
  const auto table = table_of_attributes(
      RowReader(text, name, detect_separator(text, std::max<std::size_t>(spec.columns.size(), 2))), spec);
  Observations out;
  std::vector<std::string> columns = spec.columns;
  if (columns.empty()) columns.assign(table->header.begin(), table->header.end());
  for (std::size_t c = columns.size(); c < table->width(); ++c) columns.push_back(std::to_string(c + 1));
  if (spec.header == TablePart::detected && spec.columns.empty() && table->header.empty())
    out.guesses.push_back(
        "The first line was read as a row, because its values occur again below; columns are called 1, 2, ... If it "
        "names the columns: header = \"yes\".");
  bool index = spec.index == TablePart::there && spec.columns.empty();
  if (spec.index == TablePart::detected && !table->header.empty() && is_nameless(columns.front()) && is_index(*table)) {
    index = true;
    out.guesses.push_back(
        "Column 1 has no name and was read as the index: it names the objects and is no attribute. If it is one, give "
        "it a name.");
  }
  if (index && columns.front().empty()) columns.front() = "index";
  require_distinct(columns, table->place);
  const auto [name_at, label_at, is_aspect] = columns_of(columns, index, spec, name);
  const bool signs =
      std::ranges::any_of(table->rows, [](const TableFields& row) { return std::ranges::find(row, "+") != row.end(); });
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
    const std::vector<std::string> texts = merge_values(values, columns[c], spec.merge_names, out);
    aspects.push_back(make_aspect(composed(columns[c]), std::vector<std::string_view>(texts.begin(), texts.end())));
    out.aspects.push_back(aspects.back().name);
  }
  out.notes.insert(out.notes.begin(), out.guesses.begin(), out.guesses.end());
  std::ranges::move(table->notes(), std::back_inserter(out.notes));
  if (spec.merge_names != MergeNames::no) merge_labels(out.labels, spec.merge_names, out.notes, out.guesses);
  out.attributes = std::make_shared<AttributeTable>(static_cast<Index>(out.objects.size()), std::move(aspects));
  out.triplets = out.attributes;
  note_gaps(out, table->rows.size(), missing_cells, name);
  return out;
}

Observations read_attributes(const std::filesystem::path& path, const AttributeFileSpec& spec) {
  const TableText table = read_table_text(path);
  Observations out = parse_attributes(table.text, path.string(), spec);
  add_guesses(out, table.guesses);
  return out;
}

}  // namespace alidade::datasets
