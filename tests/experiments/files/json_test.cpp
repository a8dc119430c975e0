#include "experiments/files/json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace json_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

std::string message_of(std::string_view text) {
  return alidade::testing::message_of<DataError>([&] { return parse_json(text, "a.json"); });
}

using ResultsFolder = ScratchFolder;

std::string message_of_rows(const ResultsFolder& folder) {
  return alidade::testing::message_of<DataError>([&] { return read_rows(folder); });
}

TEST_CASE("JSON reads back equal, with kinds and the order of keys") {
  ValueTable inner;
  inner.set("z", -0.0);
  inner.set("a", 1e-320);
  inner.set("m", 0.1 + 0.2);
  ValueTable table;
  table.set("text", "quote \" backslash \\ newline \n bell \a é 東京 😀 </script>");
  table.set("whole", std::int64_t{9007199254740993});
  table.set("least", std::numeric_limits<std::int64_t>::min());
  table.set("real", 1.0);
  table.set("large", std::numeric_limits<double>::max());
  table.set("nothing", Value());
  table.set("yes", true);
  table.set("inner", inner);
  table.set("list", ValueArray{Value(1), Value(2.5), Value("x"), Value(), Value(ValueArray{}), Value(ValueTable{})});
  const Value value = table;
  CHECK(parse_json(to_json(value), "a.json") == value);
  CHECK(parse_json(to_pretty_json(value), "a.json") == value);
  CHECK(to_json(value).find('\n') == std::string::npos);
  CHECK(std::signbit(*parse_json("-0.0", "a").get_if<double>()));
}

TEST_CASE("a real number keeps its kind and its digits") {
  CHECK(to_json(1.0) == "1.0");
  CHECK(to_json(0.1) == "0.1");
  CHECK(to_json(1e300) == "1e+300");
  CHECK(to_json(5) == "5");
  CHECK(*parse_json("1.0", "a").get_if<double>() == 1.0);
  CHECK(*parse_json("1", "a").get_if<std::int64_t>() == 1);
  CHECK(*parse_json("18446744073709551615", "a").get_if<double>() == 18446744073709551615.0);
}

TEST_CASE("numbers that are not finite are written as null and read back as nothing") {
  const ValueArray values{Value(std::nan("")), Value(std::numeric_limits<double>::infinity()),
                          Value(-std::numeric_limits<double>::infinity())};
  CHECK(to_json(values) == "[null,null,null]");
  CHECK(parse_json("null", "a").is_null());
}

TEST_CASE("bytes that are not UTF-8 do not make a row unreadable") {
  // Latin-1 e acute; an overlong slash; a lone surrogate; a sequence cut at the end.
  CHECK(to_json("caf\xE9 \xC0\xAF \xED\xA0\x80 \xE2\x82") ==
        "\"caf\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD "
        "\xEF\xBF\xBD\xEF\xBF\xBD\"");
  CHECK(to_json("\xF0\x9F\x98\x80") == "\"\xF0\x9F\x98\x80\"");
}

TEST_CASE("pretty JSON indents by two and keeps plain lists on a line") {
  ValueTable cpu;
  cpu.set("cores", 2);
  ValueTable table;
  table.set("name", "x");
  table.set("flags", ValueArray{Value("-O2"), Value("-g")});
  table.set("cpu", cpu);
  table.set("none", ValueTable{});
  CHECK(to_pretty_json(table) ==
        "{\n  \"name\": \"x\",\n  \"flags\": [\"-O2\", \"-g\"],\n  \"cpu\": {\n    \"cores\": 2\n  },\n"
        "  \"none\": {}\n}\n");
}

TEST_CASE("a syntax error has its file and line") {
  CHECK(holds(message_of("{\n\"a\": 1,\n\"b\": }\n"), "a.json:3: "));
  CHECK(holds(message_of("{\n\"a\": 1\n"), "a.json:3: "));
  CHECK(holds(message_of(""), "a.json:1: "));
  CHECK(holds(message_of("{\"a\": 1} x"), "a.json:1: "));
  CHECK(holds(message_of("{\"a\": 1,\n \"a\": 2}"), "'a' appears twice"));
  CHECK(holds(message_of("[1e999]"), "beyond the range"));
  CHECK(holds(message_of("\"caf\xE9\""), "a.json:1: "));
  CHECK(holds(message_of(std::string(100000, '[')), "deeper than 200"));
  CHECK(holds(message_of("[NaN]"), "a.json:1: "));
}

TEST_CASE("rows are read in order, and blank lines do not matter") {
  const ResultsFolder folder;
  write_text(folder / "runs.jsonl", "{\"schema\":1,\"run_id\":\"a\"}\n\n{\"run_id\":\"b\"}\n");
  std::vector<std::string> notes;
  const auto rows = read_rows(folder, &notes);
  REQUIRE(rows.size() == 2);
  CHECK(text_field(rows[0], "run_id") == "a");
  CHECK(text_field(rows[1], "run_id") == "b");
  CHECK(notes.empty());
}

TEST_CASE("a last line cut by a crash is left out, with a note") {
  const ResultsFolder folder;
  const std::string whole = "{\"run_id\":\"a\"}\n{\"run_id\":\"b\"}\n";
  for (const std::string_view cut : {"{\"run_id\":\"c\",\"n\":1", "{", "{\"run_id\":\"c"}) {
    CAPTURE(std::string(cut));
    write_text(folder / "runs.jsonl", whole + std::string(cut));
    std::vector<std::string> notes;
    CHECK(read_rows(folder, &notes).size() == 2);
    REQUIRE(notes.size() == 1);
    CHECK(holds(notes[0], "runs.jsonl:3: "));
    const RowFile file = read_row_file(folder / "runs.jsonl");
    CHECK(file.sound_bytes == whole.size());
    CHECK(!file.needs_newline);
  }
}

TEST_CASE("a whole last row that lacks only its newline counts") {
  const ResultsFolder folder;
  const std::string text = "{\"run_id\":\"a\"}\n{\"run_id\":\"b\"}";
  write_text(folder / "runs.jsonl", text);
  const RowFile file = read_row_file(folder / "runs.jsonl");
  CHECK(file.rows.size() == 2);
  CHECK(file.notes.empty());
  CHECK(file.sound_bytes == text.size());
  CHECK(file.needs_newline);
}

TEST_CASE("a broken line that is not the cut last one is an error with its line") {
  const ResultsFolder folder;
  write_text(folder / "runs.jsonl", "{\"run_id\":\"a\"}\n{\"run_id\":\n{\"run_id\":\"b\"}\n");
  CHECK(holds(message_of_rows(folder), "runs.jsonl:2: "));
  write_text(folder / "runs.jsonl", "{\"run_id\":\"a\"}\n{\"run_id\":\"b\"\n");
  CHECK(holds(message_of_rows(folder), "runs.jsonl:2: "));
  write_text(folder / "runs.jsonl", "[1]\n");
  CHECK(holds(message_of_rows(folder), "A row must be a JSON object"));
  write_text(folder / "runs.jsonl", "{\"schema\":2}\n");
  CHECK(holds(message_of_rows(folder), "format 2"));
}

TEST_CASE("no folder and no rows are different things") {
  const ResultsFolder folder;
  CHECK(holds(message_of_rows(folder), "not a results folder"));
  write_text(folder / "runs.jsonl", "");
  CHECK(read_rows(folder).empty());
}

TEST_CASE("a run written again replaces its earlier row, with a note unless that one had failed") {
  const ResultsFolder folder;
  write_text(folder / "runs.jsonl",
             "{\"run_id\":\"a\",\"status\":\"ok\",\"n\":1}\n{\"run_id\":\"b\",\"status\":\"failed\"}\n"
             "{\"run_id\":\"a\",\"n\":3}\n{\"run_id\":\"b\",\"n\":4}\n");
  std::vector<std::string> notes;
  const auto rows = read_rows(folder, &notes);
  REQUIRE(rows.size() == 2);
  CHECK(number_field(rows[0], "n") == 3.0);
  CHECK(number_field(rows[1], "n") == 4.0);
  REQUIRE(notes.size() == 1);
  CHECK(holds(notes[0], "runs.jsonl:3: "));
}

TEST_CASE("fields are found by dotted path, by short name, and under keys with dots") {
  const Value value = parse_json(
      R"({"dataset":{"id":"europe 2","name":"europe","options":{"noise":0.05}},
          "method":"ETE","problem":{"name":"ete","options":{"t":2}},"solver":{"name":"ceres"},
          "metrics":{"train_error":0.25,"knn_accuracy":null},
          "chosen":{"problem.t":3,"problem.t_prime":1.5},"repeat":0,"fold":null})",
      "a");
  const ValueTable& row = *value.get_if<ValueTable>();
  CHECK(text_field(row, "dataset") == "europe 2");
  CHECK(text_field(row, "dataset.name") == "europe");
  CHECK(text_field(row, "problem") == "ete");
  CHECK(text_field(row, "solver") == "ceres");
  CHECK(text_field(row, "method") == "ETE");
  CHECK(number_field(row, "dataset.options.noise") == 0.05);
  CHECK(number_field(row, "problem.options.t") == 2.0);
  CHECK(number_field(row, "chosen.problem.t") == 3.0);
  CHECK(number_field(row, "chosen.problem.t_prime") == 1.5);
  CHECK(number_field(row, "train_error") == 0.25);
  REQUIRE(field(row, "metrics.knn_accuracy") != nullptr);
  CHECK(field(row, "metrics.knn_accuracy")->is_null());
  CHECK(!number_field(row, "metrics.knn_accuracy"));
  CHECK(field(row, "metrics.nothing") == nullptr);
  CHECK(field(row, "method.nothing") == nullptr);
  CHECK(field(row, "") == nullptr);
  CHECK(field(row, ".") == nullptr);
  const std::vector<Row> rows{row};
  const auto names = field_names(rows);
  const auto known = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  CHECK(known("dataset.options.noise"));
  CHECK(known("metrics.knn_accuracy"));
  CHECK(known("dataset"));
  CHECK(!known("metrics"));
}

}  // namespace
}  // namespace json_test
