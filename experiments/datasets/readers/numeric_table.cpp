#include "experiments/datasets/readers/numeric_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "experiments/datasets/readers/column_roles.hpp"
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
  Rows(std::string_view text, const std::string& name, const NumericTableSpec& spec)
      : text_(text), name_(name), words_(spec.missing_words) {
    if (spec.separator == NumericTableSpec::Separator::detected)
      reader_ = std::make_unique<RowReader>(text, name, detect_separator(text, 2));
  }
  /// Whether the last row is the first one.
  [[nodiscard]] bool is_first() const { return count_ == 1; }
  [[nodiscard]] bool next() {
    ++count_;
    if (reader_) {
      if (!reader_->next()) return false;
      fields_.assign(reader_->fields().begin(), reader_->fields().end());
      for (std::string_view& field : words_.empty() ? std::span<std::string_view>() : std::span(fields_))
        if (std::ranges::find(words_, lower_ascii(field)) != words_.end()) field = {};
      return true;
    }
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
  void take_header() {
    if (reader_) reader_->take_header();
  }
  [[nodiscard]] std::vector<std::string> notes() const {
    return reader_ ? reader_->reading().notes() : std::vector<std::string>{};
  }
  [[nodiscard]] Fields fields() const { return fields_; }
  [[nodiscard]] std::size_t line() const { return reader_ ? reader_->line() : line_; }
  [[nodiscard]] Place place() const { return {name_, line()}; }
  [[nodiscard]] std::string separator() const {
    return reader_ ? std::string(separator_name(reader_->separator())) : "blanks";
  }

 private:
  std::string_view text_;
  std::string name_;
  std::vector<std::string> words_;  // that mark a missing value
  std::unique_ptr<RowReader> reader_;
  std::size_t at_ = 0, line_ = 0, count_ = 0;
  std::vector<std::string_view> fields_;
};

/// The place of a column's number from 1.
std::optional<std::size_t> place_of_number(const std::string& wanted, std::size_t width) {
  const auto number = parse_double(wanted);
  if (!number || *number < 1 || *number > static_cast<double>(width) || *number != std::floor(*number))
    return std::nullopt;
  return static_cast<std::size_t>(*number) - 1;
}

/// Whether a number that is also a name in the first line means the column of this place: it holds text, and the one of
/// this name holds numbers, as under the header ",0,1,2".
bool means_place(const TableSample& sample, std::size_t place, std::size_t named) {
  const auto is_text = [&](std::size_t c) {
    return std::any_of(sample.rows.begin() + (sample.rows.empty() ? 0 : 1), sample.rows.end(),
                       [c](const auto& row) { return !parse_double(row[c]); });
  };
  return is_text(place) && !is_text(named);
}

/// A column by its name in the header, or by its number from 1.
std::optional<std::size_t> column_of(const std::string& wanted, const std::vector<std::string>& header,
                                     std::size_t width, const std::string& file, const TableSample& sample) {
  if (wanted.empty()) return std::nullopt;
  const auto position = std::ranges::find(header, wanted);
  const auto place = place_of_number(wanted, width);
  if (position != header.end()) {
    if (place && means_place(sample, *place, static_cast<std::size_t>(position - header.begin()))) return place;
    require<DataError>(std::ranges::count(header, wanted) == 1,
                       "'{}' has two columns called '{}'. Give them different names.", file, shown(wanted));
    return static_cast<std::size_t>(position - header.begin());
  }
  if (place) return place;
  throw ConfigError(fmt::format("'{}' has no column '{}'. {}", file, shown(wanted),
                                header.empty() ? fmt::format("It has no header, so give a number from 1 to {}.", width)
                                               : "Its header names others." + suggestion(wanted, shown(header))));
}

/// `value`: the field's value, if it is a number.
[[noreturn]] void refuse_number(const std::string& place, const std::string& column, std::string_view field,
                                const std::optional<double>& value, std::string_view missing_advice) {
  require<DataError>(
      value || !has_decimal_comma(field),
      "{}: Column {} holds '{}', a number with a decimal comma. If it is none for thousands: --decimal comma (in a "
      "config: decimal = \"comma\"). Else write numbers with points.",
      place, column, shown(field));
  throw DataError(fmt::format(
      "{}: Column {} holds '{}', which is {}. {}.", place, column, shown(field),
      !value                  ? "not a number"
      : std::isfinite(*value) ? "too large a number"
                              : "not finite",
      marks_missing(field) || value
          ? fmt::format("A table needs a finite number everywhere: {}", missing_advice)
          : "If the column holds names or labels, name it with --name-column or "
            "--label-column (in a config: name_column, label_column). Otherwise correct it, or leave the row or "
            "column out"));
}

/// The next row, where a line of names alone is the header, so that rows that repeat it are left out.
bool next_of(Rows& rows, const NumericTableSpec& spec) {
  if (!rows.next()) return false;
  if (spec.header != TablePart::absent && rows.is_first() &&
      std::ranges::none_of(rows.fields(), [](std::string_view field) { return parse_double(field).has_value(); }))
    rows.take_header();
  return true;
}

/// The rows from the first one of the table on, as evidence; fewer where one is malformed, which reading then reports.
TableSample sample_of(std::string_view text, const std::string& name, const NumericTableSpec& spec, std::size_t width) {
  TableSample out;
  Rows rows(text, name, spec);
  try {
    for (Index i = 0; i < spec.lines_before; ++i)
      if (!rows.next()) return out;
    while (out.rows.size() < sample_size(width) && next_of(rows, spec) && rows.fields().size() == width) {
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
  Rows rows(text, name, spec);
  while (next_of(rows, spec)) ++count;
  return count - static_cast<std::size_t>(spec.lines_before);
}

/// What the options say about the columns, as far as it does not depend on a header.
LayoutQuestion question_of(const NumericTableSpec& spec, const TableSample& sample) {
  const std::vector<std::string>& first = sample.rows.front();
  LayoutQuestion out{.header = spec.header, .index = spec.index, .is_value = std::vector<bool>(first.size(), true)};
  std::vector<std::string> wanted = spec.not_read;
  wanted.push_back(spec.name);
  wanted.push_back(spec.label);
  for (const std::string& column : wanted) {
    if (column.empty()) continue;
    const auto place = place_of_number(column, first.size());
    const auto position = std::ranges::find(first, column);
    const auto named = static_cast<std::size_t>(position - first.begin());
    if (position != first.end() && !(place && means_place(sample, *place, named))) {
      out.is_value[named] = false;
      out.header_is_named = out.header_is_named || !parse_double(column);
    } else if (place) {
      out.is_value[*place] = false;
      if (column == spec.name || (column == spec.label && !out.name)) out.name = place;
    }
  }
  return out;
}

/// The one column, below a header, of texts that repeat. With several of them none is the label.
std::optional<std::size_t> text_column(const TableSample& sample, const std::vector<bool>& is_value) {
  constexpr std::size_t kFewestRows = 4;
  std::optional<std::size_t> out;
  for (std::size_t c = 0; c < is_value.size() && sample.rows.size() > kFewestRows; ++c) {
    if (!is_value[c]) continue;
    std::set<std::string_view> texts;
    std::size_t filled = 0;
    bool is_text = true;
    for (const auto& row : std::span(sample.rows).subspan(1)) {
      if (marks_missing(row[c])) continue;
      is_text = is_text && !parse_double(row[c]) && !has_decimal_comma(row[c]);
      texts.insert(row[c]);
      ++filled;
    }
    if (!is_text || filled < kFewestRows || 2 * texts.size() > filled) continue;
    if (out) return std::nullopt;
    out = c;
  }
  return out;
}

/// A number and what stands before or after it: "12 %", "€3", "4.5kg".
struct NumberWithUnit {
  double value;
  std::string unit;
};
/// Nothing for a plain number, and for text that begins with a number by chance ("2nd", "10-20").
std::optional<NumberWithUnit> number_with_unit(std::string_view field) {
  constexpr std::array<std::string_view, 9> kBefore = {"€", "$", "£", "¥", "₹", "EUR", "USD", "GBP", "CHF"};
  constexpr std::array<std::string_view, 4> kOrdinals = {"st", "nd", "rd", "th"};
  constexpr std::size_t kLongest = 5;
  std::string_view number = field, sign;
  std::string unit;
  for (const std::string_view minus : {"-", "+", "\u2212"})
    if (number.starts_with(minus)) sign = minus, number.remove_prefix(minus.size());
  for (const std::string_view before : kBefore)
    if (number.starts_with(before)) unit = before, number = trim(number.substr(before.size()));
  const std::size_t end = unit.empty() ? number.find_last_of("0123456789") : number.npos;
  if (unit.empty() && end != number.npos) {
    unit = trim(number.substr(end + 1));
    number = trim(number.substr(0, end + 1));
  }
  const bool letters = std::ranges::all_of(
      unit, [](char c) { return std::string_view("0123456789.,-+/_()").find(c) == std::string_view::npos; });
  if (unit.empty() || !letters || unit.size() > kLongest || number.empty() ||
      std::ranges::find(kOrdinals, lower_ascii(unit)) != kOrdinals.end())
    return std::nullopt;
  std::string plain(number);
  if (const std::size_t comma = plain.find(','); comma != plain.npos) {
    const bool thousands = plain.find('.', comma) != plain.npos || (comma + 4 == plain.size() && unit != "%");
    if (thousands)
      std::erase(plain, ',');
    else
      std::ranges::replace(plain, ',', '.');
  }
  const auto value = parse_double(plain);
  if (!value || plain.front() == '-' || !std::isfinite(*value)) return std::nullopt;
  return NumberWithUnit{sign.empty() || sign == "+" ? *value : -*value, unit};
}

/// The unit of each column whose values are numbers with the same one, at least every second; "" for the others.
std::vector<std::string> units_of(const TableSample& sample, bool headed, const std::vector<bool>& is_value) {
  std::vector<std::string> out(is_value.size());
  for (std::size_t c = 0; c < is_value.size(); ++c) {
    std::string unit;
    std::size_t with_unit = 0, plain = 0;
    bool same = is_value[c];
    for (std::size_t r = headed ? 1 : 0; r < sample.rows.size() && same; ++r) {
      const std::string& field = sample.rows[r][c];
      if (marks_missing(field)) continue;
      if (parse_double(field)) {
        ++plain;
      } else if (const auto number = number_with_unit(field); number && (unit.empty() || unit == number->unit)) {
        unit = number->unit;
        ++with_unit;
      } else {
        same = false;
      }
    }
    if (same && with_unit > 1 && with_unit >= plain) out[c] = unit;
  }
  return out;
}

/// Whether a column counts the rows of a sample below its header.
bool counts_rows(const TableSample& sample, std::size_t column) {
  constexpr std::size_t kFewestRows = 5;
  std::vector<std::string> values;
  for (std::size_t r = 1; r < sample.rows.size(); ++r) values.push_back(sample.rows[r][column]);
  return values.size() >= kFewestRows && count_up(values);
}

/// A note on the first feature that only tells rows apart: its name says so, and it has another whole number in each.
std::optional<std::string> note_on_numbering(const FeatureMatrix& values, const Matrix& precise,
                                             const std::vector<std::string>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!is_about_rows(columns[c])) continue;
    const auto at = static_cast<Index>(c);
    std::vector<double> numbers;
    for (Index i = 0; i < values.rows(); ++i)
      numbers.push_back(precise.size() > 0 ? precise(i, at) : static_cast<double>(values(i, at)));
    if (!std::ranges::all_of(numbers, [](double value) { return value == std::floor(value); })) continue;
    std::ranges::sort(numbers);
    if (std::ranges::adjacent_find(numbers) != numbers.end()) continue;
    return fmt::format(
        "Column '{0}' has another whole number in each row, and counts as a feature. If it names the objects: "
        "--name-column {0}. To leave it out: --set dataset.0.skip={0} (in a config: name_column or skip = \"{0}\").",
        shown(columns[c]));
  }
  return std::nullopt;
}

/// A note on the first name that several rows have.
std::optional<std::string> note_on_repeats(const std::vector<std::string>& names,
                                           const std::vector<std::size_t>& lines) {
  std::unordered_map<std::string_view, std::size_t> first;
  std::optional<std::string> out;
  std::size_t repeats = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [entry, fresh] = first.try_emplace(names[i], i);
    if (fresh) continue;
    ++repeats;
    if (!out)
      out = fmt::format("Two rows have the name '{}' (lines {} and {}).", shown(names[i]), lines[entry->second],
                        lines[i]);
  }
  if (repeats > 1) *out += fmt::format(" {} rows repeat a name in all.", repeats);
  return out;
}

}  // namespace

NumericTable parse_numeric_table(std::string_view text, const std::string& name, const NumericTableSpec& spec) {
  NumericTable out;
  Rows rows(text, name, spec);
  bool any = rows.next();
  for (Index i = 0; any && i < spec.lines_before; ++i) any = rows.next();
  require<DataError>(any, "'{}' has no rows. Give a file with a table.", name);
  const std::size_t width = spec.columns > 0 ? static_cast<std::size_t>(spec.columns) : rows.fields().size();
  const bool guesses = spec.header == TablePart::detected || spec.index == TablePart::detected;
  TableSample sample;
  TableLayout layout{.header = spec.header == TablePart::there, .index = spec.index == TablePart::there};
  if (guesses && rows.fields().size() == width) {
    sample = sample_of(text, name, spec, width);
    LayoutQuestion question = question_of(spec, sample);
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
  if (headed) rows.take_header();

  const auto name_at = column_of(spec.name, header, width, name, sample);
  auto label_at = column_of(spec.label, header, width, name, sample);
  std::vector<bool> is_value(width, true);
  if (name_at) is_value[*name_at] = false;
  if (label_at) is_value[*label_at] = false;
  if (layout.index) is_value[0] = false;
  for (const std::string& left_out : spec.not_read)
    if (const auto c = column_of(left_out, header, width, name, sample)) is_value[*c] = false;
  const std::vector<std::string> units = units_of(sample, headed, is_value);
  std::vector<bool> may_be_label = is_value;
  for (std::size_t c = 0; c < units.size(); ++c)
    if (!units[c].empty()) {
      may_be_label[c] = false;
      layout.guesses.push_back(fmt::format("Column {} holds numbers with '{}', which were read without it.",
                                           headed ? fmt::format("'{}'", shown(header[c])) : std::to_string(c + 1),
                                           shown(units[c])));
    }
  if (headed && !label_at && !spec.square && spec.index == TablePart::detected)
    if (const auto words = text_column(sample, may_be_label)) {
      label_at = words;
      is_value[*words] = false;
      layout.guesses.push_back(
          fmt::format("Column '{0}' holds text that repeats, so it was read as the label. To leave "
                      "it out: --set dataset.0.skip={0} (in a config: skip = \"{0}\").",
                      shown(header[*words])));
    }
  for (std::size_t c = 0; c < width; ++c)
    if (headed && !spec.square && spec.index == TablePart::detected && is_value[c] && is_about_rows(header[c]) &&
        std::ranges::count(is_value, true) > 1 && counts_rows(sample, c)) {
      is_value[c] = false;
      layout.guesses.push_back(fmt::format(
          "Column '{}' counts the rows, so it was left out. If it is a feature: --index no (in a config: index = "
          "\"no\").",
          shown(header[c])));
    }
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
      const bool missing = spec.missing && marks_missing(fields[c]);
      auto value = missing ? std::numeric_limits<double>::quiet_NaN() : parse_double(fields[c]);
      if (!value && !units[c].empty())
        if (const auto with = number_with_unit(fields[c]); with && with->unit == units[c]) value = with->value;
      const auto narrow = static_cast<float>(value.value_or(0));
      if (!missing && (!value || !std::isfinite(narrow)))
        refuse_number(rows.place(), headed ? fmt::format("'{}'", shown(header[c])) : std::to_string(c + 1), fields[c],
                      value, spec.missing_advice);
      const bool rounded = !missing && static_cast<double>(narrow) != *value;
      if (precise.empty() && rounded) precise.assign(values.begin(), values.end());
      values.push_back(narrow);
      if (!precise.empty() || rounded) precise.push_back(*value);
    }
    if (name_at || layout.index) {
      const std::string_view object = fields[name_at.value_or(0)];
      require<DataError>(!object.empty(), "{}: The name is empty. Name the object or remove the row.", rows.place());
      out.objects.push_back(composed(object));
    } else {
      out.objects.push_back(std::to_string(out.objects.size() + 1));
    }
    if (label_at) out.labels.push_back(lacks_category(fields[*label_at]) ? "" : composed(fields[*label_at]));
    out.lines.push_back(rows.line());
  }
  require<DataError>(!out.objects.empty(), "'{}' has a header but no rows. Give a file with a table.", name);
  out.values = Eigen::Map<const FeatureMatrix>(values.data(), static_cast<Index>(out.objects.size()),
                                               static_cast<Index>(value_columns.size()));
  if (!precise.empty()) out.precise = Eigen::Map<const Matrix>(precise.data(), out.values.rows(), out.values.cols());
  out.guesses = std::move(layout.guesses);
  out.notes = out.guesses;
  std::ranges::move(rows.notes(), std::back_inserter(out.notes));
  std::optional<std::string> repeats;
  if (name_at || layout.index) repeats = note_on_repeats(out.objects, out.lines);
  out.index = layout.index && !name_at && !repeats;
  if (layout.index && !name_at && repeats) {  // of tables that were joined: it names no row
    for (std::size_t i = 0; i < out.objects.size(); ++i) out.objects[i] = std::to_string(i + 1);
    *repeats += " The first column names no row, and objects are called 1, 2, ...";
  }
  if (repeats) out.notes.push_back(*std::move(repeats));
  if (headed && spec.index == TablePart::detected && !spec.square)
    if (auto note = note_on_numbering(out.values, out.precise, out.columns)) out.notes.push_back(*std::move(note));
  return out;
}

NumericTable read_numeric_table(const std::filesystem::path& path, const NumericTableSpec& spec) {
  return parse_numeric_table(read_text(path), path.string(), spec);
}

}  // namespace alidade::datasets
