#include "problems/programs/restricted_program.hpp"

#include <doctest/doctest.h>

#include <map>
#include <tuple>

#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/error.hpp"
#include "problems/semidefinite/psde_program.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/listed_program.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/pair_sign_makers.hpp"

namespace restricted_program_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using semidefinite::PsdeOptions;
using semidefinite::PsdeProgram;

constexpr std::uint64_t kSeed = 20240611;

/// min sum w_ij s_ij d_ij, s_ij (d_ij - b_i) <= 0 for all i != j with a sign, tr G <= n, b >= 0 [GR07], with
/// d_ij = g_ii + g_jj - 2 g_ij and w one over the number of pairs of that sign. Posed by hand.
SemidefiniteProgram all_pairs(const PairSigns& signs) {
  const Index n = signs.object_count();
  SemidefiniteProgram out{{{"G", n, false}, {"b", n, true}}, {}, {}};
  Matrix cost = Matrix::Zero(n, n);
  SemidefiniteConstraint trace{"trace", {}, Relation::at_most, static_cast<double>(n)};
  for (Index i = 0; i < n; ++i) trace.entries.push_back({0, i, i, 1});
  out.constraints.push_back(std::move(trace));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      if (i == j) continue;
      const double s = signs.sign(i, j);
      const double w = s / static_cast<double>(s > 0 ? signs.similar_count() : signs.dissimilar_count());
      cost(i, i) += w;
      cost(j, j) += w;
      cost(i, j) -= w;
      cost(j, i) -= w;
      out.constraints.push_back({"",
                                 {{0, i, i, s}, {0, j, j, s}, {0, std::min(i, j), std::max(i, j), -s}, {1, i, i, -s}},
                                 Relation::at_most,
                                 0});
    }
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < n; ++j) out.cost.push_back({0, i, j, cost(i, j)});
  return out;
}

using Place = std::tuple<Index, Index, Index>;
std::map<Place, double> by_place(const std::vector<SymmetricEntry>& entries) {
  std::map<Place, double> out;
  for (const SymmetricEntry& e : entries)
    if (e.value != 0) CHECK(out.emplace(Place{e.block, e.row, e.col}, e.value).second);
  return out;
}
/// Largest difference of any entry, those that are absent counting as 0.
double difference(const std::vector<SymmetricEntry>& a, const std::vector<SymmetricEntry>& b) {
  auto left = by_place(a);
  for (const auto& [place, value] : by_place(b)) left[place] -= value;
  double out = 0;
  for (const auto& [place, value] : left) out = std::max(out, std::abs(value));
  return out;
}

TEST_CASE("the constraints of the reference's stars and grids agree with a program written by hand") {
  int seen = 0;
  for (const ReferenceInstance& instance : reference_instances()) {
    if (instance.name.starts_with("cylinder")) continue;
    CAPTURE(instance.name);
    const PsdeProgram source(instance.signs, {});
    const auto rows = source.all_constraints();
    const RestrictedProgram all = restricted_program(source, rows);
    const SemidefiniteProgram expected = all_pairs(*instance.signs);
    require_valid(all.program);
    const Index n = instance.signs->object_count();
    CHECK(all.rows == rows);
    CHECK(all.scale == 1 / static_cast<double>(n));
    CHECK(std::ssize(all.radii) == n);
    REQUIRE(all.program.constraints.size() == expected.constraints.size());
    CHECK(difference(all.program.cost, expected.cost) < 1e-15);
    for (std::size_t r = 0; r < expected.constraints.size(); ++r) {
      CHECK(difference(all.program.constraints[r].entries, expected.constraints[r].entries) == 0);
      CHECK(all.program.constraints[r].bound == expected.constraints[r].bound);
      CHECK(all.program.constraints[r].relation == expected.constraints[r].relation);
    }
    ++seen;
  }
  CHECK(seen == 12);
}

TEST_CASE("constraints that a radius satisfies by itself are left out, and the radius with them") {
  const PsdeProgram source(signs_of(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}}), {});
  // 0: both sides; 1: similar only; 2: dissimilar only; 3: none.
  const std::vector<ConstraintId> rows = {0 * 4 + 1, 0 * 4 + 2, 1 * 4 + 0, 2 * 4 + 0, 2 * 4 + 1};
  const RestrictedProgram some = restricted_program(source, rows);
  CHECK(some.rows == std::vector<ConstraintId>{1, 2});
  CHECK(some.radii == std::vector<Index>{0});
  CHECK(some.program.constraints.size() == 3);
  CHECK(some.program.constraints[1].name == source.constraint_name(1));
  const RestrictedProgram none = restricted_program(source, std::span(rows).subspan(2, 2));
  CHECK(none.rows.empty());
  CHECK(none.program.blocks.size() == 1);
  require_valid(none.program);
}

TEST_CASE("a solution of the restricted program is returned at the scale of the full program") {
  const PsdeProgram source(cylinder_signs(6, 2), PsdeOptions{true, false, 3});
  Rng rng(kSeed);
  const auto rows = source.first_constraints(1, rng);
  const std::vector<ConstraintId> some(rows.begin(), rows.begin() + 10);
  const RestrictedProgram restricted = restricted_program(source, some);
  CHECK(restricted.scale == 3.0 / 12);
  const Matrix u = gaussian_points(12, 3, rng);
  SemidefiniteSolution x{{{true, u}, {false, Matrix::Ones(std::ssize(restricted.radii), 1)}}};
  x.multipliers = -Vector::LinSpaced(11, 0, 10);
  const SemidefiniteSolution whole = of_whole(source, restricted, x);
  CHECK(whole.rows == restricted.rows);
  REQUIRE(whole.multipliers.size() == 10);
  CHECK(whole.multipliers[0] == 1);  // the trace's is no row's
  CHECK(whole.multipliers[9] == 10);
  const std::vector<Matrix> blocks = dense_blocks(restricted.program, x.blocks);
  CHECK(close(distance_cost(source.cost(), whole), restricted.scale * inner_product(restricted.program.cost, blocks),
              kSum));
  CHECK(close(whole.blocks[0].dense().trace(), 0.25 * u.squaredNorm(), kSum));
  REQUIRE(whole.blocks.size() == 2);
  Index present = 0;
  for (Index g = 0; g < 12; ++g) {
    const double radius = whole.blocks[1].values(g, 0);
    if (std::isnan(radius)) continue;
    CHECK(radius == 0.25);
    ++present;
  }
  CHECK(present == std::ssize(restricted.radii));
  // Dense blocks scale as they are.
  x.blocks[0] = {false, u * u.transpose()};
  CHECK(close(of_whole(source, restricted, x).blocks[0].values.trace(), whole.blocks[0].dense().trace(), kSum));
}

TEST_CASE("with and without a basis, constraints and cost agree for the same distances") {
  Rng rng(kSeed);
  DistanceCost cost;
  cost.object_count = 6;
  cost.pairs = {{0, 1, 1.5}, {2, 5, -0.5}};
  cost.all_pairs = -0.25;
  cost.trace_bound = 2;
  DistanceCost based = cost;
  Eigen::MatrixXd raw = gaussian_points(6, 3, rng);
  raw.rowwise() -= raw.colwise().mean().eval();
  based.basis = orthonormal_columns(raw);
  based.ridge = Matrix::Identity(3, 3) * 0.125;
  // Rows of every kind: d_01 - d_23 <= 0.5 + xi, d_04 = 0.25, d_12 <= d_13 + xi.
  const std::vector<DistanceConstraint> rows = {
      {.terms = {{{0, 1, 1}, {2, 3, -1}}}, .term_count = 2, .bound = 0.5, .cap = 2},
      {.terms = {{{0, 4, 1}}}, .term_count = 1, .equality = true, .bound = 0.25},
      {.terms = {{{1, 2, 1}, {1, 3, -1}}}, .term_count = 2, .cap = 0.125}};
  const ListedProgram whole(cost, rows), small(based, rows);
  const RestrictedProgram a = restricted_program(whole, whole.all_constraints());
  const RestrictedProgram b = restricted_program(small, small.all_constraints());
  require_valid(a.program);
  require_valid(b.program);
  CHECK(b.program.blocks[0].size == 3);
  CHECK(b.program.blocks[1].size == 2);  // the slacks of two rows
  CHECK(b.scale == 2.0 / 3);
  const Matrix u = gaussian_points(3, 2, rng);
  const Matrix m = u * u.transpose(), g = based.basis * m * based.basis.transpose();
  const Matrix slack = (Matrix(2, 1) << 0.5, 0.25).finished();
  const std::vector<Matrix> at_a = {g / a.scale, slack / a.scale}, at_b = {m / b.scale, slack / b.scale};
  for (std::size_t r = 0; r < 4; ++r) {
    CHECK(close(a.scale * inner_product(a.program.constraints[r].entries, at_a),
                b.scale * inner_product(b.program.constraints[r].entries, at_b), {1e-12, 1e-12}));
    CHECK(a.program.constraints[r].relation == b.program.constraints[r].relation);
    CHECK(close(a.scale * a.program.constraints[r].bound, b.scale * b.program.constraints[r].bound, kRounding));
  }
  CHECK(a.program.constraints[2].relation == Relation::equal);
  const double slack_cost = 2 * 0.5 + 0.125 * 0.25;
  const double direct = distance_cost(based, {{{false, m}}});
  CHECK(close(b.scale * inner_product(b.program.cost, at_b), direct + slack_cost, {1e-12, 1e-12}));
  CHECK(close(a.scale * inner_product(a.program.cost, at_a), direct - 0.125 * m.trace() + slack_cost, {1e-12, 1e-12}));
  CHECK(close(distance_cost(cost, {{{true, based.basis * u}}}), direct - 0.125 * m.trace(), {1e-12, 1e-12}));
  CHECK(close(distance_cost(based, {{{true, u}}}), direct, {1e-12, 1e-12}));
}

}  // namespace
}  // namespace restricted_program_test
