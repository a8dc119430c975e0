// What the columns of an exported file of answers hold, where nobody said it: by their names, and by what rows have.
// Exports of PsychoPy, jsPsych, Qualtrics and the like have names of their own, a column of participants, and practice
// rows. Every guess is a sentence that says how to overrule it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/answer_columns.hpp"
#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/table.hpp"

namespace alidade::datasets {

struct ExportLayout {
  bool is_known = false;  // the columns of the answers are: by their names, or as they were given
  std::optional<AnswerKind> answers =
      {};                            // by the names of the columns, if they are of another kind than was asked for
  std::string columns = {};          // as of AnswerColumns::of_names(); empty: as given
  bool found_people = false;         // `columns` names an annotator that nobody asked for
  std::string rows = {};             // conditions of AnswerRows: those that were given, and practice is left out
  bool leaves_practice_out = false;  // by these
  std::vector<std::string> guesses = {};
};

/// How to read a table whose rows are answers of a kind. `columns` and `where` are those that were given, or empty.
/// Nothing is guessed about what they say. O(cells).
/// @throws DataError, beginning with the file's name, if a column of responses or choices says that roles are not what
/// they are called
[[nodiscard]] ExportLayout layout_of(const Table& table, AnswerKind answers, const std::string& columns,
                                     const std::string& where);
/// A sentence on the two or three ways of reading a file's columns that its first rows allow, each as a command; or on
/// what it is instead. Begins with a blank; empty if nothing can be said.
[[nodiscard]] std::string fitting_readings(const RowReader& rows);

/// Whether a list of columns (AnswerColumns::of_names) can have this name, and a message can show it as it is.
[[nodiscard]] bool fits_a_list(std::string_view name);

/// Columns that name the same things: the largest group whose values are shared, of the first 200. Fractions are no
/// names. O(columns^2 values)
[[nodiscard]] std::vector<std::size_t> object_columns(const Table& table);

/// Columns and rows that are about answers.
using IsRead = std::function<bool(std::size_t column)>;
using HasAnswer = std::function<bool(const TableFields& row)>;

enum class RowIs { answer, person };
/// An unread column that tells who answered, of several people.
[[nodiscard]] std::optional<std::size_t> people_column(const Table& table, const IsRead& is_read,
                                                       RowIs row_is = RowIs::answer);

/// An unread column that tells how long an answer took: numbers, or nothing, in each row that has an answer.
[[nodiscard]] std::optional<std::size_t> time_column(const Table& table, const IsRead& is_read,
                                                     const HasAnswer& has_answer);

struct PracticeRule {
  std::string condition = {};  // of AnswerRows, that leaves the rows of practice out; empty: there are none
  std::string guess = {};      // says so, and how to overrule it
};
/// Nothing by a column that the conditions `where` name: rows were chosen by it. @throws DataError if a column called
/// practice has two or three values, and none says which it is
[[nodiscard]] PracticeRule practice_rule(const Table& table, const IsRead& is_read, const HasAnswer& has_answer,
                                         std::string_view where);

}  // namespace alidade::datasets
