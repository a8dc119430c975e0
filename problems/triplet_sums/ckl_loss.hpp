// Crowd kernel learning [TLBSK11], section 4: the logarithm of a ratio of squared distances.
// Finite up to 1e300 (float: 1e37), as all losses are that do not say otherwise.
// a and b are the squared distances from anchor to near and to far: see loss.hpp.
#pragma once

#include "problems/triplet_sums/loss.hpp"

namespace alidade::triplet {

/// f = -ln p, p = (mu + b) / (2 mu + a + b).
struct CklLoss {
  double mu = 0.05;

  template <class V>
  [[gnu::always_inline]] LogarithmicTerm<V> operator()(const V& a, const V& b) const {
    const auto m = static_cast<Element<V>>(mu);
    const V near_k = a + m, far_k = b + m, odds = near_k / far_k, slope = 1 / (near_k + far_k);
    return {odds, slope, -(odds * slope)};
  }

  static LossRecord<CklLoss> record() {
    return {.name = "ckl",
            .python = "CKL",
            .summary = "crowd kernel learning: logarithm of a ratio of squared distances",
            .reference = "[TLBSK11] Tamuz et al. 2011, section 4",
            .equation =
                "min over Y: - sum w ln p + lambda |Y|^2, with p = (mu + b) / (2 mu + a + b), a and b squared "
                "distances to near and far",
            .options = {{"mu", &CklLoss::mu, above(0),
                         "added to each squared distance: the scale below which differences in distance do not "
                         "matter"}},
            .lambda0 = kUncappedLambda0,
            .l2_scale = 2,
            .recovery = 0.125};
  }
};

}  // namespace alidade::triplet
