#include "problems/core/options.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace options_test {
namespace {

using namespace alidade;
using alidade::testing::holds_all;
using alidade::testing::message_of;

struct Common {
  Index n_components = 2;
};
struct Sample : Common {
  double rate = 0.5;
  double share = 0.25;
  bool flag = true;
  std::string update = "plain";
  std::string label = "any";
  std::vector<std::string> others = {"a", "b"};
  Value inner = Value("ceres");
  static const OptionList<Common>& common() {
    static const auto kList =
        OptionList<Common>().integer("n_components", &Common::n_components, between(1, 1e18), "dimension");
    return kList;
  }
  static const OptionList<Sample>& list() {
    static const auto kList = OptionList<Sample>()
                                  .real("rate", &Sample::rate, above(0), "step")
                                  .real("share", &Sample::share, half_open(0, 1), "kept")
                                  .flag("flag", &Sample::flag, "on or off")
                                  .text("update", &Sample::update, {"plain", "momentum"}, "rule")
                                  .text("label", &Sample::label, {}, "free text")
                                  .texts("others", &Sample::others, "names of others")
                                  .nested("inner", &Sample::inner, "solver", "what solves the parts")
                                  .include(common());
    return kList;
  }
};

Sample parse(const ValueTable& table) { return Sample::list().parse(table, "solver 'sample'"); }

ValueTable one(const char* key, Value value) {
  ValueTable out;
  out.set(key, std::move(value));
  return out;
}

TEST_CASE("an empty table gives the defaults") {
  const Sample got = parse({});
  CHECK(got.rate == 0.5);
  CHECK(got.flag);
  CHECK(got.update == "plain");
  CHECK(got.n_components == 2);
}

TEST_CASE("options set in code are held to what a table may give") {
  Sample good;
  good.update = "momentum";
  CHECK(Sample::list().checked(good, "solver 'sample'").update == "momentum");
  Sample bad;
  bad.update = "momentun";
  CHECK_THROWS_AS(static_cast<void>(Sample::list().checked(bad, "solver 'sample'")), ConfigError);
  bad = {};
  bad.rate = 0;
  CHECK_THROWS_AS(static_cast<void>(Sample::list().checked(bad, "solver 'sample'")), ConfigError);
}

TEST_CASE("given options are set, whole numbers serve as numbers and 2.0 as a whole number") {
  ValueTable table;
  table.set("rate", 3);
  table.set("flag", false);
  table.set("update", "momentum");
  table.set("label", "");
  table.set("n_components", 5.0);
  table.set("inner", ValueArray{1});
  const Sample got = parse(table);
  CHECK(got.rate == 3);
  CHECK_FALSE(got.flag);
  CHECK(got.update == "momentum");
  CHECK(got.label.empty());
  CHECK(got.n_components == 5);
  CHECK(got.inner == Value(ValueArray{1}));
  CHECK(got.share == 0.25);
}

TEST_CASE("a list of texts may be one text; nothing else, and none of them empty") {
  CHECK(parse(one("others", "c")).others == std::vector<std::string>{"c"});
  CHECK(parse(one("others", ValueArray{"c", "d"})).others == std::vector<std::string>{"c", "d"});
  for (const Value& wrong :
       {Value(1), Value(""), Value(ValueArray{}), Value(ValueArray{"c", 1}), Value(ValueArray{""})})
    CHECK(holds_all(message_of<ConfigError>([&] { return parse(one("others", wrong)); }),
                    {"solver 'sample': option 'others'", "list of texts", wrong.to_text()}));
}

TEST_CASE("large whole numbers are kept exactly") {
  constexpr std::int64_t kOdd = 9'007'199'254'740'993;  // 2^53 + 1 is no double
  CHECK(parse(one("n_components", kOdd)).n_components == kOdd);
  CHECK_THROWS_AS(static_cast<void>(parse(one("n_components", 1e30))), ConfigError);
}

TEST_CASE("an unknown key is refused with the nearest known one") {
  CHECK(holds_all(testing::message_of<ConfigError>([&] { static_cast<void>(parse(one("updat", "plain"))); }),
                  {"solver 'sample'", "'updat'", "'update'"}));
  CHECK(holds_all(testing::message_of<ConfigError>([&] { static_cast<void>(parse(one("n_component", 2))); }),
                  {"solver 'sample'", "'n_component'", "'n_components'"}));
  CHECK(holds_all(testing::message_of<ConfigError>([&] { static_cast<void>(parse(one("zzzzzz", 2))); }),
                  {"'zzzzzz'", "rate, share, flag"}));
}

TEST_CASE("a value of the wrong kind, out of bounds or not among the choices is refused") {
  const auto message = [](const char* key, Value value) -> std::string {
    return message_of<ConfigError>([&] { return parse(one(key, std::move(value))); });
  };
  CHECK(holds_all(message("rate", "fast"), {"solver 'sample': option 'rate'", "a number, not \"fast\""}));
  CHECK(holds_all(message("rate", true), {"solver 'sample': option 'rate'", "a number, not true"}));
  CHECK(holds_all(message("rate", Value()), {"solver 'sample': option 'rate'", "a number, not null"}));
  CHECK(holds_all(message("rate", 0), {"solver 'sample': option 'rate'", "a number > 0, not 0"}));
  CHECK(holds_all(message("rate", std::nan("")), {"solver 'sample': option 'rate'", "a number > 0, not nan"}));
  CHECK(holds_all(message("rate", std::numeric_limits<double>::infinity()),
                  {"solver 'sample': option 'rate'", "a number > 0, not inf"}));
  CHECK(holds_all(message("share", 1), {"solver 'sample': option 'share'", "a number in [0, 1), not 1"}));
  CHECK(message("share", 0) == "(no error)");
  CHECK(
      holds_all(message("n_components", 2.5), {"solver 'sample': option 'n_components'", "a whole number, not 2.5."}));
  CHECK(holds_all(message("n_components", 0),
                  {"solver 'sample': option 'n_components'", "a whole number in [1, 1e+18], not 0."}));
  CHECK(holds_all(message("flag", 1), {"solver 'sample': option 'flag'", "true or false, not 1."}));
  CHECK(holds_all(message("update", 1), {"solver 'sample'", "'update'", "text"}));
  CHECK(holds_all(message("update", "momentun"), {"'update'", "'momentun'", "'momentum'"}));
  CHECK(holds_all(message("label", 1), {"solver 'sample'", "'label'", "text"}));
}

TEST_CASE("messages start with the place in the file") {
  Value wrong(-1);
  wrong.at = {"ablation.toml", 12, 9};
  CHECK(holds_all(testing::message_of<ConfigError>([&] { static_cast<void>(parse(one("rate", wrong))); }),
                  {"ablation.toml:12:9:", "'rate'", "> 0", "-1"}));
  CHECK(holds_all(testing::message_of<ConfigError>([&] { static_cast<void>(parse(one("rat", wrong))); }),
                  {"ablation.toml:12:9:", "'rat'", "'rate'"}));
}

TEST_CASE("resolved options name every option and parse back to the same options") {
  ValueTable table;
  table.set("rate", 0.1);
  table.set("n_components", 7);
  const ValueTable resolved = Sample::list().resolve(parse(table));
  CHECK(Value(resolved).to_text() ==
        "{ rate = 0.1, share = 0.25, flag = true, update = \"plain\", label = \"any\", others = [\"a\", \"b\"], "
        "inner = \"ceres\", n_components = 7 }");
  CHECK(Sample::list().resolve(parse(resolved)) == resolved);
}

TEST_CASE("the records say kind, default, bounds and choices") {
  const std::vector<OptionInfo> infos = Sample::list().infos();
  REQUIRE(infos.size() == 8);
  CHECK(infos[0].name == "rate");
  CHECK(infos[0].kind == "number");
  CHECK(infos[0].default_value == Value(0.5));
  CHECK(infos[0].bounds.to_text() == "> 0");
  CHECK(infos[3].choices == std::vector<std::string>{"plain", "momentum"});
  CHECK(infos[6].kind == "solver");
  CHECK(infos[7].kind == "whole number");
  CHECK(infos[7].default_value == Value(2));
}

TEST_CASE("bounds say what they contain") {
  CHECK(at_least(1).to_text() == ">= 1");
  CHECK(above(0.5).to_text() == "> 0.5");
  CHECK(between(1, 2).to_text() == "in [1, 2]");
  CHECK(half_open(0, 1).to_text() == "in [0, 1)");
  CHECK(Bounds{.upper = 3}.to_text() == "<= 3");
  CHECK(Bounds{}.to_text().empty());
  CHECK(at_least(1).contain(1));
  CHECK_FALSE(above(1).contain(1));
  CHECK_FALSE(half_open(0, 1).contain(1));
  CHECK_FALSE(at_least(1).contain(std::nan("")));
  CHECK_FALSE(Bounds{}.contain(std::nan("")));
}

}  // namespace
}  // namespace options_test
