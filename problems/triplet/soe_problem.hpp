// Soft ordinal embedding [TvL14]: squared hinges on distances, with a majoriser for Euclidean maps.
// Otherwise it is a TripletMap like the others.
// The margin sets only the scale of the map.
#pragma once

#include <vector>

#include "problems/triplet/soe_majorizer.hpp"
#include "problems/triplet/triplet_map.hpp"

namespace alidade::triplet {

class SoeProblem : public TripletMap {
 public:
  /// @throws as TripletMap; ConfigError unless the manifold is euclidean.
  SoeProblem(const Observations& observations, const SoeLoss& loss, const MapOptions& options);

  double minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const;

 private:
  SoeMajorizer majorizer_;
};

}  // namespace alidade::triplet
