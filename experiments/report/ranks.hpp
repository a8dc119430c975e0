// Ranks of methods over datasets for the report, where they can be had (rank_comparison.hpp).
// Methods without a value anywhere, such as those skipped on all datasets, are left out.
// Datasets count once each, however many repeats they have.
#pragma once

#include <optional>

#include "experiments/tables/rank_comparison.hpp"
#include "experiments/tables/tables.hpp"

namespace alidade::report {

/// Friedman's test and Nemenyi's at 0.05. Nothing for fewer than three methods or datasets, where a method has values on some
/// datasets only, or where it is not known which values are better.
[[nodiscard]] std::optional<RankComparison> ranks_of(const ComparisonTable& table);

}  // namespace alidade::report
