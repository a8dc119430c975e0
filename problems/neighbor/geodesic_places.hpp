// Places from distances along the graph of neighbours: what Isomap makes, as a start for other methods.
// Tenenbaum, de Silva & Langford 2000; from 2000 objects on by landmarks, de Silva & Tenenbaum 2004.
// In the units of the data; parts of a graph that falls apart are joined by the shortest edges.
#pragma once

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/distances/dissimilarity_rows.hpp"

namespace alidade::neighbor {

/// n x d, centred on the landmarks. k: neighbours in the graph. O(m (k n + n log n)) with m = min(n, 1000) landmarks or
/// all of at most 2000 objects; memory O(m n). Same bits for any number of threads. @throws as knn_graph
[[nodiscard]] Matrix geodesic_places(const DissimilarityRows& rows, Index k, Index d, Executor& executor);

}  // namespace alidade::neighbor
