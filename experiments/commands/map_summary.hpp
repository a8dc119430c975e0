// What `alidade embed` prints about its map: its quality, what was chosen, and warnings.
// Everything is read from the row, so the row says no less than the output.
// Warnings that forbid using the map come last, where readers notice them.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>

#include "experiments/results/row.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::commands {

/// `folder`: where the map was written, if it was.
void print_summary(std::FILE* to, const ResultRow& row, const Observations& observations,
                   const std::optional<std::filesystem::path>& folder);

}  // namespace alidade::commands
