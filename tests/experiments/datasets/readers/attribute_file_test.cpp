#include "experiments/datasets/readers/attribute_file.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/sorted_piles.hpp"
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
  SUBCASE("and rows have as many, which are there") {
    check_refused<DataError>([&] { return parse("1,2\n", spec); }, "t.csv:1: ", {"2 columns where the format has 3"});
    spec.not_read = {"shape"};
    check_refused<ConfigError>([&] { return parse(text, spec); }, "'t.csv'", {"'shape'"});
  }
  SUBCASE("another mark for missing values") {
    spec.missing = "n";
    CHECK(parse(text, spec).attributes->aspects()[0].codes == Codes{0, kMissing, 0, 0, kMissing});
  }
}

namespace {

constexpr std::string_view kParis =
    "user,item,cluster\n"
    "ann,louvre,art\nann,orsay,art\nann,tower,sights\n"
    "bob,tower,1\nbob,arch,1\nbob,louvre,2\nbob,orsay,2\nann,arch,\n";

}  // namespace

TEST_CASE(
    "the data set is named after its file, takes users by name and observes a part like any "
    "table") {
  const alidade::testing::ScratchFolder folder{{"paris.csv", kParis}};
  alidade::ValueTable options;
  options.set("file", "paris.csv");
  for (const auto& each : alidade::datasets::dataset_catalog().entries())
    CHECK(alidade::datasets::is_of_piles(each.name) == (each.name == "clusterings"));
  CHECK_FALSE(alidade::datasets::is_of_piles("no such data set"));
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
