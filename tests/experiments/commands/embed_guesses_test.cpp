#include <doctest/doctest.h>
#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/results/map_files.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/refused_commands.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/text_holds.hpp"

namespace embed_guesses_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

std::size_t object_count(const std::filesystem::path& folder) {
  return read_map_csv(folder / "embedding.csv").objects.size();
}

/// Answers about points of a line; in every second row `spelling` writes the names.
std::string answers(int points, const std::string& spelling, std::uint64_t seed) {
  Rng rng(seed);
  std::string out = "anchor,near,far\n";
  for (int row = 0; row < 400; ++row) {
    const int a = static_cast<int>(rng.below(static_cast<std::uint64_t>(points)));
    int b = static_cast<int>(rng.below(static_cast<std::uint64_t>(points))),
        c = static_cast<int>(rng.below(static_cast<std::uint64_t>(points)));
    if (a == b || b == c || a == c || std::abs(a - b) == std::abs(a - c)) continue;
    if (std::abs(a - b) > std::abs(a - c)) std::swap(b, c);
    const std::string names = row % 2 == 0 ? "{},{},{}\n" : fmt::format("{0},{0},{0}\n", spelling);
    out += fmt::format(fmt::runtime(names), a, b, c);
  }
  return out;
}

std::string table(const std::string& header, bool index) {
  Rng rng(3);
  std::string out = header + "\n";
  for (int i = 0; i < 40; ++i) {
    if (index) out += fmt::format("{},", i);
    out += fmt::format("{:.5f},{:.5f},{:.5f}\n", rng.normal(), rng.normal(), rng.normal());
  }
  return out;
}

}  // namespace

TEST_CASE("a map of one point is not handed out without a word") {
  const ScratchFolder folder{{"answers.csv", answers(12, "{}", 1)}};
  const std::string point = "embed answers.csv -p ste --holdout 0 --set problem.lambda=1e6 -o map --force";
  CHECK(holds_all(run_quietly(point, folder).out, {"All objects lie at one place, so the map is none"}));
}

TEST_CASE("embed says in its first line how a header of numbers and an index were read, and options overrule it") {
  const ScratchFolder folder{{"numbers.csv", table("0,1,2", false)}, {"index.csv", table(",a,b,c", true)}};
  const auto embed = [&](const std::string& file, std::vector<std::string> more = {}) {
    std::vector<std::string> all{"embed", "--features", file, "-p", "pca", "-o", "map", "--force"};
    all.insert(all.end(), more.begin(), more.end());
    const Ended ended = run_well(all, folder);
    return ended.out;
  };
  const std::string header = embed("numbers.csv");
  CHECK(header.starts_with("Read by a guess: Line 1 (0, 1, 2) was read as the header"));
  CHECK(object_count(folder / "map") == 40);
  CHECK(embed("numbers.csv", {"--header", "no"}).starts_with("41 objects"));
  CHECK(embed("numbers.csv", {"--set", "dataset.0.header=no"}).starts_with("41 objects"));
  const std::string index = embed("index.csv");
  CHECK(index.starts_with("Read by a guess: Column 1 has no name and numbers the rows"));
  CHECK(holds_all(index, {"from 3 features"}));
  CHECK(holds_all(embed("index.csv", {"--index", "no"}), {"from 4 features"}));
  check_refused({"embed", "--features", "index.csv", "--index", "perhaps"}, folder, {"--index", "perhaps"});
  check_refused({"embed", "answers.csv", "--index", "no"}, folder, {"--index needs"});
}

TEST_CASE("run and check say each guess once") {
  const ScratchFolder folder{{"numbers.csv", table("0,1,2", false)}, {"guess.toml", R"(name = "guess"
repeats = 2
[[dataset]]
name = "features"
file = "numbers.csv"
[[method]]
problem = "pca"
)"}};
  for (const std::string command : {"run", "check"}) {
    const Ended ended = run_well({command, "guess.toml"}, folder);
    const std::string guess = "Read by a guess: Line 1 (0, 1, 2) was read as the header";
    const std::size_t first = ended.out.find(guess);
    CHECK(first != std::string::npos);
    CHECK(ended.out.find(guess, first + 1) == std::string::npos);
  }
}

TEST_CASE("labels that lack a name of the table are refused") {
  const ScratchFolder scratch{{"cf.csv", ",x,y\na,2,4\nb,3,3\nc,1,2\nd,1,1\n"},
                              {"cl.csv", "name,label\nd,L\nc,L\nB,L\na,M\n"}};
  check_refused({"embed", "--features", "cf.csv", "--labels", "cl.csv", "-p", "pca"}, scratch,
                {"cl.csv' has no line for the object 'b'"});
}

TEST_CASE("embed reads one object as one, however its number is written, also on a finished map and in a test file") {
  const ScratchFolder folder{{"plain.csv", answers(12, "{}", 1)},
                             {"mixed.csv", answers(12, "{}.0", 1)},
                             {"codes.csv", answers(12, "{:03}", 1)},
                             {"later.csv", answers(14, "{}.0", 2)}};
  const auto embed = [&](const std::string& file, const std::string& out, std::vector<std::string> more = {}) {
    std::vector<std::string> all{"embed", file, "-p", "ste", "-o", out, "--force"};
    all.insert(all.end(), more.begin(), more.end());
    const Ended ended = run_well(all, folder);
    return ended.out;
  };
  static_cast<void>(embed("plain.csv", "plain"));
  const std::string merged = embed("mixed.csv", "mixed");
  CHECK(merged.starts_with("Read by a guess: 12 objects are written in several ways"));
  CHECK(read_map_csv(folder / "mixed" / "embedding.csv").columns ==
        read_map_csv(folder / "plain" / "embedding.csv").columns);
  CHECK(holds_all(embed("mixed.csv", "apart", {"--merge-names=no"}), {"24 objects", "12 pairs of names look alike"}));
  CHECK(holds_all(embed("codes.csv", "apart"), {"24 objects", "(number format)", "--merge-names"}));
  CHECK(holds_all(embed("codes.csv", "apart", {"--merge-names"}), {"12 objects", "read as one name each"}));
  CHECK(holds_all(embed("plain.csv", "tested", {"--test", "mixed.csv"}), {"Test file: 12 objects are written"}));
  const std::string onto = embed("later.csv", "onto", {"--onto", "plain"});
  CHECK(holds_all(onto, {"2 new objects on a finished map of 12"}));
  CHECK(object_count(folder / "onto") == 14);
  check_refused({"embed", "plain.csv", "--merge-names=perhaps"}, folder, {"perhaps"});
}

}  // namespace embed_guesses_test
