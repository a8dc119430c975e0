// How often answers contradict each other, and so how little any map can err: from questions that were asked again.
// A question of R answers, c of them by the minority, gives 2 c (R - c) / (R (R - 1)), an unbiased estimate of its
// 2 p (1 - p); p is its chance of one of the answers. No map errs less than E[min(p, 1 - p)] on these questions. Each
// answer counts alike, as in a held-out error: rankings ask some questions of all, and hard ones, where there are ties,
// of few. min(p, 1 - p) is the empirical Bayes estimate (Robbins 1956) with the distribution of p that makes the counts
// most likely, one for each doubling of R; by expectation maximisation (Laird 1978) from the Beta(alpha, alpha) of the
// same D = E[2 p (1 - p)], alpha = D / (1 - 2 D). Two answers a question tell no more than D, so they leave it there;
// as well all p could be one, which has the least error of all, or be 0 and 0.5, which have the most. So intervals
// reach from below what the maximisation gives that begins at equal p to above that of one which begins at 0 and 0.5.
// It holds for the questions that were repeated: those that were repeated because they are hard give too high a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "experiments/statistics/summary.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::metrics {

/// All are shares in [0, 1]; intervals hold 95 %.
struct NoiseCeiling {
  std::uint64_t questions = 0;  // with at least two answers
  std::uint64_t answers = 0;    // to these
  double disagreement = 0;      // D: the mean of 2 p (1 - p) over answers, the chance that two differ
  statistics::Interval disagreement_interval;
  double lowest = 0, highest = 0;  // (1 - sqrt(1 - 2 D)) / 2 <= E[min(p, 1 - p)] <= D
  double error = 0;                // E[min(p, 1 - p)]
  double deviation = 0;            // standard error of it, were it the only one that is as likely
  statistics::Interval error_interval;
};

/// E[min(p, 1 - p)] of p ~ Beta(alpha, alpha) whose E[2 p (1 - p)] is `disagreement`; 0.5 from 0.5 on.
[[nodiscard]] double least_error(double disagreement);

/// Triplets with the same anchor, other two objects and aspect answer one question. Weights that are whole multiples of
/// the smallest are numbers of answers, in whatever unit; otherwise, and where each triplet is the answer of somebody,
/// each is one. Nothing with fewer than 20 repeated questions, of triplets that are computed, not answered, if numbers
/// of answers stand at a triplet that is there twice, or all on one side in more than 19 of 20 questions (they may be
/// degrees of trust as well), or if such degrees are so unequal that less than seven eighths of the answers would be as
/// certain with equal ones.
/// Intervals by a jackknife that leaves out one of 20 groups of questions, or of annotators where that is wider
/// (`annotator`: the tags of these, or null), with Student's t of as many degrees of freedom as groups, less one.
/// O(triplets log triplets).
[[nodiscard]] std::optional<NoiseCeiling> noise_ceiling(const TripletSource& triplets,
                                                        const TripletTags& annotator = nullptr);

/// Follows a number of repeated questions, or what is said by them, if weights were taken for numbers of answers.
[[nodiscard]] inline std::string_view note_on_weights(std::uint64_t answers, std::uint64_t triplets) {
  return answers > triplets ? ", where a weight is taken for a number of answers" : "";
}

}  // namespace alidade::metrics
