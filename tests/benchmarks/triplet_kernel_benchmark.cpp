// Cost of a full-batch objective and gradient: the plain loop against the grouped kernel, two dimensions.
// Arguments: objects, triplets, threads. Counter per_triplet is processor time for one thread, wall time for more; it
// includes clearing the gradients and adding up those of the chunks.
// Anchor and partners are drawn uniformly: at n = 1000 and more partners are hardly shared, at n = 100 they are.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/triplet_sums/triplet_kernel.hpp"
#include "tests/support/triplet_kernel_naive.hpp"

namespace {

using namespace alidade;
using namespace alidade::triplet;

constexpr Index kDim = 2;

struct Case {
  Index n = 0;
  std::vector<ObjectId> anchor, near, far;
  std::vector<double> y;
};

/// Answers follow the map up to noise, as they do near the end of a fit. The order of triplets is random.
Case make_case(Index n, Index count) {
  Case out{n, {}, {}, {}, std::vector<double>(static_cast<std::size_t>(n * kDim))};
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (double& x : out.y) x = 3 * normal(random);
  std::uniform_int_distribution<ObjectId> object(0, static_cast<ObjectId>(n - 1));
  const auto distance = [&](ObjectId i, ObjectId j) {
    return std::hypot(out.y[2 * i] - out.y[2 * j], out.y[2 * i + 1] - out.y[2 * j + 1]);
  };
  while (static_cast<Index>(out.anchor.size()) < count) {
    const ObjectId i = object(random);
    ObjectId j = object(random);
    ObjectId k = object(random);
    if (i == j || i == k || j == k) continue;
    if (distance(i, j) > distance(i, k) + normal(random)) std::swap(j, k);
    out.anchor.push_back(i);
    out.near.push_back(j);
    out.far.push_back(k);
  }
  return out;
}

const Case& cached_case(Index n, Index count) {
  static Case last;
  if (last.n != n || static_cast<Index>(last.anchor.size()) != count) last = make_case(n, count);
  return last;
}

void report(benchmark::State& state, Index triplets) {
  state.counters["per_triplet"] = benchmark::Counter(
      static_cast<double>(triplets), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class Loss, class Real>
void plain(benchmark::State& state, Loss loss) {
  const Case& data = cached_case(state.range(0), state.range(1));
  const std::vector<Real> y(data.y.begin(), data.y.end());
  std::vector<Real> gradient(y.size());
  for (auto _ : state) {
    std::ranges::fill(gradient, Real(0));
    benchmark::DoNotOptimize(
        naive::add_value_and_gradient<Loss, Real>(loss, {data.anchor, data.near, data.far, {}}, y, kDim, gradient));
    benchmark::ClobberMemory();
  }
  report(state, state.range(1));
}

template <class Loss, class Real>
void grouped(benchmark::State& state, Loss loss) {
  const Case& data = cached_case(state.range(0), state.range(1));
  const std::vector<Real> y(data.y.begin(), data.y.end());
  const AnchorGroups groups(data.anchor, data.near, data.far, {}, data.n, kDim);
  const auto chunks = groups.chunks();
  std::vector<std::vector<Real>> gradients(chunks.size(), std::vector<Real>(y.size()));
  std::vector<Workspace<Real>> workspaces(chunks.size());
  std::vector<double> values(chunks.size());
  Executor executor(static_cast<int>(state.range(2)));
  for (auto _ : state) {
    executor.run(static_cast<Index>(chunks.size()), [&](Index chunk) {
      const auto c = static_cast<std::size_t>(chunk);
      std::ranges::fill(gradients[c], Real(0));
      values[c] = add_value_and_gradient<Real>(loss, groups, chunks[c], y, kDim, gradients[c], workspaces[c]);
    });
    for (std::size_t c = 1; c < chunks.size(); ++c)
      for (std::size_t k = 0; k < y.size(); ++k) gradients[0][k] += gradients[c][k];
    benchmark::ClobberMemory();
  }
  report(state, state.range(1));
  state.counters["chunks"] = static_cast<double>(chunks.size());
  state.counters["bytes_per_triplet"] =
      static_cast<double>(groups.memory_bytes()) / static_cast<double>(state.range(1));
}

template <class Loss, class Real>
void add(const std::string& loss_name, const std::string& real_name, Loss loss) {
  constexpr std::pair<Index, Index> kSizes[] = {{1000, 27'631},       // 2 d n ln n
                                                {1000, 100'000},      //
                                                {50'000, 2'163'956},  // 2 d n ln n
                                                {100, 250'320}};      // the shape of food-100
  const std::string name = "/" + loss_name + "/" + real_name;
  for (const auto& [n, count] : kSizes) {
    benchmark::RegisterBenchmark(("plain" + name).c_str(), [=](benchmark::State& s) { plain<Loss, Real>(s, loss); })
        ->Unit(benchmark::kMicrosecond)
        ->Args({n, count, 1});
    for (const int threads : {1, 2}) {
      auto* one = benchmark::RegisterBenchmark(("grouped" + name).c_str(),
                                               [=](benchmark::State& s) { grouped<Loss, Real>(s, loss); });
      one->Unit(benchmark::kMicrosecond)->Args({n, count, threads});
      if (threads > 1) one->UseRealTime();
    }
  }
}

template <class Loss>
void add(const std::string& name, Loss loss) {
  add<Loss, double>(name, "double", loss);
  add<Loss, float>(name, "float", loss);
}

}  // namespace

int main(int argc, char** argv) {
  add("ete(2,2)", EteLoss{2, 2});
  add("ste", SteLoss{});
  add("tste(1)", TSteLoss{1});
  add("tste(4)", TSteLoss{4});
  add("ete(1.5,1.5)", EteLoss{1.5, 1.5});
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
