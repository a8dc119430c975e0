// Places of t-SNE, which puts clusters where they belong better than costs of neighbours do by themselves.
// [vdMH08], descended as its authors do: exaggerated, then plain, with momentum and gains (step_gains.hpp).
// Not the map of the problem tsne as it is recommended: half as many iterations, and a coarser tree.
#pragma once

#include <cstdint>

#include "problems/core/executor.hpp"
#include "problems/core/random.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/problem.hpp"

namespace alidade::neighbor {

/// t-SNE as others pass through it: theta 0.5, no placement. `by_tree`: of nearest neighbours and by a tree, where the
/// map has up to three dimensions, for any number of objects: on 1797 a fifth of the time. `seed`: of approximate
/// search.
/// @throws as the problem tsne
[[nodiscard]] Problem tsne_on_the_way(const Observations& observations, Index n_components, double perplexity,
                                      std::int64_t seed, bool by_tree, Executor& executor);

/// n x d: its map after 250 iterations of each stage, from its start by `rng`. Same bits for any number of threads. Not
/// interrupted: on the 1797 digits by the tree a third of a second.
[[nodiscard]] Matrix tsne_places(const Problem& tsne, Rng& rng, Executor& executor);

}  // namespace alidade::neighbor
