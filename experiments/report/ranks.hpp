// Comparisons of the methods for the report, and their ranks over datasets where possible (rank_comparison.hpp).
// Methods without any value, such as those skipped on all datasets, have no rank.
// Datasets count once each, regardless of repeats.
#pragma once

#include <optional>
#include <string>

#include "experiments/report/report_model.hpp"
#include "experiments/tables/rank_comparison.hpp"
#include "experiments/tables/tables.hpp"

namespace alidade::report {

/// A value by method and dataset, tested against the best of each dataset, paired over repeats (over folds if there is
/// one repeat).
[[nodiscard]] ComparisonTable tested_comparison(const ReportModel& contents, const Directions& directions,
                                                const std::string& value);

/// Friedman's test and Nemenyi's at 0.05. Nothing for fewer than three methods or datasets, if a method has values on
/// some datasets only, or if the direction is unknown.
[[nodiscard]] std::optional<RankComparison> ranks_of(const ComparisonTable& table);

}  // namespace alidade::report
