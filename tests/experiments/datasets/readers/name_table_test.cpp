#include "experiments/datasets/readers/names.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/readers/object_list.hpp"
#include "experiments/datasets/readers/pair_files.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "problems/core/error.hpp"

namespace name_table_test {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;
using Names = std::vector<std::string>;

namespace {

// Café: with one character for the accented letter, and with two.
const std::string kComposed = "Caf\xc3\xa9", kDecomposed = "Cafe\xcc\x81", kNoBreakSpace = "\xc2\xa0";

Observations read(const std::string& rows, MergeNames mode = MergeNames::automatic) {
  TripletFileOptions options;
  options.merge_names = mode;
  return parse_triplets("anchor,near,far\n" + rows, "t.csv", options);
}

bool is_noted(const std::vector<std::string>& notes, const Names& parts) {
  return std::ranges::any_of(notes, [&](const std::string& note) {
    return std::ranges::all_of(parts, [&](const std::string& part) { return note.find(part) != std::string::npos; });
  });
}

}  // namespace

TEST_CASE("plain numbers are compared by their digits") {
  for (const char* three : {"3", "3.0", "003", "+3", "3.", "0.3e1", "30e-1", " 3 ",
                            "\xc2\xa0"
                            "3",
                            "3.000"})
    CHECK_MESSAGE(plain_number(three) == "3", three);
  CHECK(plain_number("1e+05") == "100000");
  CHECK(plain_number("-0.50") == "-0.5");
  CHECK(plain_number(".5") == "0.5");
  CHECK(plain_number("0.00125") == "0.00125");
  CHECK(plain_number("-0") == "0");
  CHECK(plain_number("000") == "0");
  CHECK(plain_number("12345678901234567") != plain_number("12345678901234568"));
  CHECK(plain_number("12345678901234567.0") == "12345678901234567");
  for (const char* text : {"", "a", "3a", "nan", "inf", "0x10", "1,5", "3-4", "1e", "e5", ".", "-", "1e999999", "3 4"})
    CHECK_MESSAGE(!plain_number(text), text);
}

TEST_CASE("a reading ignores number format, case, spaces, quotes and the form of characters") {
  const auto same = [](const std::string& a, const std::string& b, std::string_view difference) {
    CAPTURE(a);
    CAPTURE(b);
    CHECK(reading_of(a) == reading_of(b));
    CHECK(difference_of(a, b) == difference);
  };
  same("3", "3.0", "number format");
  same("tea", "Tea", "case");
  same("\xc3\xa9t\xc3\xa9", "\xc3\x89T\xc3\x89", "case");  // letters with accents
  same("green tea", "green" + kNoBreakSpace + "tea", "spaces");
  same("green tea", "green  tea", "spaces");
  same("tea", " tea", "spaces");
  same("tea\xe2\x80\x83", "tea", "spaces");  // an em space
  same("tea", "'tea'", "quotes");
  same("O'Brien",
       "O\xe2\x80\x99"
       "Brien",
       "quotes");
  same("A1", "\xef\xbc\xa1\xef\xbc\x91", "Unicode form");  // fullwidth
  same("tea", "tea\xe2\x80\x8b", "Unicode form");          // a space of no width
  same("tea", "'Tea '", "case, spaces or quotes");
  CHECK(reading_of("item 1 2") != reading_of("item 12"));
  CHECK(reading_of("a") != reading_of("b"));
  CHECK(reading_of("-1") != reading_of("1"));
  CHECK(reading_of("'") == "'");
  CHECK(reading_of("caf\xe9") == "caf\xe9");  // not UTF-8
}

TEST_CASE("names are stored in Unicode's normal form C, in every kind of data") {
  const Observations file = read(kDecomposed + ",a,b\n" + kComposed + ",b,a\n", MergeNames::no);
  CHECK(file.objects == Names{kComposed, "a", "b"});
  CHECK(is_noted(file.guesses, {"composed", kComposed}));
  CHECK(read(kDecomposed + ",a,b\n").objects.front() == kComposed);
  const std::string pairs = kDecomposed + ",b,+1\n" + kComposed + ",c,-1\n";
  CHECK(parse_pair_signs(RowReader(pairs, "p", ','), {}).objects == Names{kComposed, "b", "c"});
  CHECK(parse_graph(kDecomposed + ",b\n" + kComposed + ",c\n", "g", GraphFormat::edges).objects ==
        Names{kComposed, "b", "c"});
  CHECK(parse_labels("name,label\n" + kDecomposed + "," + kDecomposed + "\n", "l").names == Names{kComposed});
  CHECK(parse_object_list(kDecomposed + "\n", "o").names == Names{kComposed});
  CHECK_THROWS_AS(parse_object_list(kDecomposed + "\n" + kComposed + "\n", "o"), DataError);
}

}  // namespace name_table_test
