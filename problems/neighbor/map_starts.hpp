// Maps by other methods as starts: t-SNE's, which places whole clusters better than the costs of neighbours do by
// themselves [vdMH08], descended as its authors do: exaggerated, then plain, with momentum and gains
// (core/inner_minimizers.hpp), half as many iterations and a coarser tree than the problem tsne; geodesic; opened.
#pragma once

#include <cstdint>

#include "problems/contract/problem.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/random.hpp"
#include "problems/core/types.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::neighbor {

/// t-SNE as a stage of other methods: theta 0.5, no placement. `by_tree`: uses nearest neighbours and a tree for any
/// number of objects, if the map has at most three dimensions; for 1797 objects it takes a fifth of the time. `seed`:
/// for approximate search.
/// @throws as the problem tsne
[[nodiscard]] Problem coarse_tsne(const Observations& observations, Index n_components, double perplexity,
                                  std::int64_t seed, bool by_tree, Executor& executor);

/// n x d: its map after 250 iterations of each stage, from its start by `rng`. Same bits for any number of threads. Not
/// interruptible: a third of a second on the 1797 digits with the tree.
[[nodiscard]] Matrix tsne_start(const Problem& tsne, Rng& rng, Executor& executor);

// Places from distances along the graph of neighbours, as in Isomap; a start for other methods.
// Tenenbaum, de Silva & Langford 2000; above 2000 objects with landmarks, de Silva & Tenenbaum 2004.
// In units of the data. The parts of a disconnected graph are joined by the shortest edges.

/// n x d, centred on the landmarks. k: neighbours in the graph. O(m (k n + n log n)) and memory O(m n), with m = n
/// landmarks for n <= 2000, else m = 1000. Same bits for any number of threads. @throws as knn_graph
[[nodiscard]] Matrix geodesic_places(const DissimilarityRows& rows, Index k, Index d, Executor& executor);

// Places of a closed surface torn open at one of its empty places; a start for other methods.
// Azimuthal equidistant projection: J. P. Snyder, Map Projections: A Working Manual, 1987, section 25.
// The tear lies on a ray from the centre: the emptiest of several rays drawn at random, so that starts differ.

/// n x d, in units of `solid`: n x (d + 1), centred. A row that is r away from the centre, at an angle of t to the ray
/// opposite to the tear, gets the place that is r t away from the centre, in the same direction as seen along that ray;
/// a row at the centre gets the centre. Of 16 rays it takes the one with the largest mean distance to the `around` rows
/// nearest in direction. O(n d + n log n). @pre d >= 1, around >= 1, rows are finite
[[nodiscard]] Matrix opened_places(const Matrix& solid, Index around, Rng& rng);

}  // namespace alidade::neighbor
