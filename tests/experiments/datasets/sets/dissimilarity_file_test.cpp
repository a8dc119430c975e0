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
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

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
  [[nodiscard]] std::string refusal(std::string_view text, const Settings& settings = {}) const {
    return message_of<Error>([&] { return load(text, settings); });
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

TEST_CASE("labels of a table with names are those of the names, in any order") {
  const Folder folder;
  write_text(folder.scratch / "names.csv", "name,label\nBern,middle\nRome,south\nOslo,north\n");
  write_text(folder.scratch / "other.csv", "name,label\nBern,middle\nParis,west\nOslo,north\n");
  const std::string body = "0,1,2\n1,0,1.5\n2,1.5,0\n", header = "Oslo,Rome,Bern\n";
  const std::string named = "city,a,b,c\nOslo,0,1,2\nRome,1,0,1.5\nBern,2,1.5,0\n";
  const auto check = [](const Observations& loaded) {
    CHECK(loaded.objects == std::vector<std::string>{"Oslo", "Rome", "Bern"});
    CHECK(loaded.labels == std::vector<std::string>{"north", "south", "middle"});
  };
  check(folder.load(header + body, {{"labels", "names.csv"}}));
  check(folder.load(named, {{"labels", "names.csv"}, {"name_column", "city"}}));
  check(folder.load("3\nOslo 0 1 2\nRome 1 0 1.5\nBern 2 1.5 0\n", {{"labels", "names.csv"}}));
  CHECK(folder.refusal(header + body, {{"labels", "other.csv"}}).find("no line for the object 'Rome'") !=
        std::string::npos);
  CHECK(folder.load(body, {{"labels", "names.csv"}}).objects.front() == "Bern");  // by position
}

TEST_CASE("a bad matrix of dissimilarities is refused with the pair and what to do") {
  const Folder folder;
  const auto says = [&](std::string_view text, std::string_view part, const Settings& settings = {}) {
    const std::string message = folder.refusal(text, settings);
    CAPTURE(message);
    CHECK(message.find(part) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  };
  says("0,1,2\n1,0,1.5\n", "2 rows of 3 numbers");
  says("0,1,2\n1,0,1.5\n2,1.6,0\n", "'3' and '2' (rows 3 and 2) are 1.6");
  says("0,1,2\n1,0,1.5\n2,1.6,0\n", "asymmetry = \"mean\"");
  says("0,1,2\n1,1,1.5\n2,1.5,0\n", "'2' (row 2) to itself is 1");
  says("0,-1,2\n-1,0,1.5\n2,1.5,0\n", "a number >= 0");
  says("0,inf,2\ninf,0,1.5\n2,1.5,0\n", "apart.csv");
  says("0,1\n1,0\n", "(no error)");  // problems say how few are too few
  says(npy({0, 1, 1, 0}, 2, 2), "--labels", {{"name_column", "1"}});
  const Observations mean = folder.load("0,1,2\n1,0,1.5\n2,1.7,0\n", {{"asymmetry", "mean"}});
  CHECK(mean.dissimilarities[0].values(1, 2) == doctest::Approx(1.6).epsilon(1e-6));
  CHECK(mean.dissimilarities[0].values(2, 1) == mean.dissimilarities[0].values(1, 2));
}

TEST_CASE("what rounding leaves of 0 and of equal numbers, beside the largest, is no fault") {
  const Folder folder;
  const Matrix wanted = (Matrix(3, 3) << 0, 1e3, 0, 1e3, 0, 2, 0, 2, 0).finished();
  const Matrix read =
      folder.load("1e-13,1e3,-1e-13\n1e3,-2e-13,2.0000000000002\n-1e-13,2,0\n").dissimilarities[0].values;
  CHECK((read - wanted).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK((read.diagonal().array() == 0).all());
  CHECK(read.minCoeff() == 0);
  CHECK(folder.refusal("1e-2,1e3,0\n1e3,0,2\n0,2,0\n").find("(row 1) to itself is 0.01") != std::string::npos);
  CHECK(folder.refusal("0,1e3,-1e-2\n1e3,0,2\n-1e-2,2,0\n").find("a number >= 0") != std::string::npos);
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

TEST_CASE("similarities are turned into distances on demand, and never become distances in silence") {
  const Folder folder;
  std::string similar = "name", apart = "name", zero;
  for (int i = 0; i < 9; ++i) {
    similar += ",o" + std::to_string(i);
    apart += ",o" + std::to_string(i);
  }
  zero = similar;
  for (int i = 0; i < 9; ++i) {
    for (std::string* text : {&similar, &apart, &zero}) *text += "\no" + std::to_string(i);
    for (int j = 0; j < 9; ++j) {
      const double alike = std::exp(-0.4 * std::abs(i - j));
      similar += "," + std::to_string(alike);
      zero += "," + std::to_string(i == j ? 0 : alike);
      apart += "," + std::to_string(std::abs(i - j));
    }
  }
  CHECK(holds_all(folder.refusal(similar + "\n"), {"to itself is 1", "--similarities"}));
  CHECK(holds_all(folder.refusal(zero + "\n"), {"the more alike their rows are", "--similarities=no"}));
  CHECK(folder.refusal(apart + "\n") == "(no error)");
  CHECK(folder.refusal(zero + "\n", {{"similarities", "no"}}) == "(no error)");
  for (const std::string& text : {similar, zero}) {
    const Observations loaded = folder.load(text + "\n", {{"similarities", "yes"}});
    const Matrix& D = loaded.dissimilarities[0].values;
    CHECK(D(0, 0) == 0);
    CHECK(D(0, 1) < D(0, 2));
    CHECK(D(0, 2) < D(0, 8));
    CHECK(std::ranges::any_of(loaded.notes, [](const std::string& note) {
      return note.starts_with("Similarities were turned into distances: ");
    }));
  }
  CHECK(holds_all(folder.refusal("name,a,b,c\na,1,2,0\nb,2,3,0\nc,0,0,3\n", {{"similarities", "yes"}}),
                  {"less similar to itself"}));
  // A constant that is added to all changes no difference.
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

TEST_CASE("ratings of pairs have a column for each person, or a mean beside what tells its size") {
  const Folder folder;
  const auto table = [](std::string_view header, const auto& numbers) {
    std::string out(header);
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < a; ++b) out += fmt::format("\nw{},w{},{}", a, b, numbers(a - b));
    return out;
  };
  const Observations wanted = folder.load(table("word1,word2,distance", [](int d) { return std::to_string(d); }));
  const auto same = [&](const Observations& read) {
    return read.objects == wanted.objects && read.dissimilarities[0].values == wanted.dissimilarities[0].values;
  };
  const auto three = [](int d) { return fmt::format("{},{},{}", d - 1, d, d + 1); };
  for (const char* header : {"word1,word2,P1,P2,P3", "word1,word2,rater01,rater02,rater03", "word1,word2,x1,x2,x3"}) {
    const Observations read = folder.load(table(header, three));
    CHECK(same(read));
    CHECK(read.annotators.size() == 3);
    CHECK(read.judgements->all.size() == 45);
    CHECK(holds_all(join(read.guesses, "\n"), {"were read as the ratings of one person each"}));
  }
  for (const char* header :
       {"word1,word2,sd,mean_dissimilarity,n", "word1,word2,SD,M,N", "word1,word2,sd1,Mean rating,n1"}) {
    const Observations read = folder.load(table(header, [](int d) { return fmt::format("0.5,{},9", d); }));
    CHECK(same(read));
    CHECK(read.annotators.empty());
    CHECK(holds_all(join(read.notes, "\n"), {"2 columns were not read"}));
  }
  // A code of a missing value is asked about, and a number far from all others is said.
  const std::string coded = table("word1,word2,P1,P2,P3,P4,P5,P6,P7",
                                  [](int d) { return fmt::format("{0},{0},{0},{0},{0},{0},{1}", d, d == 5 ? 99 : d); });
  CHECK(holds_all(folder.refusal(coded), {"The rating of 'w5' and 'w0' by 'P7' holds 99, once", "--missing-codes=99"}));
  const Observations known = folder.load(coded, {{"missing_codes", "99"}});
  CHECK(same(known));
  CHECK(holds_all(join(known.notes, "\n"), {"1 missing rating was left out", "1 held a code"}));
  CHECK(holds_none(join(known.notes, "\n"), {"typing errors"}));
  const std::string typed = table("word1,word2,P1,P2,P3,P4,P5,P6,P7",
                                  [](int d) { return fmt::format("{0},{0},{0},{0},{0},{0},{1}", d, d == 5 ? 45 : d); });
  CHECK(holds_all(join(folder.load(typed).notes, "\n"), {"1 rating lies far from the others (1 to 5)", ": 45."}));
  // Two numbered columns, and columns of other names, may be anything.
  for (const char* header : {"word1,word2,x1,x2,x", "word1,word2,frequency,length,cosine"})
    CHECK_FALSE(folder.refusal(table(header, three)).empty());
}

}  // namespace dissimilarity_file_test
