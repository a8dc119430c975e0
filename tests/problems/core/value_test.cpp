#include "problems/core/value.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "problems/core/error.hpp"

namespace value_test {
namespace {

using namespace alidade;

TEST_CASE("text of the command line becomes the value it looks like") {
  CHECK(value_from_text("true") == Value(true));
  CHECK(value_from_text("false") == Value(false));
  CHECK(value_from_text(" 12 ") == Value(12));
  CHECK(value_from_text("-7") == Value(-7));
  CHECK(value_from_text("1e3") == Value(1000.0));
  CHECK(value_from_text("0.5") == Value(0.5));
  CHECK(value_from_text("99999999999999999999") == Value(1e20));  // too long for a whole number
  CHECK(value_from_text("lbfgs") == Value("lbfgs"));
  CHECK(value_from_text("\"12\"") == Value("12"));
  CHECK(value_from_text("[1, 2.5, x]") == Value(ValueArray{1, 2.5, "x"}));
  CHECK(value_from_text("[]") == Value(ValueArray{}));
  CHECK(value_from_text("") == Value(""));
  CHECK(value_from_text("a b") == Value("a b"));
  CHECK(value_from_text("a, b") == Value("a, b"));
}

TEST_CASE("text of lists in lists and of inline tables becomes what it looks like") {
  CHECK(value_from_text("[[1, 2], [3]]") == Value(ValueArray{ValueArray{1, 2}, ValueArray{3}}));
  ValueTable solver;
  solver.set("name", "ceres");
  solver.set("max_iter", 30);
  CHECK(value_from_text("{ name = \"ceres\", max_iter = 30 }") == Value(solver));
  CHECK(value_from_text("{name=ceres,max_iter=30}") == Value(solver));
  CHECK(value_from_text("{}") == Value(ValueTable{}));
}

TEST_CASE("malformed lists, tables and quotes are text") {
  for (const std::string text : {"[1, 2", "{a = 1", "{a}", "\"open", "[1] 2", "[1,,2]", "{a = 1, a}", "]"}) {
    CAPTURE(text);
    CHECK(value_from_text(text) == Value(text));
  }
}

TEST_CASE("the text of a value reads back to an equal value") {
  ValueTable inner;
  inner.set("name", "ceres");
  inner.set("odd key", ValueArray{1, "x, y", ValueArray{}});
  inner.set("", 1.0);
  const std::vector<Value> values = {
      true,
      false,
      0,
      -5,
      std::numeric_limits<std::int64_t>::max(),
      std::numeric_limits<std::int64_t>::min(),
      0.1,
      2.0,
      -1e300,
      1e-320,
      std::numeric_limits<double>::infinity(),
      "plain",
      "",
      "12",
      "true",
      "with \"quotes\" and \\ back\\slashes",
      "comma, bracket ] brace } equals =",
      "line\nbreak\ttab\x01 end",
      "Zürich",
      ValueArray{},
      ValueArray{1, 2.5, "a,b", true, ValueArray{ValueArray{}}},
      ValueTable{},
      inner,
      ValueArray{inner, 3},
  };
  for (const Value& value : values) {
    const std::string text = value.to_text();
    CAPTURE(text);
    CHECK(value_from_text(text) == value);
    CHECK(value_from_text(text).to_text() == text);
  }
  CHECK(std::isnan(*value_from_text(Value(std::nan("")).to_text()).get_if<double>()));
  CHECK(Value().to_text() == "null");
  // A whole number and a number stay apart.
  CHECK(Value(2.0).to_text() == "2.0");
  CHECK_FALSE(Value(2.0) == Value(2));
}

TEST_CASE("a table keeps the order of its keys, which are unique") {
  ValueTable table;
  table.set("b", 1);
  table.set("a", 2);
  table.set("b", 3);
  CHECK(table.keys() == std::vector<std::string>{"b", "a"});
  CHECK(*table.find("b") == Value(3));
  CHECK(table.find("c") == nullptr);
  CHECK(table.erase("b"));
  CHECK_FALSE(table.erase("b"));
  CHECK(table.size() == 1);
}

TEST_CASE("a dotted path creates tables on its way and stops at a value that is no table") {
  ValueTable table;
  table.set_path("problem.t", 3);
  table.set_path("problem.kernel.width", 0.5);
  CHECK(Value(table).to_text() == "{ problem = { t = 3, kernel = { width = 0.5 } } }");
  CHECK_THROWS_WITH_AS(table.set_path("problem.t.x", 1),
                       doctest::Contains("'t.x': 't' is a whole number, not a table."), ConfigError);
  CHECK_THROWS_AS(table.set_path("", 1), ConfigError);
  CHECK_THROWS_AS(table.set_path("a..b", 1), ConfigError);
  CHECK_THROWS_AS(table.set_path("a.", 1), ConfigError);
}

TEST_CASE("merging replaces entries and descends into tables") {
  ValueTable base, over;
  base.set_path("solver.name", "ceres");
  base.set_path("solver.max_iter", 10);
  base.set("seed", 1);
  over.set_path("solver.max_iter", 20);
  over.set("seed", ValueTable{});
  base.merge(over);
  CHECK(Value(base).to_text() == "{ solver = { name = \"ceres\", max_iter = 20 }, seed = {  } }");
}

TEST_CASE("a position stands before a message as editors understand it") {
  CHECK(TextPosition{"c.toml", 3, 7}.prefix() == "c.toml:3:7: ");
  CHECK(TextPosition{"c.toml", 0, 0}.prefix() == "c.toml: ");
  CHECK(TextPosition{}.prefix().empty());
}

}  // namespace
}  // namespace value_test
