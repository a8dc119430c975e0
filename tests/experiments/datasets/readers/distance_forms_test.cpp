#include "experiments/datasets/readers/distance_forms.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"

namespace distance_forms_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using alidade::testing::message_of;
using Names = std::vector<std::string>;

/// Of three objects: d(1, 2) = 3, d(1, 3) = 4, d(2, 3) = 5.
bool are_the_three(const std::optional<NamedDistances>& named, const Names& names) {
  if (!named || named->names != names || named->values.rows() != 3) return false;
  Matrix wanted(3, 3);
  wanted << 0, 3, 4, 3, 0, 5, 4, 5, 0;
  return named->values == wanted;
}

}  // namespace

TEST_CASE("distances are read from triangles, PHYLIP and lists of pairs") {
  const auto read = [](const char* text) { return distances_in_other_form(text, "d"); };
  for (const char* text :
       {"0\n3,0\n4,5,0\n", "0,,\n3,0,\n4,5,0\n", "3\n4 5\n", "0\n3 0\n4 5 0\n", "0\n3;0\n4;5;0\r\n"}) {
    CAPTURE(text);
    CHECK(are_the_three(read(text), {}));
  }
  for (const char* text :
       {"3\na 0 3 4\nb 3 0 5\nc 4 5 0\n", " 3\na\nb 3\nc 4 5\n", "3\na 0\nb 3 0\nc 4 5 0\n", "a,0\nb,3,0\nc,4,5,0\n",
        "a\nb,3\nc,4,5\n", ",a,b,c\na,0\nb,3,0\nc,4,5,0\n", "x,y,d\na,b,3\nc,a,4\nb,c,5\n", "a,b,3\na,c,4\nb,c,5\n",
        "a\tb\t3\na\tc\t4\nb\tc\t5\nb\ta\t3\na\ta\t0\n"}) {
    CAPTURE(text);
    const auto result = read(text);
    // A list names its objects in order of appearance.
    if (result && result->names == Names{"a", "b", "c"}) CHECK(are_the_three(result, {"a", "b", "c"}));
    CHECK(result.has_value());
  }
  const auto spaced = read("3\nHomo sapie0 3 4\nPan trogl.3 0 5\nGorilla   4 5 0\n");
  CHECK(are_the_three(spaced, {"Homo sapie", "Pan trogl.", "Gorilla"}));
  CHECK(are_the_three(read("i,j,d\n10,2,5\n2,1,3\n1,10,4\n"), {"1", "2", "10"}));
}

TEST_CASE("square tables and tables of other numbers are left to their reader") {
  for (const char* text : {"0,3,4\n3,0,5\n4,5,0\n", "a,b,c\n0,3,4\n3,0,5\n4,5,0\n", "1,3,4\n3,0,5\n4,5,0\n",
                           "1,2,3\n4,5,6\n7,8,9\n1,5,7\n", "x,y\n1,2\n", "", "3\n", "0.5,1.5,3\n1,2,3\n2,2,1\n"}) {
    CAPTURE(text);
    CHECK_FALSE(distances_in_other_form(text, "d").has_value());
  }
}

TEST_CASE("a list of pairs that lacks one or contradicts itself is refused by name and line") {
  const auto refusal = [](const char* text) {
    return message_of<DataError>([&] { return distances_in_other_form(text, "d.csv"); });
  };
  CHECK(refusal("a,b,d\nx,y,3\nx,z,4\nx,w,5\ny,z,2\ny,w,1\n").find("lacks 1 of 6 pairs, such as 'z' and 'w'") !=
        std::string::npos);
  CHECK(refusal("a,b,d\nx,y,3\nx,z,4\ny,z,2\nx,x,1\n").find("d.csv:5: The distance of 'x' to itself is 1") !=
        std::string::npos);
  CHECK(refusal("a,b,d\nx,y,3\nx,z,4\ny,z,2\nx,y,1\n").find("d.csv:5:") != std::string::npos);
}

}  // namespace distance_forms_test
