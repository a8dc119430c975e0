// How far the objects of a map would move with other answers, and the ellipses that show it.
// run/bootstrap.hpp and run/local_uncertainty.hpp measure it; map_files.hpp writes it and reads it back.
// Covariances are about the coordinates of the map.
#pragma once

#include <vector>

#include "problems/core/types.hpp"

namespace alidade {

/// Uncertainty of one map.
struct MapUncertainty {
  /// n x d(d+1)/2: the covariance (the mean of products of displacements) of each object, entries (1,1), (1,2), ...,
  /// (1,d), (2,2), ...; NaN for objects with fewer than d + 1 replicates, such as those in no triplet.
  Matrix covariance;
  /// Number of replicates that mentioned the object in a triplet and placed it; empty without a bootstrap.
  std::vector<Index> replicates;
};

/// The region of a plane that holds `share` of a normal distribution with this covariance.
struct Ellipse {
  double semi_major, semi_minor;  // in units of the map
  double angle;                   // of the major axis from the first, in degrees, in (-90, 90]
};
/// @pre covariance is positive semidefinite and 0 < share < 1
[[nodiscard]] Ellipse ellipse_of(double variance1, double covariance12, double variance2, double share = 0.95);

}  // namespace alidade
