#include "experiments/datasets/readers/clustering_file.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "problems/core/error.hpp"
#include "tests/support/refused_text.hpp"
#include "tests/support/scratch_folder.hpp"

namespace clustering_file_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;

using Names = std::vector<std::string>;
using Codes = std::vector<std::int32_t>;

constexpr std::int32_t kMissing = AttributeTable::kMissing;

Observations parse(std::string_view text, const std::string& order = "") {
  return parse_clusterings(text, "c.csv", order);
}

template <class Error>
void check_refused(std::string_view text, const std::string& order, std::string_view begin, const Names& parts) {
  alidade::testing::check_refused<Error>([&] { return parse(text, order); }, begin, parts);
}

constexpr std::string_view kParis =
    "user,item,cluster\n"
    "ann,louvre,art\nann,orsay,art\nann,tower,sights\n"
    "bob,tower,1\nbob,arch,1\nbob,louvre,2\nbob,orsay,2\nann,arch,\n";

}  // namespace

TEST_CASE("every user is an attribute with clusters as values; items without a cluster are missing") {
  const Observations file = parse(kParis);
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
  CHECK(parse(semicolons).attributes->aspects()[0].codes == Codes{0, 0, 1});
  const std::string bare = "x\tu\ta\nx\tu\tb\ny\tu\tc\n";
  CHECK(parse(bare, "cluster, user, item").objects == Names{"a", "b", "c"});
  const std::string wide = "u,a,7,x\nu,b,8,x\nu,c,9,y\n";
  CHECK(parse(wide, "user,item,minutes,cluster").attributes->aspects()[0].codes == Codes{0, 0, 1});
}

TEST_CASE("rows may come in any order or repeat, and users may have no cluster") {
  const Observations file =
      parse("user,item,cluster\nu,a,x\nv,a,all\nu,b,x\nv,b,all\nu,a,x\nv,c,all\nu,c,y\nw,c,alone\n");
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
  check_refused<DataError>("user,item,cluster\nResponse ID,Which?,Group\n{Import:1},{Import:2},{Import:3}\n" + rows, "",
                           "c.csv:2: ", {"Lines 2 to 3 look", "further header lines", "Delete them"});
  check_refused<DataError>("user,item,cluster\nResponse ID,Which?,Group\n" + rows, "", "c.csv:2: ", {"Delete it"});
  CHECK_NOTHROW(static_cast<void>(parse_clusterings("user,item,cluster\nzoe,h,x\n" + rows, "c.csv", "")));
}

TEST_CASE("malformed files are refused with file and line") {
  check_refused<DataError>("", "", "'c.csv' has no rows", {});
  check_refused<DataError>("user,item,cluster\n", "", "'c.csv' has a header but no rows", {});
  check_refused<DataError>("user,item,colour\nu,a,x\n", "", "c.csv:1: ", {"no column 'cluster'", "order"});
  check_refused<DataError>("user,item,cluster,User\nu,a,x,u\n", "", "c.csv:1: ", {"user"});
  check_refused<DataError>("user,item,cluster\nu,a,x\nu,b\n", "", "c.csv:3: ", {"2 columns where the header has 3"});
  check_refused<DataError>("u,a,x\nu,b,x,y\n", "user,item,cluster", "c.csv:2: ", {"4 columns where the format has 3"});
  check_refused<DataError>("user,item,cluster\n,a,x\n", "", "c.csv:2: ", {"no user"});
  check_refused<DataError>("user,item,cluster\nu,a,x\nu,,x\n", "", "c.csv:3: ", {"no item"});
  check_refused<DataError>("user,item,cluster\nu,a,x\nv,a,y\nu,b,x\nu,a,y\nu,c,x\n", "",
                           "c.csv:5: ", {"'u'", "'a'", "'y'", "'x' on line 2"});
  check_refused<DataError>("user,item,cluster\nu,a,x\nu,b,x\n", "", "'c.csv' has 2 items", {"at least 3"});
  check_refused<DataError>("user,item,cluster\nu,a,x\nu,b,x\nu,c,x\n", "", "No user of 'c.csv'", {});
  check_refused<ConfigError>("u,a,x\n", "user,item", "The order 'user,item'", {"cluster"});
  check_refused<ConfigError>("u,a,x\n", "user,item,cluster,user", "The order", {"user once"});
}

TEST_CASE(
    "the data set is named after its file, takes users by name and observes a part like any "
    "table") {
  const alidade::testing::ScratchFolder folder;
  std::ofstream(folder.path() / "paris.csv") << kParis;
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

}  // namespace clustering_file_test
