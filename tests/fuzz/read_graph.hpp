// What holds of every graph that was read, whatever its format.
// The messages of a graph have its format's name for the file's.
// O(edges).
#pragma once

#include <algorithm>

#include "experiments/datasets/readers/pair_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// @throws Finding unless edges are of its nodes, ascending, and each there once.
inline void claim_graph(std::string_view text, datasets::GraphFormat format) {
  const datasets::GraphFile graph = datasets::parse_graph(text, "file", format);
  const std::size_t n = graph.objects.size();
  claim_that(n >= 2 && !graph.edges.empty(), "a graph has two nodes and an edge");
  for (const auto& [i, j] : graph.edges) claim_that(i < j && j < n, "edges join nodes");
  claim_that(std::ranges::is_sorted(graph.edges) && std::ranges::adjacent_find(graph.edges) == graph.edges.end(),
             "each edge is there once");
  claim_that(datasets::signs_of_graph(graph).symmetric(), "edges count both ways");
}

}  // namespace alidade::fuzz
