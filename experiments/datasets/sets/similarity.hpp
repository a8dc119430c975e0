// Which pairs of objects are similar, made of other evidence of a dataset: the options that every dataset takes.
// Datasets that say so by themselves (shapes, graphs, pair signs) do not take them; their options are OwnSimilarity.
// Signs of triplets are those of whichever part of the triplets is learnt from: see renew_signs_of_triplets.
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

/// What marks the options of a dataset whose pair signs are its own.
struct OwnSimilarity {};

/// The neighbours of datasets whose signs are those of k nearest neighbours and nothing else.
struct NeighborOptions : OwnSimilarity {
  Index k = 3;
  std::string symmetry = "directed";
  [[nodiscard]] static OptionList<NeighborOptions> list();
};

/// Adds pair signs as the options say; `pose` (n x q, or 0 x 0) is where the objects are among the parameters that they
/// were made with. `dataset` is who is asked, `seed` that of an approximate search among very many features.
/// @throws DataError if the dataset has not what the signs are to be made of, ConfigError as the makers of signs do.
void add_similarity(Observations& observations, const SimilarityOptions& options, const Matrix& pose,
                    std::uint64_t seed, std::string_view dataset);

}  // namespace alidade::datasets
