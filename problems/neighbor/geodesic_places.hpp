// Places from distances along the graph of neighbours, as in Isomap; a start for other methods.
// Tenenbaum, de Silva & Langford 2000; above 2000 objects with landmarks, de Silva & Tenenbaum 2004.
// In units of the data. The parts of a disconnected graph are joined by the shortest edges.
#pragma once

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/distances/dissimilarity_rows.hpp"

namespace alidade::neighbor {

/// n x d, centred on the landmarks. k: neighbours in the graph. O(m (k n + n log n)) and memory O(m n), with m = n
/// landmarks for n <= 2000, else m = 1000. Same bits for any number of threads. @throws as knn_graph
[[nodiscard]] Matrix geodesic_places(const DissimilarityRows& rows, Index k, Index d, Executor& executor);

}  // namespace alidade::neighbor
