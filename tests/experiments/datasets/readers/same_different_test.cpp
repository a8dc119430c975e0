// Judgements of pairs as same or different: what is counted, what is left out, and the times of answers.
#include "experiments/datasets/readers/same_different.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace same_different_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;

Observations read(const std::string& text, JudgedBy by = JudgedBy::answers) {
  return parse_same_different(text, "s.csv", by, MergeNames::automatic);
}

constexpr auto kText =
    "participant,trial,item1,item2,type,response,correct,rt\n"
    "p,1,ant,bee,different,different,1,200\n"
    "p,2,bee,ant,different,Same,0,900\n"
    "p,3,ant,ant,same,same,1,300\n"
    "p,4,ant,cod,different,different,1,100\n"
    "q,1,ant,bee,different,different,1,2000\n"
    "q,2,ant,cod,different,,1,800\n"
    "q,3,cod,ant,different,different,1,500\n";

TEST_CASE("shares of 'different' and numbers of answers, in either order; pairs that nobody judged weigh nothing") {
  const Observations out = read(kText);
  REQUIRE(out.objects == std::vector<std::string>{"ant", "bee", "cod"});
  REQUIRE(out.dissimilarities.size() == 1);
  const Dissimilarities& apart = out.dissimilarities.front();
  CHECK(apart.values(0, 1) == doctest::Approx(2.0 / 3));
  CHECK(apart.values(2, 0) == 1);
  CHECK(apart.weights(1, 0) == 3);
  CHECK(apart.weights(0, 2) == 2);
  CHECK(apart.weights(1, 2) == 0);
  REQUIRE(out.notes.size() == 5);
  CHECK(out.notes[0] == "3 columns were not read: trial, type, correct.");
  CHECK(holds_all(out.notes[1], {"1 row without an answer"}));
  CHECK(holds_all(out.notes[2], {"1 answer about a thing and itself"}));
  CHECK(holds_all(out.notes[3], {"'rt'", "dataset.0.by=times"}));
  CHECK(holds_all(out.notes[4], {"Each pair has the share of its answers that say 'different': "}));
}

TEST_CASE("an answer counts as much as its weight says") {
  const std::string header = "item1,item2,response,weight\n";
  const Dissimilarities apart =
      read(header + "a,b,same,3\nb,a,different,1\na,c,same,0.5\nb,c,same,0\n").dissimilarities.front();
  CHECK(apart.values(0, 1) == 0.25);
  CHECK(apart.weights(0, 1) == 4);
  CHECK(apart.weights(0, 2) == 0.5);
  CHECK(apart.weights(1, 2) == 0);
  // A row of so many answers, each of its weight; or of so many alone.
  const Observations many = read("item1,item2,response,count,weight\na,b,same,3,0.5\nb,a,different,1,2\n");
  CHECK(many.dissimilarities.front().values(0, 1) == 2 / 3.5);
  CHECK(many.dissimilarities.front().weights(0, 1) == 3.5);
  CHECK(holds_all(many.notes.back(), {"4 answers"}));
  CHECK(read("item1,item2,response,freq\na,b,same,3\nb,a,different,1\n").dissimilarities.front().weights(0, 1) == 4);
  for (const std::string weight : {"-1", "", "heavy", "nan", "inf", "1e200"})
    CHECK(holds_all(message_of<DataError>([&] { (void)read(header + "a,b,same,1\na,c,same," + weight + "\n"); }),
                    {"s.csv:3", "The weight must be a number in [0, 1e+100]"}));
}

TEST_CASE("times: the slower people tell a pair apart, whoever they are, the nearer it is") {
  const std::string text =
      std::string(kText) + "q,4,bee,cod,different,different,1,1000\np,5,bee,cod,different,same,0,1\n";
  const Matrix apart = read(text, JudgedBy::times).dissimilarities.front().values;
  // ln of the times of 'different': p 200 (ant bee), 100 (ant cod); q 2000, 500, 1000 (bee cod).
  const double p = std::log(20000.0) / 2, q = std::log(1e9) / 3;
  const double ant_bee = (std::log(200.0) - p + std::log(2000.0) - q) / 2,
               ant_cod = (std::log(100.0) - p + std::log(500.0) - q) / 2, bee_cod = std::log(1000.0) - q;
  CHECK(apart(0, 1) == 0);
  CHECK(apart(0, 2) == doctest::Approx(ant_bee - ant_cod));
  CHECK(apart(1, 2) == doctest::Approx(ant_bee - bee_cod));
  CHECK(
      holds_all(message_of<DataError>([] { return read(kText, JudgedBy::times); }), {"1 of 3 pairs", "response time"}));
}

TEST_CASE("times in which people agree more are better where they and the answers say the same of the pairs") {
  const auto study = [](bool alike) {
    std::string out = "participant,item1,item2,response,rt\n";
    for (int p = 0; p < 8; ++p)
      for (int a = 0; a < 7; ++a)
        for (int b = 0; b < a; ++b) {
          const int time = alike ? 900 - 100 * (a - b) : 100 + 90 * ((a * 5 + b * 3) % 7);
          out +=
              fmt::format("p{},w{},w{},{},{}\n", p, a, b, (a - b + (p + a) % 3) > 2 ? "different" : "same", time + p);
        }
    return join(read(out).notes, "\n");
  };
  CHECK(holds_all(study(true), {"People agree more in them", "The map by times is probably the better one."}));
  CHECK(holds_all(study(false), {"People agree more in them", "probably of something else: over the pairs"}));
}

TEST_CASE("yes and no, or 1 and 0, in a column that its name makes one of same or different") {
  const std::string rows = "ant,bee,{0}\nant,bee,{1}\nant,bee,{0}\nbee,cod,{1}\n";
  for (const auto& [column, different, same] :
       {std::tuple{"is_same", "FALSE", "TRUE"}, {"different", "1", "0"}, {"saidSame", "no", "yes"}})
    CHECK(read(fmt::format("item1,item2,{}\n", column) + fmt::format(fmt::runtime(rows), different, same))
              .dissimilarities.front()
              .values(0, 1) == doctest::Approx(2.0 / 3));
}

TEST_CASE("which column is the answer, and what is no such table") {
  const auto of = [](const std::string& text) { return same_different_columns(Table(RowReader(text, "s.csv", ','))); };
  CHECK(of("a,b,judgement\nx,y,S\ny,z,D\n")->answer == 2);
  CHECK(of("item1,item2,truth,response\nx,y,same,different\n")->answer == 3);
  CHECK_FALSE(of("item1,item2,truth,belief\nx,y,same,different\n"));  // which?
  CHECK_FALSE(of("item1,item2,rating\nx,y,4\n"));
  CHECK_FALSE(of("anchor,near,far\nx,y,z\n"));
  CHECK(holds_all(message_of<DataError>([] { return read("item1,item2,rating\nx,y,4\n"); }), {"s.csv:1", "response"}));
  CHECK(holds_all(message_of<DataError>([] { return read("item1,item2,response\nx,x,same\n"); }),
                  {"no answer about two"}));
  CHECK(holds_all(message_of<DataError>([] { return read("item1,item2,response\nx,,same\n"); }),
                  {"s.csv:2", "one thing"}));
  CHECK(holds_all(message_of<DataError>([] { return read("item1,item2,response\nx,y,same\n", JudgedBy::times); }),
                  {"rt"}));
}

}  // namespace
}  // namespace same_different_test
