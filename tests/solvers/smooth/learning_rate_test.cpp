#include "solvers/smooth/learning_rate.hpp"

#include <doctest/doctest.h>

namespace learning_rate_test {
namespace {

using namespace alidade;

double factor(Schedule schedule, double fraction, double epochs = 0) {
  return schedule_factor(schedule, fraction, epochs, 0.01, 0.1);
}

TEST_CASE("every schedule begins at one and never rises") {
  for (const Schedule schedule : {Schedule::constant, Schedule::inverse_time, Schedule::linear, Schedule::cosine}) {
    double last = 1;
    CHECK(factor(schedule, 0) == doctest::Approx(1));
    for (int step = 1; step <= 1000; ++step) {
      const double now = factor(schedule, step / 1000.0, step / 10.0);
      CHECK(now <= last);
      CHECK(now > 0);
      last = now;
    }
  }
}

TEST_CASE("schedules end where they should") {
  CHECK(factor(Schedule::constant, 1, 100) == 1);
  CHECK(factor(Schedule::linear, 0.5) == doctest::Approx(0.505));
  CHECK(factor(Schedule::linear, 1) == doctest::Approx(0.01));
  CHECK(factor(Schedule::cosine, 0.5) == doctest::Approx(0.505));
  CHECK(factor(Schedule::cosine, 0.25) == doctest::Approx(0.01 + 0.99 * 0.5 * (1 + std::sqrt(0.5))));
  CHECK(factor(Schedule::cosine, 1) == doctest::Approx(0.01));
  CHECK(factor(Schedule::inverse_time, 1, 30) == doctest::Approx(1 / (1 + 0.1 * 30)));
}

}  // namespace
}  // namespace learning_rate_test
