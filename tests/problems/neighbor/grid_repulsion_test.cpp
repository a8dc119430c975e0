#include "problems/neighbor/grid_repulsion.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "problems/core/random.hpp"
#include "problems/neighbor/student_sums.hpp"
#include "tests/support/observation_makers.hpp"

namespace grid_repulsion_test {
namespace {

using namespace alidade;
using namespace alidade::neighbor;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20261130;
constexpr std::size_t kManyNodes = 1 << 22;

struct Sums {
  std::vector<double> force;
  double total = 0;
};

template <class Real>
std::vector<Real> points(Index n, double side, Rng& rng) {
  const Matrix y = 0.2 * side * gaussian_points(n, 2, rng);
  std::vector<Real> out;
  for (Index k = 0; k < y.size(); ++k) out.push_back(static_cast<Real>(y.data()[k]));
  return out;
}

template <class Real>
Sums of_all_pairs(const std::vector<Real>& y, double nu) {
  const std::size_t n = y.size() / 2, stride = whole_vectors(n);
  std::vector<Real> columns(3 * stride, Real{0});
  for (std::size_t i = 0; i < n; ++i) {
    columns[i] = y[2 * i];
    columns[stride + i] = y[2 * i + 1];
    columns[2 * stride + i] = 1;
  }
  Sums out{std::vector<double>(2 * n)};
  const Sources<Real> all{columns.data(), stride, columns.data() + 2 * stride, stride};
  out.total = student_sums<Real>(true, y, 2, nu, all, {out.force.data()});
  return out;
}

template <class Real>
Sums by_grid(GridRepulsion<Real>& grid, const std::vector<Real>& y, double nu, int threads = 1) {
  Executor executor(threads);
  Sums out{std::vector<double>(y.size())};
  const auto total = grid.sums(y, nu, kManyNodes, out.force.data(), executor);
  REQUIRE(total.has_value());
  out.total = *total;
  return out;
}

double force_error(const Sums& got, const Sums& expected) {
  double error = 0, size = 0;
  for (std::size_t k = 0; k < got.force.size(); ++k) {
    error += std::pow(got.force[k] - expected.force[k], 2);
    size += std::pow(expected.force[k], 2);
  }
  return std::sqrt(error / size);
}

template <class Real>
void check_accuracy() {
  Rng rng = Rng::stream(kSeed, "accuracy");
  GridRepulsion<Real> grid;  // one for all, as an optimiser has it
  for (const double side : {1e-4, 3.0, 40.0})
    for (const double nu : {1.0, 0.5, 3.0}) {
      CAPTURE(side);
      CAPTURE(nu);
      const std::vector<Real> y = points<Real>(700, side, rng);
      const Sums expected = of_all_pairs(y, nu), got = by_grid(grid, y, nu);
      CHECK(force_error(got, expected) < (side < 10 ? 2e-5 : 1e-2));
      CHECK(got.total == doctest::Approx(expected.total).epsilon(side < 10 ? 2e-6 : 1e-3));
    }
}

TEST_CASE("repulsion by a grid is that of all pairs, in maps of any size and for any kernel") {
  SUBCASE("double") { check_accuracy<double>(); }
  SUBCASE("float") { check_accuracy<float>(); }
}

TEST_CASE("a grid gives the same bits on any number of threads, moved or not, and again after another map") {
  Rng rng = Rng::stream(kSeed, "threads");
  const std::vector<double> y = points<double>(3000, 60, rng), other = points<double>(500, 7, rng);
  GridRepulsion<double> grid;
  const Sums one = by_grid(grid, y, 1);
  by_grid(grid, other, 0.7);
  for (const int threads : {1, 2, 5}) {
    const Sums again = by_grid(grid, y, 1, threads);
    CHECK(again.force == one.force);
    CHECK(again.total == one.total);
  }
  std::vector<double> moved = y;
  for (double& place : moved) place += 4096;
  CHECK(force_error(by_grid(grid, moved, 1), one) < 1e-9);
}

TEST_CASE("a grid is not made of points that coincide, nor of more nodes than it may have") {
  Executor executor;
  GridRepulsion<float> grid;
  std::vector<double> force(8);
  CHECK_FALSE(grid.sums(std::vector<float>(8, 0.25F), 1, kManyNodes, force.data(), executor).has_value());
  const std::vector<float> wide = {0, 0, 1, 1, 2, 0, 1e9F, 3}, long_line = {0, 0, 1, 0, 2, 0, 300, 0};
  CHECK_FALSE(grid.sums(wide, 1, kManyNodes, force.data(), executor).has_value());
  CHECK_FALSE(grid.sums(long_line, 1, 1000, force.data(), executor).has_value());
  CHECK(grid.sums(long_line, 1, kManyNodes, force.data(), executor) ==
        doctest::Approx(4 + 2 * (0.5 + 0.5 + 0.2)).epsilon(1e-2));
}

}  // namespace
}  // namespace grid_repulsion_test
