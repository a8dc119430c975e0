// Judgements of pairs as same or different, one row an answer: columns of two things and of an answer in words, and
// perhaps of the person, of the response time, of a weight and of how many answers the row stands for.
// Answers about a thing and itself tell no distance, and are counted apart.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/table.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

struct SameDifferentColumns {
  std::size_t a = 0, b = 0, answer = 0;
  std::optional<std::size_t> person{}, time{}, weight{}, count{};
};
/// By the names in the header and the words below, nearly all of which say it: of several columns of such words, as
/// where one says what would be right, the one that is called the response. Nothing if the table is no such thing.
[[nodiscard]] std::optional<SameDifferentColumns> same_different_columns(const Table& table);

/// What a row weighs in all, and of how many answers it is.
struct RowWeight {
  double weight = 1, count = 1;
};
/// By columns of weights and counts. Drops the rows that weigh nothing, and says how many. @throws DataError on what is
/// no weight
[[nodiscard]] std::vector<RowWeight> weights_of(Table& table, std::optional<std::size_t> weight,
                                                std::optional<std::size_t> count, std::vector<std::string>& notes);

/// What is made of the answers: the share "different" of each pair, weighted by the number of its answers, or by the sum
/// of their weights; or how quickly people tell a pair apart, who take the longer the more alike two things are
/// (Podgorny & Garner 1979): ln of the time of answers "different", less its mean of the person, as a distance below
/// that of the slowest pair.
enum class JudgedBy { answers, times };

/// Pairs without any answer have weight 0. @throws DataError if the rows are no such table
[[nodiscard]] Observations parse_same_different(const RowReader& rows, JudgedBy by, const TableChoice& choice = {});

}  // namespace alidade::datasets
