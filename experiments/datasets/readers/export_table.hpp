// The rows of an exported file of answers under the names of its columns.
// What these say about people, practice, and how long an answer took.
// Which columns hold the answers is known elsewhere (answer_export, answer_reshape).
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/answer_columns.hpp"
#include "experiments/files/delimited_text.hpp"

namespace alidade::datasets {

using ExportFields = std::vector<std::string_view>;

/// How many header lines Qualtrics or SurveyMonkey wrote below the first: `next` are the rows after it.
[[nodiscard]] std::size_t further_headers_of(RowReader next);

class ExportTable {
 public:
  /// Rows that decide what a column holds.
  static constexpr std::size_t kRowsSeen = 50'000;
  /// The first `row_limit` rows that have as many fields as the header. The text must outlive this.
  /// @throws DataError as RowReader
  ExportTable(std::string_view text, const std::string& name, char separator, std::size_t row_limit = kRowsSeen);
  ExportTable(const ExportTable&) = delete;
  ExportTable& operator=(const ExportTable&) = delete;

  /// Adds columns for the entries of each column that holds lists in JSON, as jsPsych writes what it showed: those of
  /// `stimulus` are stimulus_1, stimulus_2, ... A column of objects with one entry each becomes that of its entries.
  void expand_lists();

  ExportFields header;
  std::vector<ExportFields> further_headers;  // of Qualtrics, as wide as the first: questions in words, identifiers
  std::vector<ExportFields> rows;
  std::vector<std::size_t> lines;  // of the file, one per row
  std::string place;               // of the header

 private:
  std::deque<std::string> made_;  // fields that are in no file
  RowReader reader_;              // holds some of the fields
};

/// Whether a list of columns (AnswerColumns::of_names) can have this name, and a message can show it as it is.
[[nodiscard]] bool fits_a_list(std::string_view name);

/// "imgLeft_1" as img, left, 1.
[[nodiscard]] std::vector<std::string> words_of(std::string_view name);

/// The part of a question that a column seems to hold, by its name: a role of two_choice or triplets; else "".
[[nodiscard]] std::string_view question_part(std::string_view name);

/// Columns that name the same things: the largest group whose values are shared, of the first 200. Fractions are no
/// names. O(columns^2 values)
[[nodiscard]] std::vector<std::size_t> object_columns(const ExportTable& table);

/// Columns and rows that are about answers.
using IsRead = std::function<bool(std::size_t column)>;
using HasAnswer = std::function<bool(const ExportFields& row)>;

enum class RowIs { answer, person };
/// An unread column that tells who answered, of several people.
[[nodiscard]] std::optional<std::size_t> people_column(const ExportTable& table, const IsRead& is_read,
                                                       RowIs row_is = RowIs::answer);

/// An unread column that tells how long an answer took: numbers, or nothing, in each row that has an answer.
[[nodiscard]] std::optional<std::size_t> time_column(const ExportTable& table, const IsRead& is_read,
                                                     const HasAnswer& has_answer);

struct PracticeRule {
  std::string condition = {};  // of AnswerRows, that leaves the rows of practice out; empty: there are none
  std::string guess = {};      // says so, and how to overrule it
};
/// Nothing by a column that the conditions `where` name: rows were chosen by it. @throws DataError if a column called
/// practice has two or three values, and none says which it is
[[nodiscard]] PracticeRule practice_rule(const ExportTable& table, const IsRead& is_read, const HasAnswer& has_answer,
                                         std::string_view where);

}  // namespace alidade::datasets
