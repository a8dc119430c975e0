#include "experiments/config/config_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>

#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"

namespace config_file_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

std::string config_error(const std::function<void()>& action) {
  return message_of<ConfigError>([&] { action(); });
}

std::string parse_error(std::string_view text) {
  return config_error([&] { static_cast<void>(parse_config(text, "c.toml")); });
}

ValueTable overridden(std::string_view text, const std::vector<std::string>& assignments) {
  ValueTable config = parse_config(text, "c.toml");
  for (const std::string& assignment : assignments) apply_override(config, assignment);
  return config;
}

std::string override_error(std::string_view text, const std::string& assignment) {
  ValueTable config = parse_config(text, "c.toml");
  const ValueTable before = config;
  const std::string message = config_error([&] { apply_override(config, assignment); });
  CHECK(config == before);
  return message;
}

std::string text_of(const ValueTable& table) { return Value(table).to_text(); }

constexpr std::string_view kSmall = R"(
name = "x"
[[method]]
id = "a"
problem = "ete"
[[method]]
id = "b"
problem = { name = "ste", radius = 2.0 }
)";

}  // namespace

TEST_CASE("a configuration keeps the kinds of its values and the order of its keys") {
  const ValueTable config = parse_config(R"(
zulu = 1
alpha = 2.5
list = [1, 2.0, "three", [true]]
inner = { y = 1, x = 2 }
[[part]]
b = "first"
a = "second"
[[part]]
[table.nested]
deep.er = false
)",
                                         "c.toml");
  CHECK(text_of(config) ==
        "{ zulu = 1, alpha = 2.5, list = [1, 2.0, \"three\", [true]], inner = { y = 1, x = 2 }, part = [{ b = "
        "\"first\", a = \"second\" }, {  }], table = { nested = { deep = { er = false } } } }");
  CHECK(text_of(parse_config("a = 1\rb = 2\r", "c.toml")) == "{ a = 1, b = 2 }");
}

TEST_CASE("values know their line and column") {
  const ValueTable config =
      parse_config("first = 1\n\n  second = { third = 2 }\n[[part]]\nfourth = [1,\n 2]\n", "c.toml");
  CHECK(config.find("first")->at.prefix() == "c.toml:1:1: ");
  CHECK(config.find("second")->at.prefix() == "c.toml:3:3: ");
  CHECK(config.find("second")->get_if<ValueTable>()->find("third")->at.prefix() == "c.toml:3:14: ");
  const ValueTable& part = *config.find("part")->get_if<ValueArray>()->front().get_if<ValueTable>();
  const Value& list = *part.find("fourth");
  CHECK(list.at.prefix() == "c.toml:5:1: ");
  CHECK(list.get_if<ValueArray>()->back().at.prefix() == "c.toml:6:2: ");
}

TEST_CASE("bad TOML is refused with its place in one line") {
  for (const auto& [text, place] :
       std::vector<std::pair<std::string, std::string>>{{"name = ", "c.toml:1:"},
                                                        {"a = 1\nb = 07\n", "c.toml:2:"},
                                                        {"a = 1\na = 2\n", "c.toml:2:"},
                                                        {"a = 1\nname = my study # of\n",
                                                         "c.toml:2:8: 'my study' is no number and not true or false. "
                                                         "If it is text, put it in quotes: \"my study\"."},
                                                        {"a = [1, ste]\n", "c.toml:1:9: 'ste' is no number"},
                                                        {"[[dataset\nx = 1\n", "c.toml:1:"},
                                                        {"a = \"open\n", "c.toml:1:"},
                                                        {"ok = 1\nday = 2020-01-01\n", "c.toml:2:7: Dates"},
                                                        {"ok = [1, 10:00:00]\n", "c.toml:1:10: Dates"},
                                                        {std::string("\x1f\x8b\x08\x00\xff\xfe", 6), "c.toml:1:"},
                                                        {std::string(2000, '['), "c.toml:1:"},
                                                        {"a = " + std::string(2000, '['), "c.toml:1:"}}) {
    const std::string message = parse_error(text);
    CAPTURE(message);
    CHECK(message.starts_with(place));
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("a configuration that is missing, empty or a folder is refused by name") {
  const ScratchFolder scratch;
  const auto refused = [&](const std::filesystem::path& file) {
    try {
      static_cast<void>(read_config(file));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  CHECK(refused(scratch / "none.toml").find("none.toml' cannot be read (No such file") != std::string::npos);
  CHECK(refused(scratch).find("is a folder") != std::string::npos);
  write_text(scratch / "empty.toml", "# nothing\n");
  CHECK(refused(scratch / "empty.toml").find("empty.toml' is empty") != std::string::npos);
  write_text(scratch / "good.toml", "name = 'x'\n");
  CHECK(read_config(scratch / "good.toml").find("name")->at.prefix() == (scratch / "good.toml").string() + ":1:1: ");
}

TEST_CASE("a configuration overrides the one it includes, and errors keep their file and line") {
  const ScratchFolder scratch;
  const auto path = [&](const char* name) { return (scratch / name).string(); };
  const auto write = [&](const char* name, std::string_view text) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    write_text(path(name), text);
  };
  write("base/deep.toml", "seed = 1\nrepeats = 9\n[problem.ete]\nt = 3\n");
  write("base/shared.toml",
        "include = \"deep.toml\"\nrepeats = 2\n[[dataset]]\nname = \"europe\"\n[problem.ete]\nradius = 4\n");
  write("main.toml",
        "include = \"base/shared.toml\"\nname = \"x\"\n[[method]]\nproblem = \"ete\"\n[problem.ete]\nt = 1\n");
  const ValueTable config = read_config(path("main.toml"));
  CHECK(config.find("include") == nullptr);
  CHECK(config.find("seed")->to_text() == "1");
  CHECK(config.find("repeats")->to_text() == "2");
  CHECK(config.find("problem")->to_text() == "{ ete = { t = 1, radius = 4 } }");
  CHECK(config.find("dataset")->to_text() == "[{ name = \"europe\" }]");
  CHECK(config.find("repeats")->at.prefix() == path("base/shared.toml") + ":2:1: ");
  CHECK(config.find("seed")->at.prefix() == path("base/deep.toml") + ":1:1: ");
  CHECK(config.find("name")->at.prefix() == path("main.toml") + ":2:1: ");

  // Overrides go on top of all; of an include, first.
  write("other.toml", "seed = 5\n[[dataset]]\nname = \"zoo\"\n");
  const std::vector<std::string> overrides = {"dataset.0.n=3", "include=" + path("other.toml"), "problem.ete.t=2"};
  const ValueTable other = read_config(path("main.toml"), overrides);
  CHECK(other.find("seed")->to_text() == "5");
  CHECK(other.find("dataset")->to_text() == "[{ name = \"zoo\", n = 3 }]");
  CHECK(other.find("problem")->to_text() == "{ ete = { t = 2 } }");

  const auto refused = [&](const char* name) {
    return config_error([&] { static_cast<void>(read_config(path(name))); });
  };
  write("lost.toml", "name = \"x\"\ninclude = \"base/none.toml\"\n");
  CHECK(refused("lost.toml")
            .starts_with(path("lost.toml") + ":2:1: include: '" + path("base/none.toml") + "' cannot be read"));
  write("number.toml", "include = 3\n");
  CHECK(refused("number.toml").starts_with(path("number.toml") + ":1:1: include must be"));
  write("list.toml", "include = [\"a.toml\"]\n");
  CHECK(refused("list.toml").starts_with(path("list.toml") + ":1:1: include must be"));
  write("self.toml", "include = \"self.toml\"\n");
  CHECK(
      refused("self.toml").starts_with(path("self.toml") + ":1:1: include leads back to '" + path("self.toml") + "'"));
  write("a.toml", "include = \"base/b.toml\"\n");
  write("base/b.toml", "name = \"b\"\ninclude = \"../a.toml\"\n");
  CHECK(refused("a.toml").starts_with(path("base/b.toml") + ":2:1: include leads back to '" + path("a.toml") + "'"));
  write("bad.toml", "include = \"base/broken.toml\"\n");
  write("base/broken.toml", "seed = 1\nname = \n");
  CHECK(refused("bad.toml").starts_with(path("base/broken.toml") + ":2:"));
}

TEST_CASE("the text of to_toml parses to an equal table with its keys in the same order") {
  const std::string text = R"(
schema = 1
name = "quote \" backslash \\ tab \t line \n bell \u0007 delete \u007f é"
tiny = 5e-324
third = 0.1
big = 1e300
whole = 2.0
large = 9007199254740993
minus = -0.0
empty_list = []
empty_table = {}
mixed = [{ a = 1 }, 2]
"key with blanks" = 1
"" = 2
"dotted.key" = 3
[section]
z = 1
a = { inner = [1, { deep = "x" }] }
[["odd name"]]
b = 1
[["odd name"]]
[[part]]
z = [[1, 2], []]
a = "three"
)";
  const ValueTable config = parse_config(text, "c.toml");
  const std::string written = to_toml(config);
  CAPTURE(written);
  const ValueTable again = parse_config(written, "written.toml");
  // Sections stand behind plain values in TOML; nothing else moves.
  for (const auto& [key, value] : config) {
    CAPTURE(key);
    REQUIRE(again.find(key) != nullptr);
    CHECK(again.find(key)->to_text() == value.to_text());
  }
  CHECK(again.size() == config.size());
  CHECK(to_toml(again) == written);
}

TEST_CASE("to_toml leaves out null entries") {
  ValueTable table;
  table.set("there", 1);
  table.set("absent", Value());
  ValueTable section;
  section.set("absent", Value());
  table.set("section", section);
  CHECK(to_toml(table) == "there = 1\n\n[section]\n");
  // Also within what stands on one line.
  ValueTable deep;
  deep.set("name", "x");
  deep.set("absent", Value());
  section.set("list", ValueArray{Value(deep)});
  section.set("deep", Value(deep));
  ValueTable outer;
  outer.set("section", section);
  CHECK(to_toml(outer) == "\n[section]\nlist = [{ name = \"x\" }]\ndeep = { name = \"x\" }\n");
}

TEST_CASE("an override sets, replaces and creates by dotted path") {
  const ValueTable config = overridden(kSmall, {"name=y", "repeats=3", "split.holdout = 0.5", "problem.ete.t=[1, 2]",
                                                "method.1.id=other", "method.1.problem.radius=4"});
  CHECK(config.find("name")->to_text() == "\"y\"");
  CHECK(config.find("repeats")->to_text() == "3");
  CHECK(config.find("split")->to_text() == "{ holdout = 0.5 }");
  CHECK(config.find("problem")->to_text() == "{ ete = { t = [1, 2] } }");
  CHECK(config.find("method")->to_text() ==
        "[{ id = \"a\", problem = \"ete\" }, { id = \"other\", problem = { name = \"ste\", radius = 4 } }]");
}

TEST_CASE("an override below a problem named in short keeps the name") {
  CHECK(overridden(kSmall, {"method.0.problem.t=3"}).find("method")->get_if<ValueArray>()->front().to_text() ==
        "{ id = \"a\", problem = { name = \"ete\", t = 3 } }");
}

TEST_CASE("values of overrides are read as TOML if possible, else as text") {
  for (const auto& [written, read] :
       std::vector<std::pair<std::string, std::string>>{{"3", "3"},
                                                        {"3.5", "3.5"},
                                                        {"true", "true"},
                                                        {"ete", "\"ete\""},
                                                        {"\"3\"", "\"3\""},
                                                        {"", "\"\""},
                                                        {"a=b", "\"a=b\""},
                                                        {"[1, two]", "[1, \"two\"]"},
                                                        {"{ name = ceres }", "{ name = \"ceres\" }"},
                                                        {"[1, ", "\"[1,\""}}) {
    CAPTURE(written);
    CHECK(overridden(kSmall, {"new=" + written}).find("new")->to_text() == read);
  }
  CHECK(overridden(kSmall, {"new=1"}).find("new")->at.prefix() == "--set: ");
}

TEST_CASE("an impossible override says why and changes nothing") {
  CHECK(override_error(kSmall, "name").find("PATH=VALUE") != std::string::npos);
  CHECK(override_error(kSmall, "=1").find("PATH=VALUE") != std::string::npos);
  CHECK(override_error(kSmall, "  =1").find("PATH=VALUE") != std::string::npos);
  CHECK(override_error(kSmall, "").find("PATH=VALUE") != std::string::npos);
  CHECK(override_error(kSmall, "problem..t=1").find("between two dots") != std::string::npos);
  CHECK(override_error(kSmall, ".t=1").find("between two dots") != std::string::npos);
  CHECK(override_error(kSmall, "method.2.id=x").find("'2' is not an index") != std::string::npos);
  CHECK(override_error(kSmall, "method.-1.id=x").find("'-1' is not an index") != std::string::npos);
  CHECK(override_error(kSmall, "method.id=x").find("'id' is not an index") != std::string::npos);
  CHECK(override_error(kSmall, "name.t=1").find("'t'") != std::string::npos);
}

TEST_CASE("durations are numbers of seconds or text with a unit") {
  for (const auto& [written, seconds] : std::vector<std::pair<Value, double>>{{90, 90},
                                                                              {0.5, 0.5},
                                                                              {"90", 90},
                                                                              {"90s", 90},
                                                                              {" 1.5 min ", 90},
                                                                              {"2m", 120},
                                                                              {"1h", 3600},
                                                                              {"250ms", 0.25},
                                                                              {"1e3s", 1000},
                                                                              {1e9, 1e9}}) {
    CAPTURE(written.to_text());
    CHECK(seconds_of(written) == doctest::Approx(seconds).epsilon(1e-15));
  }
}

TEST_CASE("sizes are numbers of bytes or text with a unit") {
  for (const auto& [written, bytes] : std::vector<std::pair<Value, std::uint64_t>>{{4096, 4096},
                                                                                   {"1kB", 1024},
                                                                                   {"1 KB", 1024},
                                                                                   {"512MB", 536870912},
                                                                                   {"1.5GB", 1610612736},
                                                                                   {"1TB", 1099511627776},
                                                                                   {"12B", 12},
                                                                                   {0.25, 1}}) {
    CAPTURE(written.to_text());
    CHECK(bytes_of(written) == bytes);
  }
}

TEST_CASE("bad durations and sizes are refused with their place") {
  for (const Value& bad : std::vector<Value>{
           0,        -1,   0.0,           -2.5,         "0s",    "-3s", "",    "s",   "soon",   "5 parsecs", "1e",
           "5min3s", true, ValueArray{1}, ValueTable{}, Value(), "nan", "inf", 1e300, "1e300h", 1e10}) {
    CAPTURE(bad.to_text());
    Value placed = bad;
    placed.at = {"c.toml", 3, 5};
    const std::string message = config_error([&] { static_cast<void>(seconds_of(placed)); });
    CHECK(message.starts_with("c.toml:3:5: "));
    CHECK(message.find("duration") != std::string::npos);
  }
  for (const Value& bad : std::vector<Value>{0, -1, "GB", "1 zebibyte", "1e300TB", 1e300, false}) {
    CAPTURE(bad.to_text());
    CHECK(config_error([&] { static_cast<void>(bytes_of(bad)); }).find("size") != std::string::npos);
  }
}

}  // namespace config_file_test
