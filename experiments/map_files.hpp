// Coordinates as files: CSV with names and labels for people, NPY for programs; their uncertainty as CSV.
// CSV: object,label,x1,x2,...; RFC 4180 quotes; numbers read back to the same bits.
// NPY: format 1.0, little-endian float64, C order, n x d.
#pragma once

#include <string>
#include <vector>

#include "experiments/bootstrap.hpp"
#include "problems/core/types.hpp"

namespace alidade {

/// `labels` may be empty; the label column is then left empty.
[[nodiscard]] std::string map_to_csv(const Matrix& coordinates, const std::vector<std::string>& objects,
                                     const std::vector<std::string>& labels);
/// object,replicates,sd1,...,sdd,cov11,cov12,...,covdd and, for d = 2, semi_major,semi_minor,angle of the ellipse that
/// holds 95 % (see ellipse_of); lengths in units of the map. Empty fields where too few replicates placed the object.
[[nodiscard]] std::string ellipses_to_csv(const MapUncertainty& uncertainty, const std::vector<std::string>& objects);
[[nodiscard]] std::string map_to_npy(const Matrix& coordinates);

}  // namespace alidade
