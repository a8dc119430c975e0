// Cost of objective and gradient over product blocks, two dimensions: three plain loops against the block kernel.
// Arguments: objects, inliers, outliers, threads. Counter triplets_per_second is by processor time for one thread, by
// wall time for more; it includes clearing the gradients and adding up those of the chunks.
// Inliers are close in number, as after sorting by neighbourhood; outliers are drawn uniformly.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/random.hpp"
#include "problems/triplet/product_block_kernel.hpp"

namespace {

using namespace alidade;
using namespace alidade::triplet;

constexpr Index kDim = 2;

struct Case {
  ProductBlocks blocks;
  std::vector<double> y;
};

Case make_case(Index n, std::size_t m, std::size_t o) {
  Rng rng(7);
  Case out;
  ProductBlocks& b = out.blocks;
  b.object_count = n;
  b.inliers = m;
  b.outliers = o;
  b.places = (o + ProductBlocks::kMultiple - 1) / ProductBlocks::kMultiple * ProductBlocks::kMultiple;
  const auto objects = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < objects; ++i) {
    for (std::size_t j = 0; j < m; ++j) b.inlier_ids.push_back(static_cast<ObjectId>((i + j + 1) % objects));
    for (std::size_t k = 0; k < b.places; ++k)
      b.outlier_ids.push_back(k < o ? static_cast<ObjectId>((i + m + 1 + rng.below(objects - m - 1)) % objects)
                                    : b.outlier_ids.back());
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t k = 0; k < b.places; ++k)
        b.weights.push_back(k < o ? static_cast<float>(rng.uniform(0, 2)) : 0.0F);
  }
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < kDim; ++c)
      out.y.push_back(rng.normal() + (c == 0 ? 100.0 * static_cast<double>(i) / static_cast<double>(n) : 0));
  return out;
}

const Case& cached_case(Index n, std::size_t m, std::size_t o) {
  static Case last;
  if (last.blocks.object_count != n || last.blocks.inliers != m || last.blocks.outliers != o) last = make_case(n, m, o);
  return last;
}

const Case& case_of(const benchmark::State& state) {
  return cached_case(state.range(0), static_cast<std::size_t>(state.range(1)),
                     static_cast<std::size_t>(state.range(2)));
}

void report(benchmark::State& state, const ProductBlocks& blocks) {
  state.counters["triplets_per_second"] =
      benchmark::Counter(static_cast<double>(blocks.triplet_count()), benchmark::Counter::kIsIterationInvariantRate);
}

template <class Real>
void plain(benchmark::State& state, EteLoss loss) {
  const Case& data = case_of(state);
  const std::vector<Real> y(data.y.begin(), data.y.end());
  std::vector<Real> gradient(y.size());
  for (auto _ : state) {
    std::ranges::fill(gradient, Real(0));
    benchmark::DoNotOptimize(
        add_product_blocks_plainly<Real>(loss, data.blocks, 0, data.blocks.object_count, y, kDim, gradient));
    benchmark::ClobberMemory();
  }
  report(state, data.blocks);
}

template <class Real>
void blocks(benchmark::State& state, EteLoss loss) {
  const Case& data = case_of(state);
  const std::vector<Real> y(data.y.begin(), data.y.end());
  constexpr Index kChunks = 8;
  std::vector<std::vector<Real>> gradients(kChunks, std::vector<Real>(y.size()));
  std::vector<ProductBlockWorkspace<Real>> work(kChunks);
  Executor executor(static_cast<int>(state.range(3)));
  const Index n = data.blocks.object_count;
  for (auto _ : state) {
    executor.run(kChunks, [&](Index chunk) {
      const auto c = static_cast<std::size_t>(chunk);
      std::ranges::fill(gradients[c], Real(0));
      benchmark::DoNotOptimize(add_product_blocks<Real>(loss, data.blocks, n * chunk / kChunks,
                                                        n * (chunk + 1) / kChunks, y, kDim, gradients[c], work[c]));
    });
    for (std::size_t c = 1; c < kChunks; ++c)
      for (std::size_t k = 0; k < y.size(); ++k) gradients[0][k] += gradients[c][k];
    benchmark::ClobberMemory();
  }
  report(state, data.blocks);
}

template <class Real>
void add(const std::string& name, EteLoss loss) {
  for (const auto& [m, o] : {std::pair{10, 16}, {20, 32}, {32, 32}}) {
    benchmark::RegisterBenchmark(("plain/" + name).c_str(), [=](benchmark::State& s) { plain<Real>(s, loss); })
        ->Unit(benchmark::kMicrosecond)
        ->Args({2000, m, o, 1});
    for (const int threads : {1, 2}) {
      auto* one =
          benchmark::RegisterBenchmark(("blocks/" + name).c_str(), [=](benchmark::State& s) { blocks<Real>(s, loss); });
      one->Unit(benchmark::kMicrosecond)->Args({2000, m, o, threads});
      if (threads > 1) one->UseRealTime();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& [t, t_prime] : {std::pair{2.0, 2.0}, {1.0, 2.0}, {3.0, 2.0}, {2.0, 1.5}, {1.5, 1.5}, {1.5, 1.0}}) {
    const std::string name = describe(EteLoss{t, t_prime});
    add<float>(name + "/float", {t, t_prime});
    add<double>(name + "/double", {t, t_prime});
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
