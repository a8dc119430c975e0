// Which triplets a map violates, by anchor, so that a reader can ask an object why it lies where it lies.
// A triplet is violated as the errors count it: its anchor is not strictly nearer to `near` than to `far`.
// The file of them: results/map_files.hpp.
#pragma once

#include <vector>

#include "experiments/results/map_files.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// One list per map; with a map per aspect, each is of its own aspect's triplets. Nothing where the maps do not show
/// the aspects, as latent views do not.
/// An anchor lists its most frequent violated triplets, at most 20 of them, and fewer where all anchors together would
/// list more than 10,000, but one of each anchor; of equally frequent ones those whose distances are wrong by most.
/// O(triplets log triplets)
[[nodiscard]] std::vector<ViolatedTriplets> violated_triplets(const Embedding& embedding,
                                                              const TripletSource& triplets);

}  // namespace alidade
