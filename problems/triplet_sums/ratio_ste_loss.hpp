// STE of the ratio of squared distances: the kernel (mu + s)^-2, twice the exponent of crowd kernel learning [TLBSK11].
// Scale-free but for mu. With mu = 3 it is t-STE of three degrees of freedom.
// a and b are the squared distances from anchor to near and to far: see loss.hpp.
#pragma once

#include "problems/triplet_sums/ratio_form.hpp"

namespace alidade::triplet {

/// f = ln(1 + ((mu + a) / (mu + b))^2).
struct RatioSteLoss {
  double mu = 0.2;

  template <class F>
  decltype(auto) with_form(const F& f) const {
    return f(RatioForm<Tail::power, Cap::t1>{1 / mu, 2});
  }

  static LossRecord<RatioSteLoss> record() {
    return {.name = "ratio_ste",
            .python = "RatioSTE",
            .summary = "STE of a ratio: logarithm of one plus the squared ratio of squared distances",
            .reference = "[TLBSK11] Tamuz et al. 2011, section 4, with the squares of its similarities",
            .equation =
                "min over Y: sum w ln(1 + ((mu + a) / (mu + b))^2) + lambda |Y|^2, with a and b squared "
                "distances to near and far",
            .options = {{"mu", &RatioSteLoss::mu, above(0),
                         "added to each squared distance: the scale below which differences in distance do not "
                         "matter"}},
            .lambda0 = kUncappedLambda0,
            .recovery = 0.09};
  }
};

}  // namespace alidade::triplet
