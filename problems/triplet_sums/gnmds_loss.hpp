// Generalised non-metric multidimensional scaling of low rank [AWC07]: a hinge on *squared* distances.
// The corner of the published hinge stalls quasi-Newton solvers, so it is rounded.
// a and b are the squared distances from anchor to near and to far: see loss.hpp.
#pragma once

#include "problems/triplet_sums/loss.hpp"

namespace alidade::triplet {

/// f = max(0, h), h = 1 + a - b; h^2 / (2 smoothing) where 0 < h < smoothing, and h - smoothing / 2 above.
struct GnmdsLoss {
  double smoothing = 0.1;

  template <class V>
  [[gnu::always_inline]] LossTerm<V> operator()(const V& a, const V& b) const {
    const auto width = static_cast<Element<V>>(smoothing);
    const V all = a - b + 1, h = select(all < 0, V{}, all), round = select(h > width, splat<V>(width), h);
    const V slope = select(h > width, splat<V>(1), V(round / (width > 0 ? width : 1)));
    return {slope * (h - round * Element<V>(0.5)), slope, -slope};
  }

  static LossRecord<GnmdsLoss> record() {
    return {.name = "gnmds",
            .python = "GNMDS",
            .summary = "generalised non-metric MDS of low rank: hinge loss on squared distances",
            .reference = "[AWC07] Agarwal et al. 2007",
            .equation =
                "min over Y: sum w max(0, 1 + a - b) + lambda |Y|^2, with a = |y_i - y_j|^2 to near, b = |y_i "
                "- y_k|^2 to far; the corner is rounded over `smoothing`",
            .options = {{"smoothing", &GnmdsLoss::smoothing, at_least(0),
                         "width over which the corner of the hinge is rounded; 0: the published hinge, which only "
                         "stochastic solvers handle well"}},
            .lambda0 = kUncappedLambda0,
            .l2_scale = 3,
            .recovery = 0.085};
  }
};

}  // namespace alidade::triplet
