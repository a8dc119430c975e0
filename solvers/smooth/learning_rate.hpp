// Learning-rate schedules of stochastic solvers, as factors of the initial rate.
// f is the fraction of all steps done, in [0, 1); k the number of steps done.
// inverse_time is Robbins & Monro 1951's eta0 / (1 + decay k) with k counted in epochs.
#pragma once

#include <cmath>
#include <numbers>

#include "problems/core/error.hpp"

namespace alidade {

enum class Schedule { constant, inverse_time, linear, cosine };

/// `final_fraction` in [0, 1] is where linear and cosine end; `decay` >= 0 is for inverse_time.
[[nodiscard]] inline double schedule_factor(Schedule schedule, double fraction_done, double epochs_done,
                                            double final_fraction, double decay) {
  switch (schedule) {
    case Schedule::constant: return 1;
    case Schedule::inverse_time: return 1 / (1 + decay * epochs_done);
    case Schedule::linear: return 1 - (1 - final_fraction) * fraction_done;
    case Schedule::cosine:
      return final_fraction +
             (1 - final_fraction) * 0.5 * (1 + std::cos(std::numbers::pi * fraction_done));
  }
  return 1;
}

}  // namespace alidade
