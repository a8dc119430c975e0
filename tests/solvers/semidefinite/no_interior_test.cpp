// Programs without an interior, where points that violate constraints by 1e-7 have objectives that no feasible point has:
// what solvers say of their ends.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "problems/catalog.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/faces/separation.hpp"
#include "problems/programs/distance_program.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/psde_program.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/honest_certificate.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/pair_sign_makers.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/solved_programs.hpp"

namespace no_interior_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

Matrix s_curve(Index n, Rng& rng) {
  Matrix out(n, 3);
  for (auto row : out.rowwise()) {
    const double t = 3 * std::numbers::pi * (rng.uniform(0, 1) - 0.5);
    row << std::sin(t), rng.uniform(0, 2), std::copysign(1, t) * (std::cos(t) - 1);
  }
  return out;
}

/// A ring with a hole, bent a little out of its plane.
Matrix annulus(Index n, Rng& rng) {
  Matrix out(n, 3);
  for (auto row : out.rowwise()) {
    const double radius = std::sqrt(rng.uniform(0.25, 1)), angle = rng.uniform(0, 2 * std::numbers::pi);
    row << radius * std::cos(angle), radius * std::sin(angle), 0.3 * radius * radius;
  }
  return out;
}

Problem unfolding(const Matrix& points, int neighbors) {
  ValueTable options;
  options.set("neighbors", neighbors);
  options.set("component", "largest");
  return problem_catalog().at("mvu").make(of_features(points), options);
}

Outcome solved_by(const char* solver, const Problem& problem, Rng& rng) {
  return solve(*solver_catalog().at(solver).make({}), problem, problem.start(rng));
}

TEST_CASE("unfolding an S curve and an annulus: nothing is said to be proven of a map that breaks the distances" *
          needs_csdp()) {
  Rng rng(66);
  for (int draw = 0; draw < 4; ++draw) {
    CAPTURE(draw);
    const Matrix curve = s_curve(60, rng), ring = annulus(30, rng);
    for (const char* solver : {"interior_point", "low_rank", "cutting_plane", "csdp"}) {
      CAPTURE(solver);
      check_honest(solved_by(solver, unfolding(curve, 6), rng));
      check_honest(solved_by(solver, unfolding(ring, 5), rng));
    }
  }
}

TEST_CASE("unfolding rings of which parts can not bend is proven, by maps that keep all distances" * needs_csdp()) {
  Rng rng(67);
  int proven = 0;
  for (int draw = 0; draw < 6; ++draw) {
    const Outcome out = solved_by("interior_point", unfolding(annulus(150, rng).leftCols(2), 5), rng);
    const auto& proof = out.summary.certificate;
    if (proof && proof->upper_bound &&
        *proof->upper_bound - proof->lower_bound < 1e-6 * std::abs(out.summary.objective))
      ++proven;
  }
  CAPTURE(proven);
  CHECK(proven == 6);
}

/// A program whose feasible X all lie in N M N', by rows that only together say so, with a known optimum. The multipliers
/// of optimal bounds are infinite where `cross` is not 0.
struct Faced {
  SemidefiniteProgram program;
  double optimum = 0;
};

void add_entries(const Matrix& a, std::vector<SymmetricEntry>& out) {
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = i; j < a.cols(); ++j)
      if (a(i, j) != 0) out.push_back({0, i, j, a(i, j)});
}

Faced faced_program(Index n, Index p, double cross, bool bounded, Rng& rng) {
  const Matrix basis = orthonormal_columns(Eigen::MatrixXd(gaussian_symmetric(n, rng)), n);
  const Matrix inside = basis.leftCols(p), outside = basis.rightCols(n - p);
  const Matrix ends = orthonormal_columns(Eigen::MatrixXd(gaussian_symmetric(p, rng)), p);
  const Index rank = std::max<Index>(1, p / 2);
  Vector of_m = Vector::Zero(p), of_s = Vector::Zero(p);
  for (Index k = 0; k < p; ++k) (k < rank ? of_m : of_s)[k] = rng.uniform(0.5, 2);
  const Matrix x = inside * ends * of_m.asDiagonal() * ends.transpose() * inside.transpose();
  const Matrix s = ends * of_s.asDiagonal() * ends.transpose();

  Faced out{{{{"X", n, false}}, {}, {}}, 0};
  const auto add_row = [&](const Matrix& a, double bound) {
    SemidefiniteConstraint row{"", {}, Relation::equal, bound};
    add_entries(a, row.entries);
    out.program.constraints.push_back(std::move(row));
  };
  Matrix cost = inside * s * inside.transpose();
  for (Index r = 0; r < p; ++r) {
    const Matrix a = gaussian_symmetric(n, rng);
    add_row(a, a.cwiseProduct(x).sum());
    cost += rng.normal() * a;
  }
  // <outside outside', X> = 0 as the sum of two rows, neither of which is semidefinite.
  const Matrix a = gaussian_symmetric(n, rng);
  const double value = a.cwiseProduct(x).sum();
  add_row(outside * outside.transpose() + a, value);
  add_row(-a, -value);
  if (bounded) add_row(Matrix::Identity(n, n), x.trace());
  const Matrix between = inside * Matrix::Ones(p, n - p) * outside.transpose();
  cost += cross * (between + between.transpose());
  cost = 0.5 * (cost + cost.transpose()).eval();
  add_entries(cost, out.program.cost);
  out.optimum = cost.cwiseProduct(x).sum();
  return out;
}

TEST_CASE("programs whose feasible X lie on a face: bounds hold the optimum, and no more is said than that" *
          needs_csdp()) {
  Rng rng(67);
  for (const double cross : {0.0, 1e-3, 1.0})
    for (const bool bounded : {true, false})
      for (const Index n : {2, 6, 20}) {
        CAPTURE(cross);
        CAPTURE(bounded);
        CAPTURE(n);
        const Faced faced = faced_program(n, n / 2, cross, bounded, rng);
        for (const char* solver : {"csdp", "admm", "burer_monteiro"}) {
          CAPTURE(solver);
          check_honest(solve(*solver_catalog().at(solver).make({}), bare(faced.program), SemidefiniteSolution{}),
                       faced.optimum);
        }
      }
}

TEST_CASE("signs that run in circles leave PSDE no interior: no word of more than its bounds" * needs_csdp()) {
  Rng rng(68);
  for (int draw = 0; draw < 4; ++draw) {
    CAPTURE(draw);
    std::vector<ObjectPair> similar;
    for (ObjectId i = 0; i < 14; ++i)  // each is similar to the next two of its ring of seven, and not the other way
      for (ObjectId step : {1, 2}) similar.push_back({i, (i / 7) * 7 + (i + step) % 7});
    for (int k = 0; k < 4 * draw; ++k)
      similar.push_back({static_cast<ObjectId>(rng.below(7)), 7 + static_cast<ObjectId>(rng.below(7))});
    const Problem problem("psde", semidefinite::DistanceMap(std::make_shared<const semidefinite::PsdeProgram>(
                                                                signs_of(14, similar), semidefinite::PsdeOptions{}),
                                                            2));
    for (const char* solver : {"low_rank", "cutting_plane", "csdp"}) {
      CAPTURE(solver);
      check_honest(solved_by(solver, problem, rng));
    }
  }
}

}  // namespace
}  // namespace no_interior_test
