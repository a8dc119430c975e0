#include "experiments/datasets/readers/answer_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace answer_folder_test {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;

namespace {

struct Folder {
  ScratchFolder scratch;
  void write(const std::string& name, std::string_view text) const { write_text(scratch / name, text); }
  [[nodiscard]] std::string refusal(const TripletFileOptions& options = {}) const {
    return message_of<Error>([&] { return read_triplets(scratch, options); });
  }
};

}  // namespace

TEST_CASE("a folder of files, one for each person, is read as one table") {
  const Folder folder;
  folder.write("p2.csv", "reference,left,right,response,note\na,b,c,left,\"x, \"\"y\"\"\"\nb,a,c,right,\n");
  folder.write("p1.csv", "right,reference,left,response\nc,a,b,left\n");
  folder.write("p3.csv", "");
  folder.write("log.txt.bak", "nothing");
  const Observations read = read_triplets(folder.scratch, {});
  CHECK(read.objects == std::vector<std::string>{"a", "b", "c"});
  CHECK(read.annotators == std::vector<std::string>{"p1", "p2"});
  CHECK(read.triplets->size() == 3);
  CHECK(holds_all(read.guesses.front(), {"2 files", "annotator"}));
  const Observations some = read_triplets(folder.scratch / "*2.csv", {});
  CHECK(some.annotators == std::vector<std::string>{"p2"});
  // JSON beside tables is about them; alone, it is trials as jsPsych writes them.
  folder.write("settings.json", "{\"language\": \"en\"}");
  CHECK(read_triplets(folder.scratch, {}).triplets->size() == 3);
  const Folder trials;
  for (const char* who : {"p1", "p2"})
    trials.write(std::string(who) + ".json", R"([{"reference": "a", "left": "b", "right": "c", "response": "left"}])");
  CHECK(read_triplets(trials.scratch, {}).annotators == std::vector<std::string>{"p1", "p2"});
}

TEST_CASE("a column that says in each file who answered goes before the file's name") {
  const Folder folder;
  folder.write("s1.csv", "participant,anchor,near,far\nx,a,b,c\nx,b,a,c\n");
  folder.write("s2.csv", "participant,anchor,near,far\nx,a,b,c\n");
  folder.write("s3.csv", "participant,anchor,near,far\ny,a,c,b\n");
  const Observations read = read_triplets(folder.scratch, {});
  CHECK(read.annotators == std::vector<std::string>{"x", "y"});
}

TEST_CASE("files without a header have an order, and the annotator by the file's name") {
  const Folder folder;
  folder.write("one.csv", "a,b,c\nb,a,c\n");
  folder.write("two.csv", "a,b,c\n");
  const Observations read = read_triplets(folder.scratch, {.order = "anchor,near,far"});
  CHECK(read.annotators == std::vector<std::string>{"one", "two"});
  CHECK(read.triplets->size() == 3);
}

TEST_CASE("a pattern takes the files that a shell would take, at once however many stars it has") {
  const Folder folder;
  for (const char* name : {"p1_test.csv", "p2_test.csv", "p3_test.csv", "p10_test.csv", ".p1_test.csv", "p1_train.csv"})
    folder.write(name, "anchor,near,far\na,b,c\n");
  const auto count = [&](const std::string& pattern) { return files_of(folder.scratch / pattern).size(); };
  CHECK(count("*_test.csv") == 4);
  CHECK(count("p?_test.csv") == 3);
  CHECK(count("p[12]_test.csv") == 2);
  CHECK(count("p[!12]_test.csv") == 1);
  CHECK(count(".p*") == 1);
  CHECK(means_several_files(folder.scratch / "p[12]_test.csv"));
  const std::string name(60, 'a');
  folder.write(name + ".csv", "anchor,near,far\na,b,c\n");
  std::string stars;
  for (int k = 0; k < 25; ++k) stars += "a*";
  CHECK(count(stars + ".csv") == 1);
  CHECK_THROWS_AS(static_cast<void>(count(stars + "b.csv")), DataError);
  folder.write("odd[1].csv", "anchor,near,far\na,b,c\n");
  CHECK_FALSE(means_several_files(folder.scratch / "odd[1].csv"));
}

TEST_CASE("what is wrong with one of several files is said with its name and line") {
  const Folder folder;
  folder.write("good.csv", "anchor,near,far\na,b,c\n");
  folder.write("wrong.csv", "anchor,near,far\na,b,b\n");
  CHECK(holds_all(folder.refusal(), {"wrong.csv:2: near and far are both 'b'"}));
  folder.write("wrong.csv", "anchor,near,far\na,b\n");
  CHECK(holds_all(folder.refusal(), {"wrong.csv:2: The row has 2 columns"}));
  const Folder empty;
  CHECK(holds_all(empty.refusal(), {"holds no .csv, .tsv, .txt or .json file"}));
}

TEST_CASE("the digest of a folder of answers changes with each of its files") {
  const Folder folder;
  folder.write("one.csv", "anchor,near,far\na,b,c\n");
  ValueTable options;
  options.set("file", folder.scratch.path().string());
  const auto digest = [&] { return content_digest(dataset_catalog().at("triplets"), options, "data"); };
  const std::string before = digest();
  CHECK_FALSE(before.empty());
  folder.write("two.csv", "anchor,near,far\na,b,c\n");
  CHECK(digest() != before);
}

}  // namespace answer_folder_test
