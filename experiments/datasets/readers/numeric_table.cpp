#include "experiments/datasets/readers/numeric_table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "experiments/datasets/readers/name_forms.hpp"
#include "experiments/datasets/readers/odd_names.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

using Fields = std::span<const std::string_view>;

/// Rows with any separator; runs of blanks have no quotes and no empty fields.
class Rows {
 public:
  Rows(std::string_view text, const std::string& name, NumericTableSpec::Separator separator)
      : text_(text), name_(name) {
    if (separator == NumericTableSpec::Separator::detected)
      reader_ = std::make_unique<RowReader>(text, name, detect_separator(text, 2));
  }
  [[nodiscard]] bool next() {
    if (reader_) return reader_->next();
    fields_.clear();
    if (at_ >= text_.size()) return false;
    ++line_;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    constexpr std::string_view kBlanks = " \t\r";
    std::string_view rest = text_.substr(at_, end - at_);
    at_ = end + 1;
    for (;;) {
      const std::size_t begin = rest.find_first_not_of(kBlanks);
      if (begin == rest.npos) break;
      rest.remove_prefix(begin);
      const std::size_t length = std::min(rest.find_first_of(kBlanks), rest.size());
      fields_.push_back(rest.substr(0, length));
      rest.remove_prefix(length);
    }
    if (!fields_.empty()) return true;
    require<DataError>(at_ >= text_.size() || text_.find_first_not_of(" \t\r\n", at_) == text_.npos,
                       "{}: The line is blank, but more lines follow. Remove it.", place());
    return false;
  }
  [[nodiscard]] Fields fields() const { return reader_ ? reader_->fields() : Fields(fields_); }
  [[nodiscard]] std::size_t line() const { return reader_ ? reader_->line() : line_; }
  [[nodiscard]] std::string place() const { return at_line(name_, line()); }
  [[nodiscard]] std::string separator() const {
    return reader_ ? std::string(separator_name(reader_->separator())) : "blanks";
  }

 private:
  std::string_view text_;
  std::string name_;
  std::unique_ptr<RowReader> reader_;
  std::size_t at_ = 0, line_ = 0;
  std::vector<std::string_view> fields_;
};

/// A column by its name in the header, or by its number from 1.
std::optional<std::size_t> column_of(const std::string& wanted, const std::vector<std::string>& header,
                                     std::size_t width, const std::string& file) {
  if (wanted.empty()) return std::nullopt;
  const auto found = std::ranges::find(header, wanted);
  if (found != header.end()) {
    require<DataError>(std::ranges::count(header, wanted) == 1,
                       "'{}' has two columns called '{}'. Give them different names.", file, shown(wanted));
    return static_cast<std::size_t>(found - header.begin());
  }
  const auto number = parse_double(wanted);
  if (number && *number >= 1 && *number <= static_cast<double>(width) && *number == std::floor(*number))
    return static_cast<std::size_t>(*number) - 1;
  throw ConfigError(fmt::format("'{}' has no column '{}'. {}", file, shown(wanted),
                                header.empty() ? fmt::format("It has no header, so give a number from 1 to {}.", width)
                                               : "Its header names others." + suggestion(wanted, shown(header))));
}

/// `value`: the field's value, if it is a number.
[[noreturn]] void refuse_number(const std::string& place, const std::string& column, std::string_view field,
                                const std::optional<double>& value) {
  require<DataError>(
      value || !has_decimal_comma(field),
      "{}: Column {} holds '{}', a number with a decimal comma. Write numbers with points. If commas are "
      "nothing else in the file: sed 's/,/./g' FILE > points.tsv",
      place, column, shown(field));
  throw DataError(fmt::format(
      "{}: Column {} holds '{}', which is {}. {}.", place, column, shown(field),
      !value                  ? "not a number"
      : std::isfinite(*value) ? "too large a number"
                              : "not finite",
      marks_missing(field) || value
          ? "A table needs a finite number everywhere: fill it in, or leave the row or "
            "column out"
          : "If the column holds names or labels, name it with --name-column or "
            "--label-column (in a config: name_column, label_column). Otherwise correct it, or leave the row or "
            "column out"));
}

/// The rows from the first one of the table on, as evidence; fewer where one is malformed, which reading then reports.
TableSample sample_of(std::string_view text, const std::string& name, const NumericTableSpec& spec, std::size_t width) {
  TableSample out;
  Rows rows(text, name, spec.separator);
  try {
    for (Index i = 0; i < spec.lines_before; ++i)
      if (!rows.next()) return out;
    while (out.rows.size() < sample_size(width) && rows.next() && rows.fields().size() == width) {
      out.rows.emplace_back(rows.fields().begin(), rows.fields().end());
      out.lines.push_back(rows.line());
    }
  } catch (const DataError&) {
    return out;
  }
  return out;
}

std::size_t count_lines(std::string_view text, const std::string& name, const NumericTableSpec& spec) {
  std::size_t count = 0;
  Rows rows(text, name, spec.separator);
  while (rows.next()) ++count;
  return count - static_cast<std::size_t>(spec.lines_before);
}

/// What the options say about the columns, as far as it does not depend on a header.
LayoutQuestion question_of(const NumericTableSpec& spec, Fields first) {
  LayoutQuestion out{.header = spec.header, .index = spec.index, .is_value = std::vector<bool>(first.size(), true)};
  std::vector<std::string> wanted = spec.not_read;
  wanted.push_back(spec.name);
  wanted.push_back(spec.label);
  for (const std::string& column : wanted) {
    if (column.empty()) continue;
    const auto number = parse_double(column);
    const auto found = std::ranges::find(first, std::string_view(column));
    if (found != first.end()) {
      out.is_value[static_cast<std::size_t>(found - first.begin())] = false;
      out.header_is_named = out.header_is_named || !number;
    } else if (number && *number >= 1 && *number <= static_cast<double>(first.size())) {
      out.is_value[static_cast<std::size_t>(*number) - 1] = false;
    }
  }
  return out;
}

/// Whether a column of this name often only tells rows apart.
bool is_about_rows(std::string_view column) {
  std::string plain;
  for (const char c : column)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) plain += static_cast<char>(std::tolower(c));
  constexpr std::array<std::string_view, 10> kRows = {"id",        "index", "idx", "row",    "rowid",
                                                      "rownumber", "no",    "nr",  "number", "rownames"};
  return column == "#" || std::ranges::find(kRows, plain) != kRows.end();
}

/// A note on features that only number the rows.
std::optional<std::string> note_on_numbering(const TableSample& sample, const std::vector<std::size_t>& columns) {
  constexpr std::size_t kEnoughRows = 10;
  if (sample.rows.size() <= kEnoughRows) return std::nullopt;
  for (const std::size_t c : columns) {
    std::vector<std::string> values;
    for (std::size_t r = 1; r < sample.rows.size(); ++r) values.push_back(sample.rows[r][c]);
    if (!is_about_rows(sample.rows.front()[c]) || !count_up(values)) continue;
    const std::string name = shown(sample.rows.front()[c]);
    return fmt::format(
        "Column '{0}' numbers the rows, and counts as a feature. To leave it out: --set dataset.0.skip={0} "
        "(in a config: skip = \"{0}\").",
        name);
  }
  return std::nullopt;
}

bool all_differ(std::vector<std::string> names) {
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

}  // namespace

NumericTable parse_numeric_table(std::string_view text, const std::string& name, const NumericTableSpec& spec) {
  NumericTable out;
  Rows rows(text, name, spec.separator);
  bool any = rows.next();
  for (Index i = 0; any && i < spec.lines_before; ++i) any = rows.next();
  require<DataError>(any, "'{}' has no rows. Give a file with a table.", name);
  const std::size_t width = spec.columns > 0 ? static_cast<std::size_t>(spec.columns) : rows.fields().size();
  const bool guesses = spec.header == TablePart::detected || spec.index == TablePart::detected;
  TableSample sample;
  TableLayout layout{.header = spec.header == TablePart::there, .index = spec.index == TablePart::there};
  if (guesses && rows.fields().size() == width) {
    sample = sample_of(text, name, spec, width);
    LayoutQuestion question = question_of(spec, rows.fields());
    if (spec.square) question.square_lines = count_lines(text, name, spec);
    layout = layout_of(sample, question);
    if (layout.header) require_one_header(sample, question.is_value, name);
  }
  const bool headed = layout.header;
  const auto check_width = [&] {
    const std::size_t count = rows.fields().size();
    if (count != width)
      throw DataError(
          fmt::format("{}: The row has {} column{} where {} {}. Correct the row (columns are "
                      "separated by {}).",
                      rows.place(), count, count == 1 ? "" : "s",
                      spec.columns > 0 ? "the format has"
                      : headed         ? "the header has"
                                       : "the first row has",
                      width, rows.separator()));
  };
  check_width();
  std::vector<std::string> header;
  if (headed) header.assign(rows.fields().begin(), rows.fields().end());

  const auto name_at = column_of(spec.name, header, width, name);
  const auto label_at = column_of(spec.label, header, width, name);
  std::vector<bool> is_value(width, true);
  if (name_at) is_value[*name_at] = false;
  if (label_at) is_value[*label_at] = false;
  if (layout.index) is_value[0] = false;
  for (const std::string& left_out : spec.not_read)
    if (const auto c = column_of(left_out, header, width, name)) is_value[*c] = false;
  std::vector<std::size_t> value_columns;
  for (std::size_t c = 0; c < width; ++c)
    if (is_value[c]) {
      value_columns.push_back(c);
      if (headed) out.columns.push_back(header[c]);
    }
  require<DataError>(!value_columns.empty(), "'{}' has no column left to be a feature. Leave fewer columns out.", name);

  std::vector<float> values;
  std::vector<double> precise;  // empty while all are floats
  for (bool pending = !headed; pending || rows.next(); pending = false) {
    check_width();
    const Fields fields = rows.fields();
    for (const std::size_t c : value_columns) {
      const auto value = parse_double(fields[c]);
      const auto narrow = static_cast<float>(value.value_or(0));
      if (!value || !std::isfinite(narrow))
        refuse_number(rows.place(), headed ? fmt::format("'{}'", shown(header[c])) : std::to_string(c + 1), fields[c],
                      value);
      if (precise.empty() && static_cast<double>(narrow) != *value) precise.assign(values.begin(), values.end());
      values.push_back(narrow);
      if (!precise.empty() || static_cast<double>(narrow) != *value) precise.push_back(*value);
    }
    if (name_at || layout.index)
      out.objects.push_back(composed(fields[name_at.value_or(0)]));
    else
      out.objects.push_back(std::to_string(out.objects.size() + 1));
    if (label_at) out.labels.push_back(composed(fields[*label_at]));
    out.lines.push_back(rows.line());
  }
  require<DataError>(!out.objects.empty(), "'{}' has a header but no rows. Give a file with a table.", name);
  out.values = Eigen::Map<const FeatureMatrix>(values.data(), static_cast<Index>(out.objects.size()),
                                               static_cast<Index>(value_columns.size()));
  out.index = layout.index && !name_at && all_differ(out.objects);
  if (layout.index && !name_at && !out.index)  // of tables that were joined: it names no row
    for (std::size_t i = 0; i < out.objects.size(); ++i) out.objects[i] = std::to_string(i + 1);
  out.guesses = std::move(layout.guesses);
  out.notes = out.guesses;
  if (headed && spec.index == TablePart::detected && !spec.square)
    if (auto note = note_on_numbering(sample, value_columns)) out.notes.push_back(*std::move(note));
  if (!precise.empty()) out.precise = Eigen::Map<const Matrix>(precise.data(), out.values.rows(), out.values.cols());
  return out;
}

NumericTable read_numeric_table(const std::filesystem::path& path, const NumericTableSpec& spec) {
  return parse_numeric_table(read_text(path), path.string(), spec);
}

}  // namespace alidade::datasets
