// Graphs whose largest cut, bound by max_cut and theta number are known: from the eigenvalues of their adjacency matrices
// where they are vertex-transitive.
// Example: for (const KnownGraph& known : known_graphs()) CHECK(value_of(known) == known.theta);
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade::testing {

struct KnownGraph {
  const char* name;
  Index n;
  std::vector<ObjectPair> edges;
  double bound;  // of max_cut
  double cut;    // the largest
  double theta;
};

inline std::vector<KnownGraph> known_graphs() {
  KnownGraph ring{"cycle of 5", 5, {}, 5 * (5 + std::sqrt(5.0)) / 8, 4, std::sqrt(5.0)};
  KnownGraph petersen{"Petersen", 10, {}, 12.5, 12, 4};
  for (ObjectId i = 0; i < 5; ++i) {
    ring.edges.push_back({i, (i + 1) % 5});
    petersen.edges.push_back({i, (i + 1) % 5});
    petersen.edges.push_back({5 + i, 5 + (i + 2) % 5});
    petersen.edges.push_back({5 + i, i});
  }
  KnownGraph complete{"complete", 6, {}, 9, 9, 1}, bipartite{"bipartite", 7, {}, 12, 12, 4};
  for (ObjectId i = 0; i < 6; ++i)
    for (ObjectId j = 0; j < i; ++j) complete.edges.push_back({i, j});
  for (ObjectId i = 0; i < 3; ++i)
    for (ObjectId j = 3; j < 7; ++j) bipartite.edges.push_back({i, j});
  return {ring, petersen, complete, bipartite};
}

inline Observations graph_of(const KnownGraph& graph) {
  Observations out;
  out.name = graph.name;
  for (Index i = 0; i < graph.n; ++i) out.objects.push_back(std::to_string(i));
  // From one side only: an edge counts once, whichever side names it.
  out.pair_signs =
      std::make_shared<PairSigns>(graph.n, graph.edges, std::vector<ObjectPair>{}, PairSigns::Others::dissimilar);
  return out;
}

}  // namespace alidade::testing
