// What solver.hpp promises of every solver, tried for every pair of the two catalogs that fits.
// A new problem or solver is covered by its line in the catalog; more options of it by a line below. The example of
// solvers/adding.md is tried too.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "problems/catalog.hpp"
#include "problems/contract/adapters.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/split_gradient.hpp"
#include "problems/faces/term_run.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/toy_problems.hpp"

namespace alidade {
SolverEntry halving_entry();  // of tests/examples, which solvers/adding.md shows
}

namespace solver_contract_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;
constexpr std::int64_t kIterations = 8;

// Options beside the defaults under which a problem or solver is tried.
const std::multimap<std::string, std::string> kProblemOptions = {
    {"ste", "{ lambda0 = 0.001 }"},
    {"soe", "{ lambda0 = 0.001, n_components = 3 }"},
    {"soe", "{ manifold = oblique }"},
    {"tste", "{ alpha = 2, n_components = 3 }"},
    {"ete", "{ t = 3, manifold = oblique }"},
    {"ete", "{ t = 1.5, t_prime = 1.5, precision = float }"},
    {"weighted_ete", "{ precision = double, n_inliers = 5, n_outliers = 8, weights = exponential }"},
    {"weighted_ete", "{ triplets = drawn, n_inliers = 5, n_components = 3 }"},
    {"mds", "{ weights = inverse_power, start = random, n_components = 3 }"},
    {"score", "{ delta_mode = gradient, n_components = 3, alpha = 5 }"},
    {"score", "{ delta_mode = algorithm_1, kappa = 0.1, alpha = 5 }"},
    {"score", "{ delta_mode = em, alpha = 5 }"},
};
const std::multimap<std::string, std::string> kSolverOptions = {
    {"ceres", "{ direction = bfgs }"},
    {"ceres", "{ direction = nonlinear_cg, conjugate_gradient = polak_ribiere }"},
    {"ceres", "{ direction = nonlinear_cg, conjugate_gradient = fletcher_reeves, line_search = armijo }"},
    {"ceres", "{ direction = nonlinear_cg, conjugate_gradient = hestenes_stiefel }"},
    {"ceres", "{ direction = steepest_descent }"},
    {"ceres", "{ direction = steepest_descent, line_search = armijo }"},
    {"ceres", "{ lbfgs_rank = 1 }"},
    {"majorization", "{ relaxation = 2.0 }"},
    {"multiplicative", "{ step = ratio, exponent = 0.01, clip = 5.0 }"},
    {"multiplicative", "{ exponent = 0.1, safeguard = false, recentre = false }"},
    {"riemannian_sgd", "{ batch_size = 1, learning_rate = 0.1, update = plain }"},
    {"riemannian_sgd", "{ batch_size = 1, learning_rate = 0.05, update = momentum, schedule = cosine }"},
    {"riemannian_sgd", "{ batch_size = 1, learning_rate = 0.05, update = adam, schedule = constant }"},
    {"riemannian_sgd", "{ batch_size = 16, learning_rate = 0.1, update = nesterov, schedule = inverse_time }"},
    {"riemannian_sgd", "{ batch_size = 16, learning_rate = 0.1, update = adam, schedule = linear }"},
    {"riemannian_sgd", "{ batch_size = 1, order = draw, learning_rate = 0.01, final_fraction = 0 }"},
    {"riemannian_sgd", "{ batch_size = 1000000, learning_rate = 0.1, update = momentum }"},
    {"riemannian_sgd", "{ batch_size = 1000000, learning_rate = 0.1, update = plain, schedule = constant }"},
};

/// The default parts, each with few iterations.
const std::string kShortSequence =
    "{ solvers = [{ name = riemannian_sgd, max_iter = 4 }, { name = ceres, max_iter = 4 }] }";

const std::string kShortContinuation = "{ solver = { name = ceres, max_iter = 3 } }";
const std::string kShortRace =
    "{ entrants = [{ solver = { name = ceres, max_iter = 3 } }, { start = random, solver = { name = ceres, max_iter = "
    "3 } }], "
    "finish = { name = ceres, max_iter = 3 } }";

ValueTable options(const std::string& text) { return *value_from_text(text).get_if<ValueTable>(); }

bool knows(const SolverEntry& entry, std::string_view option) { return find_option(entry.options, option) != nullptr; }

/// All but the last of n objects in noisy triplets of five annotators; features of all.
Observations make_observations(Index n) {
  Rng rng = Rng::stream(kSeed, "contract");
  const TripletList inner = triplets_of(gaussian_points(n - 1, 2, rng), static_cast<std::uint64_t>(20 * n), 0.05, rng);
  auto list = std::make_shared<TripletList>(n);
  for (std::uint64_t i = 0; i < inner.size(); ++i) list->add(inner.at(i));
  Observations out = observations_of(list);
  auto who = std::make_shared<std::vector<std::uint32_t>>();
  for (std::uint64_t i = 0; i < list->size(); ++i) who->push_back(static_cast<std::uint32_t>(i % 5));
  out.annotator = std::move(who);
  out.annotators = {"v", "w", "x", "y", "z"};
  out.features = std::make_shared<const FeatureMatrix>(gaussian_points(n, 4, rng).cast<float>());
  const Matrix noise = gaussian_points(n, n, rng).cwiseAbs();
  Matrix distances = noise + noise.transpose();
  distances.diagonal().setZero();
  distances /= distances.maxCoeff();  // shares of answers, too
  out.dissimilarities = {{"", distances, {}}};
  out.pair_signs = ring_signs(n);
  return out;
}
const Observations& observations() {
  static const Observations kObservations = make_observations(30);
  return kObservations;
}
constexpr Index kIdle = 29;

struct Pair {
  Problem problem;
  const SolverEntry& solver;
  ValueTable solver_options;
  Solution start;
  bool of_triplets;

  [[nodiscard]] std::unique_ptr<Solver> make(std::string_view option = {}, Value value = {}) const {
    ValueTable table = solver_options;
    if (!option.empty()) table.set(std::string(option), std::move(value));
    return solver.make(table);
  }
};

/// Calls visit(pair) for every pair that fits, with every option of the lists above.
void for_each_pair(const std::function<void(const Pair&)>& visit) {
  const auto variants = [](const auto& lists, const std::string& name) {
    std::vector<std::string> out = {"{}"};
    for (auto [it, end] = lists.equal_range(name); it != end; ++it) out.push_back(it->second);
    return out;
  };
  static const std::vector<SolverEntry> kSolvers = [] {
    std::vector<SolverEntry> out(solver_catalog().entries().begin(), solver_catalog().entries().end());
    out.push_back(halving_entry());
    return out;
  }();
  int pairs = 0;
  for (const ProblemEntry& problem : problem_catalog().entries())
    for (const std::string& problem_options : variants(kProblemOptions, problem.name)) {
      const Problem made = problem.make(observations(), options(problem_options));
      if (!made.domain()) continue;  // their solutions are no points: below
      for (const SolverEntry& solver : kSolvers) {
        if (!fit(solver.name, solver.needs, made.name(), made.offers()).fits) continue;
        for (const std::string& solver_options : variants(kSolverOptions, solver.name)) {
          CAPTURE(problem.name);
          CAPTURE(problem_options);
          CAPTURE(solver.name);
          CAPTURE(solver_options);
          ValueTable table = options(solver_options);
          if (table.empty())
            for (const auto& [name, brief] :
                 {std::pair{"sequence", kShortSequence}, {"continuation", kShortContinuation}, {"race", kShortRace}})
              if (solver.name == name) table = options(brief);
          if (knows(solver, "max_iter")) table.set("max_iter", kIterations);
          Rng rng = Rng::stream(kSeed, "init", problem_options);
          Point start = std::get<Point>(made.start(rng));
          // 0.1: away from the saddle at 0. Where distances are far beyond the data's nothing pulls in cca.
          if (made.domain()->is_euclidean() && problem.name != "cca") start.vector() *= 1e3;
          visit({made, solver, table, start,
                 std::ranges::find(problem.needs, ObservationKind::triplets) != problem.needs.end()});
          ++pairs;
        }
      }
    }
  CHECK(pairs >= 7 * 2);
}

const Point& point(const Solution& x) { return std::get<Point>(x); }

/// All numbers of a solution that is no point.
std::vector<Matrix> numbers(const Solution& x) {
  if (const auto* eigen = std::get_if<EigenSolution>(&x)) return {eigen->vectors, eigen->values};
  const auto& program = std::get<SemidefiniteSolution>(x);
  return {program.blocks[0].values, program.multipliers};
}

void check_same(const Outcome& a, const Outcome& b) {
  CHECK(same_bits(point(a.x).flat(), point(b.x).flat()));
  CHECK(a.summary.termination == b.summary.termination);
  CHECK(a.summary.message == b.summary.message);
  CHECK(a.summary.objective == b.summary.objective);
  CHECK(same_bits(std::span(&a.summary.gradient_norm, 1), std::span(&b.summary.gradient_norm, 1)));
  CHECK(a.summary.counts.iterations == b.summary.counts.iterations);
  CHECK(a.summary.counts.evaluations == b.summary.counts.evaluations);
  CHECK(a.summary.counts.terms == b.summary.counts.terms);
  REQUIRE(a.summary.trace.size() == b.summary.trace.size());
  for (std::size_t i = 0; i < a.summary.trace.size(); ++i) {
    CHECK(a.summary.trace[i].iteration == b.summary.trace[i].iteration);
    CHECK(same_bits(std::span(&a.summary.trace[i].objective, 1), std::span(&b.summary.trace[i].objective, 1)));
  }
}

/// What must hold after any solve, however it ended.
void check_always(const Pair& pair, const Outcome& out) {
  const double before = objective_of(pair.problem, pair.start);
  const double after = objective_of(pair.problem, out.x);
  CHECK(after <= before);
  CHECK(out.summary.objective == after);
  CHECK(out.summary.initial_objective == before);
  CHECK(out.summary.termination != Termination::not_started);
  CHECK_FALSE(out.summary.message.empty());
  CHECK(out.summary.message.find('\n') == std::string::npos);
  CHECK(pair.problem.domain()->residual(point(out.x)) < 1e-12);
  const Trace& trace = out.summary.trace;
  const bool estimates = pair.solver.name == "riemannian_sgd" || pair.solver.name == "sequence";  // along an epoch
  REQUIRE_FALSE(trace.empty());
  CHECK(trace.front().iteration == 0);
  CHECK(close(trace.front().objective, before, kSum));
  for (std::size_t i = 1; i < trace.size(); ++i) {
    CHECK(trace[i].iteration > trace[i - 1].iteration);
    CHECK(trace[i].seconds >= trace[i - 1].seconds);
    if (!estimates && out.summary.usable()) CHECK_FALSE(trace[i].objective < after - 1e-6 * std::abs(after));
  }
  CHECK(trace.front().seconds >= 0);
  CHECK(out.summary.solve_seconds >= trace.back().seconds);
  CHECK(out.summary.solve_seconds + out.summary.observe_seconds <= out.wall_seconds + 1e-9);
}

TEST_CASE(
    "every pair: a better point, its own objective, a whole trace, the same bits again and with "
    "two threads") {
  for_each_pair([](const Pair& pair) {
    const auto solver = pair.make();
    const Outcome out = solve(*solver, pair.problem, pair.start);
    check_always(pair, out);
    CHECK(out.summary.usable());
    CHECK((out.summary.termination == Termination::max_iter || out.summary.termination == Termination::converged));
    CHECK(out.summary.objective < out.summary.initial_objective);
    CHECK(out.summary.best_objective == out.summary.objective);
    CHECK(out.summary.counts.starts == 1);
    CHECK(out.summary.counts.iterations >= 1);
    CHECK(out.summary.counts.evaluations >= 1);
    CHECK(out.summary.via == fit(solver->name(), solver->needs(), pair.problem.name(), pair.problem.offers()).via);
    CHECK(out.summary.trace.back().iteration == out.summary.counts.iterations);
    if (knows(pair.solver, "max_iter")) CHECK(out.summary.counts.iterations <= kIterations);

    if (pair.problem.offers().has<SmoothFace>()) {
      Executor executor;
      Evaluation evaluation(executor);
      Point gradient = pair.problem.domain()->zero();
      pair.problem.face<SmoothFace>().value_and_gradient(point(out.x), gradient, evaluation);
      CHECK(
          close(out.summary.gradient_norm, pair.problem.domain()->stationarity(point(out.x), gradient), {1e-9, 1e-12}));
    }

    // An object in no triplet stays where it was (on a sphere, up to renormalisation).
    if (pair.of_triplets) {
      const Vector drift = point(out.x).block(0).row(kIdle) - point(pair.start).block(0).row(kIdle);
      CHECK(drift.norm() <= (pair.problem.domain()->is_euclidean() ? 0 : 1e-12));
    }

    check_same(out, solve(*solver, pair.problem, pair.start));
    check_same(out, solve(*solver, pair.problem, pair.start, {.threads = 2}));
  });
}

TEST_CASE("every pair: a stop before the start changes nothing") {
  for_each_pair([](const Pair& pair) {
    const Outcome out = solve(*pair.make(), pair.problem, pair.start, {.stopped_before = true});
    check_always(pair, out);
    CHECK(out.summary.termination == Termination::cancelled);
    CHECK(out.summary.usable());
    CHECK(out.summary.trace.size() == 1);
    CHECK(same_bits(point(out.x).flat(), point(pair.start).flat()));
  });
}

TEST_CASE("every pair: a stop at iteration 3 ends soon, cleanly, with a usable point") {
  for_each_pair([](const Pair& pair) {
    Case how;
    ObserverOf stopper([&](const Solution&, TraceRecord& record) {
      if (record.iteration == 3) how.stop.request_stop();
    });
    how.observer = &stopper;
    const Outcome out = solve(*pair.make(), pair.problem, pair.start, how);
    check_always(pair, out);
    if (!how.stop.stop_requested()) {  // a solver may converge before
      CHECK(out.summary.termination == Termination::converged);
      return;
    }
    CHECK(out.summary.termination == Termination::cancelled);
    CHECK(out.summary.usable());
    CHECK(out.summary.counts.iterations <= 4);
    CHECK(out.summary.trace.back().iteration <= 4);
    CHECK(out.summary.objective < out.summary.initial_objective);
  });
}

TEST_CASE("every pair: a deadline is kept, with a usable point") {
  // The deadline passes at the tenth look at the clock. A solver that seldom looks has done much by then.
  static constexpr std::chrono::milliseconds kLook(1);
  const RunClock::ByHand clock(kLook);
  for_each_pair([](const Pair& pair) {
    if (!knows(pair.solver, "max_iter")) return;
    ValueTable table = pair.solver_options;
    table.set("max_iter", 100'000'000);
    for (const char* tolerance : {"tolerance", "gradient_tolerance"})
      if (knows(pair.solver, tolerance)) table.set(tolerance, 0.0);
    const Outcome out = solve(*pair.solver.make(table), pair.problem, pair.start, {.time_limit = 10 * kLook});
    check_always(pair, out);
    CHECK(out.summary.usable());
    // A batch solver may have come to rest at the last digit before.
    CHECK((out.summary.termination == Termination::time_limit || out.summary.termination == Termination::converged ||
           out.summary.termination == Termination::stalled));
    // At most 21 evaluations and 6,750 terms with kernels of AVX-512, AVX2 and SSE2.
    CHECK(out.summary.counts.evaluations < 1000);
    CHECK(out.summary.counts.terms < 1'000'000);
  });
}

TEST_CASE("every pair: no iterations is a clean nothing") {
  for_each_pair([](const Pair& pair) {
    if (!knows(pair.solver, "max_iter")) return;
    const Outcome out = solve(*pair.make("max_iter", 0), pair.problem, pair.start);
    check_always(pair, out);
    CHECK(out.summary.termination == Termination::max_iter);
    CHECK(out.summary.usable());
    CHECK(out.summary.counts.iterations == 0);
    CHECK(out.summary.trace.size() == 1);
    CHECK(same_bits(point(out.x).flat(), point(pair.start).flat()));
  });
}

TEST_CASE("every pair: a start that is not finite is given back as it was, as diverged") {
  for_each_pair([](const Pair& pair) {
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      Solution start = pair.start;
      std::get<Point>(start).flat()[3] = bad;
      const Outcome out = solve(*pair.make(), pair.problem, start);
      CHECK(out.summary.termination == Termination::diverged);
      CHECK_FALSE(out.summary.usable());
      CHECK_FALSE(out.summary.message.empty());
      CHECK(same_bits(point(out.x).flat(), point(start).flat()));
      REQUIRE_FALSE(out.summary.trace.empty());
      CHECK(out.summary.trace.front().iteration == 0);
    }
  });
}

/// Begins at 0.
template <class Derived>
class FromZero : public PointToy<Derived> {
 public:
  using PointToy<Derived>::PointToy;
  [[nodiscard]] Solution start(Rng&) const { return this->domain().zero(); }
};

/// Stress of five points on a line, all of which start at one place: the objective is finite there, the gradient NaN.
class CoincidentStress : public FromZero<CoincidentStress> {
 public:
  CoincidentStress() : FromZero({{"map", 5, 2, Euclidean{}}}) {}
  double value_and_gradient(const Point& x, Point& gradient, Evaluation&) const {
    gradient.set_zero();
    double sum = 0;
    for (TermIndex t = 0; t < term_count(); ++t) {
      TermGradient term(2);
      sum += this->term(x, t, term);
      for (const auto& entry : term.entries())
        for (Index c = 0; c < 2; ++c) gradient.block(0)(entry.row, c) += entry.gradient[c];
    }
    return sum;
  }
  double value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& evaluation) const {
    const double sum = value_and_gradient(x, out.plus, evaluation);
    out.minus.vector() = (-out.plus.vector()).cwiseMax(0);
    out.plus.vector() = out.plus.vector().cwiseMax(0) + 0 * out.plus.vector();  // NaN stays
    return sum;
  }
  [[nodiscard]] TermIndex term_count() const { return 10; }
  double term(const Point& x, TermIndex index, TermGradient& out) const {
    Index i = 1, j = static_cast<Index>(index);
    while (j >= i) j -= i++;
    const Vector between = x.block(0).row(i) - x.block(0).row(j);
    const double distance = between.norm(), off = distance - static_cast<double>(i - j);
    double *ahead = out.add(0, i, 2), *behind = out.add(0, j, 2);
    for (Index c = 0; c < 2; ++c) behind[c] = -(ahead[c] = 2 * off / distance * between[c]);
    return off * off;
  }
};

TEST_CASE("every solver: a gradient that is not finite at a finite objective is diverged, not converged") {
  const Problem problem("coincident_stress", CoincidentStress());
  int tried = 0;
  for (const SolverEntry& entry : solver_catalog().entries()) {
    if (!fit(entry.name, entry.needs, problem.name(), problem.offers()).fits) continue;
    CAPTURE(entry.name);
    const Solution start = problem.domain()->zero();
    const Outcome out = solve(*entry.make({}), problem, start);
    CHECK(out.summary.termination == Termination::diverged);
    CHECK(out.summary.message.find("not finite") != std::string::npos);
    CHECK(same_bits(point(out.x).flat(), point(start).flat()));
    ++tried;
  }
  CHECK(tried >= 8);
}

/// Sums over six numbers that start at 0 and are pulled beyond 4, where there are no numbers.
class Bordered : public FromZero<Bordered> {
 public:
  enum class Kind { value, gradient, logarithm };
  /// Throws from its call number `calls` on, if that is not 0.
  explicit Bordered(Kind kind, double lowest = 10, int calls = 0)
      : FromZero({{"map", 3, 2, Euclidean{}}}),
        kind_(kind),
        lowest_(lowest),
        calls_left_(std::make_shared<int>(calls)) {}
  double value_and_gradient(const Point& x, Point& gradient, Evaluation&) const {
    count();
    double sum = 0;
    for (Index k = 0; k < x.size(); ++k) sum += at(x.vector()[k], gradient.vector()[k]);
    return sum;
  }
  double value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& evaluation) const {
    const double sum = value_and_gradient(x, out.minus, evaluation);
    out.plus.vector().setOnes();
    out.minus.vector() = (1 - out.minus.vector().array()).matrix();
    return sum;
  }
  [[nodiscard]] TermIndex term_count() const { return 3; }
  double term(const Point& x, TermIndex index, TermGradient& out) const {
    count();
    const auto row = static_cast<Index>(index);
    double* slope = out.add(0, row, 2);
    return at(x.block(0)(row, 0), slope[0]) + at(x.block(0)(row, 1), slope[1]);
  }

 private:
  double at(double y, double& slope) const {
    if (kind_ == Kind::logarithm) {
      slope = y > 4 ? kUnknown : -1 / (4 - y);
      return std::log(4 - y);
    }
    slope = kind_ == Kind::gradient && y > 4 ? kUnknown : 2 * (y - lowest_);
    return kind_ == Kind::value && y > 4 ? kUnknown : (y - lowest_) * (y - lowest_);
  }
  void count() const {
    if (*calls_left_ == 1) throw std::runtime_error("no licence");
    if (*calls_left_ > 1) --*calls_left_;
  }
  Kind kind_;
  double lowest_;
  std::shared_ptr<int> calls_left_;
};

TEST_CASE("every solver: a problem that throws late leaves the best point before, one that throws at once throws") {
  const Problem answers("bordered", Bordered(Bordered::Kind::value, 3));
  for (const SolverEntry& entry : solver_catalog().entries()) {
    if (!fit(entry.name, entry.needs, answers.name(), answers.offers()).fits) continue;
    CAPTURE(entry.name);
    int kept = 0;
    for (const int calls : {1, 4, 8, 16, 32, 48, 64, 96, 128}) {
      CAPTURE(calls);
      Outcome out;
      try {
        out = solve(*entry.make({}), Problem("bordered", Bordered(Bordered::Kind::value, 3, calls)),
                    answers.domain()->zero());
      } catch (const std::runtime_error&) {  // before the first step
        CHECK(kept == 0);
        continue;
      }
      CHECK(calls > 1);
      CAPTURE(out.summary.message);
      CHECK(out.summary.objective == doctest::Approx(objective_of(answers, out.x)));  // or the estimate of an epoch
      CHECK(out.summary.objective < out.summary.initial_objective);
      if (out.summary.message.find("no licence") == std::string::npos) continue;  // done before
      ++kept;
      CHECK(out.summary.termination == Termination::stalled);
    }
    CHECK(kept > 0);
  }
}

TEST_CASE("every solver: where what is finite ends, the solve is diverged at the best point before") {
  int tried = 0;
  for (const auto kind : {Bordered::Kind::value, Bordered::Kind::gradient, Bordered::Kind::logarithm}) {
    const Problem problem("bordered", Bordered(kind));
    const Solution start = problem.domain()->zero();
    for (const SolverEntry& entry : solver_catalog().entries()) {
      if (!fit(entry.name, entry.needs, problem.name(), problem.offers()).fits) continue;
      CAPTURE(static_cast<int>(kind));
      CAPTURE(entry.name);
      ValueTable table;
      const bool blind = entry.name == "riemannian_sgd" || entry.name == "sequence";  // to the sum of the terms
      if (entry.name == "riemannian_sgd") table.set("learning_rate", 1.0);
      const Outcome out = solve(*entry.make(table), problem, start);
      CAPTURE(out.summary.message);
      // A logarithm falls without end before its border: steps too short to matter end there, too.
      const bool stalled = kind == Bordered::Kind::logarithm && out.summary.termination == Termination::stalled;
      CHECK((stalled || out.summary.termination == Termination::diverged));
      CHECK((stalled || blind || out.summary.message.find("not finite") != std::string::npos));
      CHECK(out.summary.objective == objective_of(problem, out.x));
      CHECK(out.summary.objective <= out.summary.initial_objective);
      if (!blind && kind != Bordered::Kind::gradient)  // which no value of a trial shows
        CHECK(out.summary.objective < out.summary.initial_objective);
      ++tried;
    }
  }
  CHECK(tried >= 3 * 8);
}

TEST_CASE("every solver: a minimum near where what is finite ends is found, and is none of this") {
  for (const auto kind : {Bordered::Kind::value, Bordered::Kind::gradient})
    for (const SolverEntry& entry : solver_catalog().entries()) {
      const Problem problem("bordered", Bordered(kind, 3.9));
      if (!fit(entry.name, entry.needs, problem.name(), problem.offers()).fits) continue;
      CAPTURE(static_cast<int>(kind));
      CAPTURE(entry.name);
      const Outcome out = solve(*entry.make({}), problem, problem.domain()->zero());
      CAPTURE(out.summary.message);
      CHECK(out.summary.usable());
      CHECK(out.summary.objective < 1e-2 * out.summary.initial_objective);
    }
}

TEST_CASE("every pair: steps that explode leave a point no worse than the start") {
  for_each_pair([](const Pair& pair) {
    if (!knows(pair.solver, "learning_rate")) return;
    for (const double rate : {1e3, 1e30, 1e300}) {
      CAPTURE(rate);
      const Outcome out = solve(*pair.make("learning_rate", rate), pair.problem, pair.start);
      check_always(pair, out);
    }
  });
}

TEST_CASE("every pair: of several starts the best is kept, the first of which is the one given, on threads") {
  for_each_pair([](const Pair& pair) {
    if (!knows(pair.solver, "n_init")) return;
    const Outcome one = solve(*pair.make(), pair.problem, pair.start);
    const auto several = pair.make("n_init", 3);
    const Outcome best = solve(*several, pair.problem, pair.start);
    CHECK(best.summary.objective <= one.summary.objective);
    CHECK(best.summary.objective == objective_of(pair.problem, best.x));
    CHECK(best.summary.counts.starts == 3);
    CHECK(best.summary.counts.iterations > one.summary.counts.iterations);
    if (best.summary.objective == one.summary.objective) CHECK(same_bits(point(best.x).flat(), point(one.x).flat()));
    check_same(best, solve(*several, pair.problem, pair.start, {.threads = 2}));
  });
}

TEST_CASE(
    "every pair: the observer sees iterates that belong to the trace, while the clock stands "
    "still") {
  for_each_pair([](const Pair& pair) {
    using Clock = std::chrono::steady_clock;
    Clock::duration spent{};
    std::vector<Index> seen;
    std::vector<double> objectives;
    ObserverOf observer(
        [&](const Solution& x, TraceRecord& record) {
          const auto begin = Clock::now();
          seen.push_back(record.iteration);
          objectives.push_back(objective_of(pair.problem, x));
          record.metrics.emplace_back("looks", static_cast<double>(seen.size()));
          spent += Clock::now() - begin;
        },
        2);
    const Outcome out = solve(*pair.make(), pair.problem, pair.start, {.observer = &observer});
    check_always(pair, out);
    REQUIRE_FALSE(seen.empty());
    CHECK(seen.front() == 0);
    CHECK(objectives.front() == out.summary.initial_objective);
    CHECK(objectives.back() <= out.summary.initial_objective);
    // However long the looks took: what is measured around them is longer.
    CHECK(out.summary.observe_seconds >= (1 - 1e-9) * std::chrono::duration<double>(spent).count());
    std::size_t looks = 0;
    for (const TraceRecord& record : out.summary.trace) {
      const bool wanted = record.iteration % 2 == 0;
      const bool looked = !record.metrics.empty() && record.metrics.back().first == "looks";
      CHECK(looked == wanted);
      if (!wanted) continue;
      REQUIRE(looks < seen.size());
      CHECK(seen[looks] == record.iteration);
      ++looks;
      CHECK(record.metrics.back().second == static_cast<double>(looks));
    }
    CHECK(looks == seen.size());
    // Looking does not change where the solver goes.
    const Outcome unobserved = solve(*pair.make(), pair.problem, pair.start);
    CHECK(same_bits(point(out.x).flat(), point(unobserved.x).flat()));
  });
}

TEST_CASE("every pair: an exception of the observer comes through, and the solver can be used again") {
  for_each_pair([](const Pair& pair) {
    ObserverOf thrower([](const Solution&, TraceRecord& record) {
      if (record.iteration >= 1) throw DataError("the disk is full");
    });
    const auto solver = pair.make();
    bool reached = false;
    try {
      static_cast<void>(solve(*solver, pair.problem, pair.start, {.observer = &thrower}));
    } catch (const DataError& error) {
      reached = std::string_view(error.what()) == "the disk is full";
    }
    CHECK(reached);
    CHECK(solve(*solver, pair.problem, pair.start).summary.usable());
  });
}

TEST_CASE(
    "every pair whose solutions are no points: its own objective, a whole trace, the same bits "
    "again and with two threads, "
    "stops that leave the start or a usable answer") {
  int pairs = 0;
  const Observations few = make_observations(14);  // interior points form all rows
  for (const ProblemEntry& problem : problem_catalog().entries()) {
    // A domain is all but said: those that are smooth have one, and may ask for more than few neighbours.
    if (problem.offers.has<SmoothFace>()) continue;
    const Problem made = problem.make(few, {});
    if (made.domain()) continue;
    Rng rng = Rng::stream(kSeed, "init");
    const Solution start = made.start(rng);
    for (const SolverEntry& entry : solver_catalog().entries()) {
      const Fit pair = fit(entry.name, entry.needs, made.name(), made.offers());
      if (!pair.fits || !entry.missing.empty()) continue;
      if (entry.name == "fixed_diagonal") continue;  // fixed_diagonal_test.cpp: only max_cut fixes the diagonal
      CAPTURE(problem.name);
      CAPTURE(entry.name);
      ++pairs;
      const auto solver = entry.make({});
      const auto check = [&](const Outcome& out) {
        CHECK(out.summary.objective == objective_of(made, out.x));
        CHECK(out.summary.initial_objective == objective_of(made, start));
        CHECK(out.summary.usable());
        CHECK_FALSE(out.summary.message.empty());
        CHECK(out.summary.message.find('\n') == std::string::npos);
        REQUIRE_FALSE(out.summary.trace.empty());
        CHECK(out.summary.trace.front().iteration == 0);
        CHECK(out.summary.trace.back().iteration == out.summary.counts.iterations);
        CHECK(out.summary.solve_seconds + out.summary.observe_seconds <= out.wall_seconds + 1e-9);
        if (out.summary.certificate)
          CHECK(out.summary.certificate->gap == out.summary.objective - out.summary.certificate->lower_bound);
      };
      const Outcome out = solve(*solver, made, start);
      CAPTURE(out.summary.message);
      check(out);
      CHECK(out.summary.counts.iterations >= 1);
      CHECK(out.summary.via == pair.via);
      for (const int threads : {1, 2}) {
        Case how;
        how.threads = threads;
        const Outcome again = solve(*solver, made, start, how);
        check(again);
        CHECK(again.summary.message == out.summary.message);
        CHECK(again.summary.objective == out.summary.objective);
        CHECK(numbers(again.x) == numbers(out.x));
      }
      Case stopped;
      stopped.stopped_before = true;
      const Outcome nothing = solve(*solver, made, start, stopped);
      check(nothing);
      CHECK(nothing.summary.termination == Termination::cancelled);
      CHECK(numbers(nothing.x) == numbers(start));
      const RunClock::ByHand clock(std::chrono::milliseconds(1));
      Case hurried;
      hurried.time_limit = std::chrono::milliseconds(3);
      check(solve(*solver, made, start, hurried));
    }
  }
  CHECK(pairs >= 2 + 2 * 5);
}

TEST_CASE("every solver: the options it resolves to make the same solver") {
  for (const SolverEntry& entry : solver_catalog().entries()) {
    CAPTURE(entry.name);
    const auto solver = entry.make({});
    CHECK(solver->name() == entry.name);
    CHECK(solver->needs() == entry.needs);
    const ValueTable resolved = solver->resolved_options();
    CHECK(resolved.size() == entry.options.size());
    for (const OptionInfo& info : entry.options) {
      CAPTURE(info.name);
      CHECK_FALSE(info.doc.empty());
      REQUIRE(resolved.find(info.name) != nullptr);
      // Inner solvers are resolved to all of their options.
      if (info.kind != "solver" && info.kind != "list of solvers")
        CHECK(*resolved.find(info.name) == info.default_value);
    }
    CHECK(entry.make(resolved)->resolved_options() == resolved);
    ValueTable unknown;
    unknown.set("no_such_option", 1);
    CHECK_THROWS_AS(static_cast<void>(entry.make(unknown)), ConfigError);
  }
}

TEST_CASE("a start that is no solution of the problem is refused by every solver, and by the problem itself") {
  Rng rng(kSeed);
  const Matrix square = random_matrix(4, 4, rng).cwiseAbs(), wider = random_matrix(30, 30, rng).cwiseAbs();
  const Problem stress{"toy_stress", Stress(square + square.transpose(), 2)};
  const Problem larger{"toy_stress", Stress(wider + wider.transpose(), 2)};
  const Problem eigen{"toy_eigen", Eigenvectors(square + square.transpose(), 2, true)};
  const Problem program{"toy_sdp", SmallestEigenvalueProgram(square + square.transpose(), 1)};
  const std::vector<std::pair<const Problem*, Solution>> wrong = {
      {&stress, larger.start(rng)}, {&larger, stress.start(rng)}, {&stress, eigen.start(rng)},
      {&stress, Point()},           {&eigen, stress.start(rng)},  {&program, stress.start(rng)}};
  int refused = 0;
  for (const auto& [problem, start] : wrong) {
    Executor executor;
    Evaluation evaluation(executor);
    CHECK_THROWS_AS(static_cast<void>(problem->objective(start, evaluation)), ConfigError);
    CHECK_THROWS_AS(static_cast<void>(problem->decode(start)), ConfigError);
    for (const SolverEntry& entry : solver_catalog().entries()) {
      if (!fit(entry.name, entry.needs, problem->name(), problem->offers()).fits) continue;
      CAPTURE(entry.name);
      Solution x = start;
      SolveContext context(executor);
      CHECK_THROWS_AS(static_cast<void>(entry.make({})->solve(*problem, x, context)), ConfigError);
      ++refused;
    }
  }
  CHECK(refused >= 9);
}

TEST_CASE("a pair that does not fit throws the sentence of fit and leaves x alone") {
  Rng rng(kSeed);
  const Matrix square = random_matrix(4, 4, rng).cwiseAbs();
  const std::vector<Problem> toys = {
      {"toy_eigen", Eigenvectors(square + square.transpose(), 2, true)},
      {"toy_assignment", CheapestAssignment(square)},
      {"toy_sdp", SmallestEigenvalueProgram(square + square.transpose(), 1)},
      {"toy_stress", Stress(square + square.transpose(), 2)},
      {"toy_factorization", Factorization(square, 2, 0.1)},
      {"toy_boxed_bowl", Bowl(square, Vector::Ones(4), Box{0, 1})},
  };
  int refused = 0;
  for (const Problem& toy : toys)
    for (const SolverEntry& entry : solver_catalog().entries()) {
      const Fit outcome = fit(entry.name, entry.needs, toy.name(), toy.offers());
      if (outcome.fits || !entry.missing.empty()) continue;
      CAPTURE(entry.name);
      const std::string name = toy.name();
      CAPTURE(name);
      Solution x = toy.start(rng);
      const auto kind = x.index();
      Executor executor;
      SolveContext context(executor);
      try {
        static_cast<void>(entry.make({})->solve(toy, x, context));
        FAIL_CHECK("accepted");
      } catch (const UnsupportedPair& error) {
        CHECK(std::string_view(error.what()) == outcome.reason);
        CHECK(outcome.reason.find("lacks") != std::string::npos);
      }
      CHECK(x.index() == kind);
      ++refused;
    }
  CHECK(refused >= 11);
}

}  // namespace
}  // namespace solver_contract_test
