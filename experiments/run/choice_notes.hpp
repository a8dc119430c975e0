// A row's `chosen`: what validation chose, why, and what it was chosen from.
// Rules that choose among judged candidates are here too, since their reasons are part of it. What all rounds judged is
// listed; only candidates of the last round compete.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/run/validation.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// The note on the choice of `winner`. Candidates that are not of the last round are not tied with it.
[[nodiscard]] ValueTable choice_note(const Validation& validation, std::size_t winner, const std::string& why);

[[nodiscard]] std::string why_lowest(const Validation& validation, std::size_t winner);

/// Of `places`, the first of lowest error. @throws DataError if none has a map
[[nodiscard]] std::size_t lowest(const Validation& validation, const std::vector<std::size_t>& places);

/// Of `places`, ordered from simple to complex, the first whose error is above the lowest by no more than so many
/// standard errors of the difference. @throws DataError if none has a map
[[nodiscard]] std::size_t simplest_good(const Validation& validation, const std::vector<std::size_t>& places,
                                        double standard_errors = 1);

/// Why `winner` is the simplest of `places` that is good enough.
[[nodiscard]] std::string why_simplest(const Validation& validation, const std::vector<std::size_t>& places,
                                       std::size_t winner);

/// Whether `why`, of a row, is of why_simplest(), which goes by the standard error of a difference and not of an error.
[[nodiscard]] bool is_of_simplest(std::string_view why);

/// Validation error by dimension: a row's `chosen.dimensions`.
[[nodiscard]] ValueArray error_curve(const Validation& validation, const std::vector<std::size_t>& places);

}  // namespace alidade
