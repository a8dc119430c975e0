#include "tests/support/t_exponential.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/numerics.hpp"

namespace t_exponential_test {
namespace {

using alidade::log_sum_exp;
using alidade::sigmoid;
using alidade::softplus;
using namespace alidade::triplet;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_CASE("log_t and exp_t are inverse to each other and have the paper's closed forms") {
  for (const double t : {0.3, 0.5, 1.0, 1.0 + 1e-9, 1.5, 2.0, 3.0})
    for (const double x : {1e-6, 0.2, 1.0, 1.7, 40.0}) {
      CAPTURE(t);
      CAPTURE(x);
      CHECK(exp_t(log_t(x, t), t) == doctest::Approx(x).epsilon(1e-8));
    }
  CHECK(log_t(4, 2) == doctest::Approx(1 - 0.25).epsilon(1e-15));
  CHECK(log_t(4, 0.5) == doctest::Approx(2 * (2 - 1)).epsilon(1e-15));
  CHECK(exp_t(-3, 2) == doctest::Approx(0.25).epsilon(1e-15));
  CHECK(exp_t(1, 0.5) == doctest::Approx(2.25).epsilon(1e-15));
}

TEST_CASE("log_t, exp_t and bounded_loss are continuous at t = 1") {
  for (const double x : {1e-3, 0.5, 1.0, 2.0, 30.0})
    for (const double step : {-1e-9, 1e-9}) {
      CHECK(log_t(x, 1 + step) == doctest::Approx(std::log(x)).epsilon(1e-7));
      CHECK(exp_t(std::log(x), 1 + step) == doctest::Approx(x).epsilon(1e-7));
      CHECK(bounded_loss(x, 1 + step) == doctest::Approx(std::log1p(x)).epsilon(1e-7));
    }
}

TEST_CASE("the bracket of exp_t is cut at zero and log_t has its limits at zero") {
  CHECK(exp_t(-2, 0.5) == 0);
  CHECK(exp_t(-100, 0.5) == 0);
  CHECK(exp_t(1, 2) == kInfinity);
  CHECK(exp_t(5, 2) == kInfinity);
  CHECK(log_t(0, 0.5) == -2);
  CHECK(log_t(0, 2) == -kInfinity);
  CHECK(log_t(0, 1) == -kInfinity);
}

TEST_CASE("bounded_loss is log_t(1 + loss), accurate for tiny losses and below 1/(t-1)") {
  for (const double t : {1.0, 1.2, 2.0, 3.0})
    for (const double loss : {0.0, 0.3, 2.0, 1e5})
      CHECK(bounded_loss(loss, t) == doctest::Approx(log_t(1 + loss, t)).epsilon(1e-13));
  CHECK(bounded_loss(1e-30, 2) == doctest::Approx(1e-30).epsilon(1e-15));
  CHECK(bounded_loss(1e300, 1.5) <= 2);
  CHECK(bounded_loss(1e300, 1) == doctest::Approx(std::log(1e300)));
}

TEST_CASE("softplus and sigmoid keep relative accuracy in both tails and pass NaN on") {
  CHECK(softplus(-50.0) == doctest::Approx(std::exp(-50.0)).epsilon(1e-15));
  CHECK(softplus(1000.0) == 1000.0);
  CHECK(softplus(-1000.0) == 0.0);
  CHECK(softplus(0.0) == doctest::Approx(std::log(2.0)).epsilon(1e-15));
  CHECK(sigmoid(-700.0) == doctest::Approx(std::exp(-700.0)).epsilon(1e-13));
  CHECK(sigmoid(1000.0) == 1.0);
  CHECK(sigmoid(2.0) + sigmoid(-2.0) == doctest::Approx(1).epsilon(1e-15));
  CHECK(std::isnan(softplus(std::nan(""))));
  CHECK(std::isnan(sigmoid(std::nan(""))));
  CHECK(softplus(kInfinity) == kInfinity);
  CHECK(softplus(-kInfinity) == 0);
}

TEST_CASE("log_sum_exp neither overflows nor underflows") {
  const auto of = [](std::vector<double> x) { return log_sum_exp<double>(x); };
  CHECK(of({1000, 1000}) == doctest::Approx(1000 + std::log(2.0)).epsilon(1e-15));
  CHECK(of({-1000, -1001}) == doctest::Approx(-1000 + std::log1p(std::exp(-1.0))).epsilon(1e-15));
  CHECK(of({}) == -kInfinity);
  CHECK(of({-kInfinity, 3}) == 3);
  CHECK(std::isnan(of({1, std::nan("")})));
}

}  // namespace
}  // namespace t_exponential_test
