#include <doctest/doctest.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/array_files.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/rendered_views.hpp"
#include "problems/core/error.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace view_datasets_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using namespace alidade::datasets;

Observations load(const char* name, const std::vector<std::pair<std::string, Value>>& options = {},
                  DatasetContext context = {}) {
  ValueTable table;
  for (const auto& [key, value] : options) table.set(key, value);
  return dataset_catalog().at(name).load(table, context);
}

std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK_FALSE(holds(error.what(), "\n"));
    return error.what();
  }
  return "no error";
}

// ---- a miniature NORB: 2 categories x 2 instances x 3 elevations x 4 azimuths x 2 lights, 4 x 4 pixels, 2 cameras

std::string little_endian(std::uint32_t value) {
  std::string out;
  for (int i = 0; i < 4; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
  return out;
}

std::string header(std::uint32_t magic, const std::vector<std::uint32_t>& sizes) {
  std::string out = little_endian(magic) + little_endian(static_cast<std::uint32_t>(sizes.size()));
  for (std::size_t d = 0; d < std::max<std::size_t>(3, sizes.size()); ++d)
    out += little_endian(d < sizes.size() ? sizes[d] : 1);
  return out;
}

int shade(int category, int instance, int elevation, int azimuth, int light, int camera, int pixel) {
  return (100 * category + 50 * instance + 16 * elevation + 4 * azimuth + 2 * light + camera + pixel) % 256;
}

struct Norb {
  std::string dat, cat, info;
};

Norb miniature() {
  Norb out;
  constexpr std::uint32_t kCount = 2 * 2 * 3 * 4 * 2;
  out.dat = header(0x1E3D4C55, {kCount, 2, 4, 4});
  out.cat = header(0x1E3D4C54, {kCount});
  out.info = header(0x1E3D4C54, {kCount, 4});
  // Mixed, as in the published files: lights outermost, azimuths before elevations and backwards.
  for (int light = 0; light < 2; ++light)
    for (int azimuth = 3; azimuth >= 0; --azimuth)
      for (int category = 0; category < 2; ++category)
        for (int elevation = 0; elevation < 3; ++elevation)
          for (const int instance : {4, 6}) {
            out.cat += little_endian(static_cast<std::uint32_t>(category));
            for (const int field : {instance, elevation, 9 * azimuth, light})
              out.info += little_endian(static_cast<std::uint32_t>(field));
            for (int camera = 0; camera < 2; ++camera)
              for (int pixel = 0; pixel < 16; ++pixel)
                out.dat += static_cast<char>(shade(category, instance, elevation, azimuth, light, camera, pixel));
          }
  return out;
}

void write_packed(const std::filesystem::path& path, const std::string& bytes) {
  gzFile file = gzopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  CHECK(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) == static_cast<int>(bytes.size()));
  gzclose(file);
}

}  // namespace

TEST_CASE("a blob is seen where it lies, and moves as the object is turned") {
  const auto brightest = [](const Vector& view) {
    Index at = 0;
    view.maxCoeff(&at);
    return std::pair(at / 21, at % 21);  // row, column
  };
  const std::vector<Blob> east = {{{0.8, 0, 0}, 0.1, 1}};
  CHECK(brightest(rendered_view(east, 0, 0, 21)) == std::pair<Index, Index>{10, 17});
  CHECK(brightest(rendered_view(east, std::numbers::pi / 2, 0, 21)) == std::pair<Index, Index>{10, 10});
  CHECK(brightest(rendered_view(east, std::numbers::pi, 0, 21)) == std::pair<Index, Index>{10, 3});
  // In front it is brighter than behind, and seen from above it is lower in front.
  const double turn = std::numbers::pi / 2;
  CHECK(rendered_view(east, turn, 0, 21).maxCoeff() > 2 * rendered_view(east, -turn, 0, 21).maxCoeff());
  CHECK(brightest(rendered_view(east, turn, 0.7, 21)).first > 12);
  CHECK(brightest(rendered_view(east, -turn, 0.7, 21)).first < 8);
  const std::vector<Blob> top = {{{0, 0, 0.8}, 0.1, 1}};
  CHECK(brightest(rendered_view(top, 1, 0, 21)) == std::pair<Index, Index>{3, 10});
}

TEST_CASE("162 views of an object are the same for one seed, and similar in neighbouring poses") {
  const Observations views = load("rendered_views");
  CHECK(views.object_count() == 162);
  CHECK(views.features->rows() == 162);
  CHECK(views.features->cols() == 400);
  CHECK(views.pair_signs->similar_count() == 1188);
  CHECK(views.pair_signs->dissimilar_count() == 24894);
  CHECK(views.objects[19] == "azimuth 20, elevation 35");
  CHECK(views.truth.rows() == 162);
  CHECK(*load("rendered_views").features == *views.features);
  CHECK(*load("rendered_views", {}, {.folder = "", .seed = 1}).features != *views.features);
  CHECK(*load("rendered_views", {}, {.folder = "", .seed = 0, .repeat = 1}).features != *views.features);

  // Noise has the deviation asked for, and the picture under it stays.
  const Observations clean = load("rendered_views", {{"noise", 0.0}});
  const double noise = std::sqrt((*views.features - *clean.features).cast<double>().squaredNorm() / (162 * 400));
  CHECK(noise == doctest::Approx(0.05).epsilon(0.02));

  // The nearest picture is one of a similar pose, for nearly all, and azimuths wrap.
  int right = 0;
  for (Index i = 0; i < 162; ++i) {
    Index nearest = -1;
    float least = 1e30F;
    for (Index j = 0; j < 162; ++j) {
      const float squared = (views.features->row(i) - views.features->row(j)).squaredNorm();
      if (j != i && squared < least) {
        least = squared;
        nearest = j;
      }
    }
    right += views.pair_signs->sign(i, nearest) == 1;
  }
  CAPTURE(right);
  CHECK(right >= 146);
  const auto apart = [&](Index i, Index j) { return (clean.features->row(i) - clean.features->row(j)).norm(); };
  CHECK(apart(0, 17) < 0.7F * apart(0, 9));

  SUBCASE("similarity may be asked for otherwise") {
    CHECK(load("rendered_views", {{"similarity", "knn"}, {"k", 3}}).pair_signs->similar_count() == 486);
    CHECK_FALSE(load("rendered_views", {{"similarity", "none"}}).pair_signs);
    CHECK(load("rendered_views", {{"azimuths", 6}, {"elevations", 4}, {"pixels", 8}, {"blobs", 3}})
              .pair_signs->similar_count() == 156);
  }
}

TEST_CASE("small NORB's pictures of one toy, light and camera are read by pose, packed or not") {
  const ScratchFolder scratch;
  const Norb norb = miniature();
  const std::filesystem::path dat = scratch / "small-training-dat.mat";
  write_text(dat, norb.dat);
  write_text(scratch / "small-training-cat.mat", norb.cat);
  write_packed(scratch / "small-training-info.mat.gz", norb.info);
  const NorbViews views = read_norb(dat, {.category = 1, .instance = 6, .lighting = 1, .camera = 1});
  CHECK(views.azimuths == std::vector<int>{0, 90, 180, 270});
  CHECK(views.elevations == std::vector<int>{30, 35, 40});
  REQUIRE(views.pictures.rows() == 12);
  REQUIRE(views.pictures.cols() == 16);
  for (int e = 0; e < 3; ++e)
    for (int a = 0; a < 4; ++a)
      for (int p = 0; p < 16; ++p)
        CHECK(views.pictures(4 * e + a, p) == static_cast<float>(shade(1, 6, e, a, 1, 1, p)));

  write_packed(scratch / "packed-dat.mat.gz", norb.dat);
  write_packed(scratch / "packed-cat.mat.gz", norb.cat);
  write_text(scratch / "packed-info.mat", norb.info);
  CHECK(read_norb(scratch / "packed-dat.mat.gz", {.category = 1, .instance = 6, .lighting = 1, .camera = 1}).pictures ==
        views.pictures);

  const Observations made = load("norb", {{"file", dat.string()}, {"category", 1}, {"instance", 6}, {"pixels", 2}});
  CHECK(made.features->cols() == 4);
  CHECK(made.objects[5] == "azimuth 90, elevation 35");
  CHECK(made.pair_signs->similar_count() == 4 * (2 * 5 + 8));
  const auto quarter = [&](int pixel) {
    return static_cast<float>(shade(1, 6, 0, 0, 0, 0, pixel) + shade(1, 6, 0, 0, 0, 0, pixel + 1) +
                              shade(1, 6, 0, 0, 0, 0, pixel + 4) + shade(1, 6, 0, 0, 0, 0, pixel + 5)) /
           4;
  };
  CHECK((*made.features)(0, 0) == quarter(0));
  CHECK((*made.features)(0, 3) == quarter(10));

  // Which of the pictures are read depends on each of the three files.
  ValueTable options;
  options.set("file", dat.string());
  const auto digest = [&] { return content_digest(dataset_catalog().at("norb"), options, "data"); };
  const std::string before = digest();
  CHECK_FALSE(before.empty());
  write_text(scratch / "small-training-cat.mat", norb.cat + "more");
  CHECK(digest() != before);
  write_text(scratch / "small-training-cat.mat", norb.cat);
  CHECK(digest() == before);

  const auto refused = [&](const NorbChoice& choice) {
    return complaint([&] { static_cast<void>(read_norb(dat, choice)); });
  };
  CHECK(holds(refused({.category = 0, .instance = 5}), "Of that category it has the instances 4, 6"));
  CHECK(holds(refused({.category = 3}), "the instances none"));
  CHECK(holds(refused({.camera = 2}), "camera = 2"));
  CHECK(holds(complaint([&] {
                static_cast<void>(load("norb", {{"file", dat.string()}, {"pixels", 3}}));
              }),
              "be shrunk to 3"));
  CHECK(holds(complaint([&] { static_cast<void>(load("norb")); }), "needs the option 'file'"));
}

TEST_CASE("NORB files that are cut short, mixed up or incomplete are refused") {
  const ScratchFolder scratch;
  const std::filesystem::path dat = scratch / "a-dat.mat";
  const auto refused = [&](const std::function<void(Norb&)>& spoil) {
    Norb norb = miniature();
    spoil(norb);
    write_text(dat, norb.dat);
    write_text(scratch / "a-cat.mat", norb.cat);
    write_text(scratch / "a-info.mat", norb.info);
    return complaint([&] { static_cast<void>(read_norb(dat, {.category = 0, .instance = 4})); });
  };
  CHECK(refused([](Norb&) {}) == "no error");
  CHECK(holds(refused([](Norb& bad) { bad.dat.pop_back(); }), "a-dat.mat' is not a NORB matrix of bytes"));
  CHECK(holds(refused([](Norb& bad) { bad.dat[0] = 'x'; }), "a-dat.mat' is not a NORB matrix of bytes"));
  CHECK(holds(refused([](Norb& bad) { std::swap(bad.cat, bad.info); }), "whole numbers with 1 dimension,"));
  CHECK(holds(refused([](Norb& bad) { bad.info.resize(10); }), "a-info.mat' is not a NORB matrix of whole numbers"));
  CHECK(holds(refused([](Norb& bad) { bad.dat.replace(8, 16, std::string(16, '\xff')); }), "is not a NORB matrix"));
  CHECK(holds(refused([](Norb& bad) {
                bad.cat.replace(8, 4, little_endian(95));
                bad.cat.resize(bad.cat.size() - 4);
              }),
              "belong together"));
  // One picture less of instance 4; then its second is its first.
  CHECK(holds(refused([](Norb& bad) { bad.info.replace(20, 4, little_endian(7)); }), "of each of 4 x 3 poses"));
  CHECK(holds(refused([](Norb& bad) { bad.info.replace(20, 16, bad.info.substr(20 + 32, 16)); }), "two pictures"));
  std::filesystem::remove(scratch / "a-cat.mat");
  CHECK(holds(complaint([&] { static_cast<void>(read_norb(dat, {})); }), "a-cat.mat"));
  CHECK(holds(complaint([&] { static_cast<void>(read_norb(scratch / "x.mat", {})); }), "'-dat'"));
}

}  // namespace view_datasets_test
