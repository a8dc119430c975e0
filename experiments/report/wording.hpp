// How the report says things: titles of fields, counted nouns, numbers as a reader wants them.
// Plain text all of it, not markup.
// Fields are those of rows.hpp; one that this file does not know is titled by its own name.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade::report {

/// "metrics.heldout_error" as "Held-out triplet error"; else the last part of the name, with blanks.
[[nodiscard]] std::string title_of(std::string_view field);

/// The metrics that some row has a number of, the usual ones first.
[[nodiscard]] std::vector<std::string> metric_fields(std::span<const Table> rows);

/// "1 run", "2 runs".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

/// A number of a row: whole ones with commas, others with four digits; "" where there is none.
[[nodiscard]] std::string shown_number(const Table& row, std::string_view name);

/// "max_iter" as "max iter".
[[nodiscard]] std::string spaced(std::string text);

/// "t = 2, t_prime = 1.5" of the options in a table, leaving out those named in `without` and nulls.
[[nodiscard]] std::string options_text(const Table& options, const std::set<std::string>& without = {});

/// What `chosen` and its candidates have beside the options that name them.
[[nodiscard]] const std::set<std::string>& judgement_fields();

/// "0, 2, 5/1" of repeats and folds, of many the first twelve.
[[nodiscard]] std::string repeats_text(std::span<const Table* const> rows);

/// "repeat 2, fold 1": which repetition of its method on its dataset a row is.
[[nodiscard]] std::string part_of(const Table& row);

/// The problem with its options, in one line: equal for rows whose objectives can be compared on equal data.
[[nodiscard]] std::string setup_of(const Table& row);

}  // namespace alidade::report
