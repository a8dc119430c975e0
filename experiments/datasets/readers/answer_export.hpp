// What the columns of an exported file of answers hold, where nobody said it: by their names, and by what rows have.
// Exports of PsychoPy, jsPsych, Qualtrics and the like have names of their own, a column of participants, and practice
// rows. Every guess is a sentence that says how to overrule it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/answer_columns.hpp"
#include "experiments/datasets/readers/answer_formats.hpp"

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

/// How to read a text whose first line names its columns and whose rows are answers of a kind. `columns` and `where`
/// are those that were given, or empty. Nothing is guessed about what they say. O(rows up to 50,000).
/// @throws DataError, beginning with `name`, if a column of responses or choices says that roles are not what they are
/// called
[[nodiscard]] ExportLayout layout_of(std::string_view text, const std::string& name, char separator, AnswerKind answers,
                                     const std::string& columns, const std::string& where);

/// A sentence on the two or three ways of reading a text's columns that its rows allow, each as a command; or on what
/// the text is instead. Begins with a blank; empty if nothing can be said.
[[nodiscard]] std::string fitting_readings(std::string_view text, const std::string& name, char separator);

}  // namespace alidade::datasets
