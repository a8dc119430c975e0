// Makes similar pairs from other evidence of a dataset: options that every dataset takes.
// Datasets with their own pair signs (shapes, graphs, pair signs) do not take them; their options are OwnSimilarity.
// Signs made from triplets follow the training triplets: see renew_signs_of_triplets.
#pragma once

#include <string>

#include "problems/core/options.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

struct SimilarityOptions {
  std::string similarity = "none";
  Index k = 6;
  std::string symmetry = "directed";
  [[nodiscard]] static OptionList<SimilarityOptions> list();
};

/// Marks the options of a dataset with its own pair signs.
struct OwnSimilarity {};

/// Number of neighbours, for datasets whose signs are always those of k nearest neighbours.
struct NeighborOptions : OwnSimilarity {
  Index k = 3;
  std::string symmetry = "directed";
  [[nodiscard]] static OptionList<NeighborOptions> list();
};

/// Adds pair signs by the options. `pose` (n x q, or 0 x 0): the parameters that generated the objects. `dataset`: its
/// name in messages. `seed`: of an approximate search among very many features.
/// @throws DataError if the dataset lacks the evidence for the signs, ConfigError as the makers of signs do.
void add_similarity(Observations& observations, const SimilarityOptions& options, const Matrix& pose,
                    std::uint64_t seed, std::string_view dataset);

}  // namespace alidade::datasets
