// Adding objects to a finished map, through the built command.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "experiments/files/gzip_file.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/finished_map.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace onto_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

constexpr Index kOld = 60, kAll = 66;

/// Answers about points of the plane, those with an object past `known` only or those without.
struct World {
  World() {
    Rng rng(3);
    points = gaussian_points(kAll, 2, rng);
    all = std::make_shared<TripletList>(triplets_of(points, 12'000, 0, rng));
  }
  [[nodiscard]] std::string answers(bool fresh, std::size_t highest) const {
    std::string out = "anchor,near,far\n";
    std::size_t count = 0;
    for (std::uint64_t i = 0; i < all->size() && count < highest; ++i) {
      const Triplet t = all->at(i);
      if ((std::max({t.anchor, t.near, t.far}) >= kOld) != fresh) continue;
      out += "o" + std::to_string(t.anchor) + ",o" + std::to_string(t.near) + ",o" + std::to_string(t.far) + "\n";
      ++count;
    }
    return out;
  }
  Matrix points;
  std::shared_ptr<TripletList> all;
};

}  // namespace

TEST_CASE("features of new objects are matched to those of the map by name") {
  const ScratchFolder at{{"old.csv", ",x,y\na,2,4\nb,3,3.1\nc,1,2\nd,1,1\n"},
                         {"same.csv", ",x,y\ne,2,7.1\nf,3,5\n"},
                         {"turned.csv", ",y,x\ne,7.1,2\nf,5,3\n"},
                         {"other.csv", ",x,z\ne,2,7\nf,3,5\n"}};
  run_well("embed --features old.csv -p pca -o old", at);
  const auto place = [&](const std::string& table, const std::string& on, const std::string& out) {
    return run_command({"embed", "--features", table + ".csv", "--onto", on, "-o", out}, at);
  };
  REQUIRE(place("same", "old", "same").status == 0);
  const Ended turned = succeeded(place("turned", "old", "turned"));
  CHECK(turned.out.find("matched by name") != std::string::npos);
  CHECK(content_of(at / "turned/embedding.csv") == content_of(at / "same/embedding.csv"));
  CHECK(content_of(at / "turned/embedding.projector.json") == content_of(at / "old/embedding.projector.json"));
  const Ended other = place("other", "old", "other");
  CHECK(other.status == 2);
  CHECK(other.err.find("has the feature 'z', which the map does not have") != std::string::npos);
}

TEST_CASE("new objects far outside of the features of a map are said") {
  const ScratchFolder at{{"old.csv", "name,x,y\na,2,4\nb,3,3.1\nc,1,2\nd,1,1\ne,2,1\n"},
                         {"near.csv", "name,x,y\nf,4.9,7\ng,1.5,1\n"},
                         {"far.csv", "name,x,y\nf,200,700\ng,1.5,1\n"}};
  for (const std::string scale : {"none", "standard"}) {
    CAPTURE(scale);
    run_well({"embed", "--features", "old.csv", "-p", "weighted_ete", "--scale", scale, "-o", "old", "--force"}, at);
    CHECK_FALSE(holds(run_well("embed --features near.csv --onto old -o n --force", at).out, "Are the units"));
    CHECK(holds_all(run_well("embed --features far.csv --onto old -o f --force", at).out,
                    {"Of 1 of 2 new objects", "column 'x': 200 beside 1 to 3.", "Are the units those of the map?"}));
  }
}

TEST_CASE("distances of new objects in another unit than those of the map are said") {
  const ScratchFolder at{{"old.csv", ",a,b,c,d\na,0,3,4,6\nb,3,0,5,7\nc,4,5,0,2\nd,6,7,2,0\n"}};
  run_well("embed --distances old.csv -p classical_mds -o old", at);
  for (const auto& [factor, words] :
       {std::pair{1.0, ""}, {0.01, "too small beside those of the map, up to 7"}, {100.0, "lies farther outside"}}) {
    CAPTURE(factor);
    write_text(at / "new.csv", fmt::format(",a,b,c,d\ne,{},{},{},{}\n", factor, 2 * factor, 4 * factor, 5 * factor));
    const std::string out = run_well("embed --features new.csv --onto old -o n --force", at).out;
    CHECK(holds(out, "Are the units those of the map?") == (factor != 1));
    CHECK(holds(out, words));
  }
}

TEST_CASE("distances of new objects are matched to the objects of the map by name") {
  const ScratchFolder at{{"old.csv", ",a,b,c,d\na,0,3,4,6\nb,3,0,5,7\nc,4,5,0,2\nd,6,7,2,0\n"},
                         {"same.csv", ",a,b,c,d\ne,1,3,4,6\nf,5,6,1,2\n"},
                         {"turned.csv", ",d,b,a,c\ne,6,3,1,4\nf,2,6,5,1\n"},
                         {"unnamed.csv", ",w,x,y,z\ne,1,3,4,6\nf,5,6,1,2\n"},
                         {"other.csv", ",a,b,c,z\ne,1,3,4,6\n"}};
  run_well("embed --distances old.csv -p classical_mds -o old", at);
  run_well("embed --distances old.csv --similarities -p classical_mds -o alike", at);
  const std::string place = "embed --onto old --features ";
  run_well(place + "same.csv -o same", at);
  const std::string turned = run_well(place + "turned.csv -o turned", at).out;
  CHECK(holds_all(turned, {"matched by name"}));
  CHECK(content_of(at / "turned/embedding.csv") == content_of(at / "same/embedding.csv"));
  CHECK(holds_all(run_well(place + "unnamed.csv -o unnamed", at).out, {"are taken in the map's order"}));
  CHECK(content_of(at / "unnamed/embedding.csv") == content_of(at / "same/embedding.csv"));
  check_refused({"embed", "--onto", "old", "--features", "other.csv"}, at, {"'z', which the map does not have"});
  CHECK(holds_all(run_well("embed --onto alike --features same.csv -o on_alike", at).out,
                  {"this table is taken for distances"}));
}

TEST_CASE("new objects of a map of scaled features are scaled in the same way") {
  const ScratchFolder at;
  std::string old = "name,x,y,z\n", other;
  Rng rng(5);
  for (int i = 0; i < 30; ++i)
    old += fmt::format("o{},{:.4f},{:.4f},{:.3f}\n", i, 100 + 40 * rng.normal(), rng.normal(), 1000 * rng.normal());
  write_text(at / "old.csv", old);
  // Objects with the features of objects of the map get their places.
  other = "name,x,y,z\n";
  const std::vector<std::string> lines = lines_of(old);
  for (std::size_t i = 4; i < 8; ++i) other += "new" + lines[i] + "\n";
  write_text(at / "new.csv", other);
  for (const char* scale : {"standard", "range"})
    for (const char* method : {"weighted_ete", "trimap", "pca", "kpsde", "isomap", "lle", "hlle", "classical_mds"}) {
      CAPTURE(scale);
      CAPTURE(method);
      fs::remove_all(at / "old");
      fs::remove_all(at / "both");
      REQUIRE(run_command({"embed", "--features", "old.csv", "-p", method, "--scale", scale, "-o", "old"}, at).status ==
              0);
      run_well("embed --features new.csv --onto old -o both", at);
      const MapTable map = read_map_csv(at / "both/embedding.csv");
      CHECK(map.labels.front() == "on the map before");
      CHECK(map.labels.back() == "placed on it");
      REQUIRE(map.objects.size() == 34);
      for (std::size_t c = 0; c < map.columns.size(); ++c)
        for (std::size_t i = 0; i < 4; ++i)
          CHECK(map.columns[c][30 + i] == doctest::Approx(map.columns[c][3 + i]).epsilon(1e-4).scale(1));
    }
}

TEST_CASE("a function of features that answers taught places objects that nobody judged") {
  const ScratchFolder at;
  const World world;
  std::string known = "name,u,v,w\n", fresh = known;  // one of three features says nothing
  Rng rng(8);
  const auto row = [&](Index i) {
    return fmt::format("o{},{:.6f},{:.6f},{:.6f}\n", i, world.points(i, 0), 3 * world.points(i, 1), rng.normal());
  };
  for (Index i = kOld; i < kAll; ++i) fresh += row(i);
  known += row(kOld);  // in no answer
  for (Index i = kOld - 1; i >= 0; --i) known += row(i);
  write_text(at / "known.csv", known);
  write_text(at / "fresh.csv", fresh);
  write_text(at / "answers.csv", world.answers(false, 3000));
  write_text(at / "new.csv", world.answers(true, 1500));
  for (const std::string method : {"ste_features", "gnmds_features"}) {
    CAPTURE(method);
    const Ended made =
        run_well({"embed", "answers.csv", "--object-features", "known.csv", "-p", method, "-o", method}, at);
    CHECK(holds_all(made.out, {"1 of 61 objects", "Proven: no map of any dimension"}));
    run_well({"embed", "--features", "fresh.csv", "--onto", method, "-o", method + "_all"}, at);
    run_well({"embed", "new.csv", "--onto", method + "_all/embedding.csv", "-o", "judged"}, at);
    CHECK(number_field(read_rows(at / "judged").front(), "metrics.heldout_error").value() < 0.08);
    fs::remove_all(at / "judged");
  }
  write_text(at / "known.csv", known.substr(0, known.size() - 40));
  const Ended lacking = run_command("embed answers.csv --object-features known.csv -p ste_features", at);
  CHECK(lacking.status == 2);
  CHECK(lacking.err.find("which the answers name. Add it.") != std::string::npos);
  const Ended none = run_command("embed answers.csv -p ste_features", at);
  CHECK(none.status == 2);
  CHECK(none.err.find("needs triplets and features") != std::string::npos);
}

TEST_CASE("axes with a meaning are judged by scalar products, and none is added to them") {
  const ScratchFolder at;
  const World world;
  write_text(at / "answers.csv", world.answers(false, 3000));
  write_text(at / "new.csv", world.answers(true, 300));
  const Ended made = run_well("embed answers.csv -p spose --holdout 0 -o axes", at);
  CHECK(made.out.find("Axis 1, by falling value: o") != std::string::npos);
  const double error = number_field(read_rows(at / "axes").front(), "metrics.train_error").value();
  CHECK(error < 0.2);
  write_text(at / "more.csv", world.answers(false, 6000));
  run_well("embed more.csv --onto axes -o again", at);
  CHECK(number_field(read_rows(at / "again").front(), "metrics.heldout_error").value() < 2 * error);
  // What made a map cannot judge it, in whatever order.
  std::vector<std::string> turned = lines_of(world.answers(false, 3000));
  std::reverse(turned.begin() + 1, turned.end());
  write_text(at / "turned.csv", join(turned, "\n"));
  for (const std::string own : {"answers.csv", "turned.csv"})
    check_refused({"embed", own, "--onto", "axes", "-o", "judged"}, at,
                  {own, "made the map 'axes'", "cannot judge it"});
  fs::rename(at / "answers.csv", at / "kept.csv");  // they are not known then
  write_text(at / "answers.csv", "no answers\n");
  run_well("embed kept.csv --onto axes -o judged", at);
  const Ended added = run_command("embed new.csv --onto axes", at);
  CHECK(added.status == 2);
  CHECK(added.err.find("adds none to a finished map") != std::string::npos);
}

TEST_CASE("answers that made a map judge neither it nor a map that begins at it") {
  // Tossed coins: what predicts them knows them.
  Rng rng(7);
  std::vector<std::string> coins;
  const auto toss = [&] {
    const std::uint64_t a = rng.below(30), b = (a + 1 + rng.below(29)) % 30;
    std::uint64_t c = rng.below(30);
    while (c == a || c == b) c = rng.below(30);
    return fmt::format("o{},o{},o{}", a, b, c);
  };
  for (int i = 0; i < 320; ++i) coins.push_back(toss());
  const ScratchFolder at;
  const auto write = [&](const char* file, std::size_t from, std::size_t to) {
    write_text(at / file, "anchor,near,far\n" +
                              join(std::vector(coins.begin() + static_cast<std::ptrdiff_t>(from),
                                               coins.begin() + static_cast<std::ptrdiff_t>(to)),
                                   "\n") +
                              "\n");
  };
  write("coins.csv", 0, 300);
  write("more.csv", 0, 320);
  write("half.csv", 0, 150);
  write("part.csv", 150, 320);
  const auto error_of = [&](const char* folder) {
    return number_field(read_rows(at / folder).front(), "metrics.heldout_error").value();
  };
  run_well("embed coins.csv -p soe -d 5 -o map", at);
  CHECK(error_of("map") > 0.4);

  CHECK(holds(run_well("embed coins.csv -p soe -d 5 --init map -o again", at).out,
              "began elsewhere, as the places may know"));
  CHECK(error_of("again") == error_of("map"));

  CHECK(holds(run_well("embed more.csv --onto map -o judged", at).out, "300 of the 320 answers made the map 'map'"));
  CHECK(number_field(read_rows(at / "judged").front(), "heldout_triplets") == 20);
  CHECK(error_of("judged") > 0.2);
  CHECK(holds(run_well("embed part.csv --onto map -o part", at).out, "150 of the 170 answers are also among those"));
  check_refused({"embed", "half.csv", "--onto", "map", "-o", "half"}, at, {"cannot judge it"});

  for (const auto& [file, count] : {std::pair{"half.csv", "150 of the 150"}, {"more.csv", "300 of the 320"}})
    CHECK(holds(
        run_well({"embed", "coins.csv", "-p", "soe", "-d", "5", "--test", file, "-o", "tested", "--force"}, at).out,
        fmt::format("{} test answers are also among those that the map was fitted to", count)));
  write("coins.csv", 0, 310);  // goes on
  CHECK(holds(run_well("embed coins.csv --onto map -o later", at).out, "cannot be told, as its data are not there"));
}

TEST_CASE("every method of answers keeps the places of a finished map or refuses to add to it") {
  const ScratchFolder at;
  std::string answers = "anchor,near,far\n", fresh = answers;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 8; ++k)
        if (i != j && i != k && std::abs(i - j) < std::abs(i - k)) answers += fmt::format("o{},o{},o{}\n", i, j, k);
  for (int k = 1; k < 8; ++k) fresh += fmt::format("new,o{},o{}\n", k - 1, k);
  write_text(at / "answers.csv", answers);
  write_text(at / "fresh.csv", fresh);
  Index added = 0, refused = 0;
  for (const std::string& name : problem_catalog().names()) {
    CAPTURE(name);
    fs::remove_all(at / "old");
    fs::remove_all(at / "both");
    if (run_command("embed answers.csv --holdout 0 --metrics none -o old -p " + name, at).status != 0) continue;
    const Ended both = run_command("embed fresh.csv --onto old --holdout 0 --metrics none -o both", at);
    if (both.status == 2) {
      ++refused;
      CHECK(lines_of(both.err).size() == 1);
      continue;
    }
    ++added;
    const MapTable before = read_map_csv(at / "old/embedding.csv"), after = read_map_csv(at / "both/embedding.csv");
    REQUIRE(before.columns.size() == after.columns.size());
    for (std::size_t c = 0; c < before.columns.size(); ++c)
      CHECK(std::ranges::equal(before.columns[c], std::span(after.columns[c]).first(before.objects.size())));
  }
  CHECK(added >= 10);
  CHECK(refused >= 5);
}

TEST_CASE("new objects that answers do not fix are named, and none of the map, which keep their places") {
  const ScratchFolder at{{"answers.csv", World().answers(false, 3000)},
                         {"open.csv", "anchor,near,far\nzz,o1,o2\nzz,o1,o3\nzz,o1,o4\n"},
                         {"near.csv", "anchor,near,far\nzz,o1,o2\no5,zz,o6\n"},
                         {"far.csv", "anchor,near,far\no5,o6,zz\no5,o7,yy\nyy,o6,o7\nyy,o7,o6\n"}};
  run_well("embed answers.csv -p ste --holdout 0 -o map", at);
  const auto said = [&](const char* file) {
    return run_well({"embed", file, "--onto", "map", "--holdout", "0", "-o", "more", "--force"}, at).out;
  };
  CHECK(holds(said("open.csv"), "do not fix 1 new object: it could lie ever farther away. zz."));
  CHECK(holds_none(said("open.csv"), {"No answer places"}));
  CHECK(holds_none(said("near.csv"), {"No answer places", "do not fix"}));
  CHECK(holds(said("far.csv"), "No answer places 1 object: it occurs only as far, so it may lie anywhere"));
  CHECK(holds_none(said("far.csv"), {"only as near", "do not fix"}));
}

TEST_CASE("a map of features whose method places no new objects says so when it is made") {
  const ScratchFolder scratch{{"old.csv", ",x,y\na,2,4\nb,3,3.1\nc,1,2\nd,1,1\n"}};
  const Ended made = run_well("embed --features old.csv -p laplacian_eigenmaps", scratch);
  CHECK(made.out.find("laplacian_eigenmaps cannot place new objects on this map later (--onto)") != std::string::npos);
}

TEST_CASE("a solve starts at a map of its objects, in any order") {
  const ScratchFolder at{{"answers.csv", World().answers(false, 3000)}};
  run_well("embed answers.csv -p ste -o first", at);
  std::vector<std::string> lines = lines_of(content_of(at / "first/embedding.csv"));
  std::reverse(lines.begin() + 1, lines.end());
  write_text(at / "turned.csv", join(lines, "\n") + "\n");
  const auto iterations = [&](const char* out) {
    return number_field(read_rows(at / out).front(), "refit.iterations").value();
  };
  for (const char* from : {"first", "turned.csv"}) {
    CAPTURE(from);
    run_well({"embed", "answers.csv", "-p", "ste", "--init", from, "--seed", "5", "--force", "-o", "again"}, at);
    CHECK(iterations("again") < 0.5 * iterations("first"));
  }
  lines.pop_back();
  write_text(at / "fewer.csv", join(lines, "\n") + "\n");
  const auto refused = [&](std::vector<std::string> more, const char* words) {
    more.insert(more.begin(), {"embed", "answers.csv", "-p", "ste", "--force", "-o", "again"});
    const Ended ended = run_command(more, at);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.err.find(words) != std::string::npos);
  };
  refused({"--init", "fewer.csv"}, "lacks 1 object");
  refused({"--init", "first", "-d", "3"}, "has 60 rows and 2 columns");
  refused({"--init", "first", "--onto", "first"}, "Leave out --init");
}

TEST_CASE("a bootstrap on a finished map concerns the new objects alone") {
  const World world;
  const ScratchFolder at{{"old.csv", world.answers(false, 4000)}, {"new.csv", world.answers(true, 900)}};
  run_well("embed old.csv -p ste -o old", at);
  run_well("embed new.csv --onto old -o both --bootstrap 12", at);
  const auto lines = lines_of(content_of(at / "both/ellipses.csv"));
  REQUIRE(lines.size() == 1 + kAll);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CAPTURE(lines[i]);
    CHECK(lines[i].ends_with(",0,,,,,,,,") == (i <= kOld));
  }
  const ValueTable row = read_rows(at / "both")[0];
  CHECK(number_field(row, "uncertainty.replicates") == 12);
  CHECK(*number_field(row, "uncertainty.typical_shift") > 0);
  CHECK(*number_field(row, "uncertainty.typical_shift") < 0.5);
  const std::string cited = run_well("cite both", at).out;
  CHECK(holds(cited, "6 new objects were placed; the other 60 kept their places on a finished map"));
  CHECK_FALSE(holds(cited, "was fitted to all"));
}

TEST_CASE("new objects are placed on a finished map, whose objects keep every bit") {
  const World world;
  const ScratchFolder at{{"old.csv", world.answers(false, 4000)}, {"new.csv", world.answers(true, 900)}};
  for (const char* problem : {"ste", "soe", "ste_lapse", "tste"}) {
    CAPTURE(problem);
    run_well({"embed", "old.csv", "-p", problem, "--force", "-o", "old"}, at);
    const Ended ended = run_quietly("embed new.csv --onto old --force -o both", at);
    CHECK(ended.out.find("6 new objects on a finished map of 60") != std::string::npos);
    const FinishedMap before = read_finished_map(at / "old"), after = read_finished_map(at / "both");
    REQUIRE(after.objects.size() == kAll);
    CHECK(after.problem.name == problem);
    CHECK(after.coordinates.topRows(kOld) == before.coordinates);
    for (Index i = 0; i < kOld; ++i)
      CHECK(after.objects[static_cast<std::size_t>(i)] == before.objects[static_cast<std::size_t>(i)]);
    const ValueTable row = read_rows(at / "both").front();
    // 0, 0.011, 0.022 and 0.05 (tste) with kernels of AVX-512, AVX2 and SSE2.
    CHECK(*number_field(row, "metrics.heldout_error") < 0.2);
    CHECK(*number_field(row, "n") == kAll);
  }
}

TEST_CASE("new objects are placed by the answers of those who do not guess") {
  const World world;
  const ScratchFolder at;
  /// The answers of five people by turns, of whom the first answers the other way round.
  const auto by_people = [&](const std::string& answers) {
    std::istringstream lines(answers);
    std::string out, anchor, near, far;
    std::getline(lines, anchor);
    out = "anchor,near,far,annotator\n";
    for (int i = 0; std::getline(lines, anchor, ',') && std::getline(lines, near, ',') && std::getline(lines, far); ++i)
      out += anchor + "," + (i % 5 == 0 ? far + "," + near : near + "," + far) + ",p" + std::to_string(i % 5) + "\n";
    return out;
  };
  write_text(at / "old.csv", by_people(world.answers(false, 4000)));
  write_text(at / "new.csv", by_people(world.answers(true, 900)));
  run_well("embed old.csv -p ste_annotators -o old", at);
  run_quietly("embed new.csv --onto old -o both --bootstrap 3", at);
  const FinishedMap before = read_finished_map(at / "old"), after = read_finished_map(at / "both");
  CHECK(after.coordinates.topRows(kOld) == before.coordinates);
  const auto estimates_in = [&](const char* folder) {
    return parse_annotators_csv(content_of(at / folder / "annotators.csv"), "annotators.csv");
  };
  const auto both = estimates_in("both");
  REQUIRE(both.size() == 5);
  CHECK(both[0].estimate.reversed);
  // 0.994 and 1e-6 with kernels of AVX-512, AVX2 and SSE2.
  CHECK(both[0].estimate.guess_rate > 0.9);
  for (std::size_t a = 1; a < 5; ++a) CHECK(both[a].estimate.guess_rate < 0.2);
  // The same where the answers only judge the map.
  write_text(at / "judging.csv", by_people(world.answers(false, 4900)));
  run_well("embed judging.csv --onto old -o judged", at);
  const auto judging = estimates_in("judged");
  REQUIRE(judging.size() == 5);
  CHECK(judging[0].estimate.reversed);
  CHECK_FALSE(judging[1].estimate.reversed);
}

TEST_CASE("new objects on a table from elsewhere lie in the same place whatever its unit and origin") {
  const World world;
  const ScratchFolder at{{"new.csv", world.answers(true, 600)}};
  for (const std::string loss : {"ste", "tste", "soe"}) {
    CAPTURE(loss);
    Matrix first;
    for (const auto& [unit, origin] :
         {std::pair{1.0, 0.0}, {1e-3, 0.0}, {0.3, 0.0}, {50.0, 0.0}, {1e-160, 0.0}, {1.0, 1e6}}) {
      CAPTURE(unit);
      CAPTURE(origin);
      std::string table = "name,x,y\n";
      for (Index i = 0; i < kOld; ++i)
        table += fmt::format("o{},{},{}\n", i, origin + unit * world.points(i, 0), origin + unit * world.points(i, 1));
      write_text(at / "map.csv", table);
      run_well({"embed", "new.csv", "--onto", "map.csv", "-p", loss, "-o", "m", "--force"}, at);
      const FinishedMap map = read_finished_map(at / "m");
      Matrix places(kAll, 2);
      for (std::size_t i = 0; i < map.objects.size(); ++i)
        places.row(std::stol(map.objects[i].substr(1))) =
            (map.coordinates.row(static_cast<Index>(i)).array() - origin) / unit;
      const Vector off = (places - world.points).rowwise().norm();
      CHECK(off.head(kOld).maxCoeff() < 1e-9);
      CHECK(off.tail(kAll - kOld).maxCoeff() < 0.3);
      if (first.size() == 0) first = places;
      if (loss != "soe" || origin == 0) CHECK((places - first).norm() < 1e-3);  // soe's optima have room for rounding
    }
  }
}

TEST_CASE("names of stimuli are drawn without folder and ending, in colours of their own") {
  const ScratchFolder at;
  std::string answers = "anchor,near,far\n", labels = "name,kind\n";
  for (int i = 0; i < 8; ++i) {
    labels += fmt::format("img/o{}.PNG,{}\n", i, i < 4 ? "left" : "right");
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 8; ++k)
        if (std::abs(i - j) < std::abs(i - k) && i != j)
          answers += fmt::format("img/o{}.PNG,img/o{}.PNG,img/o{}.PNG\n", i, j, k);
  }
  write_text(at / "answers.csv", answers);
  write_text(at / "kinds.csv", labels);
  run_well("embed answers.csv -p ste -o map", at);
  run_well("figure map -o map.svg --labels kinds.csv", at);
  const std::string drawn = content_of(at / "map.svg");
  CHECK(holds_all(drawn, {">o3<", ">right<"}));
  CHECK(drawn.find("PNG") == std::string::npos);
  CHECK(content_of(at / "map/embedding.csv").find("img/o3.PNG") != std::string::npos);
  // New objects of a map whose names have neither get such a name too.
  std::string six = "name,x,y\n";
  for (int i = 0; i < 6; ++i) six += fmt::format("o{},{},{}\n", i, i, i % 2);
  write_text(at / "six.csv", six);
  run_well("embed answers.csv --onto six.csv -o eight", at);
  const MapTable eight = read_map_csv(at / "eight/embedding.csv");
  CHECK(eight.objects.back() == "o7");
  CHECK(eight.labels.back() == "placed on it");
}

TEST_CASE("a map from elsewhere is judged by answers, as it is") {
  const World world;
  const ScratchFolder at{{"answers.csv", world.answers(false, 2000)}};
  run_well("embed answers.csv -p ste -o mine", at);
  // As R writes a matrix with row names, three times as large and turned, in another order.
  const MapTable mine = read_map_csv(at / "mine/embedding.csv");
  std::string table = "\"\",\"Dim1\",\"Dim2\"\n";
  for (std::size_t i = mine.objects.size(); i-- > 0;)
    table += fmt::format("\"{}\",{},{}\n", mine.objects[i], -3 * mine.columns[1][i], 3 * mine.columns[0][i]);
  write_text(at / "colleague.csv", table);
  const Ended ended = run_well("embed answers.csv --onto colleague.csv -o theirs", at);
  CHECK(ended.out.find("judged as they are") != std::string::npos);
  const ValueTable judged = read_rows(at / "theirs").front(), own = read_rows(at / "mine").front();
  CHECK(number_field(judged, "heldout_triplets") == 2000);
  // The map was fitted to these answers, and its error does not depend on turn and size.
  CHECK(number_field(judged, "metrics.heldout_error") == number_field(own, "refit.train_error"));
  CHECK(number_field(judged, "heldout.low").has_value());
  CHECK(text_field(judged, "problem") == kGivenMap);

  const Ended citing = run_command("cite theirs", at);
  CHECK(citing.out.starts_with("The map was judged with Alidade"));
  CHECK(citing.out.find("solved by") == std::string::npos);
  CHECK(citing.err.find("no row") == std::string::npos);  // the folder plans no run
  const std::string differs = run_command("diff mine theirs", at).out;
  CHECK(holds_all(differs, {"objects that both have moved", "B is a map from elsewhere"}));
  CHECK(differs.find("method.") == std::string::npos);
  // The colleague's map was judged by all answers, mine by those held out of it: the comparison is on these.
  CHECK(holds_all(differs, {"on the 400 answers that both maps were judged on: error 0.", "paired, over "}));
  // Weights are no number of answers.
  std::string weighted;
  for (const char c : content_of(at / "answers.csv")) {
    if (c == '\n') weighted += weighted.find('\n') == std::string::npos ? ",weight" : ",7.5";
    weighted += c;
  }
  write_text(at / "weighted.csv", weighted);
  run_well("embed weighted.csv -p ste -o heavy", at);
  run_well("embed weighted.csv -p gnmds -o hinge", at);
  CHECK(holds_all(run_command("diff heavy hinge", at).out,
                  {"on the 400 answers that both maps were judged on: error 0."}));
  // Nobody is called a guesser because somebody else's map is wrong.
  std::string wrong = "name,x,y\n";
  Rng rng(3);
  for (const std::string& name : mine.objects) wrong += fmt::format("{},{},{}\n", name, rng.normal(), rng.normal());
  write_text(at / "wrong.csv", wrong);
  std::string people = "annotator," + content_of(at / "answers.csv");
  for (std::size_t i = people.find('\n') + 1, k = 0; i < people.size(); i = people.find('\n', i) + 1)
    people.insert(i, fmt::format("p{},", k++ % 12));
  write_text(at / "people.csv", people);
  const Ended accused = run_well("embed people.csv --onto wrong.csv -o w", at);
  CHECK(accused.out.find("guess") == accused.out.find("guessing"));
  run_well("figure mine theirs -o both.svg", at);
  CHECK(content_of(at / "both.svg").find("colleague") != std::string::npos);
  run_well("report mine theirs -o both.html", at);
  CHECK(holds(content_of(at / "both.html"), "\"turn\":\""));
}

TEST_CASE("options that have no effect are refused, and not ignored") {
  const World world;
  const ScratchFolder at{{"old.csv", world.answers(false, 600)},
                         {"more.csv", world.answers(false, 900)},
                         {"table.csv", "name,x,y\na,2,4\nb,3,3.1\nc,1,2\nd,1,1\n"},
                         {"new.csv", "name,x,y\ne,2,4.5\nf,3,3.2\n"}};
  run_well("embed old.csv -p ste -o old", at);
  run_well("embed --features table.csv -p pca -o placed", at);
  const auto refused = [&](const std::string& arguments, const std::string& options, const std::string& reason) {
    const Ended ended = run_command("embed " + arguments + " " + options, at);
    CAPTURE(options);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(holds_all(ended.err, {reason, options.substr(0, options.find(' '))}));
    CHECK_FALSE(fs::exists(at / "out"));
  };
  for (const std::string options :
       {"--bootstrap 5", "--ellipses sandwich", "--holdout .1", "--test old.csv", "--problem tste", "--solver ceres"})
    refused("more.csv --onto old -o out", options, "they judge it, and nothing is fitted");
  for (const std::string options : {"--metrics trustworthiness", "--set solver.max_iter=5", "--problem pca"})
    refused("--features new.csv --onto placed -o out", options, "nothing is solved");
  refused("old.csv -p ste -o out", "--ellipses bootstrap", "Say how many");
  refused("old.csv -p ste -o out", "--ellipses parametric", "Say how many");
  refused("old.csv -p ste -o -", "--force", "none is written");
  refused("old.csv -p ste --json", "--images .", "none is written");
}

TEST_CASE("objects that cannot be added are refused with a reason and leave nothing") {
  const World world;
  const ScratchFolder at{{"old.csv", world.answers(false, 2000)}, {"new.csv", world.answers(true, 300)}};
  run_well("embed old.csv -p ste -o old", at);
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& parts) {
    const Ended ended = run_command(arguments, at);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.err.find(parts) != std::string::npos);
    CHECK_FALSE(fs::exists(at / "out"));
  };
  write_text(at / "others.csv", "anchor,near,far\na,b,c\nb,a,c\n");
  refused({"embed", "others.csv", "--onto", "old", "-o", "out"},
          "others.csv: No object of these answers, such as 'a', is on the map");
  refused({"embed", "new.csv", "--onto", "nowhere", "-o", "out"}, "holds no embedding.csv");
  refused({"embed", "new.csv", "--onto", "old", "-d", "3", "-o", "out"}, "Leave --n-components out");
  refused({"embed", "new.csv", "--onto", "old", "--set", "problem.manifold=oblique", "-o", "out"},
          "Euclidean maps only");
  write_text(at / "old/embedding.csv", "object,label,x1,x2\na,,1,2\na,,3,4\n");
  refused({"embed", "new.csv", "--onto", "old", "-o", "out"}, "embedding.csv:3: The object 'a' is listed twice");
  write_text(at / "old/embedding.csv", "object,label,x1,x2\na,,1,nan\n");
  refused({"embed", "new.csv", "--onto", "old", "-o", "out"}, "embedding.csv:2: The object 'a' has no position");
  write_text(at / "old/embedding.csv", "object,label,x1,x2\na,,1\n");
  refused({"embed", "new.csv", "--onto", "old", "-o", "out"}, "embedding.csv:2");
}

}  // namespace onto_test
