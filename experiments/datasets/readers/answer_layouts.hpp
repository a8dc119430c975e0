// How an exported file of answers is to be read, where nobody said it: by the names of its columns, by what rows have.
// Exports of PsychoPy, jsPsych, Qualtrics and the like have names of their own, a column of participants, and practice
// rows. Every guess is a sentence that says how to overrule it.
// Rows that do not name the objects of one answer in columns of their own are written again so that they do: one row
// per person and one column per question, or three objects that were shown and the one of them that was chosen. The
// objects of a question come from its words, its column's name and its responses.
#pragma once

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/files/notes.hpp"

namespace alidade::datasets {

struct ExportLayout {
  bool is_known = false;  // the columns of the answers are: by their names, or as they were given
  std::optional<AnswerKind> answers =
      {};                     // by the names of the columns, if they are of another kind than was asked for
  std::string columns = {};   // as of AnswerColumns::of_names(); empty: as given
  bool found_people = false;  // `columns` names an annotator that nobody asked for
  RowChoice rows = {};
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

/// Takes the rows out of a table that are empty in all columns of `things`, and counts them, where there are columns
/// besides these and that of an answer: of instructions, and other screens of an experiment.
void leave_out_thingless(Table& table, std::initializer_list<std::size_t> things, std::vector<std::string>& notes);

/// Takes the rows out of a table that do not meet the conditions `where`, and those of practice, by a column that is
/// none of `read` and that `where` does not name. Says so.
/// @throws DataError if a column called practice has two or three values, and none says which it is; and as AnswerRows
struct ChosenRows : Said {
  std::vector<std::size_t> by;  // columns that decided
};
void choose_rows(Table& table, std::span<const std::size_t> read, const std::string& where, ChosenRows& out);

struct ReshapedAnswers {
  explicit ReshapedAnswers(AnswerKind of) : kind(of) {}
  AnswerKind kind;
  std::vector<StoredRow> rows;  // the first names the kind's columns, and annotator and response_time where known
  std::vector<std::string> guesses = {}, notes = {};
  std::deque<std::string> made = {};  // fields that are in no file
  std::string_view keep(std::string text) { return made.emplace_back(std::move(text)); }
};
/// The answers of a table whose columns are not those of a kind; nothing if it has neither layout. `kind` is the one
/// that was asked for: the odd one or the most central one of three are told apart by it, or by the column's name.
/// `columns` are those that were given for one of three shown objects, in any order, or empty: the three and the one
/// that says which was chosen, or the one that lists the three and that one. `where` are conditions of AnswerRows;
/// empty: all rows but those of practice. The table gets what its codes mean. @pre its lists are expanded. O(cells)
/// @throws DataError, ConfigError on a condition, as AnswerRows
[[nodiscard]] std::optional<ReshapedAnswers> reshaped_answers(Table& table, AnswerKind kind, const std::string& columns,
                                                              const std::string& where);

}  // namespace alidade::datasets
