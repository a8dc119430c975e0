// STE of distances, not of their squares: an exponential kernel and the logistic loss. After [vdMW12], Eq. 1.
// The probability of an answer depends on the difference of the two distances alone.
// a and b are the squared distances from anchor to near and to far: see loss.hpp.
#pragma once

#include "problems/triplet_sums/loss.hpp"

namespace alidade::triplet {

/// f = -ln p, p = sigma(sqrt(b) - sqrt(a)); the slope at distance 0 is set to 0.
struct DistanceSteLoss {
  template <class V>
  [[gnu::always_inline]] ShiftedLogarithmicTerm<V> operator()(const V& a, const V& b) const {
    const auto near = roots_of_nonnegative(a), far = roots_of_nonnegative(b);
    const V z = absolute(V(near.root - far.root)), e = exp_of_nonpositive(V(-z)), larger = 1 / (e + 1);
    const V slope = select(a > b, larger, V(e * larger)) * Element<V>(0.5);
    return {select(a > b, z, V{}), e, slope * near.inverse, -(slope * far.inverse)};
  }

  static LossRecord<DistanceSteLoss> record() {
    return {.name = "distance_ste",
            .python = "DistanceSTE",
            .summary = "STE of distances, not of their squares: exponential kernel, logistic loss",
            .reference = "[vdMW12] van der Maaten & Weinberger 2012, with distances in place of their squares",
            .equation =
                "min over Y: - sum w ln p + lambda |Y|^2, with p = exp(-sqrt(a)) / (exp(-sqrt(a)) + "
                "exp(-sqrt(b))), a and b squared distances to near and far",
            .lambda = 0.05,
            .recovery = 0.08};
  }
};

}  // namespace alidade::triplet
