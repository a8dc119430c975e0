// What a response means: a side of a two-choice trial, or a code of a choice.
// A file of trials writes sides in one way throughout: the chosen object's name, the name of its column, a side in
// words or as a key (f and j, q and p, z and m), a and b, 0 and 1, or 1 and 2. Which way is decided when all rows are
// known; a response that does not fit the others is an error, never a guess. So are -1 and 1, which some write for left
// and right, and others for right and left.
// Survey tools export choices as codes, such as 1 and 2. A line below the header, or the question in words, says what
// each means: with "Is apple more like (1) pear or (2) plum?" the response 2 becomes "plum".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/table.hpp"

namespace alidade::datasets {

class TwoChoiceResponses {
 public:
  TwoChoiceResponses() = default;
  /// Responses may be the names of these columns, in any case of letters, or yes and no (1 and 0) where their column's
  /// name names a side, such as "left_chosen": then these alone decide.
  TwoChoiceResponses(std::string_view left_column, std::string_view right_column, std::string_view response_column);
  /// Adds the response of a row; false, without effect, if it marks that there is none. The texts must outlive this.
  [[nodiscard]] bool add(std::string_view response, std::string_view left, std::string_view right, std::size_t line);

  /// The way of writing that most responses fit.
  struct Fit {
    std::size_t fitting = 0, on_right = 0;  // responses
    bool by_name = false;
  };
  [[nodiscard]] Fit best_fit() const;
  [[nodiscard]] std::size_t count() const { return all_.size(); }

  struct Sides {
    std::vector<bool> right;  // one per response: whether the right object was chosen
    std::string how;          // a note on how numbers were read; "" for names and words
  };
  /// O(responses). @pre there is one. @throws DataError "file:line: what is wrong and what to do" if no way of writing
  /// fits all responses, or two that do disagree.
  [[nodiscard]] Sides sides(const std::string& file) const;

 private:
  [[nodiscard]] std::vector<Fit> fits() const;  // of each way
  struct Response {
    std::string_view text;
    std::uint32_t readings;  // for each way of writing two bits: may be left, may be right
    std::size_t line;
  };
  std::array<std::string, 2> columns_{};  // in small letters
  unsigned flagged_ = 0;                  // the side that the responses' column names
  std::vector<Response> all_;
};

/// How often an annotator chose what stood at each place: left and right, or the first, the second, ... position.
struct ChosenPlaces {
  std::vector<double> times{};
  double all = 0;  // answers; of several objects each, they are fewer than the sum of times
  void add(std::span<const std::size_t> places, std::size_t count) {
    times.resize(count);
    for (const std::size_t place : places) ++times[place];
    ++all;
  }
};
/// Who chose one place in three of four of at least 20 answers, and more often than those who choose none nearly always
/// (binomial test over all people and places, p < .001); empty if nobody did. Nobody where all do at the same place:
/// then the file may order its objects by the answer. @pre each person without answers or with the same places
[[nodiscard]] std::vector<bool> one_sided(const std::vector<ChosenPlaces>& chosen);
/// A sentence on them, with the share of the others; or on a place that all together chose too often; "" without.
/// `sides`: places are left and right.
[[nodiscard]] std::string note_on_places(const std::vector<ChosenPlaces>& chosen, const std::vector<bool>& one_sided,
                                         bool sides, const std::vector<std::string>& annotators);

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
