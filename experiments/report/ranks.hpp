// Comparisons of the methods for the report, what guessing reaches beside them, and their ranks over datasets where
// possible (rank_comparison.hpp).
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
[[nodiscard]] ComparisonTable tested_comparison(const ReportModel& contents, const std::string& value);

/// The value of `field` that guessing has on a dataset: 0.5 for errors of triplets; for accuracies of labels the chance
/// that two of its labelled objects share one. Nothing if it is not known. O(objects)
[[nodiscard]] std::optional<double> chance_of(const ReportModel& contents, std::string_view field,
                                              std::string_view dataset);

/// Friedman's test and Nemenyi's at 0.05. Nothing for fewer than three methods or datasets, if a method has values on
/// some datasets only, or if the direction is unknown.
[[nodiscard]] std::optional<RankComparison> ranks_of(const ComparisonTable& table);

}  // namespace alidade::report
