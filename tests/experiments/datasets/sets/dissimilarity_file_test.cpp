#include "experiments/datasets/sets/dissimilarity_file.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "tests/support/scratch_folder.hpp"

namespace dissimilarity_file_test {
using namespace alidade;
using namespace alidade::testing;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

struct Folder {
  ScratchFolder scratch;
  [[nodiscard]] Observations load(std::string_view text, Settings settings = {}) const {
    write_text(scratch / "apart.csv", text);
    settings.emplace_back("file", "apart.csv");
    ValueTable options;
    for (auto& [name, value] : settings) options.set(name, std::move(value));
    return datasets::dataset_catalog().at("dissimilarities").load(options, {.folder = scratch.path()});
  }
};

/// A .npy file of one little-endian double matrix.
std::string npy(const std::vector<double>& numbers, int rows, int cols) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(cols) + "), }";
  header.resize(117, ' ');
  header += '\n';
  std::string out = "\x93NUMPY";
  out += '\x01';
  out += '\x00';
  out += static_cast<char>(header.size());
  out += '\x00';
  out += header;
  out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  return out;
}

}  // namespace

TEST_CASE("a .npy matrix takes names and labels from a file") {
  const Folder folder;
  write_text(folder.scratch / "names.csv", "name,label\nOslo,north\nRome,south\nBern,middle\n");
  const Observations loaded = folder.load(npy({0, 1, 2, 1, 0, 0.1, 2, 0.1, 0}, 3, 3), {{"labels", "names.csv"}});
  CHECK(loaded.objects == std::vector<std::string>{"Oslo", "Rome", "Bern"});
  CHECK(loaded.labels == std::vector<std::string>{"north", "south", "middle"});
  CHECK(loaded.dissimilarities[0].values(1, 2) == doctest::Approx(0.1).epsilon(1e-6));
  CHECK(loaded.dissimilarities[0].values(1, 2) == loaded.dissimilarities[0].values(2, 1));
}

TEST_CASE(
    "the S-curve is its sheet bent along arcs of radius 1: lengths along it are those of the "
    "sheet") {
  const auto load = [](std::int64_t n, double noise, std::uint64_t seed) {
    ValueTable options;
    options.set("n", n);
    options.set("noise", noise);
    return datasets::dataset_catalog().at("s_curve").load(options, {.folder = {}, .seed = seed});
  };
  const Observations data = load(4000, 0, 7);
  REQUIRE(data.features->rows() == 4000);
  double lowest = 0, highest = 0;
  for (Index i = 0; i < 4000; ++i) {
    const double along = data.truth(i, 0), x = (*data.features)(i, 0), z = (*data.features)(i, 2);
    // One circle about (0, -1), the other about (0, 1).
    CHECK(x * x + (std::abs(z) - 1) * (std::abs(z) - 1) == doctest::Approx(1).epsilon(1e-5));
    CHECK(data.truth(i, 1) == doctest::Approx((*data.features)(i, 1)).epsilon(1e-6));
    CHECK((z > 0) == (along < 0));
    lowest = std::min(lowest, along);
    highest = std::max(highest, along);
  }
  CHECK(lowest == doctest::Approx(-1.5 * std::numbers::pi).epsilon(0.01));
  CHECK(highest == doctest::Approx(1.5 * std::numbers::pi).epsilon(0.01));
  // Near pairs are as far apart in space as on the sheet: a chord of at most 0.2.
  int near = 0;
  for (Index i = 0; i < 4000; i += 10)
    for (Index j = 0; j < i; j += 7) {
      const double flat = (data.truth.row(i) - data.truth.row(j)).norm();
      if (flat > 0.2) continue;
      const double bent = (data.features->row(i) - data.features->row(j)).cast<double>().norm();
      CHECK(bent == doctest::Approx(flat).epsilon(0.01));
      ++near;
    }
  CHECK(near > 100);
  CHECK(load(4000, 0, 7).truth == data.truth);
  CHECK_FALSE(load(4000, 0, 8).truth == data.truth);
  const Observations noisy = load(4000, 0.1, 7);
  CHECK(noisy.truth == data.truth);
  const double deviation = std::sqrt((*noisy.features - *data.features).cast<double>().squaredNorm() / (3 * 4000));
  CHECK(deviation == doctest::Approx(0.1).epsilon(0.05));
}

TEST_CASE("a constant that is added to all similarities changes no difference") {
  const Folder folder;
  const auto turned = [&](const std::string& text) {
    return folder.load(text, {{"similarities", "yes"}}).dissimilarities[0].values;
  };
  const Matrix near = turned("name,a,b,c\na,1,.37,.58\nb,.37,1,.91\nc,.58,.91,1\n"),
               moved = turned("name,a,b,c\na,101,100.37,100.58\nb,100.37,101,100.91\nc,100.58,100.91,101\n");
  CHECK((moved - near).cwiseAbs().maxCoeff() <= 1e-15);
}

TEST_CASE("square tables and tables of other numbers are left to their reader") {
  for (const char* text : {"0,3,4\n3,0,5\n4,5,0\n", "a,b,c\n0,3,4\n3,0,5\n4,5,0\n", "1,3,4\n3,0,5\n4,5,0\n",
                           "1,2,3\n4,5,6\n7,8,9\n1,5,7\n", "x,y\n1,2\n", "", "3\n", "0.5,1.5,3\n1,2,3\n2,2,1\n"}) {
    CAPTURE(text);
    CHECK_FALSE(datasets::distances_in_other_form(text, "d").has_value());
  }
}

}  // namespace dissimilarity_file_test
