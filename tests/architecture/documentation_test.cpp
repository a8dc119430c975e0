// What the documents show is what is compiled, what they point to is there, and none is too long or out of reach.
// A block of code under `<!-- FILE -->` is the part of that file between its two lines `// [example]`.
// Links to other places of the repository are followed, with their anchors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>
#include "tests/architecture/text_of_file.hpp"
#include "tests/support/test_paths.hpp"

namespace documentation_test {
namespace {

namespace fs = std::filesystem;
using alidade::testing::text_of_file;

const fs::path kRoot = alidade::testing::source_folder();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<fs::path> documents() {
  std::vector<fs::path> out = {kRoot / "README.md"};
  for (const char* folder : {"problems", "solvers", "experiments", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.path().extension() == ".md") out.push_back(entry.path());
  out.push_back(kRoot / "third_party" / "README.md");
  std::ranges::sort(out);
  return out;
}

/// The part of a source between its two marks; nothing unless there are two.
std::optional<std::vector<std::string>> example_of(const std::vector<std::string>& source) {
  const auto first = std::ranges::find(source, "// [example]");
  if (first == source.end()) return std::nullopt;
  const auto last = std::find(first + 1, source.end(), "// [example]");
  if (last == source.end()) return std::nullopt;
  return std::vector<std::string>(first + 1, last);
}

struct Quotation {
  std::string file;
  std::vector<std::string> lines;
};
std::vector<Quotation> quotations_of(const std::vector<std::string>& document) {
  std::vector<Quotation> out;
  for (std::size_t k = 0; k + 1 < document.size(); ++k) {
    const std::string_view line = document[k];
    if (!line.starts_with("<!-- tests/") || !line.ends_with(" -->")) continue;
    Quotation quotation{std::string(line.substr(5, line.size() - 9)), {}};
    REQUIRE(document[k + 1] == "```cpp");
    for (std::size_t l = k + 2; l < document.size() && document[l] != "```"; ++l)
      quotation.lines.push_back(document[l]);
    out.push_back(std::move(quotation));
  }
  return out;
}

/// As web pages of the repository name a heading.
std::string anchor_of(std::string_view heading) {
  std::string out;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '_' || byte >= 0x80)
      out += static_cast<char>(std::tolower(byte));
    else if (c == ' ')
      out += '-';
  }
  return out;
}

std::set<std::string> anchors_of(const std::vector<std::string>& document) {
  std::set<std::string> out;
  bool code = false;
  for (const std::string& line : document) {
    if (line.starts_with("```")) code = !code;
    const auto level = line.find_first_not_of('#');
    if (!code && level != line.npos && level > 0 && line[level] == ' ')
      out.insert(anchor_of(std::string_view(line).substr(level + 1)));
  }
  return out;
}

std::vector<std::string> links_of(const std::vector<std::string>& document) {
  std::vector<std::string> out;
  bool code = false;
  for (const std::string& line : document) {
    if (line.starts_with("```")) code = !code;
    if (code || line.starts_with("    ")) continue;
    for (auto at = line.find("]("); at != line.npos; at = line.find("](", at + 1)) {
      const auto end = line.find(')', at);
      if (end == line.npos) continue;
      const std::string target = line.substr(at + 2, end - at - 2);
      const bool elsewhere = target.find("://") != target.npos || target.starts_with("mailto:");
      // A formula may have the look of a link.
      const bool text = target.find_first_of(" ,*+") != target.npos;
      if (!elsewhere && !text) out.push_back(target);
    }
  }
  return out;
}

/// The file that a link leads to; of a folder, its page.
fs::path target_of(const fs::path& document, const std::string& link) {
  const auto hash = link.find('#');
  fs::path file = hash == 0 ? document : (document.parent_path() / link.substr(0, hash)).lexically_normal();
  return fs::exists(file / "README.md") ? (file / "README.md").lexically_normal() : file;
}

/// What is wrong with a link; "" if nothing is.
std::string fault_of(const fs::path& document, const std::string& link) {
  const auto hash = link.find('#');
  const fs::path file = target_of(document, link);
  if (!fs::exists(file)) return "is not there";
  if (hash == link.npos) return "";
  return anchors_of(lines_of(text_of_file(file))).contains(link.substr(hash + 1)) ? "" : "has no such heading";
}

TEST_CASE("code in documents is the code that is compiled") {
  std::set<std::string> quoted;
  for (const fs::path& document : documents())
    for (const Quotation& quotation : quotations_of(lines_of(text_of_file(document)))) {
      CAPTURE(document.string());
      CAPTURE(quotation.file);
      const auto example = example_of(lines_of(text_of_file(kRoot / quotation.file)));
      REQUIRE(example.has_value());
      CHECK(quotation.lines == *example);
      quoted.insert(quotation.file);
    }
  for (const auto& entry : fs::directory_iterator(kRoot / "tests" / "examples"))
    CHECK_MESSAGE(quoted.contains("tests/examples/" + entry.path().filename().string()),
                  entry.path().filename().string());
}

TEST_CASE("links lead somewhere") {
  std::size_t followed = 0;
  for (const fs::path& document : documents())
    for (const std::string& link : links_of(lines_of(text_of_file(document)))) {
      CHECK_MESSAGE(fault_of(document, link).empty(), document.string()
                                                          << ": " << link << " " << fault_of(document, link));
      ++followed;
    }
  CHECK(followed > 30);
}

/// Words without those of blocks that a command makes.
std::size_t words_of(const std::vector<std::string>& document) {
  std::size_t out = 0;
  bool made = false;
  for (const std::string& line : document) {
    if (line.starts_with("<!-- table ") || line.starts_with("<!-- alidade list ")) made = true;
    std::istringstream words(line);
    if (!made) out += static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(words), {}));
    if (line.starts_with("<!-- end ")) made = false;
  }
  return out;
}

TEST_CASE("a page has at most 1,500 words") {
  for (const fs::path& document : documents()) {
    if (document.parent_path() == kRoot / "experiments" / "pages") continue;  // results, which commands make
    const std::size_t words = words_of(lines_of(text_of_file(document)));
    CHECK_MESSAGE(words <= 1500, document.string() << ": " << words << " words. Shorten or divide it.");
  }
}

TEST_CASE("links lead from the README to every page") {
  std::vector<fs::path> reached = {kRoot / "README.md"};
  for (std::size_t k = 0; k < reached.size(); ++k) {
    if (reached[k].extension() != ".md") continue;
    const fs::path document = reached[k];
    for (const std::string& link : links_of(lines_of(text_of_file(document)))) {
      const fs::path file = target_of(document, link);
      if (std::ranges::find(reached, file) == reached.end()) reached.push_back(file);
    }
  }
  for (const fs::path& document : documents())
    CHECK_MESSAGE(std::ranges::find(reached, document) != reached.end(), document.string() << ": no link leads to it");
}

TEST_CASE("what is broken is found") {
  CHECK(words_of({"one two", "<!-- table x -->", "three", "<!-- end x -->", "four"}) == 3);
  CHECK(target_of(kRoot / "README.md", "problems/") == kRoot / "problems" / "README.md");
  CHECK(fault_of(kRoot / "README.md", "problems/nowhere.md") == "is not there");
  CHECK(fault_of(kRoot / "README.md", "problems/README.md#nothing") == "has no such heading");
  CHECK(fault_of(kRoot / "README.md", "problems/references.md#references").empty());
  CHECK(links_of({"see [a](b.md#c) and [d](https://e.f)", "```", "[g](h)", "```"}) ==
        std::vector<std::string>{"b.md#c"});
  CHECK(anchors_of({"# One: `two` & three", "```", "# not", "```"}) == std::set<std::string>{"one-two--three"});
  CHECK(!example_of({"// [example]", "x"}));
}

}  // namespace
}  // namespace documentation_test
