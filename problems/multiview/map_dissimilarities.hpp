// Distances on maps as evidence for another map: what multi-view scaling is given of maps made aspect by aspect.
// In the manner of [LL19] section 5, where the maps are those of soft ordinal embedding.
// Objects that an aspect did not observe lie on its map by chance: pairs with one have weight 0.
#pragma once

#include <vector>

#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::multiview {

/// One set of dissimilarities a map, named after it. Weights are 1 for two objects that the map's aspect observes and
/// the map places, else 0; of a single map, or of latent views, any aspect will do. O(n^2 d) a map.
[[nodiscard]] std::vector<Dissimilarities> map_dissimilarities(const Embedding& embedding,
                                                               const Observations& observations);

}  // namespace alidade::multiview
