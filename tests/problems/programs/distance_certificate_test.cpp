#include "problems/programs/distance_certificate.hpp"

#include <doctest/doctest.h>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/semidefinite/psde_program.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/listed_program.hpp"
#include "tests/support/pair_sign_makers.hpp"

namespace distance_certificate_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using semidefinite::PsdeOptions;
using semidefinite::PsdeProgram;

constexpr std::uint64_t kSeed = 20240611;

Vector random_multipliers(std::size_t count, double scale, Rng& rng) {
  Vector y(static_cast<Index>(count));
  for (double& value : y) value = scale * rng.normal();
  return y;
}

/// sum of r_k y_k of every radius, which is to be >= 0.
Vector flows(const DistanceProgram& program, std::span<const ConstraintId> rows, const Vector& y) {
  Vector out = Vector::Zero(program.cost().radius_count);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const DistanceConstraint row = program.row(rows[k]);
    if (row.radius >= 0) out[row.radius] += row.radius_coefficient * y[static_cast<Index>(k)];
  }
  return out;
}

/// lambda_min of sum of all signs and multipliers as one Laplacian, entry by entry.
double least_eigenvalue_by_hand(const PairSigns& signs, const DistanceProgram& program,
                                std::span<const ConstraintId> rows, const Vector& y) {
  const Index n = signs.object_count();
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(n, n);
  const auto add = [&](Index i, Index j, double w) {
    c(i, i) += w;
    c(j, j) += w;
    c(i, j) -= w;
    c(j, i) -= w;
  };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (const int s = signs.sign(i, j); i != j && s != 0)
        add(i, j, s / static_cast<double>(s > 0 ? signs.similar_count() : signs.dissimilar_count()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const DistanceTerm term = program.row(rows[k]).terms[0];
    add(static_cast<Index>(term.i), static_cast<Index>(term.j), term.coefficient * y[static_cast<Index>(k)]);
  }
  return SymmetricEigen(c, false).eigenvalues()[0];
}

TEST_CASE("no multipliers give a bound above the optimum") {
  Rng rng(kSeed);
  int useful = 0;
  for (const ReferenceInstance& instance : reference_instances()) {
    if (instance.signs->object_count() > 50) continue;
    CAPTURE(instance.name);
    const PsdeProgram program(instance.signs, {});
    const auto rows = program.all_constraints();
    for (int trial = 0; trial < 15; ++trial) {  // 14 instances: 210
      CAPTURE(trial);
      const double scale = std::pow(10.0, -7 + 4 * rng.uniform01());
      const Vector y = random_multipliers(rows.size(), scale, rng);
      const DistanceCertificate certificate = certify(program, rows, y);
      CHECK(certificate.lower_bound <= instance.optimum + 1e-9);
      int looks = 0;
      const double stopped = certify(program, rows, y, {}, [&] { return ++looks > trial; }).lower_bound;
      CHECK(stopped <= instance.optimum + 1e-9);
      CHECK(std::isfinite(stopped));
      useful += certificate.lower_bound > 1.5 * instance.optimum;
      const Vector feasible = feasible_multipliers(program, rows, y);
      CHECK(feasible.minCoeff() >= 0);
      CHECK(flows(program, rows, feasible).minCoeff() >= 0);
      CHECK(feasible_multipliers(program, rows, feasible) == feasible);
      const double by_hand = least_eigenvalue_by_hand(*instance.signs, program, rows, feasible);
      CHECK(close(certificate.least_eigenvalue, by_hand, {1e-9, 1e-12}));
      CHECK(certificate.least_eigenvalue <= by_hand + 1e-14);
    }
    // Without any: the spectral bound of the cost.
    const DistanceCertificate bare = certify(program, {}, Vector());
    CHECK(bare.lower_bound <= instance.optimum);
    CHECK(bare.lower_bound > 1.1 * instance.optimum);
  }
  CHECK(useful > 50);
}

TEST_CASE("trace bounds scale the bound, and y that is not finite counts as none") {
  const SharedSigns signs = cylinder_signs(6, 4);
  const PsdeProgram one(signs, {}), three(signs, PsdeOptions{true, false, 3});
  const auto rows = one.all_constraints();
  Rng rng(kSeed);
  Vector y = random_multipliers(rows.size(), 1e-4, rng);
  CHECK(close(certify(three, rows, y).lower_bound, 3 * certify(one, rows, y).lower_bound, kSum));
  y[3] = std::nan("");
  y[4] = std::numeric_limits<double>::infinity();
  const double bound = certify(one, rows, y).lower_bound;
  CHECK(std::isfinite(bound));
  CHECK(bound <= -0.0854700848);
  CHECK_THROWS_AS(static_cast<void>(certify(one, rows, Vector::Zero(2))), DataError);
}

TEST_CASE("flow repair takes from the side that pulls a radius up, by the same share") {
  const PsdeProgram program(signs_of(4, {{0, 1}, {0, 2}, {1, 0}}), {});
  const std::vector<ConstraintId> rows = {1, 2, 3, 4, 6};  // 0: + + -, 1: + -
  const Vector y = (Vector(5) << 3, 1, 2, 0.5, 1).finished();
  const Vector feasible = feasible_multipliers(program, rows, y);
  CHECK(close(feasible[0], 1.5, {1e-14, 0}));
  CHECK(close(feasible[1], 0.5, {1e-14, 0}));
  CHECK(feasible[2] == 2);
  CHECK(feasible[3] == 0.5);  // there was enough
  CHECK(feasible[4] == 1);
  CHECK(flows(program, rows, feasible).minCoeff() >= 0);
  // One radius for all: sums over all rows.
  const PsdeProgram single(signs_of(4, {{0, 1}, {0, 2}, {1, 0}}), PsdeOptions{true, true, 1});
  const Vector together = feasible_multipliers(single, rows, y);
  CHECK(close(together[0], 3 * 3 / 4.5, {1e-14, 0}));
  CHECK(flows(single, rows, together).minCoeff() >= 0);
}

TEST_CASE("multipliers stay below the price of a slack, and bounds enter the sum") {
  DistanceCost cost;
  cost.object_count = 4;
  cost.trace_bound = 10;
  cost.ridge = Matrix::Identity(4, 4);
  std::vector<DistanceConstraint> arms;  // d2 >= 1 with a price, twice, and d2 = 1
  for (const ObjectId i : {1u, 2u, 3u})
    arms.push_back({.terms = {{{0, i, -1}}}, .term_count = 1, .equality = i == 3, .bound = -1});
  arms[0].cap = arms[1].cap = 0.5;
  const ListedProgram program(cost, arms);
  const std::vector<ConstraintId> rows = {0, 1, 2};
  const Vector y = (Vector(3) << 0.75, 0.25, -0.125).finished();
  const Vector feasible = feasible_multipliers(program, rows, y);
  CHECK(feasible == (Vector(3) << 0.5, 0.25, -0.125).finished());
  const DistanceCertificate certificate = certify(program, rows, y);
  // C(y) = I - Laplacian of the three arms weighted by y.
  Eigen::MatrixXd c = Eigen::MatrixXd::Identity(4, 4);
  for (Index k = 0; k < 3; ++k) {
    c(0, 0) -= feasible[k];
    c(k + 1, k + 1) -= feasible[k];
    c(0, k + 1) = c(k + 1, 0) = feasible[k];
  }
  const double least = SymmetricEigen(c, false).eigenvalues()[0];
  CHECK(close(certificate.lower_bound, 10 * std::min(0.0, least) + 0.5 + 0.25 - 0.125, {1e-12, 1e-12}));
}

TEST_CASE("sparse and dense bounds agree") {
  Rng rng(kSeed);
  const auto check = [&](const SharedSigns& signs, const PsdeOptions& options) {
    const PsdeProgram program(signs, options);
    const Index n = signs->object_count();
    CAPTURE(n);
    for (int trial = 0; trial < 6; ++trial) {
      CAPTURE(trial);
      const auto rows = program.first_constraints(2, rng);
      const double scale = trial == 0 ? 0 : std::pow(10.0, -trial);
      const Vector y = random_multipliers(rows.size(), scale / static_cast<double>(signs->similar_count()) * 100, rng);
      const DistanceCertificate sparse = certify(program, rows, y);
      const DistanceCertificate dense = certify(program, rows, y, Vector::Zero(y.size()));
      CHECK(close(sparse.least_eigenvalue, dense.least_eigenvalue, {1e-8, 1e-12}));
      CHECK(close(sparse.lower_bound, dense.lower_bound, {1e-8, 1e-12}));
    }
  };
  check(cylinder_signs(18, 9), {});
  check(neighbor_signs(rectangle_points(150, kSeed), 6, true), {});
  check(neighbor_signs(rectangle_points(150, kSeed), 6, false), {});
  check(cylinder_signs(14, 9), PsdeOptions{false, true, 2});
}

}  // namespace
}  // namespace distance_certificate_test
