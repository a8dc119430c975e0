// Wording of the report: counted nouns, numbers for readers.
// All of it is plain text, not markup.
// Fields are those of rows.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/rows.hpp"
#include "problems/core/value.hpp"

namespace alidade::report {

/// An axis' title with an arrow to the better values: "Accuracy (better →)", "Held-out triplet error (← better)".
[[nodiscard]] std::string with_better(std::string title, const std::optional<bool>& higher);

/// "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string>& parts, std::string_view last = "and");

/// The metrics with a number in some row, the usual ones first.
[[nodiscard]] std::vector<std::string> metric_fields(std::span<const Row> rows);

/// These, and the time to solve.
[[nodiscard]] std::vector<std::string> measured_fields(std::span<const Row> rows);

/// A number of a row: whole ones with commas, others with four digits; "" if there is none.
[[nodiscard]] std::string shown_number(const Row& row, std::string_view name);

/// 1234567 as "1,234,567".
[[nodiscard]] std::string with_commas(std::int64_t number);

/// "t = 2, t_prime = 1.5" from a table of options, without nulls and the names in `without`.
[[nodiscard]] std::string options_text(const ValueTable& options, const std::set<std::string>& without = {});

/// Fields of `chosen` and its candidates other than the options that name them.
[[nodiscard]] const std::set<std::string>& judgement_fields();

/// "soe (lambda = 0.03)": a candidate of a choice by the options that are not the same for all, and not 0.
[[nodiscard]] std::string candidate_name(const ValueTable& candidate, const ValueArray& all);

/// Repeats and folds as "0, 2, 5/1"; at most the first twelve.
[[nodiscard]] std::string repeats_text(std::span<const Row* const> rows);

/// The problem with its options, in one line: equal for rows whose objectives are comparable on equal data.
[[nodiscard]] std::string setup_of(const Row& row);

}  // namespace alidade::report
