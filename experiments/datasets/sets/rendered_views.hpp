// Pictures of an object that turns before a camera: soft blobs of light in space, seen from a ring of azimuths and
// several elevations, like the NORB pictures of [GR07] section 5.2.
// Parallel projection. Blobs nearer to the camera are brighter, so that front and back differ.
// Noise is normal.
#pragma once

#include <vector>

#include "problems/core/random.hpp"
#include "problems/core/types.hpp"

namespace alidade::datasets {

struct Blob {
  double place[3];    // within the unit ball; [2] is up
  double radius = 0;  // standard deviation of its light
  double brightness = 0;
};

/// Blobs uniform in the unit ball, of radius 0.08 to 0.2 and brightness 0.3 to 1.
[[nodiscard]] std::vector<Blob> random_blobs(Index count, Rng& rng);

/// pixels x pixels numbers by rows, from the top, of the square [-1.2, 1.2]^2 that the camera sees; angles in radians,
/// elevation above the horizon. O(blobs pixels^2).
[[nodiscard]] Vector rendered_view(const std::vector<Blob>& blobs, double azimuth, double elevation, Index pixels);

}  // namespace alidade::datasets
