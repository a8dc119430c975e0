// Cutting planes and all rows at once against the reference's optima; what each end of a solve leaves and says.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/faces/separation.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/psde_program.hpp"
#include "solvers/catalog.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/contradictory_answers.hpp"
#include "tests/support/listed_program.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/pair_sign_makers.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/text_holds.hpp"

namespace cutting_plane_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using semidefinite::DistanceMap;
using semidefinite::PsdeOptions;
using semidefinite::PsdeProgram;

constexpr std::uint64_t kSeed = 20240611;

Problem psde(const SharedSigns& signs, const PsdeOptions& options = {}) {
  return Problem("psde", DistanceMap(std::make_shared<const PsdeProgram>(signs, options), 2));
}
std::unique_ptr<const Solver> cutting(const std::string& options = "") { return solver_with("cutting_plane", options); }
Outcome solved(const Problem& problem, const std::string& options = "{}", const Case& how = {}) {
  Rng rng(kSeed);
  return solve(*cutting(options), problem, problem.start(rng), how);
}
const SemidefiniteSolution& semidefinite_of(const Outcome& out) { return std::get<SemidefiniteSolution>(out.x); }
SharedSigns cylinder(Index a, Index e) { return cylinder_signs(a, e); }

/// Bounds, violations and value, each by our own arithmetic.
void check_optimal(const Problem& problem, const Outcome& out, double optimum, double gap = 1e-8) {
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  CHECK(close(out.summary.objective, optimum, {1e-6, 0}));
  CHECK(out.summary.objective == objective_of(problem, out.x));
  REQUIRE(out.summary.certificate);
  const Certificate& certificate = *out.summary.certificate;
  CHECK(certificate.gap <= gap * std::abs(optimum));
  CHECK(certificate.gap == out.summary.objective - certificate.lower_bound);
  // What is left in x proves it again.
  Executor executor;
  SemidefiniteSolution solution = semidefinite_of(out);
  const auto judged = judge(problem.face<SeparationFace>().distance_program(), solution, executor);
  CHECK(close(judged.lower_bound, certificate.lower_bound, {1e-8, 0}));
  const auto n = static_cast<double>(semidefinite_of(out).blocks[0].values.rows());
  CHECK(judged.violations.max <= 1e-6 / n);
  CHECK(close(judged.violations.max, out.summary.violations.max, {1e-12, 1e-300}));
  if (certificate.upper_bound) {
    CHECK(*certificate.upper_bound >= certificate.lower_bound);
    CHECK(*certificate.upper_bound - certificate.lower_bound <= 1e-4 * std::abs(optimum));
  }
}

void check_references(const char* solver, const std::function<bool(const std::string&)>& wanted, int expected) {
  const bool cuts = std::string_view(solver) == "cutting_plane";
  int seen = 0;
  for (const ReferenceInstance& instance : reference_instances()) {
    if (!wanted(instance.name)) continue;
    CAPTURE(solver);
    CAPTURE(instance.name);
    const Problem problem = psde(instance.signs);
    Rng rng(kSeed);
    const Outcome out = solve(*solver_with(solver), problem, problem.start(rng));
    check_optimal(problem, out, instance.optimum, cuts ? 1e-8 : 1e-7);  // CSDP's own measure is another
    ++seen;
    if (!cuts) continue;
    CHECK(out.summary.via.empty());
    CHECK(out.summary.certificate->upper_bound.has_value() == PsdeProgram(instance.signs, {}).has_interior());
    const auto rows = semidefinite_of(out).rows.size();
    CHECK(std::ssize(semidefinite_of(out).rows) == semidefinite_of(out).multipliers.size());
    CHECK(rows < PsdeProgram(instance.signs, {}).all_constraints().size() / 2);
  }
  CHECK(seen == expected);
}

TEST_CASE("cutting planes, and all rows by csdp, reach the reference's optima, certified" * needs_csdp()) {
  const auto stars = [](const std::string& name) { return name == "star6x4-k2" || name == "star6x4-sym-k3"; };
  check_references("csdp", stars, 2);
  check_references(
      "cutting_plane",
      [&](const std::string& name) { return stars(name) || name == "grid6x6-sym-k4" || name == "cylinder-9x5"; }, 4);
}
TEST_SUITE("heavy") {
  TEST_CASE("cutting planes: every instance of the reference; and all rows of those of few objects") {
    check_references(
        "cutting_plane", [](const std::string&) { return true; }, 16);
    if (Csdp::missing().empty())
      check_references(
          "csdp", [](const std::string& name) { return !name.starts_with("cylinder"); }, 12);
  }
}

TEST_CASE("all rows at once: the same optimum by way of the adapter, in the problem's units" * needs_csdp()) {
  const SharedSigns signs = cylinder(6, 4);
  const Problem problem = psde(signs, PsdeOptions{true, false, 2.5});
  Rng rng(kSeed);
  const Outcome all = solve(Csdp(CsdpOptions()), problem, problem.start(rng));
  CAPTURE(all.summary.message);
  CHECK(all.summary.via == std::vector<std::string>{"all_rows"});
  check_optimal(problem, all, 2.5 * -0.0854700848, 1e-7);  // CSDP's own measure is another
  CHECK(all.summary.certificate->upper_bound);
  CHECK(semidefinite_of(all).rows.size() == 24 * 23);
  CHECK(semidefinite_of(all).multipliers.minCoeff() > -1e-9);
  CHECK(close(semidefinite_of(all).blocks[0].values.trace(), 2.5, {1e-6, 0}));
  CHECK(close(all.summary.trace.back().objective, all.summary.objective, {1e-3, 0}));
  const Outcome cut = solved(problem);
  CHECK(close(cut.summary.objective, all.summary.objective, {1e-7, 0}));
  const Embedding map = problem.decode(all.x);
  CHECK(map.only().cols() == 2);
  CHECK(map.estimates[1].second == 3);  // rank
}

TEST_CASE("all rows that would fill the memory are refused before they are made" * needs_csdp()) {
  const Problem large = psde(cylinder(125, 16));  // 2000 objects, 4 million rows
  const std::string message =
      message_of<ConfigError>([&] { return solve(Csdp(CsdpOptions()), large, SemidefiniteSolution{}); });
  CHECK(holds_all(message, {"3998000", "'cutting_plane'", "'low_rank'"}));
}

TEST_CASE("every way of going about it ends at the same value" * needs_csdp()) {
  const Problem problem = psde(neighbor_signs(rectangle_points(30, kSeed), 4, false));
  const Outcome plain = solved(problem);
  CAPTURE(plain.summary.message);
  CHECK(plain.summary.termination == Termination::converged);
  for (const char* options :
       {"{ drop = false }", "{ warm_start = false }", "{ budget = 1, first_rows = 3 }", "{ budget = 30 }",
        "{ solver = \"csdp\" }", "{ solver = { name = csdp, warm_start = false, tolerance = 1e-7 } }"}) {
    CAPTURE(options);
    const Outcome other = solved(problem, options);
    CAPTURE(other.summary.message);
    CHECK(other.summary.termination == Termination::converged);
    CHECK(close(other.summary.objective, plain.summary.objective, {1e-7, 0}));
  }
  Case another;
  another.seed = 2;  // other first rows
  CHECK(close(solved(problem, "{}", another).summary.objective, plain.summary.objective, {1e-7, 0}));
}

TEST_CASE("rows that pay for slacks hide no others of their object" * needs_csdp()) {
  // Each object is the anchor of more violated rows than there are objects.
  const Problem problem = made("psde_triplets", contradictory_answers(15, 400), "{ margin = 1, beta = 30 }");
  Rng rng(1);
  const Outcome out = solve(*solver_with("cutting_plane"), problem, problem.start(rng));
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->gap <= 1e-6 * out.summary.objective);
}

TEST_CASE("each round is in the trace with its figures") {
  const Problem problem = psde(cylinder(9, 5));
  const Outcome out = solved(problem);
  const Trace& trace = out.summary.trace;
  REQUIRE(std::ssize(trace) == out.summary.counts.iterations + 1);
  CHECK(trace.size() >= 3);
  // Of the solver's own, after what was spent.
  const auto own = [&](std::size_t k, std::size_t figure) { return trace[k].metrics.at(kSpentNames.size() + figure); };
  CHECK(trace[0].metrics.size() == kSpentNames.size());
  CHECK(trace[0].objective == out.summary.initial_objective);
  for (std::size_t k = 1; k < trace.size(); ++k) {
    CHECK(trace[k].iteration == static_cast<Index>(k));
    REQUIRE(trace[k].metrics.size() == kSpentNames.size() + 7);
    CHECK(trace[k].metrics.at(4) == std::pair<std::string, double>("sdp_solves", k));
    CHECK(own(k, 1).first == "violated_rows");
    CHECK(own(k, 4).second <= -0.0447313571 + 1e-9);
    if (k > 1) CHECK(own(k, 4).second >= own(k - 1, 4).second);
  }
  CHECK(out.summary.counts.sdp_solves == out.summary.counts.iterations);
  CHECK(own(1, 1).second > 0);
  CHECK(own(1, 2).second <= 45);
  CHECK(own(1, 6).first == "violated_unused");
  CHECK(own(1, 6).second > 0);
  CHECK(own(trace.size() - 1, 1).second == 0);
  CHECK(own(trace.size() - 1, 6).second == 0);
  CHECK(own(trace.size() - 1, 0).second == static_cast<double>(semidefinite_of(out).rows.size()));
}

TEST_CASE("rows and multipliers of the start are the first to be tried") {
  const Problem problem = psde(cylinder(9, 5));
  const Outcome first = solved(problem);
  const Outcome again = solve(*cutting(), problem, first.x);
  CAPTURE(again.summary.message);
  CHECK(again.summary.termination == Termination::converged);
  CHECK(close(again.summary.objective, first.summary.objective, {1e-7, 0}));
  // The same from a factor.
  SemidefiniteSolution factored = semidefinite_of(first);
  factored.blocks[0] = {true, problem.decode(first.x).only()};
  CHECK(solve(*cutting(), problem, factored).summary.termination == Termination::converged);
  // A start whose multipliers do not belong to its rows is as good as none.
  factored.multipliers = Vector::Ones(2);
  CHECK(solve(*cutting(), problem, factored).summary.termination == Termination::converged);
}

TEST_SUITE("statistical") {
  TEST_CASE("a start at the optimum saves rounds and iterations") {
    const Problem problem = psde(cylinder(9, 5));
    const Outcome first = solved(problem);
    const Outcome again = solve(*cutting(), problem, first.x);
    CAPTURE(first.summary.counts.evaluations);
    CAPTURE(again.summary.counts.evaluations);
    // 1 iteration, and 12 evaluations against 52, with kernels of AVX-512, AVX2 and SSE2.
    CHECK(again.summary.counts.iterations <= 2);
    CHECK(again.summary.counts.evaluations < first.summary.counts.evaluations);
  }
}

TEST_CASE("too few rounds: the bound holds, violations are counted, the message says what to do") {
  const Problem problem = psde(cylinder(9, 5));
  const Outcome out = solved(problem, "{ max_iter = 1 }");
  CHECK(out.summary.termination == Termination::max_iter);
  CHECK(out.summary.message.find("Raise max_iter") != std::string::npos);
  CHECK(out.summary.violations.count > 0);
  CHECK(out.summary.violations.sum >= out.summary.violations.max);
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->lower_bound <= -0.0447313571);
  REQUIRE(out.summary.certificate->upper_bound);
  CHECK(*out.summary.certificate->upper_bound >= -0.0447313572);
  CHECK(out.summary.objective < -0.0447313571);  // of the relaxation
  CHECK(out.summary.usable());
  const Outcome none = solved(problem, "{ max_iter = 0 }");
  CHECK(none.summary.termination == Termination::max_iter);
  CHECK(none.summary.objective == none.summary.initial_objective);
}

TEST_CASE("collapse: where only ties satisfy the signs the optimum is 0, which is proven and said") {
  for (const SharedSigns& signs :
       {signs_of(3, {{0, 1}, {1, 2}, {2, 0}}),
        signs_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {0, 2}, {1, 3}, {2, 4}, {3, 0}, {4, 1}})}) {
    const Outcome out = solved(psde(signs));
    CAPTURE(out.summary.message);
    CHECK(out.summary.termination == Termination::converged);
    CHECK(out.summary.message.find("the optimum is 0") == 0);
    CHECK(std::abs(out.summary.objective) < 1e-6);
    REQUIRE(out.summary.certificate);
    CHECK(out.summary.certificate->lower_bound <= 0);
    CHECK(out.summary.certificate->lower_bound > -1e-5);
  }
}

TEST_CASE("a similarity graph in pieces is no difficulty: the pieces move apart as far as variance allows") {
  std::vector<ObjectPair> similar;
  for (ObjectId i = 0; i < 12; ++i)
    for (ObjectId j = 0; j < 12; ++j)
      if (i != j && i / 4 == j / 4) similar.push_back({i, j});
  const Problem problem = psde(signs_of(12, similar));
  const Outcome out = solved(problem);
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  // Three cliques at the corners of a triangle: within 0, between 2 T / n * (n / (n - 4)) ... all variance between.
  // sum of d2 over ordered dissimilar pairs is 2 n tr G, so the value is -2 n / n_D.
  CHECK(close(out.summary.objective, -2.0 * 12 / 96, {1e-6, 0}));
}

TEST_CASE("one radius for all: the reference's values") {
  Matrix grid(25, 2);
  for (Index i = 0; i < 25; ++i) {
    grid(i, 0) = static_cast<double>(i / 5);
    grid(i, 1) = static_cast<double>(i % 5);
  }
  const SharedSigns signs = neighbor_signs(grid, 3, true);
  const Outcome out = solved(psde(signs, PsdeOptions{true, true, 1}));
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  CHECK(close(out.summary.objective, -0.086835337, {1e-6, 0}));
  CHECK(close(semidefinite_of(out).blocks[1].values(0, 0), 0.016591, {1e-3, 0}));
  // Unweighted, the numbers are a thousand times larger.
  const Outcome heavy = solved(psde(signs, PsdeOptions{false, true, 1}));
  CAPTURE(heavy.summary.message);
  CHECK(heavy.summary.usable());
  CHECK(close(heavy.summary.objective, -48.37486, {1e-6, 0}));
}

/// Another program, which calls a function whenever a round names its rows: after the round has begun, before its
/// program is solved.
class Overheard final : public DistanceProgram {
 public:
  Overheard(const PsdeProgram& of, std::function<void()> named)
      : DistanceProgram(of.cost()), of_(of), named_(std::move(named)) {}
  std::uint64_t row_count() const override { return of_.row_count(); }
  DistanceConstraint row(ConstraintId id) const override { return of_.row(id); }
  std::string constraint_name(ConstraintId id) const override {
    named_();
    return of_.constraint_name(id);
  }
  std::vector<ConstraintId> all_constraints() const override { return of_.all_constraints(); }
  std::vector<ConstraintId> first_constraints(Index per_side, Rng& rng) const override {
    return of_.first_constraints(per_side, rng);
  }
  Violations separate(const SquaredDistances& d2, Index budget, double tolerance, std::vector<ConstraintId>& out,
                      Executor& executor) const override {
    return of_.separate(d2, budget, tolerance, out, executor);
  }
  double slack_cost(const SquaredDistances& d2) const override { return of_.slack_cost(d2); }
  std::optional<double> repaired_value(double value, double violation, double trace) const override {
    return of_.repaired_value(value, violation, trace);
  }

 private:
  PsdeProgram of_;
  std::function<void()> named_;
};

TEST_CASE("stopped in the middle of a round: the round before is returned with what it proves") {
  const SharedSigns signs = cylinder(12, 6);
  const auto check_first_round = [](const Problem& of, const Outcome& out) {
    CAPTURE(out.summary.message);
    CHECK(out.summary.message.find("in round 2; the round before is kept") != std::string::npos);
    CHECK(out.summary.usable());
    CHECK(out.summary.counts.iterations == 1);
    CHECK(out.summary.objective == objective_of(of, out.x));
    REQUIRE(out.summary.certificate);
    CHECK(out.summary.certificate->lower_bound <= -0.0280196367);
    CHECK(out.summary.violations.max > 0);
  };
  Case how;
  bool first_is_done = false;
  ObserverOf observer([&](const Solution&, TraceRecord& record) { first_is_done = record.iteration == 1; });
  how.observer = &observer;
  const Problem heard("psde", DistanceMap(std::make_shared<const Overheard>(PsdeProgram(signs, {}),
                                                                            [&] {
                                                                              if (first_is_done)
                                                                                how.stop.request_stop();
                                                                            }),
                                          2));
  const Outcome stopped = solved(heard, "{}", how);
  CHECK(stopped.summary.termination == Termination::cancelled);
  check_first_round(heard, stopped);

  const Problem problem = psde(signs);
  {
    // Looks at the clock in round 2: at its beginning, before the inner solve, and at each of its iterations.
    std::optional<RunClock::ByHand> clock;
    Case late;
    late.time_limit = std::chrono::hours(5);
    ObserverOf starter([&](const Solution&, TraceRecord& record) {
      if (record.iteration == 1) clock.emplace(std::chrono::hours(1));
    });
    late.observer = &starter;
    const Outcome out = solved(problem, "{}", late);
    CHECK(out.summary.termination == Termination::time_limit);
    check_first_round(problem, out);
  }
  // In the first round: two looks are before the inner solve.
  const RunClock::ByHand clock(std::chrono::microseconds(300));
  Case late;
  late.time_limit = std::chrono::milliseconds(1);
  const Outcome nothing = solved(problem, "{}", late);
  CHECK(nothing.summary.termination == Termination::time_limit);
  CHECK(nothing.summary.message.starts_with("time_limit in round 1, the first round; x is still the start"));
  CHECK(nothing.summary.objective == nothing.summary.initial_objective);
  REQUIRE(nothing.summary.certificate);
  CHECK(nothing.summary.certificate->lower_bound <= -0.0280196367);
  Case before;
  before.stopped_before = true;
  CHECK(solved(problem, "{}", before).summary.message.starts_with("cancelled before the first iteration"));
}

TEST_CASE("rows that contradict each other end as infeasible, in whatever round, and leave x") {
  std::vector<DistanceConstraint> rows;
  for (const double bound : {1.0, 2.0})
    rows.push_back({.terms = {{{0, 1, 1}}}, .term_count = 1, .equality = true, .bound = bound});
  const DistanceCost cost{.object_count = 3, .pairs = {{0, 1, 1}}, .trace_bound = 5};
  const Problem problem("contradiction", DistanceMap(std::make_shared<const ListedProgram>(cost, rows), 2));
  Rng rng(kSeed);
  const Solution start = problem.start(rng);
  const Outcome out = solve(*cutting(), problem, start);
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::infeasible);
  CHECK_FALSE(out.summary.usable());
  CHECK(out.summary.message.find("infeasible: ") != std::string::npos);
  CHECK(semidefinite_of(out).blocks[0].values == std::get<SemidefiniteSolution>(start).blocks[0].values);
}

TEST_CASE("a constraint may have more than two distances" * needs_csdp()) {
  // max d_02 with d_01 + d_12 + d_23 + d_30 <= 4: by the parallelogram law at most 4, of four points on a line.
  const DistanceCost cost{.object_count = 4, .pairs = {{0, 2, -1}}, .trace_bound = 5, .fills_trace = false};
  const DistanceConstraint row{
      .terms = {{{0, 1, 1}, {1, 2, 1}}}, .term_count = 2, .more_terms = {{2, 3, 1}, {0, 3, 1}}, .bound = 4};
  const Problem problem("perimeter", DistanceMap(std::make_shared<const ListedProgram>(cost, std::vector{row}), 1));
  for (const char* name : {"low_rank", "cutting_plane", "csdp", "admm"}) {
    CAPTURE(name);
    Rng rng(kSeed);
    const Outcome out = solve(*solver_catalog().at(name).make({}), problem, problem.start(rng));
    CAPTURE(out.summary.message);
    CHECK(out.summary.usable());
    CHECK(close(out.summary.objective, -4, {1e-4, 1e-4}));
    REQUIRE(out.summary.certificate);
    CHECK(out.summary.certificate->lower_bound <= -4 + 1e-6);
    CHECK(out.summary.certificate->lower_bound > -4.01);
  }
}

TEST_CASE("what it does not take, it says" * needs_csdp()) {
  CHECK_THROWS_AS(cutting("{ solver = ceres }"), ConfigError);
  CHECK_THROWS_AS(cutting("{ solver = { name = csdp, nothing = 1 } }"), ConfigError);
  CHECK_THROWS_AS(cutting("{ budget = 0 }"), ConfigError);
  // The inner solver's refusal of memory comes through in the first round.
  CHECK_THROWS_AS(static_cast<void>(solved(psde(cylinder(9, 5)), "{ solver = { name = csdp, memory_gb = 1e-6 } }")),
                  ConfigError);
  // In a later round the one before is kept.
  const Outcome out = solved(psde(cylinder(9, 5)), "{ solver = { name = csdp, memory_gb = 0.0012 }, drop = false }");
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::stalled);
  CHECK(out.summary.message.find("memory_gb") != std::string::npos);
  CHECK(out.summary.certificate);
}

}  // namespace
}  // namespace cutting_plane_test
