// New features on a finished map, by the function kept beside it: the file, and the built command.
#include <doctest/doctest.h>

#include <fmt/core.h>

#include <cmath>

#include "experiments/files/json.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/semidefinite/kernel_features.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/scratch_folder.hpp"

namespace projector_test {

using namespace alidade;
using namespace alidade::testing;
using semidefinite::KernelFeatures;
namespace fs = std::filesystem;

namespace {

constexpr Index kOld = 30, kNew = 4;

/// Rows of numbers, some of them on the map, and a kernel map of those in two dimensions.
struct World {
  World() {
    Rng rng(9);
    features = gaussian_points(kOld + kNew, 5, rng).cast<float>();
    const auto old = std::make_shared<const FeatureMatrix>(features.topRows(kOld));
    Executor executor;
    const KernelFeatures kernel({semidefinite::KernelKind::rbf, 3, 2, 1}, old, {0, 2, 5, 9, 20, 28}, executor);
    Matrix axes = Matrix::Zero(kernel.spread().size(), 2);
    axes(0, 0) = 2;
    axes(1, 1) = 1;
    projector = kernel.projector(axes);
    map = kernel.whitened() * axes;
  }
  [[nodiscard]] std::string table(Index first, Index count, const std::string& name) const {
    std::string out = name.empty() ? "" : "name,";
    out += "a,b,c,d,e\n";
    for (Index i = first; i < first + count; ++i) {
      if (!name.empty()) out += fmt::format("{}{},", name, i);
      for (Index c = 0; c < 5; ++c) out += fmt::format("{}{}", c ? "," : "", features(i, c));
      out += "\n";
    }
    return out;
  }
  /// A folder that embed wrote, with this map and its function in place of the one it found.
  void write_map(const fs::path& at, const std::vector<std::string>& more = {}) const {
    write_text(at / "old.csv", table(0, kOld, "o"));
    std::vector<std::string> line = {"embed", "--features", "old.csv",           "--name-column",
                                     "name",  "--set",      "solver.max_iter=2", "--force",
                                     "-o",    "old"};
    line.insert(line.end(), more.begin(), more.end());
    run_well(line, at);
    std::vector<std::string> names;
    for (Index i = 0; i < kOld; ++i) names.push_back(fmt::format("o{}", i));
    write_text(at / "old/embedding.csv", map_to_csv(map, names, {}));
    write_text(at / "old/embedding.projector.json", projector_to_json(*projector));
  }

  FeatureMatrix features;
  std::shared_ptr<const Projector> projector;
  Matrix map;
};

}  // namespace

TEST_CASE("a projector read from its file gives the same bits") {
  const World world;
  const ScratchFolder scratch;
  const fs::path file = scratch / "p.json";
  write_text(file, projector_to_json(*world.projector));
  CHECK(read_projector(file)->project(world.features) == world.projector->project(world.features));
}

TEST_CASE("new features are placed on a finished map, whose objects keep every bit") {
  const World world;
  const ScratchFolder at;
  world.write_map(at);
  write_text(at / "new.csv", world.table(kOld, kNew, "n"));
  run_well("embed --features new.csv --onto old --force -o both", at);
  const MapTable both = read_map_csv(at / "both/embedding.csv");
  REQUIRE(both.objects.size() == kOld + kNew);
  CHECK(both.objects.front() == "o0");
  CHECK(both.objects.back() == "n33");
  const Matrix expected = world.projector->project(world.features.bottomRows(kNew));
  for (Index i = 0; i < kOld + kNew; ++i)
    for (Index c = 0; c < 2; ++c)
      CHECK(both.columns[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)] ==
            (i < kOld ? world.map(i, c) : expected(i - kOld, c)));
  const ValueTable row = read_rows(at / "both").front();
  CHECK(text_field(row, "status") == "ok");
  CHECK(*number_field(row, "n") == kOld + kNew);
  CHECK(text_field(row, "files.projector") == "embedding.projector.json");
  // The new folder is a map to which objects can be added in turn; one object will do, and needs no name.
  write_text(at / "one.csv", world.table(kOld, 1, ""));
  run_well({"embed", "--features", "one.csv", "--onto", "both", "-o", "third", "--name-column", ""}, at);
  const MapTable third = read_map_csv(at / "third/embedding.csv");
  CHECK(third.objects.back() == "35");
  CHECK(third.columns[0].back() == expected(0, 0));
}

TEST_CASE("a map of kpsde has a projector that gives its objects their own places") {
  const World world;
  const ScratchFolder at{{"old.csv", world.table(0, kOld, "o")}};
  run_well("embed --features old.csv --name-column name -p kpsde -s cutting_plane -d 2 --force -o old", at);
  const MapTable map = read_map_csv(at / "old/embedding.csv");
  write_text(at / "again.csv", world.table(0, kOld, "again"));
  run_well("embed --features again.csv --onto old --force -o both", at);
  const MapTable both = read_map_csv(at / "both/embedding.csv");
  REQUIRE(both.objects.size() == 2 * kOld);
  for (const auto& column : both.columns)
    for (std::size_t i = 0; i < kOld; ++i) CHECK(std::abs(column[i] - column[i + kOld]) < 1e-9);
  // Another map in the same folder leaves no function of the old one behind.
  run_well(
      "embed --features old.csv --name-column name --set solver.max_iter=2 --set "
      "problem.placement=false --force -o old",
      at);
  CHECK_FALSE(fs::exists(at / "old/embedding.projector.json"));
}

TEST_CASE("maps of t-SNE and of the default method place new objects, and their own objects at their own places") {
  const World world;
  const ScratchFolder at{{"old.csv", world.table(0, kOld, "o")}};
  std::vector<std::string> line = {"embed", "--features", "old.csv", "--name-column", "name", "-o", "old", "--force"};
  SUBCASE("t-SNE") { line.insert(line.end(), {"-p", "tsne"}); }
  SUBCASE("the default") {}
  run_well(line, at);
  const MapTable map = read_map_csv(at / "old/embedding.csv");
  write_text(at / "again.csv", world.table(0, kOld + kNew, "again"));
  run_well("embed --features again.csv --onto old --force -o both", at);
  const MapTable both = read_map_csv(at / "both/embedding.csv");
  REQUIRE(both.objects.size() == 2 * kOld + kNew);
  for (const auto& column : both.columns) {
    for (std::size_t i = 0; i < kOld; ++i) CHECK(column[i] == column[i + kOld]);
    for (std::size_t i = 2 * kOld; i < column.size(); ++i) CHECK(std::isfinite(column[i]));
  }
  // Kept only if it is wanted.
  line.insert(line.end(), {"--set", "problem.placement=false"});
  run_well(line, at);
  CHECK_FALSE(fs::exists(at / "old/embedding.projector.json"));
  CHECK(read_map_csv(at / "old/embedding.csv").columns == map.columns);
}

TEST_CASE("features that cannot be placed are refused in one line and leave nothing") {
  const World world;
  const ScratchFolder at;
  world.write_map(at);
  write_text(at / "new.csv", world.table(kOld, kNew, "n"));
  const auto refused = [&](const std::vector<std::string>& more, const std::string& parts,
                           const std::string& file = "new.csv", const std::string& map = "old") {
    std::vector<std::string> line = {"embed", "--features", file, "--onto", map, "--force", "-o", "out"};
    line.insert(line.end(), more.begin(), more.end());
    const Ended ended = run_command(line, at);
    CAPTURE(ended.err);
    CAPTURE(parts);
    CHECK(ended.status == 2);
    CHECK(ended.err.find(parts) != std::string::npos);
    CHECK(lines_of(ended.err).size() == 1);
    CHECK_FALSE(fs::exists(at / "out"));
  };
  refused({"-p", "kpsde"}, "Leave out --problem");
  refused({"-d", "3"}, "Leave out --n-components");
  refused({"--scale", "standard"}, "Leave out --scale");
  refused({}, "holds no embedding.csv", "new.csv", "nowhere");
  refused({}, "old.csv:2: The object 'o0' is on the map already", "old.csv");
  write_text(at / "narrow.csv", "name,a,b\nn1,1,2\n");
  refused({}, "learnt from 5 features", "narrow.csv");

  const std::string good = content_of(at / "old/embedding.projector.json");
  const auto damaged = [&](const std::string& content, const std::string& parts) {
    write_text(at / "old/embedding.projector.json", content);
    refused({}, parts);
  };
  damaged("", "embedding.projector.json");
  damaged(good.substr(0, good.size() / 2), "embedding.projector.json");
  damaged("{}", "is not a projector");
  Value parsed = parse_json(good, "good");
  ValueTable newer = *parsed.get_if<ValueTable>();
  newer.set("version", 2);
  damaged(to_json(newer), "another version");
  ValueTable held = *newer.find("projector")->get_if<ValueTable>();
  held.erase("roots");
  newer.set("version", 1);
  newer.set("projector", held);
  damaged(to_json(newer), "is damaged: 'roots' is missing");
  fs::remove(at / "old/embedding.projector.json");
  refused({}, "Make the map again with weighted_ete, ");
}

}  // namespace projector_test
