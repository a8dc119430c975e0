// What a run says of the map that it writes: which triplets it violates, by anchor, so that a reader can ask an object
// why it lies where it lies, and which held-out ones, so that two maps can be compared (map_violations.cpp); and which
// objects escaped from it or have too few answers for a place (map_reliability.cpp). What such objects are:
// escaped_objects.hpp and unreliable_objects.hpp.
#pragma once

#include <string>
#include <vector>

#include "experiments/results/map_files.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/run/run.hpp"

namespace alidade {

/// A triplet is violated as the errors count it: its anchor is not strictly nearer to `near` than to `far`.
/// One list per map; with a map per aspect, each is of its own aspect's triplets. Nothing where the maps do not show
/// the aspects, as latent views do not.
/// An anchor lists its most frequent violated triplets, at most 20 of them, and fewer where all anchors together would
/// list more than 10,000, but one of each anchor; of equally frequent ones those whose distances are wrong by most.
/// O(triplets log triplets)
[[nodiscard]] std::vector<ViolatedTriplets> violated_triplets(const Embedding& embedding,
                                                              const TripletSource& triplets);

/// Whether the maps violate the held-out triplets of some observations: rows of anchor, near, far (as shown_names()),
/// aspect, who gave the answer (or, of answers that imply several triplets, its number), violated, 1 or 0, and weight.
[[nodiscard]] std::string judged_to_csv(const Embedding& embedding, const TripletSource& heldout,
                                        const Observations& all);

/// Describes objects of the written map that escaped or have too few answers: the row's `apart`,
/// notes and warnings. Data of a whole table have none: objects with the same value coincide.
void describe_unreliable_objects(const RunRequest& request, const MethodSetup& method, RunResult& result,
                                 std::vector<std::string>& notes, std::vector<RowWarning>& warnings);

}  // namespace alidade
