// fit(): a map of answers in memory, the same as the command's of a file.
#include "experiments/public/fit.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/core/error.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/message_of.hpp"

namespace fit_test {
namespace {

using namespace alidade;
using alidade::testing::message_of;

/// All answers about eight points on a line, at 0, 1, 4, ..., 49.
std::vector<Triplet> answers_on_a_line() {
  std::vector<Triplet> out;
  const auto apart = [](ObjectId i, ObjectId j) { return std::abs(static_cast<double>(i * i) - j * j); };
  for (ObjectId a = 0; a < 8; ++a)
    for (ObjectId b = 0; b < 8; ++b)
      for (ObjectId c = 0; c < 8; ++c)
        if (a != b && a != c && apart(a, b) < apart(a, c)) out.push_back({.anchor = a, .near = b, .far = c});
  return out;
}

TEST_CASE("answers in memory give a map, its error and the method that was chosen") {
  const std::vector<Triplet> answers = answers_on_a_line();
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g", "h"};
  int records = 0;
  const FitOptions options{
      .method = "auto", .n_components = 1, .seed = 3, .names = names, .progress = [&](const TraceRecord&) {
        ++records;
      }};
  const FittedMap map = fit(answers, options);
  CHECK(map.objects == names);
  CHECK(map.coordinates().rows() == 8);
  CHECK(map.coordinates().cols() == 1);
  CHECK(map.method != "auto");
  CHECK(map.solver != "auto");
  REQUIRE(map.error.has_value());
  CHECK(*map.error <= 0.25);
  CHECK(map.error_low.value() <= *map.error);
  CHECK(map.error_high.value() >= *map.error);
  CHECK(std::isfinite(map.objective));
  CHECK_FALSE(map.termination.empty());
  CHECK(records > 0);
  FitOptions more = options;
  more.threads = 2;
  CHECK(fit(answers, more).coordinates() == map.coordinates());
}

TEST_CASE("a method, its options and aspects of the answers count") {
  std::vector<Triplet> answers = answers_on_a_line();
  const FittedMap whole =
      fit(answers, {.method = "ste", .method_options = {{"lambda0", 0.01}}, .solver_options = {}, .holdout = 0});
  CHECK_FALSE(whole.error.has_value());
  REQUIRE(whole.method_options.find("lambda0") != nullptr);
  CHECK(*whole.method_options.find("lambda0") == Value(0.01));
  for (std::size_t i = 0; i < answers.size(); i += 2) answers[i].aspect = 1;
  CHECK(fit(answers, {.method = "disjoint", .holdout = 0}).embedding.maps.size() == 2);
}

TEST_CASE("what is wrong with a call of fit() is one sentence") {
  const std::vector<Triplet> answers = answers_on_a_line();
  CHECK_THROWS_AS((void)fit(std::vector<Triplet>{}), DataError);
  CHECK_THROWS_AS((void)fit(std::vector<Triplet>{{.anchor = 1, .near = 1, .far = 2}}), DataError);
  CHECK_THROWS_AS((void)fit(answers, {.names = {"a", "b"}}), DataError);
  CHECK_THROWS_AS((void)fit(answers, {.holdout = 1.5}), ConfigError);
  CHECK_THROWS_AS((void)fit(answers, {.threads = 0}), ConfigError);
  CHECK_THROWS_AS((void)fit(answers, {.method = "pca"}), UnsupportedPair);
  CHECK(message_of<ConfigError>([&] { (void)fit(answers, {.method = "stee"}); }).find("ste") != std::string::npos);
  Observations features;
  features.objects = {"a", "b", "c", "d"};
  features.features = std::make_shared<const FeatureMatrix>(FeatureMatrix::Random(4, 3));
  CHECK(message_of<ConfigError>([&] { (void)fit(features); }).find("weighted_ete") != std::string::npos);
  CHECK(fit(features, {.method = "pca"}).coordinates().rows() == 4);
  CHECK_THROWS_AS((void)fit(Observations{}), DataError);
}

}  // namespace
}  // namespace fit_test
