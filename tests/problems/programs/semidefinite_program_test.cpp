#include "problems/programs/semidefinite_program.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/programs/bound_proof.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/semidefinite_programs.hpp"

namespace semidefinite_program_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 501;

/// What require_valid says of a program, or "(no error)".
std::string complaint(const SemidefiniteProgram& program) {
  return message_of<DataError>([&] {
    require_valid(program);
    return 0;
  });
}
bool complains(const SemidefiniteProgram& program, const std::string& part) {
  const std::string message = complaint(program);
  CAPTURE(message);
  CHECK(message.find('\n') == std::string::npos);
  return message.find(part) != std::string::npos;
}

TEST_CASE("the start of a large block takes the memory of a column, not of a matrix") {
  SemidefiniteProgram program;
  program.blocks = {{"X", 200'000, false}, {"d", 3, true}};
  Rng rng(1);
  const auto start = std::get<SemidefiniteSolution>(SdpProblem(program).start(rng));
  CHECK(start.blocks[0].factored);
  CHECK(start.blocks[0].values.size() == 200'000);
  CHECK(start.blocks[1].values.size() == 3);
}

TEST_CASE("the norm of entries whose squares leave the numbers is theirs") {
  for (const double unit : {1.0, 1e-300, 1e300, 1e-170})
    CHECK(norm_of({{0, 0, 0, 3 * unit}, {0, 1, 1, 4 * unit}}) / unit == doctest::Approx(5));
  CHECK(norm_of({{0, 0, 1, 0}}) == 0);
}

TEST_CASE("a valid program is accepted, and every error in it is named") {
  const SemidefiniteProgram good = mixed_program();
  CHECK(complaint(good) == "(no error)");
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto broken = [&](auto change) {
    SemidefiniteProgram out = good;
    change(out);
    return out;
  };
  CHECK(complains(broken([](auto& p) { p.blocks.clear(); }), "has no block"));
  CHECK(complains(broken([](auto& p) { p.blocks[1].size = 0; }), "Block 1 ('slacks') has size 0"));
  CHECK(complains(broken([](auto& p) { p.blocks[1].size = -2; }), "has size -2"));
  CHECK(complains(broken([](auto& p) { p.cost[0].block = 2; }), "The cost has an entry in block 2"));
  CHECK(complains(broken([](auto& p) { p.cost[0].block = -1; }), "in block -1"));
  CHECK(complains(broken([](auto& p) { p.cost[0].col = 3; }), "block 0 ('X'), which is 3 x 3"));
  CHECK(complains(broken([](auto& p) { p.cost[0].row = -1; }), "at (-1, "));
  CHECK(complains(broken([](auto& p) {
                    p.constraints[0].entries = {{0, 2, 1, 1}};
                  }),
                  "Constraint 1 ('trace') has an entry at (2, 1) of block 0, below the diagonal"));
  CHECK(complains(broken([](auto& p) { p.constraints[1].entries = {{1, 0, 1, 1}}; }), "which is diagonal"));
  CHECK(complains(broken([=](auto& p) { p.cost[0].value = kNan; }), "must be finite"));
  CHECK(complains(broken([=](auto& p) { p.constraints[0].entries[0].value = kInfinity; }),
                  "Constraint 1 ('trace') has inf"));
  CHECK(complains(broken([=](auto& p) { p.constraints[2].bound = kNan; }), "has the bound nan"));
  CHECK(complains(broken([](auto& p) { p.constraints[0].entries.clear(); }), "has no entry other than 0"));
  CHECK(complains(broken([](auto& p) { p.constraints[0].entries = {{0, 0, 0, 0.0}}; }), "has no entry other than 0"));
  CHECK(complains(broken([](auto& p) {
                    p.constraints[0].entries.push_back({0, 1, 1, 2});
                  }),
                  "two entries at (1, 1) of block 0"));
  CHECK(complains(broken([](auto& p) { p.constraints[2].name = "trace"; }), "the name 'trace'"));
  CHECK(complains(broken([](auto& p) { p.trace_bound = 0.0; }), "The trace bound is 0"));
  CHECK(complains(broken([=](auto& p) { p.trace_bound = kInfinity; }), "The trace bound is inf"));
  SemidefiniteProgram unnamed = good;
  for (auto& row : unnamed.constraints) row.name.clear();
  CHECK(complaint(unnamed) == "(no error)");
}

TEST_CASE("inner products and dual slacks are those of the dense matrices") {
  const SemidefiniteProgram program = mixed_program();
  Rng rng(kSeed);
  Matrix x = gaussian_symmetric(3, rng);
  Matrix s(2, 1);
  s << 0.5, 2;
  const std::vector<Matrix> blocks = {x, s};
  const auto dense = [&](const std::vector<SymmetricEntry>& a) {
    std::pair<Matrix, Matrix> out{Matrix::Zero(3, 3), Matrix::Zero(2, 1)};
    for (const auto& e : a) {
      if (e.block == 0)
        out.first(e.row, e.col) = out.first(e.col, e.row) = e.value;
      else
        out.second(e.row, 0) = e.value;
    }
    return out;
  };
  Vector y(3);
  y << 0.3, -0.7, 1.1;
  auto [z, z_slack] = dense(program.cost);
  const std::vector<Matrix> slack = dual_slack(program, y);
  for (Index r = 0; r < 3; ++r) {
    const auto& row = program.constraints[static_cast<std::size_t>(r)];
    const auto [a, a_slack] = dense(row.entries);
    CHECK(close(inner_product(row.entries, blocks), a.cwiseProduct(x).sum() + a_slack.cwiseProduct(s).sum(), kSum));
    z -= y[r] * a;
    z_slack -= y[r] * a_slack;
  }
  CHECK((slack[0] - z).norm() < 1e-14);
  CHECK((slack[1] - z_slack).norm() < 1e-14);
  CHECK_THROWS_AS(static_cast<void>(dual_slack(program, Vector::Zero(2))), DataError);
}

TEST_CASE("the six errors are 0 at a known optimum, and each measures its own fault") {
  // min <C, X>, tr X = 1: X = v v', y = lambda_min, Z = C - y I.
  Rng rng(kSeed);
  const Matrix c = gaussian_symmetric(5, rng);
  const SemidefiniteProgram program = smallest_eigenvalue_program(c);
  const SymmetricEigen eigen(c);
  const double least = eigen.eigenvalues()[0];
  const Vector v = eigen.eigenvectors().col(0);
  SemidefiniteSolution optimal;
  optimal.blocks = {{false, v * v.transpose()}};
  optimal.multipliers = Vector::Constant(1, least);
  optimal.dual_blocks = {c - least * Matrix::Identity(5, 5)};
  const SemidefiniteErrors none = errors_of(program, optimal);
  CHECK(none.worst() < 1e-14);
  CHECK(close(none.primal_objective, least, kSum));
  CHECK(close(none.dual_objective, least, kSum));
  CHECK(none.violations.count == 0);

  const double c_scale = 1 + c.cwiseAbs().maxCoeff();
  SemidefiniteSolution x = optimal;
  x.blocks[0].values *= 1.5;  // tr X = 1.5
  SemidefiniteErrors e = errors_of(program, x);
  CHECK(close(e.dimacs[0], 0.5 / 2, {1e-12, 0}));
  CHECK(e.violations.count == 1);
  CHECK(close(e.violations.max, 0.5, {1e-12, 0}));
  CHECK(close(e.violations.sum, 0.5, {1e-12, 0}));
  x = optimal;
  x.blocks[0].values += 0.25 * (Matrix::Identity(5, 5) - 5 * Matrix(v * v.transpose()));
  e = errors_of(program, x);
  CHECK(e.dimacs[0] < 1e-14);
  CHECK(close(e.dimacs[1], 0.0, {0, 1e-14}));  // 1 - 1.25 + .25 = 0 and .25 elsewhere
  x.blocks[0].values -= 0.1 * Matrix::Identity(5, 5);
  CHECK(close(errors_of(program, x).dimacs[1], 0.1 / 2, {1e-10, 0}));
  x = optimal;
  x.multipliers[0] -= 0.2;
  e = errors_of(program, x);
  CHECK(close(e.dimacs[2], 0.2 * std::sqrt(5.0) / c_scale, {1e-12, 0}));
  CHECK(close(e.dimacs[4], 0.2 / (1 + std::abs(least) + std::abs(least - 0.2)), {1e-10, 0}));
  x.dual_blocks[0] -= 0.3 * Matrix::Identity(5, 5);
  e = errors_of(program, x);
  CHECK(close(e.dimacs[3], 0.3 / c_scale, {1e-10, 0}));
  CHECK(close(e.dimacs[5], -0.3 / (1 + std::abs(least) + std::abs(least - 0.2)), {1e-10, 0}));

  // Inequalities: only what is violated counts, multipliers have a sign, and slack times multiplier is inner product.
  SemidefiniteProgram at_most = program;
  at_most.constraints[0].relation = Relation::at_most;
  x = optimal;
  x.blocks[0].values *= 0.5;
  e = errors_of(at_most, x);
  CHECK(e.dimacs[0] == 0);
  CHECK(e.violations.count == 0);
  CHECK(close(e.dimacs[5] * (1 + 1.5 * std::abs(least)), 0.5 * std::abs(least), {1e-10, 1e-13}));
  CHECK(e.dimacs[3] < 1e-14);  // least < 0: the right sign for <=
  REQUIRE(least < 0);
  at_most.constraints[0].relation = Relation::at_least;
  CHECK(close(errors_of(at_most, optimal).dimacs[3], -least / c_scale, {1e-10, 0}));
  x = optimal;
  x.dual_blocks.clear();  // Z is then what the multipliers make it
  CHECK(errors_of(at_most, x).dimacs[2] == 0);
  CHECK(close(errors_of(at_most, x).dimacs[3], -least / c_scale, {1e-10, 0}));
  x.multipliers.resize(0);
  CHECK_THROWS_AS(static_cast<void>(errors_of(at_most, x)), DataError);
}

TEST_CASE("no multipliers give a lower bound above the optimum, and optimal ones reach it") {
  Rng rng(kSeed);
  const Matrix c = gaussian_symmetric(6, rng);
  const double least = SymmetricEigen(c, false).eigenvalues()[0];
  const SemidefiniteProgram program = smallest_eigenvalue_program(c);
  const auto bound = [&](double y) { return lower_bound(program, Vector::Constant(1, y)); };
  REQUIRE(bound(least));
  CHECK(*bound(least) <= least);
  CHECK(*bound(least) > least - 1e-13);
  for (int trial = 0; trial < 200; ++trial) {  // any y: b'y + 1 min(0, lambda_min - y) = lambda_min above it
    const double y = least + 3 * rng.normal();
    REQUIRE(bound(y));
    CHECK(*bound(y) <= least);
    if (y > least) CHECK(*bound(y) > least - 1e-12);
  }
  CHECK_FALSE(bound(std::numeric_limits<double>::quiet_NaN()));

  // Caps on the entries of the diagonal bound the trace too; 0 multipliers then give sum of caps x lambda_min.
  const double cap = 0.4;
  SemidefiniteProgram caps{{{"X", 6, false}}, program.cost, {}};
  for (Index i = 0; i < 6; ++i) caps.constraints.push_back({"", {{0, i, i, 2}}, Relation::at_most, 2 * cap});
  const auto at_zero = lower_bound(caps, Vector::Zero(6));
  REQUIRE(at_zero);
  CHECK(close(*at_zero, 6 * cap * least, {1e-12, 0}));
  // Multipliers of the wrong sign count as none.
  CHECK(lower_bound(caps, Vector::Ones(6)) == at_zero);
  // Without caps there is no bound but by a promise.
  caps.constraints.pop_back();
  CHECK_FALSE(lower_bound(caps, Vector::Zero(5)));
  caps.trace_bound = 3;
  CHECK(close(lower_bound(caps, Vector::Zero(5)).value_or(0), 3 * least, {1e-12, 0}));
  // At least is no bound.
  SemidefiniteProgram above = program;
  above.constraints[0].relation = Relation::at_least;
  CHECK_FALSE(lower_bound(above, Vector::Zero(1)));

  // Diagonal blocks: an unbounded entry with a negative dual slack leaves no bound.
  SemidefiniteProgram linear{{{"x", 2, true}}, {{0, 0, 0, -1}, {0, 1, 1, 1}}, {}};
  linear.constraints.push_back({"", {{0, 1, 1, 1}}, Relation::at_most, 4});
  CHECK_FALSE(lower_bound(linear, Vector::Zero(1)));
  linear.constraints.push_back({"", {{0, 0, 0, 1}}, Relation::at_most, 5});
  CHECK(close(lower_bound(linear, Vector::Zero(2)).value_or(0), -5, {1e-12, 0}));
}

TEST_CASE("the equality form has the same solutions, errors and bounds in both directions") {
  const SemidefiniteProgram program = mixed_program();
  const EqualityForm form = equality_form(program);
  require_valid(*form.program);
  CHECK(form.slack_of == std::vector<Index>{-1, 0, 1});
  REQUIRE(form.program->blocks.size() == 3);
  CHECK(form.program->blocks[2].diagonal);
  CHECK(form.program->blocks[2].size == 2);
  for (const auto& row : form.program->constraints) CHECK(row.relation == Relation::equal);

  Rng rng(kSeed);
  SemidefiniteSolution x;
  const Matrix u = gaussian_symmetric(3, rng), w = gaussian_symmetric(3, rng);
  x.blocks = {{true, u}, {false, Matrix::Constant(2, 1, 0.7)}};
  x.multipliers = Vector(3);
  x.multipliers << 0.4, -0.2, 0.9;  // <= 0 for at most, >= 0 for at least
  x.dual_blocks = {w * w.transpose(), Matrix::Constant(2, 1, 0.1)};
  const SemidefiniteSolution wide = with_slacks(form, program, x);
  const SemidefiniteErrors narrow = errors_of(program, x), wider = errors_of(*form.program, wide);
  CHECK(close(narrow.primal_objective, wider.primal_objective, kSum));
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    CHECK(close(narrow.dimacs[i], wider.dimacs[i], {1e-12, 1e-14}));
  }
  const SemidefiniteSolution back = without_slacks(form, wide);
  CHECK(back.blocks.size() == 2);
  CHECK(back.dual_blocks.size() == 2);
  CHECK(back.multipliers == x.multipliers);

  const SemidefiniteProgram equal = smallest_eigenvalue_program(u);
  CHECK(equality_form(equal).program->blocks.size() == 1);
  CHECK(equality_form(equal).slack_count == 0);
}

TEST_CASE("a semidefinite program is a problem; its map is the factor of its first block") {
  Rng rng(kSeed);
  const Problem problem("bare", SdpProblem(mixed_program()));
  CHECK(problem.offers() == CapabilitySet::of<SemidefiniteFace>());
  const Solution start = problem.start(rng);
  Executor executor;
  Evaluation evaluation(executor);
  CHECK(std::isfinite(problem.objective(start, evaluation)));
  const Matrix u = gaussian_symmetric(3, rng).leftCols(2);
  Solution x = SemidefiniteSolution{{{true, u}, {false, Matrix::Ones(2, 1)}}};
  const Matrix drawn = problem.decode(x).only();
  CHECK(drawn.cols() == 2);
  CHECK((drawn * drawn.transpose() - u * u.transpose()).norm() < 1e-12);
  x = SemidefiniteSolution{{{true, u}}};
  CHECK_THROWS_AS(static_cast<void>(problem.objective(x, evaluation)), DataError);
  x = SemidefiniteSolution{{{true, u}, {true, Matrix::Ones(2, 1)}}};
  CHECK_THROWS_AS(static_cast<void>(problem.objective(x, evaluation)), DataError);
  SemidefiniteProgram broken = mixed_program();
  broken.cost[0].row = 9;
  CHECK_THROWS_AS(SdpProblem{broken}, DataError);
}

}  // namespace
}  // namespace semidefinite_program_test
