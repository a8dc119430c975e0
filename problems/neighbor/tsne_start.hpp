// Places of t-SNE as a start: it places whole clusters better than the costs of neighbours do by themselves.
// [vdMH08], descended as its authors do: exaggerated, then plain, with momentum and gains (core/inner_minimizers.hpp).
// Not the map of the recommended tsne problem: half as many iterations, and a coarser tree.
#pragma once

#include <cstdint>

#include "problems/contract/problem.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/random.hpp"
#include "problems/core/types.hpp"
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

}  // namespace alidade::neighbor
