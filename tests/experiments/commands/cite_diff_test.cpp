#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <string>

#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/refused_commands.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/small_experiments.hpp"
#include "tests/support/text_holds.hpp"

namespace cite_diff_test {

using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

/// A folder with the results of a small experiment in a and, with another seed and more iterations, in b.
struct Desk {
  Desk() {
    write_text(path / "c.toml", std::string("name = \"tiny\"\nrepeats = 3\nseed = 4\n") + kSmallData + kQuickMethods);
    run_well("run c.toml -o a", path);
    run_well("run c.toml -o b --set method.0.solver.max_iter=2", path);
  }
  ScratchFolder path;
};

}  // namespace

TEST_CASE("cite prints a paragraph and the BibTeX of what was used") {
  const Desk desk;
  const Ended text = run_quietly("cite a", desk.path);
  CHECK(
      holds_all(text.out, {"2 methods were compared on 1 data set with Alidade 0.", "(20 objects, 300 triplets)",
                           "20 % of the triplets were held out", "There were 3 repeats;", "seed 4.",
                           "ste (van der Maaten & Weinberger 2012), solved by ceres (Agarwal et al.",
                           "ete (Amid et al. 2016), solved by riemannian_sgd (Bonnabel 2013;", "@misc{alidade,",
                           "@inproceedings{vandermaaten2012,", "@misc{amid2016,", "@article{bonnabel2013,",
                           "are of other splits of the same answers. Of other answers, the error of a run is known to",
                           "| ste / ceres ", "Student's t"}));
  CHECK(holds_none(text.out, {"Training triplet error"}));  // it is not in the table
  const Ended latex = run_command("cite a --format latex", desk.path);
  CHECK(holds_all(latex.out, {"ste~\\cite{vandermaaten2012}", "riemannian\\_sgd~\\cite{bonnabel2013,becigneul2019}",
                              "20 \\% of the triplets", "Alidade 0.1.0~\\cite{alidade}", "\n% Entries of"}));
  CHECK(latex.out.find('@') == std::string::npos);  // a file that LaTeX reads
  run_well("run c.toml -o part --shard 1/3", desk.path);
  CHECK(holds_all(run_command("cite part.shard-1-of-3", desk.path).out,
                  {"too few to compare them.", "There were 2 of 3 planned repeats;"}));
  write_text(desk.path / "hasty.toml",
             "name = \"hasty\"\ntimeout = \"1ms\"\nrepeats = 2\n[[dataset]]\nname = \"s_curve\"\nn = 60\n"
             "triplets_per_object = 60\nholdout = 0.2\n[[method]]\nproblem = \"ste\"\n");
  run_well("run hasty.toml", desk.path);
  CHECK(holds_all(run_command("cite results/hasty", desk.path).out, {"2 of 2 runs were ended by the time limit."}));
  CHECK(holds_all(run_command("diff results/hasty results/hasty", desk.path).out,
                  {"Ended by the time limit, among the runs that are compared: 2 runs of A, 2 runs of B."}));
  CHECK(holds_all(run_command("diff a part.shard-1-of-3", desk.path).out,
                  {"Left out, because the other folder lacks their like: 4 runs of A, 0 runs of B."}));
  write_text(
      desk.path / "odd.toml",
      std::string("name = \"odd\"\n") + kSmallData +
          "[[method]]\nid = \"a\\\\b ^c ~d \\\\input x\"\nproblem = \"ste\"\n[[method]]\nproblem = \"disjoint\"\n");
  run_well("run odd.toml -o odd", desk.path);
  CHECK(holds_all(run_command("cite odd --format latex", desk.path).out,
                  {"a\\textbackslash{}b \\textasciicircum{}c \\textasciitilde{}d \\textbackslash{}input x",
                   "le2019} of tste~\\cite{vandermaaten2012}, solved by each\\_block by ceres~\\cite{"}));
  const Ended entries = run_command("cite a --format bibtex", desk.path);
  CHECK(entries.out.starts_with("@misc{alidade,"));
  CHECK(text.out.ends_with(entries.out));
  check_refused({"cite", "a", "--format", "word"}, desk.path, {"not 'word'", "text, latex or bibtex"});
  check_refused({"cite", "nowhere"}, desk.path, {"nowhere"});
}

TEST_CASE("cite describes a single map, and says what was chosen") {
  const Desk desk;
  std::string answers = "anchor,near,far\n";
  for (int i = 0; i < 120; ++i)
    answers +=
        "p" + std::to_string(i % 6) + ",p" + std::to_string((i + 1) % 6) + ",p" + std::to_string((i + 3) % 6) + "\n";
  write_text(desk.path / "answers.csv", answers);
  run_well("embed answers.csv --bootstrap 3", desk.path);
  const Ended text = run_well("cite answers_map", desk.path);
  CHECK(holds_all(
      text.out,
      {"The map was made with Alidade", "Choices were made by validation on 20 %", "fitted to all triplets",
       "The method was ", "; chosen: problem", "Figure: A map of 6 objects in 2 dimensions.",
       "Table: Validation errors", "| Method ", "; guessing has 0.5.", "An ellipse is a 95 % region for the",
       "3 bootstrap replicates with resampled triplets",
       "The held-out error, the rate of held-out triplets that the map violates, was 0.000 (95 % interval 0.000 to ",
       "by Wilson's method on 24 triplets)"}));
  // Nobody chose the default, and nothing is said twice or as no paper would.
  CHECK(holds_none(text.out, {"n_components", "auto", "Measured:", "  Of", "? "}));
  CHECK(holds(run_command("cite answers_map --format latex", desk.path).out, "\\caption{A map of 6 objects"));
  run_well("figure answers_map -o map.svg", desk.path);
  CHECK(holds_all(content_of(desk.path / "map.svg"), {"Ellipses: 95 % regions of the places"}));
  // Maps of two files, with titles: side by side, so wider than high.
  fs::copy_file(desk.path / "answers.csv", desk.path / "others.csv");
  run_well("embed others.csv -p ste", desk.path);
  run_well({"figure", "answers_map", "others_map", "-o", "two.svg", "--title", "Mine", "--title", "Theirs"}, desk.path);
  const std::string two = content_of(desk.path / "two.svg");
  CHECK(holds_all(two, {">Mine<", ">Theirs<"}));
  CHECK(holds_none(two, {"others.csv"}));
}

TEST_CASE("cite says how many people gave the answers of a map") {
  const Desk desk;
  std::string answers = "anchor,near,far,annotator\n";
  for (int i = 0; i < 120; ++i) answers += fmt::format("p{},p{},p{},who{}\n", i % 6, (i + 1) % 6, (i + 3) % 6, i % 4);
  write_text(desk.path / "answers.csv", answers);
  run_well("embed answers.csv -p ste", desk.path);
  const Ended text = run_command("cite answers_map", desk.path);
  CAPTURE(text.out + text.err);
  CHECK(holds_all(text.out, {"(6 objects, 120 triplets by 4 annotators)"}));
}

TEST_CASE("cite says of a comparison who answered, and what its tests are about") {
  const ScratchFolder folder;
  std::string answers = "anchor,near,far,annotator\n";
  for (int i = 0; i < 600; ++i)
    answers += fmt::format("p{},p{},p{},who{}\n", i % 7, (i + 1 + i % 3) % 7, (i + 4) % 7, i % 12);
  write_text(folder / "answers.csv", answers);
  write_text(folder / "study.toml",
             "name = \"study\"\nrepeats = 2\n[[dataset]]\nname = \"triplets\"\nfile = \"answers.csv\"\n"
             "[[method]]\nproblem = \"ste\"\n[[method]]\nproblem = \"tste\"\n");
  run_well("run study.toml", folder);
  CHECK(holds_all(run_well("cite results/study", folder).out,
                  {"answers.csv (7 objects, 600 triplets by 12 annotators)", "of other splits of the same answers",
                   "Of other people, the error of a run is known"}));
}

TEST_CASE("cite says where the ellipses of a map are too wide, or hold too few places") {
  const ScratchFolder folder;
  std::string answers = "anchor,near,far,annotator\n", pairs = "participant,item1,item2,response,rt\n";
  for (int i = 0; i < 600; ++i)
    answers += fmt::format("p{},p{},p{},who{}\n", i % 7, (i + 1 + i % 3) % 7, (i + 4) % 7, i % 12);
  for (int i = 0; i < 480; ++i) {
    const int p = i / 40, a = i % 5, b = (a + 1 + i / 5 % 4) % 5;
    pairs += fmt::format("v{},w{},w{},{},{}\n", p, a, b, i % 9 == 0 ? "same" : "different",
                         700 - 90 * std::abs(a - b) + i % 7);
  }
  write_text(folder / "answers.csv", answers);
  write_text(folder / "pairs.csv", pairs);
  run_well("embed answers.csv -p ste_annotators --bootstrap 3", folder);
  const std::string wide = run_well("cite answers_map", folder).out;
  CHECK(holds_all(wide, {"ellipses of ste_annotators by resampling were about twice too wide."}));
  CHECK(holds_none(wide, {"--ellipses"}));
  run_well("embed --same-different pairs.csv --set dataset.0.by=times -p nonmetric_mds --bootstrap 3 -o times", folder);
  CHECK(holds(run_well("cite times", folder).out, "Of response times 95 % regions are too small"));
  run_well("figure times -o times.svg", folder);
  CHECK(holds(content_of(folder / "times.svg"), "of response times about 78 %"));
}

TEST_CASE("cite says that a map is no better than guessing, who guesses, and no aspects of a single map") {
  const Desk desk;
  alidade::Rng rng(11);
  std::string coins = "anchor,near,far\n";
  for (int i = 0; i < 300; ++i) {
    const auto anchor = rng.below(20), near = (anchor + 1 + rng.below(9)) % 20, far = (anchor + 10 + rng.below(9)) % 20;
    coins += rng.uniform01() < 0.5 ? fmt::format("o{},o{},o{}\n", anchor, near, far)
                                   : fmt::format("o{},o{},o{}\n", anchor, far, near);
  }
  write_text(desk.path / "coins.csv", coins);
  run_well("embed coins.csv -p ste", desk.path);
  const Ended text = run_command("cite coins_map", desk.path);
  CAPTURE(text.out + text.err);
  CHECK(holds_all(text.out, {"so the map is not shown to be better than guessing."}));
  CHECK(holds_none(text.out, {"aspect", "guesses more than half"}));

  std::string people = "participant,anchor,near,far\n";
  for (int person = 0; person < 6; ++person)
    for (int i = 0; i < 60; ++i) {
      const auto anchor = rng.below(12), near = (anchor + 1 + rng.below(2)) % 12,
                 far = (anchor + 4 + rng.below(5)) % 12;
      const bool turned = person == 5 && rng.uniform01() < 0.5;
      people += fmt::format("p{},o{},o{},o{}\n", person, anchor, turned ? far : near, turned ? near : far);
    }
  write_text(desk.path / "people.csv", people);
  run_well("embed people.csv -p ste_annotators", desk.path);
  const Ended of_people = run_command("cite people_map", desk.path);
  CAPTURE(of_people.out + of_people.err);
  CHECK(holds_all(of_people.out, {"1 annotator guesses more than half of the time, by the model: p5;"}));
}

TEST_CASE("diff shows what differs between two folders, and nothing for equal ones") {
  const Desk desk;
  const Ended same = run_well("diff a a", desk.path);
  CHECK(holds_all(same.out, {"6 of 6 runs with equal setups gave equal results.", "+0 ± 0"}));
  CHECK(same.out.find("Settings that differ") == std::string::npos);

  const Ended other = run_command("diff a b", desk.path);
  CAPTURE(other.out);
  CHECK(other.status == 1);
  CHECK(holds_all(other.out, {"A: a (6 rows)", "Settings that differ (A -> B):", "solver.max_iter: 15 -> 2",
                              "3 of 3 runs with equal setups gave equal results.", "metrics.heldout_error: means",
                              "| gaussian |", " 3 |\n"}));
  const Ended seconds = run_command("diff a b --value seconds.solve --test t", desk.path);
  CHECK(holds_all(seconds.out, {"seconds.solve: means", "paired t test"}));
  std::string answers = "anchor,near,far\n";
  for (int i = 0; i < 60; ++i)
    answers +=
        "p" + std::to_string(i % 6) + ",p" + std::to_string((i + 1) % 6) + ",p" + std::to_string((i + 3) % 6) + "\n";
  write_text(desk.path / "answers.csv", answers);
  run_well("embed answers.csv -p ste -o m", desk.path);
  run_well("embed answers.csv -p soe -o n", desk.path);
  CHECK(holds_all(run_command("diff m n", desk.path).out,
                  {"method.problem.name: \"ste\" -> \"soe\"", "| answers.csv | ste / ceres -> soe / "}));
  check_refused({"diff", "a", "b", "--value", "metrics.nothing"}, desk.path, {"'metrics.nothing'", "list fields"});
  check_refused({"diff", "a", "b", "--test", "sign"}, desk.path, {"'sign'"});
  check_refused({"diff", "a", "b", "--alpha", "2"}, desk.path, {"--alpha"});
  check_refused({"diff", "a", "nowhere"}, desk.path, {"nowhere"});
}

TEST_CASE("diff of a run's map and one from elsewhere in other units names the objects that moved") {
  const Desk desk;
  alidade::Rng rng(21);
  const alidade::Matrix points = gaussian_points(14, 2, rng);
  const alidade::TripletList all = triplets_of(points, 1500, 0, rng);
  std::string answers = "anchor,near,far\n", turned = answers, pixels = "name,x,y\n";
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    const alidade::Triplet t = all.at(i);
    answers += fmt::format("o{}.png,o{}.png,o{}.png\n", t.anchor, t.near, t.far);
    turned += fmt::format("o{}.png,o{}.png,o{}.png\n", t.anchor, i < 2 ? t.far : t.near, i < 2 ? t.near : t.far);
  }
  for (int i = 0; i < 14; ++i)
    pixels += fmt::format("o{},{},{}\n", i, 400 + 90 * points(i, 1) + (i == 5 ? 250 : 0), 300 - 90 * points(i, 0));
  write_text(desk.path / "answers.csv", answers);
  write_text(desk.path / "turned.csv", turned);
  write_text(desk.path / "pixels.csv", pixels);
  run_well("embed answers.csv -p ste -o m", desk.path);
  run_well("embed turned.csv -p ste -o n", desk.path);
  // The answers name files of pictures, and the map the things.
  const Ended judged = run_well("embed answers.csv --onto pixels.csv -o theirs", desk.path);
  CHECK(holds_all(judged.out, {"'o", ".png' is 'o", "on the map."}));
  const Ended moved = run_command("diff m theirs", desk.path);
  CAPTURE(moved.out);
  CHECK(holds_all(moved.out, {"objects moved by 0.", "most: o5 (", "both hold the same answers"}));

  // Two flipped answers: what changed, and no test.
  const Ended flipped = run_command("diff m n", desk.path);
  CAPTURE(flipped.out);
  CHECK(holds_all(flipped.out,
                  {"2 of A's 1500 triplets are not in the other: o", "2 of B's 1500 triplets", "objects moved by 0.",
                   "| answers.csv -> turned.csv | ste / ceres |", "|   – |     1 |"}));
  CHECK(flipped.out.find("95 %") == std::string::npos);
  // One map each of the same data: no test either.
  run_well("embed answers.csv -p soe -o s", desk.path);
  CHECK(holds_all(run_command("diff m s", desk.path).out,
                  {"|   – |     1 |", "the method differs. What one repetition says", "objects moved by 0."}));
  // A map with two objects more, which the others do not feel.
  std::string few = "anchor,near,far\n";
  for (std::uint64_t i = 0; i < all.size(); ++i)
    if (const alidade::Triplet t = all.at(i); std::max({t.anchor, t.near, t.far}) < 12)
      few += fmt::format("o{}.png,o{}.png,o{}.png\n", t.anchor, t.near, t.far);
  write_text(desk.path / "few.csv", few);
  run_well("embed few.csv -p ste -o f", desk.path);
  run_well("embed answers.csv --onto f -o e", desk.path);
  const Ended extended = run_command("diff f e", desk.path);
  CAPTURE(extended.out);
  CHECK(holds_all(extended.out, {"2 objects only B: o12, o13", "none of the 12 objects that both have moved"}));
  CHECK(holds_all(run_command("diff m e", desk.path).out, {"objects moved by 0."}));
}

TEST_CASE("diff says that answers corrected in place differ, by their checksum, and that the method does too") {
  const Desk desk;
  alidade::Rng rng(8);
  const alidade::TripletList all = triplets_of(gaussian_points(10, 2, rng), 400, 0, rng);
  const auto write_answers = [&](std::uint64_t turned) {
    std::string out = "anchor,near,far\n";
    for (std::uint64_t i = 0; i < all.size(); ++i)
      if (const alidade::Triplet t = all.at(i); i < turned)
        out += fmt::format("o{},o{},o{}\n", t.anchor, t.far, t.near);
      else
        out += fmt::format("o{},o{},o{}\n", t.anchor, t.near, t.far);
    write_text(desk.path / "answers.csv", out);
  };
  write_answers(0);
  run_well("embed answers.csv -p ste -o m", desk.path);
  write_answers(12);
  run_well("embed answers.csv -p ste -o n", desk.path);
  run_well("embed answers.csv -p soe -o s", desk.path);
  const Ended corrected = run_command("diff m n", desk.path);
  CAPTURE(corrected.out);
  CHECK(holds_all(corrected.out, {"answers.csv, ste / ceres: the data differ (checksum ", "other data now"}));
  CHECK(holds_none(corrected.out, {"equal setups", "both hold the same answers"}));
  const Ended both = run_command("diff m s", desk.path);
  CAPTURE(both.out);
  CHECK(holds_all(both.out, {"the data and the method differ (checksum ", "may come from either"}));
  CHECK(holds_all(run_command("diff n s", desk.path).out, {"the method differs"}));
}

TEST_CASE("diff of two seeds or of other features says what differs, and speaks of no file of answers") {
  const Desk desk;
  run_well("run c.toml -o s --set seed=5", desk.path);
  const Ended seeds = run_command("diff a s", desk.path);
  CAPTURE(seeds.out);
  CHECK(holds_all(seeds.out, {"the seed differs. What one repetition says", "other data, seeds or held-out answers"}));
  CHECK(holds_none(seeds.out, {"a file of these", "±"}));
  for (const char* name : {"x", "y"}) {
    std::string features = "name,a,b\n";
    for (int i = 0; i < 12; ++i)
      features += fmt::format("o{},{},{}\n", i, i * i % 7, (i * (*name == 'x' ? 3 : 5)) % 11);
    write_text(desk.path / (std::string(name) + ".csv"), features);
    run_well(fmt::format("embed --features {0}.csv -p pca -o {0}", name), desk.path);
  }
  const Ended features = run_command("diff x y", desk.path);
  CAPTURE(features.out);
  CHECK(holds(features.out, "the data differ"));
  CHECK(holds_none(features.out, {"a file of these", "the same answers"}));
}

TEST_CASE("report draws figures of a size, a kind and a method") {
  const Desk desk;
  const Ended made = run_well({"report", "a", "--figures", "f", "--width", "84mm", "--font-size", "7", "--only",
                               "curve,values", "--method", "ste / ceres"},
                              desk.path);
  CHECK(made.out.find("map_") == std::string::npos);
  CHECK(made.out.find("values_") == std::string::npos);  // of one method there is nothing to compare
  const std::string svg = content_of(desk.path / "f/curve_gaussian_objective.svg");
  CHECK(holds_all(svg, {" width=\"84.00mm\" height=\""}));
  CHECK(svg.find("ete") == std::string::npos);
  // One file holds the curves of all objectives; its folder must be there.
  run_well("figure a -o all.svg --only curve", desk.path);
  check_refused({"figure", "a", "-o", "none/all.svg"}, desk.path, {"'none/all.svg'", "Create 'none'"});
  check_refused({"report", "a", "--figures", "g", "--only", "mapp"}, desk.path, {"'mapp'", "'map'"});
  check_refused({"report", "a", "--figures", "g", "--width", "84"}, desk.path, {"--width '84'", "84mm"});
  check_refused({"report", "a", "--figures", "g", "--width", "20mm"}, desk.path, {"20 mm", "no room"});
  check_refused({"report", "a", "--width", "84mm"}, desk.path, {"Give --figures DIR"});
  check_refused({"report", "a", "--pdf"}, desk.path, {"--pdf needs --figures"});
  check_refused({"report", "a", "--figures", "g", "--method", "st"}, desk.path, {"no run is of 'st'"});
  check_refused({"report", "a", "--figures", "g", "--dpi", "5"}, desk.path, {"--dpi"});
}

}  // namespace cite_diff_test
