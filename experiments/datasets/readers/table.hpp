// A table of a file as a value: the names of its columns, its rows, and where each stands; what its columns hold, by
// their names; and which line names the columns, and which column the rows, by evidence.
// The words are in column_words.json, their one home. Case, signs and a final "id" or number do not matter: Source_ID,
// Target, Weight are the ends of an edge and its weight. A name is evidence only: readers look at the rows too.
// For what is looked at as a whole: exports, groups, pairs, attributes. Millions of answers are read row by row.
// Fields are views into the text or the table: both must outlive them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/files/delimited_text.hpp"

namespace alidade::datasets {

/// Whether column_words.json lists the word, in lower case, for that meaning. @pre it has a list of that name
[[nodiscard]] bool means(std::string_view meaning, std::string_view word);

/// A name of a column without case, signs and a final "id": "Source_ID" as "source".
[[nodiscard]] std::string plain_column(std::string_view column);
/// "imgLeft_1" as img, left, 1.
[[nodiscard]] std::vector<std::string> words_of(std::string_view name);

/// The columns of the two things of a pair.
struct PairColumns {
  std::size_t a = 0, b = 1;
  bool may_be_names = false;  // these are also likely names of two things
};
/// `rated`: also by names such as stim1 and stim2, which columns of answers have too.
[[nodiscard]] std::optional<PairColumns> pair_columns(std::span<const std::string_view> header, bool rated = false);

class Table;
/// The columns of numbers about pairs: of how far apart or how similar they are, by name; else that of a response in
/// numbers; else those of several people, as P1, P2 and P3 or rater1 and rater2; else that of a mean. O(cells)
struct PairNumbers {
  std::vector<std::size_t> columns{};
  bool of_people = false;
};
[[nodiscard]] PairNumbers pair_numbers(const Table& table, std::span<const std::string_view> header,
                                       const PairColumns& pair);

/// Two names in each of the texts that have them with one sign between, as "cat-dog", "cat vs dog" or "Q7_cat_dog";
/// empty in the others. All are unless these are at least half of the pairs of their names.
using PairOfNames = std::array<std::string_view, 2>;
[[nodiscard]] std::vector<PairOfNames> pairs_named(std::span<const std::string_view> texts);

/// A point of a scale that is written with its meaning: "3 - neutral", "1 (very similar)", "Very similar (1)".
struct ScalePoint {
  std::string_view number, meaning;
};
[[nodiscard]] std::optional<ScalePoint> scale_point(std::string_view field);

/// Whether a column of this name often tells who answered: "participant", "Worker ID", "subject", ...
[[nodiscard]] bool is_about_people(std::string_view column);
/// Whether a column holds how far apart, or how similar, two things are: "distance", "d", "rating", "mean similarity",
/// "weight".
[[nodiscard]] bool is_about_closeness(std::string_view column);
/// Whether a column holds the things that were sorted: "item", "card".
[[nodiscard]] bool is_about_items(std::string_view column);
/// Whether a column holds groups of them: "cluster", "pile", "category".
[[nodiscard]] bool is_about_groups(std::string_view column);
/// Whether a column often tells groups of those who answered: "group", "condition", "cohort".
[[nodiscard]] bool tells_groups_of_people(std::string_view column);
/// Whether a column of this name often only tells rows apart: "id", "name", "participant_id".
[[nodiscard]] bool is_about_rows(std::string_view column);
/// "rt", "key_resp.rt", "reaction time (ms)", "RESPONSE_TIME", "latency".
[[nodiscard]] bool is_about_time(std::string_view column);
/// Whether a column tells of a person or a session, not of what was judged: "age", "condition", "order", "duration".
[[nodiscard]] bool is_background(std::string_view column);
/// Whether a column or a field is about trials that are no answers: "practice", "warm-up", "tutorial", and
/// "attention_check", which are checks. Unless it must be `clear`, also by words that may mean something else, where
/// they stand alone or beside words of trials: "training", "attention", "demo trial 2".
enum class NoAnswer : std::uint8_t { neither, practice, check };
[[nodiscard]] NoAnswer no_answer(std::string_view text, bool clear = false);
/// Whether a column's name says that it holds the odd one.
[[nodiscard]] bool is_about_odd_one(std::string_view column);
/// The part of a question that a column seems to hold, by its name: a role of two_choice or triplets; else "".
[[nodiscard]] std::string_view question_part(std::string_view name);
/// Whether a column says which of two was chosen, as the more alike or, in "less similar", as the less; else nothing.
[[nodiscard]] std::optional<bool> chosen_is_farther(std::string_view column);

/// "Column 'x' was not read.", or how many were not and their names; "" if all columns with a name are read.
[[nodiscard]] std::string note_on_unread(std::span<const std::string_view> header,
                                         const std::function<bool(std::size_t)>& is_read);
[[nodiscard]] std::string note_on_unread(std::span<const std::string_view> header, std::span<const std::size_t> read,
                                         std::span<const std::size_t> also = {});

/// Whether a first column without a name may be an index: its field in the header is empty, or as pandas reads that.
[[nodiscard]] bool is_nameless(std::string_view column);

/// Whether tables use this text for a missing value: "", blanks, "?", "-", "--", ".", "NA", "<NA>", "N/A", "n.a.",
/// "#N/A", "NaN", "\N", "null", "none", in any case and with blanks around it.
[[nodiscard]] bool marks_missing(std::string_view text);
/// The same for a category, such as a label: the word "none" in lower case is one.
[[nodiscard]] bool lacks_category(std::string_view text);

/// A number with spaces before each three of its digits: "1 234", "12 000,5". Nothing for any other text.
[[nodiscard]] std::optional<double> spaced_number(std::string_view field);
/// Whether it is a number, with such spaces or without.
[[nodiscard]] bool reads_as_number(std::string_view field);

/// A number and what stands before or after it: "12 %", "€3", "4.5kg".
struct NumberWithUnit {
  double value;
  std::string unit;
};
/// Nothing for a plain number, and for text that begins with a number by chance ("2nd", "10-20").
[[nodiscard]] std::optional<NumberWithUnit> number_with_unit(std::string_view field);

/// The one unit of a column's numbers, how many have it, and how many have none; "" where two differ or a field is no
/// number. Marks of missing ones count as nothing. O(fields) up to the first that decides
struct ColumnUnit {
  std::string unit{};
  std::size_t with = 0, plain = 0;
};
[[nodiscard]] ColumnUnit unit_of(std::span<const std::string_view> fields);

/// Refuses the last row, which has another width than `what` has. @throws DataError
[[noreturn]] void refuse_width(const RowReader& rows, std::size_t width, std::string_view what,
                               const std::string& advice = "");

/// How many header lines Qualtrics or SurveyMonkey wrote below the first: `next` are the rows after it.
[[nodiscard]] std::size_t further_headers_of(RowReader next);

/// A header in which columns that ask the same of different things have the names of these, as a survey's questions in
/// words have them: "apple" for "Sort the cards - apple", "apple and bed" for "How similar are apple and bed?". Others
/// keep theirs; so do all, if fewer than three begin with the same two words.
[[nodiscard]] std::vector<std::string> asked_names(std::span<const std::string_view> header,
                                                   std::span<const std::string_view> questions);

/// What a reader asks of its table.
struct TableRule {
  /// Whether the first row names the columns; empty: it does.
  std::function<bool(const RowReader& first)> has_header{};
  /// What to give in place of a file without rows: "a table"; "": it need not have any.
  std::string_view wanted{};
  /// Rows of another width are errors; else they are left out and counted, and further header lines set apart.
  bool strict = !wanted.empty();
  bool further_headers = !strict;
  std::size_t width = 0;  // of a row; 0: as the first
  std::size_t row_limit = std::numeric_limits<std::size_t>::max();
};

/// Which rows of a table to read, what its columns are called, and which of its names are one.
struct TableChoice {
  std::string where = {};    // conditions of AnswerRows; empty: all rows but those of practice
  std::string columns = {};  // of named_header(); empty: their own names
  MergeNames merge_names = MergeNames::automatic;
};

class Table {
 public:
  /// Rows that decide what a column holds.
  static constexpr std::size_t kRowsSeen = 50'000;
  /// @throws DataError as RowReader, and as the rule has it
  explicit Table(const RowReader& reader, const TableRule& rule = {});
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// Adds columns for the entries of each column that holds lists in JSON, as jsPsych writes what it showed: those of
  /// `stimulus` are stimulus_1, stimulus_2, ... A column of objects with one entry each becomes that of its entries.
  /// Returns whether there is any.
  bool expand_lists();
  /// Keeps the rows, by their numbers, of which `keeps` says so. Returns how many others there were.
  std::size_t keep_rows(const std::function<bool(std::size_t row)>& keeps);
  /// A field that is in no file.
  std::string_view keep(std::string text) { return made_.emplace_back(std::move(text)); }

  [[nodiscard]] const std::string& file() const { return reader_.file(); }
  [[nodiscard]] char separator() const { return reader_.separator(); }
  [[nodiscard]] std::size_t width() const { return width_; }
  /// Different values of a column, up to `most`, without marks of missing ones.
  [[nodiscard]] std::set<std::string_view> values_of(std::size_t column, std::size_t most) const;
  /// The fields of a column, row by row.
  [[nodiscard]] auto column(std::size_t c) const {
    return rows | std::views::transform([c](const TableFields& row) { return row[c]; });
  }
  /// What a column asks: the question in words, else its name.
  [[nodiscard]] std::string_view question(std::size_t column) const {
    return further_headers.size() > 1 ? further_headers.front()[column] : header[column];
  }
  /// What was left out.
  [[nodiscard]] std::vector<std::string> notes() const { return reader_.reading().notes(); }

  TableFields header;                        // empty: it has none
  std::vector<TableFields> further_headers;  // of Qualtrics, as wide as the first: questions in words, identifiers
  std::vector<TableFields> rows;
  std::vector<Place> places;  // one per row
  Place place;                // of the first row or the header

 private:
  RowReader reader_;  // holds some of the fields
  std::deque<std::string> made_;
  std::size_t width_ = 0;
};

/// Whether a table is square: by names of rows that columns have too, perhaps beside others; else by as many rows as
/// columns, perhaps beside one of names, of numbers alone with a diagonal of 0, or of one number where they are
/// symmetric. Of three rows, as three pairs have, only by the 0.
[[nodiscard]] bool is_square(const Table& table);

/// The column of ratings of pairs whose ratings are words, such as "very similar".
[[nodiscard]] std::optional<std::size_t> rated_in_words(const Table& table);

/// Whether a table has a header, or an index.
enum class TablePart : std::uint8_t { detected, there, absent };

/// "auto", "yes" or "no".
[[nodiscard]] inline TablePart table_part(std::string_view value) {
  return value == "yes" ? TablePart::there : value == "no" ? TablePart::absent : TablePart::detected;
}

/// The first rows of a table, each as long as the first, and the lines on which they begin.
struct TableSample {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> lines;
};
/// How many rows of a width are enough evidence.
[[nodiscard]] std::size_t sample_size(std::size_t width);

struct LayoutQuestion {
  TablePart header = TablePart::detected, index = TablePart::absent;
  std::vector<bool> is_value;         // the columns that are not known to hold names, labels or what is not read
  std::optional<std::size_t> name{};  // the column of names, else of labels, if an option tells its number
  bool header_is_named = false;       // an option names a column as the first line does
  std::size_t square_lines = 0;       // of a table that is to be square: its lines; else 0
};

struct TableLayout {
  bool header = false;
  bool index = false;  // the first column names or numbers the rows
  std::vector<std::string> guesses{};
};

/// O(cells of the sample). @pre the sample has a row, and `is_value` is as long as it
[[nodiscard]] TableLayout layout_of(const TableSample& sample, const LayoutQuestion& question);

/// Refuses a table with further header lines below the first, as survey tools export them: `begin` and more rows that
/// have no number in any value column, above rows that have. @throws DataError that names the lines
void require_one_header(const TableSample& sample, const std::vector<bool>& is_value, const std::string& file);

/// Whether the values are 0, 1, 2, ... or 1, 2, 3, ...
template <class Values>
[[nodiscard]] bool count_up(const Values& values) {
  std::size_t next = std::ranges::empty(values) || *std::ranges::begin(values) != "0" ? 1 : 0;
  return !std::ranges::empty(values) &&
         std::ranges::all_of(values, [&next](const auto& value) { return value == std::to_string(next++); });
}

}  // namespace alidade::datasets
