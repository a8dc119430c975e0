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
#include "tests/support/text_holds.hpp"

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

TEST_CASE("one object written as 3 and 3.0 is one, and this is said") {
  // As pandas writes a column that has a missing value.
  const std::string rows = "1,2.0,3\n2,3.0,1\n3,10.0,2\n10,1.0,3\n";
  const Observations file = read(rows);
  CHECK(file.objects == Names{"1", "2", "3", "10"});
  REQUIRE(file.guesses.size() == 1);
  CHECK(holds_all(file.guesses[0], {"4 objects", "'1' and '1.0'", "and 1 more", "--merge-names=no"}));
  CHECK(is_noted(file.notes, {"4 objects are written in several ways"}));
  // Zeros in front may be a code: this is noticed.
  const Observations codes = read("01,2,3\n1,3,2\n");
  CHECK(codes.objects == Names{"01", "1", "2", "3"});
  CHECK(is_noted(codes.notes, {"'01' and '1' (number format)"}));
  CHECK(read("01,2,3\n1,3,2\n", MergeNames::yes).objects == Names{"01", "2", "3"});
  const Observations apart = read(rows, MergeNames::no);
  CHECK(apart.objects.size() == 8);
  CHECK(is_noted(apart.notes,
                 {"4 pairs of names look alike", "'2.0' and '2' (number format)", "and 1 more", "--merge-names"}));
  // A row that names it in two ways names it twice.
  CHECK_THROWS_WITH_AS(read("1,2,3\n4,4.0,1\n"), doctest::Contains("t.csv:3: anchor and near are both"), DataError);
  // Where all are written alike, names stay as they are.
  CHECK(read("1.0,2.0,3.0\n2.0,1.0,3.0\n").objects.front() == "1.0");
}

TEST_CASE("names that look alike are noticed, three are named, and merged on request") {
  const std::string rows =
      "tea,Tea,coffee\nmilk,green tea,green" + kNoBreakSpace + "tea\nmilk,'rum',rum\nCOFFEE,ale,tea\nx3,ale,tea\n";
  const Observations apart = read(rows);
  CHECK(apart.objects.size() == 11);
  CHECK(is_noted(apart.notes, {"4 pairs of names look alike", "'tea' and 'Tea' (case)", "(spaces)", "(quotes)",
                               "and 1 more", "merge_names = \"yes\""}));
  CHECK(apart.guesses.empty());
  CHECK_THROWS_AS(read(rows, MergeNames::yes), DataError);  // tea is both anchor and near
  const Observations merged = read("tea,milk,coffee\nTEA,Milk,ale\n", MergeNames::yes);
  CHECK(merged.objects == Names{"tea", "milk", "coffee", "ale"});
  CHECK(is_noted(merged.guesses, {"2 objects", "'tea' and 'TEA'"}));
  // Numbers among other names are not merged unasked.
  CHECK(read("3,a,b\n3.0,a,b\n").objects.size() == 4);
  CHECK(read("3,a,b\n3.0,a,b\n", MergeNames::yes).objects == Names{"3", "a", "b"});
}

TEST_CASE("names are stored in Unicode's normal form C, in every kind of data") {
  const Observations file = read(kDecomposed + ",a,b\n" + kComposed + ",b,a\n", MergeNames::no);
  CHECK(file.objects == Names{kComposed, "a", "b"});
  CHECK(is_noted(file.guesses, {"composed", kComposed}));
  CHECK(read(kDecomposed + ",a,b\n").objects.front() == kComposed);
  CHECK(parse_pair_signs(kDecomposed + ",b,+1\n" + kComposed + ",c,-1\n", "p", {}).objects ==
        Names{kComposed, "b", "c"});
  CHECK(parse_graph(kDecomposed + ",b\n" + kComposed + ",c\n", "g", GraphFormat::edges).objects ==
        Names{kComposed, "b", "c"});
  CHECK(parse_labels("name,label\n" + kDecomposed + "," + kDecomposed + "\n", "l").names == Names{kComposed});
  CHECK(parse_object_list(kDecomposed + "\n", "o").names == Names{kComposed});
  CHECK_THROWS_AS(parse_object_list(kDecomposed + "\n" + kComposed + "\n", "o"), DataError);
}

TEST_CASE("pairs, edges and clusterings read numbers in two spellings as one") {
  CHECK(parse_pair_signs("a,b,sign\n1,2.0,+1\n2,3.0,-1\n3,1.0,+1\n", "p", {}).objects == Names{"1", "2", "3"});
  CHECK_THROWS_WITH_AS(parse_pair_signs("a,b,sign\n1,1.0,+1\n2,3.0,-1\n", "p", {}),
                       doctest::Contains("paired with itself"), DataError);
  PairSignFileOptions apart;
  apart.merge_names = MergeNames::no;
  const Observations pairs = parse_pair_signs("a,b,sign\n1,2.0,+1\n2,3.0,-1\n", "p", apart);
  CHECK(pairs.objects.size() == 4);
  CHECK(is_noted(pairs.notes, {"1 pair of names looks alike"}));
  const GraphFile graph = parse_graph("1,2.0\n2,3\n", "g", GraphFormat::edges);
  CHECK(graph.objects == Names{"1", "2", "3"});
  CHECK(is_noted(graph.guesses, {"'2.0' and '2'"}));
  const std::string groups = "user,item,cluster\nu,1,a\nu,2.0,a\nu,3,b\nv,1.0,A\nv,2,A\nv,3,b\n";
  const Observations clusterings = parse_clusterings(groups, "c");
  CHECK(clusterings.objects == Names{"1", "2", "3"});
  CHECK(is_noted(clusterings.notes, {"'a' and 'A' (case)", "different clusters"}));
}

TEST_CASE("annotators and aspects are names, too") {
  const std::string rows = "anchor,near,far,annotator,aspect\na,b,c,1,Colour\nb,a,c,1.0,colour\nc,a,b,2,colour\n";
  const Observations file = parse_triplets(rows, "t.csv", {});
  CHECK(file.annotators == Names{"1", "2"});
  CHECK(file.aspects == Names{"Colour", "colour"});
  CHECK(is_noted(file.guesses, {"1 annotator is written in several ways", "'1' and '1.0'"}));
  CHECK(is_noted(file.notes, {"'Colour' and 'colour' (case)", "different aspects"}));
}

TEST_CASE("a list of objects decides how their names are written") {
  TripletFileOptions options;
  options.objects = LabelList{{"1", "2", "3"}, {"x", "y", "z"}};
  const std::string rows = "anchor,near,far\n1,2.0,3.0\n2,3.0,1.0\n";
  const Observations file = parse_triplets(rows, "t.csv", options);
  CHECK(file.objects == Names{"1", "2", "3"});
  CHECK(file.labels == Names{"x", "y", "z"});
  CHECK(is_noted(file.guesses, {"'2.0' and '2'"}));
  options.merge_names = MergeNames::no;
  CHECK_THROWS_WITH_AS(parse_triplets(rows, "t.csv", options), doctest::Contains("'2.0' is not among"), DataError);
  options.merge_names = MergeNames::yes;
  options.objects = LabelList{{"Tea", "ale", "rum"}, {"", "", ""}};
  CHECK(parse_triplets("anchor,near,far\ntea,ALE,rum\n", "t.csv", options).objects == Names{"Tea", "ale", "rum"});
}

TEST_CASE("the response of a two-choice trial may spell the object otherwise than its column") {
  TripletFileOptions options;
  options.answers = AnswerKind::two_choice;
  const Observations file =
      parse_triplets("reference,left,right,response\n7,8,9,9.0\n8,7,9,7.0\n9,7,8,8\n", "t.csv", options);
  REQUIRE(file.triplets->size() == 3);
  const auto near = [&](std::uint64_t t) { return file.objects[file.triplets->at(t).near]; };
  CHECK(near(0) == "9");
  CHECK(near(1) == "7");
  CHECK(near(2) == "8");
}

TEST_CASE("pairs of a quadruplet share an object that they spell in two ways") {
  TripletFileOptions options;
  options.answers = AnswerKind::quadruplets;
  const std::string rows = "i,j,k,l\n1,2,1.0,3\n2,1,3,2.0\n";
  CHECK(parse_triplets(rows, "t.csv", options).triplets->size() == 2);
  options.merge_names = MergeNames::no;
  CHECK_THROWS_WITH_AS(parse_triplets(rows, "t.csv", options), doctest::Contains("t.csv:2: The pairs"), DataError);
}

TEST_CASE("objects that no answer places are named") {
  const Observations file = read("a,b,c\nb,a,c\na,b,far1\nb,a,far2\nb,only near,a\nc,a,b\n");
  CHECK(is_noted(file.notes, {"No answer places 2 objects", "only as far", "far1, far2"}));
  CHECK(is_noted(file.notes, {"No answer places 1 object", "only as near", "only near"}));
  CHECK(!is_noted(read("a,b,c\nb,c,a\nc,a,b\n").notes, {"No answer places"}));
}

}  // namespace name_table_test
