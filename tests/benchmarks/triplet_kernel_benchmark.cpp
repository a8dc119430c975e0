// Cost of a full-batch objective and gradient per triplet: the plain loop against the grouped kernel.
// Arguments: objects, triplets, threads. Counter per_triplet is wall time per row of the input.
// Triplets are uniform: the anchor and two other objects drawn independently, so partners are hardly shared.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "problems/triplet/triplet_kernel.hpp"
#include "problems/triplet/triplet_kernel_naive.hpp"

namespace {

using namespace alidade;
using namespace alidade::triplet;

constexpr Index kDim = 2;

struct Case {
  Index n;
  std::vector<ObjectId> anchor, near, far;
  std::vector<double> y;
};

// Answers follow the map up to noise, as they do near the end of a fit.
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
  static Case last{};
  if (last.n != n || static_cast<Index>(last.anchor.size()) != count) last = make_case(n, count);
  return last;
}

void report(benchmark::State& state, Index triplets) {
  state.counters["per_triplet"] =
      benchmark::Counter(static_cast<double>(triplets),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class Loss, class Real>
void plain(benchmark::State& state, Loss loss) {
  const Case& data = cached_case(state.range(0), state.range(1));
  const std::vector<Real> y(data.y.begin(), data.y.end());
  std::vector<Real> gradient(y.size());
  for (auto _ : state) {
    std::ranges::fill(gradient, Real(0));
    benchmark::DoNotOptimize(naive::add_value_and_gradient<Loss, Real>(
        loss, {data.anchor, data.near, data.far, {}}, y, kDim, gradient));
    benchmark::ClobberMemory();
  }
  report(state, state.range(1));
}

// Threads take chunks in turn; each chunk has a private gradient, and they are summed in chunk order.
template <class Loss, class Real>
void grouped(benchmark::State& state, Loss loss) {
  const Case& data = cached_case(state.range(0), state.range(1));
  const int threads = static_cast<int>(state.range(2));
  const std::vector<Real> y(data.y.begin(), data.y.end());
  const AnchorGroups groups(data.anchor, data.near, data.far, {}, data.n);
  const auto chunks = groups.chunks();
  std::vector<std::vector<Real>> gradients(chunks.size(), std::vector<Real>(y.size()));
  std::vector<Workspace<Real>> workspaces(static_cast<std::size_t>(threads));
  for (auto _ : state) {
    const auto work = [&](int thread) {
      for (std::size_t c = static_cast<std::size_t>(thread); c < chunks.size();
           c += static_cast<std::size_t>(threads)) {
        std::ranges::fill(gradients[c], Real(0));
        benchmark::DoNotOptimize(
            add_value_and_gradient<Real>(loss, groups, chunks[c], y, kDim, gradients[c],
                                         workspaces[static_cast<std::size_t>(thread)]));
      }
    };
    {
      std::vector<std::jthread> others;
      for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
      work(0);
    }
    for (std::size_t c = 1; c < chunks.size(); ++c)
      for (std::size_t k = 0; k < y.size(); ++k) gradients[0][k] += gradients[c][k];
    benchmark::ClobberMemory();
  }
  report(state, state.range(1));
  state.counters["bytes_per_triplet"] =
      static_cast<double>(groups.memory_bytes()) / static_cast<double>(state.range(1));
}

constexpr std::int64_t kFew = 27'631;      // 2 d n ln n at n = 1000
constexpr std::int64_t kMany = 2'163'956;  // 2 d n ln n at n = 50,000

void sizes(benchmark::internal::Benchmark* b, bool with_threads) {
  b->Unit(benchmark::kMicrosecond)->UseRealTime();
  for (const auto& [n, count] : {std::pair{1000L, kFew}, {1000L, 100'000L}, {50'000L, kMany}}) {
    b->Args({n, count, 1});
    if (with_threads) b->Args({n, count, 2});
  }
}

const EteLoss kEte{2, 2};
const EteLoss kGeneralEte{1.5, 1.5};
const SteLoss kSte{};
const TSteLoss kTSte{1};
const TSteLoss kTSte4{4};


template <class Loss>
void add(const std::string& name, Loss loss) {
  const auto apply = [](benchmark::internal::Benchmark* b, bool threads) { sizes(b, threads); };
  apply(benchmark::RegisterBenchmark(("plain/" + name + "/double").c_str(),
                                     [=](benchmark::State& s) { plain<Loss, double>(s, loss); }),
        false);
  apply(benchmark::RegisterBenchmark(("grouped/" + name + "/double").c_str(),
                                     [=](benchmark::State& s) { grouped<Loss, double>(s, loss); }),
        true);
  apply(benchmark::RegisterBenchmark(("plain/" + name + "/float").c_str(),
                                     [=](benchmark::State& s) { plain<Loss, float>(s, loss); }),
        false);
  apply(benchmark::RegisterBenchmark(("grouped/" + name + "/float").c_str(),
                                     [=](benchmark::State& s) { grouped<Loss, float>(s, loss); }),
        true);
}

}  // namespace

int main(int argc, char** argv) {
  add("ete(2,2)", kEte);
  add("ste", kSte);
  add("tste(1)", kTSte);
  add("tste(4)", kTSte4);
  add("ete(1.5,1.5)", kGeneralEte);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
