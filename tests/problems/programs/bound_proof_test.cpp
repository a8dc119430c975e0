// Proofs of bounds, attacked: nothing that is not true may be proven, whatever the multipliers.
#include "problems/programs/bound_proof.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/types.hpp"
#include "problems/programs/definiteness.hpp"
#include "problems/programs/feasible_point.hpp"
#include "tests/support/exact_matrices.hpp"
#include "tests/support/semidefinite_programs.hpp"

namespace bound_proof_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using Method = BlockProof::Method;

constexpr double kHuge = std::numeric_limits<double>::infinity();

double below(double x) { return std::nextafter(x, -kHuge); }
double above(double x) { return std::nextafter(x, kHuge); }

/// min <C, X>, tr X = 1.
SemidefiniteProgram unit_trace(const Matrix& c, double trace = 1) {
  SemidefiniteProgram out = smallest_eigenvalue_program(c);
  out.constraints.front().bound = trace;
  return out;
}

/// Whether a lower bound of a program of one semidefinite block follows from y exactly: if p = b'y - e T, then
/// C - A'(y) + e I >= 0 proves p for tr X <= T.
bool follows(const SemidefiniteProgram& program, const Vector& y, double bound, double trace) {
  const Rational e = (exact_dual_value(program, y) - Rational(bound)) / Rational(trace);
  return e >= 0 && exactly_psd(exact_slack(program, y, 0), e);
}

double wild(Rng& rng, int decades) {
  return rng.normal() *
         std::pow(10.0, static_cast<double>(rng.below(2 * static_cast<std::uint64_t>(decades))) - decades);
}

TEST_CASE("an exact sum is enclosed by the doubles next to it, and its sign is exact") {
  Rng rng(8101);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<Product> terms;
    Rational exact = 0;
    const std::uint64_t count = 1 + rng.below(12);
    for (std::uint64_t k = 0; k < count; ++k) {
      terms.push_back({wild(rng, trial % 2 == 0 ? 3 : 140), rng.below(3) == 0 ? 1 : wild(rng, 100)});
      if (rng.below(3) == 0) terms.push_back({-terms.back().left, above(terms.back().right)});  // cancels almost
    }
    for (const Product& term : terms) exact += Rational(term.left) * Rational(term.right);
    const Enclosure enclosure = exact_sum(terms);
    CAPTURE(trial);
    CHECK(Rational(enclosure.low) <= exact);
    CHECK(Rational(enclosure.high) >= exact);
    CHECK((enclosure.low == enclosure.high || enclosure.high == above(enclosure.low)));
    CHECK((enclosure.low < 0) == (exact < 0));
    CHECK((enclosure.high > 0) == (exact > 0));
  }
  const auto sum = [](std::vector<Product> terms) { return exact_sum(terms); };
  CHECK(sum({}).high == 0);
  CHECK(sum({{1e16, 1}, {1, 1}, {-1e16, 1}}).low == 1);
  // Below the least double: not 0.
  CHECK(sum({{5e-324, 0.5}}).low == 0);
  CHECK(sum({{5e-324, 0.5}}).high == 5e-324);
  CHECK(sum({{5e-324, -0.5}}).low == -5e-324);
  CHECK(sum({{1e308, 10}}).high == kHuge);
  CHECK(sum({{1e308, 10}}).low == std::numeric_limits<double>::max());
}

TEST_CASE("exact elimination decides singular matrices, and those that miss by the last bit") {
  const auto decided = [](std::vector<std::vector<double>> rows) {
    std::vector<EntryTerm> entries;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = i; j < rows.size(); ++j)
        entries.push_back({static_cast<Index>(i), static_cast<Index>(j), {rows[i][j], 1}});
    return exactly_semidefinite(std::ssize(rows), entries);
  };
  CHECK(decided({{1, 0}, {0, 0}}));
  CHECK(decided({{0, 0}, {0, 0}}));
  CHECK(decided({{1, 1}, {1, 1}}));
  CHECK_FALSE(decided({{1, 1}, {1, below(1)}}));
  CHECK_FALSE(decided({{0, 5e-324}, {5e-324, 1e300}}));
  CHECK_FALSE(decided({{1e300, 0}, {0, -5e-324}}));
  CHECK(decided({{1e300, 1}, {1, 1e-300}}) == (Rational(1e300) * Rational(1e-300) >= 1));
  CHECK(decided({{4, 2, 2}, {2, 1, 1}, {2, 1, 2}}));
  CHECK_FALSE(decided({{4, 2, 2}, {2, 1, 2}, {2, 2, 9}}));  // after a pivot of 0 its row is not 0
  Rng rng(8102);
  for (int trial = 0; trial < 60; ++trial) {
    const Index n = 2 + static_cast<Index>(rng.below(7)), rank = 1 + static_cast<Index>(rng.below(6));
    Matrix f(n, rank);
    for (Index i = 0; i < f.size(); ++i) f.data()[i] = static_cast<double>(rng.below(9)) - 4;
    Matrix a = f * f.transpose();
    for (const double change : {0.0, 0x1p-40, -0x1p-40}) {
      a(trial % n, trial % n) += change;
      std::vector<std::vector<double>> rows(subscript(n), std::vector<double>(subscript(n)));
      RationalMatrix exact(subscript(n), std::vector<Rational>(subscript(n)));
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) exact[subscript(i)][subscript(j)] = rows[subscript(i)][subscript(j)] = a(i, j);
      CAPTURE(trial);
      CHECK(decided(rows) == exactly_psd(exact));
    }
  }
}

EnclosedMatrix matrix_of(const Matrix& a, double radius = 0) {
  EnclosedMatrix out{a.rows(), {}};
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = i; j < a.cols(); ++j)
      if (a(i, j) != 0) out.entries.push_back({i, j, {a(i, j) - radius, a(i, j) + radius}});
  return out;
}

TEST_CASE("a Cholesky factor proves only what is true, at all scales") {
  Rng rng(8103);
  int proven = 0, refused = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const Index n = 2 + static_cast<Index>(rng.below(18));
    Matrix f(n, std::max<Index>(1, n - static_cast<Index>(rng.below(3))));
    for (Index i = 0; i < f.size(); ++i) f.data()[i] = rng.normal();
    Matrix a = f * f.transpose();
    const double margin = std::pow(10.0, -static_cast<double>(rng.below(20)));
    for (Index i = 0; i < n; ++i) a(i, i) += (trial % 2 == 0 ? margin : -margin);
    Vector scale = Vector::Ones(n);
    if (trial % 3 == 0)
      for (Index i = 0; i < n; ++i) scale[i] = std::exp2(static_cast<double>(rng.below(200)) - 100);  // 1e-30 .. 1e30
    a = scale.asDiagonal() * a * scale.asDiagonal();
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) a(i, j) = a(j, i);
    const bool truth = exactly_psd(rationals_of(a));
    DefinitenessTest test(matrix_of(a), 1e9);
    CAPTURE(trial);
    CAPTURE(n);
    const bool said = test.proves(0);
    CHECK((!said || truth));
    proven += said ? 1 : 0;
    refused += truth ? 0 : 1;
    const auto shift = test.least_shift();
    REQUIRE(shift);
    CHECK(exactly_psd(rationals_of(a), Rational(*shift)));
  }
  CHECK(proven > 20);
  CHECK(refused > 20);
}

TEST_CASE("a factor whose last pivot is positive by rounding alone proves nothing that is false") {
  Rng rng(8107);
  int false_ones = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Index n = 6 + static_cast<Index>(rng.below(6));
    Matrix f(n, n - 1);
    for (Index i = 0; i < f.size(); ++i) f.data()[i] = rng.normal();
    Eigen::MatrixXd a = f * f.transpose(), l = a;
    l(n - 1, n - 1) += 1;
    REQUIRE(cholesky_in_place(l));
    double last = l.row(n - 1).head(n - 1).squaredNorm();
    for (int step = 0; step < 12; ++step, last = above(last)) {
      a(n - 1, n - 1) = last;
      Matrix symmetric = a.selfadjointView<Eigen::Lower>();
      Eigen::MatrixXd again = a;
      const bool truth = exactly_psd(rationals_of(symmetric)), factored = cholesky_in_place(again);
      false_ones += factored && !truth ? 1 : 0;
      if (!truth) CHECK_FALSE(DefinitenessTest(matrix_of(symmetric), 1e9).proves(0));
    }
  }
  CHECK(false_ones > 10);
}

TEST_CASE("the least shift of matrices of subnormal numbers is found") {
  for (const double unit : {5e-324, 15e-324, 1e-310, 1e-300})
    for (const double diagonal : {0.0, -1.0}) {
      CAPTURE(unit);
      CAPTURE(diagonal);
      Matrix a(2, 2);
      a << diagonal * unit, unit, unit, diagonal * unit;
      const auto shift = DefinitenessTest(matrix_of(a), 1e9).least_shift();
      REQUIRE(shift);
      CHECK(*shift >= (1 - diagonal) * unit);
      CHECK(*shift < 1e-299);
    }
}

TEST_CASE("entries known within intervals are proven for all of the interval") {
  Matrix a(2, 2);
  a << 1, 0.999, 0.999, 1;
  CHECK(DefinitenessTest(matrix_of(a), 1e9).proves(0));
  CHECK(DefinitenessTest(matrix_of(a, 1e-4), 1e9).proves(0));
  CHECK_FALSE(DefinitenessTest(matrix_of(a, 6e-4), 1e9).proves(0));
  a << 1, 0, 0, 0;  // a diagonal of numbers needs no margin
  CHECK(DefinitenessTest(matrix_of(a), 1e9).proves(0));
  a << 1, 0, 0, -5e-324;
  CHECK_FALSE(DefinitenessTest(matrix_of(a), 1e9).proves(0));
  a << 1, std::nan(""), std::nan(""), 1;
  EnclosedMatrix broken{2, {{0, 0, {1, 1}}, {1, 1, {1, 1}}, {0, 1, {std::nan(""), std::nan("")}}}};
  CHECK_FALSE(DefinitenessTest(broken, 1e9).proves(0));
  CHECK_FALSE(DefinitenessTest(broken, 1e9).least_shift());
  broken.entries[2].value = {-kHuge, kHuge};
  CHECK_FALSE(DefinitenessTest(broken, 1e9).proves(0));
}

TEST_CASE("large sparse matrices: the Laplacian of a cycle is singular, and a shift of it is not") {
  constexpr Index kObjects = 400;
  EnclosedMatrix laplacian{kObjects, {}};
  for (Index i = 0; i < kObjects; ++i) {
    laplacian.entries.push_back({i, i, {2, 2}});
    laplacian.entries.push_back({std::min(i, (i + 1) % kObjects), std::max(i, (i + 1) % kObjects), {-1, -1}});
  }
  DefinitenessTest test(laplacian, 1e9);
  CHECK_FALSE(test.proves(0));
  CHECK_FALSE(test.proves(-1e-9));
  CHECK(test.proves(1e-9));
  const auto shift = test.least_shift();
  REQUIRE(shift);
  CHECK(*shift > 0);
  CHECK(*shift < 1e-9);
  CHECK_FALSE(DefinitenessTest(laplacian, 100).possible());  // bytes
  CHECK(DefinitenessTest(laplacian, 100).proves(1));         // by diagonal dominance
  CHECK_FALSE(DefinitenessTest(laplacian, 100).proves(-1e-9));
}

TEST_CASE("bounds of random multipliers are true, rounded down, and near the best that they prove") {
  Rng rng(8104);
  for (int trial = 0; trial < 60; ++trial) {
    const Index n = 2 + static_cast<Index>(rng.below(9));
    const double scale = trial % 3 == 0 ? std::pow(10.0, static_cast<double>(rng.below(60)) - 30) : 1;
    const double trace = trial % 2 == 0 ? 1 : 1e9 / 3;
    const SemidefiniteProgram program = unit_trace(scale * gaussian_symmetric(n, rng), trace);
    const Vector y = Vector::Constant(1, scale * 3 * rng.normal());
    const BoundProof proof = prove_bound(program, y);
    CAPTURE(trial);
    REQUIRE(proof.lower_bound);
    CHECK(follows(program, y, *proof.lower_bound, trace));
    const double best = lower_bound(program, y).value_or(kHuge);
    CHECK(*proof.lower_bound <= best + 1e-10 * trace * scale);
    CHECK(*proof.lower_bound >= best - 1e-9 * std::abs(best) - 1e-10 * trace * scale);
  }
}

TEST_CASE("multipliers that are infeasible by 1e-9 prove a little less than b'y, and nothing without a trace bound") {
  Matrix c(2, 2);
  c << 2, 1, 1, 2;  // least eigenvalue 1
  SemidefiniteProgram program = unit_trace(c);
  const BoundProof exact = prove_bound(program, Vector::Constant(1, 1));
  CHECK(exact.lower_bound == 1);  // singular, and decided exactly
  CHECK(exact.blocks[0].method == Method::exact);
  const BoundProof near = prove_bound(program, Vector::Constant(1, 1 + 1e-9));
  REQUIRE(near.lower_bound);
  CHECK(*near.lower_bound <= 1);
  CHECK(*near.lower_bound >= 1 - 1e-9);
  CHECK(near.blocks[0].method == Method::trace);
  CHECK(near.blocks[0].trace == 1);
  // One bit too much is no longer semidefinite; one bit less is.
  CHECK(*prove_bound(program, Vector::Constant(1, above(1))).lower_bound <= 1);
  CHECK(prove_bound(program, Vector::Constant(1, above(1))).blocks[0].method == Method::trace);
  CHECK(prove_bound(program, Vector::Constant(1, below(1))).lower_bound == below(1));

  // Without the entry that closes the trace bound, b'y is no bound.
  program.constraints[0].entries.pop_back();
  CHECK_FALSE(prove_bound(program, Vector::Constant(1, 3)).lower_bound);
  CHECK(prove_bound(program, Vector::Constant(1, 3)).blocks[0].method == Method::none);
  program.trace_bound = 1;  // a promise proves nothing
  CHECK_FALSE(prove_bound(program, Vector::Constant(1, 3)).lower_bound);
}

TEST_CASE("the value is rounded down by less than one unit") {
  // 0.1 + 0.2 in doubles: the exact sum is not a double.
  SemidefiniteProgram program;
  program.blocks = {{"", 2, true}};
  program.cost = {{0, 0, 0, 1}, {0, 1, 1, 1}};
  program.constraints.resize(2);
  program.constraints[0] = {"", {{0, 0, 0, 1}}, Relation::equal, 0.1};
  program.constraints[1] = {"", {{0, 1, 1, 1}}, Relation::equal, 0.2};
  const Vector y = Vector::Ones(2);
  const BoundProof proof = prove_bound(program, y);
  REQUIRE(proof.lower_bound);
  CHECK(Rational(*proof.lower_bound) <= exact_dual_value(program, y));
  CHECK(Rational(above(*proof.lower_bound)) > exact_dual_value(program, y));
  CHECK(proof.blocks[0].method == Method::signs);
}

TEST_CASE("forged trace bounds are none: a negative entry, one off the diagonal, a missing one, the wrong relation") {
  Matrix c(2, 2);
  c << -1, 0, 0, -1;
  const Vector zero = Vector::Zero(1);
  const SemidefiniteProgram good = unit_trace(c);
  CHECK(prove_bound(good, zero).lower_bound.value_or(kHuge) <= -1);
  CHECK(prove_bound(good, zero).lower_bound.value_or(kHuge) >= -1 - 1e-12);
  SemidefiniteProgram forged = good;
  forged.constraints[0].entries[1].value = -1;
  CHECK_FALSE(prove_bound(forged, zero).lower_bound);
  forged = good;
  forged.constraints[0].entries.push_back({0, 0, 1, 1e-300});
  CHECK_FALSE(prove_bound(forged, zero).lower_bound);
  forged = good;
  forged.constraints[0].entries[1].value = 0;
  CHECK_FALSE(prove_bound(forged, zero).lower_bound);
  forged = good;
  forged.constraints[0].relation = Relation::at_least;
  CHECK_FALSE(prove_bound(forged, zero).lower_bound);
  forged = good;
  forged.constraints[0].relation = Relation::at_most;
  CHECK(prove_bound(forged, zero).lower_bound);
  forged = good;
  forged.constraints[0].bound = -1;  // infeasible, but no bound of a trace
  CHECK_FALSE(prove_bound(forged, zero).lower_bound);
  // b / v is rounded up: 1/3 of 1.
  forged = good;
  for (auto& e : forged.constraints[0].entries) e.value = 3;
  const BoundProof third = prove_bound(forged, zero);
  REQUIRE(third.blocks[0].trace);
  CHECK(Rational(*third.blocks[0].trace) * 3 >= 1);
}

TEST_CASE("diagonal blocks: signs are exact, and each negative number costs what its own row allows") {
  SemidefiniteProgram program;
  program.blocks = {{"", 3, true}};
  program.cost = {{0, 0, 0, 1}, {0, 1, 1, 1e-30}, {0, 2, 2, 1e30}};
  program.constraints.resize(2);
  program.constraints[0] = {"", {{0, 0, 0, 1}, {0, 1, 1, 1e-30}}, Relation::equal, 5};
  program.constraints[1] = {"", {{0, 2, 2, 1e30}}, Relation::equal, 7};
  Vector y(2);
  y << 1, 1;
  CHECK(prove_bound(program, y).lower_bound == 12);
  y << above(1), 1;  // both numbers of row 1 miss by a bit
  const BoundProof missed = prove_bound(program, y);
  CHECK(missed.blocks[0].method == Method::trace);
  REQUIRE(missed.lower_bound);
  CHECK(*missed.lower_bound < 12);
  CHECK(*missed.lower_bound > 12 - 1e-12);
  y << 1, 3;
  CHECK(*prove_bound(program, y).lower_bound <= 12);
  // A multiplier of the wrong sign for its inequality counts as 0.
  program.constraints[1].relation = Relation::at_most;
  Vector right_sign(2);
  right_sign << 1, 0;
  CHECK(prove_bound(program, y).lower_bound == prove_bound(program, right_sign).lower_bound);
  CHECK(prove_bound(program, y).lower_bound == 5);
  // Without a row that bounds it, a negative number leaves no bound.
  program.constraints[0].entries[0].value = -1;
  y << -2, 0;
  const BoundProof none = prove_bound(program, y);
  CHECK_FALSE(none.lower_bound);
  CHECK(none.blocks[0].row == 0);
}

TEST_CASE("several blocks: one that is not proven leaves no bound") {
  SemidefiniteProgram program = unit_trace(Matrix::Identity(2, 2));
  program.blocks.push_back({"", 2, false});
  program.cost.push_back({1, 0, 1, 1});
  const BoundProof proof = prove_bound(program, Vector::Zero(1));
  CHECK_FALSE(proof.lower_bound);
  CHECK(proof.blocks[0].method == Method::cholesky);
  CHECK(proof.blocks[1].method == Method::none);
}

TEST_CASE("multipliers of another number, or that are no numbers, are refused") {
  const SemidefiniteProgram program = unit_trace(Matrix::Identity(2, 2));
  CHECK_THROWS_AS(static_cast<void>(prove_bound(program, Vector::Zero(2))), DataError);
  CHECK_THROWS_AS(static_cast<void>(prove_bound(program, Vector::Constant(1, std::nan("")))), DataError);
  CHECK_THROWS_AS(static_cast<void>(prove_bound(program, Vector::Constant(1, kHuge))), DataError);
  // Numbers that overflow prove nothing, or a bound that holds.
  const BoundProof proof = prove_bound(program, Vector::Constant(1, 1e308));
  CHECK((!proof.lower_bound || *proof.lower_bound <= 1));
}

TEST_CASE("exact elimination of larger blocks is asked for") {
  constexpr Index kObjects = 70;
  SemidefiniteProgram program;  // the Laplacian of a path, singular
  program.blocks = {{"", kObjects, false}};
  for (Index i = 0; i < kObjects; ++i) {
    program.cost.push_back({0, i, i, i == 0 || i + 1 == kObjects ? 1.0 : 2.0});
    if (i > 0) program.cost.push_back({0, i - 1, i, -1});
  }
  program.constraints.push_back({"", {{0, 0, 1, 1}}, Relation::equal, 1});
  CHECK_FALSE(prove_bound(program, Vector::Zero(1)).lower_bound);
  const BoundProof exact = prove_bound(program, Vector::Zero(1), {.exact_rows = kObjects});
  CHECK(exact.lower_bound == 0);
  CHECK(exact.blocks[0].method == Method::exact);
}

TEST_CASE("rays: infeasibility is proven, and not of a feasible program") {
  // tr X = -1
  SemidefiniteProgram program = unit_trace(Matrix::Identity(2, 2), -1);
  CHECK(prove_infeasible(program, Vector::Constant(1, -1)).lower_bound == 1);
  CHECK_FALSE(prove_infeasible(program, Vector::Constant(1, 1)).lower_bound);
  CHECK_FALSE(prove_infeasible(program, Vector::Zero(1)).lower_bound);
  program.constraints[0].bound = 0;  // X = 0 is feasible
  CHECK_FALSE(prove_infeasible(program, Vector::Constant(1, -1)).lower_bound);

  // min -X_11 with X_12 = 0 only: no y gives a bound.
  SemidefiniteProgram unbounded;
  unbounded.blocks = {{"", 2, false}};
  unbounded.cost = {{0, 0, 0, -1}};
  unbounded.constraints.push_back({"", {{0, 0, 1, 1}}, Relation::equal, 1});
  CHECK(proves_no_bound(unbounded, {{0, 0, 0, 1}}));
  CHECK(proves_no_bound(unbounded, {{0, 0, 0, 1e-300}, {0, 1, 1, 1e300}}));
  CHECK(proves_no_bound(unbounded, {{0, 0, 0, 1}, {0, 0, 1, 1e-9}, {0, 1, 1, 1}}));  // one is near
  CHECK_FALSE(proves_no_bound(unbounded, {{0, 0, 0, 1}, {0, 0, 1, 1e-9}, {0, 1, 1, 1e-18}}));
  CHECK_FALSE(proves_no_bound(unbounded, {{0, 0, 0, 1}, {0, 0, 1, 1e-9}}));
  CHECK_FALSE(proves_no_bound(unbounded, {{0, 0, 0, -1}}));
  CHECK_FALSE(proves_no_bound(unbounded, {{0, 1, 1, 1}}));
}

TEST_CASE("a primal point is measured exactly, with its price") {
  const SemidefiniteProgram program = unit_trace(Matrix::Identity(2, 2));
  const Vector y = Vector::Constant(1, -3);
  PrimalCheck check = check_primal(program, {{0, 0, 0, 0.5}, {0, 0, 1, 0.5}, {0, 1, 1, 0.5}}, y);
  CHECK(check.feasible);
  CHECK(check.value.high == 1);
  check = check_primal(program, {{0, 0, 0, 0.5}, {0, 0, 1, above(0.5)}, {0, 1, 1, 0.5}}, y);
  CHECK_FALSE(check.feasible);
  CHECK(check.largest_violation == 0);
  CHECK(check.shift.value_or(0) > 0);
  check = check_primal(program, {{0, 0, 0, 0.5}, {0, 1, 1, 0.75}}, y);
  CHECK(check.largest_row == 0);
  CHECK(check.largest_violation == 0.25);
  CHECK(check.price == 0.75);
  CHECK_THROWS_AS(static_cast<void>(check_primal(program, {{0, 0, 2, 1}}, y)), DataError);
  CHECK_THROWS_AS(static_cast<void>(check_primal(program, {{1, 0, 0, 1}}, y)), DataError);
  CHECK_THROWS_AS(static_cast<void>(check_primal(program, {{0, 0, 0, 1}, {0, 0, 0, 1}}, y)), DataError);
  CHECK_THROWS_AS(static_cast<void>(check_primal(program, {{0, 0, 0, std::nan("")}}, y)), DataError);
}

TEST_CASE("a feasible point near an interior one gives an upper bound, and none near a singular one") {
  Matrix c(2, 2);
  c << 1, 0, 0, 3;
  const SemidefiniteProgram program = unit_trace(c);  // <C, X> = X_11 + 3 X_22
  const auto point = feasible_point_near(program, {{0, 0, 0, 0.75 + 1e-9}, {0, 1, 1, 0.25}});
  REQUIRE(point);
  // The nearest feasible point: (0.75 + 0.5e-9, 0.25 - 0.5e-9).
  CHECK(point->distance >= 1e-9 / std::sqrt(2));
  CHECK(point->distance <= 1.1e-9);
  CHECK(Rational(point->upper_bound) >= Rational(1.5) - Rational(1e-9));
  CHECK(point->upper_bound <= 1.5 + 1e-8);
  CHECK(feasible_point_near(program, {{0, 0, 0, 0.75}, {0, 1, 1, 0.25}})->distance == 0);
  CHECK_FALSE(feasible_point_near(program, {{0, 0, 0, 1 + 1e-9}}));                    // singular
  CHECK_FALSE(feasible_point_near(program, {{0, 0, 0, 1 + 1e-9}, {0, 1, 1, 1e-10}}));  // nearly so
  CHECK_FALSE(feasible_point_near(program, {{0, 0, 0, 1.1}, {0, 1, 1, -1e-10}}));      // not semidefinite
  CHECK_FALSE(feasible_point_near(program, {{0, 0, 0, 9}, {0, 1, 1, 0.1}}));           // far from feasible
  SemidefiniteProgram twice = program;  // equations that depend on each other, and contradict by a little
  twice.constraints.push_back(twice.constraints[0]);
  twice.constraints[1].bound = above(1);
  CHECK_FALSE(feasible_point_near(twice, {{0, 0, 0, 0.75}, {0, 1, 1, 0.25}}));
  // Rows of all scales.
  SemidefiniteProgram graded = program;
  graded.constraints.push_back({"", {{0, 0, 0, 1e-30}}, Relation::equal, 0.75e-30});
  graded.constraints.push_back({"", {{0, 0, 1, 1e30}}, Relation::equal, 0});
  const auto far = feasible_point_near(graded, {{0, 0, 0, 0.75}, {0, 0, 1, 1e-9}, {0, 1, 1, 0.25 + 1e-9}});
  REQUIRE(far);
  CHECK(far->distance > 1.7e-9);
  CHECK(far->distance < 1e-8);
}

TEST_CASE("the multipliers of proven_bound prove its value by themselves") {
  Rng rng(8105);
  for (int trial = 0; trial < 30; ++trial) {
    const SemidefiniteProgram program = trial % 2 == 0 ? theta_of_cycle(5) : cut_of_complete_graph(6);
    Vector y(static_cast<Index>(program.constraints.size()));
    for (Index r = 0; r < y.size(); ++r) y[r] = rng.normal();
    const auto result = proven_bound(program, y);
    REQUIRE(result);
    CHECK(result->value == lower_bound(program, y));
    const BoundProof proof = prove_bound(program, result->multipliers);
    REQUIRE(proof.lower_bound);
    CHECK(*proof.lower_bound == doctest::Approx(result->value).epsilon(1e-10));
    // And without the trace bound's help, moved by a little.
    CHECK(exactly_psd(exact_slack(program, result->multipliers, 0), Rational(1e-12)));
  }
}

}  // namespace
}  // namespace bound_proof_test
