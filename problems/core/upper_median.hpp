// The middle one of some values: of an even number the larger of the two in the middle, and so always one of them.
// In linear time, by selection; statistics::median() is the mean of those two.
// Example: of {4, 1, 3, 2} it is 3.
#pragma once

#include <algorithm>
#include <iterator>

namespace alidade {

/// O(values). @pre not empty, none is NaN
template <class Values>
[[nodiscard]] auto upper_median(Values values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace alidade
