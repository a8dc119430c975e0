// Time of one stochastic step on one triplet (batch 1), d = 2: through the face that solvers use, beside a loop
// written plainly for this one loss and rule. Argument: objects; triplets are 2 d n ln n, in random order.
// SCORE beside them draws triplets of an attribute table, none stored, and moves three objects, a normal and, unless it
// is fixed, delta; drawing is part of its step. Aim: 100 ns a step, 125 ns for SCORE. The counter is CPU time over the
// steps of whole epochs; one thread.
#include <benchmark/benchmark.h>

#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "problems/catalog.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/triplet_sums/triplet_loss.hpp"
#include "tests/support/observation_makers.hpp"

namespace {

using namespace alidade;

constexpr Index kDim = 2;
constexpr double kRate = 0.05;
constexpr double kMomentum = 0.9;
constexpr std::size_t kTermsPerRun = 1024;  // as riemannian_sgd hands them over

struct Data {
  Observations observations;
  std::vector<TermIndex> order;
};

const Data& data(Index n) {
  static std::map<Index, Data> made;
  const auto entry = made.find(n);
  if (entry != made.end()) return entry->second;
  Rng rng = Rng::stream(1, "sgd_step", n);
  Data out{testing::gaussian_observations(n, kDim, rng), {}};
  out.order.resize(out.observations.triplets->size());
  std::iota(out.order.begin(), out.order.end(), TermIndex{0});
  rng.shuffle(std::span(out.order));
  return made.emplace(n, std::move(out)).first->second;
}

void report(benchmark::State& state, std::size_t steps) {
  state.counters["per_step"] = benchmark::Counter(
      static_cast<double>(steps), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void through_face(benchmark::State& state, const char* name, const ValueTable& options, RowRule::Kind kind) {
  const Data& d = data(state.range(0));
  const Problem problem = problem_catalog().at(name).make(d.observations, options);
  Rng rng(2);
  Point x = problem.domain()->random(rng);
  RowUpdate update(*problem.domain(), {.kind = kind, .momentum = kMomentum});
  update.set_learning_rate(kRate);
  RunScratch scratch(*problem.domain());
  const std::span<const TermIndex> order = d.order;
  for (auto _ : state) {
    double sum = 0;
    for (std::size_t begin = 0; begin < order.size(); begin += kTermsPerRun)
      sum += problem.face<FiniteSumFace>().run(x, order.subspan(begin, std::min(kTermsPerRun, order.size() - begin)), 1,
                                               1, update, scratch);
    benchmark::DoNotOptimize(sum);
  }
  report(state, d.order.size());
}

/// What somebody would write for exactly this loss in the plane.
template <class Loss, bool kWithMomentum>
void by_hand(benchmark::State& state, Loss loss) {
  struct Ids {
    ObjectId anchor, near, far;
  };
  const Data& d = data(state.range(0));
  std::vector<Ids> triplets;
  for (std::uint64_t i = 0; i < d.observations.triplets->size(); ++i) {
    const Triplet t = d.observations.triplets->at(i);
    triplets.push_back({t.anchor, t.near, t.far});
  }
  Rng rng(2);
  std::vector<double> x(static_cast<std::size_t>(state.range(0) * kDim)), velocity(x.size(), 0.0);
  for (double& entry : x) entry = rng.normal();
  std::vector<std::uint64_t> last(static_cast<std::size_t>(state.range(0)), 0);
  std::vector<double> powers;
  for (double power = 1; power > 1e-300; power *= kMomentum) powers.push_back(power);
  std::uint64_t step = 0;
  const auto move = [&](ObjectId i, double g0, double g1) {
    double* row = x.data() + 2 * static_cast<std::size_t>(i);
    if constexpr (kWithMomentum) {
      double* v = velocity.data() + 2 * static_cast<std::size_t>(i);
      const std::uint64_t skipped = step - last[i];
      last[i] = step;
      const double kept = skipped < powers.size() ? powers[skipped] : 0.0;
      row[0] += v[0] = kept * v[0] - kRate * g0;
      row[1] += v[1] = kept * v[1] - kRate * g1;
    } else {
      row[0] -= kRate * g0;
      row[1] -= kRate * g1;
    }
  };
  for (auto _ : state) {
    double sum = 0;
    for (const TermIndex t : d.order) {
      const auto [i, j, k] = triplets[t];
      const double* yi = x.data() + 2 * static_cast<std::size_t>(i);
      const double* yj = x.data() + 2 * static_cast<std::size_t>(j);
      const double* yk = x.data() + 2 * static_cast<std::size_t>(k);
      const double n0 = yi[0] - yj[0], n1 = yi[1] - yj[1], f0 = yi[0] - yk[0], f1 = yi[1] - yk[1];
      const triplet::LossTerm<double> term = triplet::term_of(loss, n0 * n0 + n1 * n1, f0 * f0 + f1 * f1);
      sum += term.value;
      const double near = 2 * term.d_near, far = 2 * term.d_far;
      ++step;
      move(i, near * n0 + far * f0, near * n1 + far * f1);
      move(j, -near * n0, -near * n1);
      move(k, -far * f0, -far * f1);
    }
    benchmark::DoNotOptimize(sum);
  }
  report(state, d.order.size());
}

/// Arguments: objects, aspects.
void score_steps(benchmark::State& state, const char* delta_mode) {
  Rng make = Rng::stream(1, "score_step", state.range(0));
  const Observations observations = testing::attribute_observations(state.range(0), state.range(1), make);
  ValueTable options;
  options.set("delta_mode", delta_mode);
  const Problem problem = problem_catalog().at("score").make(observations, options);
  Rng rng(2);
  Point x = std::get<Point>(problem.start(rng));
  RowUpdate update(*problem.domain(), {.kind = RowRule::Kind::plain});
  update.set_learning_rate(0.02);
  RunScratch scratch(*problem.domain());
  constexpr std::size_t kRuns = 100;
  std::vector<TermIndex> terms(kTermsPerRun);
  for (auto _ : state) {
    double sum = 0;
    for (std::size_t r = 0; r < kRuns; ++r) {
      for (TermIndex& t : terms) t = rng.below(observations.triplets->size());
      sum += problem.face<FiniteSumFace>().run(x, terms, 1, 1, update, scratch);
    }
    benchmark::DoNotOptimize(sum);
  }
  report(state, kRuns * kTermsPerRun);
}

template <class Loss>
void add(const std::string& title, const char* name, const ValueTable& options, Loss loss) {
  const auto sizes = [](benchmark::internal::Benchmark* b) {
    b->Unit(benchmark::kMillisecond)->Arg(1000)->Arg(50'000);
  };
  for (const auto& [rule, kind] : {std::pair{"plain", RowRule::Kind::plain}, {"momentum", RowRule::Kind::momentum}})
    sizes(benchmark::RegisterBenchmark(("face/" + title + "/" + rule).c_str(), [=, k = kind](benchmark::State& state) {
      through_face(state, name, options, k);
    }));
  sizes(benchmark::RegisterBenchmark(("hand/" + title + "/plain").c_str(),
                                     [=](benchmark::State& state) { by_hand<Loss, false>(state, loss); }));
  sizes(benchmark::RegisterBenchmark(("hand/" + title + "/momentum").c_str(),
                                     [=](benchmark::State& state) { by_hand<Loss, true>(state, loss); }));
}

}  // namespace

int main(int argc, char** argv) {
  ValueTable none, ete;
  none.set("lambda0", 0.0);
  none.set("lambda", 0.0);  // the loops by hand have no regulariser
  ete.set("lambda0", 0.0);
  ete.set("t", 2);
  ete.set("t_prime", 2);
  add("ete(2,2)", "ete", ete, triplet::EteLoss{2, 2});
  add("ste", "ste", none, triplet::SteLoss{});
  add("tste(1)", "tste", none, triplet::TSteLoss{1});
  for (const char* mode : {"fixed", "gradient", "algorithm_1"})
    benchmark::RegisterBenchmark(("face/score/" + std::string(mode)).c_str(),
                                 [mode](benchmark::State& state) { score_steps(state, mode); })
        ->Unit(benchmark::kMillisecond)
        ->Args({101, 17})
        ->Args({232, 16});
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
