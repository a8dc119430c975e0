// What an option means stands in its record, from which `alidade list` prints it. A comment at the field of an options
// struct may say more; it may not say the same again.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "problems/catalog.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/test_paths.hpp"

namespace option_comments_test {
namespace {

std::set<std::string> explanations() {
  std::set<std::string> out;
  const auto add = [&out](const auto& entries) {
    for (const auto& entry : entries)
      for (const alidade::OptionInfo& info : entry.options) out.insert(info.doc);
  };
  add(alidade::problem_catalog().entries());
  add(alidade::solver_catalog().entries());
  return out;
}

TEST_CASE("no comment at the field of an option repeats what its record says") {
  const std::filesystem::path root = alidade::testing::source_folder();
  const std::set<std::string> explained = explanations();
  const std::regex begin(R"(struct \w+(Options|Tradeoff)\b[^;]*\{)"),
      field(R"(  [\w:][\w:<>, ]* \w+( = .*|\{.*\})?;( *// .*)?)");
  std::size_t fields = 0;
  for (const char* layer : {"problems", "solvers"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / layer)) {
      // What is public has no options of the catalogs.
      const auto ending = entry.path().extension();
      if ((ending != ".hpp" && ending != ".cpp") || entry.path().parent_path().filename() == "public") continue;
      std::ifstream in(entry.path());
      std::string above;
      bool inside = false;
      for (std::string line; std::getline(in, line);) {
        if (std::regex_match(line, begin)) inside = true;
        if (line == "};") inside = false;
        if (!inside) continue;
        if (line.starts_with("  /// ")) {
          above += (above.empty() ? "" : " ") + line.substr(6);
          continue;
        }
        if (std::regex_match(line, field) && line.find("static") == line.npos) {
          CAPTURE(entry.path().string());
          CAPTURE(line);
          CAPTURE(above);
          CHECK(!explained.contains(above));
          ++fields;
        }
        above.clear();
      }
    }
  CHECK(fields > 200);
}

}  // namespace
}  // namespace option_comments_test
