#include "experiments/files/table_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
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
#include "problems/core/text.hpp"

namespace alidade {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (LineReader lines(text); lines.next();) out.push_back(lines.line());
  while (!out.empty() && trim(out.back()).empty()) out.pop_back();
  return out;
}

std::string quoted_field(std::string_view field) {
  if (field.find_first_of(",\"\n") == field.npos && !field.empty()) return std::string(field);
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string joined(const std::vector<std::string>& fields) {
  std::string out;
  for (std::size_t c = 0; c < fields.size(); ++c) out += (c > 0 ? "," : "") + quoted_field(fields[c]);
  return out;
}

/// The rows of a table separated by blanks; empty if the text is none: other separators, or rows of other lengths.
std::vector<std::vector<std::string>> blank_rows(const std::vector<std::string_view>& lines) {
  std::vector<std::vector<std::string>> out;
  for (const std::string_view line : lines) {
    out.push_back(blank_fields(line));
    const std::size_t width = out.size() > 1 ? out[1].size() : out[0].size();
    const bool header = out.size() == 1;
    if (out.size() == 2 && width < 2) return {};
    if (width == 0 || (!header && out.back().size() != width)) return {};
  }
  if (out.size() < 2 || out[1].size() < 2) return {};
  std::vector<std::string>& head = out.front();
  if (head.front() == "#") head.erase(head.begin());  // a comment of numpy.savetxt that names the columns
  return head.size() == out[1].size() || head.size() + 1 == out[1].size() ? out
                                                                          : std::vector<std::vector<std::string>>();
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
    if (std::ranges::any_of(reader.fields(), [](std::string_view f) { return parse_double(f).has_value(); }))
      return std::nullopt;  // no header
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

std::string without_commas(std::string text) {
  std::erase(text, ',');
  return text;
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
  for (std::string_view rest = text; !rest.empty() && lines.size() < kSample;) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto is_remark = [](std::string_view line) { return line.starts_with('#') || line.starts_with("\"#"); };
  for (const char separator : {'\t', ';', ','}) {
    std::vector<std::size_t> widths, filled;
    for (const std::string_view line : lines) {
      std::size_t fields = 1, with_text = 0;
      bool quoted = false, text_here = false;
      for (const char c : line) {
        if (c == '"') quoted = !quoted;
        const bool ends = c == separator && !quoted;
        fields += ends ? 1 : 0;
        with_text += ends && text_here ? 1 : 0;
        text_here = ends ? false : text_here || !is_blank(c);
      }
      widths.push_back(fields);
      filled.push_back(with_text + (text_here ? 1 : 0));
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
    std::vector<std::vector<std::string>> rows = blank_rows(lines);
    if (rows.empty()) return out;
    if (counted)
      out.guesses.push_back("The first line holds the numbers of rows and columns, as word2vec writes them.");
    if (rows[0].size() < rows[1].size()) {
      std::vector<std::string> first;
      for (std::size_t r = 1; r < rows.size(); ++r) first.push_back(rows[r][0]);
      if (!are_row_names(std::move(first))) return out;
      rows[0].insert(rows[0].begin(), TableText::kRowNames);
      out.row_names = true;
    }
    out.text = counted ? "\n" : "";  // each row keeps its line
    for (const auto& row : rows) out.text += joined(row) + "\n";
    return out;
  }
  const char separator = detect_separator(out.text, 2);
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

/// The records of lists of objects in JSON: one list, or a list or object a line. Empty if the text is none of these.
std::vector<ValueTable> records_in(const std::string& text, const std::string& file) {
  std::vector<ValueTable> out;
  const auto opening = [&](std::size_t behind) {
    return std::min(text.find_first_not_of(" \t\r\n", behind), text.size());
  };
  const std::size_t first = opening(0);
  const std::size_t record = text.compare(first, 1, "[") == 0 ? opening(first + 1) : first;
  if (text.compare(record, 1, "{") != 0) return out;
  const auto add = [&](const Value& value) {
    if (const auto* table = value.get_if<ValueTable>()) out.push_back(*table);
    if (const auto* list = value.get_if<ValueArray>())
      for (const Value& one : *list) {
        const auto* table = one.get_if<ValueTable>();
        require<DataError>(table, "'{}' holds a list of other things than records ({{ ... }}). Save the table as CSV.",
                           file);
        out.push_back(*table);
      }
  };
  const std::vector<std::string_view> lines = lines_of(text);
  const auto is_whole = [](std::string_view line) {
    line = trim(line);
    return line.empty() || ((line.front() == '[' || line.front() == '{') && (line.back() == ']' || line.back() == '}'));
  };
  if (lines.size() > 1 && std::ranges::all_of(lines, is_whole)) {
    for (std::size_t k = 0; k < lines.size(); ++k)
      if (!trim(lines[k]).empty()) add(parse_json(lines[k], file, k + 1));
  } else {
    add(parse_json(text, file));
  }
  return out;
}

/// What jsPsych, JATOS and databases write, as rows: a column for each key that some record has.
bool write_records_as_rows(TableText& table, const std::string& file) {
  const std::vector<ValueTable> records = records_in(table.text, file);
  if (records.empty()) return false;
  std::vector<std::string> header;
  std::set<std::string, std::less<>> known;
  for (const ValueTable& record : records)
    for (const auto& [key, value] : record)
      if (known.insert(key).second) header.push_back(key);
  table.text = joined(header) + "\n";
  for (const ValueTable& record : records) {
    std::vector<std::string> fields;
    for (const std::string& key : header) {
      const Value* value = record.find(key);
      const auto* text = value ? value->get_if<std::string>() : nullptr;
      fields.push_back(text ? *text : !value || value->is_null() ? "" : to_json(*value));
    }
    table.text += joined(fields) + "\n";
  }
  table.guesses.push_back(
      fmt::format("The file holds {} in JSON; record k is called line k + 1.", counted(records.size(), "record")));
  return true;
}

TableText text_of_table(std::string text, const std::string& file) {
  TableText out{.text = std::move(text)};
  return write_records_as_rows(out, file) ? out : table_text(std::move(out.text));
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
      const std::string first = arrays.front().substr(0, arrays.front().size() - 4);
      std::vector<std::string> names;
      for (const std::string& array : arrays) names.push_back(array.substr(0, array.size() - 4));
      throw DataError(
          fmt::format("'{0}' holds {1} arrays ({2}), and Alidade reads one. Write it alone: python3 -c \"import numpy; "
                      "numpy.save('{3}.npy', numpy.load('{0}')['{3}'])\"",
                      file, arrays.size(), join(shown(names), ", "), shown(first)));
    }
    if (arrays.size() == 1) return {.text = std::move(read_members(path, file, arrays, limits)[0]), .npy = true};
  }
  if (is_npy(bytes)) return {.text = std::move(bytes), .npy = true};
  return text_of_table(as_utf8(std::move(bytes), file), file);
}

bool has_decimal_comma(std::string_view field) {
  const std::size_t comma = field.find(',');
  if (comma == field.npos || field.find(',', comma + 1) != field.npos) return false;
  if (field.find('.', comma) != field.npos) return false;
  std::string plain(field);
  plain.erase(comma, 1);
  std::erase(plain, '.');  // thousands
  plain.insert(comma - static_cast<std::size_t>(
                           std::count(field.begin(), field.begin() + static_cast<std::ptrdiff_t>(comma), '.')),
               1, '.');
  if (plain.front() == '+') plain.erase(0, 1);
  return comma + 1 < field.size() && field[comma + 1] >= '0' && field[comma + 1] <= '9' &&
         plain.find_first_not_of("+-0123456789.eE") == plain.npos && parse_double(plain).has_value();
}

DecimalSign decimal_sign(std::string_view name) {
  if (name == "auto") return DecimalSign::detected;
  if (name == "point") return DecimalSign::point;
  if (name == "comma") return DecimalSign::comma;
  throw ConfigError(fmt::format("--decimal (in a config: decimal) is '{}'. Give auto, point or comma.", name));
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
      shown(signs.mixed), shown(without_commas(signs.mixed)));
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
      if (out.empty() && reader.line() > 1) out += "sep=,\n";
      for (std::size_t c = 0; c < reader.fields().size(); ++c) {
        std::string field(reader.fields()[c]);
        if (points) {
          if (has_thousands(field, ',')) std::erase(field, ',');
        } else if (has_decimal_comma(field) && (asked || field.find('.') == field.npos)) {
          std::erase(field, '.');
          std::ranges::replace(field, ',', '.');
        } else if (thousands && has_thousands(field, '.')) {
          std::erase(field, '.');
        }
        out += (c > 0 ? "," : "") + (field.empty() ? field : quoted_field(field));
      }
      out += '\n';
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
