// The scale at which a given map suits a cost best: what makes the map of one method a start for another.
// A search over half octaves, then over sixteenths of them; no paper.
// Costs may have several valleys along the scale: one narrower than half an octave may be missed.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace alidade::neighbor {

/// Of the factors that make the mean distance of two places 2^-6 ... 2^8, the one with the lowest cost, the least of
/// equals; within 2 %, > 0. `costs` gives a number for each factor that it is given; it is called twice, with 46
/// factors together.
/// @pre mean_distance, of two places of the map, > 0
[[nodiscard]] double least_cost_scale(double mean_distance,
                                      const std::function<std::vector<double>(std::span<const double>)>& costs);

}  // namespace alidade::neighbor
