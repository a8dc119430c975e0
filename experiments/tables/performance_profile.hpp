// Performance profiles (Dolan & More 2002, Math. Programming 91) and data profiles (More & Wild 2009, SIAM J. Optim.
// 20): for each method, the share of instances on which its value is within a factor of the best, or its cost at most a
// bound.
// An instance is a column of a comparison table.
// A method without a value on an instance, for whatever reason, is within no factor or cost.
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
  std::vector<double> shares;       // in [0, 1], row after row, one per factor
  std::vector<double> with_values;  // share of instances with a value, one per row
  std::size_t instances = 0;        // on which some method has a value, and all have a run
  std::size_t left_out = 0;         // instances of which some method has no run
  [[nodiscard]] double share(std::size_t row, std::size_t factor) const {
    return shares[row * factors.size() + factor];
  }
};

/// For values >= 0. Lower is better, unless the table says that higher is: then the factor is best / value. If the best
/// is 0, only zeros are within a factor of it. @throws ConfigError on a negative value.
[[nodiscard]] PerformanceProfile performance_profile(const ComparisonTable& table);

struct DataProfile {
  std::string value;  // the field: the cost to a target
  std::vector<std::string> row_fields;
  std::vector<std::vector<std::string>> row_keys;
  std::vector<double> costs;   // 1, 2, 5 times powers of ten, ascending, up to the first that includes all
  std::vector<double> shares;  // in [0, 1], row after row, one per cost
  std::vector<double> ever;    // share of instances with a value, one per row
  std::size_t instances = 0;   // columns where all methods have a run, also those without a value
  std::size_t left_out = 0;    // the other columns
  [[nodiscard]] double share(std::size_t row, std::size_t cost) const { return shares[row * costs.size() + cost]; }
};

/// For costs >= 0; lower is better. Costs are not divided by n + 1 variables as in the paper, which studies objectives
/// without gradients. @throws ConfigError on a negative cost
[[nodiscard]] DataProfile data_profile(const ComparisonTable& table);

/// 1, 2 and 5 times powers of ten, from the last at or below `low` to the first at or above `high`; none unless
/// 0 < low <= high.
[[nodiscard]] std::vector<double> round_costs(double low, double high);

/// Ends with a newline. Numbers have two decimals; CSV and JSON give full precision.
[[nodiscard]] std::string to_text(const PerformanceProfile& profile, TableFormat format);
[[nodiscard]] std::string to_text(const DataProfile& profile, TableFormat format);

}  // namespace alidade
