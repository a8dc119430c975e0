#include "experiments/statistics/learning_curve.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "problems/core/random.hpp"

namespace learning_curve_test {

using namespace alidade;
using namespace alidade::statistics;

/// Errors of `repeats` splits on a curve that falls from .5 to `floor` as coordinates / (2 amount), with noise.
MeasuredCurve measured(double floor, double noise, int repeats) {
  MeasuredCurve out{.amounts = {75, 120, 190, 300, 480, 800}, .errors = {}, .answers = 1000, .coordinates = 40};
  Rng rng(7);
  for (int r = 0; r < repeats; ++r) {
    out.errors.emplace_back();
    for (const double m : out.amounts) {
      const double above = 0.5 - floor;
      out.errors.back().push_back(floor + above / std::sqrt(1 + std::pow(m * above / 20, 2)) + noise * rng.normal());
    }
  }
  return out;
}

TEST_CASE("a curve of the assumed form is continued near its truth, and its interval holds that") {
  for (const double floor : {0.1, 0.25}) {
    const std::vector<double> wanted = {1000, 2000, 4000, 1e9};
    const auto values = extrapolate(measured(floor, 0.004, 5), wanted);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const double truth = floor + (0.5 - floor) / std::sqrt(1 + std::pow(wanted[k] * (0.5 - floor) / 20, 2));
      CAPTURE(truth);
      CHECK(values[k].value == doctest::Approx(truth).epsilon(0.1));
      CHECK(values[k].interval.low < truth);
      CHECK(truth < values[k].interval.high);
    }
  }
}

TEST_CASE("errors with few answers, which are off the form, do not lift the end of the curve nor its gain") {
  MeasuredCurve curve{
      .amounts = {45, 73, 117, 187, 300, 480}, .errors = {}, .answers = 600, .design_effect = 2.5, .coordinates = 40};
  for (const double noise : {-0.03, -0.01, 0.0, 0.01, 0.03}) {  // about means of 40 simulated studies
    curve.errors.push_back({0.4132, 0.3719 - noise, 0.3349, 0.2669 + noise, 0.2248 - noise, 0.2055 + noise});
  }
  const auto values = extrapolate(curve, std::vector<double>{600, 1200, 2400});  // .203, .191 and .186 in these studies
  CHECK(values[0].value == doctest::Approx(0.203).epsilon(0.03));
  CHECK(values[0].value - values[1].value < 0.016);
  CHECK(values[0].value - values[2].value < 0.025);
}

TEST_CASE("the interval of a continued curve is no narrower than the answers held out allow") {
  // Splits that agree to the last digit still share their answers: 1000 of them tell a rate of .12 to +- .017 or so.
  const auto values = extrapolate(measured(0.1, 0, 5), std::vector<double>{2000});
  CHECK(values[0].interval.high - values[0].interval.low > 0.03);
}

TEST_CASE("a continued curve does not fall below what repeated questions allow") {
  MeasuredCurve curve = measured(0.1, 0.004, 5);
  const double free = extrapolate(curve, std::vector<double>{1e6})[0].interval.low;
  curve.least = 0.1;
  curve.least_error = 0.002;
  const double bounded = extrapolate(curve, std::vector<double>{1e6})[0].interval.low;
  CHECK(free < 0.09);
  CHECK(bounded > 0.095);
}

}  // namespace learning_curve_test
