// A squared hinge with a margin on squared distances: GNMDS [AWC07] with its slacks squared, so without a corner.
// Its slope is continuous, so nothing has to be rounded for quasi-Newton solvers.
// a and b are the squared distances from anchor to near and to far: see loss.hpp.
#pragma once

#include "problems/triplet_sums/loss.hpp"

namespace alidade::triplet {

/// f = max(0, margin + a - b)^2. Finite up to 1e150 (float: 1e18).
struct SquaredHingeLoss {
  double margin = 1;

  template <class V>
  [[gnu::always_inline]] LossTerm<V> operator()(const V& a, const V& b) const {
    const V all = a - b + static_cast<Element<V>>(margin), h = select(all < 0, V{}, all);
    return {h * h, h + h, -(h + h)};
  }

  static LossRecord<SquaredHingeLoss> record() {
    return {.name = "squared_hinge",
            .python = "SquaredHinge",
            .summary = "squared hinge loss on squared distances: gnmds without a corner",
            .reference = "[AWC07] Agarwal et al. 2007, with squared slacks",
            .equation =
                "min over Y: sum w max(0, margin + a - b)^2 + lambda |Y|^2, with a and b squared distances to "
                "near and far",
            .options = {{"margin", &SquaredHingeLoss::margin, above(0),
                         "amount by which the far squared distance must exceed the near one; it sets the scale of the "
                         "map"}},
            .lambda0 = kUncappedLambda0,
            .recovery = 0.085};
  }
};

}  // namespace alidade::triplet
