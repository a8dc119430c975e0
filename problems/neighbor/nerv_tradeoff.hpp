// Options that the dense and the sparse NeRV share: the weight of misses and the perplexity.
// [VPNAK10] Eq. 9.
// The perplexity must be below n - 1: see require_perplexity() in affinities.hpp.
#pragma once

#include <functional>
#include <span>
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

// The scale of a given map that has the lowest cost; it makes one method's map a start for another.
// A search over half octaves, then over sixteenths of them; no paper.
// The cost may have several local minima along the scale; one narrower than half an octave may be missed.

/// The factor of lowest cost among those that make the mean distance of two places 2^-6 ... 2^8; the least of equals;
/// within 2 %, > 0. `costs` returns a number for each factor it gets; it is called twice, with 46 factors
/// in total.
/// @pre mean_distance, the mean distance of two places of the map, > 0
[[nodiscard]] double least_cost_scale(double mean_distance,
                                      const std::function<std::vector<double>(std::span<const double>)>& costs);

}  // namespace alidade::neighbor
