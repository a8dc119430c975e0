// Cost of t-SNE's repulsion in one map of a hundred normal clusters: by the tree (theta = 0.3) and by a grid, on one
// thread. Arguments: objects, side of the map. Counters force_error (root of the sum of squares) and sum_error are
// relative to all pairs, up to 100,000 objects.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/random.hpp"
#include "problems/neighbor/grid_repulsion.hpp"
#include "problems/neighbor/space_tree.hpp"

namespace {

using namespace alidade;
using namespace alidade::neighbor;

struct Sums {
  std::vector<double> force;
  double total = 0;
};

std::vector<float> clusters(const benchmark::State& state) {
  const auto side = static_cast<double>(state.range(1));
  Rng rng(7);
  std::vector<double> centers(200);
  for (double& place : centers) place = rng.uniform(0, side);
  std::vector<float> out;
  for (Index i = 0; i < state.range(0); ++i) {
    const std::size_t cluster = rng.below(100);
    const double width = side * (0.01 + 0.005 * static_cast<double>(cluster % 11));
    for (std::size_t c = 0; c < 2; ++c)
      out.push_back(static_cast<float>(centers[2 * cluster + c] + width * rng.normal()));
  }
  return out;
}

Sums of_all_pairs(const std::vector<float>& y) {
  const std::size_t n = y.size() / 2, stride = whole_vectors(n);
  std::vector<float> columns(3 * stride, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < 2; ++c) columns[c * stride + i] = y[2 * i + c];
    columns[2 * stride + i] = 1;
  }
  Sums out{std::vector<double>(y.size())};
  out.total = student_sums<float>(true, y, 2, 1, {columns.data(), stride, columns.data() + 2 * stride, stride},
                                  {out.force.data()});
  return out;
}

Sums by_tree(const std::vector<float>& y) {
  Sums out{std::vector<double>(y.size())};
  const SpaceTree<float> tree(y, 2);
  SpaceTree<float>::Interactions list;
  std::vector<double> ordered(y.size());
  for (const auto& bucket : tree.buckets()) {
    tree.interactions(bucket, 0.3, list);
    out.total +=
        student_sums<float>(true, tree.ordered_points().subspan(2 * bucket.begin, 2 * (bucket.end - bucket.begin)), 2,
                            1, list.sources(2), {ordered.data() + 2 * bucket.begin});
  }
  for (std::size_t k = 0; k < tree.order().size(); ++k)
    for (std::size_t c = 0; c < 2; ++c) out.force[2 * tree.order()[k] + c] = ordered[2 * k + c];
  return out;
}

template <class Make>
void measure(benchmark::State& state, const Make& make) {
  const std::vector<float> y = clusters(state);
  Sums sums;
  for (auto _ : state) sums = make(y);
  if (state.range(0) > 100'000) return;
  const Sums exact = of_all_pairs(y);
  double error = 0, size = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    error += std::pow(sums.force[k] - exact.force[k], 2);
    size += std::pow(exact.force[k], 2);
  }
  state.counters["force_error"] = std::sqrt(error / size);
  state.counters["sum_error"] = std::abs(sums.total / exact.total - 1);
}

void tree(benchmark::State& state) { measure(state, by_tree); }
void grid(benchmark::State& state) {
  GridRepulsion<float> kept;
  Executor executor;
  measure(state, [&](const std::vector<float>& y) {
    Sums out{std::vector<double>(y.size())};
    out.total = kept.sums(y, 1, 1 << 24, out.force.data(), executor).value_or(0);
    return out;
  });
}

#define SIZES                  \
  ArgNames({"n", "side"})      \
      ->Args({10'000, 40})     \
      ->Args({100'000, 110})   \
      ->Args({1'000'000, 250}) \
      ->Unit(benchmark::kMillisecond)
BENCHMARK(tree)->SIZES;
BENCHMARK(grid)->SIZES;

}  // namespace

BENCHMARK_MAIN();
