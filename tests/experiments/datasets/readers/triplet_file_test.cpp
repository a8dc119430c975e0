#include "experiments/datasets/readers/triplet_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/refused_text.hpp"
#include "tests/support/text_holds.hpp"

namespace triplet_file_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;

using Names = std::vector<std::string>;

Observations parse(std::string_view text, const std::string& order = "", Degenerate degenerate = Degenerate::error) {
  return parse_triplets(text, "t.csv", {.order = order, .degenerate = degenerate, .objects = {}});
}

void refused(std::string_view text, const std::string& order, std::string_view place, const Names& parts) {
  check_refused<DataError>([&] { return parse(text, order); }, place, parts);
}

std::vector<Names> all_rows(std::string_view text, char separator) {
  RowReader reader(text, "rows.csv", separator);
  std::vector<Names> out;
  while (reader.next()) out.emplace_back(reader.fields().begin(), reader.fields().end());
  return out;
}

}  // namespace

TEST_CASE("rows end in LF, CRLF or the end of the text, and blank lines may follow") {
  const std::vector<Names> expected = {{"a", "b", "c"}, {"d", "", "f"}};
  for (const std::string_view text : {"a,b,c\nd,,f", "a,b,c\nd,,f\n", "a,b,c\r\nd,,f\r\n", "a,b,c\r\nd,,f",
                                      " a , b,c\t\nd, ,f\n", "a,b,c\nd,,f\n\n  \r\n\n",
                                      "\xef\xbb\xbf"
                                      "a,b,c\nd,,f\n"}) {
    CAPTURE(text);
    CHECK(all_rows(text, ',') == expected);
  }
  CHECK(all_rows("", ',').empty());
  CHECK(all_rows("\n\n", ',').empty());
  CHECK(all_rows("a\t\tc\n\t\t\nd\te\t\n", '\t') == std::vector<Names>{{"a", "", "c"}, {"d", "e", ""}});
}

TEST_CASE("quotes follow RFC 4180") {
  CHECK(all_rows("\"a, b\",\"say \"\"so\"\"\",\"\"\r\n", ',') == std::vector<Names>{{"a, b", "say \"so\"", ""}});
  CHECK(all_rows(" \" a \" , b\"c ,d\n", ',') == std::vector<Names>{{" a ", "b\"c", "d"}});
  RowReader reader("x,\"two\nlines\"\r\ny,z\n", "rows.csv", ',');
  REQUIRE(reader.next());
  CHECK(reader.line() == 1);
  CHECK(reader.fields()[1] == "two\nlines");
  REQUIRE(reader.next());
  CHECK(std::string(reader.place()) == "rows.csv:3");
  CHECK_FALSE(reader.next());

  check_refused<DataError>([&] { return all_rows("a,b\nc,\"d\ne,f\n", ','); },
                           "rows.csv:2: ", {"Field 2", "never closed"});
  check_refused<DataError>([&] { return all_rows("a,\"b\" c\n", ','); }, "rows.csv:1: ", {"Field 2", "closing quote"});
  check_refused<DataError>([&] { return all_rows("a,b\n\nc,d\n", ','); }, "rows.csv:2: ", {"blank", "Remove it"});
}

TEST_CASE("text of a file is shown on one line and shortened") {
  using alidade::shown;
  CHECK(shown("plain, \"quoted\" Tromsø") == "plain, \"quoted\" Tromsø");
  CHECK(shown("two\nlines\t\x7f") == "two\\x0alines\\x09\\x7f");
  CHECK(shown(std::string(60, 'a')) == std::string(60, 'a'));
  CHECK(shown(std::string(61, 'a')) == std::string(60, 'a') + "...");
  CHECK(shown(std::string(59, 'a') + "øø") == std::string(59, 'a') + "ø...");
  const std::string quoted = "anchor,near,far\n\"a\nb\",x,\"a\nb\"\n";
  refused(quoted, "", "t.csv:2: ", {"'a\\x0ab'"});
}

TEST_CASE("the separator is found in the first row") {
  CHECK(detect_separator("a,b,c\n", 3) == ',');
  CHECK(detect_separator("a\tb\tc\n", 3) == '\t');
  CHECK(detect_separator("a; b; c\n", 3) == ';');
  CHECK(detect_separator("Bern, CH;Rome, IT;Oslo, NO\n", 3) == ';');
  CHECK(detect_separator("\"a;b;c;d\",e,f\n", 3) == ',');
  CHECK(detect_separator("a;b\n", 3) == ';');
  CHECK(detect_separator("a\n", 3) == ',');
}

TEST_CASE("an id table numbers strings of any length as a map would") {
  Rng rng(5);
  std::vector<std::string> texts;
  for (int i = 0; i < 5000; ++i) {
    std::string text(rng.below(20), 'x');
    for (char& c : text) c = static_cast<char>('a' + rng.below(2));
    texts.push_back(std::move(text));
  }
  IdTable table;
  std::vector<std::string> seen;
  for (const std::string& text : texts) {
    const auto entry = std::ranges::find(seen, text);
    const auto expected = static_cast<std::uint32_t>(entry - seen.begin());
    REQUIRE(table.number(text) == expected);
    if (entry == seen.end()) seen.push_back(text);
  }
  CHECK(table.ids().size() == seen.size());
}

TEST_CASE("ids with equal hashes stay distinct") {
  // Two ids of two words each: the second words undo the difference that the first ones made.
  const auto after_first = [](std::uint64_t word) {
    std::uint64_t hash = (0x9e3779b97f4a7c15ULL ^ 16ULL ^ word) * 0xff51afd7ed558ccdULL;
    return hash ^ (hash >> 32);
  };
  const std::uint64_t one = 12345, other = 67890, second = 42;
  const std::uint64_t first_id[2] = {one, second};
  const std::uint64_t other_id[2] = {other, second ^ after_first(one) ^ after_first(other)};
  const std::string_view a(reinterpret_cast<const char*>(first_id), 16);
  const std::string_view b(reinterpret_cast<const char*>(other_id), 16);
  REQUIRE(a != b);
  REQUIRE(IdTable::key_of(a) == IdTable::key_of(b));
  IdTable table;
  CHECK(table.number(a) == 0);
  CHECK(table.number(b) == 1);
  CHECK(table.number(a) == 0);
  // Of up to seven bytes the key is the text: none of these is another, zeros at its end included.
  std::uint32_t next = 2;
  for (std::size_t size = 0; size < 10; ++size)
    CHECK(table.number(std::string_view("a\0\0\0\0\0\0\0\0", size)) == next++);
}

}  // namespace triplet_file_test
