// Which of one annotator's answers are guesses: the likelihood of a rate of guesses and a sharpness, given a map.
// P = (1 - g) sigma(beta m) + g / 2 with margin m, rate g and sharpness beta = e^l: [WH01]'s psychometric function, one
// for each annotator, as in [DS79] with priors. A margin is > 0 where the map satisfies the answer.
// Everything is about one annotator and plain spans; the sum over annotators is in annotator_map.hpp.
#pragma once

#include <span>

#include "problems/core/index.hpp"

namespace alidade::triplet {

/// Beta(a, b) on g, and a log-normal distribution with mean 1 on beta, whose mode in l is -s^2 / 2.
struct AnnotatorPrior {
  double a = 1, b = 2;     // >= 1, so that the posterior has its mode within [0, 1]
  double s = 0.3;          // standard deviation of l, > 0
  bool sharpness = false;  // false: l = 0, without prior
};

struct Reliability {
  double guess_rate = 0;     // g, in [kLeastRate, 1 - kLeastRate]
  double log_sharpness = 0;  // l
};
constexpr double kLeastRate = 1e-6;

/// One annotator's answers on a map. Equal sizes; no weights: all are 1. Weights are finite and >= 0.
struct AnsweredMargins {
  std::span<const double> margins, weights;
  [[nodiscard]] double weight(std::size_t t) const { return weights.empty() ? 1 : weights[t]; }
};

/// - sum w ln P - (a - 1) ln g - (b - 1) ln(1 - g) + (l + s^2 / 2)^2 / (2 s^2), the last only with sharpness.
[[nodiscard]] double negative_log_posterior(const AnsweredMargins& answers, const Reliability& at,
                                            const AnnotatorPrior& prior);

/// Its derivatives. The observed information leaves out second derivatives of P, so it is never negative.
struct PosteriorSlopes {
  double rate = 0, log_sharpness = 0;  // gradient
  double rate_rate = 0, rate_sharpness = 0, sharpness_sharpness = 0;
};
enum class Curvature { exact, observed_information };
[[nodiscard]] PosteriorSlopes posterior_slopes(const AnsweredMargins& answers, const Reliability& at,
                                               const AnnotatorPrior& prior, Curvature curvature);

/// The mode of the posterior. Without sharpness it is unique, to 1e-12; with it, a local one, found from g = 0.2 and
/// l = -s^2 / 2. O(answers), about ten times.
[[nodiscard]] Reliability most_likely(const AnsweredMargins& answers, const AnnotatorPrior& prior);

/// The standard error of g at its mode, the map taken as known, from the observed information. At most 1. The prior's
/// part of the information counts as if 1 - g were at least 0.3.
[[nodiscard]] double rate_error(const AnsweredMargins& answers, const Reliability& at, const AnnotatorPrior& prior);

/// The probability that an answer of margin m was a guess.
[[nodiscard]] double guess_probability(double margin, const Reliability& at);

/// -ln P and its derivative with respect to the margin; g = 0 is allowed.
struct MarginTerm {
  double value, slope;
};
[[nodiscard]] MarginTerm margin_term(double margin, const Reliability& at);

}  // namespace alidade::triplet
