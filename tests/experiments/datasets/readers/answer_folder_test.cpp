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
#include "tests/support/scratch_folder.hpp"

namespace answer_folder_test {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;

namespace {

struct Folder {
  ScratchFolder scratch;
  void write(const std::string& name, std::string_view text) const { write_text(scratch / name, text); }
};

}  // namespace

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
  CHECK(read_triplets(folder.scratch / "p2*.csv", {}).annotators == std::vector<std::string>{"p2_test"});
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

TEST_CASE("signs of pairs are read from the files of a folder as from one") {
  const Folder folder;
  folder.write("p1.csv", "a,b,sign\ncup,mug,+1\ncup,fork,-1\n");
  folder.write("p2.csv", "a,b,sign\nmug,fork,-1\n");
  ValueTable options;
  options.set("file", folder.scratch.path().string());
  const Observations read = dataset_catalog().at("pair_signs").load(options, {});
  CHECK(read.objects == std::vector<std::string>{"cup", "mug", "fork"});
  CHECK(read.notes == std::vector<std::string>{"2 files were read as one table."});
  CHECK(read.pair_signs->object_count() == 3);
}

TEST_CASE("the digest of a folder of answers changes with each of its files") {
  for (const char* dataset : {"triplets", "clusterings", "dissimilarities", "same_different"}) {
    CAPTURE(dataset);
    const Folder folder;
    folder.write("one.csv", "anchor,near,far\na,b,c\n");
    ValueTable options;
    options.set("file", folder.scratch.path().string());
    const auto digest = [&] { return content_digest(dataset_catalog().at(dataset), options, "data"); };
    const std::string before = digest();
    CHECK_FALSE(before.empty());
    folder.write("two.csv", "anchor,near,far\na,b,c\n");
    CHECK(digest() != before);
  }
}

}  // namespace answer_folder_test
