#include "experiments/results/manifest.hpp"

#include <doctest/doctest.h>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace manifest_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

ValueTable entry(const std::string& processor) {
  ValueTable machine, out = make_manifest("x", {"alidade", "run"}, "config");
  machine.set("processor", processor);
  out.set("machine", machine);
  out.set("id", manifest_id(out));
  return out;
}

ValueTable row_by(const ValueTable& entry) {
  ValueTable out;
  out.set("made_by", text_field(entry, "id"));
  return out;
}

}  // namespace

TEST_CASE("a manifest is read back as it was written, and shows its last entry first") {
  const ScratchFolder scratch;
  CHECK(read_manifest(scratch).empty());
  const std::vector<ValueTable> entries = {entry("a"), entry("b"), entry("c")};
  write_text(scratch / kManifestFile, manifest_text(entries));
  CHECK(read_manifest(scratch) == entries);
  const Value text = parse_json(manifest_text(entries), "m");
  CHECK(text_field(*text.get_if<ValueTable>(), "machine.processor") == "c");
  CHECK_FALSE(text_field(make_manifest("x", {"alidade"}, "config"), "machine.host").empty());
  CHECK(text_field(entries[0], "id").size() == 12);
  CHECK(text_field(entries[0], "id") != text_field(entries[1], "id"));
}

TEST_CASE("a manifest of an earlier version is one entry that keeps all it says") {
  const ScratchFolder scratch;
  const std::string old = R"({"schema":1,"command":"alidade merge","merged":{"r.shard-1-of-2":{"command":"one"}}})";
  write_text(scratch / kManifestFile, old);
  std::vector<ValueTable> read = read_manifest(scratch);
  REQUIRE(read.size() == 1);
  CHECK(text_field(read[0], "id") == manifest_id(read[0]));
  CHECK(text_field(read[0], "merged.r.shard-1-of-2.command") == "one");
  // What is written with it is read back, and its id stays.
  read.push_back(entry("b"));
  write_text(scratch / kManifestFile, manifest_text(read));
  CHECK(read_manifest(scratch) == read);
}

TEST_CASE("a broken manifest is refused with its name") {
  const ScratchFolder scratch;
  for (const char* text : {"", "{", "[]", "7"}) {
    CAPTURE(text);
    write_text(scratch / kManifestFile, text);
    CHECK_THROWS_WITH_AS(static_cast<void>(read_manifest(scratch)), doctest::Contains("manifest.json"), DataError);
  }
}

TEST_CASE("rows of several machines are told apart, and those of one are not spoken of") {
  const std::vector<ValueTable> entries = {entry("first"), entry("second"), entry("second")};
  const auto message_for = [&](std::vector<Row> rows) { return origins(rows, entries); };
  CHECK(message_for({}).empty());
  CHECK(message_for({ValueTable(), ValueTable()}).empty());  // of an earlier version
  CHECK(message_for({row_by(entries[1]), row_by(entries[2])}).empty());
  CHECK(holds_all(message_for({row_by(entries[0]), row_by(entries[1]), row_by(entries[2])}),
                  {"More than one program or machine", "1 row by alidade ", "first", "2 rows by alidade ", "second"}));
  CHECK(holds_all(message_for({row_by(entries[0]), ValueTable()}),
                  {"1 row by a program that the manifest does not name"}));
}

}  // namespace manifest_test
