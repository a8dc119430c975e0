// Exports whose rows do not name the objects of one answer in columns of their own, written again so that they do:
// one row per person and one column per question, as survey programs export them, or three objects that were shown and
// the one of them that was chosen. The objects of a question come from its words, its column's name and its responses.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/table.hpp"

namespace alidade::datasets {

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
/// empty: all rows but those of practice. The table gets what its cells list and what its codes mean. O(cells)
/// @throws DataError, ConfigError on a condition, as AnswerRows
[[nodiscard]] std::optional<ReshapedAnswers> reshaped_answers(Table& table, AnswerKind kind, const std::string& columns,
                                                              const std::string& where);

/// Three columns of shown objects, and one that says which of them was chosen.
struct ChosenOfThree {
  std::vector<std::size_t> shown;
  std::size_t chosen;
  int first_number = -1;  // responses are places, counted from it; -1: they are names
};
/// By what the rows have; nothing unless each of the three was chosen at times. Only of the columns `given`, if there
/// are any. O(rows)
[[nodiscard]] std::optional<ChosenOfThree> chosen_of_three(const Table& table,
                                                           const std::vector<std::size_t>& given = {});

}  // namespace alidade::datasets
