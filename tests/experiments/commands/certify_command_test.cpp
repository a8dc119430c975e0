// The command `alidade certify` as its users meet it: what it proves of a map, and which maps it refuses.
// The map is made by `alidade embed` from answers in a file of its own.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "problems/core/text.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"

namespace certify_command_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

/// Noise-free answers about 25 points of the plane.
std::string answers(const std::string& prefix = "o") {
  Rng rng(41);
  const TripletList list = triplets_of(gaussian_points(25, 2, rng), 1500, 0, rng);
  std::string out = "anchor,near,far\n";
  for (std::uint64_t t = 0; t < list.size(); ++t) {
    const Triplet one = list.at(t);
    out += fmt::format("{0}{1},{0}{2},{0}{3}\n", prefix, one.anchor, one.near, one.far);
  }
  return out;
}

/// The first number after `name` at the start of a line.
double number(const Ended& ended, const std::string& name) {
  for (const std::string& line : lines_of(ended.out))
    if (line.starts_with(name)) {
      const std::string_view rest = trim(std::string_view(line).substr(name.size()));
      return parse_double(rest.substr(0, rest.find_first_of(" ,"))).value_or(std::nan(""));
    }
  return std::nan("");
}

void embed(const ScratchFolder& folder, const std::string& map, const std::vector<std::string>& more) {
  std::vector<std::string> all = {"embed", "answers.csv", "--holdout", "0", "-o", map};
  all.insert(all.end(), more.begin(), more.end());
  run_well(all, folder);
}

TEST_CASE("certify proves a plane map of a large regulariser best in any dimension, and a bad map not") {
  const ScratchFolder folder{{"answers.csv", answers()}};
  // Far above the noise, where the optimum over all dimensions lies in the plane.
  embed(folder, "good", {"-p", "ste", "--set", "problem.lambda=25", "--set", "problem.init_scale=0.1", "-d", "3"});
  const Ended good = run_quietly("certify good --tolerance 1e-6", folder);
  CHECK(number(good, "lambda") == 25);
  CHECK(number(good, "objective") >= number(good, "lower bound"));
  CHECK(number(good, "excess") >= 0);
  CHECK(number(good, "excess") < 1e-3);
  CHECK(holds_all(good.out, {"25 objects in 3 dimensions, by ste", "proven for maps of any dimension", "converged"}));

  // Another regulariser's map is a bad one for this: its coordinates under the good one's row.
  embed(folder, "small", {"-p", "ste", "--set", "problem.lambda=1", "--set", "problem.init_scale=0.1", "-d", "3"});
  std::filesystem::copy_file(folder / "small" / "embedding.csv", folder / "good" / "embedding.csv",
                             std::filesystem::copy_options::overwrite_existing);
  const Ended bad = run_command("certify good", folder);
  CAPTURE(bad.out);
  CHECK(bad.status == 0);  // the bound is as good as before
  CHECK(number(bad, "excess") > 0.05);
  CHECK(number(bad, "  of which") > 0.05);
  CHECK(std::abs(number(bad, "lower bound") / number(good, "lower bound") - 1) < 1e-3);
}

TEST_CASE("certify reads gnmds with its regulariser relative to the answers, and answers that have moved") {
  const ScratchFolder folder{{"answers.csv", answers()}};
  embed(folder, "map", {"-p", "gnmds", "--set", "problem.lambda0=0.2"});
  std::filesystem::rename(folder / "answers.csv", folder / "moved.csv");
  CHECK(run_command("certify map", folder).status == 2);
  const Ended ended = run_well("certify map moved.csv", folder);
  CHECK(std::abs(number(ended, "lambda") - 0.2 * 1500 / 25) < 1e-9);
  CHECK(number(ended, "objective") >= number(ended, "lower bound"));
}

TEST_CASE("what reads a map says that its data, or a file of its folder, is not what it was") {
  const std::string made = answers();
  const ScratchFolder folder{{"answers.csv", made}, {"more.csv", made + "o1,o2,o3\n"}};
  embed(folder, "map", {"-p", "ste"});
  const auto said = [&](const std::string& command) {
    const Ended ended = run_well(command, folder);
    return ended.err + ended.out;
  };
  for (const std::string command : {"certify map", "verify map", "embed more.csv --onto map -o on",
                                    "embed answers.csv -p ste --init map -o again"})
    CHECK(holds_none(said(command), {"other data", "changed after"}));
  write_text(folder / "answers.csv", made.substr(0, made.rfind('\n', made.size() / 2) + 1));
  for (const std::string command : {"certify map", "certify map answers.csv", "verify map"})
    CHECK(holds_all(said(command), {"Note: The files of dataset 'answers.csv' hold other data (", " was made with ("}));
  write_text(folder / "answers.csv", made);
  std::string places = content_of(folder / "map" / "embedding.csv");
  std::swap(places[places.find("\no1,") + 2], places[places.find("\no2,") + 2]);
  write_text(folder / "map" / "embedding.csv", places);
  for (const std::string command : {"certify map", "embed more.csv --onto map -o on --force",
                                    "embed answers.csv -p ste --init map -o again --force"})
    CHECK(holds_all(said(command), {"Note: map: 1 file was changed after it was written, such as embedding.csv."}));
}

TEST_CASE("certify refuses what it can not judge, with what to do") {
  const ScratchFolder folder{{"answers.csv", answers()}, {"others.csv", answers("p")}};
  embed(folder, "tste", {"-p", "tste"});
  embed(folder, "lapse", {"-p", "ste", "--set", "problem.lapse_rate=0.1"});
  embed(folder, "sphere", {"-p", "ste", "--set", "problem.manifold=oblique"});
  embed(folder, "free", {"-p", "ste", "--set", "problem.lambda=0"});
  embed(folder, "ste", {"-p", "ste"});
  embed(folder, "convex", {"-p", "ste_convex"});
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    std::vector<std::string> all = {"certify"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Ended ended = run_command(all, folder);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(holds_all(ended.err, {"alidade:", why}));
  };
  refused({"tste"}, "not convex in squared distances");
  refused({"convex"}, "proves its own result");
  refused({"lapse"}, "lapse_rate");
  refused({"sphere"}, "on a sphere");
  refused({"free"}, "problem.lambda > 0");
  refused({"nowhere"}, "no embedding.csv");
  refused({"ste", "others.csv"}, "objects: p");
  refused({"ste", "--tolerance", "0"}, "tolerance");
  refused({"ste", "--threads", "0"}, "--threads");
  refused({"ste", "--timeout", "soon"}, "soon");
}

}  // namespace

}  // namespace certify_command_test
