#include <doctest/doctest.h>
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "experiments/results/map_files.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/refused_commands.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace embed_input_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

const std::string kAlidade = "'" + std::string(alidade_command()) + "'";

/// Trials of six people about points on a line, as an export of an experiment has them, and the same as triplets.
struct Desk {
  Desk() {
    Rng rng(8);
    std::string trials = "participant,trial,stim1,stim2,stim3,response,rt\n", triplets = "anchor,near,far\n";
    for (int i = 0; i < 300; ++i) {
      const auto a = static_cast<int>(rng.below(8)), b = (a + 1 + static_cast<int>(rng.below(3))) % 8, c = (b + 3) % 8;
      if (a == c) continue;
      const bool left = std::abs(a - b) < std::abs(a - c);
      trials += fmt::format("w{},{},s{},s{},s{},{},0.4\n", i % 6, i, a, b, c, left ? "left" : "right");
      triplets += fmt::format("s{},s{},s{}\n", a, left ? b : c, left ? c : b);
    }
    write_text(path / "trials.csv", trials);
    write_text(path / "triplets.csv", triplets);
  }
  ScratchFolder path;
};

}  // namespace

TEST_CASE("embed reads an export by the names of its columns, to the map of its triplets") {
  const Desk desk;
  const std::string columns = "stim1,stim2,stim3,response";
  run_well("embed triplets.csv -p ste", desk.path);
  const Ended ended =
      run_well({"embed", "trials.csv", "-p", "ste", "--columns", columns, "--bootstrap", "4"}, desk.path);
  const auto names = [&](const char* map) { return read_map_csv(desk.path / map / "embedding.csv").objects.size(); };
  CHECK(names("trials_map") == names("triplets_map"));
  CHECK(number_field(read_rows(desk.path / "trials_map").front(), "triplets") ==
        number_field(read_rows(desk.path / "triplets_map").front(), "triplets"));
  CHECK(holds_all(ended.out, {"3 columns were not read: participant, trial, rt.", "resampled triplets",
                              "--columns annotator=participant"}));
  const Ended people = run_well({"embed", "trials.csv", "-p", "ste", "--columns", columns + ",annotator=participant",
                                 "--bootstrap", "4", "--force"},
                                desk.path);
  CHECK(holds_all(people.out, {"resampled annotators"}));
  check_refused({"embed", "trials.csv", "--columns", "stim1,stim2,stim9"}, desk.path, {"no column 'stim9'", "'stim"});
  check_refused({"embed", "trials.csv", "--columns", columns, "--order", "anchor,near,far"}, desk.path, {"--order"});
  check_refused({"embed", "--features", "trials.csv", "--columns", "a"}, desk.path, {"--columns needs answers"});
}

TEST_CASE("embed prints what was estimated along with a map") {
  const Desk desk;
  const Ended ended = run_well("embed triplets.csv -p ste_lapse", desk.path);
  CHECK(holds_all(ended.out, {"Estimated with the map: ", " % of the answers are guesses (lapse rate)."}));
}

TEST_CASE("embed says where whole weights were taken for numbers of answers") {
  const Desk desk;
  std::string answers = "anchor,near,far,weight\n";
  for (int a = 0; a < 12; ++a)
    for (int k = 1; k < 4; ++k) {
      const int b = (a + k) % 12, c = (a + k + 3) % 12;
      answers += fmt::format("s{},s{},s{},{}\ns{},s{},s{},1\n", a, b, c, 4 + k, a, c, b);
    }
  write_text(desk.path / "sure.csv", answers);
  const Ended ended = run_command("embed sure.csv -p ste", desk.path);
  const std::string said = "36 repeated questions, where a weight is taken for a number of answers";
  CHECK(ended.out.find(said) != std::string::npos);
  CHECK(content_of(desk.path / "sure_map/report.html").find(said) != std::string::npos);
  CHECK(holds(run_well("curve sure.csv", desk.path).out, "), where a weight is taken for a number of answers.\n"));
}

TEST_CASE("embed tells which annotators guess, on the terminal, in a file and on the page") {
  const Desk desk;
  Rng rng(9);
  std::string answers = "anchor,near,far,annotator\n";
  for (int i = 0; i < 1200; ++i) {
    const auto a = static_cast<int>(rng.below(8)), b = (a + 1 + static_cast<int>(rng.below(3))) % 8, c = (b + 3) % 8;
    if (a == c) continue;
    const int who = i % 6;
    bool left = std::abs(a - b) < std::abs(a - c);
    if (who == 2) left = rng.uniform01() < 0.5;
    if (who == 3) left = !left;
    answers += fmt::format("s{},s{},s{},{}\n", a, left ? b : c, left ? c : b,
                           who == 2 ? "\"Guess, <er>\"" : fmt::format("w{}", who));
  }
  write_text(desk.path / "people.csv", answers);
  const Ended ended = run_well("embed people.csv -p ste_annotators --bootstrap 3", desk.path);
  CHECK(holds_all(ended.out, {"% of the answers are guesses, by annotator.", "1 of 6 annotators is a likely guesser: ",
                              "Guess, <er> (", "1 annotator answers the other way round", "w3 (the map satisfies",
                              "Repeated questions: two answers differ in", "Annotators: people_map/annotators.csv"}));
  const auto estimates = [&] {
    return parse_annotators_csv(content_of(desk.path / "people_map/annotators.csv"), "annotators.csv");
  };
  REQUIRE(estimates().size() == 6);
  for (const auto& [one, errors] : estimates()) {
    CAPTURE(one.name);
    // Guess rates are 0.97 and 0.995 of these two and 1e-6 of the others; who answers the other way round does not guess.
    CHECK(one.likely_guesser == (one.name == "Guess, <er>"));
    CHECK(one.reversed == (one.name == "w3"));
  }
  const std::string page = content_of(desk.path / "people_map/report.html");
  CHECK(
      holds_all(page, {"<section id=\"annotators\">", "Guess, &lt;er&gt;", "likely guesser", "Least possible error"}));
  run_well("verify people_map", desk.path);
  CHECK(ended.out.find("where a weight") == std::string::npos);

  const Ended again = run_well("embed people.csv -p ste --force -o people_map", desk.path);
  // This method estimates nothing about them: ste_annotators does.
  CHECK(holds_all(again.out, {"1 of 6 annotators is a likely guesser: "}));
  CHECK(estimates()[0].estimate.agreement > 0);
  CHECK(holds_all(content_of(desk.path / "people_map/report.html"),
                  {"<section id=\"annotators\">", "Held-out error: share of an annotator"}));
  check_refused({"embed", "triplets.csv", "-p", "soe_annotators"}, desk.path,
                {"soe_annotators needs to know who gave each answer", "--columns annotator=NAME"});
}

TEST_CASE("a map of card sorting is judged by people who were held out") {
  const Desk desk;
  alidade::Rng rng(13);
  const auto sorting = [&](int people) {
    std::string out = "participant,card,pile\n";
    for (int person = 0; person < people; ++person)
      for (int card = 0; card < 12; ++card)
        out += fmt::format("P{},card{},pile{}\n", person, card, rng.uniform01() < 0.15 ? rng.below(4) : card / 3);
    return out;
  };
  write_text(desk.path / "cards.csv", sorting(20));
  const Ended map = run_well("embed --clusterings cards.csv -o map", desk.path);
  CHECK(holds_all(map.out,
                  {"triplets by 20 annotators, by ste", "Held-out error 0.",
                   "measured with maps that were fitted to other people", "Highest held-out errors of annotators",
                   "The piles have 4 groups in common: card0, card1, card2; card3, card4, card5; card6, "}));
  CHECK(map.out.find("aspect") == std::string::npos);  // a person is no aspect
  const ValueTable row = alidade::read_rows(desk.path / "map").front();
  CHECK(alidade::text_field(row, "heldout.unit") == "annotators");
  CHECK(alidade::text_field(row, "heldout.independent") == "20");
  CHECK(holds_all(run_command("cite map", desk.path).out,
                  {"triplets implied by objects sorted into piles by 20 annotators)",
                   "each of 20 people was held out once", "in clusters, the 20 annotators)"}));
  const Ended half = run_command("embed --clusterings cards.csv -o half --holdout 0.5 --bootstrap 5", desk.path);
  CAPTURE(half.out + half.err);
  CHECK(holds_all(half.out, {"each from resampled annotators"}));
  CHECK(alidade::number_field(alidade::read_rows(desk.path / "half").front(), "heldout.independent").value_or(0) > 8);
  std::string kinds = "name,label\n";
  for (int card = 0; card < 12; ++card) kinds += fmt::format("card{},{}\n", card, card < 6 ? "early" : "late");
  write_text(desk.path / "kinds.csv", kinds);
  run_well("embed --clusterings cards.csv --labels kinds.csv -o kinds", desk.path);
  CHECK(holds_all(content_of(desk.path / "kinds/embedding.csv"), {"card5,early", "card6,late"}));
  CHECK(holds_all(run_well("embed --clusterings cards.csv -d auto -o axes", desk.path).out,
                  {"12 objects in 3 dimensions from", "validation error"}));
  write_text(desk.path / "few.csv", sorting(2));
  CHECK(holds_all(run_command("embed --clusterings few.csv", desk.path).out,
                  {"No triplets were held out", "too few people to hold any out"}));
}

TEST_CASE("ratings of pairs name who rates the other way round or by chance, who can be left out, and cite says so") {
  const Desk desk;
  alidade::Rng rng(17);
  std::string ratings = "participant,item1,item2,rating\n";
  for (int person = 0; person < 8; ++person)
    for (int a = 0; a < 9; ++a)
      for (int b = 0; b < a; ++b) {
        const double near = 7.0 - (a - b) * 0.7 + rng.uniform01();
        const double rating = person == 2 ? 8 - near : person == 5 ? 1 + 6 * rng.uniform01() : person == 7 ? 4 : near;
        ratings += fmt::format("p{},thing{},thing{},{}\n", person, a, b,
                               person == 0 && a == 1 ? std::string("NA") : fmt::format("{:.1f}", rating));
      }
  write_text(desk.path / "ratings.csv", ratings);
  const Ended map = run_well("embed --distances ratings.csv --similarities -o map", desk.path);
  CHECK(holds_all(map.out, {"Each pair has the mean of its ratings by 8 people.",
                            "1 judges the other way round: p2 (-0.", "1 agrees no more than by chance: p5 (",
                            "1 gave one rating to all pairs: p7.", "7 of 8 judged maps of the others.",
                            "Not judged: p7, who orders no two pairs with an object in common.",
                            "They are in the mean.", "--where 'participant!=NAME'", "1 missing rating was left out."}));
  CHECK(holds_all(run_command("cite map", desk.path).out,
                  {"Each pair has the mean of its ratings by 8 people.", "Similarities were turned into distances",
                   "1 missing rating was left out.", "whether the 4 nearest neighbours on the map"}));
  const Ended without = run_command(
      "embed --distances ratings.csv --similarities --where participant!=p2 --where participant!=p5 --where "
      "participant!=p7 -o rest",
      desk.path);
  CAPTURE(without.out + without.err);
  CHECK(holds_all(without.out, {"its ratings by 5 people.", "108 of 288 rows do not meet"}));
  CHECK(without.out.find("They are in the mean") == std::string::npos);
  check_refused({"embed", "--distances", "ratings.csv", "--similarities", "--where", "participant=nobody"}, desk.path,
                {"nobody"});
  // The things lie on a line.
  CHECK(holds_all(
      run_well("embed --distances ratings.csv --similarities -d auto --bootstrap 5 -o line -p nonmetric_mds", desk.path)
          .out,
      {"9 objects in 1 dimension from", "Chosen by validation", "each from resampled annotators"}));
  CHECK(holds_all(run_well("embed --distances ratings.csv --similarities -d best -o best", desk.path).out,
                  {"nerv draws neighbours, not distances", "-p nonmetric_mds"}));
  check_refused({"embed", "--distances", "ratings.csv", "--similarities", "--where", "participant=p1", "-d", "auto"},
                desk.path, {"too few people to hold any out", "--n-components 2"});
}

TEST_CASE("people who order few pairs, or none, are no reason to refuse ratings") {
  const Desk desk;
  alidade::Rng rng(3);
  std::string fine = "participant,item1,item2,rating\n", constant = fine;
  for (int person = 0; person < 6; ++person)
    for (int a = 0; a < 9; ++a)
      for (int b = 0; b < a; ++b) {
        const double apart = a - b + rng.uniform01();
        fine += fmt::format("p{},t{},t{},{:.1f}\n", person, a, b, person == 0 ? apart : a == 8 && b == 0 ? 2.0 : 1.0);
        constant += fmt::format("p{},t{},t{},{:.1f}\n", person, a, b, person == 0 ? apart : 0.1);
        if (person < 3 && b % 2 == 0) constant += fmt::format("p{},t{},t{},0.1\n", 3 + person, a, b);
      }
  write_text(desk.path / "fine.csv", fine);
  CHECK(holds_all(run_well("embed --distances fine.csv -o fine", desk.path).out,
                  {"6 of 6 judged maps of the others.", "Held-out error"}));
  write_text(desk.path / "constant.csv", constant);
  // The others' means are 0.1 throughout but for rounding, with which nobody agrees.
  CHECK(holds_all(run_well("embed --distances constant.csv -o constant", desk.path).out,
                  {"There are too few people to hold any out", "others' is 0.00 in the median"}));
}

TEST_CASE("ratings of two values are asked about, and decimal commas are read in folders of them too") {
  const Desk desk;
  alidade::Rng rng(6);
  std::string two = "participant,item1,item2,response\n";
  std::filesystem::create_directories(desk.path / "comma");
  for (int person = 0; person < 4; ++person) {
    std::string one = "item1;item2;rating\n";
    for (int a = 0; a < 7; ++a)
      for (int b = 0; b < a; ++b) {
        const double apart = a - b + rng.uniform01();
        two += fmt::format("p{},t{},t{},{}\n", person, a, b, apart < 2 ? 1 : 2);
        one += fmt::format("t{};t{};{},{}\n", a, b, static_cast<int>(apart), static_cast<int>(10 * apart) % 10);
      }
    write_text(desk.path / fmt::format("comma/p{}.csv", person), one);
  }
  write_text(desk.path / "two.csv", two);
  check_refused({"embed", "--distances", "two.csv"}, desk.path,
                {"two.csv:1: Column 'response' has two values, '1' and '2'", "--columns item1,item2,response"});
  run_well("embed --distances two.csv --columns item1,item2,response,annotator=participant -o two", desk.path);
  CHECK(holds_all(run_well("embed --distances comma -o map", desk.path).out,
                  {"84 judgements of pairs by 4 people", "ecimal comma"}));
}

TEST_CASE("a map of objects that nothing compares with each other says so, whatever the evidence") {
  const Desk desk;
  alidade::Rng rng(5);
  std::string answers = "anchor,near,far\n", piles = "participant,item,pile\n",
              same = "item1,item2,response,participant\n", signs = "a,b,sign\n";
  for (const char* part : {"x", "y"})
    for (int a = 0; a < 7; ++a) {
      for (int person = 0; person < 4; ++person)
        piles += fmt::format("p{},{}{},{}\n", person + (*part == 'x' ? 0 : 4), part, a, (a + person / 3) / 3);
      for (int b = 0; b < a; ++b) {
        signs += fmt::format("{0}{1},{0}{2},{3}\n", part, a, b, a - b < 3 ? 1 : -1);
        for (int person = 0; person < 4; ++person)
          same += fmt::format("{0}{1},{0}{2},{3},p{4}\n", part, a, b,
                              rng.uniform01() < 1.0 / (a - b) ? "same" : "different", person);
        for (int c = 0; c < b; ++c) answers += fmt::format("{0}{1},{0}{2},{0}{3}\n", part, a, b, c);
      }
    }
  write_text(desk.path / "answers.csv", answers);
  write_text(desk.path / "piles.csv", piles);
  write_text(desk.path / "same.csv", same);
  write_text(desk.path / "signs.csv", signs);
  for (const char* given :
       {"answers.csv", "--clusterings piles.csv", "--same-different same.csv", "--pairs signs.csv"}) {
    CAPTURE(given);
    CHECK(holds(run_well(fmt::format("embed {} -o map --force", given), desk.path).out,
                "The objects are in 2 parts that nothing compares with each other: 7 objects (x"));
  }
  write_text(desk.path / "answers.csv", answers + "x0,x1,y0\n");
  CHECK_FALSE(holds(run_well("embed answers.csv -o map --force", desk.path).out, "nothing compares with each other"));
  // New objects that are compared with none of a finished map, whose own ones keep their places.
  write_text(desk.path / "new.csv", "anchor,near,far\nn1,n2,n3\nn2,n1,n3\nx0,x1,x2\nx3,x4,x5\n");
  const std::string onto = run_well("embed new.csv --onto map -o on", desk.path).out;
  CHECK(holds_all(onto, {"2 parts that nothing compares with each other: 14 objects (", "3 objects (n1, n2, n3)"}));
  CHECK_FALSE(holds(onto, "random start"));
}

TEST_CASE("rows are chosen and columns named for every kind of evidence that people give") {
  const Desk desk;
  const std::array<std::pair<std::string, std::string>, 4> kinds = {
      {{"--distances", "{}"}, {"--same-different", "{}"}, {"--pairs", "{}"}, {"--clusterings", ""}}};
  for (const auto& [option, pair] : kinds) {
    CAPTURE(option);
    std::string text = "phase,vp,first,second,key,item1\n";
    for (int person = 0; person < 4; ++person)
      for (int a = 0; a < 7; ++a)
        for (int b = 0; b < (pair.empty() ? 1 : a); ++b)
          for (const char* phase : {"main", "try"}) {
            const std::string thing = fmt::format("thing{}", a), other = pair.empty() ? "x" : fmt::format("thing{}", b);
            const std::string key = option == "--distances"        ? std::to_string(1 + std::abs(a - b))
                                    : option == "--same-different" ? (a - b + person) % 5 > 2 ? "same" : "different"
                                    : option == "--pairs"          ? a - b > 2 ? "-1" : "1"
                                    : a < 3 + person % 2           ? "left"
                                                                   : "right";
            text += fmt::format("{},p{},{},{},{},{}\n", phase, person, thing, other, key, b + 1);
          }
    write_text(desk.path / "rows.csv", text);
    const std::string columns = pair.empty() ? "vp,first,key" : "first,second,key";
    const Ended map = run_well({"embed", option, "rows.csv", "--columns", columns, "--where", "phase=main", "--where",
                                "vp!=p3", "-o", "map", "--force"},
                               desk.path);
    CHECK(
        holds_all(map.out, {"7 objects", pair.empty() ? "35 of 56 rows do not meet" : "105 of 168 rows do not meet"}));
    check_refused({"embed", option, "rows.csv", "--columns", columns, "--where", "vp=nobody"}, desk.path, {"'nobody'"});
    check_refused({"embed", option, "rows.csv", "--columns", "first,secnd,key"}, desk.path, {"no column 'secnd'"});
  }
}

TEST_CASE("ratings of pairs, and answers same or different, are judged by people who were held out") {
  const Desk desk;
  alidade::Rng rng(19);
  std::string ratings = "participant,item1,item2,rating\n", words = "participant,item1,item2,response,rt\n",
              few = ratings;
  for (int person = 0; person < 14; ++person)
    for (int a = 0; a < 10; ++a)
      for (int b = 0; b < a; ++b) {
        const double apart = std::abs((a - b) * 0.6);
        const std::string pair = fmt::format("p{},thing{},thing{},", person, a, b);
        const std::string rating = pair + fmt::format("{:.0f}\n", 1 + apart + 2 * rng.uniform01());
        ratings += rating;
        if (person < 6) few += rating;
        for (int k = 0; k < 3; ++k)
          words += pair + (rng.uniform01() < std::exp(-apart) ? "same" : "different") +
                   fmt::format(",{:.0f}\n", 400 / (0.3 + apart) + 40 * rng.uniform01());
      }
  write_text(desk.path / "ratings.csv", ratings);
  write_text(desk.path / "words.csv", words);
  write_text(desk.path / "few.csv", few);
  for (const std::vector<std::string>& input :
       {std::vector<std::string>{"--distances", "ratings.csv"}, {"--same-different", "words.csv"}}) {
    const Ended map = run_well({"embed", input[0], input[1], "-o", "map", "--force"}, desk.path);
    CHECK(holds_all(map.out, {"judgements of pairs by 14 people", "Held-out error 0.", "(95 % interval 0.",
                              "measured with maps that were fitted to other people.",
                              "Held out were whole people: 14 of 14 judged maps of the others.",
                              "otherwise than the person did; guessing has 0.5"}));
    CHECK((map.out.find("Log-likelihood of an answer: -0.") != std::string::npos) == (input[0] != "--distances"));
    const ValueTable row = alidade::read_rows(desk.path / "map").front();
    CHECK(alidade::text_field(row, "heldout.unit") == "annotators");
    CHECK(alidade::number_field(row, "heldout.error").value_or(1) < 0.4);
    const Ended citing = run_command("cite map", desk.path);
    CHECK(holds_all(citing.out, {"each of 14 people was held out once", "The held-out error was 0.",
                                 "in clusters, the 14 annotators)", "the map was fitted to all judgements by"}));
    CHECK(holds_none(citing.out, {"fitted to all triplets", "probably"}));  // what is true of answers, and advice
    CHECK((citing.out.find("Response times ('rt') were not used.") != std::string::npos) ==
          (input[0] != "--distances"));
    CHECK(holds_all(content_of(desk.path / "map/report.html"), {"Held-out error", "guessing has 50 %"}));
  }
  CHECK(holds_all(run_command("embed --distances few.csv", desk.path).out,
                  {"Held out were whole people: 6 of 6", "The answers are those of 6 people: the interval is over them",
                   "ask 10 or more."}));
  CHECK(holds_all(run_command("embed --distances few.csv --where participant=p1 --force", desk.path).out,
                  {"There are too few people to hold any out"}));
}

TEST_CASE("- is standard input and output") {
  const Desk desk;
  const auto before = inventory(desk.path);
  const Ended map = succeeded(run_line(kAlidade + " embed - -p ste -o - < triplets.csv", desk.path));
  CHECK(map.out.starts_with("object,label,x1,x2\n"));
  CHECK(holds_all(map.err, {"Held-out error"}));
  CHECK(parse_map_csv(map.out, "stdout").objects.size() == 8);
  CHECK(inventory(desk.path) == before);

  REQUIRE(run_line("cat triplets.csv | " + kAlidade + " embed - -p ste", desk.path).status == 0);
  CHECK(content_of(desk.path / "stdin_map/embedding.csv") == map.out);
  const Ended wrong = run_line("echo 'anchor,near' | " + kAlidade + " embed -", desk.path);
  CHECK(wrong.status == 2);
  CHECK(holds_all(wrong.err, {"stdin:1: ", "no column 'far'"}));
  check_refused({"embed", "triplets.csv", "-o", "-", "--json"}, desk.path, {"--json and -o -"});
  check_refused({"init", "x.toml", "--triplets", "-"}, desk.path, {"needs the name of a file"});

  const Ended page = succeeded(run_line(kAlidade + " report stdin_map -o -", desk.path));
  CHECK(page.out.starts_with("<!"));
  write_text(desk.path / "p.dat-s", "1\n1\n2\n1.0\n0 1 1 1 -1.0\n0 1 2 2 -2.0\n1 1 1 1 1.0\n1 1 2 2 1.0\n");
  const Ended sdp = run_line(kAlidade + " sdp - < p.dat-s", desk.path);
  CAPTURE(sdp.err);
  CHECK(sdp.out.substr(0, sdp.out.find("seconds")) ==
        run_command("sdp p.dat-s", desk.path).out.substr(0, sdp.out.find("seconds")));
  CHECK(sdp.status == 0);
}

}  // namespace embed_input_test
