// The same bits at any number of threads, for every problem of the catalog and every solver: what is added is tested here
// by itself. Every pair that fits is of the suite "heavy".
// Data are small, yet large enough for sums to be cut into several chunks.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/results/row.hpp"
#include "experiments/run/run.hpp"
#include "problems/catalog.hpp"
#include "problems/contract/adapters.hpp"
#include "problems/contract/capability.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/observation_makers.hpp"

namespace thread_count_test {

using namespace alidade;

namespace {

/// Evidence of every kind about points of a bent sheet: answers of two aspects, one in ten of them wrong, features, two
/// tables of distances, and pairs.
Observations evidence(Index n, std::uint64_t answers) {
  Rng rng(17);
  Matrix sheet(n, 2);
  for (double& x : sheet.reshaped()) x = 2 * rng.uniform01();
  Matrix bent(n, 4);
  bent << sheet, sheet.col(0).array().square(), sheet.rowwise().prod();
  const TripletList drawn = testing::triplets_of(sheet, answers, 0.1, rng);
  auto triplets = std::make_shared<TripletList>(n);
  for (std::uint64_t i = 0; i < drawn.size(); ++i) {
    Triplet triplet = drawn.at(i);
    triplet.aspect = static_cast<std::uint32_t>(i % 2);
    triplets->add(triplet);
  }
  Observations out = testing::observations_of(triplets);
  out.aspects = {"a", "b"};
  auto who = std::make_shared<std::vector<std::uint32_t>>();
  for (std::uint64_t i = 0; i < triplets->size(); ++i) who->push_back(static_cast<std::uint32_t>(i % 7));
  out.annotator = std::move(who);
  out.annotators = {"t", "u", "v", "w", "x", "y", "z"};
  out.features = std::make_shared<const FeatureMatrix>(bent.cast<float>());
  out.pair_signs = testing::ring_signs(n);
  for (Index aspect = 0; aspect < 2; ++aspect) {
    Dissimilarities table{aspect == 0 ? "a" : "b", Matrix(n, n), {}};
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        table.values(i, j) = (bent.row(i) - bent.row(j)).norm() + 0.1 * static_cast<double>(aspect * (i != j));
    out.dissimilarities.push_back(std::move(table));
  }
  return out;
}

/// Of its size; nothing else of a row depends on it. Large enough for a sum to have several chunks, where one is small
/// enough for that.
/// For solvers that have no limit of iterations, as they are made of others, there are fewer answers.
const Observations& evidence_for(const ProblemEntry& problem, bool limited) {
  static const Observations small = evidence(12, 40), wide = evidence(520, 6000), usual = evidence(60, 115'000),
                            few = evidence(60, 3000);
  if (problem.name == "same_different") {
    Rng rng(3);
    static const Observations answers =
        testing::same_different_answers(testing::gaussian_points(140, 2, rng), 20, 1, rng);
    return answers;
  }
  if (problem.offers.has<SemidefiniteFace>() || problem.offers.has<SeparationFace>()) return small;
  if (problem.offers.has<EigenFace>()) return wide;  // a chunk of a scatter matrix has 512 rows
  return limited ? usual : few;
}

Experiment experiment_of(const std::string& method) {
  return interpret(
      parse_config("name = \"threads\"\nseed = 3\n[split]\nholdout = 0.1\n[evaluate]\nmetrics = "
                   "[\"train_error\"]\ntrace_metrics = []\n[[dataset]]\nname = \"gaussian\"\n[[method]]\n" +
                       method,
                   "threads.toml"));
}

/// A few iterations, if the solver has a limit of them.
Experiment experiment_of(const ProblemEntry& problem, const SolverEntry& solver, bool limited) {
  return experiment_of("problem = \"" + problem.name + "\"\nsolver = { name = \"" + solver.name + "\"" +
                       (limited ? ", max_iter = 5" : "") + " }\n");
}

/// Every bit of an objective, of metrics and of maps; nothing else of a row may differ but times.
std::vector<std::uint64_t> bits_of(const RunResult& result) {
  std::vector<std::uint64_t> out;
  const auto add = [&](double value) { out.push_back(std::bit_cast<std::uint64_t>(value)); };
  add(result.row.objective.value_or(-1));
  for (const auto& [name, value] : result.row.metrics) add(value.value_or(-1));
  for (const TraceRecord& record : result.trace) add(record.objective);
  for (const AspectMap& map : result.embedding.maps)
    for (const double x : map.coordinates.reshaped<Eigen::RowMajor>()) add(x);
  return out;
}

/// Which pairs of a problem and a solver are tried.
enum class Pairs {
  some,  // each problem with its recommended solver, and each solver with the first problem that fits it
  all
};

/// Runs the pairs at one thread and at each of `counts`.
void check_pairs(Pairs which, const std::vector<int>& counts) {
  int pairs = 0;
  double seconds = 0;
  std::string refused;
  std::set<std::string> solvers_seen;
  for (const ProblemEntry& problem : problem_catalog().entries()) {
    CAPTURE(problem.name);
    const std::string recommended = recommended_solver(problem).name;
    int solvers = 0;
    for (const SolverEntry& solver : solver_catalog().entries()) {
      if (!fit(solver.name, solver.needs, problem.name, problem.offers).fits || !solver.missing.empty()) continue;
      if (which == Pairs::some && solver.name != recommended && solvers_seen.contains(solver.name)) continue;
      CAPTURE(solver.name);
      const bool limited = find_option(solver.options, "max_iter") != nullptr;
      const Experiment e = experiment_of(problem, solver, limited);
      const Observations& observations = evidence_for(problem, limited);
      REQUIRE_FALSE(unfit_reason(e.methods.front(), observations));  // add such evidence
      const auto run = [&](int threads) { return execute({e, plan(e).front(), observations, 0.0, threads, {}}); };
      RunResult alone;
      try {
        alone = run(1);
      } catch (const DataError& error) {  // it needs more than a capability, such as a certain shape of program
        REQUIRE(std::string_view(error.what()).starts_with("Solver '" + solver.name + "' needs a program"));
        refused += "\n  " + problem.name + ": " + error.what();
        continue;
      }
      CAPTURE(alone.row.message.value_or(""));
      CHECK(alone.row.status == RunStatus::ok);
      CHECK_FALSE(alone.embedding.maps.empty());
      const std::vector<std::uint64_t> expected = bits_of(alone);
      for (const int threads : counts) {
        CAPTURE(threads);
        CHECK((bits_of(run(threads)) == expected));
      }
      ++pairs;
      ++solvers;
      solvers_seen.insert(solver.name);
      seconds += *alone.row.seconds->cpu;
    }
    CHECK(solvers > 0);
  }
  std::string others;
  for (const SolverEntry& solver : solver_catalog().entries())
    if (!solvers_seen.contains(solver.name) && solver.missing.empty()) others += solver.name + " ";
  // These fit no problem: they are for matchings.
  CHECK(others == "hungarian boost_matching ");
  MESSAGE(pairs << " pairs of a problem and a solver bit-equal at " << counts.size() << " other numbers of threads; "
                << seconds << " s at 1 thread" << std::string(refused.empty() ? "" : ". Refused:") << refused);
}

}  // namespace

TEST_CASE("the number of threads changes no bit, whatever the problem and whatever the solver") {
  check_pairs(Pairs::some, {2, 3});
}

TEST_SUITE("heavy") {
  TEST_CASE("the number of threads changes no bit, whatever the problem and whichever solver fits it") {
    check_pairs(Pairs::all, {2, 3});
  }
}

}  // namespace thread_count_test
