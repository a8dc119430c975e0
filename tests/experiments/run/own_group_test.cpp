// People with a map of their own are a group; people who guess are not. Through the built command.
#include "experiments/run/answer_checks.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

#include "experiments/files/gzip_file.hpp"
#include "experiments/results/map_files.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace own_group_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

/// 80 answers of each person, one in twelve wrong, about a map of the many, or of the few; who guesses flips coins.
/// With `light`, so many more of each by coin, of weight 1e-9.
std::string study(int many, int few, int guessers, double wrong_of_all = 1.0 / 12, std::uint64_t seed = 31,
                  std::uint64_t light = 0) {
  Rng rng(seed);
  const Matrix of_many = gaussian_points(14, 2, rng), of_few = gaussian_points(14, 2, rng);
  std::string out = "participant,anchor,near,far,weight\n";
  const auto people = [&](const char* name, int count, const Matrix& points, double wrong) {
    for (int k = 0; k < count; ++k) {
      const auto add = [&](std::uint64_t number, double wrong_of_these, const char* weight) {
        triplets_of(points, number, wrong_of_these, rng).each([&](std::uint64_t, const Triplet& t) {
          out += fmt::format("{}{},o{},o{},o{},{}\n", name, k, t.anchor, t.near, t.far, weight);
        });
      };
      add(80, wrong, "1");
      add(light, 0.5, "1e-9");
    }
  };
  people("many", many, of_many, wrong_of_all);
  people("few", few, of_few, wrong_of_all);
  people("coin", guessers, of_many, 0.5);
  return out;
}

struct Verdicts {
  std::string out;
  int guessers = 0, wrongly_guessers = 0, grouped = 0, wrongly_grouped = 0;
};
Verdicts verdicts_of(const std::string& csv, const char* problem) {
  const ScratchFolder scratch{{"study.csv", csv}};
  Verdicts out;
  const Ended ended = run_well({"embed", "study.csv", "-p", problem, "-o", "map"}, scratch);
  out.out = ended.out;
  for (const auto& [estimate, errors] :
       parse_annotators_csv(read_bytes(scratch / "map" / "annotators.csv"), "annotators.csv")) {
    if (estimate.likely_guesser) ++(errors.name.starts_with("coin") ? out.guessers : out.wrongly_guessers);
    if (estimate.group > 0)
      ++(errors.name.starts_with(estimate.group == 1 ? "many" : "few") ? out.grouped : out.wrongly_grouped);
  }
  return out;
}

}  // namespace

TEST_CASE("people who agree with each other and not with the rest are a group, and guessers beside them guess") {
  const Verdicts is = verdicts_of(study(14, 8, 5), "ste_annotators");
  CAPTURE(is.out);
  CHECK(is.grouped >= 21);
  CHECK(is.wrongly_grouped == 0);
  CHECK(is.guessers == 5);
  CHECK(is.wrongly_guessers == 0);
  CHECK(holds_all(is.out, {"The 27 annotators are 2 groups who agree with each other, and not with the other ones: "
                           "group 1, 14 (many0, many1, ",
                           "; group 2, 8 (few0, ", "% of the answers do not follow it, by annotator."}));
}

TEST_CASE("two halves are two groups in which nobody guesses, and each gets a map without a script") {
  const ScratchFolder scratch{{"study.csv", study(14, 12, 0, 0.15)}};
  const Ended mixed = run_well("embed study.csv -p ste_annotators -o mixed", scratch);
  CHECK(holds_all(mixed.out, {"The 26 annotators are 2 groups", "group 1, 14 (many0, ", "group 2, 12 (few0, "}));
  CHECK(holds_none(mixed.out, {"guesser"}));
  CHECK(holds_all(run_well("cite mixed", scratch).out, {"are 2 groups who agree with each other", "14 (many0, "}));
  const Ended apart = run_well("embed study.csv --groups mixed/annotators.csv -p common_space -o apart", scratch);
  CHECK(holds_all(apart.out, {"Do 1 and 2 see the objects alike?"}));
  CHECK(std::filesystem::exists(scratch / "apart" / "embedding.2.csv"));
  write_text(scratch / "of_some.csv", "annotator,group\nmany0,adults\nmany1,adults\nfew0,children\n");
  const Ended some = run_well("embed study.csv --groups of_some.csv -p common_space -o some", scratch);
  CHECK(holds_all(some.out, {"1840 of 2080 rows were left out, of annotators in no group."}));
  write_text(scratch / "of_none.csv", "annotator,group\nnobody,adults\n");
  CHECK(run_command("embed study.csv --groups of_none.csv", scratch).err.find("in a group of") != std::string::npos);
}

TEST_CASE("a group is found by a method that estimates nothing of annotators, also beside answers of no weight") {
  for (const std::uint64_t light : {0, 320}) {
    const Verdicts is = verdicts_of(study(14, 8, 0, 1.0 / 12, 31, light), "ste");
    CAPTURE(is.out);
    CHECK(is.grouped >= 21);
    CHECK(is.wrongly_grouped == 0);
    CHECK(is.wrongly_guessers == 0);
  }
}

TEST_CASE("the verdict on guessers does not hang on the method of the map, nor on few held-out answers") {
  for (const char* problem : {"ste", "soe", "tste"}) {
    const Verdicts is = verdicts_of(study(14, 0, 3), problem);
    CAPTURE(is.out);
    CHECK(is.guessers == 3);
    CHECK(is.wrongly_guessers == 0);
    CHECK(holds_all(is.out, {"3 of 17 annotators are likely guessers: coin"}));
  }
  Rng rng(8);
  const Matrix points = gaussian_points(14, 2, rng);
  std::string csv = "participant,anchor,near,far\n";
  for (int person = 0; person < 40; ++person) {
    const TripletList answers = triplets_of(points, 50, 0.2, rng);
    for (std::uint64_t i = 0; i < answers.size(); ++i)
      csv += fmt::format("p{},o{},o{},o{}\n", person, answers.at(i).anchor, answers.at(i).near, answers.at(i).far);
  }
  const ScratchFolder scratch{{"honest.csv", csv}};
  const Ended ended = run_well("embed honest.csv -p ste -o map", scratch);
  const std::string page = read_bytes(scratch / "map" / "report.html");
  for (const std::string& text : {ended.out, page})
    CHECK(holds_none(text, {"likely guessers:", "is a likely guesser", "to guess:"}));
}

TEST_SUITE("statistical") {
  TEST_CASE("nobody of a group is called a guesser, and guessers are") {
    constexpr int kStudies = 24;
    // The table of experiments/pages/answers.md.
    fmt::print(
        "| people of either map | guessers | studies with groups | in the wrong group | called guessers | "
        "guessers named |\n|---|---|---|---|---|---|\n");
    for (const auto& [many, few, coins] : {std::tuple{22, 18, 0}, {31, 9, 0}, {24, 12, 4}, {40, 0, 0}, {36, 0, 4}}) {
      Verdicts sum;
      int found = 0;
      for (std::uint64_t seed = 100; seed < 100 + kStudies; ++seed) {
        const Verdicts one = verdicts_of(study(many, few, coins, 0.2, seed), "ste");
        found += one.grouped > 0 ? 1 : 0;
        sum.guessers += one.guessers, sum.wrongly_guessers += one.wrongly_guessers;
        sum.grouped += one.grouped, sum.wrongly_grouped += one.wrongly_grouped;
      }
      fmt::print("| {} and {} | {} | {} of {} | {} | {} of {} | {} of {} |\n", many, few, coins, found, kStudies,
                 sum.wrongly_grouped, sum.wrongly_guessers, (many + few) * kStudies, sum.guessers, coins * kStudies);
      CHECK(sum.wrongly_guessers <= 0.01 * (many + few) * kStudies);
      CHECK(sum.guessers >= 0.8 * coins * kStudies);
      CHECK((few > 0 ? found >= 20 : found <= 1));
    }
  }
}

TEST_CASE("guessers alone are no group") {
  const Verdicts is = verdicts_of(study(14, 0, 10), "ste_annotators");
  CAPTURE(is.out);
  CHECK(is.grouped + is.wrongly_grouped == 0);
  CHECK(is.guessers == 10);
  CHECK(is.out.find("agree with each other") == std::string::npos);
}

TEST_CASE("people who nearly always choose one side are named with it, and are no group where sides are fixed") {
  Rng rng(5);
  const Matrix points = gaussian_points(14, 2, rng);
  const TripletList questions = triplets_of(points, 120, 0, rng);  // asked of all, each with its sides
  std::vector<bool> near_left;
  for (std::uint64_t q = 0; q < questions.size(); ++q) near_left.push_back(rng.uniform01() < 0.5);
  std::string csv = "participant,group,reference,left,right,response\n";
  for (int person = 0; person < 14; ++person)
    for (std::uint64_t q = 0; q < questions.size(); ++q) {
      const Triplet t = questions.at(q);
      const bool left = person < 4 ? rng.uniform01() < 0.97 : near_left[q] == (rng.uniform01() < 0.9);
      csv += fmt::format("{}{},g{},o{},o{},o{},{}\n", person < 4 ? "presses" : "answers", person, person % 2, t.anchor,
                         near_left[q] ? t.near : t.far, near_left[q] ? t.far : t.near, left ? "left" : "right");
    }
  const ScratchFolder scratch{{"sides.csv", csv}};
  const Ended ended = run_well("embed sides.csv -p ste_annotators -o map", scratch);
  CHECK(
      holds_all(ended.out, {"4 of 14 annotators nearly always choose one side, whatever was asked: presses0 (left in 9",
                            "by chance has p < 0.0001 (binomial test, for all annotators together)"}));
  CHECK(ended.out.find("agree with each other") == std::string::npos);
  const std::string advice =
      "Does 'group' say which group of people answered? For a map of each group: --answers two_choice --columns ";
  const std::size_t at = ended.out.find(advice);
  REQUIRE(at != std::string::npos);
  const std::string columns =
      ended.out.substr(at + advice.size(), ended.out.find(' ', at + advice.size()) - at - advice.size());
  const Ended apart = run_well({"embed", "sides.csv", "--answers", "two_choice", "--columns", columns, "--problem",
                                "common_space", "-o", "apart"},
                               scratch);
  CHECK(holds_all(apart.out, {"annotators"}));
  // A file that puts the chosen object first says nothing of sides.
  std::string ordered = "participant,reference,left,right,response\n";
  for (int person = 0; person < 5; ++person)
    for (std::uint64_t q = 0; q < 40; ++q)
      ordered += fmt::format("p{},o{},o{},o{},left\n", person, questions.at(q).anchor, questions.at(q).near,
                             questions.at(q).far);
  write_text(scratch / "ordered.csv", ordered);
  const Ended plain = run_well("embed ordered.csv -p ste -o plain", scratch);
  CHECK(plain.out.find("one side") == std::string::npos);
  CHECK(holds_all(plain.out, {"All annotators together chose left in 100 % of their answers."}));
  // Four of five press left at times only, or most of them always.
  for (const int pressing : {4, 10}) {
    std::string some = "participant,reference,left,right,response\n";
    for (int person = 0; person < 14; ++person)
      for (std::uint64_t q = 0; q < 100; ++q) {
        const Triplet t = questions.at(q);
        const bool left = person < pressing ? rng.uniform01() < (pressing == 4 ? 0.8 : 1) : near_left[q];
        some += fmt::format("p{},o{},o{},o{},{}\n", person, t.anchor, near_left[q] ? t.near : t.far,
                            near_left[q] ? t.far : t.near, left ? "left" : "right");
      }
    write_text(scratch / "some.csv", some);
    const Ended named = run_command("embed some.csv -p ste --force", scratch);
    CAPTURE(named.out);
    CHECK(named.out.find(fmt::format("{} of 14 annotators {} choose one side", pressing,
                                     pressing == 4 ? "too often" : "nearly always")) != std::string::npos);
  }
}

}  // namespace own_group_test
