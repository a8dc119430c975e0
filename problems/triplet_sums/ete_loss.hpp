// t-exponential triplet embedding [AVW16], Eq. 7 to 9 and 12: a capped loss and a heavy-tailed kernel.
// Closed forms for the common values of t and t_prime; any other costs an exponential more.
// a and b are the squared distances from anchor to near and to far: see loss.hpp.
#pragma once

#include "problems/triplet_sums/ratio_form.hpp"

namespace alidade::triplet {

/// f = log_t(1 + q(b)/q(a)), q(s) = exp_{t'}(-s). f < 1/(t-1) for t > 1. ETE(1,1) is STE, ETE(1,2) is t-STE(1).
struct EteLoss {
  double t = 2, t_prime = 2;

  template <class F>
  decltype(auto) with_form(const F& f) const {
    if (t_prime == 2) return with_cap<Tail::cauchy>(f);
    if (t_prime == 1) return with_cap<Tail::exponential>(f);
    return with_cap<Tail::power>(f);
  }
  template <Tail tail, class F>
  decltype(auto) with_cap(const F& f) const {
    if (t == 2) return f(form<tail, Cap::t2>());
    if (t == 1) return f(form<tail, Cap::t1>());
    if (t == 3) return f(form<tail, Cap::t3>());
    return f(form<tail, Cap::any>());
  }
  template <Tail tail, Cap cap>
  [[nodiscard]] RatioForm<tail, cap> form() const {
    if constexpr (tail == Tail::power) return {t_prime - 1, 1 / (t_prime - 1), t - 1};
    return {1, 1, t - 1};
  }

  static LossRecord<EteLoss> record() {
    return {.name = "ete",
            .python = "ETE",
            .summary = "t-exponential triplet embedding: capped loss (t), heavy-tailed kernel (t_prime)",
            .reference = "[AVW16] Amid, Vlassis & Warmuth 2016, Eq. 7 to 9, 12",
            .equation =
                "min over Y: sum w log_t(1/p) + lambda |Y|^2, log_t(1/p) = (1 - p^(t-1)) / (t-1), with p = "
                "q(a) / (q(a) + q(b)), q(s) = (1 + (t'-1) s)^(-1/(t'-1)), a and b squared distances to near "
                "and far",
            .options = {{"t", &EteLoss::t, at_least(1),
                         "bound of the loss: f = log_t(1 + ratio) < 1 / (t - 1); 1: no bound; 2 to 3: robust to wrong "
                         "answers"},
                        {"t_prime", &EteLoss::t_prime, between(1, 2),
                         "tail of the kernel exp_t'(-s); 1: Gaussian; 2: Student with one degree of freedom"}},
            .lambda0 = 2e-4,
            .recovery = 0.165};
  }
};

}  // namespace alidade::triplet
