#include "problems/triplet/annotator_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace alidade::triplet {
namespace {

struct Sigmoid {
  double p, q;  // sigma(x), sigma(-x)
};

Sigmoid sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  const double larger = 1 / (1 + e), smaller = e / (1 + e);
  return x > 0 ? Sigmoid{larger, smaller} : Sigmoid{smaller, larger};
}

/// The prior's part of the slopes.
PosteriorSlopes prior_slopes(const Reliability& at, const AnnotatorPrior& prior) {
  const double g = at.guess_rate, left = 1 - g;
  PosteriorSlopes out;
  out.rate = -(prior.a - 1) / g + (prior.b - 1) / left;
  out.rate_rate = (prior.a - 1) / (g * g) + (prior.b - 1) / (left * left);
  if (!prior.sharpness) return out;
  const double variance = prior.s * prior.s;
  out.log_sharpness = (at.log_sharpness + variance / 2) / variance;
  out.sharpness_sharpness = 1 / variance;
  return out;
}

/// The mode in g alone, where the slope F' is 0; F is convex. Newton's steps are for g F'(g), which is linear where
/// contradicted answers make F like -ln g. A step out of the bracket of the root is halved into it.
double most_likely_rate(const AnsweredMargins& answers, const AnnotatorPrior& prior) {
  constexpr int kMostSteps = 100;
  constexpr double kSameRate = 1e-13, kFarBelow = 0.1;
  double low = 0, high = 1 - kLeastRate, g = 0.2;     // low 0: the least rate was not tried
  std::vector<double> right(answers.margins.size());  // chances without a guess, the same at every g
  for (std::size_t t = 0; t < right.size(); ++t) right[t] = sigmoid(answers.margins[t]).p;
  for (int step = 0; step < kMostSteps; ++step) {
    PosteriorSlopes at = prior_slopes({g, 0}, prior);
    for (std::size_t t = 0; t < right.size(); ++t) {
      const double u = (0.5 - right[t]) / ((1 - g) * right[t] + g / 2), w = answers.weight(t);
      at.rate -= w * u;
      at.rate_rate += w * u * u;
    }
    if (g <= kLeastRate && at.rate >= 0) return kLeastRate;
    if (g >= 1 - kLeastRate && at.rate <= 0) return 1 - kLeastRate;
    (at.rate > 0 ? high : low) = g;
    const double bend = at.rate + g * at.rate_rate;
    double next = bend > 0 ? g - g * at.rate / bend : high;
    if (low == 0 && next < kFarBelow * g) next = kLeastRate;
    if (next < low || next > high || (next == high && high < 1 - kLeastRate)) next = low + (high - low) / 2;
    next = std::max(next, kLeastRate);
    const bool same = std::abs(next - g) <= kSameRate;
    g = next;
    if (same) break;
  }
  return g;
}

}  // namespace

MarginTerm margin_term(double margin, const Reliability& at) {
  const double beta = std::exp(at.log_sharpness), trust = 1 - at.guess_rate;
  const auto [p, q] = sigmoid(beta * margin);
  if (at.guess_rate == 0) {  // P may underflow
    const double x = beta * margin;
    return {std::max(0.0, -x) + std::log1p(std::exp(-std::abs(x))), -q * beta};
  }
  const double P = trust * p + at.guess_rate / 2;
  return {-std::log(P), -trust * p * q * beta / P};
}

double guess_probability(double margin, const Reliability& at) {
  const double guess = at.guess_rate / 2;
  const double p = sigmoid(std::exp(at.log_sharpness) * margin).p;
  return guess / ((1 - at.guess_rate) * p + guess);
}

double negative_log_posterior(const AnsweredMargins& answers, const Reliability& at, const AnnotatorPrior& prior) {
  const double beta = std::exp(at.log_sharpness), g = at.guess_rate;
  double out = 0;
  for (std::size_t t = 0; t < answers.margins.size(); ++t)
    out -= answers.weight(t) * std::log((1 - g) * sigmoid(beta * answers.margins[t]).p + g / 2);
  out -= (prior.a - 1) * std::log(g) + (prior.b - 1) * std::log1p(-g);
  if (!prior.sharpness) return out;
  const double variance = prior.s * prior.s, off = at.log_sharpness + variance / 2;
  return out + off * off / (2 * variance);
}

PosteriorSlopes posterior_slopes(const AnsweredMargins& answers, const Reliability& at, const AnnotatorPrior& prior,
                                 Curvature curvature) {
  const double beta = std::exp(at.log_sharpness), g = at.guess_rate, trust = 1 - g;
  PosteriorSlopes out = prior_slopes(at, prior);
  for (std::size_t t = 0; t < answers.margins.size(); ++t) {
    const double w = answers.weight(t), x = beta * answers.margins[t];
    const auto [p, q] = sigmoid(x);
    const double inverse = 1 / (trust * p + g / 2);
    const double u = (0.5 - p) * inverse;  // d ln P / dg
    out.rate -= w * u;
    out.rate_rate += w * u * u;
    if (!prior.sharpness) continue;
    const double bend = p * q * x * inverse, v = trust * bend;  // v = d ln P / dl
    out.log_sharpness -= w * v;
    out.rate_sharpness += w * u * v;
    out.sharpness_sharpness += w * v * v;
    if (curvature == Curvature::observed_information) continue;
    out.rate_sharpness += w * bend;
    out.sharpness_sharpness -= w * v * (1 + x * (q - p));
  }
  return out;
}

Reliability most_likely(const AnsweredMargins& answers, const AnnotatorPrior& prior) {
  if (!prior.sharpness) return {most_likely_rate(answers, prior), 0};
  constexpr int kMostSteps = 100, kMostHalvings = 40;
  constexpr double kSame = 1e-10, kLongest = 1;
  Reliability at{0.2, -prior.s * prior.s / 2};
  double value = negative_log_posterior(answers, at, prior);
  for (int step = 0; step < kMostSteps; ++step) {
    PosteriorSlopes d = posterior_slopes(answers, at, prior, Curvature::exact);
    const auto determinant = [&] { return d.rate_rate * d.sharpness_sharpness - d.rate_sharpness * d.rate_sharpness; };
    if (!(d.sharpness_sharpness > 0) || !(determinant() > 0))
      d = posterior_slopes(answers, at, prior, Curvature::observed_information);
    // At a bound that the rate would leave, only the sharpness moves.
    const bool bound = (at.guess_rate <= kLeastRate && d.rate > 0) || (at.guess_rate >= 1 - kLeastRate && d.rate < 0);
    double to_rate = 0, to_sharpness = 0;
    if (bound || !(determinant() > 0)) {
      to_sharpness = -d.log_sharpness / d.sharpness_sharpness;
      if (!bound && d.rate_rate > 0) to_rate = -d.rate / d.rate_rate;
    } else {
      to_rate = (-d.rate * d.sharpness_sharpness + d.log_sharpness * d.rate_sharpness) / determinant();
      to_sharpness = (-d.log_sharpness * d.rate_rate + d.rate * d.rate_sharpness) / determinant();
    }
    to_sharpness = std::clamp(to_sharpness, -kLongest, kLongest);
    // Not further than most of the way to a bound: near it the curvature changes.
    constexpr double kNearer = 0.05;
    const double least = std::max(kLeastRate, kNearer * at.guess_rate);
    const double highest = std::min(1 - kLeastRate, 1 - kNearer * (1 - at.guess_rate));
    // So near the mode, values differ by rounding alone.
    const bool near = -(d.rate * to_rate + d.log_sharpness * to_sharpness) < 1e-10 * (1 + std::abs(value));
    Reliability next = at;
    double next_value = value;
    bool lower = false;
    for (int halving = 0; halving < kMostHalvings && !lower; ++halving) {
      const double length = std::ldexp(1.0, -halving);
      next = {std::clamp(at.guess_rate + length * to_rate, least, highest), at.log_sharpness + length * to_sharpness};
      next_value = negative_log_posterior(answers, next, prior);
      lower = near || next_value < value;
    }
    if (!lower) break;  // to rounding, this is the mode
    const double moved =
        std::max(std::abs(next.guess_rate - at.guess_rate), std::abs(next.log_sharpness - at.log_sharpness));
    at = next;
    value = next_value;
    if (moved < kSame) break;
  }
  return at;
}

double rate_error(const AnsweredMargins& answers, const Reliability& at, const AnnotatorPrior& prior) {
  // Near 1 the prior's curvature grows without bound, and would claim what no answer says.
  constexpr double kLeastTrust = 0.3;
  PosteriorSlopes d = posterior_slopes(answers, at, prior, Curvature::observed_information);
  const double trust = 1 - at.guess_rate, kept = std::max(trust, kLeastTrust);
  d.rate_rate += (prior.b - 1) * (1 / (kept * kept) - 1 / (trust * trust));
  const double information =
      prior.sharpness ? d.rate_rate - d.rate_sharpness * d.rate_sharpness / d.sharpness_sharpness : d.rate_rate;
  return information > 1 ? 1 / std::sqrt(information) : 1;
}

}  // namespace alidade::triplet
