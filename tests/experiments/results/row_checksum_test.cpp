#include "experiments/results/row.hpp"

#include <doctest/doctest.h>

#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace row_checksum_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

std::string row_of_run(const std::string& id, const std::string& objective) {
  return R"({"schema":1,"run_id":")" + id + R"(","status":"ok","objective":)" + objective + "}";
}

std::string refusal(const std::filesystem::path& rows) {
  return message_of<DataError>([&] { return read_row_file(rows); });
}

}  // namespace

TEST_CASE("a line with its checksum is right, and no character of it can be changed, added or left out unnoticed") {
  const std::string line = with_checksum(row_of_run("a1", "12.5"));
  CHECK(line == R"({"schema":1,"run_id":"a1","status":"ok","objective":12.5,"check":"cb462be8df5a8676"})");
  CHECK(checksum_of(line) == LineChecksum::right);
  CHECK(checksum_of(line + "\r") == LineChecksum::right);  // an editor changed the ends of lines
  for (std::size_t at = 0; at < line.size(); ++at) {
    CAPTURE(at);
    std::string other = line;
    other[at] = other[at] == '7' ? '8' : '7';
    CHECK(checksum_of(other) != LineChecksum::right);
    other = line;
    other.erase(at, 1);
    CHECK(checksum_of(other) != LineChecksum::right);
    other = line;
    other.insert(at, " ");
    if (at > 0) CHECK(checksum_of(other) != LineChecksum::right);
  }
  for (const char* other : {"", "{}", R"({"run_id":"a1"})", R"({"check":"cb462be8df5a8676"})"})
    CHECK(checksum_of(other) == LineChecksum::none);
}

TEST_CASE("a row that does not fit its checksum is refused with its line and the remedy; one without any is read") {
  const ScratchFolder scratch;
  const std::filesystem::path rows = scratch / kRowsFile;
  const std::string first = row_of_run("a1", "1.0"), second = with_checksum(row_of_run("a2", "2.0"));
  write_text(rows, first + "\n" + second + "\n");
  CHECK(read_row_file(rows).rows.size() == 2);
  CHECK(read_row_file(rows).lines == std::vector<std::string>{first, second});
  const std::string edited = "\"objective\":2.5";
  std::string bad = second;
  bad.replace(bad.find("\"objective\":2.0"), edited.size(), edited);
  std::string unfinished = second;
  unfinished.replace(unfinished.find("check\":\"") + 8, 1, "");
  for (const std::string& line : {bad, unfinished, R"({"check":"cb462be8df5a8676","run_id":"a2"})" + std::string()}) {
    CAPTURE(line);
    write_text(rows, first + "\n" + line + "\n" + second + "\n");
    CHECK(holds_all(refusal(rows),
                    {"runs.jsonl:2: This row does not fit its checksum", "alidade repair " + scratch.path().string()}));
    write_text(rows, first + "\n" + line);  // no crash leaves such a last line
    CHECK(holds_all(refusal(rows), {"runs.jsonl:2: "}));
  }
  write_text(rows, first + "\n" + second.substr(0, second.size() - 1));
  CHECK(read_row_file(rows).rows.size() == 1);
}

TEST_CASE("a run that is listed twice gets a note only if its rows differ") {
  const ScratchFolder scratch;
  const std::filesystem::path rows = scratch / kRowsFile;
  const auto notes = [&](const std::string& first, const std::string& second) {
    write_text(rows, first + "\n" + second + "\n");
    const RowFile read = read_row_file(rows);
    CHECK(read.rows.size() == 1);
    CHECK(read.lines == std::vector<std::string>{second});
    return read.notes;
  };
  const auto with_files = [](const std::string& map, const std::string& trace, const std::string& seconds) {
    return with_checksum(R"({"run_id":"a","status":"ok","seconds":)" + seconds +
                         R"(,"files":{"trace":"t","checksums":[{"file":"m","sha256":")" + map +
                         R"("},{"file":"t","sha256":")" + trace + R"("}]}})");
  };
  CHECK(notes(row_of_run("a", "1.0"), with_checksum(row_of_run("a", "1.0"))).empty());
  CHECK(notes(with_files("1", "2", "3.0"), with_files("1", "9", "4.0")).empty());
  REQUIRE(notes(row_of_run("a", "1.0"), row_of_run("a", "2.0")).size() == 1);
  CHECK(holds_all(notes(row_of_run("a", "1.0"), row_of_run("a", "2.0"))[0], {":2: ", "a different objective"}));
  CHECK(holds_all(notes(with_files("1", "2", "3.0"), with_files("8", "2", "3.0"))[0], {"a different files"}));
}

}  // namespace row_checksum_test
