// The check that makes a square table of numbers dissimilarities.
// For those that have the numbers in memory; files of them are a data set of the catalog.
// The two entries of a pair may differ by the rounding to single precision, in which many matrices are written.
#pragma once

#include <string>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::datasets {

/// The matrix with the mean of the two entries of each pair. `take_mean`: also where they differ by more than rounding.
/// `file`: what messages call it. O(n^2).
/// @throws DataError unless it is square with a diagonal of 0, and all its entries are finite and >= 0
[[nodiscard]] Matrix symmetric_dissimilarities(Matrix values, const std::vector<std::string>& objects,
                                               const std::string& file, bool take_mean);

}  // namespace alidade::datasets
