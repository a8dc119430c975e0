#include "experiments/datasets/sets/dissimilarity_file.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <filesystem>
#include <limits>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "experiments/datasets/readers/answer_folder.hpp"
#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/answer_layouts.hpp"
#include "experiments/datasets/readers/judge_notes.hpp"
#include "experiments/datasets/readers/names.hpp"
#include "experiments/datasets/readers/object_list.hpp"
#include "experiments/datasets/readers/same_different.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/npy_file.hpp"
#include "experiments/files/table_text.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/files/text_lines.hpp"
#include "experiments/metrics/compared_distances.hpp"
#include "experiments/statistics/summary.hpp"
#include "problems/core/common_step.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// Zeros of a diagonal, as computed from floats, in units of the largest number.
constexpr double kDiagonalRounding = 1e-6;

/// Rows of a text that need not be as wide as each other, and what their fields are views into.
struct DistanceRows {
  std::vector<StoredRow> rows{};
  std::deque<std::string> texts{};
};

TableFields distance_fields(std::string_view line, char separator, std::deque<std::string>& texts) {
  TableFields out;
  const auto add = [&](const auto& fields) {
    for (const auto& field : fields) out.push_back(texts.emplace_back(field));
  };
  if (RowReader reader(line, "", separator); separator == ' ')
    add(blank_fields(line));
  else if (reader.next())
    add(reader.fields());
  while (!out.empty() && out.back().empty()) out.pop_back();  // as a spreadsheet fills up a triangle
  return out;
}

/// The lines that are not blank, with the separator of the last, which has the most fields.
DistanceRows distance_rows(std::string_view text, const std::string& file) {
  const std::string_view last = trim(text).substr(trim(text).rfind('\n') + 1);
  char separator = ' ';
  for (const char c : {',', ';', '\t'})
    if (last.find(c) != std::string_view::npos) separator = c;
  DistanceRows out;
  try {
    for (LineReader lines(text); lines.next();)
      if (TableFields fields = distance_fields(trim(lines.line()), separator, out.texts); !fields.empty())
        out.rows.push_back({std::move(fields), {file, lines.number()}});
  } catch (const DataError&) {  // the reader of tables says what is wrong
    return {};
  }
  return out;
}

std::optional<double> finite_number(std::string_view field) {
  const auto out = parse_double(field);
  return out && std::isfinite(*out) ? out : std::nullopt;
}
bool is_finite(std::string_view field) { return finite_number(field).has_value(); }
bool is_finite_or_missing(std::string_view field) { return marks_missing(field) || is_finite(field); }

bool are_numbers(const TableFields& fields, std::size_t first) {
  return std::ranges::all_of(fields | std::views::drop(first), is_finite);
}

/// The largest number of all rows, to which zeros of a diagonal are rounded.
double largest_number(const std::vector<StoredRow>& rows) {
  double out = 0;
  for (const StoredRow& row : rows)
    for (const std::string_view field : row.fields) out = std::max(out, std::abs(finite_number(field).value_or(0)));
  return out;
}

/// Which distances lines hold, each those of an object to all of them, to those before it or to those after it; and
/// what stands beside them.
struct DistanceForm {
  enum Part { square, lower, upper } part;
  bool named = false;        // whether a name begins each line
  bool diagonal = false;     // whether triangles hold the zeros, too
  std::size_t begin = 0;     // the first line with distances
  std::string first_name{};  // of the first object, which has no line; "": it has one, or none has a name
  /// How many of `n` distances the line of object i holds.
  [[nodiscard]] std::size_t width(std::size_t i, std::size_t n) const {
    return part == square ? n : (part == lower ? i : n - 1 - i) + (diagonal ? 1 : 0);
  }
};

/// Nothing if the lines are not of that form.
std::optional<NamedDistances> distances_in(const std::vector<StoredRow>& lines, const DistanceForm& form) {
  const bool square = form.part == DistanceForm::square, upper = form.part == DistanceForm::upper;
  // Without names and diagonal, the first object has no line, or the last one.
  const std::size_t unwritten = (square || form.named || form.diagonal) && form.first_name.empty() ? 0 : 1;
  const std::size_t count = lines.size() - form.begin + unwritten, first = form.named ? 1 : 0;
  if (count < 3) return std::nullopt;
  NamedDistances out;
  out.precise = Matrix::Zero(static_cast<Index>(count), static_cast<Index>(count));
  if (!form.first_name.empty()) out.objects.push_back(form.first_name);
  const double rounding = kDiagonalRounding * largest_number(lines);
  for (std::size_t r = form.begin; r < lines.size(); ++r) {
    const TableFields& fields = lines[r].fields;
    const std::size_t i = r - form.begin + (upper ? 0 : unwritten), skipped = form.diagonal ? i : i + 1;
    if (fields.size() != first + form.width(i, count) || !are_numbers(fields, first)) return std::nullopt;
    if (form.named) out.objects.emplace_back(fields[0]);
    for (std::size_t k = first; k < fields.size(); ++k) {
      const std::size_t j = k - first + (upper ? skipped : 0);
      const double d = *finite_number(fields[k]);
      if (i == j && !square && std::abs(d) > rounding) return std::nullopt;
      if (i == j && !square) continue;
      out.precise(static_cast<Index>(i), static_cast<Index>(j)) = d;
      if (!square) out.precise(static_cast<Index>(j), static_cast<Index>(i)) = d;
    }
  }
  return out;
}

bool has_no_number(const StoredRow& row) { return std::ranges::none_of(row.fields, is_finite); }

std::optional<NamedDistances> any_triangle(const std::vector<StoredRow>& rows) {
  for (const auto part : {DistanceForm::lower, DistanceForm::upper})
    for (const bool named : {false, true})
      for (const bool diagonal : {true, false})
        for (const std::size_t begin : {std::size_t{0}, std::size_t{1}}) {  // after a line of names
          if (begin == 1 && (!named || rows.size() < 2 || !has_no_number(rows[0]))) continue;
          if (auto out = distances_in(rows, {part, named, diagonal, begin})) {
            // A name that is a number could as well be a distance: then the diagonal decides.
            if (named && !diagonal && are_numbers(rows[begin].fields, 0)) continue;
            out->notes = {part == DistanceForm::upper ? "The distances were read as an upper triangle."
                                                      : "The distances were read as a lower triangle."};
            return out;
          }
        }
  return std::nullopt;
}

/// What R prints for `dist`: a lower triangle whose columns are named above it, without a row for the first object.
/// @throws DataError if it is cut into blocks of columns
std::optional<NamedDistances> printed_by_r(const std::vector<StoredRow>& rows) {
  if (rows.size() < 3 || !has_no_number(rows[0]) || rows[0].fields[0].empty() || rows[1].fields.size() != 2 ||
      !are_numbers(rows[1].fields, 1) || rows[1].fields[0] != (rows[0].fields.size() > 1 ? rows[0].fields[1] : ""))
    return std::nullopt;
  auto out = distances_in(rows, {DistanceForm::lower, true, false, 1, std::string(rows[0].fields[0])});
  require<DataError>(out.has_value(), words::kPrintedInBlocks, rows[0].place);
  out->notes = {"The distances were read as a lower triangle that R printed."};
  return out;
}

/// PHYLIP's names may have ten characters of any kind, blanks included.
void split_long_name(std::string_view line, std::size_t wanted, TableFields& row) {
  constexpr std::size_t kLongest = 10;
  if ((row.size() == wanted && are_numbers(row, 1)) || line.size() <= kLongest) return;
  std::size_t bytes = 0, characters = 0;
  for (; bytes < line.size(); ++bytes) {
    characters += (static_cast<unsigned char>(line[bytes]) & 0xc0U) != 0x80U ? 1 : 0;
    if (characters > kLongest) break;
  }
  TableFields fields = words_between_blanks(line.substr(bytes));
  fields.insert(fields.begin(), trim(line.substr(0, bytes)));
  if (fields.size() == wanted) row = std::move(fields);
}

/// Rows whose numbers go on in the lines below, as one line each; unchanged if that does not give `count` rows.
std::vector<StoredRow> unwrapped(std::vector<StoredRow> rows, std::size_t count, bool square) {
  std::vector<StoredRow> out{rows[0]};
  for (std::size_t r = 1; r < rows.size(); ++r) {
    StoredRow& row = out.emplace_back(std::move(rows[r]));
    const std::size_t wanted = square ? count + 1 : out.size() - 1;
    while (row.fields.size() < wanted && r + 1 < rows.size() && are_numbers(rows[r + 1].fields, 0)) {
      const StoredRow& next = rows[++r];
      row.fields.insert(row.fields.end(), next.fields.begin(), next.fields.end());
    }
  }
  return out;
}

std::optional<NamedDistances> phylip(const std::vector<StoredRow>& rows, std::string_view text) {
  if (rows.size() < 4 || rows[0].fields.size() != 1) return std::nullopt;
  const auto count = parse_double(rows[0].fields[0]);
  if (!count || *count < 3 || *count > static_cast<double>(rows.size() - 1)) return std::nullopt;
  const auto n = static_cast<std::size_t>(*count);
  constexpr std::array<std::string_view, 3> kParts = {"", "as a lower triangle ", "as an upper triangle "};
  std::vector<std::string_view> lines;
  for (LineReader reader(text); reader.next();) lines.push_back(trim(reader.line()));
  for (const DistanceForm& form : {DistanceForm{DistanceForm::square, true, false, 1},
                                   {DistanceForm::lower, true, false, 1},
                                   {DistanceForm::lower, true, true, 1},
                                   {DistanceForm::upper, true, false, 1},
                                   {DistanceForm::upper, true, true, 1}}) {
    std::vector<StoredRow> tried = rows.size() - 1 == n ? rows : unwrapped(rows, n, form.part == form.square);
    if (tried.size() - 1 != n) continue;
    for (std::size_t i = 0; i < n; ++i)
      split_long_name(lines[tried[i + 1].place.line - 1], 1 + form.width(i, n), tried[i + 1].fields);
    auto out = distances_in(tried, form);
    if (!out) continue;
    out->notes = {fmt::format("The distances were read {}in the format of PHYLIP.", kParts[form.part])};
    return out;
  }
  return std::nullopt;
}

/// Gives each missing entry (NaN) the value of its opposite, and a missing diagonal 0. Returns how many off it.
Index take_opposites(Matrix& values) {
  if (values.rows() != values.cols()) return 0;
  Index taken = 0;
  for (Index i = 0; i < values.rows(); ++i) {
    if (std::isnan(values(i, i))) values(i, i) = 0;
    for (Index j = 0; j < i; ++j) {
      double &a = values(i, j), &b = values(j, i);
      taken += std::isnan(a) != std::isnan(b) ? 1 : 0;
      if (std::isnan(a)) a = b;
      if (std::isnan(b)) b = a;
    }
  }
  return taken;
}

/// Which columns of a list of pairs hold what.
struct PairList {
  std::size_t a = 0, b = 1, value = 2;
  std::optional<std::size_t> person{}, weight{}, count{};  // who rated the pair, and how much the rating counts
  bool named = false;                                      // by the header
  [[nodiscard]] std::array<std::size_t, 6> read() const {
    return {a, b, value, person.value_or(value), weight.value_or(value), count.value_or(value)};
  }
};

/// @throws DataError on a value that is no number in a column where nearly all are
void refuse_odd_values(const Table& table, const TableFields& header, std::size_t column) {
  const auto odd = [&](const TableFields& row) { return !is_finite_or_missing(row[column]); };
  const auto row = std::ranges::find_if(table.rows, odd);
  const auto rows = table.rows.end() - table.rows.begin();
  if (row == table.rows.end() || 10 * std::ranges::count_if(table.rows, odd) > rows) return;
  const std::string value = shown((*row)[column]);
  throw DataError(fmt::format(words::kOddRating, table.places[static_cast<std::size_t>(row - table.rows.begin())],
                              shown(header[column]), value, shell_word(value)));
}

/// By the names in the header, else by which column holds numbers.
std::optional<PairList> columns_of_list(const Table& table, const TableFields& header) {
  const std::size_t width = table.width();
  PairList out;
  const auto is_number = [&](std::size_t c) { return std::ranges::all_of(table.column(c), is_finite_or_missing); };
  if (const auto ends = header.empty() ? std::nullopt : pair_columns(header, true)) {
    std::vector<std::size_t> values = pair_numbers(table, header, *ends).columns;
    for (std::size_t c = 0; c < width; ++c) {
      if (c == ends->a || c == ends->b || contains(values, c)) continue;
      if (is_about_people(header[c]))
        out.person = c;
      else if (width == 3 && is_number(c))
        values.push_back(c);
      else if (means("numbers of answers", plain_column(header[c])))
        out.count = c;
    }
    if (!out.person) out.count.reset();
    const auto is_weight = [&](std::size_t c) { return plain_column(header[c]) == "weight"; };
    if (const auto at = std::ranges::find_if(values, is_weight); at != values.end() && values.size() == 2) {
      require<DataError>(out.person.has_value(), words::kWeightOfDistance, table.place, shown(header[*at]));
      out.weight = *at;
      values.erase(at);
    }
    if (values.size() == 1) refuse_odd_values(table, header, values[0]);
    if (values.size() != 1 || !is_number(values[0])) return std::nullopt;
    out.a = ends->a, out.b = ends->b, out.value = values[0], out.named = true;
    return out;
  }
  std::vector<std::size_t> names, numbers;
  for (std::size_t c = 0; c < width; ++c) {
    const bool is_index =
        c == 0 && width == 4 && (header.empty() || is_nameless(header[c])) && count_up(table.column(c));
    if (!is_index) (is_number(c) ? numbers : names).push_back(c);
  }
  if (names.size() == 2 && numbers.size() == 1) {
    out.a = names[0], out.b = names[1], out.value = numbers[0];
    return out;
  }
  return width == 3 && is_number(2) ? std::optional(out) : std::nullopt;
}

/// The names in pairs, whole numbers by value. Nothing where one is empty, or where three columns of numbers may be
/// anything: then every pair must be there, and nothing else.
std::optional<std::vector<std::string>> names_in_pairs(const Table& table, const PairList& list) {
  IdTable ids;
  bool numbers = true, whole = true;
  std::set<std::pair<std::string_view, std::string_view>> known_pairs;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& row = table.rows[r];
    for (const std::size_t c : {list.a, list.b}) {
      require<DataError>(!row[c].empty() || !list.named, words::kNamelessOfPair, table.places[r]);
      if (row[c].empty()) return std::nullopt;
      static_cast<void>(ids.number(row[c]));
      const auto number = finite_number(row[c]);
      numbers = numbers && number;
      whole = whole && number && *number == std::floor(*number);
    }
    known_pairs.insert(std::minmax(row[list.a], row[list.b]));
  }
  std::vector<std::string> out(ids.ids().begin(), ids.ids().end());
  if (whole) std::ranges::stable_sort(out, {}, [](const std::string& name) { return *finite_number(name); });
  const bool all_pairs = 2 * known_pairs.size() == out.size() * (out.size() - 1) &&
                         std::ranges::none_of(known_pairs, [](const auto& pair) { return pair.first == pair.second; });
  if (!list.named && numbers && !(whole && all_pairs)) return std::nullopt;
  return out;
}

using PairPlaces = std::map<std::string, Index, std::less<>>;

/// Ratings beyond the range of the middle 98 % by more than that range, which may be typing errors; "" without.
std::string note_on_far_ratings(std::vector<double> numbers) {
  constexpr std::size_t kFewest = 100, kNamed = 5;
  constexpr double kRare = 0.01;
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  if (numbers.size() < kFewest) return "";
  std::ranges::sort(numbers);
  const auto rare = static_cast<std::size_t>(kRare * static_cast<double>(numbers.size()));
  const double low = numbers[rare], high = numbers[numbers.size() - 1 - rare];
  std::vector<std::string> far;
  for (const double number : numbers)
    if (high > low && (number < 2 * low - high || number > 2 * high - low)) far.push_back(shortest(number));
  const std::size_t count = far.size();
  return count == 0 ? ""
                    : fmt::format("{} from the others ({} to {}) and may be typing errors: {}.",
                                  counted(count, "rating lies far", "ratings lie far"), shortest(low), shortest(high),
                                  join_first(std::move(far), kNamed));
}

/// Means of the ratings of each pair, in either order; NaN where there are none.
void take_ratings(const Table& table, const PairList& list, const PairPlaces& place, const MissingCodes& codes,
                  const std::vector<RowWeight>& weights, const std::string& people_column, NamedDistances& out) {
  std::vector<PairJudgement>& judged = out.judged.all;
  IdTable people;
  std::size_t missing = 0;
  std::vector<double> numbers;  // NaN missing
  for (const TableFields& row : table.rows) numbers.push_back(finite_number(row[list.value]).value_or(std::nan("")));
  codes.refuse_suspected(numbers, [&](std::size_t r) {
    return fmt::format("{}: The rating of '{}' and '{}' by '{}'", table.places[r], shown(table.rows[r][list.a]),
                       shown(table.rows[r][list.b]), shown(table.rows[r][*list.person]));
  });
  const Index coded = codes.forget(Eigen::Map<Matrix>(numbers.data(), std::ssize(numbers), 1));
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& row = table.rows[r];
    const Index i = place.find(row[list.a])->second, j = place.find(row[list.b])->second;
    missing += std::isnan(numbers[r]) ? 1 : 0;
    if (std::isnan(numbers[r]) || i == j) continue;  // how similar a thing is to itself
    judged.push_back({.i = static_cast<ObjectId>(i),
                      .j = static_cast<ObjectId>(j),
                      .person = people.number(row[*list.person]),
                      .apart = numbers[r],
                      .weight = weights[r].weight});
  }
  out.people.assign(people.ids().begin(), people.ids().end());
  const Dissimilarities means = means_of(out.judged, out.precise.rows());
  const auto known = means.weights.array() > 0;
  out.precise = known.select(means.values.array(), out.precise.array()).matrix();
  add_note(out, "Each pair has the mean of its ratings by {} people.", out.people.size());
  add_note(out, notes_on_people(out.judged, out.people, people_column));
  add_note(out, note_on_scales(out.judged, out.people));
  add_note(out, notes_on_likeness(out.people, "annotator"));
  add_count(out, missing, "missing rating was left out.", "missing ratings were left out.");
  if (coded > 0) add_note(out, "Of these, {} held a code of a missing value.", coded);
  add_note(out, note_on_far_ratings(numbers));
}

/// The value of each pair, once or in both directions; false if one is no number.
bool take_values(const Table& table, const PairList& list, const PairPlaces& place, NamedDistances& out) {
  std::map<std::pair<Index, Index>, std::size_t> lines;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& row = table.rows[r];
    const Index i = place.find(row[list.a])->second, j = place.find(row[list.b])->second;
    const auto number = finite_number(row[list.value]);
    if (!number && list.named) continue;
    if (!number) return false;
    const auto [entry, fresh] = lines.emplace(std::pair(i, j), table.places[r].line);
    require<DataError>(fresh || (i == j ? *number == 0 : out.precise(i, j) == *number), words::kTwoDistances,
                       table.places[r], shown(row[list.a]), shown(row[list.b]), entry->second);
    require<DataError>(i != j || *number == 0, words::kDistanceToItself, table.places[r], shown(row[list.a]),
                       shown(row[list.value]));
    out.precise(i, j) = *number;
  }
  take_opposites(out.precise);
  add_note(out, "The distances were read as a list of pairs.");
  return true;
}

bool says(std::string_view meaning, std::string_view text) {
  return std::ranges::any_of(words_of(text), [&](const std::string& word) { return means(meaning, word); });
}

constexpr std::array<std::string_view, 4> kOfPairs = {"item1", "item2", "rating", "participant"};
bool is_scale_point(std::string_view field) { return scale_point(field).has_value(); }
bool has_rating(const StoredRow& row) { return !has_no_number(row) || std::ranges::any_of(row.fields, is_scale_point); }
bool is_of_pair(const PairOfNames& names) { return !names[0].empty(); }

/// Names the columns after the pairs that the second line of a survey has, in a question each, and leaves its further
/// header lines out. Says so.
std::string take_asked_pairs(DistanceRows& all) {
  constexpr std::ptrdiff_t kMostHeaders = 4;
  std::vector<StoredRow>& rows = all.rows;
  TableFields& header = rows[0].fields;
  const auto data = std::ranges::find_if(rows, has_rating);
  const auto headers = data - rows.begin();
  if (headers < 2 || headers > kMostHeaders || data == rows.end() || pair_columns(header, true) ||
      std::ranges::any_of(pairs_named(header), is_of_pair))
    return "";
  const TableFields asked = mapped<std::string_view>(
      asked_names(header, rows[1].fields),
      [&](const std::string& name) -> std::string_view { return all.texts.emplace_back(name); });
  const std::vector<PairOfNames> pairs = pairs_named(asked);
  const auto first = std::ranges::find_if(pairs, is_of_pair) - pairs.begin();
  if (first == std::ssize(pairs)) return "";
  header = asked;
  rows.erase(rows.begin() + 1, data);
  return fmt::format(words::kNamedByQuestions, shown(asked[static_cast<std::size_t>(first)]));
}

/// Leaves out the unit in the only column whose numbers all have one, such as "12 km", and says so.
std::string take_unit(DistanceRows& all) {
  std::optional<std::size_t> found;
  std::string unit;
  for (std::size_t c = 0; c < all.rows[0].fields.size(); ++c) {
    TableFields column;
    for (const StoredRow& row : all.rows | std::views::drop(1))
      if (c < row.fields.size() && !marks_missing(row.fields[c])) {
        if (column.empty() && !number_with_unit(row.fields[c])) break;
        column.push_back(row.fields[c]);
      }
    const ColumnUnit one = unit_of(column);
    if (one.with == 0 || one.plain > 0) continue;
    if (found) return "";
    found = c, unit = one.unit;
  }
  if (!found) return "";
  for (StoredRow& row : all.rows)
    if (const auto number = *found < row.fields.size() ? number_with_unit(row.fields[*found]) : std::nullopt)
      row.fields[*found] = all.texts.emplace_back(shortest(number->value));
  const std::string_view name = all.rows[0].fields[*found];
  return fmt::format(words::kUnitInColumn,
                     parse_double(name) ? std::to_string(*found + 1) : fmt::format("'{}'", shown(name)), shown(unit));
}

/// Puts the numbers of a scale in the place of its points, such as "3 - neutral", in columns of ratings. Says so, and
/// whether the largest number is of things that are alike.
void take_scale_points(Table& table, const TableFields& header, std::string& guess, std::string& most_alike) {
  const auto pair = pair_columns(header, true);
  const std::vector<PairOfNames> wide = pairs_named(header);
  std::map<double, std::string> meanings;
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (pair ? c == pair->a || c == pair->b || is_about_people(header[c]) : wide[c][0].empty()) continue;
    std::map<double, std::string> here = pair ? std::map<double, std::string>() : meanings;
    const bool points = std::ranges::all_of(table.column(c), [&](std::string_view field) {
      if (is_finite_or_missing(field)) return true;
      const auto point = scale_point(field);
      return point && here.emplace(*parse_double(point->number), point->meaning).first->second == point->meaning;
    });
    std::set<std::string_view> distinct;
    for (const auto& [number, meaning] : here) distinct.insert(meaning);
    if (!points || distinct.empty() || distinct.size() < here.size()) continue;
    for (TableFields& row : table.rows)
      if (const auto point = scale_point(row[c])) row[c] = point->number;
    meanings = std::move(here);
    guess = fmt::format(words::kScalePoints, shown(table.header[c]), shortest(meanings.begin()->first),
                        shown(meanings.begin()->second));
  }
  if (meanings.size() < 2) return;
  const std::string &low = meanings.begin()->second, &high = meanings.rbegin()->second;
  if (says("alike", high) && !says("unlike", high) && says("unlike", low))
    most_alike = fmt::format("{} is '{}'", shortest(meanings.rbegin()->first), shown(high));
}

/// One row of two things and a number of each that stands with its number in one column, such as "cat-dog"; nothing if
/// not all rows do.
std::optional<std::vector<StoredRow>> pairs_in_rows(const Table& table) {
  std::vector<StoredRow> out{{{kOfPairs.begin(), kOfPairs.end() - 1}, table.place}};
  const std::vector<PairOfNames> pairs = pairs_named(TableFields(table.column(0).begin(), table.column(0).end()));
  if (!std::ranges::all_of(pairs, is_of_pair)) return std::nullopt;
  for (std::size_t r = 0; r < pairs.size(); ++r)
    out.push_back({{pairs[r][0], pairs[r][1], table.rows[r][1]}, table.places[r]});
  return out;
}

/// Makes one row of two things, a number and a person of each pair that has a column for each person's number, or of
/// each pair of names that has a column of numbers. Nothing if the table is neither.
/// `people` is the column of the table that tells them; "": none does.
std::optional<std::vector<StoredRow>> lengthened(Table& table, const std::string& where, ChosenRows& said,
                                                 std::optional<std::string>& people) {
  const auto pair = pair_columns(table.header, true);
  if (!pair && table.width() == 2) return pairs_in_rows(table);
  const std::vector<PairOfNames> pairs = pairs_named(table.header);
  std::vector<std::size_t> columns;
  if (PairNumbers ratings = pair ? pair_numbers(table, table.header, *pair) : PairNumbers(); ratings.of_people)
    columns = std::move(ratings.columns);
  for (std::size_t c = 0; c < pairs.size() && !pair; ++c)
    if (!pairs[c][0].empty()) columns.push_back(c);
  if (columns.empty()) return std::nullopt;
  std::vector<std::size_t> read = columns;
  if (pair) read.insert(read.end(), {pair->a, pair->b});
  if (where.empty()) choose_rows(table, read, "", said);
  std::optional<std::size_t> person;
  for (std::size_t c = 0; c < pairs.size() && !pair; ++c)
    if (!person && pairs[c][0].empty() && (is_about_people(table.header[c]) || is_about_rows(table.header[c])))
      person = c, read.push_back(c);
  people = person ? std::string(table.header[*person]) : "";
  std::vector<StoredRow> out{{{kOfPairs.begin(), kOfPairs.end()}, table.place}};
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& row = table.rows[r];
    const std::string_view who = person ? row[*person]
                                 : pair ? ""
                                        : table.keep(fmt::format("row {}", table.places[r].line));
    for (const std::size_t c : columns) {
      const auto [a, b] = pair ? PairOfNames{row[pair->a], row[pair->b]} : pairs[c];
      out.push_back({{a, b, row[c], pair ? table.header[c] : who}, table.places[r]});
    }
  }
  if (pair)
    add_guess(said, words::kReadAsPeople, shown(table.header[columns[0]]));
  else
    add_guess(said, words::kReadAsRatings, shown(table.header[columns[0]]), shown(pairs[columns[0]][0]),
              shown(pairs[columns[0]][1]), person ? fmt::format(" ('{}')", shown(table.header[*person])) : "");
  add_note(said, note_on_unread(table.header, read, said.by));
  return out;
}

/// The pairs of a table, and what is said of its rows; nothing if it has none.
std::optional<NamedDistances> distances_of_pairs(Table& table, const TableFields& header, const TableChoice& choice,
                                                 const MissingCodes& codes, ChosenRows& said,
                                                 const std::optional<std::string>& people = {}) {
  const std::size_t width = table.width();
  if (width < 3 || table.rows.size() < 3) return std::nullopt;
  if (const auto ends = pair_columns(header, true); ends && !header.empty())
    leave_out_thingless(table, {ends->a, ends->b}, said.notes);
  const auto list = columns_of_list(table, header);
  if (!list) return std::nullopt;
  const auto read = list->read();
  if (choice.where.empty()) choose_rows(table, read, "", said);
  const std::vector<RowWeight> weights = weights_of(table, list->weight, list->count, said.notes);
  require<DataError>(!table.rows.empty(), "'{}': All rows weigh nothing. Give some a weight > 0.", table.file());
  const std::vector<std::string> united = unite_names(table, {list->a, list->b}, "object", choice.merge_names);
  auto names = names_in_pairs(table, *list);
  if (!names) return std::nullopt;
  const auto n = std::ssize(*names);
  NamedDistances out{{.precise = Matrix::Constant(n, n, std::nan("")), .objects = *std::move(names)}};
  out.of_pairs = true;
  add_guess(out, united);
  if (list->person) add_guess(out, unite_names(table, {*list->person}, "annotator", choice.merge_names));
  for (const auto& column : {list->weight, list->count})
    if (column) add_guess(out, words::kCountsRows, shown(table.header[*column]));
  if (list->named && question_part(header[list->value]) == "response")
    add_guess(out, words::kReadAsRating, shown(header[list->value]), shown(header[list->a]), shown(header[list->b]));
  if (list->named && says("similarities", table.header[list->value]))
    out.most_alike = fmt::format("the column is called '{}'", shown(table.header[list->value]));
  out.precise.diagonal().setZero();
  PairPlaces place;
  for (Index i = 0; i < n; ++i) place.emplace(out.objects[subscript(i)], i);
  if (list->person)
    take_ratings(table, *list, place, codes, weights, people.value_or(std::string(table.header[*list->person])), out);
  else if (!take_values(table, *list, place, out))
    return std::nullopt;
  add_said(out, said);
  add_note(out, note_on_unread(table.header, read, said.by));
  add_note(out, table.notes());
  return out;
}

/// Pairs with a number each, one a line, below a header or not; nothing if the lines are none.
std::optional<NamedDistances> listed_pairs(DistanceRows all, const std::string& file, const MissingCodes& codes,
                                           const TableChoice& choice) {
  const std::string asked = choice.columns.empty() ? take_asked_pairs(all) : "", unit = take_unit(all);
  std::vector<StoredRow>& rows = all.rows;
  const std::size_t width = rows[0].fields.size();
  const std::vector<std::string> ours =
      named_header(choice.columns, {kOfPairs.begin(), kOfPairs.end() - 1}, rows[0].fields, rows[0].place);
  const bool headed = !choice.where.empty() || !choice.columns.empty() ||
                      (has_no_number(rows[0]) && std::any_of(rows.begin() + 1, rows.end(), has_rating));
  const TableFields header(ours.begin(), headed ? ours.end() : ours.begin());
  constexpr std::size_t kMostNameless = 4;  // an index, two things and a number
  if (width > kMostNameless && !pair_columns(header, true) && std::ranges::none_of(pairs_named(header), is_of_pair))
    return std::nullopt;
  for (StoredRow& row : rows) {
    if (row.fields.size() > width) return std::nullopt;
    row.fields.resize(width);  // without empty fields at its end
  }
  Table table(RowReader(rows, file), {.has_header = [headed](const RowReader&) { return headed; }, .strict = false});
  if (choice.where.empty() && choice.columns.empty() && is_square(table)) return std::nullopt;
  ChosenRows said;
  std::string scale, most_alike;
  take_scale_points(table, header, scale, most_alike);
  std::optional<std::string> people;
  std::optional<NamedDistances> out;
  if (!choice.where.empty()) {
    std::vector<std::size_t> read;
    const std::vector<PairOfNames> pairs = pairs_named(header);
    for (std::size_t c = 0; c < pairs.size(); ++c)
      if (is_of_pair(pairs[c])) read.push_back(c);
    if (const auto ends = pair_columns(header, true)) read = {ends->a, ends->b};
    choose_rows(table, read, choice.where, said);
  }
  if (const auto long_rows = choice.columns.empty() ? lengthened(table, choice.where, said, people) : std::nullopt) {
    Table longer(RowReader(*long_rows, file));
    out = distances_of_pairs(longer, longer.header, {"-", "", choice.merge_names}, codes, said, people);
    if (out) add_note(*out, table.notes());
  } else {
    out = distances_of_pairs(table, header, choice, codes, said);
  }
  if (!out) return out;
  for (const std::string& guess : {asked, unit, scale}) add_guess(*out, guess);
  if (!most_alike.empty()) out->most_alike = std::move(most_alike);
  return out;
}

/// Distances in one of the forms of lines; of several files, which have no one `text`, only in those of pairs.
std::optional<NamedDistances> distances_in_rows(DistanceRows all, std::optional<std::string_view> text,
                                                const std::string& file, const MissingCodes& codes,
                                                const TableChoice& choice) {
  for (StoredRow& row : all.rows)
    for (std::string_view& field : codes.words.empty() ? std::span<std::string_view>() : std::span(row.fields))
      if (contains(codes.words, lower_ascii(field))) field = "NA";
  if (all.rows.size() < 2) return std::nullopt;
  const bool any_form = text && choice.where.empty() && choice.columns.empty();
  std::optional<NamedDistances> out;
  if (any_form) out = phylip(all.rows, *text);
  if (any_form && !out) out = any_triangle(all.rows);
  if (any_form && !out) out = printed_by_r(all.rows);
  if (!out) out = listed_pairs(std::move(all), file, codes, choice);
  require<DataError>(any_form || out, words::kNoListOfPairs, file);
  return out;
}

}  // namespace

std::optional<NamedDistances> distances_in_other_form(std::string_view text, const std::string& file,
                                                      const MissingCodes& codes, const TableChoice& choice) {
  return distances_in_rows(distance_rows(text, file), text, file, codes, choice);
}

namespace {

/// Relative difference of one number after two roundings to single precision, in which many matrices are written.
constexpr double kRounding = 4 * std::numeric_limits<float>::epsilon();

/// Two different numbers with six digits, or with as many more as tell them apart.
std::pair<std::string, std::string> different(double a, double b) {
  for (int digits = 6; digits < 17; ++digits) {
    auto out = std::pair(fmt::format("{:.{}g}", a, digits), fmt::format("{:.{}g}", b, digits));
    if (out.first != out.second) return out;
  }
  return {shortest(a), shortest(b)};
}

/// Sets to 0 what is 0 up to rounding: the diagonal, and what is negative.
void forget_rounding(Matrix& values) {
  double largest = 0;
  for (const double value : values.reshaped())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      if ((i == j || values(i, j) < 0) && std::abs(values(i, j)) <= kRounding * largest) values(i, j) = 0;
}

/// The names of a square table's objects: of its rows, if a column has them, else of its columns. Columns that have
/// the names of the rows in another order are put into theirs. @throws DataError if only some have these names, in
/// other places
void name_by_columns(NumericTable& table, bool unnamed, const std::string& file) {
  const bool headed = std::ssize(table.columns) == table.features.rows();
  std::vector<std::string> columns = mapped(table.columns, composed);
  if (unnamed && !table.index) {
    table.objects.clear();
    if (headed) table.objects = std::move(columns);
    return;
  }
  if (!headed || columns == table.objects) return;
  std::map<std::string, Index> place;  // of each column, by what its name reads as
  for (std::size_t c = 0; c < columns.size(); ++c) place.emplace(reading_of(columns[c]), static_cast<Index>(c));
  std::vector<Index> order;
  std::size_t lacking = columns.size(), moved = columns.size();  // the first rows without a column, or in another place
  for (std::size_t r = 0; r < table.objects.size(); ++r) {
    const auto at = place.find(reading_of(table.objects[r]));
    if (at == place.end()) {
      lacking = std::min(lacking, r);
    } else {
      order.push_back(at->second);
      if (at->second != static_cast<Index>(r)) moved = std::min(moved, r);
    }
  }
  if (moved == columns.size()) return;
  std::vector<Index> sorted = order;
  std::ranges::sort(sorted);
  const bool same = order.size() == columns.size() && std::ranges::adjacent_find(sorted) == sorted.end();
  // Else the places count, if the diagonal says that they fit.
  const Vector diagonal = table.features.diagonal().cast<double>();
  if (!same && std::ranges::all_of(diagonal, [&](double d) { return std::isnan(d) || d == diagonal[0]; })) return;
  if (!same)
    throw DataError(fmt::format(words::kOtherColumnInPlace, at_line(file, table.lines[moved]),
                                shown(table.objects[moved]), shown(columns[moved]),
                                lacking < columns.size()
                                    ? fmt::format("no column is called '{}'", shown(table.objects[lacking]))
                                    : "names repeat"));
  table.take_columns(order);
  table.guesses.push_back(words::kColumnsReordered);
  table.notes.push_back(table.guesses.back());
}

/// Makes a square of a list of the distances of all pairs, as SciPy's pdist and R's dist keep them.
void unpack_list(NumericTable& table, const std::string& file) {
  constexpr Index kFewest = 3;
  const Index count = table.features.size();
  const bool named = !table.objects.empty() && !count_up(table.objects);
  if (std::min(table.features.rows(), table.features.cols()) != 1 || count < kFewest || named) return;
  const auto pairs = [](Index n) { return n * (n - 1) / 2; };
  const auto n = static_cast<Index>((1 + std::sqrt(1 + 8 * static_cast<double>(count))) / 2);
  require<DataError>(pairs(n) == count, words::kNoListOfAllPairs, file, count,
                     table.features.cols() == 1 ? "column" : "row", pairs(n), n, pairs(n + 1), n + 1);
  const Matrix list = table.doubles();
  Matrix square = Matrix::Zero(n, n);
  Index next = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j) square(i, j) = square(j, i) = list.reshaped<Eigen::RowMajor>()[next++];
  table.features = square.cast<float>();
  table.precise = std::move(square);
  table.objects.clear();
  add_guess(table, words::kReadAsAllPairs, count, n);
}

/// Whether a text is of one row or column of numbers, perhaps with a column that numbers them.
bool may_be_list(const std::string& text) {
  constexpr std::size_t kFewest = 4;
  std::size_t rows = 0, width = 0;
  try {
    for (RowReader reader(text, "", detect_separator(text, 2)); reader.next() && rows <= kFewest; ++rows)
      width = std::max(width, reader.fields().size());
  } catch (const DataError&) {  // its reader says what is wrong
    return false;
  }
  return rows == 1 || width == 1 || (width == 2 && rows >= kFewest);
}

/// Forgets the half of a table above or below the diagonal that is 0 throughout, or missing, where the other half has
/// numbers: it was not filled in. Returns which half.
std::string_view forget_empty_half(Matrix& values) {
  constexpr Index kFewest = 3;
  const Index n = values.rows();
  if (n != values.cols() || n < kFewest) return "";
  Index above = 0, below = 0, zero_above = 0, zero_below = 0;  // pairs with another number than 0, and with 0
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      (values(i, j) == 0 ? zero_below : below) += std::isnan(values(i, j)) ? 0 : 1;
      (values(j, i) == 0 ? zero_above : above) += std::isnan(values(j, i)) ? 0 : 1;
    }
  const bool no_above = above == 0 && zero_above > 0 && below > 0, no_below = below == 0 && zero_below > 0 && above > 0;
  if (!no_above && !no_below) return "";
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) (no_above ? values(j, i) : values(i, j)) = std::nan("");
  return no_above ? "above" : "below";
}

/// Refuses numbers off the diagonal that may mark a missing value.
void refuse_suspected_codes(const Matrix& values, const MissingCodes& codes, const std::vector<std::string>& objects,
                            const std::string& file) {
  if (!codes.ask) return;
  Matrix apart = values;
  apart.diagonal().setConstant(std::nan(""));
  codes.refuse_suspected({apart.data(), subscript(apart.size())}, [&](std::size_t at) {
    const Index i = static_cast<Index>(at) / values.cols(), j = static_cast<Index>(at) % values.cols();
    return fmt::format("'{}': The pair '{}', '{}' (row {}, column {})", file, shown(objects[subscript(i)]),
                       j < std::ssize(objects) ? shown(objects[subscript(j)]) : std::to_string(j + 1), i + 1, j + 1);
  });
}

/// Objects to keep so that every pair has a value, or all of them where pairs may lack one. The note on those left out.
std::pair<std::vector<Index>, std::string> kept_objects(const Matrix& values, std::string_view rule,
                                                        const std::vector<std::string>& objects,
                                                        const std::string& file) {
  const Index n = values.rows(), unknown = values.cols() == n ? missing_pairs(values) : 0;
  std::vector<Index> kept;
  if (unknown == 0 || rule == "path" || rule == "weight") return {};
  if (rule == "error") {
    std::string alike;
    for (const std::string& note : notes_on_likeness(objects, "object")) alike += " " + note;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j)
        if (std::isnan(values(i, j)))
          throw DataError(fmt::format(
              words::kPairWithoutValue, file, shown(objects[subscript(j)]), shown(objects[subscript(i)]),
              unknown == 1 ? std::string() : fmt::format("; {} of {} pairs have none", unknown, n * (n - 1) / 2),
              unknown == 1 ? "one" : "them", alike));
  }
  kept = objects_with_all_pairs(values);
  require<DataError>(kept.size() >= 3, words::kTooFewPairs, file);
  constexpr std::size_t kShown = 10;
  std::vector<std::string> left_out;
  for (Index i = 0; i < n; ++i)
    if (!std::ranges::binary_search(kept, i)) left_out.push_back(shown(objects[subscript(i)]));
  const std::size_t count = left_out.size();
  return {std::move(kept), fmt::format(words::kObjectsLeftOut, unknown, n * (n - 1) / 2, count, n,
                                       count == 1 ? "was" : "were", join_first(std::move(left_out), kShown))};
}

/// Turns similarities into distances: the largest one minus each; 0 on the diagonal. Returns the note.
std::string turn_into_distances(Matrix& values, const std::vector<std::string>& objects, const std::string& file) {
  const Eigen::ArrayXXd filled =
      values.array().isNaN().select(-std::numeric_limits<double>::infinity(), values.array());
  if (values.rows() != values.cols() || values.array().isInf().any() || !values.diagonal().allFinite())
    return "";  // refused where distances are checked
  const double largest = filled.maxCoeff();
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      require<DataError>(values(i, i) == 0 || values(i, i) >= std::max(filled(i, j), filled(j, i)),
                         words::kLessSimilarToItself, file, shown(objects[subscript(i)]), i + 1,
                         shown(objects[subscript(j)]), values(i, i), std::max(filled(i, j), filled(j, i)));
  // In whole steps, in which numbers moved by a constant leave the same differences.
  const double step = common_step(filtered(values.reshaped(), [](double x) { return std::isfinite(x); }));
  if (step > 0)
    values = ((std::nearbyint(largest / step) - (values.array() / step).rint()) * step).matrix();
  else
    values = (largest - values.array()).matrix();
  values.diagonal().setZero();
  return fmt::format(words::kSimilaritiesTurned, largest);
}

/// From here on distances are clear; random points have this and more, from 6 objects on. Similarities have less than
/// its negative.
constexpr double kClear = 0.4;

/// Rank correlation of the numbers of two objects with how far apart their rows are: objects at a small distance have
/// rows of similar distances; objects of a high similarity have rows of similar similarities. 0 if it can not be told.
double correlation_with_rows(Matrix values) {
  constexpr Index kFewest = 6, kMost = 300;
  const Index n = std::min(values.rows(), kMost);
  const Eigen::ArrayXXd filled = values.array().isNaN().select(0, values.array());
  const auto count = static_cast<double>(values.size() - values.array().isNaN().count());
  values = values.array().isNaN().select(filled.sum() / std::max(count, 1.0), values.array()).matrix();
  if (values.rows() != values.cols() || n < kFewest || !values.allFinite() || !values.diagonal().isZero(0)) return 0;
  std::vector<double> in_data, apart;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      in_data.push_back(values(i, j) + values(j, i));
      double sum = 0;
      for (Index k = 0; k < n; ++k)
        if (k != i && k != j) sum += (values(i, k) - values(j, k)) * (values(i, k) - values(j, k));
      apart.push_back(sum);
    }
  const Vector a = metrics::centred_ranks(in_data), b = metrics::centred_ranks(apart);
  const double scale = a.norm() * b.norm();
  return scale > 0 ? a.dot(b) / scale : 0;
}

/// Refuses answers 'same' or 'different', whose shares are the distances, and ratings in words.
void refuse_judgements(std::string_view text, const std::string& file) {
  constexpr std::size_t kFewestColumns = 3, kRows = 100;
  const char separator = detect_separator(text, kFewestColumns);
  if (separator == ' ') return;
  const Table table(RowReader(text, file, separator), {.strict = false, .row_limit = kRows});
  require<DataError>(!same_different_columns(table), words::kJudgementsForDistances, table.place);
  const auto who = std::ranges::find_if(table.header, is_about_people);
  std::size_t of_words = 0;
  for (std::size_t c = 0; c < table.header.size(); ++c)
    if (const auto values = table.values_of(c, kRows); !values.empty() && !is_about_people(table.header[c]))
      of_words += std::ranges::none_of(values, reads_as_number) ? 1 : 0;
  if (who != table.header.end() && of_words > 1 && !pair_columns(table.header, true))
    throw DataError(fmt::format(words::kRatingsUnknown, table.place, shown(*who)));
  if (const auto pair = pair_columns(table.header, true))
    for (std::size_t c = 0; c < table.header.size(); ++c)
      if (const auto values = table.values_of(c, 3); question_part(table.header[c]) == "response" && values.size() == 2)
        require<DataError>(!std::ranges::all_of(values, reads_as_number), words::kRatingsOfTwoValues, table.place,
                           shown(table.header[c]), shown(*values.begin()), shown(*values.rbegin()),
                           shown(table.header[pair->a]), shown(table.header[pair->b]));
  if (const auto column = rated_in_words(table))
    throw DataError(fmt::format(words::kRatingsInWords, table.place, shown(table.header[*column]),
                                shown(*table.values_of(*column, 1).begin())));
}

/// Those of pairs in the rows of several files.
NamedDistances ratings_in(RowReader rows, const MissingCodes& codes, const TableChoice& choice) {
  DistanceRows all;
  while (rows.next()) all.rows.push_back({{rows.fields().begin(), rows.fields().end()}, rows.place()});
  require<DataError>(all.rows.size() > 1, words::kNoListOfPairs, rows.file());
  return *distances_in_rows(std::move(all), std::nullopt, rows.file(), codes, choice);
}

/// The numbers and names of a file in any form, with what is to be said of its reading.
NamedDistances read_square(const Chosen& options, const std::filesystem::path& path, const MissingCodes& codes) {
  const bool several = means_several_files(path);
  TableText read = several ? TableText() : read_table_or_npy(path);
  const std::string file = path.string();
  NamedDistances table;
  std::vector<std::string> notes;
  std::optional<NamedDistances> other;
  if (!read.npy) add_note(notes, replace_decimal_commas(read.text, decimal_sign(options.text("decimal"))));
  const bool listed = !read.npy && options.text("name_column").empty();
  const TableChoice choice = choice_of(options);
  require<ConfigError>(listed || (choice.where + choice.columns).empty(), words::kNoPairsToChoose, file);
  if (several)
    other = read_people(
        path, true, [&](const RowReader& rows) { return ratings_in(rows, codes, choice); }, true,
        decimal_sign(options.text("decimal")));
  else if (listed)
    other = distances_in_other_form(read.text, file, codes, choice);
  const bool has_names = (other && other->of_pairs) || !options.text("labels").empty();
  require<ConfigError>(choice.merge_names != MergeNames::yes || has_names, words::kNoNamesToMerge, file);
  if (read.npy) {
    require_no_layout(options, file);
    table.features = parse_npy(read.text, file, &table.precise, true);
    unpack_list(table, file);
  } else if (other) {
    table = *std::move(other);
    table.features = table.precise.cast<float>();
    add_note(notes, std::exchange(table.notes, {}));
  } else {
    refuse_judgements(read.text, file);
    const bool row_names = read.row_names && options.text("name_column").empty();
    std::vector<std::string> unread;
    if (read.row_names && !row_names) unread.emplace_back(TableText::kRowNames);
    const bool list = may_be_list(read.text);
    table = {parse_numeric_table(read.text, file,
                                 {.header = table_part(options.text("header")),
                                  .index = table_part(options.text("index")),
                                  .square = !list,
                                  .name = row_names ? TableText::kRowNames : options.text("name_column"),
                                  .not_read = unread,
                                  .missing = true,
                                  .missing_words = codes.words})};
    if (list) unpack_list(table, file);
    name_by_columns(table, options.text("name_column").empty() && !row_names, file);
  }
  add_guesses(table, read.guesses);
  table.notes.insert(table.notes.begin(), notes.begin(), notes.end());
  return table;
}

/// Names the objects, and labels them where a file does.
void take_names(const Chosen& options, const std::string& file, const DatasetContext& context, NumericTable& table,
                Observations& out) {
  if (!options.text("labels").empty()) {
    const MergeNames merge_names = merge_names_of(options.text("merge_names"));
    const bool named = !options.text("name_column").empty() || (!table.objects.empty() && !count_up(table.objects));
    ChosenRows said;
    ListedObjects labelled =
        labels_of(read_labels(own_file(options.text("labels"), "dissimilarities", context)), options.text("labels"),
                  std::move(table.objects), named, table.features.rows(), file, merge_names, said);
    table.objects = std::move(labelled.objects);
    out.labels = std::move(labelled.labels);
    add_said(out, said);
    add_said(out, merge_labels(out.labels, merge_names));
  }
  for (Index i = std::ssize(table.objects); i < table.features.rows(); ++i)
    table.objects.push_back(std::to_string(i + 1));
  out.objects = std::move(table.objects);
}

/// Fills in or leaves out what has no value.
void settle_missing(const Chosen& options, const MissingCodes& codes, const std::string& file, Matrix& values,
                    Observations& out) {
  refuse_suspected_codes(values, codes, out.objects, file);
  static_cast<void>(codes.forget(values));
  if (const std::string_view half = forget_empty_half(values); !half.empty()) {
    add_guess(out, words::kHalfTaken, half);
    take_opposites(values);
  } else if (const Index taken = take_opposites(values); taken > 0) {
    add_note(out, "{} taken from the opposite direction of the pair.",
             counted(taken, "missing value was", "missing values were"));
  }
  auto [kept, note] = kept_objects(values, options.text("missing"), out.objects, file);
  if (kept.empty()) return;
  values = Matrix(values(kept, kept));
  keep(out.objects, kept);
  keep(out.labels, kept);
  add_note(out, note);
}

Observations load_dissimilarities(const Chosen& options, const DatasetContext& context) {
  const auto path = own_file(options.text("file"), "dissimilarities", context);
  const std::string file = path.string();
  const MissingCodes codes = MissingCodes::of(options.text("missing_codes"));
  Observations out;
  NamedDistances table = read_square(options, path, codes);
  PairJudgements& judged = table.judged;
  out.annotators = std::move(table.people);
  out.notes = std::move(table.notes);
  out.guesses = std::move(table.guesses);
  take_names(options, file, context, table, out);
  Matrix values = table.doubles();
  forget_rounding(values);
  if (!judged.all.empty() && missing_pairs(values) > 0) judged.all.clear();  // the map is not of the means alone
  settle_missing(options, codes, file, values, out);
  if (options.text("similarities") == "yes") {
    if (const double correlation = correlation_with_rows(values); correlation > kClear)
      add_guess(out, words::kMaybeDistances, correlation);
    const double first = judged.all.empty() ? 0 : values(1, 0);
    add_note(out, turn_into_distances(values, out.objects, file));
    for (PairJudgement& one : judged.all) one.apart = values(1, 0) + first - one.apart;
    judged.from_nearest = true;
  }
  if (options.text("similarities") == "auto") {
    require<DataError>(table.most_alike.empty(), words::kLargestIsAlike, file, table.most_alike);
    require<DataError>(!seem_similarities(values), words::kMaybeSimilarities, file, correlation_with_rows(values));
  }
  Dissimilarities apart;
  if (const Index unknown = values.rows() == values.cols() ? missing_pairs(values) : 0; unknown > 0) {
    apart.weights = fill_in_missing(values, out.objects, file);
    const bool weightless = options.text("missing") == "weight";
    if (!weightless) apart.weights.resize(0, 0);
    add_note(out, "{} of {} pairs {} no value: {}.", unknown, values.rows() * (values.rows() - 1) / 2,
             unknown == 1 ? "has" : "have", weightless ? "they have no weight" : words::kShortestPaths);
  }
  apart.values = symmetric_dissimilarities(std::move(values), out.objects, file, options.text("asymmetry") == "mean");
  add_note(out, notes_on_likeness(out.objects, "object", table.of_pairs));
  out.dissimilarities.push_back(std::move(apart));
  if (!judged.all.empty()) {
    out.judgements = std::make_shared<const PairJudgements>(std::move(judged));
    imply_triplets(out);
  }
  return out;
}

}  // namespace

bool seem_similarities(const Matrix& values) { return correlation_with_rows(values) <= -kClear; }

Matrix fill_in_missing(Matrix& values, const std::vector<std::string>& objects, const std::string& file) {
  static_cast<void>(take_opposites(values));
  const Matrix weights = values.array().isNaN().select(Matrix::Zero(values.rows(), values.cols()), 1.0);
  take_shortest_paths(values, objects, file);
  return weights;
}

Matrix symmetric_dissimilarities(Matrix out, const std::vector<std::string>& objects, const std::string& file,
                                 bool take_mean) {
  const Index n = out.rows();
  require<DataError>(out.cols() == n, words::kNotSquare, file, n, out.cols());
  forget_rounding(out);
  const auto name = [&](Index i) { return shown(objects[subscript(i)]); };
  // What 1 - corrcoef and distances by dot products leave where 0, or two equal numbers, belong.
  const double rounding = kRounding * out.array().isFinite().select(out.array().abs(), 0).maxCoeff();
  for (Index i = 0; i < n; ++i) {
    require<DataError>(std::abs(out(i, i)) <= rounding, words::kDissimilarToItself, file, name(i), i + 1, out(i, i));
    out(i, i) = 0;
    for (Index j = 0; j < i; ++j) {
      const auto unrounded = [&](double value) { return value < 0 && value >= -rounding ? 0 : value; };
      const double a = unrounded(out(i, j)), b = unrounded(out(j, i));
      require<DataError>(std::isfinite(a) && std::isfinite(b) && a >= 0 && b >= 0, words::kNoDissimilarity, file,
                         name(i), name(j), i + 1, j + 1, a, b);
      require<DataError>(take_mean || std::abs(a - b) <= rounding, words::kAsymmetric, file, name(i), name(j), i + 1,
                         j + 1, different(a, b).first, different(a, b).second);
      out(i, j) = out(j, i) = 0.5 * (a + b);
    }
  }
  return out;
}

std::vector<DatasetEntry> square_datasets() {
  DatasetEntry out = entry_of(described("dissimilarities"), load_dissimilarities);
  out.files_of_own = files_of;
  return {std::move(out)};
}

}  // namespace alidade::datasets
