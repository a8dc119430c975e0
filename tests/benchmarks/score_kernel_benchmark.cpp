// Cost of SCORE's full-batch value and gradient: the kernel over class blocks beside a plain loop over stored triplets,
// two exponentials each. Arguments: objects, aspects of two to four classes, whether delta is estimated, threads.
// Counter per_triplet is processor time for one thread, wall time for more.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "problems/catalog.hpp"
#include "problems/faces/smooth.hpp"
#include "tests/support/observation_makers.hpp"

namespace {

using namespace alidade;

Observations table_of(Index n, Index aspects) {
  Rng rng = Rng::stream(1, "score_kernel", n, aspects);
  return testing::attribute_observations(n, aspects, rng);
}

void full_batch(benchmark::State& state, bool stored) {
  Observations observations = table_of(state.range(0), state.range(1));
  if (stored) observations.triplets = std::make_shared<TripletList>(TripletList::copy_of(*observations.triplets));
  ValueTable options;
  options.set("delta_mode", state.range(2) != 0 ? "gradient" : "fixed");
  const Problem problem = problem_catalog().at("score").make(observations, options);
  Rng rng(2);
  const Solution start = problem.start(rng);
  const Point& x = std::get<Point>(start);
  Point gradient = problem.domain()->zero();
  Executor executor(static_cast<int>(state.range(3)));
  Evaluation evaluation(executor);
  for (auto _ : state) benchmark::DoNotOptimize(problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation));
  const auto triplets = static_cast<double>(observations.triplets->size());
  state.counters["per_triplet"] =
      benchmark::Counter(triplets, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["triplets"] = triplets;
}

void add(const std::string& name, bool stored) {
  for (const int estimated : {0, 1})
    for (const int threads : {1, 2})
      for (const int n : {50, 100, 230}) {
        auto* made = benchmark::RegisterBenchmark((name + (estimated ? "/estimated" : "/fixed")).c_str(),
                                                  [stored](benchmark::State& state) { full_batch(state, stored); });
        made->Args({n, n == 230 ? 4 : 16, estimated, threads})->Unit(benchmark::kMillisecond);
        if (threads > 1) made->UseRealTime();
      }
}

}  // namespace

int main(int argc, char** argv) {
  add("class_blocks", false);
  add("plain_loop", true);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
