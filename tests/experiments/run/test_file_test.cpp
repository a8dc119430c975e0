// Maps judged by a file of their own, or by whole annotators that were held out.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/run/run.hpp"
#include "experiments/run/split.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/row_fields.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace test_file_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kSeed = 20261125;

std::string text_of(const TripletList& triplets, std::uint64_t begin, std::uint64_t end, int annotators = 0) {
  std::string out = annotators > 0 ? "anchor,near,far,annotator\n" : "anchor,near,far\n";
  for (std::uint64_t i = begin; i < end; ++i) {
    const Triplet t = triplets.at(i);
    out += fmt::format("o{},o{},o{}", t.anchor, t.near, t.far);
    if (annotators > 0) out += fmt::format(",p{}", i % static_cast<std::uint64_t>(annotators));
    out += '\n';
  }
  return out;
}

struct Files {
  Files() {
    Rng rng(kSeed);
    triplets = triplets_of(gaussian_points(20, 2, rng), 1500, 0.1, rng);
    write_text(folder / "a.csv", text_of(triplets, 0, 1000));
    write_text(folder / "later.csv", text_of(triplets, 1000, 1500));
  }
  [[nodiscard]] Experiment experiment(const std::string& split, const std::string& dataset,
                                      const std::string& method = "problem = \"ste\"\n") const {
    return interpret(parse_config("name = \"x\"\nseed = 3\n[split]\n" + split + "\n[[dataset]]\nname = \"triplets\"\n" +
                                      dataset + "\n[[method]]\n" + method,
                                  (folder / "c.toml").string()));
  }
  [[nodiscard]] Observations data(const Experiment& e) const {
    return datasets::dataset_catalog().at("triplets").load(e.datasets.front().options, {folder.path()});
  }
  [[nodiscard]] RunResult run(const Experiment& e, std::size_t index = 0) const {
    const Observations observations = data(e);
    return execute({e, plan(e)[index], observations, 0.0, 1, {}});
  }
  [[nodiscard]] std::string file(const char* name) const { return (folder / name).string(); }
  ScratchFolder folder;
  TripletList triplets{20};
};

}  // namespace

TEST_CASE("a test file judges the map and makes no part of it") {
  const Files files;
  const std::string own = fmt::format("file = \"{}\"\n", files.file("a.csv"));
  const std::string tested = own + fmt::format("test = \"{}\"\n", files.file("later.csv"));
  const RunResult judged = files.run(files.experiment("refit = true", tested));
  const RunResult whole = files.run(files.experiment("holdout = 0.0", own));
  CHECK((judged.embedding.only() == whole.embedding.only()));
  CHECK(number_field(judged.row, "triplets") == 1000);
  CHECK(number_field(judged.row, "heldout_triplets") == 500);
  CHECK(is_null_field(judged.row, "refit"));
  // The error is that of the second file.
  const Observations both = files.data(files.experiment("", tested));
  CHECK(both.test_triplets == 500);
  int violated = 0;
  for (std::uint64_t t = 1000; t < 1500; ++t) {
    const Triplet one = both.triplets->at(t);
    const auto row = [&](ObjectId i) { return judged.embedding.only().row(static_cast<Index>(i)); };
    violated +=
        (row(one.anchor) - row(one.near)).squaredNorm() < (row(one.anchor) - row(one.far)).squaredNorm() ? 0 : 1;
  }
  CHECK(*judged.row.metric("heldout_error") == violated / 500.0);
  CHECK(judged.row.heldout->independent == 500);
}

TEST_CASE("the digests of a split tell whether two runs had the same, and what both held out") {
  const Files files;
  const Observations all = files.data(files.experiment(
      "", fmt::format("file = \"{}\"\ntest = \"{}\"\n", files.file("a.csv"), files.file("later.csv"))));
  using What = HoldOut::What;
  const auto digests = [&](What what, double amount, std::uint64_t key) {
    return digests_of(make_split(all, {.what = what, .amount = amount}, key));
  };
  for (const auto& [what, amount] : {std::pair(What::triplets, 0.2), std::pair(What::objects, 3.0)}) {
    CHECK(digests(what, amount, 1) == digests(what, amount, 1));
    CHECK(digests(what, amount, 1).first != digests(what, amount, 2).first);
    CHECK(digests(what, amount, 1).second != digests(what, amount, 2).second);
  }
  CHECK(digests(What::triplets, 0.2, 1).first != digests(What::triplets, 0.4, 1).first);
  CHECK(digests(What::test_file, 0, 1) == digests(What::test_file, 0, 2));
  CHECK_FALSE(digests(What::triplets, 0, 1).second);
}

TEST_CASE("what auto chooses does not depend on the test file") {
  const Files files;
  const std::string own = fmt::format("file = \"{}\"\n", files.file("a.csv"));
  const std::string chooser = "problem = \"ste\"\nchoose = { problem.lambda = [0.01, 1.0, 100.0] }\n";
  const RunResult judged =
      files.run(files.experiment("", own + fmt::format("test = \"{}\"\n", files.file("later.csv")), chooser));
  const RunResult whole = files.run(files.experiment("holdout = 0.0", own, chooser));
  CHECK(judged.row.chosen.to_text() == whole.row.chosen.to_text());
}

TEST_CASE("a test file of other objects, with folds, or that is missing is refused") {
  const Files files;
  write_text(files.folder.path() / "other.csv", "anchor,near,far\no1,o2,stranger\n");
  const std::string own = fmt::format("file = \"{}\"\n", files.file("a.csv"));
  const auto with = [&](const char* name) { return own + fmt::format("test = \"{}\"\n", files.file(name)); };
  CHECK(holds_all(message_of<DataError>([&] { return files.data(files.experiment("", with("other.csv"))); }),
                  {"other.csv", "'stranger'", "Leave out"}));
  CHECK_FALSE(message_of<Error>([&] { return files.data(files.experiment("", with("none.csv"))); }).empty());
  CHECK(holds_all(message_of<ConfigError>([&] { return files.run(files.experiment("folds = 3", with("later.csv"))); }),
                  {"test file", "folds"}));
}

TEST_CASE("annotators of the two files are one list, and tags go on") {
  const Files files;
  write_text(files.folder.path() / "a.csv", text_of(files.triplets, 0, 1000, 4));
  write_text(files.folder.path() / "later.csv", text_of(files.triplets, 1000, 1500, 7));
  const Observations both = files.data(files.experiment(
      "", fmt::format("file = \"{}\"\ntest = \"{}\"\n", files.file("a.csv"), files.file("later.csv"))));
  REQUIRE(both.annotator);
  CHECK(both.annotator->size() == 1500);
  CHECK(both.annotators.size() == 7);
  for (std::uint64_t t = 1000; t < 1500; ++t)
    CHECK(both.annotators[(*both.annotator)[static_cast<std::size_t>(t)]] == fmt::format("p{}", t % 7));
  write_text(files.folder.path() / "later.csv", text_of(files.triplets, 1000, 1500));
  CHECK(holds_all(message_of<DataError>([&] {
                    return files.data(files.experiment("", fmt::format("file = \"{}\"\ntest = \"{}\"\n",
                                                                       files.file("a.csv"), files.file("later.csv"))));
                  }),
                  {"later.csv", "annotator"}));
}

TEST_CASE("whole annotators are held out, and none is on both sides") {
  const Files files;
  write_text(files.folder.path() / "a.csv", text_of(files.triplets, 0, 1500, 12));
  const std::string own = fmt::format("file = \"{}\"\n", files.file("a.csv"));
  const Observations data = files.data(files.experiment("", own));
  for (const HoldOut& rule :
       {HoldOut{.what = HoldOut::What::triplets, .amount = 0.25, .whole_annotators = true},
        HoldOut{.what = HoldOut::What::fold_of_triplets, .fold = 1, .folds = 4, .whole_annotators = true}}) {
    const Split split = make_split(data, rule, 5);
    std::set<std::uint32_t> trained, held;
    for (std::uint64_t t = 0; t < split.training.triplets->size(); ++t)
      trained.insert((*data.annotator)[split.training.triplets->origin_index(t)]);
    for (std::uint64_t t = 0; t < split.heldout->size(); ++t)
      held.insert((*data.annotator)[split.heldout->origin_index(t)]);
    CHECK(trained.size() == 9);
    CHECK(held.size() == 3);
    for (const std::uint32_t one : held) CHECK_FALSE(trained.contains(one));
  }
  CHECK(files.run(files.experiment("by_annotator = true", own)).row.metric("heldout_error"));
  write_text(files.folder.path() / "a.csv", text_of(files.triplets, 0, 1500));
  CHECK(holds_all(message_of<DataError>([&] { return files.run(files.experiment("by_annotator = true", own)); }),
                  {"annotator", "by_annotator"}));
  // A run without it has the number that it always had.
  CHECK(plan(files.experiment("", own)).front().id == plan(files.experiment("by_annotator = false", own)).front().id);
}

}  // namespace test_file_test
