// The range of a number, as an option states it.
// A header of its own, so that kernels can state ranges without reading all of options.hpp.
// NaN lies in no range.
#pragma once

#include <limits>
#include <string>

namespace alidade {

struct Bounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lower_open = false;
  bool upper_open = false;
  [[nodiscard]] bool contain(double value) const;  // false for NaN
  /// "> 0", "in [1, 2]", "" when unbounded.
  [[nodiscard]] std::string to_text() const;
};
[[nodiscard]] inline Bounds at_least(double lower) { return {.lower = lower}; }
[[nodiscard]] inline Bounds above(double lower) { return {.lower = lower, .lower_open = true}; }
[[nodiscard]] inline Bounds between(double lower, double upper) { return {.lower = lower, .upper = upper}; }
/// [lower, upper)
[[nodiscard]] inline Bounds half_open(double lower, double upper) {
  return {.lower = lower, .upper = upper, .upper_open = true};
}

}  // namespace alidade
