#include "experiments/datasets/readers/triplet_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/datasets/readers/object_list.hpp"
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

/// The rows of a file by name: "anchor near far".
Names rows(const Observations& file) {
  Names out;
  for (std::uint64_t i = 0; i < file.triplets->size(); ++i) {
    const Triplet t = file.triplets->at(i);
    out.push_back(file.objects[t.anchor] + " " + file.objects[t.near] + " " + file.objects[t.far]);
  }
  return out;
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
  CHECK(all_rows("a\t\tc\n\t\t\nd\te\t\n", '\t') == std::vector<Names>{{"a", "", "c"}, {"", "", ""}, {"d", "e", ""}});
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

TEST_CASE("a list of objects labels them, excludes others and does not change their order") {
  const LabelList list = parse_labels("name,label\nd,x\nc,\nb,y\na,x\n", "l.csv");
  CHECK(list.names == Names{"d", "c", "b", "a"});
  TripletFileOptions options{.order = "anchor,near,far", .objects = list};
  const Observations file = parse_triplets("a,b,d\nb,a,d\n", "t.csv", options);
  CHECK(file.objects == Names{"a", "b", "d"});
  CHECK(file.labels == Names{"x", "y", "x"});
  CHECK(rows(file) == Names{"a b d", "b a d"});
  REQUIRE(file.notes.size() == 1);
  CHECK(holds_all(file.notes[0], {"1 of 4", "left out: c"}));

  options.objects = LabelList{{"3", "1", "2"}, {"c", "a", "b"}};
  const Observations by_value = parse_triplets("2,1,3\n", "t.csv", options);
  CHECK(by_value.objects == Names{"1", "2", "3"});
  CHECK(by_value.labels == Names{"a", "b", "c"});

  options.objects = LabelList{{"alpha", "beta", "gamma", "delta"}, {"", "", "", ""}};
  check_refused<DataError>([&] { return parse_triplets("alpha,beta,gamma\nalpha,bata,delta\n", "t.csv", options); },
                           "t.csv:2: ", {"'bata'", "Did you mean 'beta'?"});
  check_refused<DataError>([&] { return parse_triplets("alpha,beta,zzzzzz\n", "t.csv", options); },
                           "t.csv:1: ", {"'zzzzzz'", "4 listed"});
}

TEST_CASE("weights that are not finite numbers >= 0 are refused with their line") {
  for (const std::string bad :
       {"nan", "NaN", "inf", "-inf", "-1", "-1e-300", "1e999", "one", "", "1 2", "0x10", "1,5"}) {
    CAPTURE(bad);
    const std::string text = "anchor;near;far;weight\na;b;c;2\na;c;b;" + bad + "\n";
    refused(text, "", "t.csv:3: ", {"weight '" + bad + "'"});
  }
  CHECK(parse("a,b,c,+.5\n", "anchor,near,far,weight").triplets->at(0).weight == 0.5);
  refused("a,b,c,0\nb,a,c,0\n", "anchor,near,far,weight", "'t.csv'", {"weight 0 to every row"});
}

TEST_CASE("a first line whose names occur nowhere else is refused as an unknown header") {
  std::string answers;
  for (int i = 0; i < 30; ++i) answers += fmt::format("cup {},cup {},cup {}\n", i % 7, (i + 1) % 7, (i + 3) % 7);
  const std::string kOrder = "anchor,near,far";
  // Without an order the message says what to do about a header first, and then about an answer.
  refused("item,like,unlike\n" + answers, "", "t.csv:1: ", {"does not name the columns", "--columns item,like,unlike"});
  refused("head,winner,loser\n" + answers, kOrder,
          "t.csv:1: ", {"'head', 'winner', 'loser'", "looks like a header", "'anchor,near,far'", "above it"});
  std::string four = "row\twinner\tloser\thead\n1\ta\tb\tc\n";
  for (int i = 0; i < 30; ++i) four += "2\tb\ta\tc\n";
  refused(four, "-,near,far,anchor", "t.csv:1: ", {"'head', 'winner', 'loser'", "replace it by '-,near,far,anchor'"});
  // What the message says works either way.
  CHECK(parse(kOrder + "\n" + answers).objects.size() == 7);
  CHECK(parse(kOrder + "\nhead,winner,loser\n" + answers).objects.size() == 10);
  CHECK(parse("-,near,far,anchor\n1,a,b,c\n").objects.size() == 3);
}

TEST_CASE("a first answer with shared names or numbers is not taken for a header") {
  const std::string kOrder = "anchor,near,far";
  std::string answers;
  for (int i = 0; i < 40; ++i) answers += i % 2 == 0 ? "a,b,c\n" : "b,c,a\n";
  const auto plain = [](const Observations& file) {
    for (const std::string& note : file.notes)
      if (note.find("header") != note.npos) return false;
    return true;
  };
  CHECK(plain(parse("a,rare,seldom\n" + answers, kOrder)));
  CHECK(plain(parse("7,8,9\n" + answers, kOrder)));
  CHECK(plain(parse("a,b,c\n", kOrder)));
  CHECK(plain(parse(kOrder + "\nhead,winner,loser\n", kOrder)));
  CHECK(plain(parse(kOrder + "\nhead,winner,loser\n" + answers, kOrder)));
  // Of few answers, or where others share no name either, it may be an answer: a note, no error.
  for (const std::string& few :
       {std::string("head,winner,loser\na,b,c\n"), std::string("head,winner,loser\na,b,c\nc,a,b\n"),
        "head,winner,loser\nsome,other,names\nx,y,z\nu,v,w\n" + answers}) {
    CAPTURE(few);
    const Observations file = parse(few, kOrder);
    CHECK(file.objects[0] == "head");
    REQUIRE(!file.notes.empty());
    CHECK(holds_all(file.notes[0], {"first line a header?", "'head', 'winner', 'loser'"}));
  }
}

TEST_CASE("names that mark missing values or differ only in case are kept, with a note") {
  const std::string head = "anchor,near,far\n";
  const auto noted = [&](const std::string& answers, const Names& parts) {
    const Observations file = parse(head + answers);
    for (const std::string& part : parts) {
      CAPTURE(part);
      CHECK(std::ranges::any_of(file.notes, [&](const std::string& note) { return note.find(part) != note.npos; }));
    }
    return file.objects.size();
  };
  for (const std::string name : {"NA", "n/a", "NaN", "null", "None", "-", "?", "\" \""})
    CHECK(noted("a,b," + name + "\n", {"missing value"}) == 3);
  CHECK(noted("a,NA,null\n", {"'NA', 'null' are objects"}) == 3);
  CHECK(noted("Latte,latte,tea\nTEA,\" latte\",tea\n",
              {"'Latte' and 'latte' (case)", "'tea' and 'TEA' (case)", "3 pairs"}) == 5);
  CHECK(parse(head + "Nadia,Nantes,b-\n").notes.empty());
  // An empty name is no name.
  refused(head + "a,\"\",c\n", "", "t.csv:2: ", {"'near' is empty"});
}

}  // namespace triplet_file_test
