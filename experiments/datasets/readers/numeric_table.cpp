#include "experiments/datasets/readers/numeric_table.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/table_text.hpp"
#include "experiments/files/text_lines.hpp"
#include "experiments/statistics/summary.hpp"
#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"
#include "problems/distances/geodesics.hpp"

namespace alidade::datasets {
namespace {

using Fields = std::span<const std::string_view>;

/// The fields of a reader's row, empty where a word marks a missing value: then they are in `marked`.
Fields fields_of(const RowReader& rows, const NumericTableSpec& spec, std::vector<std::string_view>& marked) {
  if (spec.missing_words.empty()) return rows.fields();
  marked.assign(rows.fields().begin(), rows.fields().end());
  for (std::string_view& field : marked)
    if (contains(spec.missing_words, lower_ascii(field))) field = {};
  return marked;
}

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
  const auto position = std::ranges::find(header, composed(wanted), composed);
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

/// `value`: the field's value, if it is a number; `of_numbers`: most of the column's fields are numbers.
[[noreturn]] void refuse_number(const std::string& place, const std::string& column, std::string_view field,
                                const std::optional<double>& value, const NumericTableSpec& spec, bool of_numbers) {
  require<DataError>(value || !has_decimal_comma(field), words::kDecimalCommaInColumn, place, column, shown(field));
  throw DataError(fmt::format(
      "{}: Column {} holds '{}', which is {}. {}.", place, column, shown(field),
      !value                  ? "not a number"
      : std::isfinite(*value) ? "too large a number"
                              : "not finite",
      value && std::isfinite(*value)  ? "Numbers up to 3e38 are read: give the table in another unit"
      : marks_missing(field) || value ? fmt::format("A table needs a finite number everywhere: {}", spec.missing_advice)
      : of_numbers                    ? words::kRestIsNumbers
      : spec.square                   ? words::kNamesAdvice
                                      : words::kNamesOrLabelsAdvice));
}

/// The rows from that of a reader on, as evidence, without malformed ones, which reading then reports.
TableSample sample_of(RowReader rows, const NumericTableSpec& spec) {
  TableSample out;
  std::vector<std::string_view> marked;
  const std::size_t width = rows.fields().size();
  std::size_t seen = 0;
  try {
    do {
      if (rows.fields().size() != width) continue;
      const Fields fields = fields_of(rows, spec, marked);
      out.rows.emplace_back(fields.begin(), fields.end());
      out.lines.push_back(rows.line());
    } while (++seen < sample_size(width) && rows.next());
  } catch (const DataError&) {
    return out;
  }
  return out;
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
    const auto position = std::ranges::find(first, composed(column), composed);
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

/// The fields of a sample's column below its header, without marks of missing ones.
std::vector<std::string> filled_below(const TableSample& sample, std::size_t column) {
  std::vector<std::string> out;
  for (std::size_t r = 1; r < sample.rows.size(); ++r)
    if (!marks_missing(sample.rows[r][column])) out.push_back(sample.rows[r][column]);
  return out;
}

/// What the columns below a header hold, by the first rows.
enum class ColumnText { none, truths, distinct, repeated };
std::optional<bool> truth_of(std::string_view field) {
  const std::string word = lower_ascii(field);
  return word == "true" ? std::optional(true) : word == "false" ? std::optional(false) : std::nullopt;
}
/// Text has no number anywhere; and nothing that begins as one, such as a date, unless it repeats.
ColumnText text_in(const TableSample& sample, std::size_t c) {
  constexpr std::size_t kFewestRows = 4;
  const std::vector<std::string> filled = filled_below(sample, c);
  const auto is_numeral = [](const std::string& field) { return reads_as_number(field) || has_decimal_comma(field); };
  if (filled.size() < kFewestRows || std::ranges::any_of(filled, is_numeral)) return ColumnText::none;
  const bool truths = std::ranges::all_of(filled, [](const auto& field) { return truth_of(field).has_value(); });
  const bool as_number =
      std::ranges::any_of(filled, [](const std::string& field) { return field.find_first_of("+-.,0123456789") == 0; });
  const std::set<std::string_view> texts(filled.begin(), filled.end());
  if (truths) return ColumnText::truths;
  if (2 * texts.size() <= filled.size()) return ColumnText::repeated;
  return as_number ? ColumnText::none : ColumnText::distinct;
}

/// Why a column that nearly names the objects does not: two lines that have the same; "" otherwise.
std::string two_of_one_name(const TableSample& sample, std::size_t column, const std::string& shown_column) {
  std::map<std::string_view, std::size_t> lines;
  std::string out;
  for (std::size_t r = 1; r < sample.rows.size(); ++r)
    if (const auto [first, is_new] = lines.emplace(sample.rows[r][column], sample.lines[r]); !is_new && out.empty())
      out = fmt::format(words::kTwoOfOneName, shown_column, first->second, sample.lines[r], shown(first->first));
  return 10 * lines.size() >= 9 * (sample.rows.size() - 1) ? out : "";
}

/// The unit of each column whose values are numbers with the same one, at least every second; "" for the others.
std::vector<std::string> units_of(const TableSample& sample, bool headed, const std::vector<bool>& is_value) {
  std::vector<std::string> out(is_value.size());
  for (std::size_t c = 0; c < is_value.size(); ++c) {
    if (!is_value[c]) continue;
    const ColumnUnit found = unit_of(mapped<std::string_view>(
        sample.rows | std::views::drop(headed ? 1 : 0), [c](const auto& row) -> std::string_view { return row[c]; }));
    if (found.with > 1 && found.with >= found.plain) out[c] = found.unit;
  }
  return out;
}

/// Whether a column counts the rows of a sample below its header.
bool counts_rows(const TableSample& sample, std::size_t column) {
  constexpr std::size_t kFewestRows = 5;
  const std::vector<std::string> values = filled_below(sample, column);
  return values.size() >= kFewestRows && values.size() + 1 == sample.rows.size() && count_up(values);
}

/// A note on the first feature that only tells rows apart: its name says so, and it has another whole number in each.
std::string note_on_numbering(const NumericTable& table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!is_about_rows(table.columns[c])) continue;
    Vector numbers = table.column(static_cast<Index>(c));
    if (!std::ranges::all_of(numbers, [](double value) { return value == std::floor(value); })) continue;
    std::ranges::sort(numbers);
    if (std::ranges::adjacent_find(numbers) != numbers.end()) continue;
    return fmt::format(words::kNumberingAsFeature, shown(table.columns[c]));
  }
  return "";
}

/// The sum, mean, median, least, greatest and standard deviations (of a sample, and of all) of what is not missing.
std::array<double, 7> summaries_of(std::vector<double> v) {
  std::erase_if(v, [](double value) { return std::isnan(value); });
  if (v.empty()) return {};
  const auto n = static_cast<double>(v.size());
  const double mean = statistics::mean(v), deviation = v.size() > 1 ? statistics::standard_deviation(v) : 0;
  const auto [least, greatest] = std::ranges::minmax(v);
  return {n * mean, mean, statistics::median(v), least, greatest, deviation, deviation * std::sqrt((n - 1) / n)};
}

/// Whether a row is one of these summaries of the first `count` rows, in each column that has a value there.
bool summarizes(const Matrix& values, Index row, Index count) {
  std::array<bool, 7> may_be{};
  may_be.fill(true);
  for (Index c = 0; c < values.cols(); ++c) {
    const double value = values(row, c);
    if (std::isnan(value)) continue;
    const Vector others = values.col(c).head(count);
    const auto summaries = summaries_of({others.begin(), others.end()});
    const std::string digits = shortest(value);
    const std::size_t point = digits.find('.');
    // Half a unit of the last digit; of a sum of whole numbers nothing.
    const double unit =
        point == digits.npos ? 1 : std::pow(10, static_cast<double>(point + 1) - static_cast<double>(digits.size()));
    for (std::size_t s = 0; s < summaries.size(); ++s) {
      const double rounding = s > 0 ? unit / 2 : unit < 1 ? unit / 2 * static_cast<double>(count) : 0;
      may_be[s] = may_be[s] && std::abs(value - summaries[s]) <= rounding + 1e-6 * std::abs(value);
    }
  }
  return contains(may_be, true);
}

/// Which of the named rows at the end are called sums, means, ... and are that of those above them.
std::vector<std::size_t> totals_among(const std::vector<std::string>& names, const Matrix& values,
                                      std::string_view what, std::vector<std::string>& notes) {
  constexpr std::size_t kFewest = 2;
  std::size_t first = names.size();
  while (first > 0 && means("totals", lower_ascii(trim(names[first - 1])))) --first;
  std::vector<std::size_t> out;
  for (std::size_t r = first; r < names.size() && first >= kFewest; ++r) {
    const bool is = summarizes(values, static_cast<Index>(r), static_cast<Index>(first));
    if (is) out.push_back(r);
    if (!is && what == "Column") continue;  // there are features of such names
    add_note(notes, "{} '{}' {}", what, shown(names[r]), is ? words::kTotalLeftOut : words::kTotalKept);
  }
  return out;
}

}  // namespace

void NumericTable::set(Matrix numbers) {
  features = numbers.cast<float>();
  if (precise.size() > 0) precise = std::move(numbers);
}

void NumericTable::take_rows(const std::vector<Index>& rows) {
  features = FeatureMatrix(features(rows, Eigen::all));
  if (precise.size() > 0) precise = Matrix(precise(rows, Eigen::all));
  keep(objects, rows);
  keep(labels, rows);
  keep(lines, rows);
}

void NumericTable::take_columns(const std::vector<Index>& places) {
  features = FeatureMatrix(features(Eigen::all, places));
  if (precise.size() > 0) precise = Matrix(precise(Eigen::all, places));
}

namespace {

/// Leaves out the last rows and columns that are sums, means, ... of the others by name and numbers.
void leave_out_totals(NumericTable& table) {
  const auto kept_of = [&](const std::vector<std::string>& names, const Matrix& values, std::string_view what) {
    const std::vector<std::size_t> totals = totals_among(names, values, what, table.guesses);
    std::vector<Index> kept;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (!contains(totals, k)) kept.push_back(static_cast<Index>(k));
    return kept;
  };
  const auto may_end = [](const std::vector<std::string>& names) {
    return !names.empty() && means("totals", lower_ascii(trim(names.back())));
  };
  if (may_end(table.objects)) {
    table.take_rows(kept_of(table.objects, table.doubles(), "Row"));
  }
  if (may_end(table.columns)) {
    const std::vector<Index> columns = kept_of(table.columns, table.doubles().transpose(), "Column");
    table.take_columns(columns);
    keep(table.columns, columns);
  }
}

/// Decides by the first rows what stands where, then reads all.
class NumericTableReader {
 public:
  NumericTableReader(std::string_view text, const std::string& name, const NumericTableSpec& spec)
      : name_(name), spec_(spec), rows_(text, name, spec.blanks ? ' ' : detect_separator(text, 2)) {
    find_layout();
    choose_columns();
  }

  NumericTable read() {
    for (bool pending = !layout_.header; pending || rows_.next(); pending = false) read_row();
    require<DataError>(!out_.objects.empty(), "'{}' has a header but no rows. Give a file with a table.", name_);
    out_.features = Eigen::Map<const FeatureMatrix>(values_.data(), std::ssize(out_.objects), std::ssize(columns_));
    if (!precise_.empty())
      out_.precise = Eigen::Map<const Matrix>(precise_.data(), out_.features.rows(), out_.features.cols());
    if (spec_.index == TablePart::detected) {
      leave_out_totals(out_);
      add_note(layout_.guesses, std::exchange(out_.guesses, {}));
    }
    add_notes();
    return std::move(out_);
  }

 private:
  /// Whether the table may have other columns than values, to be told by evidence.
  [[nodiscard]] bool guesses_columns() const {
    return layout_.header && !spec_.square && spec_.index == TablePart::detected;
  }
  /// For messages.
  [[nodiscard]] std::string column_name(std::size_t c) const {
    return layout_.header ? fmt::format("'{}'", shown(header_[c])) : std::to_string(c + 1);
  }
  [[nodiscard]] std::optional<std::size_t> column(const std::string& wanted) const {
    return column_of(wanted, header_, width_, name_, sample_);
  }

  void require_width() const {
    if (rows_.fields().size() != width_)
      refuse_width(rows_, width_, spec_.columns > 0 ? "the format" : layout_.header ? "the header" : "the first row");
  }

  void find_layout() {
    bool any = rows_.next();
    for (Index i = 0; any && i < spec_.lines_before; ++i) any = rows_.next();
    require<DataError>(any, "'{}' has no rows. Give a file with a table.", name_);
    width_ = spec_.columns > 0 ? static_cast<std::size_t>(spec_.columns) : rows_.fields().size();
    layout_ = {.header = spec_.header == TablePart::there, .index = spec_.index == TablePart::there};
    const bool guesses = spec_.header == TablePart::detected || spec_.index == TablePart::detected;
    if (guesses && rows_.fields().size() == width_) {
      RowReader ahead = rows_;
      // Of names alone it is the header, so that rows that repeat it are left out.
      const bool names = std::ranges::none_of(ahead.fields(), reads_as_number);
      if (names && spec_.header != TablePart::absent && spec_.lines_before == 0) ahead.take_header();
      sample_ = sample_of(ahead, spec_);
      LayoutQuestion question = question_of(spec_, sample_);
      if (spec_.square)
        for (question.square_lines = 1; ahead.next();) ++question.square_lines;
      layout_ = layout_of(sample_, question);
      if (layout_.header) require_one_header(sample_, question.is_value, name_);
    }
    require_width();
    if (!layout_.header) return;
    const Fields names = fields_of(rows_, spec_, marked_);
    header_.assign(names.begin(), names.end());
    rows_.take_header();
  }

  void choose_columns() {
    name_at_ = column(spec_.name);
    label_at_ = column(spec_.label);
    std::vector<bool> is_value(width_, true);
    if (name_at_) is_value[*name_at_] = false;
    if (label_at_) is_value[*label_at_] = false;
    if (layout_.index) is_value[0] = false;
    for (const std::string& left_out : spec_.not_read)
      if (const auto c = column(left_out)) is_value[*c] = false;
    units_ = units_of(sample_, layout_.header, is_value);
    truths_.resize(width_);
    spaced_.resize(width_);
    std::vector<bool> may_be_label = is_value;
    for (std::size_t c = 0; c < units_.size(); ++c)
      if (!units_[c].empty()) {
        may_be_label[c] = false;
        add_note(layout_.guesses, words::kUnitInColumn, column_name(c), shown(units_[c]));
      }
    if (guesses_columns() && !label_at_) take_label(may_be_label, is_value);
    if (guesses_columns()) leave_out_numbering(is_value);
    for (std::size_t c = 0; c < width_; ++c)
      if (is_value[c]) {
        columns_.push_back(c);
        if (layout_.header) out_.columns.push_back(header_[c]);
      }
    require<DataError>(!columns_.empty(), words::kNoFeatureLeft, name_);
  }

  void take_label(const std::vector<bool>& may_be_label, std::vector<bool>& is_value) {
    std::vector<std::string> left_out;
    for (std::size_t c = 0; c < width_; ++c) {
      if (!may_be_label[c]) continue;
      const ColumnText text = text_in(sample_, c);
      if (text == ColumnText::none) continue;
      if (text == ColumnText::truths) {
        truths_[c] = true;
        add_note(layout_.guesses, "Column {} holds true and false, which were read as 1 and 0.", column_name(c));
        continue;
      }
      is_value[c] = false;
      const bool named = means("labels", plain_column(header_[c]));
      if (text == ColumnText::repeated &&
          (!label_at_ || (named && !means("labels", plain_column(header_[*label_at_]))))) {
        if (label_at_) left_out.push_back(column_name(*label_at_));
        label_at_ = c;
      } else {
        left_out.push_back(column_name(c));
        if (!name_at_ && !layout_.index) add_note(layout_.guesses, two_of_one_name(sample_, c, column_name(c)));
      }
    }
    if (!label_at_)
      take_numbered_label(may_be_label, is_value);
    else
      add_note(layout_.guesses, words::kTextAsLabel, shown(header_[*label_at_]));
    if (!left_out.empty())
      add_note(layout_.guesses, "{} of text {} left out, as features are numbers: {}.",
               counted(left_out.size(), "column"), left_out.size() == 1 ? "was" : "were", join_some(left_out, 5, ", "));
  }

  /// A column named as labels are, of whole numbers that repeat.
  void take_numbered_label(const std::vector<bool>& may_be_label, std::vector<bool>& is_value) {
    for (std::size_t c = 0; c < width_; ++c) {
      if (!may_be_label[c] || !is_value[c] || !means("labels", plain_column(header_[c])) ||
          std::ranges::count(is_value, true) < 2)
        continue;
      std::set<double> classes;
      const std::vector<std::string> filled = filled_below(sample_, c);
      for (const std::string& field : filled) classes.insert(parse_double(field).value_or(0.5));
      const bool whole = std::ranges::all_of(classes, [](double number) { return number == std::floor(number); });
      if (!whole || 2 * classes.size() > filled.size()) continue;
      label_at_ = c;
      is_value[c] = false;
      add_note(layout_.guesses, words::kNumbersAsLabel, shown(header_[c]));
      return;
    }
  }

  void leave_out_numbering(std::vector<bool>& is_value) {
    for (std::size_t c = 0; c < width_; ++c)
      if (is_value[c] && is_about_rows(header_[c]) && std::ranges::count(is_value, true) > 1 &&
          counts_rows(sample_, c)) {
        is_value[c] = false;
        add_note(layout_.guesses, words::kNumberingLeftOut, shown(header_[c]));
      }
  }

  void read_row() {
    require_width();
    const Fields fields = fields_of(rows_, spec_, marked_);
    for (const std::size_t c : columns_) read_value(fields[c], c);
    if (name_at_ || layout_.index) {
      const std::string_view object = fields[name_at_.value_or(0)];
      require<DataError>(!object.empty(), "{}: The name is empty. Name the object or remove the row.", rows_.place());
      out_.objects.push_back(composed(object));
    } else {
      out_.objects.push_back(std::to_string(out_.objects.size() + 1));
    }
    if (label_at_) out_.labels.push_back(lacks_category(fields[*label_at_]) ? "" : composed(fields[*label_at_]));
    out_.lines.push_back(rows_.line());
  }

  /// Whether four in five of the first rows that have something in the column have a number there.
  [[nodiscard]] bool is_of_numbers(std::size_t c) const {
    const std::vector<std::string> filled = filled_below(sample_, c);
    return filled.size() > 2 && 5 * std::ranges::count_if(filled, reads_as_number) >= 4 * std::ssize(filled);
  }

  void read_value(std::string_view field, std::size_t c) {
    const bool missing = spec_.missing && marks_missing(field);
    auto value = missing ? std::numeric_limits<double>::quiet_NaN() : parse_double(field);
    if (!value && !units_[c].empty())
      if (const auto with = number_with_unit(field); with && with->unit == units_[c]) value = with->value;
    if (!value && (value = spaced_number(field)) && !spaced_[c]) {
      spaced_[c] = true;
      add_note(layout_.guesses, words::kSpacesInColumn, column_name(c));
    }
    if (!value && truths_[c])
      if (const auto truth = truth_of(field)) value = *truth ? 1 : 0;
    const auto narrow = static_cast<float>(value.value_or(0));
    if (!missing && (!value || !std::isfinite(narrow))) {
      const std::string place = rows_.place();
      while (rows_.next()) require_width();  // a short row is the likelier fault
      refuse_number(place, column_name(c), field, value, spec_, is_of_numbers(c));
    }
    const bool rounded = !missing && static_cast<double>(narrow) != *value;
    if (precise_.empty() && rounded) precise_.assign(values_.begin(), values_.end());
    values_.push_back(narrow);
    if (!precise_.empty() || rounded) precise_.push_back(*value);
  }

  void add_notes() {
    add_guess(out_, layout_.guesses);
    add_note(out_, rows_.reading().notes());
    std::string repeats;
    if (name_at_ || layout_.index)
      repeats = note_on_same_names(out_.objects, "rows", [&](std::size_t a, std::size_t b) {
        return fmt::format(" (lines {} and {})", out_.lines[a], out_.lines[b]);
      });
    out_.index = layout_.index && !name_at_ && repeats.empty();
    if (layout_.index && !name_at_ && !repeats.empty()) {  // of tables that were joined: it names no row
      for (std::size_t i = 0; i < out_.objects.size(); ++i) out_.objects[i] = std::to_string(i + 1);
      repeats += " The first column names no row, and objects are called 1, 2, ...";
    }
    add_note(out_, repeats);
    if (guesses_columns()) add_note(out_, note_on_numbering(out_));
  }

  const std::string& name_;
  const NumericTableSpec& spec_;
  RowReader rows_;
  std::vector<std::string_view> marked_{};
  std::size_t width_ = 0;
  TableSample sample_{};
  TableLayout layout_{};
  std::vector<std::string> header_{};
  std::optional<std::size_t> name_at_{}, label_at_{};
  std::vector<std::string> units_{};    // of each column
  std::vector<bool> truths_{};          // which columns hold true and false
  std::vector<bool> spaced_{};          // and which numbers with spaces before thousands
  std::vector<std::size_t> columns_{};  // of values
  std::vector<float> values_{};
  std::vector<double> precise_{};  // empty while all are floats
  NumericTable out_{};
};

}  // namespace

void refuse_other_format(std::string_view text, const std::string& file) {
  constexpr std::size_t kLines = 3;
  std::size_t sparse = 0, all = 0;
  for (LineReader lines(text); all < kLines && lines.next();) {
    const std::string_view line = trim(lines.line());
    if (line.empty() || line.starts_with('%')) continue;
    require<DataError>(
        !lower_ascii(line.substr(0, line.find(' '))).starts_with("@relation"),
        "'{}' is an ARFF file, which Alidade does not read. Save it as CSV (in Weka's Explorer: Save...), "
        "or remove the lines that begin with @ or % and write the names of the columns above the rest.",
        file);
    std::string words(line);
    std::ranges::replace(words, ',', ' ');
    const auto is_entry = [](std::string_view word) {
      const std::size_t colon = word.find(':');
      return colon != word.npos && parse_double(word.substr(0, colon)) && parse_double(word.substr(colon + 1));
    };
    const auto entries = words_between_blanks(words);
    sparse += entries.size() > 1 && std::all_of(entries.begin() + 1, entries.end(), is_entry) ? 1 : 0;
    ++all;
  }
  require<DataError>(all == 0 || sparse < all, words::kSvmlight, file);
}

NumericTable parse_numeric_table(std::string_view text, const std::string& name, const NumericTableSpec& spec) {
  refuse_other_format(text, name);
  return NumericTableReader(text, name, spec).read();
}

NumericTable read_numeric_table(const std::filesystem::path& path, const NumericTableSpec& spec) {
  return parse_numeric_table(read_text(path), path.string(), spec);
}

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Mean and standard deviation of what a column has.
struct ColumnSpread {
  Vector mean, deviation;
};
ColumnSpread spread_of(const Matrix& values) {
  ColumnSpread out{Vector::Zero(values.cols()), Vector::Zero(values.cols())};
  for (Index c = 0; c < values.cols(); ++c) {
    double sum = 0, squares = 0, count = 0;
    for (const double value : values.col(c))
      if (!std::isnan(value)) sum += value, ++count;
    out.mean[c] = count > 0 ? sum / count : kMissing;
    double largest = 0;  // squares of tiny numbers are 0
    for (const double value : values.col(c))
      if (!std::isnan(value)) largest = std::max(largest, std::abs(value - out.mean[c]));
    for (const double value : values.col(c))
      if (!std::isnan(value) && largest > 0)
        squares += (value - out.mean[c]) / largest * ((value - out.mean[c]) / largest);
    out.deviation[c] = count > 0 ? largest * std::sqrt(squares / count) : 0;
  }
  return out;
}

/// The other rows by their squared distance, the mean over the columns that both have; without rows that share none.
std::vector<std::pair<double, Index>> other_rows(const Matrix& values, const ColumnSpread& spread, Index row) {
  std::vector<std::pair<double, Index>> out;
  for (Index j = 0; j < values.rows(); ++j) {
    double sum = 0, common = 0;
    for (Index k = 0; k < values.cols() && j != row; ++k) {
      if (std::isnan(values(row, k)) || std::isnan(values(j, k))) continue;
      ++common;
      const double apart = spread.deviation[k] > 0 ? (values(row, k) - values(j, k)) / spread.deviation[k] : 0;
      sum += apart * apart;
    }
    if (common > 0) out.emplace_back(sum / common, j);
  }
  return out;
}

/// The mean of column c over the nearest of other_rows() that have it; that of the column if none does.
double of_neighbors(const Matrix& values, const ColumnSpread& spread, std::vector<std::pair<double, Index>> distances,
                    Index c) {
  constexpr std::size_t kNeighbors = 5;
  std::erase_if(distances, [&](const auto& other) { return std::isnan(values(other.second, c)); });
  if (distances.empty()) return spread.mean[c];
  const std::size_t count = std::min(kNeighbors, distances.size());
  std::ranges::partial_sort(distances, distances.begin() + static_cast<std::ptrdiff_t>(count));
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += values(distances[k].second, c);
  return sum / static_cast<double>(count);
}

}  // namespace

bool is_code(double value) {
  // 98 and 998: "do not know"; NaN as an integer of 16 or 32 bits, R's NA; fillers of climate data.
  constexpr double kFillers[] = {98, 998, 32'767, 32'768, 2'147'483'647, 2'147'483'648, 1e20, 1e30, 9.96921e36};
  const double size = std::abs(value);
  if (std::ranges::any_of(kFillers, [&](double one) { return std::abs(size - one) <= 1e-6 * one; })) return true;
  if (value == -9 || value == -8 || value == -7) return true;
  if (size < 77 || size > 99'999 || size != std::floor(size)) return false;
  const std::string digits = fmt::format("{:.0f}", size);
  return digits[0] >= '7' && std::ranges::all_of(digits, [&](char c) { return c == digits[0]; });
}

std::vector<double> suspected_codes(std::span<const double> values) {
  constexpr Index kFewest = 3;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  Index others = 0;
  std::vector<double> codes;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    if (!is_code(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
      ++others;
    } else if (!contains(codes, value)) {
      codes.push_back(value);
    }
  }
  const double range = high - low;
  if (others < kFewest || !(range > 0)) return {};
  std::erase_if(codes, [&](double code) {
    const bool only_negative = code < 0 && low >= 0;
    return !only_negative && code >= low - range && code <= high + range;
  });
  std::ranges::sort(codes);
  return codes;
}

MissingCodes MissingCodes::of(std::string_view option) {
  MissingCodes out{.ask = option == "auto", .listed = {}};
  if (out.ask || option == "no") return out;
  for (const std::string_view code : list_entries(option)) {
    const auto value = parse_double(code);
    require<ConfigError>(value || (!code.empty() && std::string_view("+-0123456789").find(code.front()) == code.npos),
                         words::kMissingCodesAre, option);
    if (value)
      out.listed.push_back(*value);
    else
      out.words.push_back(lower_ascii(code));
  }
  return out;
}

Index MissingCodes::forget(Eigen::Ref<Matrix> values) const {
  Index count = 0;
  for (double& value : values.reshaped())
    if (contains(listed, value)) {
      value = std::numeric_limits<double>::quiet_NaN();
      ++count;
    }
  return count;
}

void MissingCodes::refuse_suspected(std::span<const double> values,
                                    const std::function<std::string(std::size_t)>& place_of) const {
  if (!ask) return;
  const std::vector<double> suspects = suspected_codes(values);
  if (suspects.empty()) return;
  const double code = suspects.front();
  const auto times = std::ranges::count(values, code);
  const auto first = static_cast<std::size_t>(std::ranges::find(values, code) - values.begin());
  throw DataError(fmt::format(words::kSuspectedCode, place_of(first), shortest(code),
                              times == 1 ? "once" : fmt::format("{} times", times), shortest(code), shortest(code)));
}

std::string replace_missing(NumericTable& table, std::string_view rule, const std::string& file) {
  const Index n = table.features.rows(), p = table.features.cols();
  std::vector<Index> whole;
  std::vector<Index> by_column(static_cast<std::size_t>(p), 0);
  for (Index i = 0; i < n; ++i) {
    bool is_whole = true;
    for (Index c = 0; c < p; ++c)
      if (std::isnan(table.features(i, c))) is_whole = false, ++by_column[subscript(c)];
    if (is_whole) whole.push_back(i);
  }
  const Index missing = std::accumulate(by_column.begin(), by_column.end(), Index{0});
  if (missing == 0) return "";
  std::vector<std::string> columns;
  for (std::size_t c = 0; c < by_column.size(); ++c) {
    if (by_column[c] == 0) continue;
    const std::string name = table.columns.empty() ? fmt::format("column {}", c + 1) : shown(table.columns[c]);
    require<DataError>(by_column[c] < n, words::kColumnWithoutValues, file,
                       table.columns.empty() ? std::to_string(c + 1) : name);
    columns.push_back(fmt::format("{}: {}", name, by_column[c]));
  }
  constexpr std::size_t kShown = 5;
  const std::size_t more = columns.size() > kShown ? columns.size() - kShown : 0;
  if (more > 0) columns.resize(kShown), columns.push_back(fmt::format("and {}", counted(more, "more column")));
  const std::string what =
      fmt::format("{} of {} values {} missing, in {} ({})", missing, n * p, missing == 1 ? "is" : "are",
                  counted(n - std::ssize(whole), "row"), join(columns, ", "));
  if (rule == "drop") {
    require<DataError>(!whole.empty(), words::kNoWholeRow, file);
    table.take_rows(whole);
    return what + ": these rows were left out.";
  }
  const Matrix original = table.doubles();
  Matrix values = original;
  const bool knn = rule == "knn";
  const ColumnSpread spread = spread_of(original);
  for (Index i = 0; i < n; ++i) {
    if (original.row(i).array().isNaN().count() == 0) continue;
    const auto others = knn ? other_rows(original, spread, i) : std::vector<std::pair<double, Index>>{};
    for (Index c = 0; c < p; ++c)
      if (std::isnan(original(i, c))) values(i, c) = knn ? of_neighbors(original, spread, others, c) : spread.mean[c];
  }
  table.set(std::move(values));
  return what + (knn ? words::kReplacedByNeighbors : ": each was replaced by the mean of its column.");
}

Index missing_pairs(const Matrix& values) {
  Index out = 0;
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < i; ++j) out += std::isnan(values(i, j)) ? 1 : 0;
  return out;
}

std::vector<Index> objects_with_all_pairs(const Matrix& values) {
  const Index n = values.rows();
  Eigen::ArrayXX<bool> lacks = values.array().isNaN();
  lacks.matrix().diagonal().setConstant(false);
  std::vector<Index> missing, out;
  for (Index i = 0; i < n; ++i) missing.push_back(lacks.row(i).count());
  std::vector<bool> kept(subscript(n), true);
  for (;;) {
    const auto worst = std::ranges::max_element(missing.rbegin(), missing.rend());
    if (worst == missing.rend() || *worst == 0) break;
    const Index left_out = n - 1 - (worst - missing.rbegin());
    kept[subscript(left_out)] = false;
    missing[subscript(left_out)] = 0;
    for (Index j = 0; j < n; ++j)
      if (kept[subscript(j)] && lacks(left_out, j)) --missing[subscript(j)];
  }
  for (Index i = 0; i < n; ++i)
    if (kept[subscript(i)]) out.push_back(i);
  return out;
}

void take_shortest_paths(Matrix& values, const std::vector<std::string>& objects, const std::string& file) {
  const Index n = values.rows();
  KnnGraph graph;
  graph.size = n;
  graph.neighbor_count = n - 1;
  graph.first = {0};
  std::vector<Index> sources;
  for (Index i = 0; i < n; ++i) {
    bool lacks = false;
    for (Index j = 0; j < n; ++j) {
      if (i == j) continue;
      if (std::isnan(values(i, j))) {
        lacks = true;
        continue;
      }
      graph.target.push_back(static_cast<ObjectId>(j));
      graph.length.push_back(0.5 * (values(i, j) + values(j, i)));
    }
    graph.first.push_back(graph.target.size());
    if (lacks) sources.push_back(i);
  }
  graph.placed.resize(static_cast<std::size_t>(n));
  std::iota(graph.placed.begin(), graph.placed.end(), Index{0});
  Executor executor(1);
  const Matrix paths = geodesic_distances(graph, sources, executor);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const Index i = sources[s];
    for (Index j = 0; j < i; ++j) {
      if (!std::isnan(values(i, j))) continue;
      const double path = paths(static_cast<Index>(s), j);
      require<DataError>(std::isfinite(path) && path < std::numeric_limits<double>::max(), words::kUnlinkedPair, file,
                         shown(objects[subscript(j)]), shown(objects[subscript(i)]));
      values(i, j) = values(j, i) = path;
    }
  }
}

}  // namespace alidade::datasets
