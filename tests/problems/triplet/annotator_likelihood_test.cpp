#include "problems/triplet/annotator_likelihood.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "problems/core/random.hpp"
#include "tests/problems/triplet/annotator_reference.hpp"
#include "tests/support/approx.hpp"

namespace annotator_likelihood_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using namespace alidade::triplet;
namespace reference = annotator_reference;

constexpr std::uint64_t kSeed = 20261125;
constexpr AnnotatorPrior kPrior{.a = 1, .b = 2, .s = 0.3, .sharpness = true};
/// The reference has twelve digits.
constexpr Tolerance kPrinted{1e-10, 1e-11};

/// The reference's answers of each annotator on a map.
struct Instance {
  std::array<std::vector<double>, 4> margins, weights;
  std::array<std::vector<std::size_t>, 4> place;  // of each answer in the reference's list
  [[nodiscard]] AnsweredMargins of(std::size_t a) const { return {margins[a], weights[a]}; }
};

Instance instance(std::span<const double> y) {
  Instance out;
  const auto distance = [&](std::size_t i, std::size_t j) {
    const double u = y[2 * i] - y[2 * j], v = y[2 * i + 1] - y[2 * j + 1];
    return u * u + v * v;
  };
  for (std::size_t t = 0; t < reference::kWeights.size(); ++t) {
    const std::uint32_t* answer = reference::kTriplets.data() + 3 * t;
    out.margins[t % 4].push_back(distance(answer[0], answer[2]) - distance(answer[0], answer[1]));
    out.weights[t % 4].push_back(reference::kWeights[t]);
    out.place[t % 4].push_back(t);
  }
  return out;
}

double squared_norm(std::span<const double> y) {
  double out = 0;
  for (const double v : y) out += v * v;
  return out;
}

struct Values {
  double log_likelihood = 0, objective = 0;
};
Values values_of(const Instance& answers, std::span<const double> rates, std::span<const double> log_sharpness,
                 std::span<const double> y) {
  Values out;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t t = 0; t < answers.margins[a].size(); ++t)
      out.log_likelihood -=
          answers.weights[a][t] * margin_term(answers.margins[a][t], {rates[a], log_sharpness[a]}).value;
    out.objective += negative_log_posterior(answers.of(a), {rates[a], log_sharpness[a]}, kPrior);
  }
  out.objective += reference::kLambda * squared_norm(y);
  return out;
}

/// The gradient of sum w_t f(m_t) + lambda |Y|^2, given df/dm of the answers in the reference's order.
std::vector<double> map_gradient(std::span<const double> y, std::span<const double> slopes) {
  std::vector<double> out;
  for (const double v : y) out.push_back(2 * reference::kLambda * v);
  for (std::size_t t = 0; t < reference::kWeights.size(); ++t) {
    const std::uint32_t* answer = reference::kTriplets.data() + 3 * t;
    for (std::size_t c = 0; c < 2; ++c) {
      const std::size_t i = 2 * answer[0] + c, j = 2 * answer[1] + c, k = 2 * answer[2] + c;
      const double pull = -2 * slopes[t] * (y[i] - y[j]), push = 2 * slopes[t] * (y[i] - y[k]);
      out[i] += pull + push;
      out[j] -= pull;
      out[k] -= push;
    }
  }
  return out;
}

TEST_CASE("the likelihood, its gradients and standard errors are the reference's") {
  const Instance answers = instance(reference::kMap);
  const Values values = values_of(answers, reference::kRates, reference::kLogSharpness, reference::kMap);
  CHECK(close(values.log_likelihood, reference::kLogLikelihood, kSum));
  CHECK(close(values.objective, reference::kObjective, kSum));
  std::vector<double> slopes(reference::kWeights.size());
  for (std::size_t a = 0; a < 4; ++a) {
    CAPTURE(a);
    const Reliability at{reference::kRates[a], reference::kLogSharpness[a]};
    const PosteriorSlopes d = posterior_slopes(answers.of(a), at, kPrior, Curvature::exact);
    CHECK(close(d.rate, reference::kRateGradient[a], kPrinted));
    CHECK(close(d.log_sharpness, reference::kSharpnessGradient[a], kPrinted));
    CHECK(close(rate_error(answers.of(a), at, kPrior), reference::kRateErrors[a], kPrinted));
    for (std::size_t t = 0; t < answers.margins[a].size(); ++t)
      slopes[answers.place[a][t]] = answers.weights[a][t] * margin_term(answers.margins[a][t], at).slope;
  }
  CHECK(all_close(map_gradient(reference::kMap, slopes), reference::kMapGradient, kPrinted));
}

/// The steps of expectation maximisation for one annotator on a fixed map.
double updated_rate(const AnsweredMargins& answers, const Reliability& at, const AnnotatorPrior& prior) {
  double guesses = 0, all = 0;
  for (std::size_t t = 0; t < answers.margins.size(); ++t) {
    guesses += answers.weights[t] * guess_probability(answers.margins[t], at);
    all += answers.weights[t];
  }
  return (guesses + prior.a - 1) / (all + prior.a + prior.b - 2);
}
double updated_sharpness(const AnsweredMargins& answers, const Reliability& at, const AnnotatorPrior& prior) {
  double l = at.log_sharpness;
  const double variance = prior.s * prior.s;
  for (int step = 0; step < 60; ++step) {
    double slope = (l + variance / 2) / variance, curvature = 1 / variance;
    for (std::size_t t = 0; t < answers.margins.size(); ++t) {
      const double x = std::exp(l) * answers.margins[t], p = 1 / (1 + std::exp(-x));
      const double w = answers.weights[t] * (1 - guess_probability(answers.margins[t], at));
      slope -= w * (1 - p) * x;
      curvature += w * p * (1 - p) * x * x;
    }
    l -= std::clamp(slope / curvature, -0.5, 0.5);
  }
  return l;
}

TEST_CASE("expectation maximisation takes the reference's steps") {
  const Instance answers = instance(reference::kMap);
  std::array<double, 4> rates{}, log_sharpness{};
  std::vector<double> trusted(reference::kWeights.size());
  for (std::size_t a = 0; a < 4; ++a) {
    CAPTURE(a);
    const Reliability at{reference::kRates[a], reference::kLogSharpness[a]};
    for (std::size_t t = 0; t < answers.margins[a].size(); ++t) {
      const std::size_t place = answers.place[a][t];
      const double guess = guess_probability(answers.margins[a][t], at);
      CHECK(close(guess, reference::kResponsibilities[place], kPrinted));
      trusted[place] = answers.weights[a][t] * (1 - guess);
    }
    rates[a] = updated_rate(answers.of(a), at, kPrior);
    CHECK(close(rates[a], reference::kRatesAfter[a], kPrinted));
    log_sharpness[a] = updated_sharpness(answers.of(a), at, kPrior);
    CHECK(close(log_sharpness[a], reference::kLogSharpnessAfter[a], {1e-8, 1e-9}));
  }
  const Values after_rates = values_of(answers, rates, reference::kLogSharpness, reference::kMap);
  CHECK(close(after_rates.log_likelihood, reference::kLogLikelihoodAfterRates, kPrinted));
  CHECK(close(after_rates.objective, reference::kObjectiveAfterRates, kPrinted));
  const Values after_sharpness = values_of(answers, rates, log_sharpness, reference::kMap);
  CHECK(close(after_sharpness.log_likelihood, reference::kLogLikelihoodAfterSharpness, kPrinted));
  CHECK(close(after_sharpness.objective, reference::kObjectiveAfterSharpness, kPrinted));

  // The map step: descent on the expected loss from the reference's map.
  std::vector<double> y(reference::kMap.begin(), reference::kMap.end());
  const auto expected_loss = [&](std::span<const double> at, std::vector<double>& gradient) {
    const Instance there = instance(at);
    std::vector<double> slopes(trusted.size());
    double out = reference::kLambda * squared_norm(at);
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t t = 0; t < there.margins[a].size(); ++t) {
        const std::size_t place = there.place[a][t];
        const MarginTerm term = margin_term(there.margins[a][t], {0, log_sharpness[a]});
        out += trusted[place] * term.value;
        slopes[place] = trusted[place] * term.slope;
      }
    gradient = map_gradient(at, slopes);
    return out;
  };
  std::vector<double> gradient;
  double loss = expected_loss(y, gradient);
  CHECK(close(loss, reference::kMapStepStart, kPrinted));
  CHECK(all_close(gradient, reference::kMapStepGradient, kPrinted));
  double length = 0.01;
  for (int step = 0; step < 200'000 && largest_entry(gradient) > 1e-8; ++step) {
    std::vector<double> next = y, next_gradient;
    for (std::size_t i = 0; i < y.size(); ++i) next[i] -= length * gradient[i];
    const double next_loss = expected_loss(next, next_gradient);
    length *= next_loss <= loss ? 1.1 : 0.5;
    if (next_loss > loss) continue;
    y = next;
    loss = next_loss;
    gradient = next_gradient;
  }
  CHECK(close(loss, reference::kMapStepEnd, {1e-5, 0}));
  const Values end = values_of(instance(y), rates, log_sharpness, y);
  CHECK(close(end.log_likelihood, reference::kLogLikelihoodAfterMap, {1e-5, 0}));
  CHECK(close(end.objective, reference::kObjectiveAfterMap, {1e-5, 0}));
}

/// `count` answers: some guessed, the others by a logistic function of their margins.
std::vector<double> answered(std::size_t count, double guesses, double sharpness, Rng& rng) {
  std::vector<double> out;
  while (out.size() < count) {
    const double size = std::abs(3 * rng.normal());
    const double right = rng.uniform01() < guesses ? 0.5 : 1 / (1 + std::exp(-sharpness * size));
    out.push_back(rng.uniform01() < right ? size : -size);
  }
  return out;
}

TEST_CASE("the mode is where expectation maximisation ends, and no neighbour is better") {
  for (const bool sharpness : {false, true})
    for (const double guesses : {0.0, 0.1, 0.5, 1.0})
      for (const std::size_t count : {1, 7, 60, 500}) {
        CAPTURE(sharpness);
        CAPTURE(guesses);
        CAPTURE(count);
        Rng rng = Rng::stream(kSeed, "mode", static_cast<std::uint64_t>(count));
        AnnotatorPrior prior = kPrior;
        prior.sharpness = sharpness;
        const std::vector<double> margins = answered(count, guesses, 0.8, rng);
        std::vector<double> weights;
        for (std::size_t t = 0; t < count; ++t) weights.push_back(2 * rng.uniform01());
        const AnsweredMargins answers{margins, weights};
        const Reliability mode = most_likely(answers, prior);
        CHECK(mode.guess_rate >= kLeastRate);
        CHECK(mode.guess_rate <= 1 - kLeastRate);
        if (!sharpness) CHECK(mode.log_sharpness == 0);
        Reliability at{0.2, sharpness ? -prior.s * prior.s / 2 : 0};
        for (int step = 0; step < 20'000; ++step) {
          const double rate = updated_rate(answers, at, prior);
          if (sharpness && step % 10 == 0) at.log_sharpness = updated_sharpness(answers, at, prior);
          at.guess_rate = std::clamp(rate, kLeastRate, 1 - kLeastRate);
        }
        const double best = negative_log_posterior(answers, mode, prior);
        CHECK(std::abs(mode.guess_rate - at.guess_rate) < 2e-3);
        CHECK(best <= negative_log_posterior(answers, at, prior) + 1e-9);
        for (const double step : {-1e-3, 1e-3}) {
          const double rate = std::clamp(mode.guess_rate + step, kLeastRate, 1 - kLeastRate);
          CHECK(best <= negative_log_posterior(answers, {rate, mode.log_sharpness}, prior));
          if (sharpness)
            CHECK(best <= negative_log_posterior(answers, {mode.guess_rate, mode.log_sharpness + step}, prior));
        }
        const PosteriorSlopes d = posterior_slopes(answers, mode, prior, Curvature::exact);
        const bool inside = mode.guess_rate > kLeastRate && mode.guess_rate < 1 - kLeastRate;
        if (inside) CHECK(std::abs(d.rate) < 1e-8 * d.rate_rate);
        if (sharpness) CHECK(std::abs(d.log_sharpness) < 1e-7 * d.sharpness_sharpness);
      }
}

TEST_CASE("the exact curvature is the derivative of the gradient") {
  Rng rng(kSeed);
  const std::vector<double> margins = answered(50, 0.3, 1.2, rng);
  const AnsweredMargins answers{margins, {}};
  constexpr double kStep = 1e-5;
  for (const auto& [g, l] : {std::pair{0.05, 0.2}, {0.4, -0.3}, {0.9, 0.1}}) {
    const PosteriorSlopes d = posterior_slopes(answers, {g, l}, kPrior, Curvature::exact);
    const auto around = [&](double dg, double dl) {
      return posterior_slopes(answers, {g + dg, l + dl}, kPrior, Curvature::exact);
    };
    CHECK(d.rate_rate == doctest::Approx((around(kStep, 0).rate - around(-kStep, 0).rate) / (2 * kStep)).epsilon(1e-5));
    CHECK(d.rate_sharpness ==
          doctest::Approx((around(0, kStep).rate - around(0, -kStep).rate) / (2 * kStep)).epsilon(1e-5));
    CHECK(d.sharpness_sharpness ==
          doctest::Approx((around(0, kStep).log_sharpness - around(0, -kStep).log_sharpness) / (2 * kStep))
              .epsilon(1e-5));
  }
}

TEST_CASE("extreme margins and pure guessing stay finite") {
  for (const bool sharpness : {false, true}) {
    AnnotatorPrior prior = kPrior;
    prior.sharpness = sharpness;
    const std::vector<double> right(50, 1e300), wrong(50, -1e300), none(50, 0.0);
    CHECK(most_likely({right, {}}, prior).guess_rate == kLeastRate);
    const Reliability lost = most_likely({wrong, {}}, prior);
    CHECK(lost.guess_rate > 0.95);
    CHECK(std::isfinite(negative_log_posterior({wrong, {}}, lost, prior)));
    CHECK(most_likely({none, {}}, prior).guess_rate == kLeastRate);  // the prior alone speaks
    CHECK(rate_error({none, {}}, most_likely({none, {}}, prior), prior) > 0.5);
    CHECK(most_likely({}, prior).guess_rate == kLeastRate);
  }
  CHECK(margin_term(-1e6, {0, 0}).value == 1e6);
  CHECK(margin_term(-1e6, {0, 0}).slope == -1);
}

}  // namespace
}  // namespace annotator_likelihood_test
