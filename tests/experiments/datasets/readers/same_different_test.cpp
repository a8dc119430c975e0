// Judgements of pairs as same or different: what is counted, what is left out, and the times of answers.
#include "experiments/datasets/readers/same_different.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "problems/core/random.hpp"
#include "tests/support/text_holds.hpp"

namespace same_different_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;

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
    return join(parse_same_different(RowReader(out, "s.csv", ','), JudgedBy::answers).notes, "\n");
  };
  CHECK(holds_all(study(true),
                  {"Halves of the people agree more in them", "The map by times is probably the better one."}));
  CHECK(holds_all(study(false),
                  {"Halves of the people agree more in them", "probably of something else: over the pairs"}));
}

// Both fall with the distance; the map by answers was the better one in 8 of 12 such studies.
TEST_CASE("times that are a little surer than the answers do not make the better map") {
  Rng rng(3);
  constexpr std::size_t kThings = 12, kPeople = 20;
  std::vector<std::array<double, 2>> places(kThings);
  for (auto& place : places) place = {rng.normal(), rng.normal()};
  std::string out = "participant,item1,item2,response,rt\n";
  for (std::size_t p = 0; p < kPeople; ++p)
    for (std::size_t a = 0; a < kThings; ++a)
      for (std::size_t b = 0; b < kThings; ++b) {
        if (a == b) continue;
        const double apart = std::hypot(places[a][0] - places[b][0], places[a][1] - places[b][1]);
        const char* answer = rng.uniform01() < 0.02 + 0.96 * std::exp(-1.2 * apart) ? "same" : "different";
        const double noise = -40 * std::log(1 - rng.uniform01()) - 40 * std::log(1 - rng.uniform01());
        out += fmt::format("p{},w{},w{},{},{:.0f}\n", p, a, b, answer, 450 + 350 * std::exp(-1.5 * apart) + noise);
      }
  const std::string notes = join(parse_same_different(RowReader(out, "s.csv", ','), JudgedBy::answers).notes, "\n");
  CHECK(holds_all(notes, {"Halves of the people agree more in them", "better one cannot be told from that."}));
}

TEST_CASE("which column is the answer, and what is no such table") {
  const auto of = [](const std::string& text) { return same_different_columns(Table(RowReader(text, "s.csv", ','))); };
  CHECK(of("a,b,judgement\nx,y,S\ny,z,D\n")->answer == 2);
  CHECK(of("item1,item2,truth,response\nx,y,same,different\n")->answer == 3);
  CHECK_FALSE(of("item1,item2,truth,belief\nx,y,same,different\n"));  // which?
  CHECK_FALSE(of("item1,item2,rating\nx,y,4\n"));
  CHECK_FALSE(of("anchor,near,far\nx,y,z\n"));
}

}  // namespace
}  // namespace same_different_test
