// The step of numbers that are whole multiples of one, up to rounding, such as ratings by tenths or repeated weights.
// By the continued fractions of their ratios to the largest. Sums of whole multiples are exact: equal numbers stay
// equal in any unit.
// A step counts only if the largest number has at most 2^24 of it; a smaller one would be a coincidence.
#pragma once

#include <span>

namespace alidade {

/// The largest step of which all numbers are whole multiples to 1e-15 of the largest size; 0 without one, if all are 0,
/// or if one is not finite. Numbers from which an offset was taken are known to 1e-15 of that: with an offset of 2^2k
/// times the largest number this has at most 2^(24 - k) steps. Example: 0.1 of 0.3, 0.9 and 0.7. O(numbers)
[[nodiscard]] double common_step(std::span<const double> numbers, double offset = 0);

}  // namespace alidade
