// What a reader of a row must know before relying on its map: a typed list beside the free-text notes.
// A run writes the names into the row; tables, the report and `embed` read them back and say them in words.
// Example: warnings_of(row) is {chance, few_answers}; warning_text(RowWarning::chance, row) is one sentence about that
// row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/row.hpp"

namespace alidade {

/// Append only. The first three exclude each other.
enum class RowWarning {
  swapped,          // the 95 % interval of the held-out error lies above .5: near and far look exchanged
  chance,           // it contains .5, or the error of a collapsed map lies above it: no better than guessing
  near_chance,      // the error is at least kNearChance: hardly better than guessing
  few_answers,      // fewer than kFewEffective independent held-out triplets, or as much as that
  far_objects,      // an object lies far from the others, see unreliable_objects.hpp
  unknown_objects,  // an object occurs in too few triplets for a place
  map_left          // the map as a whole leaves for infinity
};

/// The error of guessing, ties left aside.
inline constexpr double kChance = 0.5;
inline constexpr double kNearChance = 0.45;
/// With so many independent triplets the half width of the 95 % interval is .05 at an error of .5, and smaller at
/// others.
inline constexpr double kFewEffective = 385;

[[nodiscard]] std::string_view to_string(RowWarning warning);

/// swapped, chance, near_chance or few_answers, as they hold of a row's `heldout` table, its `metrics` and whether the
/// held-out triplets are `mostly_reversed`. Where nothing was held out, near_chance is judged by preservation_hidden,
/// else by the training error.
[[nodiscard]] std::vector<RowWarning> warnings_of_error(const ResultRow& row, bool mostly_reversed);

/// Those in the row's `warnings`; names of a later version are left out.
[[nodiscard]] std::vector<RowWarning> warnings_of(const ResultRow& row);
[[nodiscard]] std::vector<RowWarning> warnings_of(const Table& row);
[[nodiscard]] std::vector<std::string> warning_names(const std::vector<RowWarning>& warnings);

/// A sentence about the row.
[[nodiscard]] std::string warning_text(RowWarning warning, const ResultRow& row);
/// The same of some runs, to stand behind how many: "no better than guessing".
[[nodiscard]] std::string_view warning_phrase(RowWarning warning);

/// Whether a map should not be used at all: swapped, chance, near_chance.
[[nodiscard]] bool is_about_chance(RowWarning warning);

/// "0.160 (95 % interval 0.157 to 0.163)" of the row's `heldout` table, with digits that suit the interval; "" without
/// one.
[[nodiscard]] std::string heldout_text(const ResultRow& row);

}  // namespace alidade
