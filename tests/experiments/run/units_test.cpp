// The unit and the offset of data change no result but the unit of the map, whatever the method: every problem of
// features or distances is tried. Maps are compared by what their distances are to each other, and by their objectives.
// Left out on purpose: options in units of the data (kpsde's sigma, laplacian_eigenmaps' width, mvu's trace_bound),
// kernels that are not of distances (kpsde's linear and polynomial ones) and shares of answers (same_different), which
// mean what they say in any unit.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>

#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/files/json.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/rows.hpp"
#include "problems/catalog.hpp"
#include "problems/faces/borderless.hpp"
#include "problems/faces/separation.hpp"
#include "solvers/catalog.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/text_holds.hpp"

namespace units_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

constexpr Index kObjects = 60;
#ifdef ALIDADE_SANITIZED
constexpr double kExactUnits[] = {0x1p10, 0x1p-100};  // the others lead nowhere else
constexpr double kFactors[] = {0.1};
constexpr double kUnitsOfNew[] = {1e-30};
#else
constexpr double kExactUnits[] = {0x1p-10, 0x1p-3, 0x1p3, 0x1p10, 0x1p-100, 0x1p-27, 0x1p27, 0x1p100};
constexpr double kFactors[] = {0x1p-3, 0x1p-100, 0x1p27, 0.1, 1e3, 3.7, 1e-100};
constexpr double kUnitsOfNew[] = {1.0, 1e-30, 1e30};
#endif
// Those round, and some descents have several ends, of which a rounding chooses one: they are of the suite
// "statistical" but where the map is unique.
constexpr double kUnits[] = {1e-30, 1e-8, 1e8, 1e30};
constexpr double kOrdinaryUnits[] = {1e2, 1e5};

/// Three clusters in four dimensions.
Matrix points() {
  Rng rng = Rng::stream(20250301, "units");
  Matrix out = gaussian_points(kObjects, 4, rng);
  for (Index i = 0; i < kObjects; ++i) out(i, i % 3) += 4;
  return out;
}

/// Objects that no map in the plane fits well: descents have many ways to end.
Matrix shapeless_points() {
  Rng rng = Rng::stream(20250302, "units");
  return gaussian_points(kObjects, 5, rng);
}

/// A table as readers hand it on, its pair signs those of nearest neighbours.
Observations read(const Matrix& X, const std::string& scale = "none") {
  datasets::FeatureData data{{X.cast<float>()}};
  data.precise = X;
  datasets::FeatureOptions options;
  options.similarity = "knn";
  options.scale = scale;
  return datasets::observations_of(std::move(data), options, {{}, 1, 0}, "test");
}

bool needs(const ProblemEntry& entry, std::initializer_list<ObservationKind> kinds) {
  return std::ranges::any_of(entry.needs,
                             [&](ObservationKind kind) { return std::ranges::find(kinds, kind) != kinds.end(); });
}

ValueTable small(const ProblemEntry& entry) {
  ValueTable out;
  if (find_option(entry.options, "perplexity")) out.set("perplexity", 10.0);
  return out;
}

struct MapInUnits {
  Matrix map;
  double objective = 0;  // in units of the data
  UnitPowers powers;
  std::shared_ptr<const Projector> projector;
  Termination termination = Termination::not_started;
  double trustworthiness = 0;
};

MapInUnits solved(const ProblemEntry& entry, const Observations& data) {
  const Problem problem = entry.make(data, small(entry));
  const NamedSolver named = recommended_solver(entry);
  Rng rng = Rng::stream(1, "init");
  const Outcome outcome = solve(*solver_catalog().at(named.name).make(named.options), problem, problem.start(rng));
  CAPTURE(outcome.summary.message);
  REQUIRE(outcome.summary.usable());
  const Embedding embedding = problem.decode(outcome.x);
  const auto kept = data.features ? metrics::neighbor_preservation(embedding.only(), *data.features, 10)
                                  : metrics::NeighborPreservation{};
  return {embedding.only(),
          outcome.summary.objective * problem.unit_factors().objective,
          problem.unit_powers(),
          embedding.projector,
          outcome.summary.termination,
          data.features ? kept.trustworthiness : 1};
}

/// 1 where distances on one map are those on the other times a constant.
double agreement(const Matrix& a, const Matrix& b) {
  const Matrix A = distances_between(a), B = distances_between(b);
  return (A / A.norm()).cwiseProduct(B / B.norm()).sum();
}

/// Compares with what the same data in unit 1 gave. Descents that end on other sides of the same basin, clusters that a
/// rounding puts elsewhere, and stochastic steps, which enlarge roundings, differ by more than rounding.
void check_same(const MapInUnits& solved, const MapInUnits& usual, double unit) {
  CHECK(solved.map.allFinite());
  // A rounding decides whether the last step before rest was tried or not.
  const auto at_rest = [](Termination t) { return t == Termination::converged || t == Termination::stalled; };
  CHECK((solved.termination == usual.termination || (at_rest(solved.termination) && at_rest(usual.termination))));
  const double expected = usual.objective * std::pow(unit, usual.powers.objective);
  CHECK(solved.objective == doctest::Approx(expected).epsilon(1e-2));
  if (usual.powers.map != 0) {
    const double extent = solved.map.norm() / (usual.map.norm() * std::pow(unit, usual.powers.map));
    CHECK(extent == doctest::Approx(1).epsilon(0.02));
  }
  CHECK(agreement(solved.map, usual.map) > 0.98);
}

/// By how much a result differs from the usual one. The map and its unit are compared by their distances.
struct Difference {
  double objective = 0, shape = 0, extent = 0, trustworthiness = 0;  // relative
};

Difference difference(const MapInUnits& solved, const MapInUnits& usual, double unit) {
  const double expected = usual.objective * std::pow(unit, usual.powers.objective);
  const double extent = usual.map.norm() * std::pow(unit, usual.powers.map);
  return {std::abs(solved.objective - expected) / std::max(std::abs(expected), 1e-300),
          1 - agreement(solved.map, usual.map), std::abs(solved.map.norm() / extent - 1),
          std::abs(solved.trustworthiness / usual.trustworthiness - 1)};
}

/// By how much results differ if nothing changes but the last digit of the data. Many descents have several ends, and
/// a rounding chooses.
Difference rounding_difference(const ProblemEntry& entry, const MapInUnits& usual,
                               const std::function<Observations(Rng&)>& rounded_otherwise) {
  Difference highest{1e-3, 1e-3, 1e-3, 1e-3};
  for (int k = 0; k < 4; ++k) {
    Rng rng = Rng::stream(20250303, "rounding", k);
    const Difference d = difference(solved(entry, rounded_otherwise(rng)), usual, 1);
    highest.objective = std::max(highest.objective, 3 * d.objective);
    highest.shape = std::max(highest.shape, 3 * d.shape);
    highest.extent = std::max(highest.extent, 3 * d.extent);
    highest.trustworthiness = std::max(highest.trustworthiness, 3 * d.trustworthiness);
  }
  return highest;
}

/// In a unit that rounds nothing, nothing else may differ.
void check_exact_units(const ProblemEntry& entry, const std::function<Observations(double unit)>& data,
                       std::span<const double> units) {
  const MapInUnits usual = solved(entry, data(1));
  for (const double unit : units) {
    CAPTURE(unit);
    const MapInUnits rescaled = solved(entry, data(unit));
    const Difference d = difference(rescaled, usual, unit);
    CHECK(rescaled.termination == usual.termination);
    // All are exactly 0 with kernels of AVX-512, AVX2 and SSE2.
    CHECK(d.objective < 1e-12);
    CHECK(d.extent < 1e-12);
    CHECK(d.trustworthiness == 0);
    CHECK((rescaled.map / rescaled.map.norm() - usual.map / usual.map.norm()).norm() < 1e-9);
  }
}

/// In another unit nothing may differ but by rounding.
void check_rounding_units(const ProblemEntry& entry, const std::function<Observations(double unit)>& data,
                          const std::function<Observations(Rng&)>& rounded_otherwise) {
  const MapInUnits usual = solved(entry, data(1));
  const Difference rounding = rounding_difference(entry, usual, rounded_otherwise);
  for (const double unit : kOrdinaryUnits) {
    CAPTURE(unit);
    const Difference d = difference(solved(entry, data(unit)), usual, unit);
    CHECK(d.objective <= rounding.objective);
    CHECK(d.shape <= rounding.shape);
    CHECK(d.extent <= rounding.extent);
    CHECK(d.trustworthiness <= rounding.trustworthiness);
  }
}

/// Without CSDP, cutting planes of such problems take minutes.
bool too_slow(const ProblemEntry& entry) { return entry.offers.has<SeparationFace>() && !Csdp::missing().empty(); }

/// Calls `check` with the problems of features or distances.
void for_each_of_features(const std::function<void(const ProblemEntry&)>& check) {
  for (const ProblemEntry& entry : problem_catalog().entries()) {
    if (!needs(entry, {ObservationKind::features, ObservationKind::distances}) || too_slow(entry)) continue;
    if (needs(entry, {ObservationKind::triplets})) continue;  // which give the map its unit
    CAPTURE(entry.name);
    check(entry);
  }
}

/// Calls `check` with the problems of distances or dissimilarities.
void for_each_of_distances(const std::function<void(const ProblemEntry&)>& check) {
  for (const ProblemEntry& entry : problem_catalog().entries()) {
    if (!needs(entry, {ObservationKind::distances, ObservationKind::dissimilarities}) || too_slow(entry) ||
        entry.name == "same_different")
      continue;
    CAPTURE(entry.name);
    check(entry);
  }
}

/// Eigenvectors, which no start and no rounding exchange for others.
bool has_unique_map(const ProblemEntry& entry) { return entry.offers.has<EigenFace>(); }

void check_offset_of_features(const ProblemEntry& entry) {
  const Matrix X = points();
  Matrix moved = X;
  moved.leftCols(3).array() += 1.7e6;
  check_same(solved(entry, read(moved)), solved(entry, read(X)), 1);
}

void check_units_of_distances(const ProblemEntry& entry) {
  const Matrix D = distances_between(points());
  const MapInUnits usual = solved(entry, of_dissimilarities(D));
  for (const double unit : kUnits) {
    CAPTURE(unit);
    check_same(solved(entry, of_dissimilarities(unit * D)), usual, unit);
  }
}

}  // namespace

/// A few iterations of one solver from the problem's start, so that no rounding has time to choose another end.
MapInUnits begun(const ProblemEntry& entry, const Observations& data) {
  const Problem problem = entry.make(data, small(entry));
  NamedSolver named = recommended_solver(entry);
  if (entry.offers.has<SmoothFace>() && !entry.offers.has<EigenFace>()) {
    named = {"ceres", {}};
    named.options.set("max_iter", std::int64_t{3});
  }
  Rng rng = Rng::stream(1, "init");
  const Outcome outcome = solve(*solver_catalog().at(named.name).make(named.options), problem, problem.start(rng));
  return {problem.decode(outcome.x).only(),
          outcome.summary.objective * problem.unit_factors().objective,
          problem.unit_powers(),
          nullptr,
          outcome.summary.termination,
          1};
}

/// Neighbour probabilities are calibrated to a tolerance, programs are solved to one: these round more.
double rounding_after_few_iterations(const ProblemEntry& entry) {
  const bool calibrated = find_option(entry.options, "perplexity") != nullptr;
  const bool to_the_end = !entry.offers.has<SmoothFace>() && !entry.offers.has<EigenFace>();
  return calibrated || to_the_end ? 1e-6 : 1e-9;
}

TEST_CASE("dissimilarities times any factor give the same objective but its unit, after a few iterations") {
  const Matrix D = distances_between(shapeless_points());
  for_each_of_distances([&](const ProblemEntry& entry) {
    const MapInUnits usual = begun(entry, of_dissimilarities(D));
    const double rounding = rounding_after_few_iterations(entry);
    for (const double unit : {2.0, 1e3, 1e-3, 3.7}) {
      CAPTURE(unit);
      const Difference d = difference(begun(entry, of_dissimilarities(unit * D)), usual, unit);
      CHECK(d.objective <= (unit == 2 ? 0 : rounding));
      CHECK(d.extent <= (unit == 2 ? 0 : rounding));
    }
  });
}

TEST_CASE("features times any factor give the same map by any method") {
  const Matrix tenths = (10 * points()).array().round() / 10;
  for (const Matrix& X : {points(), shapeless_points(), tenths}) {
    CAPTURE(X.cols());
    for_each_of_features([&](const ProblemEntry& entry) {
      check_exact_units(
          entry, [&](double unit) { return read(unit * X); }, kFactors);
    });
  }
}

TEST_CASE("an offset of features in tenths moves no map by any method") {
  const Matrix tenths = (10 * points()).array().round() / 10;
  for_each_of_features([&](const ProblemEntry& entry) {
    const MapInUnits usual = solved(entry, read(tenths));
    for (const double offset : {2024.0, 1e6}) {
      CAPTURE(offset);
      const Difference d = difference(solved(entry, read(tenths.array() + offset)), usual, 1);
      CHECK(d.objective < 1e-9);
      CHECK(d.shape < 1e-9);
      CHECK(d.extent < 1e-9);
    }
  });
}

TEST_CASE("dissimilarities times any power of two give the same map by any method") {
  for (const Matrix& X : {points(), shapeless_points()}) {
    CAPTURE(X.cols());
    const Matrix D = distances_between(X);
    for_each_of_distances([&](const ProblemEntry& entry) {
      check_exact_units(
          entry, [&](double unit) { return of_dissimilarities(unit * D); }, kExactUnits);
    });
  }
}

TEST_CASE("dissimilarities in tenths times any factor give the same map by any method") {
  for (const Matrix& X : {points(), shapeless_points()}) {
    CAPTURE(X.cols());
    const Matrix D = (10 * distances_between(X)).array().round() / 10;
    for_each_of_distances([&](const ProblemEntry& entry) {
      check_exact_units(
          entry, [&](double unit) { return of_dissimilarities(unit * D); }, kFactors);
    });
  }
}

/// Answers of five people about two aspects, dissimilarities in two and a graph; all weights differ, some are 0.
Observations weighted_evidence(double factor) {
  constexpr Index kFew = 12;
  Rng rng = Rng::stream(20250305, "units");
  const Matrix X = gaussian_points(kFew, 2, rng);
  const auto weight = [&] { return rng.below(10) == 0 ? 0 : factor * (0.1 + rng.uniform01()); };
  TripletList list(kFew);
  auto people = std::make_shared<std::vector<std::uint32_t>>();
  for (Triplet t; const std::uint32_t aspect : {0U, 1U}) {
    const TripletList of = triplets_of(X, 120, 0.15, rng);
    for (std::uint64_t i = 0; i < of.size(); ++i) {
      t = of.at(i);
      t.aspect = aspect;
      t.weight = weight();
      list.add(t);
      people->push_back(static_cast<std::uint32_t>(rng.below(5)));
    }
  }
  Observations out = observations_of(std::make_shared<const TripletList>(std::move(list)));
  out.aspects = {"first", "second"};
  out.annotator = people;
  out.annotators = {"a", "b", "c", "d", "e"};
  out.features = std::make_shared<const FeatureMatrix>(X.cast<float>());
  std::vector<ObjectPair> edges;
  std::vector<double> of_edges;
  for (ObjectId i = 0; i < kFew; ++i) {
    edges.push_back({i, static_cast<ObjectId>((i + 1) % kFew)});
    edges.push_back({i, static_cast<ObjectId>((i + 3) % kFew)});
    of_edges.push_back(-weight());
    of_edges.push_back(weight());
  }
  out.pair_signs = std::make_shared<const PairSigns>(PairSigns::weighted_graph(kFew, edges, of_edges));
  const Matrix D = distances_between(X);
  for (const char* name : {"first", "second"}) {
    Dissimilarities view{name, D, Matrix::Zero(kFew, kFew)};
    for (Index i = 0; i < kFew; ++i)
      for (Index j = 0; j < i; ++j) view.weights(i, j) = view.weights(j, i) = weight();
    out.dissimilarities.push_back(std::move(view));
  }
  return out;
}

TEST_CASE("weights times any factor give the same maps, by any problem of weighted evidence and any solver") {
  int pairs = 0;
  for (const ProblemEntry& entry : problem_catalog().entries()) {
    const bool of_pairs = entry.name == "mvmds" || entry.name == "max_cut";
    if (!of_pairs && !needs(entry, {ObservationKind::triplets, ObservationKind::annotators})) continue;
    CAPTURE(entry.name);
    const Problem usual = entry.make(weighted_evidence(1), {});
    const double power = of_pairs ? 1 : usual.unit_powers().weights;
    const bool of_means = entry.name == "psde_triplets" || entry.name == "common_space";
    CHECK(power == (of_means ? 0 : 1));
    for (const SolverEntry& solver : solver_catalog().entries()) {
      if (!fit(solver.name, solver.needs, usual.name(), usual.offers()).fits || !solver.missing.empty()) continue;
      if (solver.name == "fixed_diagonal" && entry.name != "max_cut") continue;  // only max_cut fixes the diagonal
      CAPTURE(solver.name);
      ValueTable options;
      if (find_option(solver.options, "max_iter")) options.set("max_iter", std::int64_t{20});
      const auto made = solver.make(options);
      const auto solve_in = [&](double factor) {
        const Problem problem = entry.make(weighted_evidence(factor), {});
        Rng rng = Rng::stream(1, "init");
        Outcome out = solve(*made, problem, problem.start(rng));
        out.summary.objective *= problem.unit_factors().objective;
        return std::pair(problem.decode(out.x), out.summary);
      };
      const auto [map, summary] = solve_in(1);
      for (const double factor : {1e-6, 1e-3, 1e3, 1e6, 1e-280, 1e280}) {
        CAPTURE(factor);
        const auto [same, of_same] = solve_in(factor);
        CHECK(of_same.termination == summary.termination);
        CHECK(of_same.objective == doctest::Approx(std::pow(factor, power) * summary.objective).epsilon(1e-9));
        REQUIRE(same.maps.size() == map.maps.size());
        for (std::size_t m = 0; m < map.maps.size(); ++m)
          CHECK((same.maps[m].coordinates - map.maps[m].coordinates).cwiseAbs().maxCoeff() <= 1e-9);
      }
      ++pairs;
    }
  }
  CHECK(pairs >= 40);
}

/// The same evidence with i % counts answers in place of answer i, or with such weights.
Observations with_counts(Observations data, std::uint64_t counts, bool repeated) {
  TripletList list(data.object_count());
  auto people = std::make_shared<std::vector<std::uint32_t>>();
  for (std::uint64_t i = 0; i < data.triplets->size(); ++i) {
    Triplet t = data.triplets->at(i);
    const auto count = static_cast<int>(i % counts);
    t.weight = repeated ? 1 : count;
    for (int k = 0; k < (repeated ? count : 1); ++k) {
      list.add(t);
      people->push_back((*data.annotator)[i]);
    }
  }
  data.triplets = std::make_shared<const TripletList>(std::move(list));
  data.annotator = people;
  data.weight_unit = 1;
  return data;
}

/// The same evidence with four answers for each, by the same person and the other way round, of next to no weight.
Observations with_light_answers(Observations data) {
  TripletList list(data.object_count());
  auto people = std::make_shared<std::vector<std::uint32_t>>();
  for (const double lightness : {1.0, 1e-13, 1e-13, 1e-13, 1e-13})
    for (std::uint64_t i = 0; i < data.triplets->size(); ++i) {
      Triplet t = data.triplets->at(i);
      if (lightness < 1) std::swap(t.near, t.far);
      t.weight *= lightness;
      list.add(t);
      people->push_back((*data.annotator)[i]);
    }
  data.triplets = std::make_shared<const TripletList>(std::move(list));
  data.annotator = people;
  return data;
}

/// Both give the same map after two iterations, by any problem of answers.
void check_same_answers(const std::function<std::pair<Observations, Observations>(const ProblemEntry&)>& evidence) {
  int checked = 0;
  for (const ProblemEntry& entry : problem_catalog().entries()) {
    if (!needs(entry, {ObservationKind::triplets, ObservationKind::annotators}) || too_slow(entry)) continue;
    CAPTURE(entry.name);
    NamedSolver named = recommended_solver(entry);
    if (entry.offers.has<SmoothFace>() && entry.offers.has<Borderless>()) named = {"ceres", {}};
    if (find_option(solver_catalog().at(named.name).options, "max_iter") && !entry.offers.has<SeparationFace>())
      named.options.set("max_iter", std::int64_t{2});
    const auto solve_of = [&](const Observations& data) {
      const Problem problem = entry.make(data, {});
      Rng rng = Rng::stream(1, "init");
      const Outcome out = solve(*solver_catalog().at(named.name).make(named.options), problem, problem.start(rng));
      return std::pair(problem.decode(out.x), out.summary.objective * problem.unit_factors().objective);
    };
    const auto [usual, others] = evidence(entry);
    const auto [map, objective] = solve_of(usual);
    const auto [same, of_same] = solve_of(others);
    const bool exact = entry.offers.has<SmoothFace>();  // others are solved to a tolerance
    CHECK(of_same == doctest::Approx(objective).epsilon(exact ? 1e-9 : 1e-4));
    REQUIRE(same.maps.size() == map.maps.size());
    for (std::size_t m = 0; m < map.maps.size() && exact; ++m) {
      const Matrix& places = map.maps[m].coordinates;
      CHECK((same.maps[m].coordinates - places).norm() <= 1e-7 * places.norm());
    }
    ++checked;
  }
  CHECK(checked >= 20);
}

TEST_CASE("a weight of k counts as k answers, and a weight of 0 as none, by any problem of answers") {
  check_same_answers([](const ProblemEntry& entry) {
    // Of a person, a weight says how much an answer tells of the map: who answers once has answered once.
    const std::uint64_t counts = entry.name.ends_with("_annotators") ? 2 : 4;
    return std::pair(with_counts(weighted_evidence(1), counts, true), with_counts(weighted_evidence(1), counts, false));
  });
}

TEST_CASE("answers of next to no weight weaken no regulariser, by any problem of answers") {
  check_same_answers([](const ProblemEntry& entry) {
    const Observations usual = weighted_evidence(1);
    const bool hard = entry.name == "psde_triplets";  // its constraints hold whatever they weigh
    return std::pair(usual, hard ? usual : with_light_answers(usual));
  });
}

TEST_CASE("an objective whose unit leaves the range of double stays in the problem's own, and a note says so") {
  const Matrix D = distances_between(points());
  for (const char* name : {"mds", "cca", "local_mds"}) {
    CAPTURE(name);
    const ProblemEntry& entry = problem_catalog().at(name);
    const auto told = [&](double unit) {
      const Problem problem = entry.make(of_dissimilarities(unit * D), {});
      Rng rng = Rng::stream(1, "init");
      const Solution x = problem.start(rng);
      Executor executor;
      Evaluation evaluation(executor);
      for (const auto& [estimate, value] : problem.decode(x).estimates) CHECK(std::isnormal(value));
      CHECK(std::isnormal(problem.unit_factors().objective * problem.objective(x, evaluation)));
      const std::vector<std::string> notes = problem.notes();
      return !notes.empty() && holds_all(notes.back(), {"range of double", "objective"});
    };
    for (const double unit : {1e-300, 1e-200, 1e160, 1e300}) CHECK(told(unit));
    for (const double unit : {1e-100, 1.0, 1e100}) CHECK(!told(unit));
  }
}

TEST_CASE("measures do not depend on the units of map, data and truth, however small or large") {
  constexpr Index kFew = 30;
  Rng rng = Rng::stream(20250307, "units");
  const Matrix X = gaussian_points(kFew, 3, rng);
  const auto answers = std::make_shared<const TripletList>(triplets_of(X, 200, 0.1, rng));
  const auto measured = [&](double unit) {
    Observations data = of_dissimilarities(unit * distances_between(X));
    data.truth = unit * X;
    data.triplets = answers;
    for (Index i = 0; i < kFew; ++i) data.labels.push_back(i % 3 == 0 ? "a" : "b");
    data.pair_signs = ring_signs(kFew);
    Embedding map{{{"", unit * X.leftCols(2)}}};
    const metrics::MetricInput input(map, {data, answers.get()});
    std::vector<double> out;
    for (const metrics::MetricEntry& metric : metrics::metric_catalog().entries()) out.push_back(metric.compute(input));
    out.push_back(metrics::triplet_error(map, *answers));
    return out;
  };
  const std::vector<double> usual = measured(1);
  CHECK(std::ranges::count_if(usual, [](double value) { return std::isfinite(value); }) > 15);
  for (const double unit : {1e-300, 1e-170, 1e-30, 1e30, 1e170, 1e300}) {
    CAPTURE(unit);
    const std::vector<double> other = measured(unit);
    for (std::size_t m = 0; m < usual.size(); ++m) {
      CAPTURE(m);
      CHECK(std::isnan(other[m]) == std::isnan(usual[m]));
      if (!std::isnan(usual[m])) CHECK(other[m] == doctest::Approx(usual[m]).epsilon(1e-9));
    }
  }
}

TEST_CASE("answers of equal weight give the bits of answers without weights") {
  Rng rng = Rng::stream(20250306, "units");
  const TripletList plain = triplets_of(gaussian_points(12, 2, rng), 150, 0.1, rng);
  TripletList heavy(12);
  for (std::uint64_t i = 0; i < plain.size(); ++i) {
    Triplet t = plain.at(i);
    t.weight = 1.0 / 600;
    heavy.add(t);
  }
  const auto map_of = [](const TripletList& list) {
    const ProblemEntry& entry = problem_catalog().at("ste");
    return solved(entry, observations_of(std::make_shared<const TripletList>(list)));
  };
  const MapInUnits one = map_of(plain), other = map_of(heavy);
  CHECK(one.map == other.map);
  CHECK(other.objective == doctest::Approx(one.objective / 600));
}

TEST_CASE("the offset of features and the unit of distances change only the unit of a map that is unique") {
  int checked = 0;
  for_each_of_features([&](const ProblemEntry& entry) {
    if (!has_unique_map(entry)) return;
    check_offset_of_features(entry);
    ++checked;
  });
  for_each_of_distances([&](const ProblemEntry& entry) {
    if (!has_unique_map(entry)) return;
    check_units_of_distances(entry);
    ++checked;
  });
  CHECK(checked >= 3);
}

TEST_SUITE("statistical") {
  TEST_CASE("dissimilarities times any ordinary factor give the same map by any method") {
    // At most 0.13, 0.02, 0.41 and 0 of what is allowed with kernels of AVX-512, AVX2 and SSE2.
    for (const Matrix& X : {points(), shapeless_points()}) {
      CAPTURE(X.cols());
      const Matrix D = distances_between(X);
      for_each_of_distances([&](const ProblemEntry& entry) {
        check_rounding_units(
            entry, [&](double unit) { return of_dissimilarities(unit * D); },
            [&](Rng& rng) {
              Matrix other = D;
              for (Index i = 0; i < D.rows(); ++i)
                for (Index j = 0; j < i; ++j)
                  other(i, j) = other(j, i) = D(i, j) * (1 + 0x1p-52 * std::round(2 * rng.uniform01() - 1));
              return of_dissimilarities(other);
            });
      });
    }
  }

  TEST_CASE("an offset of features changes no method's map") {
    // Objectives differ by at most 4e-5, extents by 0.0021 and agreements from 1 by 1.1e-5 with kernels of AVX-512,
    // AVX2 and SSE2.
    for_each_of_features(check_offset_of_features);
  }

  TEST_CASE("the unit of dissimilarities changes only the unit of any method's map") {
    // Extents differ by at most 1.2e-5, objectives and agreements by less than 1e-5, with kernels of AVX-512, AVX2 and
    // SSE2.
    for_each_of_distances(check_units_of_distances);
  }
}

TEST_CASE("new objects keep their places for any unit and offset of the data") {
  const Matrix X = points();
  for (const double unit : kUnitsOfNew)
    for (const double offset : {0.0, 1e6}) {
      CAPTURE(unit);
      CAPTURE(offset);
      const Matrix given = unit * (X.array() + offset).matrix();
      const Observations data = read(given);
      for (const char* name : {"pca", "nerv", "tsne", "kpsde"}) {
        CAPTURE(name);
        if (too_slow(problem_catalog().at(name))) continue;
        const MapInUnits rescaled = solved(problem_catalog().at(name), data);
        REQUIRE(rescaled.projector);
        const ScratchFolder scratch;
        const auto file = scratch / "p.json";
        {
          std::ofstream out(file);
          out << projector_to_json(*rescaled.projector);
        }
        const auto projector = read_projector(file);
        datasets::FeatureData known{{given.cast<float>()}};
        known.precise = given;
        const Matrix places = projector->project(datasets::features_in(known, projector->frame()));
        CHECK((places - rescaled.map).norm() <= 1e-4 * rescaled.map.norm());
      }
    }
}

TEST_CASE("whole features are stored unchanged, tenths as whole multiples, and a frame keeps the digits of others") {
  const Matrix X = (10 * points()).array().round();
  const Observations tenths = read(X / 10);
  CHECK(*tenths.features == FeatureMatrix(X.cast<float>() / 16));
  CHECK(tenths.frame.unit == doctest::Approx(1.6));
  const Observations usual = read(X);
  CHECK(usual.frame.is_identity());
  CHECK(*usual.features == FeatureMatrix(X.cast<float>()));
  CHECK(usual.notes.empty());

  Matrix moved = X;
  moved.col(1).array() += 1.7e9;
  const Observations stored = read(moved);
  REQUIRE(stored.frame.shift.size() == 4);
  CHECK(stored.frame.shift[0] == 0);
  CHECK(stored.features->col(0) == usual.features->col(0));
  CHECK((stored.features->col(1).array() - usual.features->col(1).array() -
         (stored.features->col(1).mean() - usual.features->col(1).mean()))
            .abs()
            .maxCoeff() < 1e-6F);
  CHECK(stored.frame.of_data(static_cast<double>((*stored.features)(5, 1)), 1) ==
        doctest::Approx(moved(5, 1)).epsilon(1e-15));

  // Scaling is of the numbers as they were given too.
  const Observations standard = read(moved, "standard");
  CHECK(standard.frame.is_identity());
  CHECK((*standard.features - *read(X, "standard").features).cwiseAbs().maxCoeff() < 1e-5F);
}

TEST_CASE("scaled columns are the same in any unit of each") {
  for (const char* scale : {"standard", "range"})
    for (const double unit : {1e-300, 1e-170, 1e-44, 0.1, 1e30}) {
      CAPTURE(unit);
      const Vector one = Eigen::Vector4d(unit, 1, 1, 1), all = Vector::Constant(4, unit);
      for (const Vector& units : {one, all})
        CHECK((*read(points() * units.asDiagonal(), scale).features - *read(points(), scale).features)
                  .cwiseAbs()
                  .maxCoeff() < 1e-6F);
    }
}

TEST_CASE("a note names features that are too small beside others to count") {
  Matrix X = points();
  X.col(2) *= 1e-8;
  const Observations data = read(X);
  REQUIRE(data.notes.size() == 1);
  CHECK(holds_all(data.notes.front(), {"column 3", "standard"}));
  CHECK(read(X, "standard").notes.empty());
}

TEST_CASE("a note names features that lost their digits before they were read") {
  Matrix X = points();
  X.col(0).array() = 1e15 + 0.05 * X.col(0).array();
  X.col(2).array() = 1e15 + 0.05 * X.col(2).array();
  for (const char* scale : {"none", "standard"}) {
    const Observations data = read(X, scale);
    REQUIRE(data.notes.size() == 1);
    CHECK(holds_all(data.notes.front(), {"2 features (column 1, column 3) lost their digits", "steps of 0.125"}));
  }
  // Numbers of days and whole numbers of any size are as they were meant.
  Matrix whole = points();
  for (Index i = 0; i < kObjects; ++i) {
    whole(i, 0) = 1e15 + static_cast<double>(i % 3);
    whole(i, 1) = 738000 + static_cast<double>(i);
    whole(i, 2) = 1.7e9 + 0.25 * static_cast<double>(i);
  }
  CHECK(read(whole).notes.empty());
}

TEST_CASE("a note names features that are constant in a user's table") {
  datasets::FeatureData data{{points().cast<float>()}};
  data.features.col(1).setConstant(7);
  const auto notes = [&] {
    return datasets::observations_of(data, datasets::FeatureOptions{}, {{}, 1, 0}, "test").notes;
  };
  CHECK(notes().empty());
  data.users = true;
  REQUIRE(notes().size() == 1);
  CHECK(holds_all(notes().front(), {"column 2", "no influence"}));
}

TEST_CASE("embed warns of features that are constant or lost their digits") {
  const ScratchFolder scratch;
  const Matrix X = points();
  std::string text;
  for (Index i = 0; i < X.rows(); ++i)
    text += fmt::format("{},{},{:.17g},5\n", X(i, 0), X(i, 1), 1e15 + 0.05 * X(i, 2));
  write_text(scratch / "x.csv", text);
  const Ended ended = run_well("embed --features x.csv --problem pca", scratch);
  CHECK(holds_all((ended.out + ended.err),
                  {"1 feature (column 3) lost its digits", "1 feature (column 4) has the same value"}));
}

namespace {

void write_numbers(const fs::path& file, const Matrix& numbers) {
  std::string text;
  for (Index i = 0; i < numbers.rows(); ++i)
    for (Index c = 0; c < numbers.cols(); ++c)
      text += fmt::format("{:.17g}{}", numbers(i, c), c + 1 < numbers.cols() ? "," : "\n");
  write_text(file, text);
}

/// The row of `alidade embed WORDS --json`.
ValueTable embedded(const ScratchFolder& scratch, std::vector<std::string> words) {
  words.insert(words.begin(), "embed");
  words.emplace_back("--json");
  const Ended ended = run_well(words, scratch);
  return *parse_json(ended.out, "row").get_if<ValueTable>();
}

/// That the map of a table with a Unix time in three of its columns is as good as the map without.
void check_unix_time(const std::string& problem) {
  const ScratchFolder scratch;
  const Matrix X = points();
  Matrix moved = X;
  moved.leftCols(3).array() += 1.7e9;
  write_numbers(scratch / "x.csv", X);
  write_numbers(scratch / "moved.csv", moved);
  for (const char* scale : {"none", "standard"}) {
    const auto row_of = [&](const char* file) {
      return embedded(scratch, {"--features", file, "--problem", problem, "--scale", scale});
    };
    const ValueTable usual = row_of("x.csv"), later = row_of("moved.csv");
    for (const char* field : {"objective", "metrics.trustworthiness"})
      CHECK(*number_field(later, field) == doctest::Approx(*number_field(usual, field)).epsilon(0.01));
  }
}

/// That distances times these factors give a map as good as without.
void check_distances_times(std::initializer_list<double> units) {
  const ScratchFolder scratch;
  const Matrix D = distances_between(points());
  const auto row_of = [&](const Matrix& numbers) {
    write_numbers(scratch / "d.csv", numbers);
    return embedded(scratch, {"--distances", "d.csv", "--problem", "mds"});
  };
  const ValueTable usual = row_of(D);
  for (const double unit : units) {
    CAPTURE(unit);
    const ValueTable other = row_of(unit * D);
    CHECK(*number_field(other, "objective") ==
          doctest::Approx(unit * unit * *number_field(usual, "objective")).epsilon(1e-4));
    CHECK(*number_field(other, "metrics.trustworthiness") ==
          doctest::Approx(*number_field(usual, "metrics.trustworthiness")).epsilon(1e-3));
  }
}

}  // namespace

TEST_CASE("embed makes the same map of a table with a Unix time, and of distances in any power of two") {
  check_unix_time("pca");
  check_distances_times({0x1p-100, 0x1p53});
}

TEST_SUITE("statistical") {
  TEST_CASE("embed makes the same map by NeRV of a table with a Unix time") {
    // Objectives and trustworthiness differ by at most 1.4e-4 with kernels of AVX-512, AVX2 and SSE2; 0.01 is allowed.
    check_unix_time("nerv");
  }

  TEST_CASE("embed makes the same map of distances in metres or light years") {
    // Equal to six digits with kernels of AVX-512, AVX2 and SSE2.
    check_distances_times({1e-30, 1e16});
  }
}

}  // namespace units_test
