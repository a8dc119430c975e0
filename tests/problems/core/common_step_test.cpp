#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "problems/core/common_step.hpp"
#include "problems/core/random.hpp"

namespace common_step_test {

using alidade::common_step;

TEST_CASE("decimals are whole numbers of one step in any unit, random numbers of none") {
  alidade::Rng rng = alidade::Rng::stream(20261130, "steps");
  for (const double digits : {1.0, 10.0, 100.0, 1e3, 1e4})
    for (const double most : {1.0, 9.99, 26.0, 99.0, 999.0})
      for (int draw = 0; draw < 20; ++draw) {
        CAPTURE(digits);
        CAPTURE(most);
        std::vector<double> whole;
        for (int k = 0; k < 100; ++k) whole.push_back(std::round(digits * most * rng.uniform01()));
        for (const double unit : {1.0, 10.0, 2.54, 1e-3, 3.7, 1e-170, 1e170}) {
          std::vector<double> numbers;
          for (const double k : whole) numbers.push_back(k / digits * unit);
          const double step = common_step(numbers);
          REQUIRE(step > 0);
          for (std::size_t k = 0; k < whole.size(); ++k) REQUIRE(std::nearbyint(numbers[k] / step) == whole[k]);
        }
        std::vector<double> numbers;
        for (int k = 0; k < 100; ++k) numbers.push_back(most * rng.uniform01());
        CHECK(common_step(numbers) == 0);
      }
}

TEST_CASE("tenths from which an offset was taken are whole numbers of one step") {
  alidade::Rng rng = alidade::Rng::stream(20261130, "offsets");
  for (const double offset : {1e3, 2024.0, 1e6, 1.7e9}) {
    CAPTURE(offset);
    std::vector<double> whole, moved, random;
    for (int k = 0; k < 100; ++k) whole.push_back(std::round(200 * rng.uniform01() - 100));
    for (const double k : whole) moved.push_back((offset + k / 10) - offset);
    const double step = common_step(moved, offset);
    REQUIRE(step > 0);
    for (std::size_t k = 0; k < whole.size(); ++k) CHECK(std::nearbyint(moved[k] / step) == whole[k]);
    for (int k = 0; k < 100; ++k) random.push_back((offset + 10 * rng.uniform01()) - offset);
    CHECK(common_step(random, offset) == 0);
  }
}

TEST_CASE("no numbers, zeros and what is not finite have no step") {
  for (const std::vector<double>& numbers : {std::vector<double>{}, {0, 0}, {1, std::nan("")}, {1, HUGE_VAL}})
    CHECK(common_step(numbers) == 0);
  CHECK(common_step(std::vector{0.3, 0.9, 0.7}) == doctest::Approx(0.1).epsilon(1e-15));
}

}  // namespace common_step_test
