// The tables of the READMEs beside the catalogs.
#include "solvers/catalog.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "problems/catalog.hpp"
#include "tests/support/test_paths.hpp"

namespace catalog_test {
namespace {

using namespace alidade;

using Lines = std::map<std::string, std::string>;  // name to what its third cell says

/// The rows "| `name` | cell | cell |..." after the first header that begins with `header`.
Lines table_of(const std::filesystem::path& page, const std::string& header) {
  std::ifstream in(std::filesystem::path(testing::source_folder()) / page);
  Lines out;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    inside = inside ? line.starts_with('|') : line.starts_with(header);
    if (!inside && !out.empty()) break;
    if (!inside || !line.starts_with("| `")) continue;
    const std::size_t end = line.find('`', 3), second = line.find(" | ", end), third = line.find(" | ", second + 3);
    REQUIRE(third != std::string::npos);
    const std::size_t last = line.find(" | ", third + 3);
    out[line.substr(3, end - 3)] = line.substr(third + 3, last - third - 3);
  }
  return out;
}

template <class Catalog>
std::vector<std::string> names_of(const Catalog& catalog) {
  std::vector<std::string> out;
  for (const auto& entry : catalog.entries()) out.push_back(entry.name);
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> names_of(const Lines& table) {
  std::vector<std::string> out;
  for (const auto& [name, cell] : table) out.push_back(name);
  return out;
}

/// "b, a": a, b.
std::vector<std::string> sorted_words(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream in(list);
  for (std::string word; std::getline(in >> std::ws, word, ',');) out.push_back(word);
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE("the page of the problems has each of them, with what it offers") {
  const Lines table = table_of("problems/README.md", "| name | class | offers |");
  CHECK(names_of(table) == names_of(problem_catalog()));
  for (const ProblemEntry& entry : problem_catalog().entries()) {
    CAPTURE(entry.name);
    const auto found = table.find(entry.name);
    if (found == table.end()) continue;
    std::vector<std::string> names = entry.offers.names();
    std::ranges::sort(names);
    CHECK(sorted_words(found->second.substr(0, found->second.find(" ("))) == names);
  }
}

TEST_CASE("the page of the solvers has each of them") {
  CHECK(names_of(table_of("solvers/README.md", "| name | needs | what it does |")) == names_of(solver_catalog()));
}

}  // namespace catalog_test
