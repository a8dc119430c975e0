// t-distributed STE [vdMW12], Eq. 4: Student's kernel q(s) = (1 + s/alpha)^(-(alpha+1)/2).
// alpha = 0 stands for a number that follows the dimension of the map.
// a and b are the squared distances from anchor to near and to far: see loss.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "problems/core/index.hpp"
#include "problems/triplet_sums/ratio_form.hpp"

namespace alidade::triplet {

/// f = -ln p, p = q(a) / (q(a) + q(b)).
struct TSteLoss {
  double alpha = 0;

  template <class F>
  decltype(auto) with_form(const F& f) const {
    if (alpha == 1 || alpha == 0) return f(RatioForm<Tail::cauchy, Cap::t1>{});
    return f(RatioForm<Tail::power, Cap::t1>{1 / alpha, (alpha + 1) / 2, 0});
  }
  void set_dimension(Index n_components) {
    if (alpha == 0) alpha = static_cast<double>(std::max<Index>(n_components - 1, 1));
  }

  /// (alpha + 1) / 2 ln((alpha + b) / (alpha + a))
  [[nodiscard]] Margin margin_of(double a, double b) const {
    const double m = (alpha + 1) / 2;
    return {m * (std::log1p(b / alpha) - std::log1p(a / alpha)), -m / (alpha + a), m / (alpha + b)};
  }

  static LossRecord<TSteLoss> record() {
    return {.name = "tste",
            .python = "TSTE",
            .summary = "t-distributed STE: Student kernel with alpha degrees of freedom",
            .reference = "[vdMW12] van der Maaten & Weinberger 2012, Eq. 4",
            .equation =
                "min over Y: - sum w ln p + lambda |Y|^2, with p = q(a) / (q(a) + q(b)), q(s) = (1 + "
                "s/alpha)^(-(alpha+1)/2), a and b squared distances to near and far",
            .options = {{"alpha", &TSteLoss::alpha, at_least(0),
                         "degrees of freedom of the Student kernel; 0: max(n_components - 1, 1)"}},
            .lambda0 = kUncappedLambda0,
            .l2_scale = 0.4,
            .recovery = 0.125};
  }
};

}  // namespace alidade::triplet
