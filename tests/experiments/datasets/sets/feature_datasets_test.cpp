#include <doctest/doctest.h>
#include <matio.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/array_files.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/datasets/sets/triplet_sampling.hpp"
#include "experiments/files/npy_file.hpp"
#include "experiments/results/map_files.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/distances/distance_blocks.hpp"
#include "tests/support/dataset_loading.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace feature_datasets_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
namespace datasets = alidade::datasets;

using Names = std::vector<std::string>;

FeatureMatrix random_features(Index n, Index p, std::uint64_t seed) {
  Rng rng(seed);
  FeatureMatrix out(n, p);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = static_cast<float>(rng.normal());
  return out;
}

double squared(const FeatureMatrix& points, Index i, Index j) {
  return (points.row(i).cast<double>() - points.row(j).cast<double>()).squaredNorm();
}

// ---- MATLAB ----

struct MatlabVariable {
  const char* name;
  matio_classes kind;
  matio_types type;
  std::vector<std::size_t> shape;
  const void* columns_first;
  int flags = 0;
};

std::string write_matlab(const std::filesystem::path& path, const std::vector<MatlabVariable>& variables,
                         matio_compression compression = MAT_COMPRESSION_NONE) {
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  REQUIRE(file != nullptr);
  for (const MatlabVariable& v : variables) {
    std::vector<std::size_t> shape = v.shape;
    matvar_t* variable = Mat_VarCreate(v.name, v.kind, v.type, static_cast<int>(shape.size()), shape.data(),
                                       const_cast<void*>(v.columns_first), v.flags);
    REQUIRE(variable != nullptr);
    CHECK(Mat_VarWrite(file, variable, compression) == 0);
    Mat_VarFree(variable);
  }
  Mat_Close(file);
  return content_of(path);
}

constexpr double kSix[] = {1, 2, 3, 4, 5, 6.5};
constexpr std::uint8_t kBytes[] = {0, 128, 255, 7};

std::vector<MatlabVariable> two_variables() {
  return {{"first", MAT_C_UINT8, MAT_T_UINT8, {2, 2}, kBytes}, {"second", MAT_C_DOUBLE, MAT_T_DOUBLE, {3, 2}, kSix}};
}

}  // namespace

TEST_CASE("matrices of MATLAB files are read by name, compressed or not, rows as rows") {
  const ScratchFolder scratch;
  const auto path = scratch / "m.mat";
  for (const matio_compression compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    CAPTURE(compression);
    write_matlab(path, two_variables(), compression);
    const Matrix second = datasets::read_matlab(path, "second");
    REQUIRE(second.rows() == 3);
    REQUIRE(second.cols() == 2);
    // MATLAB stores columns one after another.
    CHECK(second(0, 0) == 1);
    CHECK(second(2, 0) == 3);
    CHECK(second(0, 1) == 4);
    CHECK(second(2, 1) == 6.5);
    const Matrix first = datasets::read_matlab(path, "first");
    CHECK(first(1, 0) == 128);
    CHECK(first(0, 1) == 255);
  }
}

TEST_CASE("MATLAB files without the matrix are refused in one line that names the file") {
  const ScratchFolder scratch;
  const auto path = scratch / "m.mat";
  const auto refused = [&](const std::string& variable) {
    const std::string message = message_of<DataError>([&] { return datasets::read_matlab(path, variable); });
    CAPTURE(message);
    CHECK(holds(message, "m.mat'"));
    CHECK_FALSE(holds(message, "\n"));
    return message;
  };
  const double imaginary[] = {1, 2, 3, 4, 5, 6};
  mat_complex_split_t complex{const_cast<double*>(kSix), const_cast<double*>(imaginary)};
  write_matlab(path, {{"second", MAT_C_DOUBLE, MAT_T_DOUBLE, {3, 2}, kSix},
                      {"cube", MAT_C_DOUBLE, MAT_T_DOUBLE, {3, 1, 2}, kSix},
                      {"text", MAT_C_CHAR, MAT_T_UINT8, {1, 4}, "abcd"},
                      {"wave", MAT_C_DOUBLE, MAT_T_DOUBLE, {3, 2}, &complex, MAT_F_COMPLEX},
                      {"none", MAT_C_DOUBLE, MAT_T_DOUBLE, {0, 2}, kSix}});
  CHECK(holds(refused("secund"), "has no variable 'secund'. Did you mean 'second'?"));
  for (const std::string variable : {"cube", "text", "wave"})
    CHECK_MESSAGE(holds(refused(variable), "not a matrix of real numbers"), variable);
  CHECK(holds(refused("none"), "is empty (0 x 2)"));
  write_text(path, "MATLAB 7.3 MAT-file, Platform: GLNXA64");
  CHECK(holds(refused("X"), "save(..., '-v7')"));
  write_text(path, "\x89HDF\r\n");
  CHECK(holds(refused("X"), "version 7.3"));
  write_text(path, std::string(200, 'x'));
  CHECK(holds(refused("X"), "not a MATLAB file of version 5"));
  write_text(path, "");
  CHECK(holds(refused("X"), "not a MATLAB file of version 5"));
  std::filesystem::remove(path);
  CHECK(holds(refused("X"), "cannot be read"));
}

TEST_CASE(
    "a MATLAB file cut anywhere gives an error, never numbers; with any bit changed it does no "
    "harm") {
  const ScratchFolder scratch;
  const auto path = scratch / "m.mat";
  for (const matio_compression compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    CAPTURE(compression);
    const std::string whole = write_matlab(scratch / "whole.mat", two_variables(), compression);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CAPTURE(length);
      write_text(path, std::string_view(whole).substr(0, length));
      CHECK_THROWS_AS(datasets::read_matlab(path, "second"), DataError);
    }
    for (std::size_t at = 124; at < whole.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U << bit));
        write_text(path, damaged);
        CAPTURE(at);
        CAPTURE(bit);
        try {
          const Index size = datasets::read_matlab(path, "second").size();
          CHECK(size == 6);
        } catch (const DataError& error) {
          CHECK_FALSE(holds(error.what(), "\n"));
        }
      }
  }
}

TEST_CASE("the matrices of a MATLAB cell array are read in the order of its cells") {
  const ScratchFolder scratch;
  const auto path = scratch / "m.mat";
  // Takes over the cells.
  const auto write_cells = [&](std::vector<matvar_t*> cells, matio_compression compression) {
    mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
    REQUIRE(file != nullptr);
    std::size_t shape[] = {1, cells.size()}, numbers[] = {3, 2};
    matvar_t* list = Mat_VarCreate("X", MAT_C_CELL, MAT_T_CELL, 2, shape, cells.data(), 0);
    matvar_t* plain = Mat_VarCreate("Y", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, numbers, const_cast<double*>(kSix), 0);
    CHECK(Mat_VarWrite(file, list, compression) == 0);
    CHECK(Mat_VarWrite(file, plain, compression) == 0);
    Mat_VarFree(list);
    Mat_VarFree(plain);
    Mat_Close(file);
  };
  const auto cell = [](std::vector<std::size_t> shape) {
    return Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, shape.data(), const_cast<double*>(kSix), 0);
  };
  for (const matio_compression compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    CAPTURE(compression);
    write_cells({cell({3, 2}), cell({1, 4})}, compression);
    const std::vector<Matrix> cells = datasets::read_matlab_cells(path, "X");
    REQUIRE(cells.size() == 2);
    CHECK(cells[0](2, 1) == 6.5);
    CHECK(cells[1].rows() == 1);
    CHECK(cells[1](0, 3) == 4);
    CHECK(datasets::read_matlab(path, "Y")(2, 1) == 6.5);
    CHECK(
        holds(message_of<DataError>([&] { return datasets::read_matlab(path, "X"); }), "not a matrix of real numbers"));
    CHECK(holds(message_of<DataError>([&] { return datasets::read_matlab_cells(path, "Y"); }),
                "not a cell array of matrices"));
  }
  // An empty cell is no reason to refuse the other variables of its file.
  write_cells({cell({3, 2}), cell({0, 0})}, MAT_COMPRESSION_NONE);
  CHECK(datasets::read_matlab(path, "Y").rows() == 3);
  CHECK(holds(message_of<DataError>([&] { return datasets::read_matlab_cells(path, "X"); }), "Cell 2 of variable 'X'"));
}

// ---- IDX ----

namespace {

std::string idx(unsigned char type, const std::vector<std::uint32_t>& shape, std::string_view data) {
  std::string out = {'\0', '\0', static_cast<char>(type), static_cast<char>(shape.size())};
  for (const std::uint32_t length : shape)
    for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(length >> shift & 0xffU);
  return out + std::string(data);
}

std::string gzipped(std::string_view plain) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(1000 + plain.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

TEST_CASE("IDX arrays of every type become one row per object, gzip or not") {
  const ScratchFolder scratch;
  const std::string images = idx(0x08, {2, 2, 3}, std::string("\x00\x01\x02\x03\x04\x05\xff\x80\x00\x00\x00\x09", 12));
  write_text(scratch / "plain", images);
  write_text(scratch / "packed", gzipped(images));
  for (const char* name : {"plain", "packed"}) {
    const FeatureMatrix values = datasets::read_idx(scratch / name);
    REQUIRE(values.rows() == 2);
    REQUIRE(values.cols() == 6);
    CHECK(values(0, 5) == 5);
    CHECK(values(1, 0) == 255);
    CHECK(values(1, 1) == 128);
  }
  const auto first = [](unsigned char type, std::string_view bytes) {
    return datasets::parse_idx(idx(type, {1}, bytes), "t")(0, 0);
  };
  CHECK(first(0x09, "\xff") == -1);
  CHECK(first(0x0B, "\xff\xfe") == -2);
  CHECK(first(0x0C, "\xff\xff\xff\xfd") == -3);
  CHECK(first(0x0D, std::string("\x3f\xc0\x00\x00", 4)) == 1.5F);
  CHECK(first(0x0E, std::string("\xbf\xf8\x00\x00\x00\x00\x00\x00", 8)) == -1.5F);
}

TEST_CASE("truncated, too long and impossible IDX files are refused in one line") {
  const std::string whole = idx(0x08, {3, 2}, "abcdef");
  const auto refused = [](std::string_view bytes) {
    const std::string message = message_of<DataError>([&] { return datasets::parse_idx(bytes, "t.idx"); });
    CAPTURE(message);
    CHECK(holds(message, "'t.idx'"));
    CHECK_FALSE(holds(message, "\n"));
    return message;
  };
  CHECK(datasets::parse_idx(whole, "t.idx").rows() == 3);
  for (std::size_t length = 0; length < whole.size(); ++length) refused(whole.substr(0, length));
  CHECK(holds(refused(whole + "g"), "7 bytes of numbers"));
  CHECK(holds(refused(idx(0x07, {1}, "a")), "not an IDX file"));
  CHECK(holds(refused(idx(0x08, {0, 4}, "")), "empty"));
  // Products that wrap around 64 bits.
  refused(idx(0x08, {0x80000000U, 0x80000000U, 4}, ""));
  refused(idx(0x08, {4, 0x80000000U, 0x80000000U}, "abcd"));
  refused(idx(0x0E, {0xffffffffU, 0xffffffffU}, "abcdefgh"));
}

// ---- NPY ----

namespace {

std::string npy(const std::string& header, std::string_view data, char version = 1) {
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  out += static_cast<char>(header.size());
  out += '\0';
  if (version > 1) out += std::string(2, '\0');
  return out + header + std::string(data);
}

std::string npy_header(const std::string& type, const std::string& order, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

}  // namespace

TEST_CASE(".npy matrices are read from our writer, from NumPy in either order, and as bytes") {
  Matrix written(3, 2);
  written << 1, -2.5, 3, 4, 5, 6;
  CHECK(parse_npy(alidade::map_to_npy(written), "t") == FeatureMatrix(written.cast<float>()));
  const float columns[] = {1, 3, 5, -2.5, 4, 6};
  std::string data(sizeof columns, '\0');
  std::memcpy(data.data(), columns, sizeof columns);
  for (const char version : {'\1', '\2', '\3'})
    CHECK(parse_npy(npy(npy_header("<f4", "True", "(3, 2)"), data, version), "t") ==
          FeatureMatrix(written.cast<float>()));
  const std::string four("\xff\xff\xff\x7f\x01\0\0\0", 8);  // 2^31 - 1, not a float, and 1
  Matrix precise;
  CHECK(parse_npy(npy(npy_header("<i4", "False", "(2, 1)"), four), "t", &precise)(1, 0) == 1);
  CHECK(precise(0, 0) == 2147483647);
  CHECK(parse_npy(npy(npy_header("<i8", "False", "(1, 1)"), std::string("\x05\0\0\0\0\0\0\0", 8)), "t", &precise)(
            0, 0) == 5);
  CHECK(precise.size() == 0);
  CHECK(parse_npy(npy(npy_header("<i2", "False", "(1, 1)"), "\xfe\xff"), "t")(0, 0) == -2);
  const FeatureMatrix bytes = parse_npy(npy(npy_header("|u1", "False", "(2,2)"), "\x01\x02\xff\x04"), "t");
  CHECK(bytes(1, 0) == 255);
  CHECK(bytes(0, 1) == 2);
  // The other order of bytes, and integers with all their digits.
  CHECK(parse_npy(npy(npy_header(">i2", "False", "(1, 1)"), std::string("\0\x05", 2)), "t")(0, 0) == 5);
  CHECK(parse_npy(npy(npy_header(">f4", "False", "(1, 1)"), std::string("\x3f\x80\0\0", 4)), "t")(0, 0) == 1);
  const std::string large = npy(npy_header("<i8", "False", "(1, 1)"), std::string("\x01\0\0\0\0\0\0\x10", 8));
  CHECK(NpyNumbers(large, "t").whole(0, 0) == (std::int64_t{1} << 60) + 1);
  const std::string real = npy(npy_header("<f4", "False", "(1, 1)"), std::string(4, '\0'));
  CHECK_FALSE(NpyNumbers(real, "t").are_integers());
}

TEST_CASE(".npy files of other shapes or types, truncated or damaged, are refused in one line") {
  const auto refused = [](const std::string& bytes) {
    const std::string message = message_of<DataError>([&] { return parse_npy(bytes, "t.npy"); });
    CAPTURE(message);
    CHECK(holds(message, "'t.npy'"));
    CHECK_FALSE(holds(message, "\n"));
    return message;
  };
  CHECK(holds(refused(npy(npy_header("<c8", "False", "(1, 1)"), "12345678")), "complex numbers ('<c8')"));
  CHECK(holds(refused(npy(npy_header("<i8", "False", "(1, 1)"), "12345678")), "integers of 2^53 or more"));
  CHECK(holds(refused(npy(npy_header("|u1", "False", "(4,)"), "1234")), "1 dimension."));
  CHECK(holds(refused(npy(npy_header("|u1", "False", "(1, 2, 2)"), "1234")), "3 dimensions"));
  CHECK(holds(refused(npy(npy_header("|u1", "False", "(0, 2)"), "")), "empty"));
  CHECK(holds(refused(npy(npy_header("|u1", "False", "(2, 3)"), "12345")), "5 bytes of numbers"));
  CHECK(holds(refused(npy(npy_header("|u1", "Perhaps", "(2, 2)"), "1234")), "without a shape"));
  CHECK(holds(refused(npy(npy_header("|u1", "False", "(2, x)"), "1234")), "without a shape"));
  refused(npy(npy_header("<f8", "False", "(4294967296, 4294967296)"), "12345678"));
  CHECK(holds(refused("PK\x03\x04"), "not a .npy file"));
  const std::string whole = npy(npy_header("|u1", "False", "(2, 2)"), "1234");
  CHECK(parse_npy(whole, "t").rows() == 2);
  for (std::size_t length = 0; length < whole.size(); ++length) refused(whole.substr(0, length));
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U << bit));
      try {
        const Index size = parse_npy(damaged, "t").size();
        CHECK(size <= 4);
      } catch (const DataError& error) {
        CHECK_FALSE(holds(error.what(), "\n"));
      }
    }
}

// ---- sea-surface temperatures ----

TEST_CASE("weekly temperatures are read by columns, next to negative anomalies without a blank too") {
  const std::string head =
      " Weekly SST data starts week centered on 3Jan1990\n\n                Nino1+2      Nino3\n"
      " Week          SST SSTA     SST SSTA     SST SSTA     SST SSTA\n";
  const std::string weeks =
      " 03JAN1990     23.4-0.4     25.1-0.3     26.6 0.0     28.6 0.3\n"
      " 10JAN1990     23.4-0.8     25.2-0.3     26.6 0.1     28.6-0.3\r\n";
  const std::string more = " 17JAN1990     23.0-0.8     25.2-0.3     26.7 0.1     28.6-0.3\n";
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "sea-water");
  const auto read = [&](std::string text, int count) {
    for (int week = 0; week < count; ++week) text += more;
    write_text(folder / "sea-water/wksst8110.for", text);
    return datasets::dataset_catalog().at("sea_water").load({}, {.folder = folder.path()});
  };
  const auto windows = read(head + weeks, 872);
  CHECK(windows.objects.size() == 823);
  CHECK(windows.objects[0] == "03JAN1990");
  CHECK(windows.objects[1] == "10JAN1990");
  CHECK(windows.labels[0] == "JAN");
  // In the region 3.4, of the third week and the second one.
  CHECK(windows.frame.unit * ((*windows.features)(1, 1) - (*windows.features)(0, 1)) == doctest::Approx(0.1));
  const auto refused = [&](const std::string& text, int count) {
    const std::string message = message_of<DataError>([&] { static_cast<void>(read(text, count)); });
    CHECK_FALSE(holds(message, "\n"));
    return message;
  };
  CHECK(holds(refused(head, 0), "wksst8110.for' has 0 weeks"));
  CHECK(holds(refused(head + weeks + " 17JAN1990     23.4\n", 9), ".for:7: "));
  CHECK(holds(refused(head + " 03JAN1990     x3.4-0.4     25.1-0.3     26.6 0.0     28.6 0.3\n", 9), ".for:5: "));
}

// ---- tables ----

TEST_CASE(
    "tables of numbers are read with names and labels by header or number, commas or blanks, LF or "
    "CRLF") {
  const auto headed = datasets::parse_numeric_table("id,x,kind,y\r\na,.28,p,1e3\r\nb,-1,q,+2\r\n", "t.csv",
                                                    {.name = "id", .label = "kind"});
  CHECK(headed.objects == Names{"a", "b"});
  CHECK(headed.labels == Names{"p", "q"});
  CHECK(headed.columns == Names{"x", "y"});
  REQUIRE(headed.features.rows() == 2);
  REQUIRE(headed.features.cols() == 2);
  CHECK(headed.features(0, 0) == .28F);
  CHECK(headed.features(0, 1) == 1000);
  CHECK(headed.features(1, 1) == 2);

  const auto blanks =
      datasets::parse_numeric_table(" 6.0  -1 \t0.5 \r\n1 2 3\r\n\r\n", "t", {.blanks = true, .label = "1"});
  CHECK(blanks.labels == Names{"6.0", "1"});
  CHECK(blanks.objects == Names{"1", "2"});
  CHECK(blanks.features(0, 0) == -1);
  CHECK(blanks.features(1, 1) == 3);
  CHECK(blanks.columns.empty());

  const auto plain = datasets::parse_numeric_table("1\t2\n3\t4\n", "t", {});
  CHECK(plain.features.rows() == 2);
  CHECK(plain.features.cols() == 2);
  CHECK(datasets::parse_numeric_table("1\t2\n3\t4\n", "t", {.header = datasets::TablePart::there}).columns ==
        Names{"1", "2"});
  const auto refused = [](std::string_view text, const datasets::NumericTableSpec& spec) {
    return message_of<Error>([&] { return datasets::parse_numeric_table(text, "t.csv", spec); });
  };
  CHECK(holds(refused("1,2\n", {.columns = 3}), "t.csv:1: The row has 2 columns where the format has 3"));
  CHECK(holds(refused("1 2\n\n3 4\n", {.blanks = true}), "t.csv:2: The line is blank"));
  const auto skipped = datasets::parse_numeric_table("a;b;c\n1;x;2\n", "t", {.not_read = {"b"}});
  CHECK(skipped.features(0, 1) == 2);
}

// ---- scale, subset ----

TEST_CASE("features are scaled, and constant ones become zero") {
  FeatureMatrix features(4, 3);
  features << 1, 100, 7, 2, 300, 7, 3, 500, 7, 4, 700, 7;
  const auto scaled = [&](std::string_view scale) {
    FeatureMatrix out(4, 3);
    out = features;
    datasets::scale_features(out, scale);
    return out;
  };
  const FeatureMatrix standard = scaled("standard"), range = scaled("range"), none = scaled("none");
  CHECK(none == features);
  // 1, 2, 3, 4: mean 2.5, variance 1.25.
  for (const Index c : {0, 1}) {
    CHECK(standard(0, c) == doctest::Approx(-1.5 / std::sqrt(1.25)));
    CHECK(standard(2, c) == doctest::Approx(0.5 / std::sqrt(1.25)));
    CHECK(range(0, c) == 0);
    CHECK(range(1, c) == doctest::Approx(1.0 / 3));
    CHECK(range(3, c) == 1);
  }
  CHECK(standard.col(2).isZero(0));
  CHECK(range.col(2).isZero(0));
  // 0.1 has no exact mean.
  FeatureMatrix tenths = FeatureMatrix::Constant(7, 1, 0.1F);
  datasets::scale_features(tenths, "standard");
  CHECK(tenths.isZero(0));
}

// ---- triplets ----

namespace {

/// Ranks among the others by distance, 1 the nearest, counted directly.
Index rank_of(const FeatureMatrix& points, Index anchor, Index j) {
  Index rank = 1;
  for (Index other = 0; other < points.rows(); ++other)
    if (other != anchor && other != j && squared(points, anchor, other) < squared(points, anchor, j)) ++rank;
  return rank;
}

}  // namespace

TEST_CASE(
    "near is uniform among the neighbours, far as the rule says, and every triplet holds in the "
    "data") {
  const Index n = 61;
  const FeatureMatrix points = random_features(n, 5, 3);
  for (const std::string far : {"farther", "far_half", "clamped", "any"}) {
    CAPTURE(far);
    const datasets::TripletQuestions questions{.triplets_per_object = 200, .neighbors = 4, .far = far};
    const auto triplets = datasets::feature_triplets(points, questions, 17);
    REQUIRE(triplets.size() == static_cast<std::uint64_t>(200 * n));
    std::vector<double> near_ranks(static_cast<std::size_t>(n), 0), far_ranks(static_cast<std::size_t>(n), 0);
    for (std::uint64_t t = 0; t < triplets.size(); ++t) {
      const Triplet triplet = triplets.at(t);
      REQUIRE(triplet.anchor == t % static_cast<std::uint64_t>(n));
      REQUIRE(squared(points, triplet.anchor, triplet.near) < squared(points, triplet.anchor, triplet.far));
      ++near_ranks[static_cast<std::size_t>(rank_of(points, triplet.anchor, triplet.near))];
      ++far_ranks[static_cast<std::size_t>(rank_of(points, triplet.anchor, triplet.far))];
    }
    const double all = static_cast<double>(triplets.size());
    if (far == "any") {
      // Two ranks of 60 at random: the smaller one is 1 with probability 2/60.
      CHECK(near_ranks[1] / all == doctest::Approx(2.0 / 60).epsilon(0.2));
      CHECK(far_ranks[60] / all == doctest::Approx(2.0 / 60).epsilon(0.2));
      continue;
    }
    for (std::size_t r = 1; r <= 4; ++r) CHECK(near_ranks[r] / all == doctest::Approx(0.25).epsilon(0.06));
    CHECK(std::accumulate(near_ranks.begin() + 5, near_ranks.end(), 0.0) == 0);
    if (far == "farther") {
      // Given near of rank r, each of the 60 - r beyond: far of rank 2 only for r = 1.
      CHECK(far_ranks[2] / all == doctest::Approx(0.25 / 59).epsilon(0.25));
      const double last = 0.25 * (1.0 / 59 + 1.0 / 58 + 1.0 / 57 + 1.0 / 56);
      CHECK(far_ranks[60] / all == doctest::Approx(last).epsilon(0.2));
      CHECK(far_ranks[30] / all == doctest::Approx(last).epsilon(0.2));
    } else if (far == "far_half") {
      CHECK(std::accumulate(far_ranks.begin(), far_ranks.begin() + 31, 0.0) == 0);
      CHECK(far_ranks[31] / all == doctest::Approx(1.0 / 30).epsilon(0.2));
      CHECK(far_ranks[60] / all == doctest::Approx(1.0 / 30).epsilon(0.2));
    } else {
      // Rank min(61, r + 30 + u) with the anchor as rank 1, r in 2..5, u in 1..61: the last if u >= 31 - r.
      const double last = 0.25 * (33 + 34 + 35 + 36) / 61;
      CHECK(far_ranks[60] / all == doctest::Approx(last).epsilon(0.03));
      CHECK(far_ranks[32] / all == doctest::Approx(0.25 * 1 / 61).epsilon(0.5));
      CHECK(std::accumulate(far_ranks.begin(), far_ranks.begin() + 32, 0.0) == 0);
    }
  }
}

TEST_CASE("about half of the triplets of ETE's generator have the farthest object as far") {
  const FeatureMatrix points = random_features(1000, 3, 4);
  const auto triplets =
      datasets::feature_triplets(points, {.triplets_per_object = 20, .neighbors = 20, .far = "clamped"}, 1);
  int farthest = 0;
  for_each_distance_row(points, std::vector<Index>{0, 250, 500, 750, 999},
                        [&](std::size_t a, std::span<const float> row) {
                          const std::uint64_t anchors[] = {0, 250, 500, 750, 999};
                          const float highest = *std::ranges::max_element(row);
                          for (std::uint64_t r = 0; r < 20; ++r)
                            farthest += row[triplets.at(r * 1000 + anchors[a]).far] == highest;
                        });
  // Binomial(100, 0.512): standard deviation 5.
  CHECK(farthest > 30);
  CHECK(farthest < 72);
}

TEST_CASE("ties give no triplet: equal objects are never compared, and all-equal objects are refused") {
  FeatureMatrix points(6, 1);
  points << 0, 0, 0, 0, 1, 1;
  for (const std::string far : {"farther", "far_half", "clamped", "any"}) {
    CAPTURE(far);
    for (const Index neighbors : {1, 2, 5, 100}) {
      const auto triplets =
          datasets::feature_triplets(points, {.triplets_per_object = 50, .neighbors = neighbors, .far = far}, 9);
      for (const Triplet& t : all_of(triplets))
        REQUIRE(squared(points, t.anchor, t.near) < squared(points, t.anchor, t.far));
    }
    const auto equal = [&] {
      return datasets::feature_triplets(FeatureMatrix(FeatureMatrix::Ones(5, 2)),
                                        {.triplets_per_object = 1, .far = far}, 9);
    };
    CHECK(holds(message_of<DataError>(equal), "equally far from object 1"));
    CHECK_THROWS_AS(static_cast<void>(datasets::feature_triplets(FeatureMatrix(FeatureMatrix::Ones(2, 2)),
                                                                 {.triplets_per_object = 1, .far = far}, 9)),
                    DataError);
  }
}

TEST_CASE("more triplets for each object continue the same sequence, and other keys give another") {
  const FeatureMatrix points = random_features(40, 4, 5);
  for (const std::string far : {"farther", "any"}) {
    const auto ask = [&](Index count, std::uint64_t key) {
      return all_of(datasets::feature_triplets(points, {.triplets_per_object = count, .far = far}, key));
    };
    auto more = ask(7, 1);
    more.resize(3 * 40);
    CHECK(more == ask(3, 1));
    CHECK(ask(3, 1) != ask(3, 2));
  }
}

// ---- datasets ----

TEST_CASE("a subset depends on seed and repeat, keeps names and labels, and is part of larger ones") {
  const ScratchFolder scratch;
  std::string table = "name,kind,x,y\n";
  for (int i = 0; i < 200; ++i) table += fmt::format("o{},k{},{},{}\n", i, i % 7, i, i * i % 31);
  write_text(scratch / "t.csv", table);
  const Names base = {"file=" + (scratch / "t.csv").string(), "name_column=name", "label_column=kind"};
  const auto drawn = [&](const std::string& objects, std::uint64_t seed, std::int64_t repeat) {
    Names settings = base;
    settings.push_back("objects=" + objects);
    return load("features", settings, {.folder = scratch.path(), .seed = seed, .repeat = repeat});
  };
  const Observations all = drawn("0", 1, 0), fifty = drawn("50", 1, 0), twenty = drawn("20", 1, 0);
  CHECK(all.name == "t");
  CHECK(all.object_count() == 200);
  CHECK(all.triplets == nullptr);
  CHECK(all.kinds() == Names{"features", "labels"});
  CHECK(all.features->cols() == 2);
  CHECK(fifty.object_count() == 50);
  CHECK(fifty.notes == Names{"50 of 200 objects are drawn at random."});
  CHECK(all.notes.empty());
  CHECK(fifty.features->rows() == 50);
  CHECK(std::ranges::includes(std::set<std::string>(fifty.objects.begin(), fifty.objects.end()),
                              std::set<std::string>(twenty.objects.begin(), twenty.objects.end())));
  for (std::size_t i = 0; i < 50; ++i) {
    const int number = std::stoi(fifty.objects[i].substr(1));
    CHECK(fifty.labels[i] == "k" + std::to_string(number % 7));
    CHECK((*fifty.features)(static_cast<Index>(i), 0) == static_cast<float>(number));
    if (i > 0) CHECK(number > std::stoi(fifty.objects[i - 1].substr(1)));
  }
  CHECK(drawn("50", 1, 0).objects == fifty.objects);
  CHECK(drawn("50", 2, 0).objects != fifty.objects);
  CHECK(drawn("50", 1, 1).objects != fifty.objects);
  CHECK(
      holds(message_of<ConfigError>([&] { return drawn("201", 1, 0); }), "has 200 objects, fewer than objects = 201"));
  CHECK_THROWS_AS(drawn("-1", 1, 0), ConfigError);
  CHECK(holds(message_of<ConfigError>([&] { return drawn("2", 1, 0); }), "too few for a map"));

  // Scale and triplets leave the choice of objects alone, and the choice of scale is seen.
  Names settings = base;
  settings.insert(settings.end(), {"objects=50", "scale=range", "triplets_per_object=6", "neighbors=5"});
  const Observations asked = load("features", settings, {.folder = scratch.path(), .seed = 1, .repeat = 0});
  CHECK(asked.objects == fifty.objects);
  CHECK(asked.features->maxCoeff() == 1);
  REQUIRE(asked.triplets != nullptr);
  CHECK(asked.triplets->size() == 300);
  CHECK(asked.triplets->object_count() == 50);
}

TEST_CASE("the user's .npy matrices are read with names and labels from a file") {
  const ScratchFolder scratch;
  Matrix points(4, 3);
  points << 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12.5;
  write_text(scratch / "x.npy", alidade::map_to_npy(points));
  write_text(scratch / "names.csv", "name,label\na,p\nb,p\nc,q\nd,q\n");
  const std::string file = "file=" + (scratch / "x.npy").string();
  const Observations data = load("features", {file, "labels=" + (scratch / "names.csv").string()});
  CHECK(data.objects == Names{"a", "b", "c", "d"});
  CHECK(data.labels == Names{"p", "p", "q", "q"});
  CHECK((*data.features)(3, 2) == 12.5F);
  CHECK(load("features", {file}).objects == Names{"1", "2", "3", "4"});

  const auto refused = [&](const Names& settings) {
    const std::string message = message_of<Error>([&] { return load("features", settings); });
    CHECK_FALSE(holds(message, "\n"));
    return message;
  };
  CHECK(holds(refused({}), "option 'file'"));
  CHECK(holds(refused({file, "label_column=kind"}), ".npy file, so it has no columns to name"));
  for (const std::string layout : {"header=yes", "index=no", "decimal=comma"})
    CHECK(holds(refused({file, layout}), "Leave out " + layout.substr(0, layout.find('='))));
  write_text(scratch / "three.csv", "name,label\na,p\nb,p\nc,q\n");
  CHECK(holds(refused({file, "labels=" + (scratch / "three.csv").string()}), "labels 3 objects"));
  points(2, 1) = std::numeric_limits<double>::quiet_NaN();
  write_text(scratch / "x.npy", alidade::map_to_npy(points));
  CHECK(holds(refused({file}), "x.npy': Row 3, column 2 is NaN. A table needs a finite number everywhere"));
  write_text(scratch / "two.csv", "x,y\n1,2\n3,4\n");
  CHECK(holds(refused({"file=" + (scratch / "two.csv").string()}), "2 objects. A map needs at least 3"));
  write_text(scratch / "t.csv", "n,x,y,z\n1,2,3,4\n5,6,7,8\n9,10,11,12\n");
  const std::string table = "file=" + (scratch / "t.csv").string();
  CHECK(load("features", {table, "skip=n, z"}).features->cols() == 2);
  CHECK(load("features", {table, "name_column=\"1\""}).objects == Names{"1", "5", "9"});
  CHECK(holds(refused({table, "header=no"}), "t.csv:1: Column 1 holds 'n'"));
  CHECK(holds(refused({table, "far=near"}), "far_half"));
}

TEST_CASE(
    "spheres are unit spheres, mixtures have their clusters at their distance, and both repeat by "
    "seed") {
  const Observations sphere = load("sphere", {"n=3000", "triplets_per_object=2"}, {.folder = "", .seed = 3});
  CHECK(sphere.kinds() == Names{"triplets", "features", "truth"});
  CHECK((sphere.truth.rowwise().norm().array() - 1).abs().maxCoeff() < 1e-12);
  CHECK(sphere.truth.cast<float>() == *sphere.features);
  CHECK(sphere.triplets->size() == 6000);
  // Coordinates of the uniform distribution on the sphere have mean 0 and variance 1/3, and are uniform in [-1, 1]
  // (Archimedes): five standard errors.
  for (Index c = 0; c < 3; ++c) {
    CHECK(std::abs(sphere.truth.col(c).mean()) < 5 * std::sqrt(1.0 / 3 / 3000));
    CHECK(std::abs((sphere.truth.col(c).array() < 0.5).cast<double>().mean() - 0.75) < 5 * std::sqrt(0.1875 / 3000));
  }
  const auto mixture = [](const std::string& separation, std::uint64_t seed) {
    return load("gaussian_mixture", {"n=4000", "dimensions=20", "clusters=8", "separation=" + separation},
                {.folder = "", .seed = seed});
  };
  const Observations data = mixture("30", 1);
  CHECK(data.kinds() == Names{"features", "labels"});
  const auto counts = counts_of(data.labels);
  CHECK(counts.size() == 8);
  for (const auto& [label, count] : counts) CHECK(count == 500);
  // Variance 1 about the centre of a cluster; centres 30 apart in root mean square over 28 pairs of 20 dimensions.
  Matrix centres = Matrix::Zero(8, 20);
  for (Index i = 0; i < 4000; ++i) centres.row(i % 8) += data.features->row(i).cast<double>() / 500;
  double within = 0, between = 0;
  for (Index i = 0; i < 4000; ++i)
    within += (data.features->row(i).cast<double>() - centres.row(i % 8)).squaredNorm() / (4000.0 * 20);
  for (Index a = 0; a < 8; ++a)
    for (Index b = 0; b < a; ++b) between += (centres.row(a) - centres.row(b)).squaredNorm() / 28;
  CHECK(std::abs(within - 1) < 0.03);
  CHECK(std::sqrt(between) == doctest::Approx(30).epsilon(0.25));
  CHECK(*mixture("30", 1).features == *data.features);
  CHECK(*mixture("30", 2).features != *data.features);
  CHECK_THROWS_AS(load("gaussian_mixture", {"clusters=0"}), ConfigError);
  CHECK_THROWS_AS(load("sphere", {"n=2"}), ConfigError);
}

// ---- the public data ----

namespace {

/// What every dataset of features promises.
Observations loaded(const std::string& name, Index n, Index p, const Names& settings = {}) {
  CAPTURE(name);
  Observations data = load(name, settings);
  CHECK(data.name == name);
  CHECK(data.object_count() == n);
  REQUIRE(data.features != nullptr);
  CHECK(data.features->rows() == n);
  CHECK(data.features->cols() == p);
  CHECK(data.features->allFinite());
  CHECK((data.labels.empty() || static_cast<Index>(data.labels.size()) == n));
  CHECK((data.truth.size() == 0 || data.truth.rows() == n));
  CHECK(data.triplets == nullptr);
  CHECK(std::set<std::string>(data.objects.begin(), data.objects.end()).size() == data.objects.size());
  return data;
}

double share_of_neighbours_alike(const Observations& data) {
  std::vector<Index> anchors(static_cast<std::size_t>(data.object_count()));
  std::iota(anchors.begin(), anchors.end(), Index{0});
  double alike = 0;
  for_each_distance_row(*data.features, anchors, [&](std::size_t a, std::span<const float> row) {
    std::vector<float> others(row.begin(), row.end());
    others[a] = std::numeric_limits<float>::infinity();
    const auto nearest = std::ranges::min_element(others) - others.begin();
    alike += data.labels[a] == data.labels[static_cast<std::size_t>(nearest)] ? 1 : 0;
  });
  return alike / static_cast<double>(data.object_count());
}

}  // namespace

TEST_SUITE("needs data") {
  TEST_CASE("digits of UCI, MNIST and USPS have their numbers of images and of each digit") {
    ALIDADE_NEEDS_DATA();
    const Observations digits = loaded("digits", 1797, 64);
    CHECK(digits.features->minCoeff() == 0);
    CHECK(digits.features->maxCoeff() == 16);
    // scikit-learn's load_digits, the same in the same order.
    CHECK(counts_text(digits.labels) == "0 178, 1 182, 2 177, 3 183, 4 181, 5 182, 6 181, 7 179, 8 174, 9 180");
    CHECK(share_of_neighbours_alike(digits) > 0.98);

    const Observations mnist = loaded("mnist", 10'000, 784);
    CHECK(mnist.features->maxCoeff() == 255);
    CHECK(counts_text(mnist.labels) == "0 980, 1 1135, 2 1032, 3 1010, 4 982, 5 892, 6 958, 7 1028, 8 974, 9 1009");

    const std::string train = "0 1194, 1 1005, 2 731, 3 658, 4 652, 5 556, 6 664, 7 645, 8 542, 9 644";
    const std::string test = "0 359, 1 264, 2 198, 3 166, 4 200, 5 160, 6 170, 7 147, 8 166, 9 177";
    CHECK(counts_text(loaded("usps", 7291, 256, {"part=train"}).labels) == train);
    CHECK(counts_text(loaded("usps", 2007, 256, {"part=test"}).labels) == test);
    const Observations usps = loaded("usps", 9298, 256);
    CHECK(usps.frame.of_data(usps.features->minCoeff(), 0) == doctest::Approx(-1));
    CHECK(usps.frame.of_data(usps.features->maxCoeff(), 0) == doctest::Approx(1));
    CHECK(usps.labels[0] == "6");
    CHECK(usps.frame.of_data((*usps.features)(0, 7), 7) == doctest::Approx(-0.631));
    CHECK(usps.labels[7291] == load("usps", {"part=test"}).labels[0]);
  }

  TEST_CASE("wine, phonemes and satellite pixels have their numbers of objects and of each class") {
    ALIDADE_NEEDS_DATA();
    const Observations wine = loaded("wine", 178, 13);
    CHECK(counts_text(wine.labels) == "1 59, 2 71, 3 48");
    CHECK(wine.frame.of_data((*wine.features)(0, 7), 7) == doctest::Approx(0.28));
    CHECK(wine.frame.of_data((*wine.features)(0, 12), 12) == doctest::Approx(1065));
    const Observations standard = loaded("wine", 178, 13, {"scale=standard"});
    for (Index c = 0; c < 13; ++c) {
      CHECK(std::abs(standard.features->col(c).mean()) < 1e-5);
      CHECK(standard.features->col(c).squaredNorm() / 178 == doctest::Approx(1).epsilon(1e-5));
    }
    CHECK(share_of_neighbours_alike(standard) > share_of_neighbours_alike(wine) + 0.1);

    const Observations phoneme = loaded("phoneme", 4509, 256);
    CHECK(counts_text(phoneme.labels) == "aa 695, ao 1022, dcl 757, iy 1163, sh 872");
    CHECK(phoneme.frame.of_data(phoneme.features->minCoeff(), 0) == doctest::Approx(-8.17219));
    CHECK(phoneme.frame.of_data(phoneme.features->maxCoeff(), 0) == doctest::Approx(26.91038));
    CHECK(phoneme.objects[0] == "1");

    const Observations landsat = loaded("landsat", 6435, 36);
    CHECK(counts_text(landsat.labels) ==
          "cotton crop 703, damp grey soil 626, grey soil 1358, red soil 1533, "
          "soil with vegetation stubble 707, very damp grey soil 1508");
    CHECK(landsat.features->minCoeff() == 27);
    CHECK(landsat.features->maxCoeff() == 157);
    CHECK(counts_of(loaded("landsat", 4435, 36, {"part=train"}).labels)["red soil"] == 1072);
    CHECK(counts_of(loaded("landsat", 2000, 36, {"part=test"}).labels)["red soil"] == 461);
  }

  TEST_CASE("pictures of MATLAB files lie one a row, with their objects, people or parameters") {
    ALIDADE_NEEDS_DATA();
    const Observations coil = loaded("coil20", 1440, 1024);
    CHECK(coil.features->minCoeff() == 0);
    CHECK(coil.features->maxCoeff() <= 1);
    const auto objects = counts_of(coil.labels);
    CHECK(objects.size() == 20);
    for (const auto& [object, views] : objects) CHECK(views == 72);
    CHECK(coil.objects[73] == "object 2 at 5 degrees");
    CHECK(share_of_neighbours_alike(coil) > 0.99);

    const Observations faces = loaded("olivetti", 400, 4096);
    CHECK(faces.features->maxCoeff() == 242);
    CHECK(faces.features->cast<double>().mean() == doctest::Approx(132.384).epsilon(1e-5));
    CHECK(counts_of(faces.labels).size() == 40);
    CHECK(counts_of(faces.labels)["17"] == 10);
    // Ten of each person one after another: rows for columns would mix them.
    CHECK(share_of_neighbours_alike(faces) > 0.9);
    // Read as 64 x 64 by columns, neighbouring pixels are alike.
    CHECK(std::abs((*faces.features)(0, 0) - (*faces.features)(0, 1)) < 60);

    const Observations head = loaded("isomap_faces", 698, 1024);
    CHECK(head.truth.cols() == 3);
    CHECK(head.labels.empty());
    for (Index c = 0; c < 3; ++c) {
      CHECK(std::abs(head.truth.col(c).mean()) < 1e-9);
      CHECK(head.truth.col(c).squaredNorm() / 697 == doctest::Approx(1).epsilon(1e-6));
    }
    // Neighbouring pictures have neighbouring parameters: the nearest of each is 4.5 times nearer than any at random.
    std::vector<Index> anchors(698);
    std::iota(anchors.begin(), anchors.end(), Index{0});
    double near = 0, any = 0;
    for_each_distance_row(*head.features, anchors, [&](std::size_t a, std::span<const float> row) {
      std::vector<float> others(row.begin(), row.end());
      others[a] = std::numeric_limits<float>::infinity();
      const auto nearest = static_cast<Index>(std::ranges::min_element(others) - others.begin());
      const auto i = static_cast<Index>(a);
      near += (head.truth.row(i) - head.truth.row(nearest)).norm();
      any += (head.truth.row(i) - head.truth.row((i + 349) % 698)).norm();
    });
    CHECK(near < 0.3 * any);
  }

  TEST_CASE("the Swiss roll is an exact spiral over its sheet") {
    ALIDADE_NEEDS_DATA();
    const Observations roll = loaded("swiss_roll", 20'000, 3);
    REQUIRE(roll.truth.cols() == 2);
    CHECK(roll.truth.col(0).minCoeff() >= 0);
    CHECK(roll.truth.col(0).maxCoeff() <= 100);
    CHECK(roll.truth.col(1).maxCoeff() <= 50);
    CHECK(roll.features->col(2) == roll.truth.col(1).cast<float>());
    // The radius grows with the position along the roll.
    const Matrix radius = roll.features->leftCols(2).cast<double>().rowwise().norm();
    CHECK(radius.minCoeff() == doctest::Approx(4.988).epsilon(1e-3));
    CHECK(radius.maxCoeff() == doctest::Approx(14.922).epsilon(1e-3));
    std::vector<Index> order(20'000);
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, {}, [&](Index i) { return roll.truth(i, 0); });
    for (std::size_t i = 1; i < order.size(); ++i) REQUIRE(radius(order[i], 0) > radius(order[i - 1], 0) - 1e-5);

    const Observations part = loaded("swiss_roll", 500, 3, {"objects=500"});
    CHECK(part.features->col(2) == part.truth.col(1).cast<float>());
  }

  TEST_CASE("the sea's temperatures are 823 windows of 52 weeks, each a week later than the last") {
    ALIDADE_NEEDS_DATA();
    const Observations sea = loaded("sea_water", 823, 52);
    CHECK(sea.objects.front() == "03JAN1990");
    CHECK(sea.objects.back() == "05OCT2005");
    CHECK(counts_of(sea.labels).size() == 12);
    CHECK((*sea.features)(0, 0) == 26.6F);
    // The last of the 874 weeks is that of 27 September 2006.
    CHECK((*sea.features)(822, 51) == 27.2F);
    CHECK(sea.features->topRightCorner(822, 51) == sea.features->bottomLeftCorner(822, 51));
    CHECK((*loaded("sea_water", 823, 52, {"region=nino12"}).features)(0, 0) == 23.4F);
    CHECK((*loaded("sea_water", 823, 52, {"region=nino4"}).features)(822, 51) == 29.3F);
  }

  TEST_CASE("photographs of scenes have the published number of each kind, in three tables") {
    ALIDADE_NEEDS_DATA();
    const Observations scenes = loaded("scene_15", 4485, 119);
    CHECK(counts_text(scenes.labels) ==
          "bedroom 216, coast 360, forest 328, highway 260, industrial 311, inside city 308, kitchen 210, "
          "living room 289, mountain 374, office 215, open country 410, store 315, street 292, suburb 241, "
          "tall building 356");
    const Observations outdoor = loaded("scene_15", 2688, 119, {"scenes=outdoor"});
    CHECK(counts_of(outdoor.labels).size() == 8);
    CHECK(outdoor.objects.front() == "coast 1");
    CHECK(outdoor.features->row(0) == scenes.features->row(241));
    // Rows for columns would leave chance: 9 %.
    CHECK(share_of_neighbours_alike(outdoor) > 0.6);
    const Observations second = loaded("scene_15", 4485, 59, {"tables=\"2\""});
    CHECK(*second.features == scenes.features->middleCols(20, 59));
    CHECK(loaded("scene_15", 2688, 40, {"tables=\"3\"", "scenes=outdoor"}).features->row(2687) ==
          scenes.features->row(241 + 2687).rightCols(40));
  }

  TEST_CASE("the sphere of the original program of NeRV has its 1,000 points, all at radius 1") {
    ALIDADE_NEEDS_DATA();
    const Observations sphere = loaded("nerv_sphere", 1000, 3);
    CHECK(sphere.frame.of_data((*sphere.features)(0, 0), 0) == doctest::Approx(-0.161177));
    CHECK((sphere.truth.rowwise().norm().array() - 1).abs().maxCoeff() < 1e-5);
    const Matrix stored = sphere.frame.unit * sphere.features->cast<double>();
    CHECK((stored - sphere.truth).cwiseAbs().maxCoeff() < 1e-7);
  }
}

}  // namespace feature_datasets_test
