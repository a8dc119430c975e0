// Learning-rate schedules of stochastic solvers, as factors of the initial rate.
// The completed fraction of the run is below 1 at every step: the final rate is that of the step after the last.
// inverse_time is Robbins & Monro 1951's eta0 / (1 + decay k) with k counted in epochs.
#pragma once

#include <cmath>
#include <numbers>

#include "problems/core/error.hpp"

namespace alidade {

/// plateau depends on the objective, so its solver cuts the rate itself.
enum class Schedule { constant, inverse_time, linear, cosine, plateau };

/// The factor of a step taken after `fraction_done` of all terms, in [0, 1), or `epochs_done` epochs.
/// With N steps of equal length the first has factor 1, and step s (from 0) of linear has 1 - (1 - final_fraction) s /
/// N. So the last, s = N - 1, is still (1 - final_fraction) / N above final_fraction in [0, 1], which only a step N
/// would reach. cosine ends there too. `decay` >= 0 is for inverse_time.
[[nodiscard]] inline double schedule_factor(Schedule schedule, double fraction_done, double epochs_done,
                                            double final_fraction, double decay) {
  switch (schedule) {
    case Schedule::constant:
    case Schedule::plateau: return 1;
    case Schedule::inverse_time: return 1 / (1 + decay * epochs_done);
    case Schedule::linear: return 1 - (1 - final_fraction) * fraction_done;
    case Schedule::cosine:
      return final_fraction + (1 - final_fraction) * 0.5 * (1 + std::cos(std::numbers::pi * fraction_done));
  }
  return 1;
}

}  // namespace alidade
