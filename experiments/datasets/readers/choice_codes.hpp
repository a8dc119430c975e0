// Responses that are codes of choices, such as 1 and 2, as survey tools export them without the choices' texts.
// A line below the header, or the question in words, says what each means: "1 = pear, 2 = plum", "(1) pear (2) plum".
// Example: with the question "Is apple more like (1) pear or (2) plum?" the response 2 becomes "plum".
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/table.hpp"

namespace alidade::datasets {

struct CodedChoice {
  std::string code;  // as a whole number is written
  std::string name;
};

/// The choices that a text gives codes to, in its order; empty unless there are two or more, all different. O(text)
[[nodiscard]] std::vector<CodedChoice> coded_choices(std::string_view text);

/// Writes the choices in place of their codes, in each column where all responses have one; a first row that only says
/// what codes mean is removed. Returns what is to be said of it; "" if nothing was changed. O(cells)
std::string write_out_choices(Table& table);

/// Questions that are worded alike, with two codes in a row as responses, such as 1 and 2.
struct CodedQuestions {
  struct Question {
    std::size_t column;
    std::array<std::string, 3> objects;  // the reference, and the two choices in their order
  };
  std::vector<Question> questions{};  // empty: the wording does not tell which objects the choices are
  std::vector<std::size_t> unread{};  // columns with these codes, but other words
  int first = 1;                      // the lower code
};
/// Words that nearly all questions have are the wording; what is left are names. The two names with only a word such as
/// "or" between them are the choices: "Which is more like tea? Milk or cocoa?". The file does not say that the lower
/// code is the first choice. O(text log text)
[[nodiscard]] CodedQuestions coded_questions(const Table& table);

/// Whether responses in most columns of a survey are codes of up to six choices.
[[nodiscard]] bool holds_codes(const Table& table);

/// Whether a table without further header lines is a survey whose responses are codes: A1, A2, or numbers in columns
/// that are named as questions are ("Q7", "G1Q2. Is the ant ...?").
[[nodiscard]] bool has_coded_questions(const Table& table);

}  // namespace alidade::datasets
