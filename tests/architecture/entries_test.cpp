// What adding one thing touches, as the pages on adding say: its own file, and its line in the catalog.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <tuple>

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

/// Whose maps are the starts of another problem: its own file, a header, and who starts there.
const std::set<std::string> kStartsOthers = {"tsne_entry"};

TEST_CASE("a problem, solver, sampler, metric and family of data sets is one file and its line in the catalog") {
  // The lines of a catalog: "  PLAIN(family, name)".
  static const std::regex kLine("\n  [A-Z]+\\((?:\\w+, )?(\\w+)\\)");
  for (const auto& [catalog, ending, fewest] : {std::tuple{"problems/catalog.cpp", "_entry", 30},
                                                {"solvers/catalog.cpp", "_entry", 24},
                                                {"problems/asking/sampler.cpp", "_sampler", 6},
                                                {"experiments/metrics/catalog.cpp", "_metrics", 16},
                                                {"experiments/datasets/sets/catalog.cpp", "_datasets", 9}}) {
    const std::string text = text_of_file(kRoot / catalog);
    int entries = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), kLine), end; it != end; ++it, ++entries) {
      const std::string word = it->str(1) + ending;
      CAPTURE(catalog);
      CAPTURE(word);
      CHECK(files_with(word).size() == (kStartsOthers.contains(word) ? 3 : 1));
    }
    CHECK(entries >= fewest);
  }
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

TEST_CASE("each sentence of a room is used there") {
  static const std::regex kName("\n(k\\w+)\n  ");
  std::size_t sentences = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "experiments")) {
    if (entry.path().filename() != "sentences.txt") continue;
    const std::string room = fs::relative(entry.path().parent_path(), kRoot).generic_string() + "/";
    const std::string text = text_of_file(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), kName), end; it != end; ++it, ++sentences) {
      CAPTURE(it->str(1));
      CHECK(std::ranges::any_of(files_with(it->str(1)), [&](const auto& file) { return file.starts_with(room); }));
    }
  }
  CHECK(sentences > 300);
}

}  // namespace
}  // namespace entries_test
