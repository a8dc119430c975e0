// Gradient and Hessian of the augmented Lagrangian against differences, with radii, slacks, a basis and rows of two
// terms.
#include "solvers/semidefinite/factor/distance_lagrangian.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/faces/separation.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/pair_sign_makers.hpp"

namespace distance_lagrangian_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

void check_derivatives(const Problem& problem, Index columns, double penalty) {
  CAPTURE(problem.name());
  CAPTURE(columns);
  const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
  const Index order = program.cost().order();
  DistanceLagrangian lagrangian(program, static_cast<double>(order), 3);
  lagrangian.add_rows(program.all_constraints());
  lagrangian.set_penalty(penalty);
  Rng rng(5);
  std::vector<double> y;
  for (Index k = 0; k < lagrangian.row_count(); ++k) y.push_back(0.1 * rng.uniform01());
  lagrangian.set_multipliers(y);
  const bool centred = program.cost().basis.size() == 0;
  const auto random = [&] {
    Matrix out = gaussian_points(order, columns, rng);
    if (centred) out.rowwise() -= out.colwise().mean().eval();
    return out;
  };
  const Matrix u = random(), d = random();
  Matrix gradient, unused, product, ahead, behind;
  lagrangian.evaluate(u, gradient);
  lagrangian.hessian_times(u, d, product);
  const double h = 1e-6;
  const double up = lagrangian.evaluate(u + h * d, ahead);
  const double down = lagrangian.evaluate(u - h * d, behind);
  const double slope = gradient.cwiseProduct(d).sum();
  CHECK(slope == doctest::Approx((up - down) / (2 * h)).epsilon(1e-6));
  // Rows that change their activity within h are few; they move the difference by O(h).
  const Matrix difference = (ahead - behind) / (2 * h);
  CHECK((difference - product).norm() <= 2e-4 * product.norm());
  CHECK(product.norm() > 0);
}

}  // namespace

TEST_CASE("gradients and Hessian products are those of differences") {
  Rng rng(3);
  Observations data = gaussian_observations(14, 2, rng);
  data.features = std::make_shared<const FeatureMatrix>(gaussian_points(14, 5, rng).cast<float>());
  data.pair_signs = neighbor_signs(data.truth, 3, true);
  for (const Index columns : {3, 7}) {
    check_derivatives(made("psde", data, "{}"), columns, 2);
    check_derivatives(made("psde", data, "{ single_radius = true }"), columns, 2);
    check_derivatives(made("kpsde", data, "{ basis_size = 9, beta = 0.02 }"), columns, 2);
    check_derivatives(made("kpsde", data, "{ form = gram, beta = 0.02 }"), columns, 2);
    check_derivatives(made("gnmds_sdp", data, "{}"), columns, 2);
    check_derivatives(made("mvu", data, "{ neighbors = 4 }"), columns, 2);
    check_derivatives(made("psde_triplets", data, "{}"), columns, 2);
  }
}

TEST_CASE("radii make the flows of the multipliers vanish, and rows are added once") {
  Rng rng(4);
  const Matrix points = rectangle_points(20, 2);
  Observations data;
  data.name = "test";
  data.objects.resize(20);
  data.pair_signs = neighbor_signs(points, 4, true);
  const Problem problem = made("psde", data, "{}");
  const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
  DistanceLagrangian lagrangian(program, 20, 1);
  const auto rows = program.all_constraints();
  CHECK(lagrangian.add_rows(rows) == static_cast<Index>(rows.size()));
  CHECK(lagrangian.add_rows(rows) == 0);
  lagrangian.set_penalty(5);
  Matrix gradient;
  Matrix u = gaussian_points(20, 4, rng);
  u.rowwise() -= u.colwise().mean().eval();
  lagrangian.evaluate(u, gradient);
  Vector flow = Vector::Zero(20);
  double largest = 0;
  for (Index k = 0; k < lagrangian.row_count(); ++k) {
    const DistanceConstraint row = program.row(lagrangian.ids()[static_cast<std::size_t>(k)]);
    const double y = lagrangian.estimates()[static_cast<std::size_t>(k)];
    CHECK(y >= 0);
    flow[row.radius] += row.radius_coefficient * y;
    largest = std::max(largest, y);
  }
  CHECK(largest > 0);
  CHECK(flow.cwiseAbs().maxCoeff() <= 1e-10 * largest);
}

}  // namespace distance_lagrangian_test
