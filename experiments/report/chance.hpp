// What guessing reaches, to show beside the errors and accuracies of maps.
// Known for errors of answers, and for labels where the page has them.
// Plain numbers; O(objects).
#pragma once

#include <optional>
#include <string_view>

#include "experiments/report/report_model.hpp"

namespace alidade::report {

/// The value of `field` that guessing has on a dataset: 0.5 for errors of triplets; for accuracies of labels the chance
/// that two of its labelled objects share one. Nothing if it is not known.
[[nodiscard]] std::optional<double> chance_of(const ReportModel& contents, std::string_view field,
                                              std::string_view dataset);

}  // namespace alidade::report
