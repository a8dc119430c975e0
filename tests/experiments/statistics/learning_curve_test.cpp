#include "experiments/statistics/learning_curve.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "problems/core/random.hpp"

namespace learning_curve_test {

using namespace alidade;
using namespace alidade::statistics;

TEST_CASE("a curve that is a power law above a floor is found again, and continued") {
  const std::vector<double> amounts = {100, 200, 400, 800, 1600};
  std::vector<double> errors;
  for (const double n : amounts) errors.push_back(0.1 + 2 * std::pow(n, -0.5));
  const LearningCurve curve = fit_learning_curve(amounts, errors);
  CHECK(curve.floor == doctest::Approx(0.1).epsilon(1e-6));
  CHECK(curve.power == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(curve.at(6400) == doctest::Approx(0.125).epsilon(1e-6));
  // No more than endless data can give, and no rise.
  CHECK(fit_learning_curve(amounts, std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5}).scale == 0);
  CHECK(fit_learning_curve(amounts, std::vector<double>{0.5, 0.2, 0.05, 0.01, 0.0}).floor >= 0);
}

TEST_CASE("the interval of a continued curve holds its value, widens with distance and repeats with the seed") {
  const std::vector<double> amounts = {100, 200, 400, 800};
  Rng rng(7);
  std::vector<std::vector<double>> errors(8);
  for (std::vector<double>& repeat : errors)
    for (const double n : amounts) repeat.push_back(0.1 + 2 * std::pow(n, -0.5) + 0.01 * rng.normal());
  const Extrapolation near = extrapolate(amounts, errors, 1600, 3), far = extrapolate(amounts, errors, 12'800, 3);
  CHECK(near.interval.low <= near.value);
  CHECK(near.value <= near.interval.high);
  CHECK(far.interval.high - far.interval.low > near.interval.high - near.interval.low);
  CHECK(extrapolate(amounts, errors, 1600, 3).interval.low == near.interval.low);
}

}  // namespace learning_curve_test
