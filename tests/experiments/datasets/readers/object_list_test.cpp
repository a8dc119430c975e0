#include "experiments/datasets/readers/object_list.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace object_list_test {

using namespace alidade;
using namespace alidade::datasets;
using Names = std::vector<std::string>;

TEST_CASE("a list of objects has one name per line, or a column of names") {
  CHECK(parse_object_list("tea\ncoffee\n", "f").names == Names{"tea", "coffee"});
  CHECK(parse_object_list("name\ntea\ncoffee\n", "f").names == Names{"tea", "coffee"});
  CHECK(parse_object_list("label,name\nhot,tea\nhot,coffee\n", "f").names == Names{"tea", "coffee"});
  CHECK(parse_object_list("\"Paris, Texas\"\n\"London, Ontario\"\n", "f").names ==
        Names{"Paris, Texas", "London, Ontario"});
  CHECK(parse_object_list("Name\tcolour\ntea\tgreen\n", "f").names == Names{"tea"});
  CHECK(parse_object_list("tea\n", "f").labels == Names{""});
}

TEST_CASE("what is no list of objects is refused with file and line") {
  const auto message = [](const char* text) {
    return testing::message_of<DataError>([text] { return parse_object_list(text, "f.csv"); });
  };
  CHECK(testing::holds_all(message("tea\ncoffee\ntea\n"), {"f.csv:3:", "'tea'", "Keep one row"}));
  CHECK(testing::holds_all(message("label,name\nhot,\n"), {"f.csv:2:", "empty", "Name an object"}));
  CHECK(testing::holds_all(message("name\n"), {"'f.csv'", "no rows"}));
  CHECK(message("").find("f.csv") != std::string::npos);
  CHECK(message("Paris, Texas\ntea\n").starts_with("f.csv:1: The first line has 2 columns, and none is 'name'."));
  CHECK(message("tea\nParis, Texas\n").find("f.csv") == 0);
  CHECK(testing::holds_all(message("1\n2\n1.0\n"), {"f.csv:3:", "'1.0'", "'1' on line 1", "Keep one row"}));
  CHECK(message("1\ntea\n1.0\n") == "(no error)");  // names then
}

TEST_CASE("labels are read by name or as two columns, and names are unique") {
  CHECK(parse_labels("a,1\nb,2\n", "l.csv").labels == Names{"1", "2"});
  CHECK(parse_labels("label;name\n1;a\n2;b\n", "l.csv").names == Names{"a", "b"});
  const LabelList other = parse_labels("id\tgenre\tyear\n7\trock\t1970\n", "l.csv", "id", "genre");
  CHECK(other.names == Names{"7"});
  CHECK(other.labels == Names{"rock"});
  const auto message = [](const char* text) {
    return testing::message_of<DataError>([text] { return parse_labels(text, "l.csv"); });
  };
  CHECK(testing::holds_all(message("name,labl\na,1\n"), {"l.csv:1: ", "'label'", "'labl'"}));
  CHECK(testing::holds_all(message("a,1\nb,2\na,3\n"), {"l.csv:3: ", "'a'", "second time"}));
  CHECK(testing::holds_all(message("a,1\nb\n"), {"l.csv:2: ", "1 column where", "2"}));
  CHECK(testing::holds_all(message("a,b,c\n"), {"l.csv:1: ", "'name'"}));
  CHECK(testing::holds_all(message("a,1\n,2\n"), {"l.csv:2: ", "empty"}));
  CHECK(testing::holds_all(message("name,label\n"), {"'l.csv'", "no rows"}));
  CHECK(testing::holds_all(message("\n"), {"'l.csv'", "no rows"}));
}

}  // namespace object_list_test
