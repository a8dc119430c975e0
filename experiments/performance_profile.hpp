// Performance profiles (Dolan & More 2002, Benchmarking optimization software with performance profiles, Math. Programming 91):
// of every method the share of instances on which its value is within a factor of the best value of any method there.
// An instance is a column of a comparison table; a method without a value there, for whatever reason, is within no factor.
#pragma once

#include <string>
#include <vector>

#include "experiments/tables.hpp"

namespace alidade {

struct PerformanceProfile {
  std::string value;  // the field
  std::vector<std::string> row_fields;
  std::vector<std::vector<std::string>> row_keys;
  std::vector<double> factors;      // >= 1, ascending
  std::vector<double> shares;       // in [0, 1], row after row, one a factor
  std::vector<double> with_values;  // share of instances with a value at all, one a row
  std::size_t instances = 0;        // on which some method has a value
  [[nodiscard]] double share(std::size_t row, std::size_t factor) const {
    return shares[row * factors.size() + factor];
  }
};

/// Of values >= 0 of which less is better, unless the table knows that more is: then the factor is best / value. Where the
/// best is 0 only zeros are within a factor of it. @throws ConfigError on a negative value.
[[nodiscard]] PerformanceProfile performance_profile(const ComparisonTable& table);

/// Ending with a newline; numbers with two decimals, in CSV whole.
[[nodiscard]] std::string to_text(const PerformanceProfile& profile, TableFormat format);

}  // namespace alidade
