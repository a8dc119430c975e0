// The command `alidade ask` as its users meet it: the questions, what it says of them, and what it refuses.
// Answers are those of points in the plane, in a file of their own.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "problems/asking/sampler.hpp"
#include "problems/core/text.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/refused_commands.hpp"
#include "tests/support/text_holds.hpp"

namespace ask_command_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

using Row = std::vector<std::string>;

std::string answers_about(Index n, std::uint64_t count, const std::string& header = "anchor,near,far\n") {
  Rng rng(41);
  const TripletList list = triplets_of(gaussian_points(n, 2, rng), count, 0.05, rng);
  std::string out = header;
  for (std::uint64_t t = 0; t < list.size(); ++t) {
    const Triplet one = list.at(t);
    out += fmt::format("o{},o{},o{}\n", one.anchor, one.near, one.far);
  }
  return out;
}

/// The cells of a CSV without quotes.
std::vector<Row> rows_of(const std::string& csv) {
  std::vector<Row> out;
  for (const std::string& line : lines_of(csv)) {
    Row row(1);
    for (const char c : line)
      if (c == ',')
        row.emplace_back();
      else
        row.back() += c;
    out.push_back(std::move(row));
  }
  return out;
}

/// Checks the form of the questions, and returns them without their head.
std::vector<Row> questions_in(const std::string& csv, std::size_t count) {
  std::vector<Row> rows = rows_of(csv);
  REQUIRE(rows.size() == count + 1);
  CHECK(rows.front() == Row{"anchor", "left", "right", "kind", "information"});
  rows.erase(rows.begin());
  std::set<std::string> different;
  for (const Row& row : rows) {
    REQUIRE(row.size() == 5);
    CHECK(row[0] != row[1]);
    CHECK(row[0] != row[2]);
    CHECK(row[1] != row[2]);
    CHECK((row[3] == "random" || row[3] == "chosen"));
    different.insert(row[0] + " " + std::min(row[1], row[2]) + " " + std::max(row[1], row[2]));
  }
  CHECK(different.size() == count);
  return rows;
}

std::ptrdiff_t chosen_in(const std::vector<Row>& rows) {
  return std::ranges::count_if(rows, [](const Row& row) { return row[3] == "chosen"; });
}

}  // namespace

TEST_CASE("ask writes questions that have no answer yet, a fifth of them random") {
  const ScratchFolder folder{{"answers.csv", answers_about(25, 500)}};
  const Ended ended = run_quietly("ask answers.csv --count 30 -o questions.csv", folder);
  CHECK(
      holds_all(ended.out, {"500 answers about 25 objects, 20.0 per object", "24 chosen by information_gain, 6 random",
                            "bits per chosen question", "kind random alone", "Wrote questions.csv", "Next: "}));
  const auto rows = questions_in(content_of(folder / "questions.csv"), 30);
  CHECK(chosen_in(rows) == 24);
  const std::string answers = content_of(folder / "answers.csv");
  double chosen = 0, random = 0;
  for (const Row& row : rows) {
    CHECK(answers.find(row[0] + "," + row[1] + "," + row[2] + "\n") == std::string::npos);
    CHECK(answers.find(row[0] + "," + row[2] + "," + row[1] + "\n") == std::string::npos);
    const double bits = parse_double(row[4]).value_or(-1);
    CHECK(bits >= 0);
    CHECK(bits <= 1);
    (row[3] == "chosen" ? chosen : random) += bits;
  }
  CHECK(chosen / 24 > random / 6);
  CHECK_FALSE(std::ranges::is_partitioned(rows, [](const Row& row) { return row[3] == "random"; }));
}

TEST_CASE("the same seed asks the same questions, whatever the number of threads, for every sampler") {
  const ScratchFolder folder{{"answers.csv", answers_about(25, 500)}};
  std::set<std::string> different;
  for (const std::string& strategy : asking::sampler_catalog().names()) {
    CAPTURE(strategy);
    const auto asked = [&](const char* threads, const char* seed) {
      const Ended ended =
          run_well({"ask", "answers.csv", "--strategy", strategy, "--threads", threads, "--seed", seed}, folder);
      static_cast<void>(questions_in(ended.out, 50));
      return ended.out;
    };
    const std::string once = asked("1", "0");
    CHECK(asked("1", "0") == once);
    CHECK(asked("3", "0") == once);
    CHECK(asked("1", "1") != once);
    different.insert(once);
  }
  CHECK(different.size() == asking::sampler_catalog().names().size());
}

TEST_CASE("after more answers other random questions are asked") {
  const ScratchFolder folder;
  const std::string all = answers_about(25, 500);
  write_text(folder / "more.csv", all);
  write_text(folder / "few.csv", all.substr(0, all.rfind('\n', all.size() - 2) + 1));
  const Ended few = run_command("ask few.csv --strategy random", folder);
  const Ended more = run_command("ask more.csv --strategy random", folder);
  std::set<Row> common;
  const auto a = questions_in(few.out, 50), b = questions_in(more.out, 50);
  for (const Row& row : a)
    if (std::ranges::find(b, row) != b.end()) common.insert(row);
  CHECK(common.size() < 10);
}

TEST_CASE("the first questions need only a list of objects") {
  const ScratchFolder folder{{"names.csv", "name\ntea\ncoffee\ncocoa\nwater\nmilk\n"}};
  const Ended ended = run_well("ask --objects names.csv --count 30", folder);
  const auto rows = questions_in(ended.out, 30);  // all there are
  CHECK(chosen_in(rows) == 0);
  for (const Row& row : rows) CHECK(row[4].empty());
  CHECK(holds_all(ended.err, {"0 answers about 5 objects", "All questions are random until there are 2 answers per"}));
  const Ended balanced = run_command("ask --objects names.csv --count 5 --strategy balanced --random-share 0", folder);
  std::map<std::string, int> uses;
  for (const Row& row : questions_in(balanced.out, 5))
    for (const std::string& name : {row[0], row[1], row[2]}) ++uses[name];
  CHECK(uses.size() == 5);
  for (const auto& [name, count] : uses) CHECK(count == 3);
}

TEST_CASE("objects without answers are asked about, and named") {
  const ScratchFolder folder{{"answers.csv", answers_about(12, 300)}};
  std::string names = "name,label\n";
  for (int i = 0; i < 14; ++i) names += fmt::format("o{},x\n", i);
  write_text(folder / "names.csv", names);
  const Ended ended = run_well("ask answers.csv --objects names.csv --random-share 0 --count 20", folder);
  CHECK(holds_all(ended.err, {"300 answers about 12 objects, 25.0 per object; none about 2 other objects.",
                              "2 of 14 listed objects occur in no triplet: o12, o13."}));
  std::map<std::string, int> uses;
  for (const Row& row : questions_in(ended.out, 20))
    for (const std::string& name : {row[0], row[1], row[2]}) ++uses[name];
  CHECK(uses["o12"] >= 1);
  CHECK(uses["o13"] >= 1);
}

TEST_CASE("few answers are said to be few, contradictory ones to be explained by no map") {
  const ScratchFolder folder{{"early.csv", answers_about(25, 100)}};
  CHECK(holds_all(run_command("ask early.csv", folder).err,
                  {"Below about 10 answers per object, chosen questions tell little more"}));
  std::string both = "anchor,near,far\n";
  for (int i = 0; i < 200; ++i) {
    const int a = i % 8, b = (a + 1 + i / 8 % 3) % 8, c = (a + 4 + i / 24 % 4) % 8;
    both += fmt::format("o{0},o{1},o{2}\no{0},o{2},o{1}\n", a, b, c);
  }
  write_text(folder / "both.csv", both);
  const Ended ended = run_well("ask both.csv --count 20", folder);
  CHECK(chosen_in(questions_in(ended.out, 20)) == 0);
  CHECK(holds_all(ended.err, {"No map explains such answers, so all questions are random"}));
}

TEST_CASE("ask reads other kinds of answers, files without a header, and one aspect of several") {
  const ScratchFolder folder;
  std::string odd = "odd,first,second\n", bare;
  Rng rng(3);
  for (const std::string& line : lines_of(answers_about(10, 80, ""))) {
    bare += line + "\n";
    odd += line.substr(line.rfind(',') + 1) + "," + line.substr(0, line.rfind(',')) + "\n";
  }
  write_text(folder / "odd.csv", odd);
  const Ended of_odd = run_well("ask odd.csv --answers odd_one_out --count 10", folder);
  CHECK(holds_all(of_odd.err, {"80 answers about 10 objects", "imply 160 triplets"}));
  CHECK(
      holds_all(run_command("ask odd.csv --answers odd_one_out -o q.csv", folder).out, {"Their answers are triplets"}));
  write_text(folder / "bare.csv", bare);
  run_well("ask bare.csv --order anchor,near,far --count 10", folder);

  std::string aspects = "anchor,near,far,aspect\n";
  int i = 0;
  for (const std::string& line : lines_of(bare)) aspects += line + (++i % 4 == 0 ? ",taste\n" : ",price\n");
  write_text(folder / "aspects.csv", aspects);
  check_refused({"ask", "aspects.csv"}, folder, {"2 aspects", "--aspect"});
  check_refused({"ask", "aspects.csv", "--aspect", "tast"}, folder, {"no aspect 'tast'", "taste"});
  const Ended taste = run_well("ask aspects.csv --aspect taste --count 10", folder);
  CHECK(holds_all(taste.err, {"20 answers about 10 objects"}));
}

TEST_CASE("ask reads a header with other names, as embed does") {
  const ScratchFolder scratch{{"a.csv", answers_about(12, 300)},
                              {"b.csv", answers_about(12, 300, "who,like,unlike\n")}};
  const Ended plain = run_command("ask a.csv --count 5", scratch);
  const Ended named = run_command("ask b.csv --count 5 --columns who,like,unlike", scratch);
  CHECK(plain.status == 0);
  CAPTURE(named.err);
  CHECK(named.status == 0);
  CHECK(named.out == plain.out);
  CHECK(run_command("ask b.csv --count 5", scratch).status == 2);
}

TEST_CASE("names with commas and quotes survive") {
  const ScratchFolder folder{{"names.csv", "\"Paris, Texas\"\n\"the \"\"best\"\"\"\ntea\n"}};
  const Ended ended = run_well("ask --objects names.csv --count 3", folder);
  CHECK(holds_all(ended.out, {"\"Paris, Texas\"", "\"the \"\"best\"\"\"", "tea"}));
}

TEST_CASE("ask refuses what it cannot do, with what to do, and keeps what is there") {
  const ScratchFolder at{{"answers.csv", answers_about(9, 60)},
                         {"names.csv", "o0\no1\no2\n"},
                         {"two.csv", "tea\ncoffee\n"},
                         {"twice.csv", "tea\ncoffee\ntea\n"},
                         {"empty.csv", ""},
                         {"head.csv", "anchor,near,far\n"},
                         {"same.csv", "anchor,near,far\na,b,c\na,a,c\n"},
                         {"questions.csv", "mine\n"}};
  check_refused({"ask"}, at, {"no answers and no objects", "--objects"});
  check_refused({"ask", "none.csv"}, at, {"none.csv"});
  check_refused({"ask", "empty.csv"}, at, {"empty.csv"});
  check_refused({"ask", "head.csv"}, at, {"head.csv", "no rows"});
  check_refused({"ask", "same.csv"}, at, {"same.csv:3: "});
  check_refused({"ask", "answers.csv", "--objects", "names.csv"}, at, {"answers.csv:2: ", "not among the 3 listed"});
  check_refused({"ask", "answers.csv", "--objects", "twice.csv"}, at, {"twice.csv:3: ", "second time"});
  check_refused({"ask", "--objects", "two.csv"}, at, {"three objects", "only 2"});
  check_refused({"ask", "--objects", "names.csv", "--count", "4"}, at, {"3 objects make 3 questions", "--count"});
  check_refused({"ask", "answers.csv", "--count", "250"}, at, {"9 objects make 252 questions", "Lower --count"});
  check_refused({"ask", "answers.csv", "--count", "0"}, at, {"--count must be at least 1"});
  check_refused({"ask", "answers.csv", "--count", "20000"}, at, {"--strategy random"});
  check_refused({"ask", "answers.csv", "--count", "many"}, at, {"--count"});
  check_refused({"ask", "answers.csv", "--strategy", "entropy"}, at, {"no strategy 'entropy'"});
  check_refused({"ask", "answers.csv", "--option", "grid=9"}, at, {"grid"});
  check_refused({"ask", "answers.csv", "--option", "grid"}, at, {"NAME=VALUE"});
  check_refused({"ask", "answers.csv", "--strategy", "anchor_posterior", "-d", "4"}, at, {"too many places"});
  check_refused({"ask", "answers.csv", "--random-share", "1.5"}, at, {"--random-share must be in [0, 1]"});
  check_refused({"ask", "answers.csv", "--first", "-1"}, at, {"--first"});
  check_refused({"ask", "answers.csv", "--maps", "1"}, at, {"--maps"});
  check_refused({"ask", "answers.csv", "-d", "0"}, at, {"--n-components"});
  check_refused({"ask", "answers.csv", "--threads", "0"}, at, {"--threads"});
  check_refused({"ask", "answers.csv", "--answers", "words"}, at, {"words"});
  check_refused({"ask", "--objects", "names.csv", "--aspect", "taste"}, at, {"--aspect"});
  check_refused({"ask", "answers.csv", "-o", "questions.csv"}, at, {"exists already", "--force"});
  check_refused({"ask", "answers.csv", "-o", "nowhere/questions.csv"}, at, {"nowhere"});
  run_well("ask answers.csv --count 5 -o questions.csv --force", at);
  static_cast<void>(questions_in(content_of(at / "questions.csv"), 5));
}

TEST_CASE("list shows the samplers and one in detail") {
  const std::string all = run_command("list samplers").out;
  for (const std::string& name : asking::sampler_catalog().names()) CHECK(all.find("  " + name) != std::string::npos);
  CHECK(
      holds_all(run_command("list samplers anchor_posterior").out, {"Score: ", "Tamuz", "Needs: a map", "grid = 15"}));
  CHECK(run_command({"list"}).out.find("information_gain") != std::string::npos);
}

}  // namespace ask_command_test
