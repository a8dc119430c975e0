#include "experiments/config/sweeps.hpp"

#include <doctest/doctest.h>

#include <array>

namespace sweeps_test {

using namespace alidade;

namespace {

using Names = std::vector<std::string>;

const std::vector<OptionInfo> kInfos = {{"inner", "list of solvers", {}, {}, {}, ""},
                                        {"n", "whole number", {}, {}, {}, ""},
                                        {"m", "whole number", {}, {}, {}, ""}};

Names swept_of(const std::vector<SweepPoint>& points) {
  Names out;
  for (const SweepPoint& point : points) out.push_back(point.swept);
  return out;
}

}  // namespace

TEST_CASE("a table without lists gives one point: itself") {
  ValueTable options;
  options.set("n", 1);
  const SweptPart part{"", kInfos, &options};
  const std::vector<SweepPoint> points = expand_sweeps({&part, 1});
  REQUIRE(points.size() == 1);
  CHECK(points.front().parts.front() == options);
  CHECK(points.front().swept.empty());
  CHECK(swept_id("x", points.front().swept) == "x");
}

TEST_CASE("an option that takes a list does not sweep") {
  ValueTable options;
  options.set("inner", ValueArray{"a", "b"});
  options.set("n", ValueArray{1, 2});
  const SweptPart part{"", kInfos, &options};
  const std::vector<SweepPoint> points = expand_sweeps({&part, 1});
  REQUIRE(points.size() == 2);
  CHECK(points[0].parts.front().find("inner")->to_text() == "[\"a\", \"b\"]");
  CHECK(swept_of(points) == Names{"n=1", "n=2"});
  CHECK(swept_id("x", points[1].swept) == "x[n=2]");
}

TEST_CASE("lists of several parts multiply, the first slowest; zipped ones advance together in the first one's place") {
  ValueTable a, b;
  a.set("n", ValueArray{1, 2});
  a.set("m", ValueArray{3, 4});
  b.set("n", ValueArray{5, 6});
  const std::array parts = {SweptPart{"a", kInfos, &a}, SweptPart{"b", kInfos, &b}};
  CHECK(swept_of(expand_sweeps(parts)) == Names{"n=1,m=3,n=5", "n=1,m=3,n=6", "n=1,m=4,n=5", "n=1,m=4,n=6",
                                                "n=2,m=3,n=5", "n=2,m=3,n=6", "n=2,m=4,n=5", "n=2,m=4,n=6"});
  const std::array zip = {ZippedOptions{{{"b.n"}, {"a.n"}}}};
  const std::vector<SweepPoint> points = expand_sweeps(parts, zip);
  CHECK(swept_of(points) == Names{"n=5,n=1,m=3", "n=5,n=1,m=4", "n=6,n=2,m=3", "n=6,n=2,m=4"});
  CHECK(*points[3].parts[0].find("n") == Value(2));
  CHECK(*points[3].parts[0].find("m") == Value(4));
  CHECK(*points[3].parts[1].find("n") == Value(6));
}

}  // namespace sweeps_test
