// Numbers that stand for a missing value, as survey tools write them: -99, 999, -9 and the like.
// Nothing in a file says so: they are suspected where they lie far from all other numbers.
// Example: 1, 5, 3, -99, 7 has the suspected code -99; 80, 99, 120 has none.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::datasets {

/// Whether tables use this number for a missing value: a sequence of two to five 7s, 8s or 9s, or its negative; -9, -8
/// or -7.
[[nodiscard]] bool is_code(double value);

/// The codes among `values` that are farther from all other numbers than these are from each other, or the only
/// negative ones; in ascending order. NaN counts as no number. O(values)
[[nodiscard]] std::vector<double> suspected_codes(std::span<const double> values);

/// The option `missing_codes` of a data set.
struct MissingCodes {
  bool ask = false;                  // refuse suspected ones
  std::vector<double> listed;        // these count as missing
  std::vector<std::string> words{};  // and these, in any case
  /// "auto", "no", or numbers and words separated by commas. @throws ConfigError
  static MissingCodes of(std::string_view option);
  /// `place_of(i)`: where values[i] stands, at the begin of the message.
  /// @throws DataError on a suspected code, if these are refused. O(values)
  void refuse_suspected(std::span<const double> values, const std::function<std::string(std::size_t)>& place_of) const;
  /// Turns the given codes into NaN. Returns how many.
  Index forget(Eigen::Ref<Matrix> values) const;
};
inline constexpr const char* kMissingCodesDoc =
    "numbers and words that mark a missing value, such as -99 or -99,refused; no: none; auto: numbers that often do "
    "are refused where they lie far from all others";

}  // namespace alidade::datasets
