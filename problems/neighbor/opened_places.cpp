#include "problems/neighbor/opened_places.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace alidade::neighbor {
namespace {

constexpr int kRays = 16;

Vector unit_vector(Index dimension, Rng& rng) {
  Vector out(dimension);
  do {
    for (double& entry : out) entry = rng.normal();
  } while (!(out.norm() > 0));
  return out.normalized();
}

/// Sum of the distances from a ray to the `around` nearest of `directions`, all of them as unit vectors.
double emptiness(const Matrix& directions, const Vector& ray, Index around) {
  const Vector cosines = directions * ray;
  std::vector<double> descending(cosines.begin(), cosines.end());
  const auto last = descending.begin() + std::min<Index>(around, cosines.size());
  std::partial_sort(descending.begin(), last, descending.end(), std::greater<>());
  double sum = 0;
  for (auto cosine = descending.begin(); cosine != last; ++cosine) sum += std::sqrt(std::max(0.0, 2 - 2 * *cosine));
  return sum;
}

Vector emptiest_ray(const Matrix& solid, Index around, Rng& rng) {
  const Matrix directions = solid.rowwise().normalized();
  Vector out;
  double widest = -1;
  for (int k = 0; k < kRays; ++k) {
    const Vector ray = unit_vector(solid.cols(), rng);
    const double width = emptiness(directions, ray, around);
    if (!(width > widest)) continue;
    widest = width;
    out = ray;
  }
  return out;
}

}  // namespace

Matrix opened_places(const Matrix& solid, Index around, Rng& rng) {
  const Index d = solid.cols() - 1;
  Vector mirror = emptiest_ray(solid, around, rng);
  mirror[d] -= 1;
  Matrix turned = solid;  // the tear along the last axis
  if (const double size = mirror.squaredNorm(); size > 0)
    turned -= (solid * mirror) * (2 / size * mirror.transpose());  // takes the ray to that axis
  Matrix out = Matrix::Zero(solid.rows(), d);
  for (Index i = 0; i < solid.rows(); ++i) {
    const double aside = turned.row(i).head(d).norm();
    const double distance = turned.row(i).norm();
    const double place = distance * std::atan2(aside, -turned(i, d));
    if (aside > 0)
      out.row(i) = turned.row(i).head(d) * (place / aside);
    else if (distance > 0)
      out(i, 0) = place;  // on the axis itself: 0, or at the tear any direction
  }
  return out;
}

}  // namespace alidade::neighbor
