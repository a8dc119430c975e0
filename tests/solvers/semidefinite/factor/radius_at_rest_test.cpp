// The root of a clipped sum against bisection to the last bit, on rows of very different sizes.
#include "solvers/semidefinite/factor/distance_lagrangian.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "problems/core/random.hpp"

namespace radius_at_rest_test {

using namespace alidade;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Rows {
  std::vector<double> coefficient, violation, multiplier, cap;
  std::vector<char> equality;
  double penalty = 1;

  void add(double r, double v, double y, double highest, bool equal = false) {
    coefficient.push_back(r);
    violation.push_back(v);
    multiplier.push_back(y);
    cap.push_back(highest);
    equality.push_back(equal);
  }
  [[nodiscard]] RadiusRows view() const { return {coefficient, violation, multiplier, cap, equality, penalty}; }
  [[nodiscard]] double sum(double b) const {
    double out = 0;
    for (std::size_t k = 0; k < coefficient.size(); ++k) {
      double y = multiplier[k] + penalty * (violation[k] + coefficient[k] * b);
      if (!equality[k]) y = std::min(std::max(y, 0.0), cap[k]);
      out += coefficient[k] * y;
    }
    return out;
  }
  /// The root between neighbouring numbers. @pre the sum is negative at 0 and positive at `high`
  [[nodiscard]] double bisected(double high) const {
    double low = 0;
    for (;;) {
      // By exponents first, so that tiny roots are found in few steps.
      const double middle = low == 0 && high > 1e-300 ? high / 1024 : low + 0.5 * (high - low);
      if (!(middle > low && middle < high)) return high;
      (sum(middle) < 0 ? low : high) = middle;
    }
  }
};

}  // namespace

TEST_CASE("the radius at which multipliers balance is found at any scale, however many Newton steps there are") {
  Rng rng(20);
  int with_root = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Rows rows;
    rows.penalty = std::pow(10.0, 8 * rng.uniform01() - 4);
    const int count = 1 + trial % 9;
    const double spread = trial % 3 == 0 ? 0 : 20;  // of sizes, in powers of ten
    for (int k = 0; k < count; ++k) {
      const double size = std::pow(10.0, spread * (rng.uniform01() - 0.8));
      rows.add(rng.uniform01() < 0.5 ? 1 : -1, size * rng.normal(), rows.penalty * size * rng.uniform01(),
               k % 2 == 0 ? kInfinity : rows.penalty * size * rng.uniform01(), k % 7 == 6);
    }
    double high = 1e-12;
    while (high < 1e12 && !(rows.sum(high) > 0)) high *= 8;
    const double start = trial % 4 == 0 ? 0 : high * rng.uniform01();
    CAPTURE(trial);
    if (rows.sum(0) > 0) {
      for (const int steps : {0, 2, 60}) CHECK(radius_at_rest(rows.view(), start, steps) == 0);
      continue;
    }
    if (!(rows.sum(high) > 0) || rows.sum(0) == 0) continue;
    const double root = rows.bisected(high);
    double scale = 0;
    for (std::size_t k = 0; k < rows.cap.size(); ++k)
      scale += rows.multiplier[k] + rows.penalty * (std::abs(rows.violation[k]) + root);
    ++with_root;
    for (const int steps : {0, 2, 60}) {
      const double b = radius_at_rest(rows.view(), start, steps);
      CAPTURE(steps);
      CAPTURE(root);
      CAPTURE(b);
      CHECK(std::abs(rows.sum(b)) <= 1e-13 * scale);
    }
  }
  CHECK(with_root > 500);
}

TEST_CASE("sixty Newton steps that do not meet the root are not the answer") {
  // Newton's steps leap between two breakpoints where the sum is constant; they end with a sum far from 0.
  Rows rows;
  rows.penalty = 39878.7;
  rows.add(-1, 1.4240119435695436e-13, 4.1283381206237502e-09, kInfinity);
  rows.add(1, 2.3467004896863107e-14, 0, 1.5019925602341533e-09);
  const double b = radius_at_rest(rows.view(), 26.7795);
  const double root = rows.bisected(1);
  CHECK(std::abs(b - root) <= 1e-14 * root);
}

}  // namespace radius_at_rest_test
