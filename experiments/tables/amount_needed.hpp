// How much each row of a comparison table needs to reach what a baseline reaches: answers, triplets, iterations.
// The table's columns are amounts, such as dataset.options.asked. Means over the repetitions, joined by straight lines,
// are the curves of a row and of the baseline; the interval is a percentile bootstrap of the repetitions, which rows
// share.
// Amounts below the first column and above the last are unknown.
#pragma once

#include <string>
#include <vector>

#include "experiments/tables/tables.hpp"

namespace alidade {

/// A share of an amount of the baseline. Where the curve is at the baseline's value from the first column on, only an
/// upper bound is known; where it does not come to it, only a lower bound, that of the last column.
struct NeededShare {
  enum class Bound { nothing, share, at_most, more_than };
  Bound bound = Bound::nothing;  // nothing: the row or the baseline has no such value
  double share = 0;
  double low = 0, high = 0;    // 95 % interval; low is at least that of the first column
  bool high_is_bound = false;  // it goes on above `high`
};

struct AmountNeeded {
  std::string value, amount;  // fields
  std::string baseline;
  std::vector<std::string> rows;
  std::vector<double> amounts;           // ascending
  std::vector<NeededShare> shares;       // row after row, one per amount
  std::vector<std::size_t> repetitions;  // that each row shares with the baseline
  std::size_t runs_left_out = 0;         // most of a row and the baseline that some column of either has no like of
  [[nodiscard]] const NeededShare& share(std::size_t row, std::size_t amount_index) const {
    return shares[row * amounts.size() + amount_index];
  }
};

/// `baseline` is a row. Runs count whose like every column has, of the row and of the baseline.
/// @pre the table's runs are compared across its columns' field (TableRequest)
/// O(2,000 resamples x rows x columns^2)
/// @throws ConfigError unless the columns are two numbers or more of one field, the direction of the value is known and
/// the baseline is a row
[[nodiscard]] AmountNeeded amount_needed(const ComparisonTable& table, const std::string& baseline);

/// Ends with a newline and, but in CSV and LaTeX, with a caption. @throws ConfigError on JSON
[[nodiscard]] std::string to_text(const AmountNeeded& needed, TableFormat format);

}  // namespace alidade
