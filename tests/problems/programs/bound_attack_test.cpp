// Attacks on proofs: programs of whole numbers whose optimum is known exactly, and solutions that were tampered with. No
// bound may be better than the optimum, by however little, and nothing may be called feasible that is not.
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "problems/core/random.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/feasible_point.hpp"
#include "problems/programs/solution_file.hpp"

namespace bound_attack_test {
namespace {

using namespace alidade;

struct ExactProgram {
  SemidefiniteProgram program;
  Matrix x;
  Vector y;
  double optimum = 0;
};

double whole(Rng& rng, std::uint64_t below) {
  return static_cast<double>(rng.below(2 * below + 1)) - static_cast<double>(below);
}

std::vector<SymmetricEntry> upper(const Matrix& a) {
  std::vector<SymmetricEntry> out;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = i; j < a.cols(); ++j)
      if (a(i, j) != 0) out.push_back({0, i, j, a(i, j)});
  return out;
}

/// X = L diag(0, B B') L' and Z = L'^-1 diag(D D', 0) L^-1 for a unit lower triangular L of whole numbers: both are
/// semidefinite and XZ = 0, so that b'y is the optimum of C = Z + A'(y). Every number is whole and below 2^53.
ExactProgram exact_program(Rng& rng, bool bounded) {
  const Index n = 3 + static_cast<Index>(rng.below(5)), split = 1 + static_cast<Index>(rng.below(2)),
              m = 1 + static_cast<Index>(rng.below(4));
  Matrix l = Matrix::Identity(n, n), inverse = l;
  for (Index i = 1; i < n; ++i)
    for (Index j = 0; j < i; ++j) l(i, j) = whole(rng, 1);
  for (Index i = 1; i < n; ++i)
    for (Index j = 0; j < i; ++j) inverse(i, j) = -l.row(i).segment(j, i - j).dot(inverse.col(j).segment(j, i - j));
  const auto square = [&](Index first, Index count) {
    Matrix factor = Matrix::Zero(n, count), out;
    for (Index i = first; i < first + count; ++i)
      for (Index c = 0; c < count; ++c) factor(i, c) = whole(rng, 2);
    out = factor * factor.transpose();
    return out;
  };
  ExactProgram out;
  out.x = l * square(split, n - split) * l.transpose();
  Matrix cost = inverse.transpose() * square(0, split) * inverse;
  out.program.blocks = {{"", n, false}};
  out.y = Vector::Zero(m + (bounded ? 1 : 0));
  for (Index r = 0; r < out.y.size(); ++r) {
    Matrix a = Matrix::Identity(n, n);
    while (r < m) {
      for (Index i = 0; i < n; ++i)
        for (Index j = i; j < n; ++j) a(i, j) = a(j, i) = whole(rng, 2);
      if (!a.isZero(0)) break;
    }
    out.y[r] = whole(rng, 3);
    cost += out.y[r] * a;
    const double bound = a.cwiseProduct(out.x).sum();
    out.program.constraints.push_back({"", upper(a), Relation::equal, bound});
    out.optimum += bound * out.y[r];
  }
  out.program.cost = upper(cost);
  return out;
}

/// One of the ways to make numbers a little or very wrong.
template <class Numbers>
void tamper(Numbers& numbers, Rng& rng) {
  constexpr std::array kNoise = {1e-16, 1e-14, 1e-11, 1e-8, 1e-4, 1.0};
  double& one = numbers.data()[rng.below(static_cast<std::uint64_t>(numbers.size()))];
  switch (rng.below(5)) {
    case 0: one = std::nextafter(one, rng.below(2) == 0 ? HUGE_VAL : -HUGE_VAL); break;
    case 1: one = -one; break;
    case 2: numbers *= 1 + kNoise[rng.below(kNoise.size())]; break;
    case 3: one += kNoise[rng.below(kNoise.size())] * (1 + std::abs(one)); break;
    default:
      const double noise = kNoise[rng.below(kNoise.size())];
      for (Index k = 0; k < numbers.size(); ++k) numbers.data()[k] += noise * rng.normal();
  }
}

TEST_CASE(
    "350 exact programs and 1,400 solutions that were tampered with: no bound is false, and the true one is proven") {
  Rng rng(20261128);
  int proven = 0;
  for (int trial = 0; trial < 350; ++trial) {
    CAPTURE(trial);
    const ExactProgram exact = exact_program(rng, trial % 2 == 0);
    const auto best = prove_bound(exact.program, exact.y).lower_bound;
    REQUIRE(best);
    CHECK(*best == exact.optimum);
    const auto lower = lower_bound(exact.program, exact.y);
    if (lower) CHECK(*lower <= exact.optimum);
    for (int attack = 0; attack < 2; ++attack) {
      Vector y = exact.y;
      tamper(y, rng);
      const auto bound = prove_bound(exact.program, y).lower_bound;
      if (bound) CHECK(*bound <= exact.optimum);
      proven += bound ? 1 : 0;
      if (const auto moved = proven_bound(exact.program, y)) CHECK(moved->value <= exact.optimum);
      CHECK_FALSE(prove_infeasible(exact.program, y - exact.y).lower_bound);  // there is an X
    }
    CHECK(check_primal(exact.program, upper(exact.x), exact.y).feasible);
    for (int attack = 0; attack < 2; ++attack) {
      Matrix x = exact.x;
      tamper(x, rng);
      x = Matrix(0.5 * (x + x.transpose()));
      const PrimalCheck check = check_primal(exact.program, upper(x), exact.y);
      if (check.feasible) CHECK(check.value.high >= exact.optimum);
      if (check.feasible) CHECK(check.largest_violation == 0);
      if (const auto point = feasible_point_near(exact.program, upper(x))) CHECK(point->upper_bound >= exact.optimum);
    }
  }
  CHECK(proven > 300);  // those whose rows bound the trace
}

}  // namespace
}  // namespace bound_attack_test
