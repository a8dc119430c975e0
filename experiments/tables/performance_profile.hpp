// Performance profiles (Dolan & More 2002, Math. Programming 91) and data profiles (More & Wild 2009, SIAM J. Optim.
// 20): of every method the share of instances on which its value is within a factor of the best value there, or is at
// most a cost. An instance is a column of a comparison table; a method without a value there, for whatever reason, is
// within no factor or cost.
#pragma once

#include <string>
#include <vector>

#include "experiments/tables/tables.hpp"

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

/// Of values >= 0 of which less is better, unless the table knows that more is: then the factor is best / value. Where
/// the best is 0 only zeros are within a factor of it. @throws ConfigError on a negative value.
[[nodiscard]] PerformanceProfile performance_profile(const ComparisonTable& table);

struct DataProfile {
  std::string value;  // the field: what a target cost
  std::vector<std::string> row_fields;
  std::vector<std::vector<std::string>> row_keys;
  std::vector<double> costs;   // 1, 2, 5 times powers of ten, ascending, up to the first that includes all
  std::vector<double> shares;  // in [0, 1], row after row, one a cost
  std::vector<double> ever;    // share of instances with a value at all, one a row
  std::size_t instances = 0;   // all columns, also those where no method has a value
  [[nodiscard]] double share(std::size_t row, std::size_t cost) const { return shares[row * costs.size() + cost]; }
};

/// Of costs >= 0 of which less is better. Costs are taken as they are, not per n + 1 variables as in the paper, which
/// asks of objectives without gradients. @throws ConfigError on a negative cost
[[nodiscard]] DataProfile data_profile(const ComparisonTable& table);

/// 1, 2 and 5 times powers of ten, from the last at or below `low` to the first at or above `high`; none unless
/// 0 < low <= high.
[[nodiscard]] std::vector<double> round_costs(double low, double high);

/// Ending with a newline; numbers with two decimals, in CSV and JSON whole.
[[nodiscard]] std::string to_text(const PerformanceProfile& profile, TableFormat format);
[[nodiscard]] std::string to_text(const DataProfile& profile, TableFormat format);

}  // namespace alidade
