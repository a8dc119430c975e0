// Warnings about a row's map that its reader must know: a typed list beside the free-text notes.
// A run writes the names into the row; tables, the report and `embed` read them and print sentences.
// Example: warnings_of(row) is {chance, few_answers}; warning_text(RowWarning::chance, row) is one sentence about that
// row.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/row.hpp"

namespace alidade {

/// Append only. The first three exclude each other.
enum class RowWarning {
  swapped,          // the 95 % interval of the held-out error lies above .5, or the answers with near and far exchanged
                    // make a better map (exchanged_roles.cpp)
  chance,           // the interval contains .5, or ties raise it above .5 (a collapsed map): no better than guessing
  near_chance,      // the error is at least kNearChance: hardly better than guessing
  few_answers,      // at most kFewEffective independent held-out triplets, or their equivalent
  far_objects,      // an object lies far from the others, see unreliable_objects.hpp
  unknown_objects,  // an object occurs in too few triplets to be placed
  map_left,         // the map as a whole leaves for infinity
  random_neighbors,    // trustworthiness is hardly above that of maps at random
  repeated_questions,  // few questions were asked often, and answers to one are on both sides of the split
  not_feasible,        // the objective is below its own proven bound, see Certificate::excludes_point()
  time_limit,          // the map that was measured is what its solve had reached at the time limit
  undetermined,        // at least half of the objects occur in too few triplets to be placed
  ambiguous            // parts of the objects that nothing compares with each other, or too few anchors for the map
};

/// The estimate that holds the held-out error of the exchanged answers, where it is lower.
/// The problem and the solver of a row whose map came from elsewhere and was judged as it is.
inline constexpr const char* kGivenMap = "given map";
inline constexpr const char* kExchangedError = "exchanged_error";
/// The error of guessing, without ties.
inline constexpr double kChance = 0.5;
inline constexpr double kNearChance = 0.45;
/// At an error of .5 this many independent triplets give a 95 % interval of half width .05; at other errors, a narrower
/// one.
inline constexpr double kFewEffective = 385;

[[nodiscard]] std::string_view to_string(RowWarning warning);

/// Which of swapped (only if the map learnt its answers), chance, near_chance and few_answers hold, from the row's
/// `heldout` and `metrics` and from whether the map reverses most held-out triplets (`mostly_reversed`). If nothing was
/// held out, near_chance uses preservation_hidden, else the training error.
[[nodiscard]] std::vector<RowWarning> warnings_of_error(const ResultRow& row, bool mostly_reversed);

/// random_neighbors, if trustworthiness was measured and lies within the 95 % interval of a random map's, or less than
/// a tenth of the way from its mean to 1.
[[nodiscard]] std::vector<RowWarning> warnings_of_neighbors(const ResultRow& row);

/// The row's `warnings`, and time_limit, which its termination says; unknown names (of a later version) are left out.
[[nodiscard]] std::vector<RowWarning> warnings_of(const ResultRow& row);
[[nodiscard]] bool warns_of(const ResultRow& row, RowWarning warning);
/// What is proven of the row's objective, in a sentence or two; empty where nothing is, or the point is not feasible.
[[nodiscard]] std::string proof_text(const ResultRow& row);
[[nodiscard]] std::vector<std::string> warning_names(const std::vector<RowWarning>& warnings);

/// A sentence about the row.
[[nodiscard]] std::string warning_text(RowWarning warning, const ResultRow& row);
/// "About 90 more annotators would halve the interval." of the row's `heldout`; "" where that is not known.
[[nodiscard]] std::string more_to_halve_text(const ResultRow& row);
/// How likely answers same or different are by the map, beside maps that know less and more; "" of other evidence.
[[nodiscard]] std::string likelihood_text(const ResultRow& row);
/// From how many questions the row's least error is, and whether weights counted as answers; it must have one.
[[nodiscard]] std::string repeated_questions_text(const ResultRow& row);
/// Why the held-out error of the row is below what its repeated questions allow; "" where it is not.
[[nodiscard]] std::string below_ceiling_text(const ResultRow& row);
/// Of which data the row's 95 % regions by a bootstrap held another share of the true places in simulated studies, and
/// which share; nothing of other data.
struct RegionsHold {
  const char* of;
  double share;
};
[[nodiscard]] std::optional<RegionsHold> regions_hold(const ResultRow& row);
/// A phrase for several runs, to follow their number: "no better than guessing".
[[nodiscard]] std::string_view warning_phrase(RowWarning warning);

/// Whether the map is like one of guesses: swapped, chance, near_chance, random_neighbors.
[[nodiscard]] bool is_about_chance(RowWarning warning);
/// Whether the warning forbids using the map: these, undetermined and not_feasible.
[[nodiscard]] bool is_grave(RowWarning warning);

/// "0.160 (95 % interval 0.157 to 0.163)" from the row's `heldout`, with as many digits as the interval supports; ""
/// without one.
[[nodiscard]] std::string heldout_text(const ResultRow& row);

}  // namespace alidade
