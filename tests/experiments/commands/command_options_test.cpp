#include "experiments/commands/command.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>

#include "experiments/commands/commands.hpp"
#include "problems/core/error.hpp"

namespace command_options_test {
namespace {

using namespace alidade;
using namespace alidade::commands;

struct Request {
  std::string word = "mean";
  double share = 0.5;
  std::int64_t count = 3;
  std::optional<fs::path> out;
  Words names;
  bool all = false;
  Settings settings;
};
CommandOptions options_of(Request& r) {
  return {{"[names]", "NAME", &r.names, "names"},
          {"-w,--word", "NAME", &r.word, "a word: {}", one_of({"mean", "median", "sd"})},
          under("Numbers"),
          {"--share", "", &r.share, "a share", Bounds{0, 1, true, true}},
          {"--the-count", "", &r.count, "a count", at_least(1)},
          {"-o,--out", "FILE", &r.out, "a file"},
          {"--all", "", &r.all, "all"},
          {"--scale", "NAME", SettingTarget{&r.settings, "dataset.scale"}, "a key of the config"}};
}

TEST_CASE("a record knows names, default, heading and what the value may be") {
  Request request;
  const CommandOptions options = finished(options_of(request));
  REQUIRE(options.size() == 7);
  CHECK(options[0].is_argument());
  CHECK_FALSE(options[0].is_required());
  CHECK(options[0].names() == Words{"names"});
  CHECK(options[0].is_several());
  CHECK(options[1].names() == Words{"-w", "--word"});
  CHECK(options[1].default_text() == "mean");
  CHECK(options[1].doc == "a word: mean, median or sd");
  CHECK(options[1].values() == Words{"mean", "median", "sd"});
  CHECK(options[1].heading.empty());
  CHECK(options[2].heading == "Numbers");
  CHECK(options[2].shows_default());
  CHECK_FALSE(options[4].shows_default());
  CHECK(options[5].is_flag());
  CHECK_FALSE(options[6].is_flag());
  CHECK(options[6].values() == Words{"none", "standard", "range"});
}

TEST_CASE("a value that its record does not allow is refused") {
  const auto refused = [](const std::function<void(Request&)>& change, const char* message) {
    Request request;
    change(request);
    CHECK_THROWS_WITH_AS(check(options_of(request)), message, ConfigError);
  };
  refused([](Request& r) { r.word = "mode"; }, "--word is mean, median or sd, not 'mode'.");
  refused([](Request& r) { r.share = 1; }, "--share must be above 0 and below 1, not 1.");
  refused([](Request& r) { r.count = 0; }, "--the-count must be at least 1, not 0.");
  Request request;
  CHECK_NOTHROW(check(options_of(request)));
}

TEST_CASE("a program sets options by their names") {
  Request request;
  ValueTable values;
  values.set("names", ValueArray{"a", "b"});
  values.set("word", "sd");
  values.set("the_count", 7);
  values.set("share", 0.25);
  values.set("out", "x.csv");
  values.set("all", true);
  set_values(options_of(request), values, "A test");
  CHECK(request.names == Words{"a", "b"});
  CHECK(request.word == "sd");
  CHECK(request.count == 7);
  CHECK(request.share == 0.25);
  CHECK(request.out == fs::path("x.csv"));
  CHECK(request.all);
  const auto refused = [&](const char* name, const Value& value, const char* message) {
    ValueTable wrong;
    wrong.set(name, value);
    CHECK_THROWS_WITH_AS(set_values(options_of(request), wrong, "A test"), message, ConfigError);
  };
  refused("colour", "red", "A test has no option 'colour'.");
  refused("the_count", 2.5, "the_count must not be 2.5.");
  refused("all", "yes", "all must not be \"yes\".");
  refused("names", ValueArray{1}, "names must not be [1].");
  refused("word", "mode", "--word is mean, median or sd, not 'mode'.");
}

void require_sound(const Command& command) {
  CAPTURE(command.name);
  CHECK_FALSE(command.doc.empty());
  CHECK(command.examples.size() == (command.run ? 2 : 0));
  std::set<std::string> names;
  for (const CommandOption& option : command.options) {
    CAPTURE(option.name);
    CHECK_FALSE(option.doc.empty());
    for (const std::string& name : option.names()) CHECK(names.insert(name).second);
    if (option.is_argument()) CHECK_FALSE(option.takes.empty());
  }
  CHECK_NOTHROW(check(command.options));
  for (const Command& below : command.commands) require_sound(below);
}

TEST_CASE("every command has a text, two examples, and options of different names whose defaults are allowed") {
  for (const Command& command : all_commands()) require_sound(command);
}

}  // namespace
}  // namespace command_options_test
