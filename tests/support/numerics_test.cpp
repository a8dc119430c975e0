#include "tests/support/numerics.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/support/approx.hpp"

namespace numerics_test {
namespace {

using namespace alidade;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_CASE("softplus and sigmoid are accurate, monotone and finite everywhere") {
  CHECK(softplus(0.0) == doctest::Approx(std::log(2.0)).epsilon(1e-15));
  CHECK(softplus(1000.0) == 1000);
  CHECK(softplus(-1000.0) == 0);
  CHECK(testing::close(softplus(-40.0), std::exp(-40.0), {1e-15, 0}));  // log1p(e^x) ~ e^x
  CHECK(softplus(kInfinity) == kInfinity);
  CHECK(softplus(-kInfinity) == 0);
  CHECK(std::isnan(softplus(std::nan(""))));
  CHECK(sigmoid(0.0) == 0.5);
  CHECK(sigmoid(-750.0) == doctest::Approx(0));
  CHECK(sigmoid(kInfinity) == 1);
  CHECK(std::isnan(sigmoid(std::nan(""))));
  double last = -1;
  for (double x = -800; x <= 800; x += 0.37) {
    CHECK(std::abs(sigmoid(x) + sigmoid(-x) - 1) <= 2.3e-16);
    CHECK(testing::close(softplus(x) - softplus(-x), x, {1e-14, 1e-14}));
    CHECK(sigmoid(x) >= last);
    last = sigmoid(x);
  }
}

TEST_CASE("log_sum_exp neither overflows nor loses small parts") {
  const auto of = [](std::vector<double> x) { return log_sum_exp(std::span<const double>(x)); };
  CHECK(of({}) == -kInfinity);
  CHECK(of({1000, 1000}) == doctest::Approx(1000 + std::log(2.0)).epsilon(1e-15));
  CHECK(of({-1000, -1001}) == doctest::Approx(-1000 + std::log1p(std::exp(-1.0))).epsilon(1e-15));
  CHECK(of({-kInfinity, 3}) == 3);
  CHECK(of({-kInfinity, -kInfinity}) == -kInfinity);
  CHECK(of({kInfinity, 3}) == kInfinity);
  CHECK(std::isnan(of({1, std::nan(""), 2})));
}

}  // namespace
}  // namespace numerics_test
