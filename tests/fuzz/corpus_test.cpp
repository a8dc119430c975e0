// Every file of tests/fuzz/corpus/TARGET/ through its target, as a fuzzer would: what once went wrong stays mended.
// Built with every compiler, so that this needs no clang.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "problems/core/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/test_paths.hpp"

namespace corpus_test {
namespace {

namespace fs = std::filesystem;
namespace fuzz = alidade::fuzz;

struct NamedTarget {
  const char* name;
  fuzz::Target run;
};
constexpr NamedTarget kTargets[] = {{"answers", fuzz::answers},
                                    {"archive", fuzz::archive},
                                    {"attributes", fuzz::attributes},
                                    {"clusterings", fuzz::clusterings},
                                    {"config", fuzz::config},
                                    {"delimited_text", fuzz::delimited_text},
                                    {"dissimilarities", fuzz::dissimilarities},
                                    {"edges", fuzz::edges},
                                    {"experiment", fuzz::experiment},
                                    {"features", fuzz::features},
                                    {"finished_map", fuzz::finished_map},
                                    {"graph_dot", fuzz::graph_dot},
                                    {"graphml", fuzz::graphml},
                                    {"gzip", fuzz::gzip},
                                    {"idx", fuzz::idx},
                                    {"json", fuzz::json},
                                    {"labels", fuzz::labels},
                                    {"map_csv", fuzz::map_csv},
                                    {"matlab", fuzz::matlab},
                                    {"norb", fuzz::norb},
                                    {"npy", fuzz::npy},
                                    {"numbered_graph", fuzz::numbered_graph},
                                    {"numeric_table", fuzz::numeric_table},
                                    {"option_text", fuzz::option_text},
                                    {"order", fuzz::order},
                                    {"pair_signs", fuzz::pair_signs},
                                    {"projector", fuzz::projector},
                                    {"rows", fuzz::rows},
                                    {"sdpa", fuzz::sdpa},
                                    {"solution", fuzz::solution},
                                    {"triplets", fuzz::triplets}};

fs::path corpus() { return fs::path(alidade::testing::source_folder()) / "tests" / "fuzz" / "corpus"; }

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string refusal(fuzz::Target target, const std::string& text) {
  return alidade::testing::message_of<alidade::Error>([&] { target(text); });
}

/// A build without Boost.Graph refuses the text of both readers.
bool is_built(fuzz::Target target) {
  return (target != fuzz::graph_dot && target != fuzz::graphml) ||
         refusal(fuzz::graph_dot, "graph {}").find("built without Boost.Graph") == std::string::npos;
}

}  // namespace

TEST_CASE("every reader takes or refuses what fuzzers found, and nothing else happens") {
  for (const NamedTarget& target : kTargets) {
    const fs::path folder = corpus() / target.name;
    CAPTURE(folder.string());
    REQUIRE(fs::is_directory(folder));
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    std::ranges::sort(files);
    CHECK(!files.empty());
    for (const fs::path& file : files) {
      CAPTURE(file.filename().string());
      CHECK_NOTHROW(fuzz::run_target(target.run, bytes_of(file)));
    }
  }
}

TEST_CASE("each reader takes the seed that its fuzzer begins with") {
  // A corpus that is refused at its first byte would test nothing.
  for (const NamedTarget& target : kTargets) {
    if (!is_built(target.run)) continue;
    std::size_t taken = 0;
    for (const auto& entry : fs::directory_iterator(corpus() / target.name)) {
      if (!entry.path().filename().string().starts_with("seed")) continue;
      CAPTURE(entry.path().string());
      ++taken;
      CHECK_NOTHROW(target.run(bytes_of(entry.path())));
    }
    CAPTURE(target.name);
    CHECK(taken > 0);
  }
}

TEST_CASE("what is too large for a corpus is refused too, in one line and soon") {
  const auto times = [](std::size_t count, std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
  };
  // A parser that calls itself for each level would exhaust the stack.
  constexpr std::size_t kDeep = 200'000;
  if (is_built(fuzz::graphml)) {
    CHECK(
        refusal(fuzz::graphml, "<graphml>" + times(kDeep, "<graph>")).starts_with("'file' nests elements deeper than"));
    CHECK(refusal(fuzz::graph_dot, "graph {" + times(kDeep, "{") + "a -- b" + times(kDeep, "}") + "}")
              .starts_with("'file' nests subgraphs deeper than"));
    CHECK_NOTHROW(fuzz::graph_dot("graph { /* {{{ */ a [label=\"" + times(kDeep, "{") + "\"]; a -- b; // {{{\n}"));
  }
  CHECK(refusal(fuzz::json, times(kDeep, "[")).find("nesting is deeper") != std::string::npos);
  CHECK(refusal(fuzz::config, "a = " + times(kDeep, "[")) != "(no error)");
  CHECK_NOTHROW(fuzz::option_text("0" + times(kDeep, "[")));
  // Six lists of a hundred values are 10^12 settings.
  std::string hundred = "[";
  for (int i = 1; i <= 100; ++i) hundred += std::to_string(i) + ",";
  hundred += "]";
  std::string sweep = "name = \"x\"\n[[dataset]]\nname = \"gaussian\"\n";
  for (const char* key : {"n", "dimensions", "triplets_per_object", "neighbors", "k", "n_aspects"})
    sweep += key + (" = " + hundred + "\n");
  sweep += "[[method]]\nproblem = \"ste\"\n";
  CHECK(refusal(fuzz::experiment, sweep) != "(no error)");
  CHECK(refusal(
            fuzz::experiment, "name = \"x\"\nrepeats = 3\n[[dataset]]\nname = \"europe\"\nnoise = " +
                                  [] {
                                    std::string list = "[0.0";
                                    for (int i = 1; i < 3000; ++i) list += "," + std::to_string(i / 6001.0);
                                    return list + "]\n";
                                  }() +
                                  "[[method]]\nproblem = { name = \"ste\", n_components = [1,2,3,4,5,6,7,8,9,10] }\n"
                                  "solver = { name = \"ceres\", n_init = " +
                                  hundred + "}\n")
            .starts_with("The config plans 9000000 runs"));
}

TEST_CASE("every corpus has a target") {
  for (const auto& entry : fs::directory_iterator(corpus())) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    CHECK(std::ranges::any_of(kTargets, [&](const NamedTarget& t) { return name == t.name; }));
  }
}

TEST_CASE("a target may throw our errors, in a line that says something, and nothing else") {
  const auto good = [](std::string_view) { throw alidade::DataError("file:1: no."); };
  const auto nothing = [](std::string_view) { throw alidade::DataError(""); };
  const auto foreign = [](std::string_view) { throw std::out_of_range("no"); };
  CHECK_NOTHROW(fuzz::run_target(good, ""));
  CHECK_THROWS_AS(fuzz::run_target(nothing, ""), fuzz::Finding);
  CHECK_THROWS_AS(fuzz::run_target(foreign, ""), std::out_of_range);
}

}  // namespace corpus_test
