// The low-rank factor: columns that it adds, programs without an interior, large blocks, and what it says where it gets
// nowhere; the program in the factor against dense matrices.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/programs/bound_proof.hpp"
#include "solvers/semidefinite/factor/factored_program.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/solved_programs.hpp"
#include "tests/support/text_holds.hpp"

namespace burer_monteiro_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 1217;

Outcome solve_program(const SemidefiniteProgram& program, const std::string& options = "", const Case& how = {},
                      const Solution& start = SemidefiniteSolution{}) {
  return solve(*solver_with("burer_monteiro", options), bare(program), start, how);
}

TEST_CASE("a factor that starts with one column grows until the optimum is proven") {
  const std::string options = "{ rank = 1 }";
  check_proven(theta_of_cycle(21), solve_program(theta_of_cycle(21), options), -theta_of_odd_cycle(21));
  check_proven(cut_of_complete_graph(8), solve_program(cut_of_complete_graph(8), options), -16);
}

TEST_CASE("least cuts into equal parts, which have no interior, are proven" * needs_csdp()) {
  for (const std::uint64_t seed : {kSeed, kSeed + 1}) {
    const SemidefiniteProgram program = equipartition(40, 6, seed);
    const Outcome reference = solve(Csdp(CsdpOptions()), bare(program), SemidefiniteSolution{});
    REQUIRE(reference.summary.usable());
    check_proven(program, solve_program(program), reference.summary.objective);
  }
}

/// <w w', X> = |w|^2 for w = (1, t, ..., t^(n - 1)): the rows hardly differ, and multipliers are large.
SemidefiniteProgram moments(Index n) {
  SemidefiniteProgram out{{{"X", n, false}}, {}, {}};
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < n; ++j) out.cost.push_back({0, i, j, 1.0 / static_cast<double>(i + j + 1)});
  for (Index r = 0; r < 2 * n - 1; ++r) {
    SemidefiniteConstraint row{"", {}, Relation::equal, 0};
    for (Index i = 0; i < n; ++i)
      if (const Index j = r - i; j >= i && j < n)
        row.entries.push_back({0, i, j, std::pow(10.0, 0.4 * static_cast<double>(r - n))});
    row.bound = 1 / static_cast<double>(r + 1);
    out.constraints.push_back(std::move(row));
  }
  return out;
}

TEST_CASE("where it gets nowhere it says so, with figures that are those of x") {
  const SemidefiniteProgram program = moments(14);
  const Outcome out = solve_program(program);
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::stalled);
  CHECK(holds_all(out.summary.message, {"stalled after", "Use solver 'csdp'"}));
  CHECK(out.summary.objective == objective_of(bare(program), out.x));
}

TEST_CASE("a start with X and y is taken") {
  const SemidefiniteProgram program = theta_of_cycle(31);
  const Outcome cold = solve_program(program), warm = solve_program(program, {}, {}, cold.x);
  CAPTURE(warm.summary.message);
  CHECK(holds_all(warm.summary.message, {"started from the given X and y"}));
  check_proven(program, warm, -theta_of_odd_cycle(31));
}

TEST_CASE("blocks too large for their eigenvalues are proven by sparse factors") {
  SemidefiniteProgram program = torus_cut(40, 40, kSeed);
  program.constraints.push_back({"", {{0, 0, 1, 0.5}}, Relation::equal, 1});  // two neighbours are on the same side
  const Outcome out = solve_program(program, "{ tolerance = 1e-3 }");
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->gap <= 1.1e-3 * (1 + std::abs(out.summary.objective)));
  const auto proven = prove_bound(program, solution_in(out.x).multipliers).lower_bound;
  REQUIRE(proven);
  CHECK(*proven == out.summary.certificate->lower_bound);
}

TEST_CASE("the program in the factor is that of dense matrices") {
  SemidefiniteProgram program = random_mixture(9, kSeed);
  for (auto& row : program.constraints) row.relation = Relation::equal;
  SemidefiniteConstraint ones{"", {}, Relation::equal, 3};  // of many entries: kept as a vector
  program.blocks.push_back({"C", 10, false});
  for (Index i = 0; i < 10; ++i)
    for (Index j = i; j < 10; ++j) ones.entries.push_back({4, i, j, -2});
  program.constraints.push_back(ones);
  program.constraints.push_back({"", {{4, 0, 0, 1}, {4, 2, 5, 1}}, Relation::equal, 1});
  FactoredProgram p(program);
  p.set_ranks({2, 1, 3, 1, 2});
  Rng rng(kSeed);
  Vector v(p.length()), d(p.length()), z(p.rows());
  for (Vector* one : {&v, &d, &z})
    for (Index k = 0; k < one->size(); ++k) (*one)[k] = rng.normal();
  const auto blocks_of = [&](const Vector& from) {
    std::vector<Matrix> out;
    for (const auto& part : p.parts()) {
      const Eigen::Map<const Matrix> factor(from.data() + part.offset, part.size, part.rank);
      out.push_back(program.blocks[out.size()].diagonal ? Matrix(factor.cwiseProduct(factor))
                                                        : Matrix(factor * factor.transpose()));
    }
    return out;
  };
  const FactoredProgram::Image image = p.image(v), square = p.image(d), mixed = p.mixed_image(v, d);
  const auto x = blocks_of(v);
  CHECK(close(image.cost * p.z_unit(), inner_product(program.cost, x), {1e-12, 1e-12}));
  for (Index r = 0; r < p.rows(); ++r)
    CHECK(close(image.rows[r] * p.row_norms()[r], inner_product(program.constraints[subscript(r)].entries, x),
                {1e-12, 1e-12}));
  const FactoredProgram::Image moved = p.image(v + 0.3 * d);
  CHECK((moved.rows - image.rows - 0.3 * mixed.rows - 0.09 * square.rows).norm() <= 1e-12);
  CHECK(close(moved.cost, image.cost + 0.3 * mixed.cost + 0.09 * square.cost, {1e-12, 1e-12}));
  // S V by the dual slack.
  Vector product;
  p.times(p.slack(z), v, product);
  const auto slack = dual_slack(program, p.multipliers(z));
  for (std::size_t b = 0; b < slack.size(); ++b) {
    const auto& part = p.parts()[b];
    const Eigen::Map<const Matrix> factor(v.data() + part.offset, part.size, part.rank);
    const Matrix dense = program.blocks[b].diagonal ? Matrix(slack[b].cwiseProduct(factor)) : Matrix(slack[b] * factor);
    const Eigen::Map<const Matrix> matrix(product.data() + part.offset, part.size, part.rank);
    CHECK((matrix * p.z_unit() - dense).norm() <= 1e-11 * (1 + dense.norm()));
  }
}

TEST_CASE("rows that hold by projection get multipliers with which the slack is semidefinite") {
  const SemidefiniteProgram program = equipartition(20, 5, kSeed);
  const FactoredProgram p(program);
  REQUIRE(p.parts()[0].kernel.cols() == 1);
  Vector z = Vector::Constant(p.rows(), -10);
  z[p.rows() - 1] = 0;
  p.lift_kernel(z);
  const auto slack = dual_slack(program, p.multipliers(z));
  CHECK(SymmetricEigen(slack[0], false).eigenvalues()[0] > 0);
}

}  // namespace
}  // namespace burer_monteiro_test
