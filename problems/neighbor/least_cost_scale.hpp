// The scale of a given map that has the lowest cost; it makes one method's map a start for another.
// A search over half octaves, then over sixteenths of them; no paper.
// The cost may have several local minima along the scale; one narrower than half an octave may be missed.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace alidade::neighbor {

/// The factor of lowest cost among those that make the mean distance of two places 2^-6 ... 2^8; the least of equals;
/// within 2 %, > 0. `costs` returns a number for each factor it gets; it is called twice, with 46 factors
/// in total.
/// @pre mean_distance, the mean distance of two places of the map, > 0
[[nodiscard]] double least_cost_scale(double mean_distance,
                                      const std::function<std::vector<double>(std::span<const double>)>& costs);

}  // namespace alidade::neighbor
