#include "experiments/datasets/readers/attribute_file.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "problems/core/error.hpp"
#include "tests/support/refused_text.hpp"
#include "tests/support/scratch_folder.hpp"

namespace attribute_file_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using alidade::testing::check_refused;

using Names = std::vector<std::string>;
using Codes = std::vector<std::int32_t>;

constexpr std::int32_t kMissing = AttributeTable::kMissing;

Observations parse(std::string_view text, const AttributeFileSpec& spec = {}) {
  return parse_attributes(text, "t.csv", spec);
}

}  // namespace

TEST_CASE("values are numbered by value if all are whole numbers, else by first appearance") {
  const std::vector<std::string_view> numbers = {"10", "2", "", "2", "-1"};
  const AttributeTable::Aspect legs = make_aspect("legs", numbers);
  CHECK(legs.name == "legs");
  CHECK(legs.values == Names{"-1", "2", "10"});
  CHECK(legs.codes == Codes{2, 1, kMissing, 1, 0});
  const std::vector<std::string_view> words = {"y", "n", "10", "y"};
  const AttributeTable::Aspect vote = make_aspect("vote", words);
  CHECK(vote.values == Names{"y", "n", "10"});
  CHECK(vote.codes == Codes{0, 1, 2, 0});
}

TEST_CASE("a table with a header becomes aspects, names and labels") {
  const std::string text =
      "animal,legs,class,fur\n"
      "cat,4,mammal,yes\nfrog,4,?,no\nfrog,4,amphibian,\nowl,2,bird,no\n";
  const Observations file = parse(text, {.name = "animal", .label = "class"});
  CHECK(file.objects == Names{"cat", "frog", "frog", "owl"});
  CHECK(file.labels == Names{"mammal", "", "amphibian", "bird"});
  REQUIRE(file.attributes->aspect_count() == 2);
  CHECK(file.attributes->aspects()[0].name == "legs");
  CHECK(file.attributes->aspects()[0].values == Names{"2", "4"});
  CHECK(file.attributes->aspects()[0].codes == Codes{1, 1, 1, 0});
  CHECK(file.attributes->aspects()[1].codes == Codes{0, 1, kMissing, 1});
  CHECK(file.attributes->size() == 6 + 2);
  CHECK(file.notes == Names{"1 value is missing."});
}

TEST_CASE("a table without a header takes its columns from the format") {
  AttributeFileSpec spec{.columns = {"party", "a", "b"}, .label = "party"};
  const std::string text = "x,y,?\nx,n,y\nz,y,n\nz,y,y\n?,n,n\n";
  SUBCASE("rows that miss a value are kept") {
    const Observations file = parse(text, spec);
    CHECK(file.objects == Names{"1", "2", "3", "4", "5"});
    CHECK(file.labels == Names{"x", "x", "z", "z", ""});
    CHECK(file.attributes->aspects()[1].codes == Codes{kMissing, 0, 1, 0, 1});
  }
  SUBCASE("or left out, and objects bear the numbers of their rows") {
    spec.complete_rows_only = true;
    const Observations file = parse(text, spec);
    CHECK(file.objects == Names{"2", "3", "4", "5"});
    CHECK(file.attributes->object_count() == 4);
    CHECK(file.notes == Names{"1 of 5 rows lacks a value and is left out."});
  }
  SUBCASE("a label may be an aspect too, and then its gaps count") {
    spec.complete_rows_only = true;
    spec.label_is_aspect = true;
    const Observations file = parse(text, spec);
    CHECK(file.objects == Names{"2", "3", "4"});
    CHECK(file.attributes->aspect_count() == 3);
    CHECK(file.labels == Names{"x", "z", "z"});
  }
  SUBCASE("columns may be left unread") {
    spec.not_read = {"b"};
    const Observations file = parse(text, spec);
    REQUIRE(file.attributes->aspect_count() == 1);
    CHECK(file.attributes->aspects()[0].name == "a");
  }
  SUBCASE("another mark for missing values") {
    spec.missing = "n";
    CHECK(parse(text, spec).attributes->aspects()[0].codes == Codes{0, kMissing, 0, 0, kMissing});
  }
}

TEST_CASE("aspects without information get a note, tables without information are refused") {
  const Observations file = parse("id,same,half\n1,x,a\n2,x,a\n3,x,b\n");
  CHECK(file.notes == Names{"No triplet comes from id, same: all values are equal or all differ."});
  check_refused<DataError>([] { return parse("id,same\n1,x\n2,x\n3,x\n"); }, "No attribute of 't.csv'", {"classes"});
}

TEST_CASE("malformed tables are refused with file and line") {
  check_refused<DataError>([] { return parse("a,b\n1,2\n1\n2,2\n"); },
                           "t.csv:3: ", {"1 column where the header has 2", "comma"});
  check_refused<DataError>(
      [] {
        return parse("1,2,3\n1,2\n", {.columns = {"x", "y", "z"}});
      },
      "t.csv:2: ", {"2 columns where the format has 3"});
  check_refused<DataError>([] { return parse(""); }, "'t.csv' has no rows", {});
  check_refused<DataError>([] { return parse("a,b\n"); }, "'t.csv' has a header but no rows", {});
  check_refused<DataError>([] { return parse("a,b\n1,1\n1,2\n"); }, "'t.csv' has 2 objects", {"at least 3"});
  check_refused<DataError>([] { return parse("a,b\n1,?\n1,2\n?,1\n2,2\n", {.complete_rows_only = true}); },
                           "'t.csv' has 2 objects without a missing value", {"at least 3"});
  check_refused<DataError>([] { return parse("a,b,a\n1,2,3\n"); }, "t.csv:1: ", {"'a'"});
  check_refused<DataError>([] { return parse("a,,c\n1,2,3\n"); }, "t.csv:1: ", {"Column 2"});
  check_refused<DataError>([] { return parse("a,b\n1,2\n1,1\n2,1\n", {.name = "a", .label = "b"}); }, "'t.csv'",
                           {"no column left"});
}

TEST_CASE("a spec that names a missing column is refused with the nearest column") {
  const std::string text = "name,colour\nx,red\ny,red\nz,blue\n";
  check_refused<ConfigError>([&] { return parse(text, {.name = "nmae"}); }, "'t.csv'",
                             {"'nmae'", "Did you mean 'name'?"});
  check_refused<ConfigError>([&] { return parse(text, {.label = "colr"}); }, "'t.csv'", {"Did you mean 'colour'?"});
  check_refused<ConfigError>([&] { return parse(text, {.not_read = {"shape"}}); }, "'t.csv'", {"'shape'"});
}

namespace {

Observations clusters(std::string_view text, const std::string& order = "") {
  return parse_clusterings(text, "c.csv", order);
}

template <class Error>
void refused(std::string_view text, const std::string& order, std::string_view begin, const Names& parts) {
  alidade::testing::check_refused<Error>([&] { return clusters(text, order); }, begin, parts);
}

constexpr std::string_view kParis =
    "user,item,cluster\n"
    "ann,louvre,art\nann,orsay,art\nann,tower,sights\n"
    "bob,tower,1\nbob,arch,1\nbob,louvre,2\nbob,orsay,2\nann,arch,\n";

}  // namespace

TEST_CASE("every user is an attribute with clusters as values; items without a cluster are missing") {
  const Observations file = clusters(kParis);
  CHECK(file.objects == Names{"louvre", "orsay", "tower", "arch"});
  CHECK(file.aspects == Names{"ann", "bob"});
  REQUIRE(file.attributes->aspect_count() == 2);
  CHECK(file.attributes->aspects()[0].name == "ann");
  CHECK(file.attributes->aspects()[0].values == Names{"art", "sights"});
  CHECK(file.attributes->aspects()[0].codes == Codes{0, 0, 1, kMissing});
  CHECK(file.attributes->aspects()[1].values == Names{"1", "2"});
  CHECK(file.attributes->aspects()[1].codes == Codes{1, 1, 0, 0});
  CHECK(file.attributes->aspect_size(0) == 2);  // louvre and orsay against the tower, both ways
  CHECK(file.attributes->aspect_size(1) == 8);
  CHECK(file.notes == Names{"1 row names no cluster."});
}

TEST_CASE("columns are found by name or by an order, others are not read") {
  const std::string semicolons = "when;cluster;user;item\n3;x;u;a\n3;x;u;b\n4;y;u;c\n";
  CHECK(clusters(semicolons).attributes->aspects()[0].codes == Codes{0, 0, 1});
  const std::string bare = "x\tu\ta\nx\tu\tb\ny\tu\tc\n";
  CHECK(clusters(bare, "cluster, user, item").objects == Names{"a", "b", "c"});
  const std::string wide = "u,a,7,x\nu,b,8,x\nu,c,9,y\n";
  CHECK(clusters(wide, "user,item,minutes,cluster").attributes->aspects()[0].codes == Codes{0, 0, 1});
}

TEST_CASE("a row a person and a column an item, or the reverse, is what people sorted") {
  const Observations long_form = clusters("user,item,cluster\np,cat,A\np,dog,A\np,bus,B\nq,cat,1\nq,dog,\nq,bus,1\n");
  for (const std::string_view text :
       {"participant,cat,dog,bus\np,A,A,B\nq,1,,1\n", "card,p,q,r\ncat,A,1,\ndog,A,,\nbus,B,1,\n"}) {
    CAPTURE(text);
    const Observations wide = clusters(text);
    CHECK(wide.objects == long_form.objects);
    CHECK(wide.attributes->aspects()[0].codes == long_form.attributes->aspects()[0].codes);
    CHECK(wide.attributes->aspects()[1].codes == long_form.attributes->aspects()[1].codes);
    CHECK(wide.guesses.size() == 1);
  }
  // Nobody puts two of these together: they are no items.
  refused<DataError>("participant,age,score,rt\np,30,4,1\nq,20,7,2\n", "", "c.csv:1: ", {"no column 'item'"});
}

TEST_CASE("a row a pile, with its items as a list or in columns of their own, and a column a pile") {
  const Observations expected = clusters("user,item,cluster\np,cat,A\np,dog,A\np,bus,B\nq,cat,A\nq,bus,A\nq,dog,B\n");
  for (const std::string_view text :
       {"participant,pile,cards\np,A,cat; dog\np,B,bus\nq,A,cat; bus;\nq,B,dog\n",
        "participant,category,card1,card2,card3\np,A,cat,dog,\np,B,bus,,\nq,A,cat,bus,\nq,B,dog,,\n",
        "participant,A,B,C\np,\"cat, dog\",bus,\nq,\"cat, bus\",dog,\n"}) {
    CAPTURE(text);
    const Observations read = clusters(text);
    CHECK(read.objects == expected.objects);
    CHECK(read.attributes->aspects()[0].codes == expected.attributes->aspects()[0].codes);
    CHECK(read.attributes->aspects()[1].codes == expected.attributes->aspects()[1].codes);
    CHECK(read.guesses.size() == 1);
  }
  // Rows are chosen before they become those of items.
  for (const std::string_view text :
       {"participant,phase,pile,cards\np,a,A,cat; dog\np,a,B,bus\nq,a,A,cat; bus;\nq,a,B,dog\nr,b,A,cat; dog; bus\n",
        "participant,phase,category,card1,card2\np,a,A,cat,dog\np,a,B,bus,\nq,a,A,cat,bus\nq,a,B,dog,\nr,b,A,cat,bus\n",
        "participant,phase,cat,dog,bus\np,a,A,A,B\nq,a,A,B,A\nr,b,A,A,A\n"}) {
    CAPTURE(text);
    const Observations read = parse_clusterings(text, "c.csv", "", MergeNames::automatic, {.where = "phase=a"});
    CHECK(read.objects == expected.objects);
    CHECK(read.aspects == std::vector<std::string>{"p", "q"});
    CHECK(read.attributes->aspects()[1].codes == expected.attributes->aspects()[1].codes);
  }
  // Names with commas are no lists where rows are items.
  CHECK(clusters("user,item,cluster\np,\"sea, the\",A\np,\"sky, the\",A\np,bus,B\n").objects[0] == "sea, the");
}

TEST_CASE("rows may come in any order or repeat, and users may have no cluster") {
  const Observations file =
      clusters("user,item,cluster\nu,a,x\nv,a,all\nu,b,x\nv,b,all\nu,a,x\nv,c,all\nu,c,y\nw,c,alone\n");
  CHECK(file.attributes->aspects()[0].codes == Codes{0, 0, 1});
  CHECK(file.notes == Names{"1 row repeats another row.",
                            "2 of 3 users give no triplet, such as v: they have only one cluster, "
                            "or one item in each."});
}

TEST_CASE("further header lines of a survey's export are refused, a lone user is not") {
  std::string rows;
  for (const char* user : {"u", "v", "w"})
    for (const char* item : {"a", "b", "c", "d", "e", "f", "g"})
      rows += std::string(user) + "," + item + "," + (*item < 'd' ? "x" : "y") + "\n";
  refused<DataError>("user,item,cluster\nResponse ID,Which?,Group\n{Import:1},{Import:2},{Import:3}\n" + rows, "",
                     "c.csv:2: ", {"Lines 2 to 3 look", "further header lines", "Delete them"});
  refused<DataError>("user,item,cluster\nResponse ID,Which?,Group\n" + rows, "", "c.csv:2: ", {"Delete it"});
  CHECK_NOTHROW(static_cast<void>(parse_clusterings("user,item,cluster\nzoe,h,x\n" + rows, "c.csv", "")));
}

TEST_CASE("malformed files are refused with file and line") {
  refused<DataError>("", "", "'c.csv' has no rows", {});
  refused<DataError>("user,item,cluster\n", "", "'c.csv' has a header but no rows", {});
  refused<DataError>("user,item,colour\nu,a,x\n", "", "c.csv:1: ", {"no column 'cluster'", "order"});
  refused<DataError>("user,item,cluster,User\nu,a,x,u\n", "", "c.csv:1: ", {"user"});
  refused<DataError>("user,item,cluster\nu,a,x\nu,b\n", "", "c.csv:3: ", {"2 columns where the header has 3"});
  refused<DataError>("u,a,x\nu,b,x,y\n", "user,item,cluster", "c.csv:2: ", {"4 columns where the format has 3"});
  refused<DataError>("user,item,cluster\n,a,x\n", "", "c.csv:2: ", {"no user"});
  refused<DataError>("user,item,cluster\nu,a,x\nu,,x\n", "", "c.csv:3: ", {"no item"});
  refused<DataError>("user,item,cluster\nu,a,x\nv,a,y\nu,b,x\nu,a,y\nu,c,x\n", "",
                     "c.csv:5: ", {"'u'", "'a'", "'y'", "'x' on line 2"});
  refused<DataError>("user,item,cluster\nu,a,x\nu,b,x\n", "", "'c.csv' has 2 items", {"at least 3"});
  refused<DataError>("user,item,cluster\nu,a,x\nu,b,x\nu,c,x\n", "", "No user of 'c.csv'", {});
  refused<ConfigError>("u,a,x\n", "user,item", "The order 'user,item'", {"cluster"});
  refused<ConfigError>("u,a,x\n", "user,item,cluster,user", "The order", {"user once"});
}

TEST_CASE(
    "the data set is named after its file, takes users by name and observes a part like any "
    "table") {
  const alidade::testing::ScratchFolder folder{{"paris.csv", kParis}};
  alidade::ValueTable options;
  options.set("file", "paris.csv");
  const auto& entry = alidade::datasets::dataset_catalog().at("clusterings");
  const alidade::Observations data = entry.load(options, {.folder = folder.path()});
  CHECK(data.name == "paris");
  CHECK(data.aspects == Names{"ann", "bob"});
  CHECK(data.triplets == data.attributes);
  CHECK(data.triplets->size() == 10);
  options.set("aspects", "bob");
  const alidade::Observations bob = entry.load(options, {.folder = folder.path()});
  CHECK(bob.aspects == Names{"bob"});
}

}  // namespace attribute_file_test
