// From an export to a map and a figure, through the built command; and what it says of files of another kind.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>

#include "experiments/results/map_files.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/refused_commands.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace export_commands_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

/// Two-choice trials about points of a line, with practice and a screen of instructions, by three people.
std::string trials() {
  Rng rng(2);
  std::string out = "subject,phase,reference,left,right,response\np0,intro,,,,\n";
  for (int row = 0; row < 240; ++row) {
    const auto draw = [&] { return static_cast<int>(rng.below(9)); };
    const int a = draw(), b = draw(), c = draw();
    if (a == b || b == c || a == c) continue;
    const bool left = std::abs(a - b) < std::abs(a - c);
    out += fmt::format("p{},{},n{},n{},n{},{}\n", row % 3, row < 30 ? "practice" : "test", a, b, c,
                       (row < 30 ? row % 2 == 0 : left) ? "left" : "right");
  }
  return out;
}

}  // namespace

TEST_CASE("embed reads an export as it is, and a figure of the map is one command and one file") {
  const ScratchFolder at{{"export.csv", trials()}};
  const Ended made = run_well("embed export.csv -p ste -o map", at);
  CHECK(
      holds_all(made.out, {"Read by a guess: Rows of practice (column 'phase') were left out.",
                           "Read by a guess: Column 'subject' was read as the annotator", "1 row without any object"}));
  CHECK(read_map_csv(at / "map/embedding.csv").objects.size() == 9);
  CHECK(parse_annotators_csv(content_of(at / "map/annotators.csv"), "annotators.csv").size() == 3);
  const Ended drawn = run_well("figure map -o map.svg --width 84mm", at);
  CHECK(drawn.out == "map.svg\n");
  CHECK(holds_all(content_of(at / "map.svg"), {"<svg", "mm\"", ">n3<"}));
  run_well({"figure", "map", "-o", "titled.svg", "--title", "Nine, in a circle"}, at);
  CHECK(holds_all(content_of(at / "titled.svg"), {">Nine, in a circle<", ">n3<"}));
  check_refused({"figure", "map", "-o", "x.svg", "--title", "A", "--title", "B"}, at, {"2 titles for 1 map"});
  check_refused({"figure", "map", "-o", "x.svg", "--title", "A", "--only", "curve"}, at, {"--title is of maps"});
  check_refused({"figure", "map", "-o", "map"}, at, {"'map' does not say the format", ".pdf, .svg or .png"});
  check_refused({"figure", "map", "-o", "x.svg", "--only", "profile"}, at, {"nothing to draw", "map-grid"});
  check_refused({"embed", "export.csv", "--where", "phase=tset"}, at, {"'phase' is 'tset' in no row"});
  check_refused({"embed", "--features", "export.csv", "--where", "phase=test"}, at, {"--where needs answers"});
}

TEST_CASE("answers about several aspects tell on the page and in a file whether the aspects agree") {
  const ScratchFolder at;
  std::string answers = "anchor,near,far,aspect\n";
  for (int i = 0; i < 240; ++i) {
    const int a = i % 8, b = (a + 1) % 8, c = (a + 4) % 8;
    answers += i % 2 == 0 ? fmt::format("n{},n{},n{},looks\n", a, b, c) : fmt::format("n{},n{},n{},price\n", a, c, b);
  }
  write_text(at / "answers.csv", answers);
  const Ended made = run_well("embed answers.csv -p disjoint -o map", at);
  CHECK(holds_all(made.out, {"Held-out error of each aspect by its own map", "Do the aspects agree?"}));
  run_well("figure map -o maps.svg", at);
  CHECK(holds_all(content_of(at / "maps.svg"), {">looks<", ">price<"}));
  CHECK(
      content_of(at / "map/aspect_errors.csv").starts_with("aspect,map,heldout_answers,heldout_error,low,high,worse,"));
  CHECK(holds_all(content_of(at / "map/report.html"),
                  {"<section id=\"aspects\">", "map of looks",
                   "<li>These aspects differ: looks and price (the other&#39;s map errs more often, by ",
                   "\"own_error\":[", "<li>Next: "}));
  run_well("verify map", at);
  run_well("embed answers.csv -p ste -o map --force", at);
}

TEST_CASE("of many aspects the page has the error by the own map only, in one column") {
  const ScratchFolder at;
  std::string answers = "anchor,near,far,aspect\n";
  for (int i = 0; i < 520; ++i) {
    const int a = i % 8, b = (a + 1 + i / 104) % 8, c = (a + 4) % 8;
    if (b != c && b != a) answers += fmt::format("n{},n{},n{},q{}\n", a, b, c, i % 13);
  }
  write_text(at / "answers.csv", answers);
  run_well("embed answers.csv -p disjoint -o map", at);
  const std::string page = content_of(at / "map/report.html");
  CHECK(holds_all(page, {"<section id=\"aspects\">", "its own map"}));
  CHECK(page.find("map of q") == std::string::npos);
}

TEST_CASE("a table of held-out errors by people says in each format what its intervals leave out") {
  const ScratchFolder at;
  Rng rng(4);
  std::string csv = "annotator,anchor,near,far\n";
  for (int i = 0; i < 600; ++i) {
    const auto a = static_cast<int>(rng.below(8)), b = (a + 1) % 8, c = (a + 4) % 8;
    csv += fmt::format("p{},n{},n{},n{}\n", i % 12, a, rng.uniform01() < 0.9 ? b : c, rng.uniform01() < 0.9 ? c : b);
  }
  write_text(at / "answers.csv", csv);
  write_text(at / "c.toml",
             "schema = 1\nname = \"t\"\nrepeats = 3\n[[dataset]]\nname = \"triplets\"\nfile = \"answers.csv\"\n"
             "degenerate = \"drop\"\n[[method]]\nid = \"STE\"\nproblem = \"ste\"\n");
  run_well("run c.toml -o results", at);
  for (const char* format : {"md", "latex", "json"})
    CHECK(holds_all(run_command({"table", "results", "--format", format}, at).out, {"Of other people, the error of"}));
  CHECK(holds_all(run_command("table results --format csv", at).err, {"Of other people, the error of"}));
}

TEST_CASE("curve prints the error by the number of answers, and continues it") {
  const ScratchFolder scratch{{"export.csv", trials()}};
  const Ended shown = run_well("curve export.csv --repeats 2 --error 0.45 -o curve.csv", scratch);
  CHECK(holds_all(shown.out,
                  {"Read by a guess: ", "(extrapolated)", "wice the answers would lower the error by about",
                   "(extrapolated; lower by ", "Answers that an error of 0.45 takes: ", "The answers are those of ", "For people in general, ask 10 or more"}));
  CHECK(holds(shown.out, "Held-out error by ste of maps"));
  // The method of the map that embed made of these answers, or of one that is named.
  run_well("embed export.csv -p soe -d 3", scratch);
  for (const char* map : {"", " --map export_map"})
    CHECK(holds(run_well(std::string("curve export.csv --repeats 2") + map, scratch).out,
                "by soe, the method of the map export_map, of maps"));
  CHECK(holds(run_well("curve export.csv --repeats 2 -p ste", scratch).out, "by ste of maps"));
  write_text(scratch / "places.csv", "name,x,y\na,1,2\nb,2,3\nc,0,1\n");
  check_refused({"curve", "export.csv", "--map", "places.csv"}, scratch, {"does not say what made it"});
  check_refused({"curve", "export.csv", "-d", "auto"}, scratch, {"'auto' is not a number of dimensions"});
  // Twelve people of whom some guess: more of their answers gain nothing, and the error is not known for that.
  std::string people = "annotator,anchor,near,far\n";
  Rng rng(8);
  for (int i = 0; i < 3600; ++i) {
    const auto a = static_cast<int>(rng.below(6)), b = (a + 1) % 6, c = (a + 3) % 6;
    const bool right = rng.uniform01() < (i % 12 < 3 ? 0.5 : 0.97);
    people += fmt::format("p{},n{},n{},n{}\n", i % 12, a, right ? b : c, right ? c : b);
  }
  write_text(scratch / "people.csv", people);
  const Ended guessed = run_command("curve people.csv", scratch);
  CAPTURE(guessed.out);
  CHECK(holds_all(guessed.out,
                  {"More such answers would gain little: ", "The error itself is known to +- 0.", "ask more people"}));
  CHECK(guessed.out.find("big enough") == std::string::npos);
  std::string coins = "anchor,near,far\n";
  for (int i = 0; i < 400; ++i) {
    const auto a = static_cast<int>(rng.below(12)), b = (a + 1 + static_cast<int>(rng.below(5))) % 12, c = (b + 6) % 12;
    coins += rng.below(2) == 0 ? fmt::format("c{},c{},c{}\n", a, b, c) : fmt::format("c{},c{},c{}\n", a, c, b);
  }
  write_text(scratch / "coins.csv", coins);
  CHECK(holds_all(run_well("curve coins.csv --repeats 2 --map export_map", scratch).out,
                  {"has none of the objects of these answers", "are not shown to be better than guessing"}));
  CHECK(content_of(scratch / "curve.csv")
            .starts_with("answers,heldout_error,low,high,extrapolated,gain_low,gain_high\n"));
  // One triplet of all counts: errors of two splits differ widely, and intervals end at 1.
  std::string heavy = "anchor,near,far,weight\n";
  for (int i = 0; i < 200; ++i)
    heavy += fmt::format("n{},n{},n{},{}\n", i % 10, (i + 1) % 10, (i + 5) % 10, i ? 1e-12 : 1.0);
  write_text(scratch / "heavy.csv", heavy);
  run_well("curve heavy.csv --repeats 2 --seed 1 -o heavy_curve.csv", scratch);
  std::istringstream lines(content_of(scratch / "heavy_curve.csv"));
  for (std::string line; std::getline(lines, line);)
    if (line[0] != 'a') CHECK((line.find(",2.") == std::string::npos && line.find(",1.") == std::string::npos));
  // Questions that were asked up to seven times are held out whole, so fewer answers are left than four fifths.
  std::string repeated = "anchor,near,far\n";
  for (int i = 0; i < 480; ++i) {
    const int q = i % (120 - i / 4), a = q % 10;
    repeated += fmt::format("n{},n{},n{}\n", a, (a + 1 + q / 10 % 4) % 10, (a + 5 + q / 40) % 10);
  }
  write_text(scratch / "repeated.csv", repeated);
  run_well("curve repeated.csv --repeats 3", scratch);
  write_text(scratch / "few.csv", sixty_answers());
  check_refused({"curve", "few.csv"}, scratch, {"60 answers are too few for a curve"});
  // Rankings of five count as one answer each, though they imply ten triplets. Two aspects on one map are said.
  std::string ranked = "anchor,ranked\n", aspects = "aspect,anchor,near,far\n";
  for (int i = 0; i < 60; ++i) {
    const int a = i % 12;
    ranked += fmt::format("n{},n{}|n{}|n{}|n{}|n{}\n", a, (a + 1) % 12, (a + 2) % 12, (a + 3) % 12, (a + 4) % 12,
                          (a + 5 + i / 12 % 2) % 12);
    for (int k = 0; k < 2; ++k) {
      aspects += fmt::format("one,n{},n{},n{}\n", a, (a + 1 + k) % 12, (a + 4 + k) % 12);
      aspects += fmt::format("two,n{},n{},n{}\n", a, (a + 5 + k) % 12, (a + 2 + k) % 12);
    }
  }
  write_text(scratch / "ranked.csv", ranked);
  write_text(scratch / "aspects.csv", aspects);
  const std::string by_rank = run_well("curve ranked.csv --repeats 2 --answers ranked", scratch).out;
  CHECK(holds_all(by_rank, {"a fifth of 60 answers is held out", "\n        48  ", "\n       240  "}));
  CHECK(holds(run_well("curve aspects.csv --repeats 2", scratch).out, "this one map mixes them all"));
  CHECK_FALSE(holds(run_well("curve aspects.csv --repeats 2 --where aspect=one", scratch).out, "mixes them all"));
  run_well("embed export.csv -p ste --metrics none -o map", scratch);
  check_refused({"curve", "map"}, scratch, {"map' is a folder of a map or of results, and no data."});
  check_refused({"curve", "export.csv", "--repeats", "1"}, scratch, {"--repeats must be at least 2"});
}

TEST_CASE("a file of another kind is told what it looks like, and the command for it") {
  const ScratchFolder at{{"answers.csv", sixty_answers()}};
  std::string people = "name,height,weight\n";
  for (int i = 0; i < 9; ++i) people += fmt::format("person{},{}.5,{}.25\n", i, 150 + 7 * i, 50 + i * i);
  write_text(at / "people.csv", people);
  write_text(at / "picture.png", "\x89PNG\r\n\x1a\n and more");
  check_refused(
      {"run", "answers.csv"}, at,
      {"answers.csv: This is a table of data, not a config.", "alidade embed answers.csv", "alidade init study.toml"});
  check_refused({"check", "answers.csv"}, at, {"a table of data, not a config"});
  check_refused({"embed", "people.csv"}, at, {"a table of numbers", "alidade embed --features people.csv"});
  write_text(at / "guests.csv", "name,age,city\nAnn,33,Rome\nBob,44,Paris\nCy,22,Oslo\n");
  check_refused({"embed", "guests.csv"}, at, {"a table of numbers", "alidade embed --features guests.csv"});
  check_refused({"embed", "picture.png"}, at, {"a picture", "--images"});
}

TEST_CASE("missing features are an error that names the rules, and a rule is counted") {
  const ScratchFolder at;
  std::string table = "name,x,y\n";
  for (int i = 0; i < 20; ++i)
    table += i % 5 == 2 ? fmt::format("o{},{}.5,NA\n", i, i) : fmt::format("o{},{}.5,{}\n", i, i, 20 - i);
  write_text(at / "people.csv", table);
  check_refused({"embed", "--features", "people.csv"}, at, {"people.csv:4: ", "'NA'", "--missing drop"});
  for (const auto& [rule, objects] : {std::pair{"drop", 16}, {"mean", 20}, {"knn", 20}}) {
    const Ended made =
        run_well({"embed", "--features", "people.csv", "-p", "pca", "--missing", rule, "--force", "-o", "map"}, at);
    CHECK(holds_all(made.out, {"4 of 40 values are missing, in 4 rows (y: 4)"}));
    CHECK(read_map_csv(at / "map/embedding.csv").objects.size() == static_cast<std::size_t>(objects));
  }
}

}  // namespace export_commands_test
