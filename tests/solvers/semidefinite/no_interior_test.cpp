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
#include "problems/core/precise_matrix.hpp"
#include "problems/core/sorted_lists.hpp"
#include "problems/faces/separation.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "problems/programs/distance_program.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/psde_program.hpp"
#include "problems/semidefinite/stress_face.hpp"
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

TEST_CASE("a solve whose time is over before it begins says how far its start is from feasible, and no more") {
  Rng rng(70);
  const Matrix points = annulus(40, rng).leftCols(2);
  for (const char* solver : {"interior_point", "low_rank", "cutting_plane"}) {
    CAPTURE(solver);
    const Problem problem = unfolding(points, 5);
    Solution x = problem.start(rng);
    Executor executor;
    SolveContext context(executor);
    context.deadline = std::chrono::steady_clock::time_point();
    const Summary summary = solver_catalog().at(solver).make({})->solve(problem, x, context);
    CHECK(summary.termination == Termination::time_limit);
    CHECK(summary.violations.max > 0);
    CHECK_FALSE(summary.certificate);  // it has the trace of the bound that any multipliers prove
  }
}

/// Rods of whole points, joined end to end and folded at right angles; all distances within a rod are kept. The
/// straight line is the optimum, and its variance is a fraction of whole numbers.
struct FoldedRods {
  Matrix points;
  std::vector<semidefinite::NeighborPair> pairs;
  double numerator = 0, size = 0;  // of the line's variance, which is numerator / size
};

FoldedRods folded_rods(Rng& rng, double unit) {
  const std::uint64_t rods = 2 + rng.below(4), dimensions = 1 + rng.below(3);
  std::vector<Vector> places = {Vector::Zero(3)};
  std::vector<double> line = {0};
  FoldedRods out;
  for (std::uint64_t rod = 0; rod < rods; ++rod) {
    const std::size_t first = places.size() - 1;
    const auto axis = static_cast<Index>(rng.below(dimensions));
    const double sign = rng.below(2) == 0 ? 1 : -1;
    const std::uint64_t points = 2 + rng.below(3);
    for (std::uint64_t k = 0; k < points; ++k) {
      const double step = unit * static_cast<double>(1 + rng.below(9));
      line.push_back(line.back() + step);
      places.push_back(places.back() + sign * step * Vector::Unit(3, axis));
      for (std::size_t i = first; i + 1 < places.size(); ++i)
        out.pairs.push_back({static_cast<ObjectId>(i), static_cast<ObjectId>(places.size() - 1),
                             (line.back() - line[i]) * (line.back() - line[i])});
    }
  }
  out.points.resize(std::ssize(places), 3);
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    out.points.row(static_cast<Index>(k)) = places[k].transpose();
    sum += line[k];
    squares += line[k] * line[k];
  }
  out.size = static_cast<double>(places.size());
  out.numerator = out.size * squares - sum * sum;
  sort_distinct(out.pairs, [](const auto& pair) { return std::pair(pair.i, pair.j); });
  return out;
}

TEST_SUITE("heavy") {
  TEST_CASE("an attack on bounds of a face: no multipliers prove more than the exact variance of rods in a line") {
    Rng rng(69);
    int faces = 0, near = 0;
    for (int draw = 0; draw < 150; ++draw) {
      CAPTURE(draw);
      FoldedRods rods = folded_rods(rng, draw % 3 == 0 ? 1e4 : 1);
      const Index n = rods.points.rows();
      std::vector<semidefinite::NeighborPair> pairs = rods.pairs;
      semidefinite::StressFace found = semidefinite::stress_face(rods.points, pairs);
      if (found.face.basis.size() > 0) ++faces;
      const double trace = rods.numerator / rods.size;
      auto program = std::make_shared<const semidefinite::UnfoldingProgram>(n, std::move(pairs), true, 2 * trace,
                                                                            std::move(found.face));
      const Problem problem("mvu", semidefinite::DistanceMap(program, 2));
      const Outcome out = solved_by("interior_point", problem, rng);
      const auto& x = std::get<SemidefiniteSolution>(out.x);
      const std::vector<ConstraintId> ids = program->all_constraints();
      const Index count = x.multipliers.size();
      REQUIRE(count == std::ssize(ids));
      const auto is_true = [&](double bound) {  // bound <= -numerator / size, decided without rounding
        const DoubleDouble both = DoubleDouble(bound) * rods.size + DoubleDouble(rods.numerator);
        return both.high <= 0;
      };
      if (out.summary.certificate) CHECK(is_true(out.summary.certificate->lower_bound));
      const Vector low = x.proof.size() == 2 * count ? Vector(x.proof.tail(count)) : Vector(Vector::Zero(count));
      for (int attack = 0; attack < 40; ++attack) {
        const double by = attack == 0 ? 0 : std::pow(10.0, -17 + 0.4 * attack);
        Vector y = x.multipliers, moved = low;
        for (Index k = 0; k < count; ++k) (attack % 2 == 0 ? y : moved)[k] += by * rng.normal() * std::abs(y[k]);
        if (attack % 5 == 4) y *= 1 + by;
        const double bound = certify(*program, ids, y, moved).lower_bound;
        CAPTURE(attack);
        CHECK(is_true(bound));
        int looks = 0;
        CHECK(is_true(certify(*program, ids, y, moved, [&] { return ++looks > attack; }).lower_bound));
        if (bound > -trace * (1 + 1e-6)) ++near;
      }
    }
    CHECK(faces > 100);  // the attack is one of bounds that count what leaks from a face,
    CHECK(near > 1000);  // and near the optimum
  }
}

}  // namespace
}  // namespace no_interior_test
