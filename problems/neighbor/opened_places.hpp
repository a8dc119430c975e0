// Places of a closed surface torn open at one of its empty places; a start for other methods.
// Azimuthal equidistant projection: J. P. Snyder, Map Projections: A Working Manual, 1987, section 25.
// The tear lies on a ray from the centre: the emptiest of several rays drawn at random, so that starts differ.
#pragma once

#include "problems/core/random.hpp"
#include "problems/core/types.hpp"

namespace alidade::neighbor {

/// n x d, in units of `solid`: n x (d + 1), centred. A row that is r away from the centre, at an angle of t to the ray
/// opposite to the tear, gets the place that is r t away from the centre, in the same direction as seen along that ray;
/// a row at the centre gets the centre. Of 16 rays it takes the one with the largest mean distance to the `around` rows
/// nearest in direction. O(n d + n log n). @pre d >= 1, around >= 1, rows are finite
[[nodiscard]] Matrix opened_places(const Matrix& solid, Index around, Rng& rng);

}  // namespace alidade::neighbor
