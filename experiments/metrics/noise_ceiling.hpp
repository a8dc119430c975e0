// How often answers contradict each other, and so how little any map can err: from questions that were asked again.
// A question of R answers, c of them by the minority, gives 2 c (R - c) / (R (R - 1)), whose mean D is an unbiased
// estimate of E[2 p (1 - p)], the chance that two answers differ; p is the chance of one of them. No map errs less than
// E[min(p, 1 - p)] on these questions.
// It holds for the questions that were repeated: those that were repeated because they are hard give too high a value.
#pragma once

#include <cstdint>
#include <optional>

#include "experiments/statistics/summary.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::metrics {

/// All are shares in [0, 1]; intervals hold 95 %, by a bootstrap of questions.
struct NoiseCeiling {
  std::uint64_t questions = 0;  // with at least two answers
  std::uint64_t answers = 0;    // to these
  double disagreement = 0;      // D
  statistics::Interval disagreement_interval;
  double lowest = 0, highest = 0;  // (1 - sqrt(1 - 2 D)) / 2 <= E[min(p, 1 - p)] <= D
  double error = 0;                // E[min(p, 1 - p)] if p has a Beta(alpha, alpha) distribution, alpha = D / (1 - 2 D)
  statistics::Interval error_interval;
};

/// E[min(p, 1 - p)] of p ~ Beta(alpha, alpha) whose E[2 p (1 - p)] is `disagreement`; 0.5 from 0.5 on.
[[nodiscard]] double least_error(double disagreement);

/// Triplets with the same anchor, other two objects and aspect answer one question. Weights that are all whole numbers
/// are numbers of answers; otherwise each triplet is one. Nothing with fewer than 20 repeated questions, or of triplets
/// that are computed, not answered. O(triplets log triplets + 1000 questions); the same triplets give the same bits.
[[nodiscard]] std::optional<NoiseCeiling> noise_ceiling(const TripletSource& triplets);

}  // namespace alidade::metrics
