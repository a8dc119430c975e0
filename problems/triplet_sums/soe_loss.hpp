// Soft ordinal embedding [TvL14], Eq. 2: a squared hinge on distances.
// Its majoriser is in problems/triplet/soe_majorizer.hpp.
// a and b are the squared distances from anchor to near and to far: see loss.hpp.
#pragma once

#include <cmath>

#include "problems/triplet_sums/loss.hpp"

namespace alidade::triplet {

/// f = max(0, margin + sqrt(a) - sqrt(b))^2; the slope at distance 0 is set to 0.
struct SoeLoss {
  double margin = 1;

  template <class V>
  [[gnu::always_inline]] LossTerm<V> operator()(const V& a, const V& b) const {
    const auto near = roots_of_nonnegative(a), far = roots_of_nonnegative(b);
    const V all = near.root - far.root + static_cast<Element<V>>(margin), h = select(all < 0, V{}, all);
    return {h * h, h * near.inverse, -(h * far.inverse)};
  }

  /// The hinge h(u) = max(0, 1 - u)^2, u = (sqrt(b) - sqrt(a)) / margin, is no probability but is normalised,
  /// P = e^{-h(u)} / (e^{-h(u)} + e^{-h(-u)}): m = 4 u where |u| <= 1, and sign(u) (1 + |u|)^2 beyond.
  [[nodiscard]] Margin margin_of(double a, double b) const {
    const double near = std::sqrt(a), far = std::sqrt(b), u = (far - near) / margin, size = std::abs(u);
    const double value = size <= 1 ? 4 * u : std::copysign((1 + size) * (1 + size), u);
    const double slope = (size <= 1 ? 2 : 1 + size) / margin;  // half of dm/du: d sqrt(a)/da = 1 / (2 sqrt(a))
    return {value, near > 0 ? -slope / near : 0, far > 0 ? slope / far : 0};
  }

  static LossRecord<SoeLoss> record() {
    return {.name = "soe",
            .python = "SOE",
            .summary = "soft ordinal embedding: squared hinge on distances",
            .reference = "[TvL14] Terada & von Luxburg 2014, Eq. 2",
            .equation =
                "min over Y: sum w max(0, margin + sqrt(a) - sqrt(b))^2 + lambda |Y|^2, with a and b squared "
                "distances to near and far",
            .options = {{"margin", &SoeLoss::margin, above(0),
                         "amount by which the far distance must exceed the near one; it sets the scale of the map"}},
            .recovery = 0.075};
  }
};

}  // namespace alidade::triplet
