#include "problems/core/log.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "problems/core/error.hpp"
#include "tests/support/scratch_folder.hpp"

namespace log_test {
namespace {

using namespace alidade;

std::string content(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST_CASE("a log writes messages of its level or higher at once, to the file that its copies share") {
  const testing::ScratchFolder folder;
  const auto path = folder.path() / "run.log";
  Log log = Log::to_file(path);
  log.debug("hidden {}", 1);
  log.info("shown {}", 2);
  Log copy = log;
  copy.warning("braces {{}} and {}", "text");
  copy.write(Log::Level::info, "raw {} line");
  copy.info("name {}", "a\nb");
  const std::string text = content(path);
  CHECK(text.find("hidden") == std::string::npos);
  CHECK(text.find("info shown 2\n") != std::string::npos);
  CHECK(text.find("warning braces {} and text\n") != std::string::npos);
  CHECK(text.find("info raw {} line\n") != std::string::npos);
  CHECK(text.find("info name a\\x0ab\n") != std::string::npos);
}

TEST_CASE("a log that cannot be opened gives an error, and no log is allowed") {
  const testing::ScratchFolder folder;
  CHECK_THROWS_AS(static_cast<void>(Log::to_file(folder.path())), DataError);
  Log none = Log::none();
  none.info("nowhere {}", 1);
}

}  // namespace
}  // namespace log_test
