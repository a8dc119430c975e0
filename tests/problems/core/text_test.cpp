#include "problems/core/text.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "problems/core/random.hpp"

namespace text_test {
namespace {

using namespace alidade;

const std::vector<std::string> kOptions = {"n_components",  "n_init",     "max_iter",
                                           "learning_rate", "batch_size", "momentum"};

TEST_CASE("the nearest name is found despite usual typing errors, and none for unrelated words") {
  CHECK(nearest_name("max_itr", kOptions) == "max_iter");
  CHECK(nearest_name("maxiter", kOptions) == "max_iter");
  CHECK(nearest_name("mxa_iter", kOptions) == "max_iter");  // transposed
  CHECK(nearest_name("learning-rate", kOptions) == "learning_rate");
  CHECK(nearest_name("learn", kOptions) == "learning_rate");  // a beginning
  CHECK(nearest_name("momentun", kOptions) == "momentum");
  CHECK(nearest_name("n_int", kOptions) == "n_init");
  CHECK_FALSE(nearest_name("perplexity", kOptions));
  CHECK_FALSE(nearest_name("", kOptions));
  CHECK_FALSE(nearest_name("x", std::vector<std::string>{"y", "zz"}));
  CHECK_FALSE(nearest_name("max_iter", std::vector<std::string>{}));
}

TEST_CASE("a suggestion names one candidate, or all if none is near") {
  CHECK(suggestion("momentun", kOptions) == " Did you mean 'momentum'?");
  CHECK(suggestion("qqqqqq", std::vector<std::string>{"ste", "tste"}) == " Known: ste, tste.");
  CHECK(suggestion("a", std::vector<std::string>{}) == " There are none here.");
}

TEST_CASE("the shortest text of a number reads back to the same number") {
  CHECK(shortest(0.1) == "0.1");
  CHECK(shortest(1) == "1");
  CHECK(shortest(-2.5e-300) == "-2.5e-300");
  CHECK(shortest(std::nan("")) == "nan");
  CHECK(shortest(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(shortest(-std::numeric_limits<double>::infinity()) == "-inf");
  Rng rng(2);
  for (int i = 0; i < 2000; ++i) {
    const double value = rng.normal() * std::pow(10.0, rng.uniform(-300, 300));
    CHECK(parse_double(shortest(value)) == value);
  }
  for (const double value : {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
                             std::numeric_limits<double>::denorm_min(), 0.1 + 0.2})
    CHECK(parse_double(shortest(value)) == value);
}

TEST_CASE("a number is parsed only if it is the whole text") {
  CHECK(parse_double("+3.5") == 3.5);
  CHECK(parse_double("1e-3") == 1e-3);
  CHECK(std::isnan(parse_double("nan").value()));
  CHECK(parse_double("-inf") == -std::numeric_limits<double>::infinity());
  for (const std::string bad : {"", "+", "++1", "+-1", "1x", " 1", "1 ", "1,5", "0x10", "e5", "--1"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_double(bad));
  }
}

TEST_CASE("trim and join") {
  CHECK(trim(" \t a b\r\n") == "a b");
  CHECK(trim(" \n").empty());
  CHECK(trim("").empty());
  CHECK(join(std::vector<std::string>{"a", "b", "c"}, ", ") == "a, b, c");
  CHECK(join(std::vector<std::string>{}, ", ").empty());
  CHECK(join(std::vector<std::string>{"", "b"}, ",") == ",b");
}

}  // namespace
}  // namespace text_test
