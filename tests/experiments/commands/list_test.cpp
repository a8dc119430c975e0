#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "tests/support/command_line.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace list_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

Ended listed(const std::string& arguments) {
  const ScratchFolder folder;
  return run_line("'" + std::string(alidade_command()) + "' list " + arguments, folder);
}

TEST_CASE("the tables of the documents are the lists of the catalogs") {
  constexpr std::string_view kEnd = "<!-- end of the list -->";
  for (const std::string list : {"problems", "solvers", "samplers"}) {
    const std::string page = list == "samplers" ? "problems/asking/README.md" : list + "/README.md";
    const std::string text = content_of(std::filesystem::path(source_folder()) / page);
    const std::string command = list + " --format md";
    const std::string begin = "<!-- alidade list " + command + " -->\n";
    const auto first = text.find(begin);
    REQUIRE_MESSAGE(first != text.npos, page);
    const auto end = text.find(kEnd, first);
    REQUIRE_MESSAGE(end != text.npos, page);
    const Ended ended = listed(command);
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    const bool same = text.substr(first + begin.size(), end - first - begin.size()) == ended.out;
    CHECK_MESSAGE(same, page << ": put the output of `alidade list " << command << "` between the two comments.");
  }
}

TEST_CASE("only whole lists are tables") {
  for (const std::string arguments : {"--format md", "solvers ceres --format md"})
    CHECK(holds_all(listed(arguments).err, {"--format md", "alidade list solvers"}));
  CHECK(holds_all(listed("solvers --format tex").err, {"'tex'", "text or md"}));
  CHECK(listed("solvers --format tex").status == 2);
  for (const std::string list : {"datasets", "metrics", "fields"}) CHECK(listed(list + " --format md").status == 0);
}

}  // namespace
}  // namespace list_test
