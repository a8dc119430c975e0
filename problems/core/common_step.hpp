// The step of numbers that are whole multiples of one, up to rounding, such as ratings by tenths or repeated weights.
// Euclid's algorithm with a tolerance. Sums of whole multiples are exact: equal numbers stay equal in any unit.
// A step counts only if the largest number has at most 2^20 of it; a smaller one would be a coincidence.
#pragma once

#include <span>

namespace alidade {

/// The largest step of which all numbers are whole multiples to 1e-15 of the largest size; 0 without one, if all are 0,
/// or if one is not finite. Example: 0.1 of 0.3, 0.9 and 0.7. O(numbers)
[[nodiscard]] double common_step(std::span<const double> numbers);

}  // namespace alidade
