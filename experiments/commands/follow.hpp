// `alidade report --follow`: the page of a run in progress.
// The run needs not know: its file of rows is looked at twice a second, and the page is replaced whole.
// Example: follow("results/study", "results/study/report.html", {}).
#pragma once

#include <filesystem>

#include "experiments/report/report.hpp"

namespace alidade::commands {

/// Writes the page whenever rows were added, until every planned run has a row. Meanwhile the page says how many have,
/// and reloads itself; the last one does not. Returns 0, or 130 after SIGINT or SIGTERM.
/// @throws DataError if `folder` is not a folder, or its rows or its config are broken
int follow(const std::filesystem::path& folder, const std::filesystem::path& page, ReportOptions options);

}  // namespace alidade::commands
