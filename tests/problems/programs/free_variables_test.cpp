// Free variables as differences: bounds are proven, and nothing that is not true is, on data made to break the proof.
#include "problems/programs/free_variables.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "problems/core/random.hpp"
#include "problems/programs/bound_proof.hpp"
#include "tests/support/exact_matrices.hpp"

namespace free_variables_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

Index whole(Rng& rng, std::int64_t most) {
  return static_cast<Index>(rng.below(static_cast<std::uint64_t>(2 * most + 1))) - most;
}

/// Whole numbers throughout, so that X, the free variables and y are feasible exactly and both optima are known.
struct KnownProgram {
  SemidefiniteProgram program;
  Vector y;
  double optimum_at_least = 0, optimum_at_most = 0;
};

/// Rows <A_r, X> + sum_f a_rf x_f = b_r, with x_f = p_f - q_f; Z = G G' + I at y.
KnownProgram known_program(Index size, Index rows, Index free, Rng& rng) {
  KnownProgram out;
  SemidefiniteProgram& program = out.program;
  program.blocks = {{"", size, false}, {"", 2 * free + 1, true}};  // and one number that is not free
  out.y.resize(rows);
  for (double& entry : out.y.reshaped()) entry = static_cast<double>(whole(rng, 5));
  Matrix x = Matrix::Zero(size, size), g(size, size), cost = Matrix::Identity(size, size);
  for (double& entry : g.reshaped()) entry = static_cast<double>(whole(rng, 2));
  x(0, 0) = 1;
  x(size - 1, size - 1) += 2;
  cost += g * g.transpose();
  Vector numbers(2 * free + 1), number_costs = Vector::Zero(2 * free + 1);
  for (double& entry : numbers.reshaped()) entry = static_cast<double>(1 + rng.below(4));
  number_costs[2 * free] = 1;
  for (Index r = 0; r < rows; ++r) {
    SemidefiniteConstraint row;
    for (Index i = 0; i < size; ++i)
      for (Index j = i; j < size; ++j) {
        const auto a = static_cast<double>(whole(rng, 3));
        if (a == 0) continue;
        row.entries.push_back({0, i, j, a});
        row.bound += a * x(i, j) * (i == j ? 1 : 2);
        cost(i, j) += out.y[r] * a;
        if (i != j) cost(j, i) += out.y[r] * a;
      }
    for (Index f = 0; f <= 2 * free; ++f) {
      const bool negative = f % 2 == 1;
      const double a = f == 2 * free ? static_cast<double>(whole(rng, 3))
                       : negative    ? -row.entries.back().value
                                     : static_cast<double>(2 * whole(rng, 6) + 1);
      if (a == 0) continue;
      row.entries.push_back({1, f, f, a});
      row.bound += a * numbers[f];
      number_costs[f] += out.y[r] * a;
    }
    out.optimum_at_least += row.bound * out.y[r];
    program.constraints.push_back(std::move(row));
  }
  for (Index i = 0; i < size; ++i)
    for (Index j = i; j < size; ++j) {
      program.cost.push_back({0, i, j, cost(i, j)});
      out.optimum_at_most += cost(i, j) * x(i, j) * (i == j ? 1 : 2);
    }
  for (Index f = 0; f <= 2 * free; ++f) {
    program.cost.push_back({1, f, f, number_costs[f]});
    out.optimum_at_most += number_costs[f] * numbers[f];
  }
  return out;
}

TEST_CASE("opposite columns are free variables, and others are not") {
  SemidefiniteProgram program;
  program.blocks = {{"", 2, false}, {"", 5, true}, {"", 1, true}};
  program.cost = {{1, 0, 0, 3}, {1, 1, 1, -3}, {1, 2, 2, -3}};
  SemidefiniteConstraint row;
  row.bound = 1;
  row.entries = {{0, 0, 0, 1}, {1, 0, 0, 2}, {1, 1, 1, -2}, {1, 2, 2, -2.5}, {1, 3, 3, 7}, {2, 0, 0, -7}};
  program.constraints = {row};
  const FreeVariables free(program);
  CHECK_FALSE(free.empty());
  CHECK(free.has(1, 0));
  CHECK(free.has(1, 1));
  CHECK_FALSE(free.has(1, 2));  // another column
  CHECK(free.has(1, 3));        // its other half is in another block
  CHECK(free.has(2, 0));
  CHECK_FALSE(free.has(1, 4));  // in no row
  CHECK_FALSE(free.has(0, 0));
  program.blocks.resize(1);
  program.cost.clear();
  program.constraints.front().entries.resize(1);
  CHECK(FreeVariables(program).empty());
}

TEST_CASE("a program with free variables is bounded by multipliers that miss their equations, and never too well") {
  constexpr double kNoise = 1e-10;
  Rng rng(4471);
  for (int trial = 0; trial < 60; ++trial) {
    CAPTURE(trial);
    const Index free = 1 + static_cast<Index>(rng.below(4)), rows = free + 1 + static_cast<Index>(rng.below(3));
    const KnownProgram known = known_program(2 + static_cast<Index>(rng.below(3)), rows, free, rng);
    REQUIRE(known.optimum_at_least <= known.optimum_at_most);
    const FreeVariables variables(known.program);
    for (const double noise : {0.0, kNoise, 1e-3}) {
      CAPTURE(noise);
      Vector y = known.y;
      for (double& entry : y.reshaped()) entry += noise * rng.normal();
      const BoundProof proof = prove_bound(known.program, y);
      // A square system of rows may leave no freedom, and rows with the same free part no solution at all.
      if (!variables.exact_changes(y)) continue;
      if (noise <= kNoise) {
        REQUIRE(proof.lower_bound.has_value());
        CHECK(std::abs(*proof.lower_bound - known.optimum_at_least) <= 1e-5);
        const auto rounded = proven_bound(known.program, y);
        REQUIRE(rounded.has_value());
        CHECK(std::abs(rounded->value - *proof.lower_bound) <= 1e-6);
      }
      CHECK((proof.moved > 0) == (noise > 0));
      if (proof.lower_bound) CHECK(*proof.lower_bound <= known.optimum_at_most);
    }
  }
}

TEST_CASE("changes make the equations hold exactly") {
  Rng rng(771);
  for (int trial = 0; trial < 40; ++trial) {
    CAPTURE(trial);
    const std::size_t n = 1 + rng.below(6);
    std::vector<std::vector<double>> a(n, std::vector<double>(n));
    std::vector<std::vector<Product>> right(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (double& entry : a[i]) entry = rng.normal();
      for (int k = 0; k < 3; ++k) right[i].push_back({rng.normal(), std::ldexp(rng.normal(), -20 * k)});
    }
    const auto solution = exact_solution(a, right);
    REQUIRE(solution.has_value());
    for (std::size_t i = 0; i < n; ++i) {
      Rational low = 0, high = 0;
      for (const Product& term : right[i]) low -= Rational(term.left) * Rational(term.right);
      high = low;
      for (std::size_t j = 0; j < n; ++j) {
        const Enclosure& x = (*solution)[j];
        CHECK((x.low == x.high || x.high == std::nextafter(x.low, HUGE_VAL)));
        low += Rational(a[i][j]) * Rational(a[i][j] > 0 ? x.low : x.high);
        high += Rational(a[i][j]) * Rational(a[i][j] > 0 ? x.high : x.low);
      }
      CHECK(low <= 0);
      CHECK(high >= 0);
    }
  }
  CHECK_FALSE(exact_solution(std::vector<std::vector<double>>{{1, 2}, {2, 4}},
                             std::vector<std::vector<Product>>{{{1, 1}}, {{2, 1}}}));
}

TEST_CASE("nothing is proven where no equality can meet the equation of a free variable") {
  // min p - q, with p - q = anything: unbounded. And with p - q <= 1 alone, whose multiplier must not move.
  SemidefiniteProgram program;
  program.blocks = {{"", 2, true}};
  program.cost = {{0, 0, 0, 1}, {0, 1, 1, -1}};
  SemidefiniteConstraint row;
  row.bound = 1;
  row.relation = Relation::at_most;
  row.entries = {{0, 0, 0, 1}, {0, 1, 1, -1}};
  program.constraints = {row};
  for (const double y : {0.0, -1.0, 1.0, -0.5}) CHECK_FALSE(prove_bound(program, Vector::Constant(1, y)).lower_bound);
  CHECK_FALSE(proven_bound(program, Vector::Constant(1, -1)).has_value());
  program.constraints.front().relation = Relation::at_least;  // min x, x >= 1: 1, by y = 1 alone
  CHECK(prove_bound(program, Vector::Constant(1, 1)).lower_bound == 1);
  CHECK_FALSE(prove_bound(program, Vector::Constant(1, std::nextafter(1.0, 2.0))).lower_bound);
}

}  // namespace
}  // namespace free_variables_test
