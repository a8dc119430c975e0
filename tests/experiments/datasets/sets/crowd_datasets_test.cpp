#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/packed_archive.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/packed_files.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace crowd_datasets_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;

using Names = std::vector<std::string>;

std::string screen(const std::string& probe, const std::string& picks, const std::string& images, bool caught = false) {
  return "{\"probe\": \"" + probe + "\", \"near_answer\": [" + picks + "], \"images\": [" + images +
         "], \"is_catchtrial\": " + (caught ? "true" : "false") + "}";
}
std::string hit(int worker, const std::string& screens) {
  return "{\"worker_id\": " + std::to_string(worker) + ", \"HIT_screens\": [" + screens + "]}";
}

// b.json first in the archive; a.json comes first by name. Worker 7 gives 2 + 1 triplets, worker 3 gives 1.
std::string archive() {
  return tar_of({{"raw/b.json", "[" + hit(7, screen("s", "\"p\"", "\"p\", \"r\"")) + "]"},
                 {"raw/notes.txt", "not an answer"},
                 {"raw/a.json", "[" +
                                    hit(7, screen("p", "\"q\", \"r\"", "\"q\", \"s\", \"r\"") + ", " +
                                               screen("q", "\"s\"", "\"s\", \"r\"", true)) +
                                    ", " + hit(3, screen("q", "\"p\"", "\"p\", \"s\"")) + "]"}});
}

Observations loaded(const std::string& tar, const std::vector<std::pair<std::string, Value>>& options = {}) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "food100");
  write_text(folder / "food100/raw-json.tar", tar);
  ValueTable table;
  for (const auto& [key, value] : options) table.set(key, value);
  return dataset_catalog().at("food100_workers").load(table, {.folder = folder.path()});
}

}  // namespace

TEST_CASE("answers about cars are whole numbers of cars that were shown") {
  const auto load = [](const std::string& row) {
    const ScratchFolder folder;
    std::filesystem::create_directories(folder / "cars60");
    std::ofstream(folder / "cars60/survey_data.csv")
        << "survey_round,chosen_center,triplet_object_1,triplet_object_2,triplet_object_3\n"
        << row << "\n";
    return message_of<DataError>([&] { dataset_catalog().at("cars60").load({}, {.folder = folder.path()}); });
  };
  for (const char* row : {"1,2.5,2,3,4", "1.5,2,2,3,4", "1,5,2,3,4", "1,61,61,3,4", "0,2,2,3,4", "1,x,2,3,4"})
    CHECK_MESSAGE(holds(load(row), "survey_data.csv:2: This is not a round and one of three cars"), row);
}

TEST_CASE("every pick is nearer than every photo left; the busiest workers are aspects, and all photos objects") {
  if (!can_unpack()) return;
  const Observations both = loaded(archive(), {{"whole_screens", true}});
  CHECK(both.objects == Names{"p", "q", "s", "r"});
  CHECK(both.aspects == Names{"worker 7", "worker 3"});
  CHECK(both.annotators == both.aspects);
  CHECK(*both.annotator == std::vector<std::uint32_t>{0, 0, 1, 0});
  CHECK(*both.answer == std::vector<std::uint32_t>{0, 0, 1, 2});
  // Files by name, catch trials left out. p: q before s and r before s; q, worker 3: p before s; s: p before r.
  const Triplet expected[] = {{0, 1, 2, 0, 1.0}, {0, 3, 2, 0, 1.0}, {1, 0, 2, 1, 1.0}, {2, 0, 3, 0, 1.0}};
  REQUIRE(both.triplets->size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(both.triplets->at(i) == expected[i]);
  CHECK(both.notes.empty());
  const Observations one = loaded(archive(), {{"workers", 1}});
  CHECK(one.aspects == Names{"worker 7"});
  CHECK(one.triplets->size() == 3);
  CHECK(one.objects.size() == 4);
  CHECK_FALSE(one.answer);
  CHECK(one.notes == Names{"1 of 2 workers are included, with 3 of 4 triplets."});
  CHECK(loaded(archive(), {{"min_triplets", 2}}).aspects == Names{"worker 7"});
  CHECK(holds(message_of<DataError>([] { return loaded(archive(), {{"min_triplets", 9}}); }), "min_triplets"));
}

TEST_CASE("files of Food that hold something else are refused") {
  if (!can_unpack()) return;
  for (const std::string& json : {std::string("{}"), std::string("[1"), std::string("[{}]"),
                                  "[" + hit(1, screen("p", "\"q\"", "\"q\", \"r\"") + ", {}") + "]",
                                  "[" + hit(1, screen("p", "1", "\"q\", \"r\"")) + "]"})
    CHECK(holds(message_of<DataError>([&] {
                  return loaded(tar_of({{"f.json", json}}));
                }),
                "tar/f.json' is not a list of HITs with screens. Download the file again."));
  for (const std::string& screens : {screen("p", "\"x\"", "\"q\", \"r\""), screen("p", "\"q\"", "\"q\", \"p\"")})
    CHECK(holds(message_of<DataError>([&] {
                  return loaded(tar_of({{"f.json", "[" + hit(1, screens) + "]"}}));
                }),
                "A screen with the probe 'p' shows it again"));
  CHECK(holds(message_of<DataError>([] { return loaded(tar_of({{"f.json", "[]"}})); }), "holds no answers"));
}

TEST_SUITE("needs data") {
  TEST_CASE("Food by worker has the rows of Food, each with the worker who gave it") {
    ALIDADE_NEEDS_DATA();
    if (!can_unpack()) return;
    const auto load = [](const char* name, const alidade::ValueTable& options) {
      return alidade::datasets::dataset_catalog().at(name).load(
          options, {.folder = alidade::datasets::data_folder(std::nullopt)});
    };
    alidade::ValueTable everyone;
    everyone.set("workers", 1000);
    everyone.set("whole_screens", true);
    const Observations all = load("food100_workers", everyone), food = load("food100", {});
    CHECK(all.aspects.size() == 243);
    CHECK(all.objects == food.objects);
    REQUIRE(all.triplets->size() == food.triplets->size());
    std::uint64_t different = 0;
    std::vector<std::uint64_t> per_worker(243, 0);
    for (std::uint64_t i = 0; i < food.triplets->size(); ++i) {
      Triplet t = all.triplets->at(i);
      ++per_worker[t.aspect];
      t.aspect = 0;
      different += t == food.triplets->at(i) ? 0 : 1;
    }
    CHECK(different == 0);
    CHECK(all.answer->back() == 15'319);
    CHECK(std::ranges::is_sorted(per_worker, std::greater{}));
    CHECK(std::vector(per_worker.begin(), per_worker.begin() + 5) ==
          std::vector<std::uint64_t>{26'928, 17'728, 14'592, 11'424, 9'984});
    const Observations usual = load("food100_workers", {});
    CHECK(usual.triplets->aspect_count() == 20);
    CHECK(usual.object_count() == 100);
  }
}

}  // namespace crowd_datasets_test
