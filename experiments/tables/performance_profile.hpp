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

struct Profile {
  enum class Kind { performance, data } kind{};
  std::string value;  // the field; of a data profile, the cost to a target
  std::vector<std::string> row_fields;
  std::vector<std::vector<std::string>> row_keys;
  /// Factors, >= 1; or costs: 1, 2, 5 times powers of ten, up to the first that includes all. Ascending.
  std::vector<double> steps{};
  std::vector<double> shares{};        // in [0, 1], row after row, one per step
  std::vector<double> with_a_value{};  // share of instances with a value, one per row
  std::size_t instances = 0;           // columns where all methods have a run, and for factors some method a value
  std::size_t left_out = 0;            // columns where some method has no run, or none like those of the others
  std::size_t runs_left_out = 0;       // runs of instances, of whose data, repeat and fold some method has no run
  [[nodiscard]] double share(std::size_t row, std::size_t step) const { return shares[row * steps.size() + step]; }
};

/// For values >= 0. Lower is better, unless the table says that higher is: then the factor is best / value. If the best
/// is 0, only zeros are within a factor of it. @throws ConfigError on a negative value.
[[nodiscard]] Profile performance_profile(const ComparisonTable& table);

/// For costs >= 0; lower is better. Costs are not divided by n + 1 variables as in the paper, which studies objectives
/// without gradients. @throws ConfigError on a negative cost
[[nodiscard]] Profile data_profile(const ComparisonTable& table);

/// 1, 2 and 5 times powers of ten, from the last at or below `low` to the first at or above `high`; none unless
/// 0 < low <= high.
[[nodiscard]] std::vector<double> round_costs(double low, double high);

/// Ends with a newline. Numbers have two decimals; CSV and JSON give full precision.
[[nodiscard]] std::string to_text(const Profile& profile, TableFormat format);

}  // namespace alidade
