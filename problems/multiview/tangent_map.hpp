// Coordinates in the tangent plane of a sphere: the map of an aspect with normal x ([LL19] section 3).
// B holds the first K columns of the Householder reflector that takes x to a pole, for any K >= 1. The paper's appendix
// projects y - x, which is not tangent (x . (P_x y - x) = -1); its cross product works only for K = 2.
// x and -x give the same plane; their maps differ by a reflection.
#pragma once

#include <span>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::multiview {

/// An orthonormal frame B of the tangent plane at a unit vector x: B^T x = 0, B^T B = I, never formed.
class TangentFrame {
 public:
  /// x: K + 1 coordinates, unit length, K >= 1.
  explicit TangentFrame(std::span<const double> x);

  [[nodiscard]] std::size_t dimension() const { return reflector_.size() - 1; }
  /// Writes the K coordinates B^T y of y (K + 1) to `map`; returns the height x . y. O(K).
  double coordinates(const double* y, double* map) const {
    const std::size_t k = dimension();
    double along = 0;
    for (std::size_t c = 0; c <= k; ++c) along += reflector_[c] * y[c];
    const double scale = along * inverse_;
    for (std::size_t c = 0; c < k; ++c) map[c] = y[c] - reflector_[c] * scale;
    return along - sign_ * y[k];
  }
  /// Adds B m to `y`. O(K).
  void add_lifted(const double* map, double* y) const {
    const std::size_t k = dimension();
    double along = 0;
    for (std::size_t c = 0; c < k; ++c) along += reflector_[c] * map[c];
    const double scale = along * inverse_;
    for (std::size_t c = 0; c < k; ++c) y[c] += map[c] - reflector_[c] * scale;
    y[k] -= reflector_[k] * scale;
  }

 private:
  std::vector<double> reflector_;  // v = x + sign e: the reflector is I - 2 v v^T / (v . v)
  double sign_;                    // sign of the last coordinate of x
  double inverse_;                 // 2 / (v . v) = 1 / (1 + |last coordinate of x|)
};

/// B^T y_i for every row of y. y: n x (K + 1), x: K + 1; returns n x K.
[[nodiscard]] Matrix tangent_map(const Eigen::Ref<const Matrix>& y, std::span<const double> x);

}  // namespace alidade::multiview
