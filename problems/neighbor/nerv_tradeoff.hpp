// Options that the dense and the sparse NeRV share: the weight of misses and the perplexity.
// [VPNAK10] Eq. 9.
// The perplexity must be below n - 1: see require_perplexity() in affinities.hpp.
#pragma once

#include <string>
#include <vector>

#include "problems/core/options.hpp"

namespace alidade::neighbor {

struct NervTradeoff {
  double lambda = 0.1;
  double perplexity = 20;
  [[nodiscard]] static const OptionList<NervTradeoff>& list();
};

/// With too few objects for the default perplexity, lowers it to a third of the other objects and adds a note. Other
/// values stay as given. Only the value decides, so that the options of a row reproduce its map.
void adapt_default_perplexity(NervTradeoff& options, Index n, std::vector<std::string>& notes);

/// Noise for directions in which a start has no variance, so that they do not stay so; in mean dissimilarities.
inline constexpr double kNoiseWithoutVariance = 0.01;

/// A note for the row: `capped` of n objects have no width of that perplexity (see RowAffinity).
[[nodiscard]] std::string capped_note(Index capped, Index n, double perplexity);

}  // namespace alidade::neighbor
