// What adding one thing touches, as the pages on adding say: its own file, its declaration, and the list that calls it.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "tests/architecture/text_of_file.hpp"
#include "tests/support/test_paths.hpp"

namespace entries_test {
namespace {

namespace fs = std::filesystem;
using alidade::testing::text_of_file;

const fs::path kRoot = alidade::testing::source_folder();

std::set<std::string> words_of(const std::string& text) {
  static const std::regex kWord("//[^\n]*|[A-Za-z_][A-Za-z_0-9]*");  // comments swallow their words
  std::set<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), kWord), end; it != end; ++it) out.insert(it->str());
  return out;
}

/// The words of every source file, by its path.
const std::map<std::string, std::set<std::string>>& sources() {
  static const auto kSources = [] {
    std::map<std::string, std::set<std::string>> out;
    for (const char* layer : {"problems", "solvers", "experiments"})
      for (const auto& entry : fs::recursive_directory_iterator(kRoot / layer))
        if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
          out[fs::relative(entry.path(), kRoot).generic_string()] = words_of(text_of_file(entry.path()));
    return out;
  }();
  return kSources;
}

std::set<std::string> files_with(const std::string& word) {
  std::set<std::string> out;
  for (const auto& [file, words] : sources())
    if (words.contains(word)) out.insert(file);
  return out;
}

/// Whose maps are the starts of another problem.
const std::set<std::string> kStartsOthers = {"tsne_entry"};

TEST_CASE("a problem, a solver, a metric and a family of data sets are named in their file, a header and the catalog alone") {
  for (const char* catalog : {"problems/catalog.cpp", "solvers/catalog.cpp", "experiments/metrics/catalog.cpp",
                              "experiments/datasets/sets/catalog.cpp"}) {
    std::size_t entries = 0;
    for (const std::string& word : sources().at(catalog)) {
      if (!word.ends_with("_entry") && !word.ends_with("_datasets")) continue;
      CAPTURE(catalog);
      CAPTURE(word);
      std::string places;
      for (const std::string& file : files_with(word)) places += file + " ";
      CAPTURE(places);
      CHECK(files_with(word).size() <= 3 + static_cast<std::size_t>(kStartsOthers.contains(word)));
      ++entries;
    }
    CHECK(entries > 10);
  }
}

TEST_CASE("a sampler of questions is one file and its two lines in the list of samplers") {
  std::size_t samplers = 0;
  for (const std::string& word : sources().at("problems/asking/sampler.cpp")) {
    if (!word.ends_with("_sampler")) continue;
    CAPTURE(word);
    CHECK(files_with(word).size() == 2);
    ++samplers;
  }
  CHECK(samplers >= 6);
}

TEST_CASE("a loss of triplets is one file and its two lines in the list of losses") {
  constexpr const char* kList = "problems/triplet_sums/triplet_loss.hpp";
  std::size_t losses = 0;
  for (const auto& [file, words] : sources()) {
    if (!file.starts_with("problems/triplet_sums/") || !file.ends_with("_loss.hpp") || file == kList) continue;
    CAPTURE(file);
    ++losses;
    for (const std::string& word : words)
      if (word.ends_with("Loss")) {
        CAPTURE(word);
        CHECK(sources().at(kList).contains(word));
        // What has an algorithm of its own beside the sum names its loss there too.
        static const std::set<std::string> kWithMore = {"SteLoss", "TSteLoss", "SoeLoss", "EteLoss", "GnmdsLoss"};
        if (!kWithMore.contains(word)) CHECK(files_with(word) == std::set<std::string>{file, kList});
      }
    const std::string text = text_of_file(kRoot / file);
    CHECK(std::count(text.begin(), text.end(), '\n') <= 60);
  }
  CHECK(losses >= 9);
}

}  // namespace
}  // namespace entries_test
