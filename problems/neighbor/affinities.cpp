#include "problems/neighbor/affinities.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/vector_math.hpp"
#include "problems/core/wide_call.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::neighbor {
namespace {

constexpr double kEntropyTolerance = 1e-10;
constexpr double kCappedExcess = 1e-6;  // nats above the entropy of the equally near alone
constexpr int kMostSteps = 200;
constexpr int kLargestExponent = 1000;  // of a unit whose quotients are finite

/// Sums over a row of w = exp(-beta D), D w and D^2 w, D counted from the nearest.
struct Moments {
  double weight = 0, first = 0, second = 0;
};

template <int bytes>
[[gnu::always_inline]] inline Moments moments_in_lanes(std::span<const double> d, double beta) {
  using V = Vec<double, bytes>;
  V weight{}, first{}, second{};
  const std::size_t whole = d.size() / kLanes<V> * kLanes<V>;
  for (std::size_t j = 0; j < whole; j += kLanes<V>) {
    const V x = load<V>(d.data() + j);
    const V w = exp_of_nonpositive(V(-beta * x));
    weight += w;
    first += w * x;
    second += w * x * x;
  }
  Moments out{sum_lanes(weight), sum_lanes(first), sum_lanes(second)};
  for (std::size_t j = whole; j < d.size(); ++j) {
    const double w = exp_of_nonpositive(-beta * d[j]);
    out.weight += w;
    out.first += w * d[j];
    out.second += w * d[j] * d[j];
  }
  return out;
}

Moments moments(std::span<const double> d, double beta) {
  return call_in_lanes(
      best_instruction_set(), [&](auto bytes)
                                  __attribute__((always_inline)) { return moments_in_lanes<bytes>(d, beta); });
}

/// The D of the others of a row, minus the least of them.
struct Others {
  std::vector<double> from_nearest;
  double nearest = 0;
};
Others others_of(std::span<const double> squared, Index self) {
  Others out;
  out.from_nearest.reserve(squared.size());
  for (std::size_t j = 0; j < squared.size(); ++j)
    if (static_cast<Index>(j) != self) out.from_nearest.push_back(squared[j]);
  out.nearest = *std::ranges::min_element(out.from_nearest);
  for (double& d : out.from_nearest) d -= out.nearest;
  return out;
}

RowAffinity affinity(const Others& others, double beta, const Moments& m) {
  const double log_weight = std::log(m.weight);
  return {beta, log_weight - beta * others.nearest, log_weight + beta * m.first / m.weight, false};
}

}  // namespace

RowAffinity affinity_at(std::span<const double> squared, Index self, double beta) {
  const Others others = others_of(squared, self);
  return affinity(others, beta, moments(others.from_nearest, beta));
}

RowAffinity calibrate(std::span<const double> squared, Index self, double perplexity) {
  Others others = others_of(squared, self);
  std::vector<double>& d = others.from_nearest;
  const double count = static_cast<double>(d.size());
  double sum = 0;
  for (const double x : d) sum += x;
  if (!(sum > 0)) {  // all equally near
    const double beta = others.nearest > 0 ? 1 / others.nearest : 0;
    RowAffinity out = affinity(others, beta, {count, 0, 0});
    out.capped = true;
    return out;
  }
  // In a unit that is a power of two, so that rows in other such units have the same bits.
  const double unit = std::scalbn(1.0, std::clamp(std::ilogb(sum / count), -kLargestExponent, kLargestExponent));
  for (double& x : d) x /= unit;
  others.nearest /= unit;
  double target = std::log(perplexity);
  const double least = std::log(static_cast<double>(std::ranges::count(d, 0.0)));
  const bool capped = least + kCappedExcess > target;
  // If all but one are tied, no more entropy than this is possible.
  if (capped) target = std::min(least + kCappedExcess, 0.5 * (least + std::log(count)));
  // Entropy falls as beta rises, from ln(count) to `least`.
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  double log_beta = std::log(count / (sum / unit));
  RowAffinity out;
  for (int step = 0; step < kMostSteps; ++step) {
    const double beta = std::exp(log_beta);
    const Moments m = moments(d, beta);
    out = affinity(others, beta, m);
    const double excess = out.entropy - target;
    if (std::abs(excess) <= kEntropyTolerance) break;
    (excess > 0 ? low : high) = log_beta;
    const double mean = m.first / m.weight;
    const double slope = -beta * beta * (m.second / m.weight - mean * mean);  // of entropy by ln beta
    double next = log_beta - excess / slope;
    const double reach = 3;  // limits Newton steps where the entropy is flat
    if (!(next > log_beta - reach && next < log_beta + reach)) next = log_beta + (excess > 0 ? reach : -reach);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == log_beta) break;  // neighbouring numbers: rounding decides
    log_beta = next;
  }
  out.beta /= unit;
  out.capped = capped;
  return out;
}

void require_perplexity(double perplexity, Index n) {
  require<ConfigError>(perplexity > 1 && perplexity < static_cast<double>(n - 1),
                       "The perplexity {} does not suit {} objects: it counts neighbours, so it "
                       "must be above 1 and below {}. Set the option perplexity lower, or give "
                       "more objects.",
                       perplexity, n, n - 1);
}

double largest_usual_perplexity(Index n) {
  constexpr double kLeastPerplexity = 1.5;
  return std::max(static_cast<double>(n - 1) / 3, kLeastPerplexity);
}

std::string lowered_perplexity_note(double requested, double lowered) {
  return fmt::format("Perplexity lowered from {} to {:.4g}, a third of the other objects.", requested, lowered);
}

Affinities affinities(const DissimilarityRows& rows, double perplexity, Executor& executor) {
  const Index n = rows.size();
  require_perplexity(perplexity, n);
  Affinities out{Vector(n), Vector(n), 0};
  std::atomic<Index> capped = 0;
  rows.for_each(executor, [&](Index i, std::span<const double> row) {
    const RowAffinity affinity = calibrate(row, i, perplexity);
    out.beta[i] = affinity.beta;
    out.log_normalizer[i] = affinity.log_normalizer;
    if (affinity.capped) ++capped;
  });
  out.capped = capped;
  return out;
}

}  // namespace alidade::neighbor
