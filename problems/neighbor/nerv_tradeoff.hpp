// What NeRV asks over all pairs and over those that count alike: how misses weigh, and how many neighbours there are.
// [VPNAK10] Eq. 9.
// The perplexity has to be below n - 1: require_perplexity of affinities.hpp.
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

/// Where there are too few objects for the default perplexity, lowers it to a third of the other objects, with a note.
/// Any other value stays as given. Judged by the value alone, so that the options of a row give its map again.
void adapt_default_perplexity(NervTradeoff& options, Index n, std::vector<std::string>& notes);

/// Noise that keeps a start without variance in some direction from staying so; in mean dissimilarities.
inline constexpr double kNoiseWithoutVariance = 0.01;

/// For the row's notes: `capped` of n objects have no width of that perplexity, see RowAffinity.
[[nodiscard]] std::string capped_note(Index capped, Index n, double perplexity);

}  // namespace alidade::neighbor
