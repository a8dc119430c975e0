// Cost and gradient of NeRV over all pairs, two dimensions: a plain loop in double beside the kernel in both
// precisions, and the split gradients. Arguments: objects, threads. Processor time for one thread, wall time for more.
// Objects are normal points in ten dimensions, neighbourhoods of perplexity 20, the map is their first two coordinates.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "problems/core/random.hpp"
#include "problems/neighbor/affinities.hpp"
#include "problems/neighbor/nerv_kernel.hpp"

namespace {

using namespace alidade;
using namespace alidade::neighbor;

constexpr double kLambda = 0.1;

struct Case {
  Matrix squared;  // n x n
  NervWidths widths;
  std::vector<double> y;
};

const Case& cached_case(Index n) {
  static Case last;
  if (last.squared.rows() == n) return last;
  Rng rng(7);
  Matrix X(n, 10);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < 10; ++c) X(i, c) = 0.25 * rng.normal();
  last.squared.resize(n, n);
  last.widths = {Vector(n), Vector(n)};
  last.y.clear();
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) last.squared(i, j) = (X.row(i) - X.row(j)).squaredNorm();
    const RowAffinity row = calibrate({last.squared.row(i).data(), static_cast<std::size_t>(n)}, i, 20);
    last.widths.beta[i] = row.beta;
    last.widths.log_normalizer[i] = row.log_normalizer;
    last.y.push_back(X(i, 0));
    last.y.push_back(X(i, 1));
  }
  return last;
}

/// Three exponentials a pair, as one would write it down.
double plain(const Case& c, std::vector<double>& gradient) {
  const Index n = c.squared.rows();
  gradient.assign(c.y.size(), 0);
  std::vector<double> q(static_cast<std::size_t>(n)), log_q(q), log_p(q);
  double cost = 0;
  for (Index i = 0; i < n; ++i) {
    const double beta = c.widths.beta[i];
    const double* yi = &c.y[static_cast<std::size_t>(2 * i)];
    double sum = 0, most = -1e300;
    for (Index j = 0; j < n; ++j) {
      const double dx = yi[0] - c.y[subscript(2 * j)], dy = yi[1] - c.y[subscript(2 * j + 1)];
      log_q[subscript(j)] = -beta * (dx * dx + dy * dy);
      if (j != i) most = std::max(most, log_q[subscript(j)]);
    }
    for (Index j = 0; j < n; ++j)
      if (j != i) sum += std::exp(log_q[subscript(j)] - most);
    const double log_sum = most + std::log(sum);
    double misses = 0, excess = 0;
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      log_q[subscript(j)] -= log_sum;
      log_p[subscript(j)] = -beta * c.squared(i, j) - c.widths.log_normalizer[i];
      q[subscript(j)] = std::exp(log_q[subscript(j)]);
      const double r = log_q[subscript(j)] - log_p[subscript(j)];
      misses -= std::exp(log_p[subscript(j)]) * r;
      excess += q[subscript(j)] * r;
    }
    cost += (kLambda * misses + (1 - kLambda) * excess) / static_cast<double>(n);
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      const double r = log_q[subscript(j)] - log_p[subscript(j)];
      const double w = 2 / static_cast<double>(n) * beta *
                       (kLambda * (std::exp(log_p[subscript(j)]) - q[subscript(j)]) +
                        (1 - kLambda) * q[subscript(j)] * (excess - r));
      for (Index k = 0; k < 2; ++k) {
        const double step = w * (yi[k] - c.y[subscript(2 * j + k)]);
        gradient[subscript(2 * i + k)] += step;
        gradient[subscript(2 * j + k)] -= step;
      }
    }
  }
  return cost;
}

void plain_loop(benchmark::State& state) {
  const Case& c = cached_case(state.range(0));
  std::vector<double> gradient;
  for (auto _ : state) benchmark::DoNotOptimize(plain(c, gradient));
}

template <class Real>
void kernel(benchmark::State& state) {
  const Case& c = cached_case(state.range(0));
  const NervDistances<Real> distances(c.squared.cast<Real>().eval(), 1);
  const auto workspace = nerv_workspace();
  Executor executor(static_cast<int>(state.range(1)));
  std::vector<double> gradient(c.y.size());
  for (auto _ : state)
    benchmark::DoNotOptimize(nerv_sums(distances, c.widths, kLambda, c.y, 2, gradient, nullptr, *workspace, executor));
}

template <NervSplit which>
void split(benchmark::State& state) {
  const Case& c = cached_case(state.range(0));
  const NervDistances<float> distances(c.squared.cast<float>().eval(), 1);
  const auto workspace = nerv_workspace();
  Executor executor(static_cast<int>(state.range(1)));
  std::vector<double> plus(c.y.size()), minus(plus), unit(plus);
  const NervSplitTarget target{which, 1, plus, minus, unit};
  for (auto _ : state)
    benchmark::DoNotOptimize(nerv_sums(distances, c.widths, kLambda, c.y, 2, {}, &target, *workspace, executor));
}

BENCHMARK(plain_loop)->Args({1000, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(kernel<double>)->Args({1000, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(kernel<float>)->Args({1000, 1})->Args({5000, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(kernel<float>)->Args({1000, 2})->Args({5000, 2})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(split<NervSplit::terms>)->Args({1000, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(split<NervSplit::netted_terms>)->Args({1000, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(split<NervSplit::orthant>)->Args({1000, 1})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
