// Stochastic triplet embedding [vdMW12], Eq. 1: a Gaussian kernel and the logistic loss, with a lapse rate [WH01].
// Without lapses it is convex in squared distances.
// a and b are the squared distances from anchor to near and to far: see loss.hpp.
#pragma once

#include "problems/triplet_sums/ratio_form.hpp"

namespace alidade::triplet {

/// -ln P with P = (1 - lapse) p + lapse / 2, p = sigma(b - a), as ln(1 + (1 - P) / P). It stays below -ln(lapse / 2),
/// which makes it robust to wrong answers.
struct LapseForm {
  double lapse = 0;

  template <class V>
  [[gnu::always_inline]] LogarithmicTerm<V> operator()(const V& a, const V& b) const {
    using Real = Element<V>;
    const Real trust = static_cast<Real>(1 - lapse), guess = static_cast<Real>(0.5 * lapse);
    const V e = exp_of_nonpositive(V(-absolute(V(a - b)))), larger = 1 / (e + 1), smaller = e * larger;
    const V p = select(a > b, smaller, larger), q = select(a > b, larger, smaller);
    const V inverse = 1 / (p * trust + guess), slope = p * q * inverse * trust;
    return {(q * trust + guess) * inverse, slope, -slope};
  }
};

struct SteLoss {
  double lapse_rate = 0;

  template <class F>
  decltype(auto) with_form(const F& f) const {
    return lapse_rate > 0 ? f(LapseForm{lapse_rate}) : f(RatioForm<Tail::exponential, Cap::t1>{});
  }

  [[nodiscard]] static Margin margin_of(double a, double b) { return {b - a, -1, 1}; }

  static LossRecord<SteLoss> record() {
    return {.name = "ste",
            .python = "STE",
            .summary = "stochastic triplet embedding: Gaussian kernel, logistic loss",
            .reference = "[vdMW12] van der Maaten & Weinberger 2012, Eq. 1",
            .equation =
                "min over Y: - sum w ln p + lambda |Y|^2, with p = exp(-a) / (exp(-a) + exp(-b)), a and b "
                "squared distances to near and far; with a lapse rate (1 - lapse) p + lapse / 2 for p",
            .options = {{"lapse_rate", &SteLoss::lapse_rate, half_open(0, 1),
                         "assumed rate of answers that are guesses; above 0, the loss of a single answer is bounded"}},
            .lambda = 0.05,
            .recovery = 0.08};
  }
};

}  // namespace alidade::triplet
