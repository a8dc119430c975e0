// Distances on maps as evidence for another map: the input of multi-view scaling of maps made aspect by aspect.
// In the manner of [LL19] section 5, whose maps are those of soft ordinal embedding.
// An object that an aspect does not observe lies on its map by chance, so its pairs have weight 0.
#pragma once

#include <vector>

#include "problems/contract/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::multiview {

/// One set of dissimilarities per map, with the map's name. A pair has weight 1 if the map's aspect observes both
/// objects and the map places both, otherwise 0; for a single map or latent views, any aspect may observe them. O(n^2
/// d) a map.
[[nodiscard]] std::vector<Dissimilarities> map_dissimilarities(const Embedding& embedding,
                                                               const Observations& observations);

}  // namespace alidade::multiview
