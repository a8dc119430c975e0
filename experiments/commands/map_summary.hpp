// What `alidade embed` prints of the map it made: how good it is, what was chosen, what to beware of.
// Everything is read from the row, so that a row says no less than what is printed.
// Warnings that forbid using the map come last, where they are not overlooked.
#pragma once

#include <filesystem>
#include <optional>

#include "experiments/results/row.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::commands {

/// `folder`: where the map was written, if it was.
void print_summary(const ResultRow& row, const Observations& observations,
                   const std::optional<std::filesystem::path>& folder);

}  // namespace alidade::commands
