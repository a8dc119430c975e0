#include "experiments/datasets/readers/attribute_file.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "experiments/datasets/readers/id_table.hpp"
#include "experiments/datasets/readers/name_forms.hpp"
#include "experiments/datasets/readers/odd_names.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// Sorts values by number if all are whole numbers, and recodes them.
void sort_values(AttributeTable::Aspect& aspect) {
  const std::size_t count = aspect.values.size();
  std::vector<std::int64_t> numbers(count);
  for (std::size_t v = 0; v < count; ++v) {
    const std::string& text = aspect.values[v];
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), numbers[v]);
    if (code != std::errc() || end != text.data() + text.size()) return;
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t v) { return numbers[v]; });
  std::vector<std::int32_t> place(count);
  std::vector<std::string> sorted(count);
  for (std::size_t v = 0; v < count; ++v) {
    place[order[v]] = static_cast<std::int32_t>(v);
    sorted[v] = std::move(aspect.values[order[v]]);
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

namespace {

void require_distinct(const std::vector<std::string>& columns, const std::string& place) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    require<DataError>(!columns[c].empty(), "{}: Column {} has no name. Give it one.", place, c + 1);
    require<DataError>(std::ranges::count(columns, columns[c]) == 1,
                       "{}: Two columns are called '{}'. Give them different names.", place, shown(columns[c]));
  }
}

/// Notes for readers of the table. @throws DataError if it implies no triplet
void note_gaps(AttributeFile& out, std::uint64_t missing_cells, const std::string& name) {
  const std::size_t incomplete = out.rows - out.objects.size();
  if (incomplete > 0)
    out.notes.push_back(fmt::format("{} of {} rows {} left out.", incomplete, out.rows,
                                    incomplete == 1 ? "lacks a value and is" : "lack a value and are"));
  if (missing_cells > 0) out.notes.push_back(counted(missing_cells, "value is missing.", "values are missing."));
  std::vector<std::string> silent;
  for (Index a = 0; a < out.table->aspect_count(); ++a)
    if (out.table->aspect_size(a) == 0) silent.push_back(shown(out.table->aspects()[static_cast<std::size_t>(a)].name));
  require<DataError>(out.table->size() > 0,
                     "No attribute of '{}' has two objects with one value and a third with "
                     "another, so the table implies no triplet. Group its values into classes.",
                     name);
  if (!silent.empty())
    out.notes.push_back(
        fmt::format("No triplet comes from {}: all values are equal or all differ.", join(silent, ", ")));
}

/// Whether the first line is a row of the table: half of its fields, or more, occur again in their columns.
bool is_row(std::string_view text, const std::string& name, char separator) {
  RowReader reader(text, name, separator);
  if (!reader.next()) return false;
  const std::vector<std::string> first(reader.fields().begin(), reader.fields().end());
  if (count_up(first) && first.size() > 2) return false;  // the columns of a data frame without names
  if (std::ranges::none_of(first, [](const std::string& field) { return parse_double(field).has_value(); }))
    reader.take_header();  // a row that repeats it says nothing
  std::vector<bool> again(first.size());
  try {
    while (reader.next())
      for (std::size_t c = 0; c < std::min(first.size(), reader.fields().size()); ++c)
        again[c] = again[c] || (!first[c].empty() && reader.fields()[c] == first[c]);
  } catch (const DataError&) {
    return false;  // reading reports it
  }
  return first.size() > 1 && 2 * std::ranges::count(again, true) >= std::ssize(first);
}

/// Whether the first column, which has no name, has values that differ.
bool is_index(std::string_view text, const std::string& name, char separator) {
  RowReader reader(text, name, separator);
  IdTable values;
  std::size_t rows = 0;
  try {
    if (!reader.next() || reader.fields().size() < 2) return false;
    reader.take_header();
    for (; reader.next(); ++rows)
      if (reader.fields().front().empty() || values.number(reader.fields().front()) != rows) return false;
  } catch (const DataError&) {
    return false;
  }
  return rows > 0;
}

/// Whether some value is the sign "+".
bool holds_plus(std::string_view text, const std::string& name, char separator) {
  if (text.find('+') == text.npos) return false;
  try {
    for (RowReader reader(text, name, separator); reader.next();)
      if (std::ranges::find(reader.fields(), "+") != reader.fields().end()) return true;
  } catch (const DataError&) {  // reading reports it
  }
  return false;
}

/// Header and index of a table; adds what was guessed to `out`.
TableLayout layout_of_attributes(std::string_view text, const std::string& name, const AttributeFileSpec& spec,
                                 const RowReader& first, AttributeFile& out) {
  TableLayout layout{.header = spec.header == TablePart::there, .index = spec.index == TablePart::there};
  if (!spec.columns.empty()) return {};
  if (spec.header == TablePart::detected) {
    layout.header = !is_row(text, name, first.separator());
    if (!layout.header)
      out.guesses.push_back(
          "The first line was read as a row, because its values occur again below; columns are called 1, 2, ... If it "
          "names the columns: header = \"yes\".");
  }
  if (spec.index == TablePart::detected && layout.header && is_nameless(first.fields().front()) &&
      is_index(text, name, first.separator())) {
    layout.index = true;
    out.guesses.push_back(
        "Column 1 has no name and was read as the index: it names the objects and is no attribute. If it is one, give "
        "it a name.");
  }
  return layout;
}

/// The values of one column, those that are one alike.
std::vector<std::string> merge_values(const std::vector<std::string_view>& values, const std::string& column,
                                      MergeNames mode, AttributeFile& out) {
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

}  // namespace

AttributeFile parse_attributes(std::string_view text, const std::string& name, const AttributeFileSpec& spec) {
  AttributeFile out;
  RowReader reader(text, name, detect_separator(text, std::max<std::size_t>(spec.columns.size(), 2)));
  require<DataError>(reader.next(), "'{}' has no rows. Give a file with a table.", name);
  const TableLayout layout = layout_of_attributes(text, name, spec, reader, out);
  const bool headed = layout.header;
  if (headed && spec.columns.empty()) reader.take_header();
  std::vector<std::string> columns = spec.columns;
  if (columns.empty()) columns.assign(reader.fields().begin(), reader.fields().end());
  if (spec.columns.empty() && !headed)
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = std::to_string(c + 1);
  if (layout.index && columns.front().empty()) columns.front() = "index";
  require_distinct(columns, reader.place());
  const auto column = [&](const std::string& wanted) -> std::optional<std::size_t> {
    if (wanted.empty()) return std::nullopt;
    const auto position = std::ranges::find(columns, wanted);
    if (position == columns.end())
      throw ConfigError(
          fmt::format("'{}' has no column '{}'.{}", name, shown(wanted), suggestion(wanted, shown(columns))));
    return static_cast<std::size_t>(position - columns.begin());
  };
  const auto name_at = column(spec.name);
  const auto label_at = column(spec.label);
  std::vector<bool> is_aspect(columns.size(), true);
  if (name_at) is_aspect[*name_at] = false;
  if (label_at && !spec.label_is_aspect) is_aspect[*label_at] = false;
  if (layout.index) is_aspect[0] = false;
  for (const std::string& left_out : spec.not_read)
    if (const auto c = column(left_out)) is_aspect[*c] = false;

  std::vector<std::size_t> aspect_columns;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (is_aspect[c]) aspect_columns.push_back(c);
  require<DataError>(!aspect_columns.empty(), "'{}' has no column left to be an attribute. Leave fewer columns out.",
                     name);
  std::vector<std::vector<std::string_view>> values(aspect_columns.size());  // "" missing

  const bool signs = holds_plus(text, name, reader.separator());  // then "-" is its opposite
  const auto missing = [&](std::string_view field) {
    return field == spec.missing ||
           (lacks_category(field) && !(signs && field == "-") && !(spec.missing != "?" && field == "?"));
  };
  std::uint64_t missing_cells = 0;
  for (bool pending = !headed; pending || reader.next(); pending = false) {
    const auto fields = reader.fields();
    if (fields.size() != columns.size())
      throw DataError(fmt::format(
          "{}: The row has {} column{} where {} {}. Correct the row (columns are "
          "separated by {}).",
          reader.place(), fields.size(), fields.size() == 1 ? "" : "s", headed ? "the header has" : "the format has",
          columns.size(), separator_name(reader.separator())));
    ++out.rows;
    const auto gaps = static_cast<std::uint64_t>(
        std::ranges::count_if(aspect_columns, [&](std::size_t c) { return missing(fields[c]); }));
    if (spec.complete_rows_only && gaps > 0) continue;
    missing_cells += gaps;
    out.objects.push_back(name_at || layout.index ? composed(fields[name_at.value_or(0)]) : std::to_string(out.rows));
    if (label_at) out.labels.push_back(missing(fields[*label_at]) ? std::string() : composed(fields[*label_at]));
    for (std::size_t a = 0; a < values.size(); ++a) {
      const std::string_view field = fields[aspect_columns[a]];
      values[a].push_back(missing(field) ? std::string_view() : field);
    }
  }
  require<DataError>(out.rows > 0, "'{}' has a header but no rows. Give a file with a table.", name);
  require<DataError>(out.objects.size() >= 3, "'{}' has {} objects{}. A map needs at least 3.", name,
                     out.objects.size(), spec.complete_rows_only ? " without a missing value" : "");

  std::vector<AttributeTable::Aspect> aspects;
  for (std::size_t a = 0; a < values.size(); ++a) {
    const std::string& attribute = columns[aspect_columns[a]];
    const std::vector<std::string> texts = merge_values(values[a], attribute, spec.merge_names, out);
    aspects.push_back(make_aspect(composed(attribute), std::vector<std::string_view>(texts.begin(), texts.end())));
  }
  out.notes.insert(out.notes.begin(), out.guesses.begin(), out.guesses.end());
  std::ranges::move(reader.reading().notes(), std::back_inserter(out.notes));
  if (spec.merge_names != MergeNames::no) merge_labels(out.labels, spec.merge_names, out.notes, out.guesses);
  out.table = std::make_shared<AttributeTable>(static_cast<Index>(out.objects.size()), std::move(aspects));
  note_gaps(out, missing_cells, name);
  return out;
}

AttributeFile read_attributes(const std::filesystem::path& path, const AttributeFileSpec& spec) {
  const TableText table = read_table_text(path);
  AttributeFile out = parse_attributes(table.text, path.string(), spec);
  add_guesses(out, table.guesses);
  return out;
}

}  // namespace alidade::datasets
