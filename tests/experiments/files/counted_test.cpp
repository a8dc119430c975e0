#include "experiments/files/counted.hpp"

#include <doctest/doctest.h>

namespace counted_test {

using namespace alidade;

TEST_CASE("a count of one is singular, zero and more are plural") {
  CHECK(counted(0, "run") == "0 runs");
  CHECK(counted(1U, "run") == "1 run");
  CHECK(counted(2, "row repeats", "rows repeat") == "2 rows repeat");
  CHECK(counted(1, "row repeats", "rows repeat") == "1 row repeats");
}

}  // namespace counted_test
