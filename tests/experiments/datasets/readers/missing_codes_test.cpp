#include "experiments/datasets/readers/numeric_table.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/results/map_files.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace missing_codes_test {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

Observations load(const std::string& dataset, std::string_view text, const Settings& settings,
                  const std::string& file = "table.csv", std::string_view labels = "") {
  const ScratchFolder scratch;
  write_text(scratch / file, text);
  write_text(scratch / "labels.csv", labels);
  ValueTable options;
  options.set("file", file);
  for (const auto& [name, value] : settings) options.set(name, value);
  return dataset_catalog().at(dataset).load(options, {.folder = scratch.path()});
}

std::string refusal(const std::string& dataset, std::string_view text, const Settings& settings = {},
                    const std::string& file = "table.csv") {
  return message_of<Error>([&] { return load(dataset, text, settings, file); });
}

bool is_noted(const Observations& read, const std::string& words) {
  for (const std::string& note : read.notes)
    if (note.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("codes of missing values are those that lie far from all other numbers") {
  CHECK(suspected_codes(std::vector<double>{1, 5, 3, -99, 7}) == std::vector<double>{-99});
  CHECK(suspected_codes(std::vector<double>{1, 5, 3, -99, 999, 7}) == std::vector<double>{-99, 999});
  CHECK(suspected_codes(std::vector<double>{1, 5, 3, -9, 7}) == std::vector<double>{-9});
  for (const double code : {-98.0, 998.0, -32768.0, -2147483648.0, 1e30, 9.96921e36})
    CHECK(suspected_codes(std::vector<double>{30, 50, code, 70}) == std::vector<double>{code});
  CHECK(suspected_codes(std::vector<double>{80, 90, 99, 120, 300}).empty());
  CHECK(suspected_codes(std::vector<double>{-12, -9, 4, 8}).empty());
  CHECK(suspected_codes(std::vector<double>{1, 2, 9, 3}).empty());
  CHECK(suspected_codes(std::vector<double>{99, 999, 3, 3, 3}).empty());
  CHECK_FALSE(is_code(100));
  CHECK_FALSE(is_code(66));
  CHECK(is_code(-888));
}

TEST_CASE("a .npy matrix is read by the same rules for missing values as a table") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Matrix ratings(6, 2);
  ratings << 1, 2, 3, 5, -99, 4, 2, -99, 5, 1, -99, 3;
  const std::string codes = map_to_npy(ratings);
  const std::string gaps = map_to_npy((ratings.array() == -99).select(kNone, ratings.array()).matrix());
  const auto refused = [](const std::string& bytes, const Settings& settings) {
    return refusal("features", bytes, settings, "table.npy");
  };
  CHECK(holds_all(refused(codes, {}), {"table.npy': Row 3, column 1 holds -99, 2 times", "--missing-codes=-99"}));
  CHECK(holds_all(refused(codes, {{"missing_codes", "-99"}}), {"which marks a missing value", "--missing drop"}));
  CHECK(holds_all(refused(gaps, {}), {"table.npy': Row 3, column 1 is NaN", "--missing drop"}));
  CHECK(load("features", codes, {{"missing_codes", "no"}}, "table.npy").objects.size() == 6);
  const Observations coded = load("features", codes, {{"missing_codes", "-99"}, {"missing", "drop"}}, "table.npy");
  CHECK(coded.objects == std::vector<std::string>{"1", "2", "5"});
  CHECK(is_noted(coded, "3 of 12 values are missing"));
  CHECK(load("features", gaps, {{"missing", "drop"}}, "table.npy").objects == coded.objects);
  CHECK(is_noted(load("features", gaps, {{"missing", "mean"}}, "table.npy"), "replaced by the mean of its column"));

  Matrix apart(4, 4);
  apart << 0, 1, 999, 3, 1, 0, 1, 2, 999, 1, 0, 1, 3, 2, 1, 0;
  const std::string distances = map_to_npy(apart);
  CHECK(holds_all(refusal("dissimilarities", distances, {}, "table.npy"),
                  {"The pair '1', '3' (row 1, column 3) holds 999", "--missing-codes=999"}));
  const Settings path{{"missing_codes", "999"}, {"missing", "path"}};
  CHECK(load("dissimilarities", distances, path, "table.npy").dissimilarities[0].values(0, 2) == 2);
}

TEST_CASE("labels in the order of the rows stay with them when rows without a value are left out") {
  const std::string_view labels = "name,label\nant,small\nbear,large\ncat,small\ndeer,large\n";
  for (const std::string file : {"table.csv", "table.npy"}) {
    CAPTURE(file);
    Matrix rows(4, 2);
    rows << 1, 2, 3, std::numeric_limits<double>::quiet_NaN(), 5, 4, 2, 6;
    const std::string text = file == "table.csv" ? "1,2\n3,\n5,4\n2,6\n" : map_to_npy(rows);
    const Observations read = load("features", text, {{"missing", "drop"}, {"labels", "labels.csv"}}, file, labels);
    CHECK(read.objects == std::vector<std::string>{"ant", "cat", "deer"});
    CHECK(read.labels == std::vector<std::string>{"small", "small", "large"});
  }
}

TEST_CASE("a missing similarity becomes the shortest path of distances, and unlinked pairs are refused") {
  const std::string_view alike = ",a,b,c,d\na,9,8,NA,6\nb,8,9,8,7\nc,NA,8,9,8\nd,6,7,8,9\n";
  const Observations read = load("dissimilarities", alike, {{"similarities", "yes"}, {"missing", "path"}});
  CHECK(read.dissimilarities[0].values(0, 2) == 2);
  CHECK(read.dissimilarities[0].values(0, 0) == 0);
  Matrix apart = Matrix::Constant(4, 4, std::numeric_limits<double>::quiet_NaN());
  apart.diagonal().setZero();
  apart(0, 1) = apart(1, 0) = apart(2, 3) = apart(3, 2) = 1;
  CHECK(missing_pairs(apart) == 4);
  CHECK_THROWS_AS(take_shortest_paths(apart, {"a", "b", "c", "d"}, "file"), DataError);
  CHECK(objects_with_all_pairs(apart) == std::vector<Index>{0, 1});
}

TEST_CASE("the nearest rows that have a value are the same in every unit") {
  const auto filled = [](double unit) {
    NumericTable table;
    table.precise = Matrix::Zero(12, 3);
    Rng rng(2);
    for (double& value : table.precise.reshaped()) value = unit * rng.normal();
    table.precise(0, 1) = table.precise(7, 2) = std::nan("");
    table.features = table.precise.cast<float>();
    static_cast<void>(replace_missing(table, "knn", "t.csv"));
    return Matrix(table.precise / unit);
  };
  for (const double unit : {1e-30, 1e-170, 1e-300, 1e30, 1e170, 1e300})
    CHECK((filled(unit) - filled(1)).cwiseAbs().maxCoeff() < 1e-12);
}

}  // namespace missing_codes_test
