// Places new objects on a finished map of weighted_ete, each by its own triplets with all other objects fixed.
// The triplets are those of [AVW16] Eq. 13: nearest objects of the map against farther ones.
// The place of an object does not depend on other new objects.
#pragma once

#include <memory>

#include "problems/contract/projector.hpp"
#include "problems/core/types.hpp"
#include "problems/core/value.hpp"
#include "problems/triplet/reduction_triplets.hpp"
#include "problems/triplet_sums/triplet_loss.hpp"

namespace alidade::triplet {

struct WeightedEtePlacement {
  EteLoss loss;
  ReductionTriplets triplets;  // `outliers` are not used: a new object has more of them, up to 256, than one of the map
  double lambda0 = 0;          // adds lambda0 * (number of its triplets) * |y|^2
};

/// X: n x p, the features of the map Y, n x d; sigma: n, the unit of distance at each object
/// (row_projector.hpp).
/// @pre n >= 3, Y finite, sigma > 0. O(n p + starts steps triplets) per object.
[[nodiscard]] std::shared_ptr<const Projector> weighted_ete_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y,
                                                                      Vector sigma,
                                                                      const WeightedEtePlacement& placement);

/// Rebuilds it from its description(), of kind "weighted_ete". @throws DataError
[[nodiscard]] std::shared_ptr<const Projector> weighted_ete_projector_from(const ValueTable& description);

}  // namespace alidade::triplet
