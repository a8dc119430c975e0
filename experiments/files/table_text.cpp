#include "experiments/files/table_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <set>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/npy_file.hpp"
#include "experiments/files/packed_archive.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/files/study_file.hpp"
#include "experiments/files/text_encoding.hpp"
#include "experiments/files/text_lines.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

bool is_number(std::string_view field) { return parse_double(field).has_value(); }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (LineReader lines(text); lines.next();) out.push_back(lines.line());
  while (!out.empty() && trim(out.back()).empty()) out.pop_back();
  return out;
}

using TextRows = std::vector<std::vector<std::string>>;

/// The rows of a table separated by blanks; empty if the text is none: other separators, or rows of other lengths.
TextRows blank_rows(const std::vector<std::string_view>& lines) {
  TextRows out;
  for (const std::string_view line : lines) {
    out.push_back(blank_fields(line));
    const std::size_t width = out.size() > 1 ? out[1].size() : out[0].size();
    const bool header = out.size() == 1;
    if (out.size() == 2 && width < 2) return {};
    if (width == 0 || (!header && out.back().size() != width)) return {};
  }
  if (out.size() == 1)  // of numbers only: a list, as of distances
    return std::ranges::all_of(out[0], is_number) ? out : TextRows();
  if (out.empty() || out[1].size() < 2) return {};
  std::vector<std::string>& head = out.front();
  if (head.front() == "#") head.erase(head.begin());  // a comment of numpy.savetxt that names the columns
  return head.size() == out[1].size() || head.size() + 1 == out[1].size() ? out : TextRows();
}

/// Whether the text is one of a single column by any other separator.
bool has_no_separator(std::string_view text) {
  try {
    RowReader reader(text, "", detect_separator(text, 2));
    return reader.next() && reader.fields().size() == 1;
  } catch (const DataError&) {  // such as a quote with text after it, as blanks leave
    const std::string_view line = text.substr(0, text.find('\n'));
    return line.find_first_of(",;\t") == line.npos;
  }
}

/// Whether a first column without a name in the header can be row names of R: all differ, and they are whole numbers or
/// none is a number. Otherwise the name that the header lacks may be that of another column.
bool are_row_names(std::vector<std::string> column) {
  std::size_t numbers = 0, whole = 0;
  for (const std::string& name : column) {
    const auto value = parse_double(name);
    numbers += value ? 1 : 0;
    whole += value && *value == std::floor(*value) ? 1 : 0;
  }
  std::ranges::sort(column);
  return std::ranges::adjacent_find(column) == column.end() && (numbers == 0 || whole == column.size());
}

/// Where the header begins, if all rows have one field more than it, and not an empty one at their ends.
std::optional<std::size_t> header_without_first(std::string_view text, char separator) {
  try {
    RowReader reader(text, "", separator);
    if (!reader.next() || reader.fields().size() < 2) return std::nullopt;
    // Lists in fields may have semicolons.
    if (separator == ';' && std::ranges::any_of(reader.fields(), [](auto f) { return f.find(',') != f.npos; }))
      return std::nullopt;
    const std::size_t begin = reader.line() > 1 ? text.find('\n') + 1 : 0;
    if (std::ranges::any_of(reader.fields(), is_number)) return std::nullopt;  // no header
    const std::size_t names = reader.fields().size();
    std::vector<std::string> first;
    std::size_t open_ends = 0;
    while (reader.next()) {
      if (reader.fields().size() != names + 1) return std::nullopt;
      open_ends += reader.fields().back().empty() ? 1 : 0;
      first.emplace_back(reader.fields()[0]);
    }
    const bool fits = !first.empty() && open_ends < first.size() && are_row_names(std::move(first));
    return fits ? std::optional(begin) : std::nullopt;
  } catch (const DataError&) {  // its reader says what is wrong
    return std::nullopt;
  }
}

/// Whether a number may have `sign` before each three digits: "1.234", "-12.345.678"; not "0.125" or "1234.567".
bool has_thousands(std::string_view field, char sign) {
  if (!field.empty() && (field.front() == '-' || field.front() == '+')) field.remove_prefix(1);
  std::size_t digits = 0;
  int signs = 0;
  for (const char c : field) {
    if (c == sign && (signs == 0 ? digits >= 1 && digits <= 3 : digits == 3)) {
      ++signs;
      digits = 0;
    } else if (c >= '0' && c <= '9') {
      ++digits;
    } else {
      return false;
    }
  }
  return signs > 0 && digits == 3 && field.front() != '0';
}

/// What stands in the numbers of a table.
struct NumberSigns {
  bool commas = false;         // one that may be decimal
  bool certain_comma = false;  // and one that can not stand before thousands
  std::string points;          // the first number with points alone; "": none
  bool decimal_point = false;  // a point that can not stand before thousands
  std::string mixed;  // the first number whose comma may stand before thousands, in a column with whole numbers
};

/// `asked`: numbers with both, such as 1.234,5, have decimal commas.
NumberSigns number_signs(std::string_view table, char separator, bool asked) {
  NumberSigns out;
  RowReader reader(table, "", separator);
  std::vector<std::string> comma_in;  // of each column, the first number with a comma
  std::vector<bool> whole_in, certain_in;
  while (reader.next())
    for (std::size_t c = 0; c < reader.fields().size(); ++c) {
      const std::string_view field = reader.fields()[c];
      if (c >= comma_in.size()) comma_in.resize(c + 1), whole_in.resize(c + 1), certain_in.resize(c + 1);
      const bool comma = field.find(',') != field.npos;
      if (comma && has_decimal_comma(field)) {
        if (comma_in[c].empty()) comma_in[c] = field;
        certain_in[c] = certain_in[c] || !has_thousands(field, ',');
      } else if (!field.empty() && field.find_first_not_of("0123456789-+") == field.npos && field.size() > 1) {
        whole_in[c] = true;
      }
      if (const bool point = field.find('.') != field.npos; has_decimal_comma(field) && (asked || !point)) {
        out.commas = true;
        out.certain_comma = out.certain_comma || !has_thousands(field, ',');
      } else if (const bool thousands = has_thousands(field, '.'); point && (thousands || parse_double(field))) {
        if (out.points.empty()) out.points = field;
        out.decimal_point = out.decimal_point || !thousands;
      }
    }
  for (std::size_t c = 0; c < comma_in.size(); ++c)
    if (out.mixed.empty() && whole_in[c] && !certain_in[c]) out.mixed = comma_in[c];
  return out;
}

/// Takes the separators away that end lines where nothing stands behind them in any line, not even a name. Half a
/// square table, which has a line of nothing else, keeps them. False if there are none.
bool drop_empty_end(std::string& text, char separator) {
  std::string out;
  std::size_t width = 0, lines = 0, dropped = 0, numbered = 0;
  bool open_header = false;
  if (text.starts_with("sep=")) return false;
  for (LineReader reader(text); reader.next(); out += '\n') {
    std::string_view line = reader.line();
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const auto [fields, filled, is_open] = fields_in(line, separator);
    const bool ends = line.back() == separator;
    if (++lines == 1) width = fields + (ends ? 0 : 1), open_header = ends;
    if (is_open || (ends ? fields != width : fields + 1 != width || (lines == 2 && !open_header))) return false;
    if (line.find_first_not_of(" \t\r\"" + std::string(1, separator)) == line.npos) return false;
    numbered += lines > 1 && line.starts_with(fmt::format("{}{}", lines - 1, separator)) ? 1 : 0;
    if (ends) line.remove_suffix(1), ++dropped;
    out += line;
  }
  // Below a header without one, the first column may name the rows, and the last one have no value.
  if (dropped == 0 || lines < 2 || (!open_header && numbered + 1 == lines)) return false;
  text = std::move(out);
  return true;
}

/// Whether the first of the lines tells how many others there are, and how many columns behind the names.
bool tells_counts(const std::vector<std::string_view>& lines) {
  if (lines.size() < 3) return false;
  const std::size_t columns = blank_fields(lines[1]).size();
  return columns > 2 && blank_fields(lines[0]) ==
                            std::vector<std::string>{std::to_string(lines.size() - 1), std::to_string(columns - 1)};
}

}  // namespace

std::vector<std::string> blank_fields(std::string_view line) {
  std::vector<std::string> out;
  for (std::size_t at = 0;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return out;
    std::string& field = out.emplace_back();
    if (line[at] != '"') {
      while (at < line.size() && !is_blank(line[at])) field += line[at++];
      continue;
    }
    for (++at;; ++at) {
      if (at == line.size()) return {};
      if (line[at] == '\\' && at + 1 < line.size() && (line[at + 1] == '"' || line[at + 1] == '\\')) {
        field += line[++at];  // as R escapes
      } else if (line[at] != '"') {
        field += line[at];
      } else if (at + 1 < line.size() && line[at + 1] == '"') {
        field += line[++at];
      } else {
        break;
      }
    }
    if (++at < line.size() && !is_blank(line[at])) return {};
  }
}

std::string blank_title_lines(std::string& text) {
  constexpr std::size_t kMostTitles = 20, kFewestRows = 3, kSample = 60;
  std::vector<std::string_view> lines;
  for (LineReader reader(text); lines.size() < kSample && reader.next();) lines.push_back(reader.line());
  const auto is_remark = [](std::string_view line) { return line.starts_with('#') || line.starts_with("\"#"); };
  for (const char separator : {'\t', ';', ','}) {
    std::vector<std::size_t> widths, filled;
    for (const std::string_view line : lines) {
      const LineFields here = fields_in(line, separator);
      widths.push_back(here.count);
      filled.push_back(here.filled);
    }
    // The longest run of lines that are equally wide. Its first names all columns, but perhaps that of row names.
    std::size_t begin = 0, longest = 0;
    for (std::size_t from = 0, to = 0; from < lines.size(); from = to) {
      while (to < lines.size() && widths[to] == widths[from]) ++to;
      while (from < to && filled[from] < std::max<std::size_t>(2, widths[from] - 1)) ++from;
      if (from < to && widths[from] > 1 && to - from > longest) begin = from, longest = to - from;
    }
    // A table from its first line on: what follows would take the commas of its numbers for separators.
    if (begin == 0 && longest >= kFewestRows) return "";
    if (begin == 0 || begin > kMostTitles || longest < kFewestRows || lines.front().starts_with("sep=")) continue;
    const auto is_title = [&](std::size_t line) {
      const std::string_view one = trim(lines[line]);
      return is_remark(one) || one.empty() || filled[line] == 0 ||
             (filled[line] == 1 && (widths[line] == 1 || widths[line] > 2) && !parse_double(one));
    };
    bool titles = true;
    for (std::size_t line = 0; line < begin; ++line) titles = titles && is_title(line);
    if (!titles) continue;
    std::size_t removed = 0;
    for (std::size_t line = 0; line < begin; ++line) removed += lines[line].size() + 1;
    text.replace(0, removed, begin, '\n');
    return fmt::format(
        "Line {} was read as the first of the table, which names its columns; above it {}.", begin + 1,
        begin == 1 ? "stands a title or remark" : fmt::format("stand {} lines of title or remarks", begin));
  }
  return "";
}

TableText table_text(std::string text) {
  TableText out{std::move(text)};
  if (std::string guess = blank_title_lines(out.text); !guess.empty()) out.guesses.push_back(std::move(guess));
  if (has_no_separator(out.text)) {
    std::vector<std::string_view> lines = lines_of(out.text);
    const bool counted = tells_counts(lines);
    if (counted) lines.erase(lines.begin());
    TextRows rows = blank_rows(lines);
    if (rows.empty()) return out;
    if (counted)
      out.guesses.push_back("The first line holds the numbers of rows and columns, as word2vec writes them.");
    if (rows.size() > 1 && rows[0].size() < rows[1].size()) {
      const auto first = [](const std::vector<std::string>& row) { return row.front(); };
      if (!are_row_names(mapped(std::span(rows).subspan(1), first))) return out;
      rows[0].insert(rows[0].begin(), TableText::kRowNames);
      out.row_names = true;
    }
    out.text = counted ? "\n" : "";  // each row keeps its line
    for (const auto& row : rows) out.text += csv_line(row) + "\n";
    return out;
  }
  const char separator = detect_separator(out.text, 2);
  bool open_ends = false;
  while (drop_empty_end(out.text, separator)) open_ends = true;
  if (open_ends)
    out.guesses.push_back("Lines end with a separator and nothing behind it, which was read as no further column.");
  if (out.text.starts_with("# ")) {  // a comment of numpy.savetxt that names the columns
    const std::size_t end = std::min(out.text.find('\n'), out.text.size());
    if (out.text.find(separator) < end) out.text.erase(0, 2);
  }
  if (const auto header = header_without_first(out.text, separator)) {
    out.text.insert(*header, std::string(TableText::kRowNames) + separator);
    out.row_names = true;
  }
  return out;
}

namespace {

/// Whether it is a list with entries, all of that kind.
template <class T>
bool is_list_of(const Value& value) {
  const auto* list = value.get_if<ValueArray>();
  return list && !list->empty() && std::ranges::all_of(*list, [](const Value& one) { return one.get_if<T>(); });
}
bool is_list_of_fields(const Value& value) {
  const auto* list = value.get_if<ValueArray>();
  return list && std::ranges::none_of(*list, [](const Value& one) {
           return one.get_if<ValueArray>() != nullptr || one.get_if<ValueTable>() != nullptr;
         });
}
/// An entry of a matrix is NA where it is missing: an empty corner would mean that the first row names the columns.
constexpr std::string_view kNoEntry = "NA";
std::string json_field(const Value& value, std::string_view missing = kNoEntry) {
  const auto* text = value.get_if<std::string>();
  return text ? *text : value.is_null() ? std::string(missing) : to_json(value);
}
std::vector<std::string> json_fields(const Value& value) {
  return mapped<std::string>(*value.get_if<ValueArray>(), [&](const Value& one) { return json_field(one); });
}

/// The value of a text in JSON, or that of each line. Empty if the text is none.
std::vector<Value> values_in(const std::string& text, const std::string& file) {
  const auto opening = [&](std::size_t behind) {
    return std::min(text.find_first_not_of(" \t\r\n", behind), text.size());
  };
  const std::size_t first = opening(0);
  if (first == text.size() || (text[first] != '[' && text[first] != '{')) return {};
  const std::size_t second = opening(first + 1);
  const bool certain = text[first] == '{' || (second < text.size() && (text[second] == '[' || text[second] == '{'));
  std::vector<Value> out;
  try {
    const std::vector<std::string_view> lines = lines_of(text);
    const auto is_whole = [](std::string_view line) {
      line = trim(line);
      return line.empty() ||
             ((line.front() == '[' || line.front() == '{') && (line.back() == ']' || line.back() == '}'));
    };
    if (lines.size() > 1 && std::ranges::all_of(lines, is_whole)) {
      for (std::size_t k = 0; k < lines.size(); ++k)
        if (!trim(lines[k]).empty()) out.push_back(parse_json(lines[k], file, k + 1));
    } else {
      out.push_back(parse_json(text, file));
    }
  } catch (const DataError&) {
    if (certain) throw;
    return {};
  }
  return out;
}

/// A row that names the columns, and one for each record: a column for each key that some record has. O(values)
template <class Records>
TextRows rows_of_records(const Records& records, std::string_view missing = "") {
  TextRows out(1);
  std::map<std::string_view, std::size_t> column;  // of each key
  for (const Value& record : records)
    for (const auto& [key, value] : *record.template get_if<ValueTable>())
      if (column.emplace(key, out[0].size()).second) out[0].push_back(key);
  for (const Value& record : records) {
    std::vector<std::string>& fields = out.emplace_back(out[0].size(), std::string(missing));
    for (const auto& [key, value] : *record.template get_if<ValueTable>())
      fields[column.at(key)] = json_field(value, missing);
  }
  return out;
}

/// Whether these are no names but 0, 1, 2, ..., as pandas numbers rows and columns.
bool are_places(const std::vector<std::string>& names) {
  std::size_t next = 0;
  return std::ranges::all_of(names, [&](const std::string& name) { return name == std::to_string(next++); });
}

/// A table with its header, and its first column, if they have names; `row_names` then says so.
TextRows with_names(TextRows rows, const std::vector<std::string>& columns, const std::vector<std::string>& names,
                    std::string_view name_column, bool& row_names) {
  const bool headed = !columns.empty() && !are_places(columns);
  row_names = !names.empty() && !are_places(names);
  if (row_names)
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r].insert(rows[r].begin(), names[std::min(r, names.size() - 1)]);
  if (!headed && !row_names) return rows;
  std::vector<std::string> header = columns;
  for (std::size_t c = header.size(); c + (row_names ? 1 : 0) < rows[0].size(); ++c)
    header.push_back(fmt::format("x{}", c + 1));
  if (row_names) header.emplace(header.begin(), name_column);
  rows.insert(rows.begin(), std::move(header));
  return rows;
}

/// The rows of a member of an object, with other members that name them and their columns; `row_names` then says so.
TextRows rows_of_matrix(const Value& matrix, const ValueTable& object, bool& row_names) {
  TextRows out;
  for (const Value& row : *matrix.get_if<ValueArray>()) out.push_back(json_fields(row));
  std::vector<std::string> columns, names;
  std::string name_column = TableText::kRowNames;
  for (const auto& [key, value] : object) {
    if (&value == &matrix || !is_list_of_fields(value)) continue;
    std::vector<std::string> these = json_fields(value);
    if (key == "columns" && these.size() == out[0].size()) {
      columns = std::move(these);
    } else if (names.empty() && these.size() == out.size()) {
      names = std::move(these);
      if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) name_column = key;  // labels
    }
  }
  const bool named = name_column == TableText::kRowNames;
  if (columns.empty() && named && names.size() == out[0].size()) columns = names;
  out = with_names(std::move(out), columns, names, name_column, row_names);
  row_names = row_names && named;
  return out;
}

/// The rows of an object of objects: pandas' columns, or a square of names.
TextRows rows_of_columns(const ValueTable& object, bool& row_names, const std::string& file) {
  TextRows turned = rows_of_records(object | std::views::values, kNoEntry), out;
  const std::vector<std::string> columns = object.keys(), names = turned[0];
  require<DataError>(
      are_places(names) || std::set(names.begin(), names.end()) == std::set(columns.begin(), columns.end()),
      "'{}' holds objects in an object, and which of them are rows is not said. Save the table as a "
      "list of records ([{{ ... }}, ...]), or as CSV.",
      file);
  for (std::size_t r = 0; r < names.size(); ++r) {
    out.emplace_back();
    for (std::size_t c = 1; c < turned.size(); ++c) out.back().push_back(std::move(turned[c][r]));
  }
  return with_names(std::move(out), columns, names, TableText::kRowNames, row_names);
}

/// The table that one object holds: a member that is a list of rows or of records, with members that name its rows and
/// columns; objects that are columns; lists that are columns. Empty if it holds none of these.
TextRows rows_in_object(const ValueTable& object, bool& row_names, const std::string& file) {
  std::vector<const Value*> matrices, records;
  std::size_t objects = 0, lists = 0, fields = 0;
  for (const auto& [key, value] : object) {
    if (is_list_of<ValueArray>(value)) matrices.push_back(&value);
    if (is_list_of<ValueTable>(value)) records.push_back(&value);
    objects += value.get_if<ValueTable>() ? 1 : 0;
    const std::size_t size = is_list_of_fields(value) ? value.get_if<ValueArray>()->size() : 0;
    lists += size > 1 && (fields == 0 || fields == size) ? 1 : 0;
    fields = size;
  }
  if (matrices.empty() && records.size() == 1) return rows_of_records(*records[0]->get_if<ValueArray>());
  if (matrices.size() == 1) return rows_of_matrix(*matrices[0], object, row_names);
  if (objects > 1 && objects == object.size()) return rows_of_columns(object, row_names, file);
  if (lists == 0 || lists != object.size()) return {};
  TextRows out(fields);
  for (const auto& [key, column] : object)
    for (std::size_t r = 0; r < fields; ++r) out[r].push_back(json_field((*column.get_if<ValueArray>())[r]));
  return with_names(std::move(out), object.keys(), {}, "", row_names);
}

/// What jsPsych, JATOS, databases, Python and R write as JSON, as rows.
bool write_json_as_rows(TableText& table, const std::string& file) {
  if (table.text.find("NaN") != table.text.npos && table.text.find('"') == table.text.npos &&
      table.text.find_first_not_of(" \t\r\n") == table.text.find('[')) {
    std::string out;
    std::size_t from = 0;
    for (std::size_t at = 0; (at = table.text.find("NaN", from)) != table.text.npos; from = at + 3)
      out.append(table.text, from, at - from).append("null");
    table.text = out.append(table.text, from);
  }
  ValueArray values = values_in(table.text, file);
  if (values.empty()) return false;
  TextRows rows;
  if (const auto* object = values.front().get_if<ValueTable>(); object && values.size() == 1)
    rows = rows_in_object(*object, table.row_names, file);
  ValueArray entries;  // of one list, or of those of all lines
  const bool lines_of_lists = values.size() > 1 && std::ranges::all_of(values, is_list_of_fields);
  for (Value& value : values)
    if (auto* list = value.get_if<ValueArray>(); list && !lines_of_lists)
      std::ranges::move(*list, std::back_inserter(entries));
    else
      entries.push_back(std::move(value));
  if (entries.empty()) return false;
  const auto is = [&](const auto& kind) { return std::ranges::all_of(entries, kind); };
  const bool found = !rows.empty(), records = is([](const Value&one) { return one.get_if<ValueTable>() != nullptr; });
  if (!found && records) rows = rows_of_records(entries);
  if (!found && !records) {
    if (is_list_of_fields(entries)) {
      for (const Value& one : entries) rows.push_back({json_field(one)});
    } else {
      require<DataError>(is(is_list_of_fields),
                         "'{}' holds a list of other things than records ({{ ... }}). Save the table as CSV.", file);
      for (const Value& row : entries) rows.push_back(json_fields(row));
    }
  }
  table.text.clear();
  for (const std::vector<std::string>& row : rows) table.text += csv_line(row) + "\n";
  if (!found && records)
    table.guesses.push_back(
        fmt::format("The file holds {} in JSON; record k is called line k + 1.", counted(entries.size(), "record")));
  else
    table.guesses.push_back(
        fmt::format("The file holds a table in JSON; its rows are called lines 1 to {}.", rows.size()));
  return true;
}

TableText text_of_table(std::string text, const std::string& file) {
  TableText out{.text = std::move(text)};
  return write_json_as_rows(out, file) ? out : table_text(std::move(out.text));
}

}  // namespace

TableText read_table_or_npy(const std::filesystem::path& path) {
  if (is_study_file(path)) return read_study_file(path);
  std::string bytes = read_text(path);
  const std::string file = path.string();
  if (bytes.starts_with("PK\x03\x04")) {
    std::vector<std::string> arrays;
    const std::uint64_t limit = ReadingLimit::bytes_unpacked(bytes.size());
    const ArchiveLimits limits{.file_bytes = limit, .all_bytes = limit};
    for (const std::string& member : member_names(path, file, limits))
      if (member.ends_with(".npy")) arrays.push_back(member);
    if (arrays.size() > 1) {
      const auto names = mapped(arrays, [](const std::string& one) { return shown(one.substr(0, one.size() - 4)); });
      throw DataError(
          fmt::format("'{0}' holds {1} arrays ({2}), and Alidade reads one. Write it alone: python3 -c \"import numpy; "
                      "numpy.save('{3}.npy', numpy.load('{0}')['{3}'])\"",
                      file, arrays.size(), join(names, ", "), names[0]));
    }
    if (arrays.size() == 1) return {.text = std::move(read_members(path, file, arrays, limits)[0]), .npy = true};
  }
  if (is_npy(bytes)) return {.text = std::move(bytes), .npy = true};
  return text_of_table(as_utf8(std::move(bytes), file), file);
}

bool has_decimal_comma(std::string_view field) {
  const std::size_t comma = field.find(',');
  if (comma == field.npos || field.find_first_of(",.", comma + 1) != field.npos) return false;
  const std::string plain = with_decimal_point(field);
  return comma + 1 < field.size() && field[comma + 1] >= '0' && field[comma + 1] <= '9' &&
         plain.find_first_not_of("+-0123456789.eE") == plain.npos && parse_double(plain).has_value();
}

std::string replace_decimal_commas(std::string& table, DecimalSign sign) {
  // The first row of a triangle has one field only.
  const bool alone = table.substr(0, table.find('\n')).find_first_of(",;\t") == table.npos;
  char separator = detect_separator(table, 2);
  if (alone && table.find(';') != table.npos && table.find('\t') == table.npos) separator = ';';
  const bool asked = sign == DecimalSign::comma, points = sign == DecimalSign::point;
  if (points && separator == ',') return "";
  NumberSigns signs;
  std::string out;
  try {
    signs = number_signs(table, separator, asked);
  } catch (const DataError&) {  // its reader says what is wrong
    return "";
  }
  if (points && (!signs.commas || signs.certain_comma)) return "";
  require<DataError>(
      asked || points || separator != ';' || signs.mixed.empty() || signs.certain_comma,
      "A column holds whole numbers and '{0}'. Is that {1}: --decimal point; or does the comma separate a "
      "fraction: --decimal comma (in a config: decimal = \"point\" or \"comma\")?",
      shown(signs.mixed), shown(replaced(signs.mixed, {{",", ""}})));
  try {
    const bool commas =
        !points && signs.commas && (asked || (signs.points.empty() && (separator == ';' || signs.certain_comma)));
    const bool thousands = asked && !signs.points.empty() && !signs.decimal_point;
    if (!commas && !thousands && !points)
      return separator == ';' && !signs.commas && !signs.points.empty() && !signs.decimal_point
                 ? fmt::format(
                       "All points stand before three digits ('{}') and are read as decimal points. If they "
                       "are thousands: --decimal comma (in a config: decimal = \"comma\").",
                       shown(signs.points))
                 : "";
    RowReader reader(table, "", separator);
    while (reader.next()) {
      std::vector<std::string> fields;
      if (out.empty() && reader.line() > 1) out += "sep=,\n";
      for (std::size_t c = 0; c < reader.fields().size(); ++c) {
        std::string field(reader.fields()[c]);
        if (points) {
          if (has_thousands(field, ',')) std::erase(field, ',');
        } else if (has_decimal_comma(field) && (asked || field.find('.') == field.npos)) {
          field = with_decimal_point(field);
        } else if (thousands && has_thousands(field, '.')) {
          std::erase(field, '.');
        }
        fields.push_back(std::move(field));
      }
      out += csv_line(fields) + '\n';
    }
    table = std::move(out);
    if (points) return "Commas are read as thousands.";
    return (commas ? std::string("Decimal commas are read as points.") : std::string()) +
           (commas && thousands ? " " : "") +
           (thousands ? fmt::format("Points are read as thousands, as all stand before three digits ('{}').",
                                    shown(signs.points))
                      : "");
  } catch (const DataError&) {  // its reader says what is wrong
    return "";
  }
}

TableText read_table_text(const std::filesystem::path& path) {
  return is_study_file(path) ? read_study_file(path) : text_of_table(read_utf8(path), path.string());
}

}  // namespace alidade
