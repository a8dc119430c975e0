// Cost of SOE's and STE's value and gradient over all triplets of attribute tables, one evaluation an aspect as in
// models of many maps, on one thread: the class block kernel, which knows every loss, against the kernel of hinges of
// distances, its pairs taken each, sorted, or as it chooses. Arguments: objects, aspects, classes of each. The maps are
// random, so that about half the triplets are violated, or near: fitted, when most cost nothing.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "problems/core/random.hpp"
#include "problems/triplet_sums/class_block_kernel.hpp"
#include "problems/triplet_sums/whole_table_kernel.hpp"

namespace {

using namespace alidade;
using namespace alidade::triplet;

constexpr Index kDim = 2;

struct Case {
  std::vector<std::unique_ptr<AttributeTable>> tables;
  std::vector<AnchorBlocks> blocks;
  std::vector<std::vector<double>> maps;
  std::uint64_t triplets = 0;
};

Case make_case(Index n, int aspects, std::uint64_t classes, bool fitted) {
  Rng rng(7);
  Case out;
  for (int t = 0; t < aspects; ++t) {
    AttributeTable::Aspect column;
    for (std::uint64_t v = 0; v < classes; ++v) column.values.push_back(std::to_string(v));
    std::vector<double>& map = out.maps.emplace_back();
    for (Index i = 0; i < n; ++i) {
      const auto code = static_cast<std::int32_t>(rng.below(classes));
      column.codes.push_back(code);
      for (Index c = 0; c < kDim; ++c) map.push_back(rng.normal() + (fitted && c == 0 ? 5.0 * code : 0.0));
    }
    out.tables.push_back(std::make_unique<AttributeTable>(n, std::vector<AttributeTable::Aspect>{std::move(column)}));
    out.blocks.push_back(anchor_blocks(*out.tables.back()));
    out.triplets += out.tables.back()->size();
  }
  return out;
}

template <class Add>
void run(benchmark::State& state, bool fitted, const Add& add) {
  const Case data =
      make_case(state.range(0), static_cast<int>(state.range(1)), static_cast<std::uint64_t>(state.range(2)), fitted);
  std::vector<double> gradient(data.maps.front().size());
  double value = 0;
  for (auto _ : state) {
    for (std::size_t t = 0; t < data.tables.size(); ++t) {
      std::fill(gradient.begin(), gradient.end(), 0.0);
      value += add(*data.tables[t], data.blocks[t].blocks, data.maps[t], std::span<double>(gradient));
    }
    benchmark::DoNotOptimize(value);
    benchmark::DoNotOptimize(gradient.data());
  }
  state.counters["triplets_per_second"] = benchmark::Counter(
      static_cast<double>(data.triplets) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void class_blocks(benchmark::State& state, bool fitted) {
  ClassBlockWorkspace work;
  run(state, fitted,
      [&](const AttributeTable& table, std::span<const AnchorBlock> blocks, std::span<const double> y,
          std::span<double> gradient) {
        return add_class_blocks(SoeLoss{0.1}, TableSelection{&table, {}}, blocks, y, kDim, gradient, work);
      });
}

void ste_class_blocks(benchmark::State& state) {
  ClassBlockWorkspace work;
  run(state, false,
      [&](const AttributeTable& table, std::span<const AnchorBlock> blocks, std::span<const double> y,
          std::span<double> gradient) {
        return add_class_blocks(SteLoss{}, TableSelection{&table, {}}, blocks, y, kDim, gradient, work);
      });
}

void ste_logistic_pairs(benchmark::State& state) {
  WholeTableWorkspace work;
  run(state, false,
      [&](const AttributeTable& table, std::span<const AnchorBlock> blocks, std::span<const double> y,
          std::span<double> gradient) { return add_logistic_pairs(table, blocks, y, kDim, gradient, work); });
}

void distance_hinges(benchmark::State& state, bool fitted, HingePairs pairs) {
  WholeTableWorkspace work;
  run(state, fitted,
      [&](const AttributeTable& table, std::span<const AnchorBlock> blocks, std::span<const double> y,
          std::span<double> gradient) {
        return add_distance_hinges(0.1, table, blocks, y, kDim, gradient, work, pairs);
      });
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Unit(benchmark::kMillisecond)
      ->Args({50, 17, 2})
      ->Args({101, 17, 2})
      ->Args({116, 16, 2})
      ->Args({232, 16, 2})
      ->Args({500, 4, 2})
      ->Args({1000, 2, 2})
      ->Args({1000, 2, 10});
}

}  // namespace

BENCHMARK_CAPTURE(class_blocks, random, false)->Apply(sizes);
BENCHMARK_CAPTURE(distance_hinges, random_automatic, false, HingePairs::automatic)->Apply(sizes);
BENCHMARK_CAPTURE(distance_hinges, random_each, false, HingePairs::each)->Apply(sizes);
BENCHMARK_CAPTURE(distance_hinges, random_sorted, false, HingePairs::sorted)->Apply(sizes);
BENCHMARK_CAPTURE(class_blocks, fitted, true)->Apply(sizes);
BENCHMARK_CAPTURE(distance_hinges, fitted_automatic, true, HingePairs::automatic)->Apply(sizes);

BENCHMARK(ste_class_blocks)->Apply(sizes);
BENCHMARK(ste_logistic_pairs)->Apply(sizes);

BENCHMARK_MAIN();
