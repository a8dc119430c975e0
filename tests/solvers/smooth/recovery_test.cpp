// Do the defaults find known maps? 60 Gaussian points of the plane, 2 d n ln n = 982 noise-free triplets, error on
// 5000 fresh ones, means over six seeds.
// STE gets .06 to .07; the heavy-tailed kernels of t-STE and ETE do not suit Gaussian points, whatever the solver:
// started at the truth and solved to the end, their own optimum is at .11 and .15. So a pair is judged against what
// its loss gives from the truth.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "problems/catalog.hpp"
#include "problems/contract/adapters.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/solve_case.hpp"

namespace recovery_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;
constexpr Index kCount = 60;
constexpr int kSeeds = 20;
constexpr std::uint64_t kHeldOut = 5000;

/// Problems of several maps, whose recovery is tested with evidence of several aspects.
const std::set<std::string> kManyMaps = {"common_space", "disjoint", "mvte", "mvte_ratio", "score"};
constexpr double kWorseThanFromTruth = 0.025;
/// Solvers whose defaults are those of a published program for maps of features, which stops long before a map of
/// triplets is done.
const std::set<std::string> kOfPrograms = {"golden_section_cg"};

struct Instance {
  Matrix points;
  Observations observations;
  TripletList held_out{kCount};
};

Instance instance(int seed) {
  Rng rng = Rng::stream(kSeed, "recovery", seed);
  const Matrix points = gaussian_points(kCount, 2, rng);
  const auto triplets = static_cast<std::uint64_t>(4 * kCount * std::log(static_cast<double>(kCount)));
  auto train = std::make_shared<TripletList>(triplets_of(points, triplets, 0, rng));
  return {points, observations_of(train), triplets_of(points, kHeldOut, 0, rng)};
}

TEST_SUITE("statistical") {
  TEST_CASE("Gaussian points: defaults come within 2.5 points of what the loss gives from the truth") {
    for (const ProblemEntry& problem_entry : problem_catalog().entries()) {
      if (problem_entry.recovery == 1) continue;
      CAPTURE(problem_entry.name);
      double from_truth = 0;
      std::map<std::string, double> error;
      for (int seed = 0; seed < kSeeds; ++seed) {
        const Instance data = instance(seed);
        const Problem problem = problem_entry.make(data.observations, {});
        const auto held_out_error = [&](const Solution& x) {
          return triplet_error(problem.decode(x).only(), data.held_out) / kSeeds;
        };
        Point truth = problem.domain()->zero();
        truth.block(0) = 3 * data.points;
        ValueTable long_options;
        long_options.set("tolerance", 1e-8);
        long_options.set("max_iter", 3000);
        // Short steps, which end near the truth where many maps are as good, as those of SOE without a violated triplet.
        long_options.set("curvature_scaling", false);
        const bool smooth = problem.offers().has<SmoothFace>();
        const auto to_the_end =
            smooth ? solver_catalog().at("ceres").make(long_options) : solver_catalog().at("continuation").make({});
        from_truth += held_out_error(solve(*to_the_end, problem, truth).x);
        Rng init = Rng::stream(kSeed, "init", seed);
        const Solution start = problem.start(init);
        for (const SolverEntry& solver : solver_catalog().entries()) {
          if (!fit(solver.name, solver.needs, problem.name(), problem.offers()).fits) continue;
          if (kOfPrograms.contains(solver.name)) continue;
          const Outcome out = solve(*solver.make({}), problem, start, {.seed = static_cast<std::uint64_t>(seed)});
          CHECK(out.summary.usable());
          error[solver.name] += held_out_error(out.x);
        }
      }
      CAPTURE(from_truth);
      CHECK(from_truth <= problem_entry.recovery);
      for (const auto& [solver, mean] : error) {
        CAPTURE(solver);
        // The worst: .0187 of .025 for ratio_ste by Ceres, .0166 for CKL by stochastic descent, .0120 for CKL by Ceres.
        CHECK(mean <= from_truth + kWorseThanFromTruth);
      }
    }
  }
}

TEST_CASE("every loss of the catalog has a measured bound") {
  for (const ProblemEntry& entry : problem_catalog().entries()) {
    if (std::ranges::find(entry.needs, ObservationKind::triplets) == entry.needs.end()) continue;
    if (kManyMaps.contains(entry.name)) continue;
    if (!entry.offers.has<SmoothFace>()) continue;  // a semidefinite program
    if (find_option(entry.options, "n_components")->default_value != Value(2)) continue;  // no map of the plane
    CAPTURE(entry.name);
    CHECK(entry.recovery < 1);
  }
}

}  // namespace
}  // namespace recovery_test
