#include "problems/core/matrix_text.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/approx.hpp"

namespace matrix_text_test {

using namespace alidade;

TEST_CASE(
    "a matrix comes back from a table with the same bits, whatever is left over of a group of "
    "three bytes") {
  Rng rng(41);
  for (Index cols = 0; cols <= 4; ++cols) {
    CAPTURE(cols);
    Matrix wide(3, cols);
    for (double& x : wide.reshaped()) x = rng.normal();
    const Value value(matrix_to_table(Eigen::Ref<const Matrix>(wide)));
    CHECK(matrix_from_table(&value, "wide") == wide);
    const FeatureMatrix narrow = wide.cast<float>();
    const Value other(matrix_to_table(Eigen::Ref<const FeatureMatrix>(narrow)));
    CHECK(features_from_table(&other, "narrow") == narrow);
    CHECK_THROWS_AS((void)matrix_from_table(&other, "narrow"), DataError);
  }
}

TEST_CASE("base64 is that of RFC 4648: one float 1 is the bytes 0 0 128 63") {
  const FeatureMatrix one = FeatureMatrix::Ones(1, 1);
  CHECK(*matrix_to_table(Eigen::Ref<const FeatureMatrix>(one)).find("base64") == Value("AACAPw=="));
}

TEST_CASE("tables without a matrix are refused") {
  const Matrix good = Matrix::Ones(2, 3);
  const ValueTable table = matrix_to_table(Eigen::Ref<const Matrix>(good));
  const auto refused = [&](std::string_view key, Value value) {
    ValueTable bad = table;
    bad.set(std::string(key), std::move(value));
    const Value held(bad);
    CHECK_THROWS_AS((void)matrix_from_table(&held, "m"), DataError);
  };
  const std::string letters = *table.find("base64")->get_if<std::string>();
  refused("rows", -1);
  refused("rows", 3);
  refused("rows", std::int64_t{1} << 39);
  refused("cols", 2.0);
  refused("type", "f32");
  refused("base64", letters.substr(4));
  refused("base64", "*" + letters.substr(1));
  refused("base64", 1);
  CHECK_THROWS_AS((void)matrix_from_table(nullptr, "m"), DataError);
  Matrix bad = good;
  bad(1, 1) = std::numeric_limits<double>::quiet_NaN();
  const Value held(matrix_to_table(Eigen::Ref<const Matrix>(bad)));
  CHECK_THROWS_AS((void)matrix_from_table(&held, "m"), DataError);
}

}  // namespace matrix_text_test
