#include "problems/core/registry.hpp"

#include <doctest/doctest.h>

#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace registry_test {
namespace {

using namespace alidade;

struct Entry {
  std::string name;
  int number;
};

TEST_CASE("a registry finds by name, keeps its order, and suggests") {
  const Registry<Entry> registry("solver", {{"ceres", 1}, {"riemannian_sgd", 2}, {"smacof", 3}});
  CHECK(registry.names() == std::vector<std::string>{"ceres", "riemannian_sgd", "smacof"});
  CHECK(registry.at("smacof").number == 3);
  CHECK(registry.find("Ceres") == nullptr);
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] { static_cast<void>(registry.at("cerez")); }),
                           {"'cerez'", "'ceres'"}));
  CHECK(testing::holds_all(
      testing::message_of<ConfigError>([&] { static_cast<void>(registry.at("newton", "c.toml:3:7: ")); }),
      {"c.toml:3:7:", "'newton'", "ceres, riemannian_sgd, smacof"}));
}

TEST_CASE("entries of one's own come last, and neither replace one nor lack a name") {
  Registry<Entry> registry("solver", {{"ceres", 1}});
  registry.add({"mine", 2});
  CHECK(registry.names() == std::vector<std::string>{"ceres", "mine"});
  CHECK(registry.at("mine").number == 2);
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] {
                             registry.add({"ceres", 3});
                           }),
                           {"'ceres'", "another name"}));
  CHECK_THROWS_AS(registry.add({"", 3}), ConfigError);
  CHECK(registry.at("ceres").number == 1);
}

TEST_CASE("an error records where in our source it was raised") {
  const auto here = std::source_location::current().line();
  try {
    require<DataError>(1 > 2, "{} is not above {}.", 1, 2);
    FAIL("not thrown");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "1 is not above 2.");
    CHECK(std::string_view(error.where().file_name()).ends_with("registry_test.cpp"));
    CHECK(error.where().line() == here + 2);
  }
  CHECK_NOTHROW(require<DataError>(true, "fine"));
  CHECK(at_line("triplets.csv", 17) == "triplets.csv:17");
}

TEST_CASE("an error is one line, whatever stands in the names that it shows") {
  CHECK(std::string(DataError("a.csv:2: 'x\n\x1b[2Jy' is listed twice.").what()) ==
        "a.csv:2: 'x\\x0a\\x1b[2Jy' is listed twice.");
  CHECK(std::string(ConfigError("é").what()) == "é");
}

}  // namespace
}  // namespace registry_test
