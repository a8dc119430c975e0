// Attacks on proofs: programs of whole numbers whose optimum is known exactly, and solutions that were tampered with. No
// bound may be better than the optimum, by however little, and nothing may be called feasible that is not.
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/precise_matrix.hpp"
#include "problems/core/random.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/definiteness.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "problems/programs/feasible_point.hpp"
#include "problems/programs/fixed_diagonal.hpp"
#include "problems/programs/solution_file.hpp"
#include "tests/support/listed_program.hpp"

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

/// Pairs of a connected graph, some of them twice, with weights of both signs or of one.
std::vector<WeightedPair> random_pairs(Index n, bool signed_weights, Rng& rng) {
  std::vector<WeightedPair> out;
  const double unit = std::pow(10.0, whole(rng, 6));
  const auto add = [&](Index i, Index j) {
    if (i == j) return;
    const double weight = unit * (0.1 + rng.uniform01());
    out.push_back({static_cast<ObjectId>(std::min(i, j)), static_cast<ObjectId>(std::max(i, j)),
                   signed_weights && rng.uniform01() < 0.3 ? -weight : weight});
  };
  for (Index i = 0; i < n; ++i) {
    add(i, (i + 1) % n);
    add(i, static_cast<Index>(rng.below(static_cast<std::uint64_t>(n))));
  }
  return out;
}

TEST_CASE("no factor proves more of a Laplacian than its least eigenvalue, known to twice the digits") {
  Rng rng(8105);
  for (int trial = 0; trial < 40; ++trial) {
    const Index n = 5 + static_cast<Index>(rng.below(200));  // large ones by sparse factors
    CAPTURE(trial);
    CAPTURE(n);
    DistanceCost cost;
    cost.object_count = n;
    cost.pairs = random_pairs(n, true, rng);
    PreciseMatrix exact = PreciseMatrix::Zero(n, n);
    for (const WeightedPair& pair : cost.pairs) {
      const auto i = static_cast<Index>(pair.i), j = static_cast<Index>(pair.j);
      for (const Index end : {i, j}) exact(end, end) += DoubleDouble(pair.weight);
      exact(i, j) -= DoubleDouble(pair.weight);
      exact(j, i) = exact(i, j);
    }
    // The quotient of a vector with rounding errors is too high by their square.
    const auto least_of = [](const PreciseMatrix& s) {
      const PreciseVector x =
          SymmetricEigen(Eigen::MatrixXd(s.cast<double>())).eigenvectors().col(0).cast<DoubleDouble>();
      return DoubleDouble(x.dot(product(s, x).col(0)) / x.dot(x));
    };
    const DoubleDouble least = least_of(exact);
    const double norm = exact.cast<double>().cwiseAbs().rowwise().sum().maxCoeff();
    REQUIRE(least.high < 0);
    for (const bool dense : {false, true}) {
      const double proven =
          certify(testing::ListedProgram(cost, {}), {}, Vector(), Vector::Zero(dense ? 1 : 0)).least_eigenvalue;
      CHECK_FALSE(least < DoubleDouble(proven));
      CHECK(proven >= least.high - 1e-9 * norm);
    }
    const Eigen::MatrixXd rounded = exact.cast<double>();
    EnclosedMatrix matrix{n, {}};
    for (Index i = 0; i < n; ++i)
      for (Index j = i; j < n; ++j)
        if (rounded(i, j) != 0) matrix.entries.push_back({i, j, {rounded(i, j), rounded(i, j)}});
    const auto shift = DefinitenessTest(matrix, 1e9).least_shift();
    REQUIRE(shift);
    CHECK_FALSE(DoubleDouble(*shift) < -least_of(rounded.cast<DoubleDouble>()));
    CHECK(*shift <= -least.high + 1e-11 * norm);
  }
}

TEST_CASE("no multipliers of a fixed diagonal prove more than the exact value of a cut, however near they are") {
  Rng rng(8106);
  int proven = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Index n = 5 + static_cast<Index>(rng.below(150));
    CAPTURE(trial);
    CAPTURE(n);
    // S v = 0 for a sign vector v, and C = S + diag(y): vv' is optimal but for the rounding of C.
    Vector v(n), y(n);
    for (Index i = 0; i < n; ++i) {
      v[i] = rng.uniform01() < 0.5 ? -1 : 1;
      y[i] = whole(rng, 1000) * rng.uniform01();
    }
    Eigen::MatrixXd c = y.asDiagonal();
    for (const WeightedPair& pair : random_pairs(n, false, rng)) {
      const auto i = static_cast<Index>(pair.i), j = static_cast<Index>(pair.j);
      for (const Index end : {i, j}) c(end, end) += pair.weight;
      c(i, j) -= pair.weight * v[i] * v[j];
      c(j, i) = c(i, j);
    }
    SemidefiniteProgram program{{{"", n, false}}, {}, {}, {}};
    std::vector<Product> cut;
    for (Index i = 0; i < n; ++i) {
      program.constraints.push_back({"", {{0, i, i, 1}}, Relation::equal, 1});
      for (Index j = i; j < n; ++j) {
        if (c(i, j) == 0) continue;
        program.cost.push_back({0, i, j, c(i, j)});
        cut.push_back({(i == j ? 1 : 2) * c(i, j), v[i] * v[j]});
      }
    }
    const double value = exact_sum(cut).low, size = c.cwiseAbs().maxCoeff();
    const FixedDiagonalForm form = fixed_diagonal_form(program);
    REQUIRE(form.found);
    DiagonalCertificate certificate(*form.found, 1e9);
    for (const double off : {-1e-10, -1e-12, -1e-14, -1e-16, 0.0, 1e-16, 1e-15, 1e-14, 1e-12}) {
      CAPTURE(off);
      const auto bound = certificate.bound((y.array() + off * size).matrix());
      if (bound) CHECK(*bound <= value);
      if (bound && off == -1e-10) proven += *bound >= value - 2e-10 * size * static_cast<double>(n) ? 1 : 0;
    }
  }
  CHECK(proven == 60);
}

}  // namespace
}  // namespace bound_attack_test
