// Time of whole fits: STE by L-BFGS from the small start until it has converged, on Gaussian points of the plane;
// through the kernels of the catalog's problem, and through the plain loop under the same solver, start and
// regulariser.
// Arguments: objects, triplets, threads. Counters: held_out_error of the map, iterations. Both hardly differ between
// the two, else they would not solve the same problem; wall time for two threads, processor time for one.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "problems/catalog.hpp"
#include "solvers/catalog.hpp"
#include "tests/benchmarks/own_problem.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/triplet_kernel_naive.hpp"

namespace {

using namespace alidade;
using namespace alidade::triplet;

constexpr Index kDim = 2;
constexpr double kLambda = 0.05;  // the default of ste
constexpr std::uint64_t kHeldOut = 20'000;

struct Data {
  Observations observations;
  TripletList held_out{0};
};

const Data& data(Index n, std::uint64_t count) {
  static std::map<std::pair<Index, std::uint64_t>, Data> made;
  const auto entry = made.find({n, count});
  if (entry != made.end()) return entry->second;
  Rng rng = Rng::stream(1, "fit", n);
  const Matrix points = testing::gaussian_points(n, kDim, rng);
  auto list = std::make_shared<TripletList>(testing::triplets_of(points, count, 0, rng));
  Data out{testing::observations_of(list), testing::triplets_of(points, kHeldOut, 0, rng)};
  return made.emplace(std::pair(n, count), std::move(out)).first->second;
}

/// The objective of STE by the loop that one would write first, in arithmetic of type Real.
template <class Real>
testing::OwnProblem plain_ste(const Observations& observations) {
  return {
      observations.object_count(), kDim,
      [](const Domain& domain, Rng& rng) {
        Point x = domain.random(rng);
        x.vector() *= 1e-4;
        return x;
      },
      [triplets = std::static_pointer_cast<const TripletList>(observations.triplets)](const Point& x, Point& gradient) {
        const std::vector<Real> y(x.flat().begin(), x.flat().end());
        std::vector<Real> slope(y.size(), Real(0));
        const double sum = naive::add_value_and_gradient<SteLoss, Real>(
            SteLoss{}, {triplets->anchors(), triplets->nears(), triplets->fars(), {}}, y, kDim, slope);
        std::ranges::copy(slope, gradient.flat().begin());
        gradient.vector() += 2 * kLambda * x.vector();
        return sum + kLambda * x.vector().squaredNorm();
      }};
}

void fit(benchmark::State& state, const Problem& problem, const Data& d) {
  ValueTable options;
  options.set("max_iter", 3000);
  const auto solver = solver_catalog().at("ceres").make(options);
  Executor executor(static_cast<int>(state.range(2)));
  Rng rng = Rng::stream(1, "init");
  const Solution start = problem.start(rng);
  Solution x = start;
  Summary summary;
  for (auto _ : state) {
    x = start;
    SolveContext context(executor);
    summary = solver->solve(problem, x, context);
  }
  if (summary.termination != Termination::converged) state.SkipWithError("did not converge");
  state.counters["held_out_error"] = testing::triplet_error(problem.decode(x).only(), d.held_out);
  state.counters["iterations"] = static_cast<double>(summary.counts.iterations);
}

template <class Real>
void plain(benchmark::State& state) {
  const Data& d = data(state.range(0), static_cast<std::uint64_t>(state.range(1)));
  fit(state, Problem("plain", plain_ste<Real>(d.observations)), d);
}

void catalog(benchmark::State& state, const std::string& precision) {
  const Data& d = data(state.range(0), static_cast<std::uint64_t>(state.range(1)));
  ValueTable options;
  options.set("precision", precision);
  fit(state, problem_catalog().at("ste").make(d.observations, options), d);
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& [n, count] : {std::pair{1000, 27'631}, {5000, 170'344}}) {
    for (const char* precision : {"double", "float"}) {
      const bool is_float = precision == std::string("float");
      benchmark::RegisterBenchmark((std::string("plain/") + precision).c_str(), is_float ? plain<float> : plain<double>)
          ->Unit(benchmark::kMillisecond)
          ->Args({n, count, 1});
      for (const int threads : {1, 2}) {
        auto* one = benchmark::RegisterBenchmark((std::string("alidade/") + precision).c_str(),
                                                 [=](benchmark::State& state) { catalog(state, precision); });
        one->Unit(benchmark::kMillisecond)->Args({n, count, threads});
        if (threads > 1) one->UseRealTime();
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
