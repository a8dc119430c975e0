#include "experiments/datasets/sets/rendered_views.hpp"

#include <cmath>

namespace alidade::datasets {

std::vector<Blob> random_blobs(Index count, Rng& rng) {
  std::vector<Blob> out;
  for (Index b = 0; b < count; ++b) {
    Blob blob{};
    double squared = 2;
    while (squared > 1) {
      squared = 0;
      for (double& coordinate : blob.place) {
        coordinate = rng.uniform(-1, 1);
        squared += coordinate * coordinate;
      }
    }
    blob.radius = rng.uniform(0.08, 0.2);
    blob.brightness = rng.uniform(0.3, 1);
    out.push_back(blob);
  }
  return out;
}

Vector rendered_view(const std::vector<Blob>& blobs, double azimuth, double elevation, Index pixels) {
  constexpr double kSeen = 1.2;  // half the side of the square that the camera sees
  const double sa = std::sin(azimuth), ca = std::cos(azimuth);
  const double se = std::sin(elevation), ce = std::cos(elevation);
  Vector out = Vector::Zero(pixels * pixels);
  const double step = 2 * kSeen / static_cast<double>(pixels);
  for (const Blob& blob : blobs) {
    const double turned = ca * blob.place[0] - sa * blob.place[1];
    const double ahead = sa * blob.place[0] + ca * blob.place[1];  // towards the camera, were it on the horizon
    const double up = ce * blob.place[2] - se * ahead;
    const double near = se * blob.place[2] + ce * ahead;  // -1 .. 1
    const double light = blob.brightness * (1 + 0.8 * near);
    for (Index row = 0; row < pixels; ++row)
      for (Index column = 0; column < pixels; ++column) {
        const double x = (static_cast<double>(column) + 0.5) * step - kSeen;
        const double y = kSeen - (static_cast<double>(row) + 0.5) * step;
        const double squared = (x - turned) * (x - turned) + (y - up) * (y - up);
        out[row * pixels + column] += light * std::exp(-squared / (2 * blob.radius * blob.radius));
      }
  }
  return out;
}

}  // namespace alidade::datasets
