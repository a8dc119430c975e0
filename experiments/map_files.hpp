// Coordinates as files: CSV with names and labels for people, NPY for programs.
// CSV: object,label,x1,x2,...; RFC 4180 quotes; numbers read back to the same bits.
// NPY: format 1.0, little-endian float64, C order, n x d.
#pragma once

#include <string>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade {

/// `labels` may be empty; the label column is then left empty.
[[nodiscard]] std::string map_to_csv(const Matrix& coordinates, const std::vector<std::string>& objects,
                                     const std::vector<std::string>& labels);
[[nodiscard]] std::string map_to_npy(const Matrix& coordinates);

}  // namespace alidade
