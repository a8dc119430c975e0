#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "experiments/datasets/readers/answer_notes.hpp"
#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/embedded_tables.hpp"
#include "experiments/datasets/sets/triplet_sampling.hpp"
#include "experiments/files/embedded_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/sha256.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/text.hpp"
#include "tests/support/dataset_loading.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace datasets_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
namespace datasets = alidade::datasets;

using Names = std::vector<std::string>;

// 46 bytes, "anchor,near,far\n1,2,3\n2,1,3\n3,2,1\n4,2,1\n1,2,4\n", packed by gzip -9.
constexpr std::string_view kPlain = "anchor,near,far\n1,2,3\n2,1,3\n3,2,1\n4,2,1\n1,2,4\n";
std::string packed() {
  constexpr std::string_view kHex =
      "1f8b08000000000002034bcc4bcec82fd2c94b4d2cd2494b2ce232d431d231e632d2310492c640b6219709980489"
      "9b"
      "70010016ee69ce2e000000";
  std::string out;
  for (std::size_t i = 0; i < kHex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(kHex.substr(i, 2)), nullptr, 16));
  return out;
}

/// What every dataset promises.
void check_consistent(const Observations& data) {
  CAPTURE(data.name);
  const auto n = static_cast<std::size_t>(data.object_count());
  REQUIRE(n >= 3);
  REQUIRE(data.triplets != nullptr);
  CHECK(data.triplets->size() > 0);
  CHECK(data.triplets->object_count() == data.object_count());
  CHECK((data.labels.empty() || data.labels.size() == n));
  CHECK((data.truth.size() == 0 || data.truth.rows() == data.object_count()));
  CHECK((data.aspects.empty() || static_cast<Index>(data.aspects.size()) == data.triplets->aspect_count()));
  if (data.attributes) CHECK(data.triplets == data.attributes);
  for (const std::string& note : data.notes) CHECK_FALSE(holds(note, "\n"));
}

}  // namespace

// ---- files ----

TEST_CASE("SHA-256 gives the digests of FIPS 180 and of its padding's edges") {
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
               "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu") ==
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  // 55, 56 and 64 bytes: the last length that fits one block, the first that does not, a full block.
  CHECK(sha256(std::string(55, 'a')) == "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  CHECK(sha256(std::string(56, 'a')) == "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  CHECK(sha256(std::string(64, 'a')) == "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST_CASE("text is read from plain and gzip files with any name") {
  const ScratchFolder scratch;
  for (const std::string name : {"plain.csv", "plain.gz"}) {
    write_text(scratch / name, kPlain);
    CHECK(read_text(scratch / name) == kPlain);
  }
  for (const std::string name : {"packed.csv.gz", "packed.csv"}) {
    write_text(scratch / name, packed());
    CHECK(read_text(scratch / name) == kPlain);
  }
  write_text(scratch / "two.gz", packed() + packed() + std::string(5, '\0'));
  CHECK(read_text(scratch / "two.gz") == std::string(kPlain) + std::string(kPlain));
}

TEST_CASE("a gzip file cut anywhere is refused as cut short") {
  const std::string whole = packed();
  for (std::size_t length = 2; length < whole.size(); ++length) {
    CAPTURE(length);
    const std::string message = message_of<DataError>([&] { return unpack_gzip(whole.substr(0, length), "t.csv.gz"); });
    CAPTURE(message);
    CHECK(holds_all(message, {"'t.csv.gz' is a gzip file that is cut short", "copy it again"}));
  }
}

TEST_CASE("a gzip file with any bit of its content or check sums changed is refused") {
  const std::string whole = packed();
  for (std::size_t at = 10; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      // The compressed data end within byte 49; the bits that fill it up mean nothing.
      if (at == 49 && bit > 0) continue;
      std::string damaged = whole;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U << bit));
      CAPTURE(at);
      CAPTURE(bit);
      const std::string message = message_of<DataError>([&] { return unpack_gzip(damaged, "t.csv.gz"); });
      CAPTURE(message);
      CHECK(message.starts_with("'t.csv.gz' is a gzip file that is "));
      CHECK_FALSE(holds(message, "\n"));
    }
  CHECK(holds(message_of<DataError>([&] { return unpack_gzip(whole + "more", "t"); }), "followed by other bytes"));
}

TEST_CASE("a false length at the end of a gzip file costs no memory") {
  std::string lying = packed();
  for (std::size_t i = 1; i <= 4; ++i) lying[lying.size() - i] = '\xff';
  CHECK_THROWS_AS(static_cast<void>(unpack_gzip(lying, "t")), DataError);
}

TEST_CASE("files that cannot be read are refused with a reason") {
  const ScratchFolder scratch;
  const auto refused = [](const std::filesystem::path& path) {
    return message_of<DataError>([&] { return read_text(path); });
  };
  CHECK(holds(refused(scratch / "nobody.csv"), "No such file"));
  CHECK(holds(refused(scratch), "is a folder"));
  write_text(scratch / "empty.csv", "");
  CHECK(holds(refused(scratch / "empty.csv"), "empty.csv' is empty"));
  CHECK(refused(scratch / "empty.csv").find('\n') == std::string::npos);
}

// ---- sampling and projection ----

TEST_CASE("random triplets have three objects, the nearer one first, and reach all alike") {
  Rng points_rng(1);
  Matrix points(7, 2);
  for (Index i = 0; i < points.size(); ++i) points.data()[i] = points_rng.normal();
  Rng rng(2);
  const TripletList triplets = datasets::random_triplets(points, 21'000, rng);
  REQUIRE(triplets.size() == 21'000);
  std::map<std::tuple<ObjectId, ObjectId, ObjectId>, double> seen;
  for (const Triplet& t : all_of(triplets)) {
    const auto distance = [&](ObjectId j) { return (points.row(t.anchor) - points.row(j)).norm(); };
    REQUIRE(distance(t.near) < distance(t.far));
    seen[{t.anchor, t.near, t.far}] += 1;
  }
  // 7 * C(6, 2) questions, each drawn 200 times in the mean; chi-squared with 104 degrees of freedom,
  // whose 99.99 % point is 165.
  REQUIRE(seen.size() == 105);
  double chi_squared = 0;
  for (const auto& [key, count] : seen) chi_squared += (count - 200) * (count - 200) / 200;
  CHECK(chi_squared < 165);
}

TEST_CASE("ties are drawn again, and equal distances are refused") {
  // On a line at 0, 0, 0, 1: only questions about the last object's distance have an answer.
  const std::vector<double> places = {0, 0, 0, 1};
  Rng rng(3);
  const auto distance = [&](ObjectId i, ObjectId j) { return std::abs(places[i] - places[j]); };
  for (const Triplet& t : all_of(datasets::random_triplets(4, 500, distance, rng))) {
    CHECK(t.anchor != 3);
    CHECK(t.far == 3);
  }
  const auto refused = [&](Index n, double same) {
    return message_of<DataError>([&] {
      return datasets::random_triplets(
          n, 10, [same](ObjectId, ObjectId) { return same; }, rng);
    });
  };
  CHECK(holds(refused(4, 1.0), "ties"));
  CHECK(holds(refused(4, std::nan("")), "ties"));
  CHECK(holds(refused(2, 1.0), "at least 3 objects"));
}

TEST_CASE("flips swap near and far at their rate, and a higher rate includes the swaps of a lower one") {
  Rng rng(4);
  const auto distance = [](ObjectId i, ObjectId j) { return std::abs(int(i) - int(j)) + 0.1 * j; };
  const TripletList clean = datasets::random_triplets(20, 10'000, distance, rng);
  Rng first(9), second(9);
  const auto few = datasets::flip_triplets(clean, 0.1, first);
  const auto more = datasets::flip_triplets(clean, 0.3, second);
  std::uint64_t flipped = 0;
  for (std::uint64_t i = 0; i < clean.size(); ++i) {
    const Triplet t = clean.at(i), f = few.triplets.at(i), m = more.triplets.at(i);
    REQUIRE(f.anchor == t.anchor);
    const bool swapped = f.near == t.far && f.far == t.near;
    REQUIRE((swapped || f == t));
    if (swapped) {
      ++flipped;
      REQUIRE(m.near == t.far);
    }
  }
  CHECK(flipped == few.flipped);
  // Binomial(10000, 0.1): standard deviation 30.
  CHECK(std::abs(static_cast<double>(flipped) - 1000) < 150);
  CHECK(more.flipped > few.flipped);
  Rng third(9);
  CHECK(datasets::flip_triplets(clean, 0, third).flipped == 0);
  CHECK_THROWS_AS(static_cast<void>(datasets::flip_triplets(clean, 0.5, third)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(datasets::flip_triplets(clean, -0.1, third)), ConfigError);
}

namespace {

/// Latitude and longitude.
Matrix places_of_cities() {
  const datasets::Table table(
      alidade::RowReader(alidade::embedded_text("europe_cities.csv"), "europe_cities.csv", ','));
  Matrix out(std::ssize(table.rows), 2);
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    out.row(static_cast<Index>(i)) << *alidade::parse_double(table.rows[i][2]),
        *alidade::parse_double(table.rows[i][3]);
  return out;
}

}  // namespace

TEST_CASE("the projection keeps distances and directions from its centre") {
  const Matrix places = places_of_cities();
  const datasets::FlatMap flat = datasets::azimuthal_equidistant(places);
  const Eigen::RowVector2d centre{flat.centre_latitude_degrees, flat.centre_longitude_degrees};
  double worst_stretch = 1;
  for (Index i = 0; i < places.rows(); ++i) {
    CAPTURE(i);
    CHECK(flat.points.row(i).norm() == doctest::Approx(datasets::great_circle_km(centre, places.row(i))).epsilon(1e-9));
    CHECK((places(i, 0) > flat.centre_latitude_degrees + 3) <= (flat.points(i, 1) > 0));
    CHECK((places(i, 1) > flat.centre_longitude_degrees) == (flat.points(i, 0) > 0));
    for (Index j = 0; j < i; ++j) {
      const double ratio =
          (flat.points.row(i) - flat.points.row(j)).norm() / datasets::great_circle_km(places.row(i), places.row(j));
      worst_stretch = std::max(worst_stretch, ratio);
      REQUIRE(ratio > 1 - 1e-9);
    }
  }
  const double farthest = flat.points.rowwise().norm().maxCoeff() / 6371.0088;
  CHECK(worst_stretch <= farthest / std::sin(farthest));
}

// ---- the catalog ----

TEST_CASE("every entry of the catalog has a description, and its files have hash and origin") {
  std::set<std::string> names;
  for (const datasets::DatasetEntry& entry : datasets::dataset_catalog().entries()) {
    CAPTURE(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK_FALSE(entry.summary.empty());
    CHECK(entry.load);
    CHECK((entry.files.empty() || !entry.citation.empty()));
    // What a file holds depends on no seed, but a subset of its objects and triplets of their features do.
    const bool draws = std::ranges::any_of(entry.options, [](const auto& option) {
      return option.name == "objects" || option.name == "triplets_per_object";
    });
    CHECK_MESSAGE(entry.random == (draws || entry.citation == "generated" || entry.name == "europe"), entry.name);
    for (const alidade::OptionInfo& option : entry.options) {
      CHECK_FALSE(option.doc.empty());
      // A configuration takes these two for the dataset itself.
      CHECK(option.name != "name");
      CHECK(option.name != "id");
    }
    for (const datasets::DataFile& file : entry.files) {
      CAPTURE(file.path);
      CHECK(file.sha256.size() == 64);
      CHECK(file.url.starts_with("http"));
      CHECK(file.path.ends_with(".gz") == !file.unpacked_sha256.empty());
    }
  }
  for (const std::string name : {"europe", "elements", "gaussian", "uniform", "zoo", "house_votes", "music_artists",
                                 "food100", "cars60", "material_appearance", "triplets", "attributes"})
    CHECK_MESSAGE(names.contains(name), name);
}

TEST_CASE("unknown datasets, options and values are refused with the nearest known") {
  CHECK(holds(message_of<ConfigError>([] { return load("musik_artists"); }), "music_artists"));
  CHECK(holds(message_of<ConfigError>([] { return load("europe", {"noize=0.1"}); }),
              "dataset 'europe' has no option 'noize'. Did you mean 'noise'?"));
  for (const std::string bad : {"noise=0.5", "noise=-0.1", "noise=high", "triplets=-1", "factor=0"})
    CHECK_MESSAGE(holds(message_of<ConfigError>([&] { return load("europe", {bad}); }), "europe"), bad);
  CHECK_THROWS_AS(load("gaussian", {"n=2"}), ConfigError);
}

TEST_CASE("europe gives noise-free triplets of great-circle distances, countries and a flat truth") {
  const Observations data = load("europe", {}, {.folder = "", .seed = 5, .repeat = 0});
  check_consistent(data);
  const Matrix places = places_of_cities();
  REQUIRE(data.object_count() == places.rows());
  CHECK(data.truth.cols() == 2);
  CHECK(data.kinds() == Names{"triplets", "labels", "truth"});
  const double n = static_cast<double>(places.rows());
  CHECK(data.triplets->size() == static_cast<std::uint64_t>(std::llround(16 * n * std::log(n))));
  for (const Triplet& t : all_of(*data.triplets))
    REQUIRE(datasets::great_circle_km(places.row(t.anchor), places.row(t.near)) <
            datasets::great_circle_km(places.row(t.anchor), places.row(t.far)));
  CHECK(load("europe", {"triplets=77"}).triplets->size() == 77);
}

TEST_CASE("random datasets repeat for one seed and repeat, and differ for others") {
  for (const std::string name : {"europe", "gaussian", "uniform"}) {
    CAPTURE(name);
    CHECK(datasets::dataset_catalog().at(name).random);
    const auto triplets = [&](std::uint64_t seed, std::int64_t repeat, const Names& settings) {
      return all_of(*load(name, settings, {.folder = "", .seed = seed, .repeat = repeat}).triplets);
    };
    const Names base = {"triplets=300"};
    CHECK(triplets(1, 0, base) == triplets(1, 0, base));
    CHECK(triplets(1, 0, base) != triplets(2, 0, base));
    CHECK(triplets(1, 0, base) != triplets(1, 1, base));
    // Noise reverses triplets and changes nothing else; more triplets continue the same sequence.
    const auto clean = triplets(1, 0, base), noisy = triplets(1, 0, {"triplets=300", "noise=0.2"});
    int reversed = 0;
    for (std::size_t i = 0; i < clean.size(); ++i) {
      CHECK(noisy[i].anchor == clean[i].anchor);
      reversed += noisy[i].near == clean[i].far ? 1 : 0;
    }
    // Binomial(300, 0.2): mean 60, standard deviation 7.
    CHECK(reversed > 25);
    CHECK(reversed < 95);
    auto more = triplets(1, 0, {"triplets=400"});
    more.resize(300);
    CHECK(more == clean);
  }
  CHECK(load("gaussian").triplets->at(0) != load("uniform").triplets->at(0));
}

TEST_CASE("generated points are the truth of their triplets") {
  for (const std::string name : {"gaussian", "uniform"}) {
    CAPTURE(name);
    const Observations data = load(name, {"n=60", "dimensions=3", "factor=0.5"});
    check_consistent(data);
    CHECK(data.truth.rows() == 60);
    CHECK(data.truth.cols() == 3);
    CHECK(data.triplets->size() == static_cast<std::uint64_t>(std::llround(3 * 60 * std::log(60.0))));
    for (const Triplet& t : all_of(*data.triplets))
      REQUIRE((data.truth.row(t.anchor) - data.truth.row(t.near)).norm() <
              (data.truth.row(t.anchor) - data.truth.row(t.far)).norm());
  }
  const Matrix uniform = load("uniform", {"n=2000"}).truth, gaussian = load("gaussian", {"n=2000"}).truth;
  CHECK(uniform.minCoeff() >= 0);
  CHECK(uniform.maxCoeff() < 1);
  CHECK(std::abs(uniform.mean() - 0.5) < 0.03);
  // 4000 standard normal numbers: five standard errors of the mean and of the second moment.
  CHECK(std::abs(gaussian.mean()) < 0.08);
  CHECK(std::abs(gaussian.squaredNorm() / 4000 - 1) < 0.115);
}

TEST_CASE("with a sharpness, generated answers near a tie are guessed as by STE") {
  for (const std::string name : {"gaussian", "uniform"})
    for (const double sharpness : {0.5, 3.0}) {
      CAPTURE(name);
      CAPTURE(sharpness);
      const Observations data = load(name, {"n=100", "triplets=20000", "sharpness=" + std::to_string(sharpness)});
      double expected = 0, contrary = 0, variance = 0;
      for (const Triplet& t : all_of(*data.triplets)) {
        const double margin = (data.truth.row(t.anchor) - data.truth.row(t.far)).squaredNorm() -
                              (data.truth.row(t.anchor) - data.truth.row(t.near)).squaredNorm();
        const double p = 1 / (1 + std::exp(sharpness * std::abs(margin)));
        expected += p;
        variance += p * (1 - p);
        contrary += margin < 0 ? 1 : 0;
      }
      CHECK(contrary > 100);
      CHECK(std::abs(contrary - expected) < 5 * std::sqrt(variance));
      REQUIRE(!data.notes.empty());
      CHECK(holds_all(data.notes.front(), {"contrary to the distances"}));
    }
}

TEST_CASE("elements are an attribute table whose labels are categories") {
  const Observations data = load("elements");
  check_consistent(data);
  CHECK(data.object_count() == 118);
  CHECK(data.objects[5] == "Carbon");
  CHECK(data.labels[9] == "noble gas");
  REQUIRE(data.attributes != nullptr);
  CHECK(data.aspects.size() == 12);
  CHECK(data.aspects[0] == "group");
  CHECK(data.attributes->aspects()[1].values == Names{"1", "2", "3", "4", "5", "6", "7"});
  CHECK_FALSE(datasets::dataset_catalog().at("elements").random);
  // M = sum over aspects and classes of n_c (n_c - 1) (m - n_c).
  std::uint64_t expected = 0;
  for (const AttributeTable::Aspect& aspect : data.attributes->aspects()) {
    std::vector<std::uint64_t> members(aspect.values.size(), 0);
    for (const std::int32_t code : aspect.codes)
      if (code != AttributeTable::kMissing) ++members[static_cast<std::size_t>(code)];
    const std::uint64_t known = std::accumulate(members.begin(), members.end(), std::uint64_t{0});
    for (const std::uint64_t m : members)
      if (m > 0) expected += m * (m - 1) * (known - m);
  }
  CHECK(data.triplets->size() == expected);
}

TEST_CASE("the user's triplet files are read with order, labels and gzip") {
  const ScratchFolder scratch{{"mine.csv.gz", packed()}, {"names.csv", "name,label\n1,a\n2,a\n3,b\n4,b\n"}};
  const std::string file = "file=" + (scratch / "mine.csv.gz").string();
  const Observations data = load("triplets", {file, "labels=" + (scratch / "names.csv").string()});
  check_consistent(data);
  CHECK(data.name == "mine.csv");
  CHECK(data.objects == Names{"1", "2", "3", "4"});
  CHECK(data.labels == Names{"a", "a", "b", "b"});
  CHECK(data.triplets->size() == 5);
  // Below the data folder where there is none in the current one.
  CHECK(load("triplets", {"file=mine.csv.gz"}, {.folder = scratch.path()}).triplets->size() == 5);
  CHECK(holds(message_of<DataError>([&] { return load("triplets", {"file=nobody.csv"}); }), "nobody.csv"));
  CHECK(holds(message_of<ConfigError>([&] { return load("triplets"); }), "option 'file'"));
  CHECK(holds(message_of<ConfigError>([&] { return load("triplets", {file, "degenerate=keep"}); }), "drop"));
  write_text(scratch / "bad.csv", "anchor,near,far\na,b,b\na,b,c\n");
  const std::string bad = "file=" + (scratch / "bad.csv").string();
  CHECK(holds(message_of<DataError>([&] { return load("triplets", {bad}); }), "bad.csv:2: "));
  CHECK(load("triplets", {bad, "degenerate=drop"}).triplets->size() == 1);
}

TEST_CASE("the user's attribute tables are read with names and labels") {
  const ScratchFolder scratch{{"table.tsv",
                               "who\tsort\tsize\n"
                               "a\tx\t1\nb\tx\t2\nc\ty\t-\nd\ty\t1\n"}};
  const Observations data = load(
      "attributes", {"file=" + (scratch / "table.tsv").string(), "name_column=who", "label_column=sort", "missing=-"});
  check_consistent(data);
  CHECK(data.name == "table");
  CHECK(data.objects == Names{"a", "b", "c", "d"});
  CHECK(data.aspects == Names{"size"});
  CHECK(data.triplets->size() == 2);
}

TEST_CASE("verifying distinguishes good, missing and different files") {
  const ScratchFolder scratch;
  const std::string unpacked(kPlain);
  const datasets::DataFile good{.path = "d/good.csv", .sha256 = sha256("good"), .url = "u"};
  const datasets::DataFile other{.path = "d/other.csv", .sha256 = sha256("good"), .url = "u"};
  const datasets::DataFile gone{.path = "d/gone.csv", .sha256 = sha256("good"), .url = "u"};
  const datasets::DataFile twin{
      .path = "d/twin.csv.gz", .sha256 = sha256(packed()), .url = "u", .unpacked_sha256 = sha256(unpacked)};
  write_text(scratch / "d/good.csv", "good");
  write_text(scratch / "d/other.csv", "evil");
  write_text(scratch / "d/twin.csv", unpacked);
  const datasets::DatasetEntry entry{.name = "d", .files = {good, other, gone, twin}};
  const auto checks = datasets::verify(entry, scratch);
  REQUIRE(checks.size() == 4);
  CHECK(checks[0].state == datasets::FileState::present);
  CHECK(checks[1].state == datasets::FileState::differs);
  CHECK(checks[1].found_sha256 == sha256("evil"));
  CHECK(checks[2].state == datasets::FileState::missing);
  CHECK(checks[2].found_sha256.empty());
  CHECK(checks[3].state == datasets::FileState::present);
  CHECK(checks[3].path == scratch / "d/twin.csv");
  write_text(scratch / "d/twin.csv.gz", packed() + packed());
  CHECK(datasets::verify(entry, scratch)[3].state == datasets::FileState::differs);
  CHECK(datasets::to_string(datasets::FileState::differs) == "differs");
}

TEST_CASE("an error on a missing file has its origin and the three ways to set the folder") {
  const ScratchFolder scratch;
  for (const datasets::DatasetEntry& entry : datasets::dataset_catalog().entries()) {
    if (entry.files.empty()) continue;
    const std::string message = message_of<DataError>([&] { return load(entry.name, {}, {.folder = scratch.path()}); });
    CAPTURE(message);
    CHECK(std::ranges::any_of(entry.files, [&](const datasets::DataFile& file) {
      return holds(message, file.path) && holds(message, file.url);
    }));
    CHECK(holds_all(message, {"--data", "ALIDADE_DATA", "folder 'data'"}));
    CHECK_FALSE(holds(message, "\n"));
  }
}

TEST_CASE("the data folder comes from the command line, else the environment, else it is ./data") {
  const char* before = std::getenv("ALIDADE_DATA");
  const std::string kept = before ? before : "";
  ::setenv("ALIDADE_DATA", "/from/environment", 1);
  CHECK(datasets::data_folder("/from/line") == "/from/line");
  CHECK(datasets::data_folder(std::nullopt) == "/from/environment");
  ::setenv("ALIDADE_DATA", "", 1);
  CHECK(datasets::data_folder(std::nullopt) == "data");
  ::unsetenv("ALIDADE_DATA");
  CHECK(datasets::data_folder(std::nullopt) == "data");
  const ScratchFolder scratch;
  const std::filesystem::path file = scratch / "file";
  write_text(file, "1\n");
  CHECK_THROWS_AS(datasets::data_folder(file), ConfigError);
  ::setenv("ALIDADE_DATA", file.c_str(), 1);
  CHECK_THROWS_AS(datasets::data_folder(std::nullopt), ConfigError);
  ::unsetenv("ALIDADE_DATA");
  if (before) ::setenv("ALIDADE_DATA", kept.c_str(), 1);
}

// ---- the public data ----

namespace {

/// Sampled: indices lead to triplets of the definition, and back.
void check_sampled_bijection(const AttributeTable& table, std::uint64_t seed) {
  CAPTURE(seed);
  Rng rng(seed);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t index = i == 0 ? 0 : i == 1 ? table.size() - 1 : rng.below(table.size());
    const Triplet t = table.at(index);
    const auto& codes = table.aspects()[t.aspect].codes;
    CAPTURE(index);
    REQUIRE(t.anchor != t.near);
    REQUIRE(codes[t.anchor] == codes[t.near]);
    REQUIRE(codes[t.anchor] != codes[t.far]);
    REQUIRE(codes[t.far] != AttributeTable::kMissing);
    REQUIRE(table.index_of(t) == index);
  }
}

std::vector<std::uint64_t> unordered_per_aspect(const AttributeTable& table) {
  std::vector<std::uint64_t> out;
  for (Index a = 0; a < table.aspect_count(); ++a) out.push_back(table.aspect_size(a) / 2);
  return out;
}

}  // namespace

TEST_CASE("annotators of generated answers: spammers guess, the others lapse, and what is drawn stays") {
  const auto error_of = [](const Observations& data, bool spammers) {
    double wrong = 0, all = 0;
    for (std::uint64_t i = 0; i < data.triplets->size(); ++i) {
      const auto& name = data.annotators[(*data.annotator)[static_cast<std::size_t>(i)]];
      if (name.starts_with("spammer") != spammers) continue;
      const alidade::Triplet t = data.triplets->at(i);
      const auto d = [&](ObjectId a, ObjectId b) { return (data.truth.row(a) - data.truth.row(b)).squaredNorm(); };
      wrong += d(t.anchor, t.near) < d(t.anchor, t.far) ? 0 : 1;
      ++all;
    }
    return wrong / all;
  };
  const std::vector<std::string> base = {"n=50", "triplets=20000", "annotators=20"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return load("gaussian", more);
  };
  const Observations spam = with({"spammers=0.25", "lapses=0.1"});
  CHECK(std::ranges::count_if(spam.annotators, [](const auto& name) { return name.starts_with("spammer"); }) == 5);
  CHECK(spam.triplets->size() == 20'000);
  CHECK(spam.annotator->size() == 20'000);
  CHECK(error_of(spam, true) == doctest::Approx(0.5).epsilon(0.05));
  CHECK(error_of(spam, false) > 0.02);
  CHECK(error_of(spam, false) < 0.09);  // half of a guess is right
  const Observations loaded = with({"spammers=0.25", "lapses=0.1", "without_spammers=true"});
  CHECK(loaded.triplets->size() == 15'000);
  std::uint64_t k = 0;
  for (std::uint64_t i = 0; i < spam.triplets->size(); ++i) {
    if (spam.annotators[(*spam.annotator)[static_cast<std::size_t>(i)]].starts_with("spammer")) continue;
    REQUIRE(loaded.triplets->at(k) == spam.triplets->at(i));
    REQUIRE((*loaded.annotator)[static_cast<std::size_t>(k)] == (*spam.annotator)[static_cast<std::size_t>(i)]);
    ++k;
  }
  CHECK(k == loaded.triplets->size());
  CHECK(error_of(with({}), false) == 0);
  CHECK(error_of(with({"sharpness=1", "sharpness_spread=0.3"}), false) > 0.05);
  CHECK_FALSE(load("gaussian", {"n=50"}).annotator);
  CHECK(holds_all(message_of<ConfigError>([] {
                    static_cast<void>(load("uniform", {"n=50", "spammers=0.5"}));
                  }),
                  {"uniform:", "without_spammers", "number of annotators"}));
  CHECK(holds_all(message_of<ConfigError>([&] {
                    static_cast<void>(with({"spammers=1", "without_spammers=true"}));
                  }),
                  {"all annotators are spammers"}));
}

TEST_SUITE("needs data") {
  TEST_CASE("the files of the data folder have the known hashes") {
    ALIDADE_NEEDS_DATA();
    for (const datasets::DatasetEntry& entry : datasets::data_catalog().entries())
      for (const auto& check : datasets::verify(entry, datasets::data_folder(std::nullopt)))
        CHECK_MESSAGE(check.state == datasets::FileState::present, check.file.path, " is ",
                      std::string(datasets::to_string(check.state)));
  }

  TEST_CASE("Zoo has 3,233,424 ordered triplets, indexed both ways") {
    ALIDADE_NEEDS_DATA();
    const Observations data = load("zoo");
    check_consistent(data);
    CHECK(data.object_count() == 101);
    CHECK(std::ranges::count(data.objects, std::string("frog")) == 2);
    CHECK(data.attributes->size() == 3'233'424);
    CHECK(unordered_per_aspect(*data.attributes) ==
          std::vector<std::uint64_t>{123453, 80190, 122661, 121770, 91476, 115830, 124740, 120780, 73953, 83160, 36828,
                                     70686, 94191, 96525, 56628, 124146, 79695});
    CHECK(counts_text(data.labels) ==
          "amphibian 4, bird 20, fish 13, insect 8, mammal 41, other invertebrate 10, reptile 5");
    CHECK(data.attributes->aspects()[12].values == Names{"0", "2", "4", "5", "6", "8"});
    check_sampled_bijection(*data.attributes, 1);
    CHECK(load("zoo", {"type_is_aspect=false"}).triplets->size() == 3'074'034);
  }

  TEST_CASE("HouseVote has 47,034,770 ordered triplets over complete rows, indexed both ways") {
    ALIDADE_NEEDS_DATA();
    const Observations data = load("house_votes");
    check_consistent(data);
    CHECK(data.object_count() == 232);
    CHECK(data.attributes->size() == 47'034'770);
    CHECK(unordered_per_aspect(*data.attributes) ==
          std::vector<std::uint64_t>{1501440, 1538125, 1541805, 1546405, 1530880, 1422205, 1540080, 1546405, 1546405,
                                     1530880, 1398400, 1540080, 1533525, 1422205, 1443940, 934605});
    CHECK(counts_text(data.labels) == "democrat 124, republican 108");
    CHECK(std::ranges::find(data.aspects, "party") == data.aspects.end());
    check_sampled_bijection(*data.attributes, 2);

    const Observations all = load("house_votes", {"complete_rows=false"});
    CHECK(all.object_count() == 435);
    CHECK(counts_text(all.labels) == "democrat 267, republican 168");
    CHECK(all.notes == Names{"392 values are missing."});
    check_sampled_bijection(*all.attributes, 3);
  }

  TEST_CASE("Music keeps 9,090 of its rows and the 400 artists that occur") {
    ALIDADE_NEEDS_DATA();
    const Observations data = load("music_artists");
    check_consistent(data);
    CHECK(data.object_count() == 400);
    CHECK(data.triplets->size() == 9090);
    CHECK(holds(data.notes.at(0), "17 rows"));
    CHECK(counts_text(data.labels) ==
          "country 10, dance 19, hiphop 29, jazz 3, metal 16, other 14, pop 68, reggae 4, rock 237");
    for (const std::string absent :
         {"172", "196", "197", "205", "239", "256", "347", "349", "369", "380", "398", "403"})
      CHECK(std::ranges::find(data.objects, absent) == data.objects.end());
    CHECK(data.objects.front() == "1");
    CHECK(data.objects.back() == "412");
    const auto counts = datasets::count_answers(TripletList::copy_of(*data.triplets));
    CHECK(counts.distinct == 9090);
    CHECK(counts.opposed_pairs == 0);
    const Triplet first = data.triplets->at(0);
    CHECK(data.objects[first.anchor] == "3");
    CHECK(data.objects[first.near] == "47");
    CHECK(data.objects[first.far] == "206");
  }

  TEST_CASE("Food has 250,320 answers over 100 dishes, 190,376 of them distinct") {
    ALIDADE_NEEDS_DATA();
    const Observations data = load("food100");
    check_consistent(data);
    CHECK(data.object_count() == 100);
    CHECK(data.triplets->size() == 250'320);
    CHECK(data.objects[0] == "images/13e60bef87794072bb613abcd61ba94d.jpg");
    const auto counts = datasets::count_answers(TripletList::copy_of(*data.triplets));
    CHECK(counts.distinct == 190'376);
    CHECK(counts.opposed_pairs == 9'349);
    CHECK(data.triplets->at(2) == Triplet{0, 1, 4, 0, 1.0});
    CHECK_FALSE(data.answer);
  }

  TEST_CASE("Food's rows are those of 15,320 screens, every pick against every photo left") {
    ALIDADE_NEEDS_DATA();
    const Observations data = load("food100", {"whole_screens=true"});
    REQUIRE(data.answer);
    CHECK(data.answer->size() == 250'320);
    CHECK(data.answer->back() == 15'319);
    std::map<std::uint32_t, std::set<std::pair<ObjectId, ObjectId>>> pairs;
    std::map<std::uint32_t, std::array<std::set<ObjectId>, 3>> seen;
    for (std::uint64_t i = 0; i < data.triplets->size(); ++i) {
      const Triplet t = data.triplets->at(i);
      const std::uint32_t screen = (*data.answer)[i];
      pairs[screen].insert({t.near, t.far});
      seen[screen][0].insert(t.anchor);
      seen[screen][1].insert(t.near);
      seen[screen][2].insert(t.far);
    }
    std::uint64_t rows = 0;
    for (const auto& [screen, objects] : seen) {
      CAPTURE(screen);
      REQUIRE(objects[0].size() == 1);
      REQUIRE(pairs[screen].size() == objects[1].size() * objects[2].size());
      rows += pairs[screen].size();
    }
    CHECK(rows == 250'320);  // no pair twice within a screen
  }

  TEST_CASE("Cars give two triplets for each of 7,097 answers") {
    ALIDADE_NEEDS_DATA();
    const Observations data = load("cars60");
    check_consistent(data);
    CHECK(data.object_count() == 60);
    CHECK(data.triplets->size() == 14'194);
    CHECK(counts_text(data.labels) == "off-road 17, ordinary 24, outlier 4, sports 15");
    // The first answer: 32 is the most central of 32, 16 and 30, so it is nearer to both others.
    CHECK(data.triplets->at(0) == Triplet{15, 31, 29, 0, 1.0});
    CHECK(data.triplets->at(1) == Triplet{29, 31, 15, 0, 1.0});
    // The second: 18 of 15, 18 and 53.
    CHECK(data.triplets->at(2) == Triplet{14, 17, 52, 0, 1.0});
    CHECK(data.triplets->at(3) == Triplet{52, 17, 14, 0, 1.0});
    REQUIRE(data.answer);
    CHECK(data.answer->size() == 14'194);
    CHECK(data.answer->at(0) == 0);
    CHECK(data.answer->at(1) == 0);
    CHECK(data.answer->back() == 7096);
    CHECK(data.annotators.size() == 146);
    REQUIRE(data.annotator);
    CHECK(data.annotator->size() == 14'194);
    const Observations rounds = load("cars60", {"rounds_are_aspects=true"});
    CHECK(rounds.aspects.size() == 146);
    CHECK(rounds.triplets->aspect_count() == 146);
    std::set<std::uint32_t> seen;
    for (const Triplet& t : all_of(*rounds.triplets)) seen.insert(t.aspect);
    CHECK(seen.size() == 146);
  }

  TEST_CASE("material answers count by majority, or by every vote given") {
    ALIDADE_NEEDS_DATA();
    const auto loaded = [](const Names& settings) {
      Observations data = load("material_appearance", settings);
      check_consistent(data);
      CHECK(data.object_count() == 100);
      return data.triplets;
    };
    const auto total_weight = [](const TripletSource& triplets) {
      double sum = 0;
      for (const Triplet& t : all_of(triplets)) sum += t.weight;
      return sum;
    };
    CHECK(loaded({})->size() == 21'406);
    CHECK_FALSE(loaded({})->weighted());
    CHECK(loaded({"part=test"})->size() == 2'738);
    CHECK(loaded({"part=both"})->size() == 24'144);
    CHECK(loaded({"ties=both"})->size() == 21'406 + 2 * 1'395);
    const auto train = loaded({"ties=both", "weight=votes"});
    CHECK(train->weighted());
    CHECK(total_weight(*train) == 92'892);
    CHECK(total_weight(*loaded({"part=test", "ties=both", "weight=votes"})) == 11'800);
    CHECK(loaded({"weight=votes"})->at(0).weight == 3);
    CHECK(loaded({"weight=votes"})->at(1).weight == 1);
  }
}

}  // namespace datasets_test
