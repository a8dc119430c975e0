// Results folders that were damaged: what `verify` finds, what `run` and `merge` notice, and what `repair` gives back.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <set>

#include "experiments/config/config_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/launch/runner.hpp"
#include "experiments/results/folder_check.hpp"
#include "experiments/results/folder_repair.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/row.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/held_run.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/small_experiments.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/wait_until.hpp"

namespace repair_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

const std::string kConfig =
    std::string("name = \"damaged\"\nrepeats = 2\n[uncertainty]\nbootstrap = 2\n") + kSmallData + kQuickMethods;

/// An experiment of four runs in "whole", and its copy in "r" to damage.
struct Desk {
  Desk() {
    write_text(path / "c.toml", kConfig);
    REQUIRE(run({"run", "c.toml", "--out", "whole"}).status == 0);
    fs::copy(path / "whole", folder, fs::copy_options::recursive);
  }
  [[nodiscard]] Ended run(const std::vector<std::string>& arguments) const { return run_command(arguments, path); }
  [[nodiscard]] std::vector<std::string> lines() const { return lines_of(content_of(folder / kRowsFile)); }
  void write_lines(const std::vector<std::string>& lines) const {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    write_text(folder / kRowsFile, text);
  }
  /// The id of the run in a line, from 0.
  [[nodiscard]] std::string id(std::size_t line) const { return run_id_in(lines().at(line)); }
  void remove_files_of(const std::string& run_id) const {
    for (const char* kind : {"embeddings", "traces", "logs"})
      for (const auto& entry : fs::directory_iterator(folder / kind))
        if (entry.path().filename().string().starts_with(run_id)) fs::remove(entry.path());
  }
  /// Repairs, and checks that the folder then has what the undamaged one has.
  void check_repair() const {
    succeeded(run({"repair", "r"}));
    check_whole();
  }
  void check_whole() const {
    CHECK(comparable(folder) == comparable(path / "whole"));
    auto files = comparable_files(folder);
    std::erase_if(files, [](const auto& file) { return is_kept_aside(file.first); });
    CHECK(files == comparable_files(path / "whole"));
    CHECK(read_row_file(folder / kRowsFile).notes.empty());
    const Ended verified = succeeded(run({"verify", "r"}));
    CHECK(holds_all(verified.out, {"r is whole."}));
  }
  void check_damaged(std::initializer_list<std::string_view> parts) const {
    const auto before = inventory(folder);
    const Ended verified = run({"verify", "r"});
    CHECK(verified.status == 1);
    CHECK(holds_all(verified.out, parts));
    CHECK(holds_all(verified.out, {"r is not whole. To mend it: alidade repair r"}));
    CHECK(inventory(folder) == before);
  }

  ScratchFolder path;
  const fs::path folder = path / "r";
};

/// The line with one figure changed.
std::string edited(std::string line) {
  const auto at = line.find("\"objective\":") + 12;
  line[at] = line[at] == '9' ? '8' : '9';
  return line;
}

std::vector<ValueTable> moved_lines(const fs::path& folder) {
  std::vector<ValueTable> out;
  for (const std::string& line : lines_of(content_of(folder / kBadRowsFile)))
    out.push_back(*parse_json(line, "moved").get_if<ValueTable>());
  return out;
}

}  // namespace

TEST_CASE("a folder that is whole is said to be, and no command changes a byte of it") {
  const Desk desk;
  const auto before = inventory(desk.folder);
  desk.check_repair();
  CHECK(inventory(desk.folder) == before);
  const Ended verified = desk.run({"verify", "r"});
  CHECK(verified.out ==
        "4 runs: 4 ok, 0 failed, 0 skipped, 0 cancelled; 4 whole rows, 0 bad\n"
        "16 files: 0 missing, 0 changed\nr is whole.\n");
  // Nor of one that is not finished, of which nothing is lost.
  std::vector<std::string> lines = desk.lines();
  desk.remove_files_of(desk.id(3));
  lines.pop_back();
  desk.write_lines(lines);
  const auto unfinished = inventory(desk.folder);
  CHECK(desk.run({"repair", "r"}).status == 0);
  CHECK(inventory(desk.folder) == unfinished);
}

TEST_CASE("a folder without all rows of its plan is not finished, and verify says how to finish it") {
  const Desk desk;
  std::vector<std::string> lines = desk.lines();
  const std::string one = desk.id(1), two = desk.id(2);
  lines.erase(lines.begin() + 1, lines.begin() + 3);
  desk.write_lines(lines);
  const auto message_for = [&] {
    const Ended verified = desk.run({"verify", "r"});
    CHECK(verified.status == 1);
    CHECK(holds_all(verified.out, {"2 of 4 runs have no row. To do them: alidade run r/config.resolved.toml --out r\n",
                                   "r is not finished.\n"}));
    return verified.out;
  };
  // The rows were deleted: their maps and traces are there.
  CHECK(holds_all(message_for(), {"Of these runs, 2 have files: rows were deleted", "no row names these 10 files"}));
  CHECK(holds_all(desk.run({"repair", "r", "--no-run"}).out, {"2 runs are"}));
  CHECK(desk.run({"repair", "r"}).status == 0);
  desk.check_whole();
  // They were never done.
  desk.write_lines(lines);
  for (const std::string& id : {one, two}) desk.remove_files_of(id);
  CHECK(holds_all(desk.run({"repair", "r"}).out, {"2 of 4 runs are without a row"}));
  CHECK(message_for().find("files:\n") == std::string::npos);
  // The command that verify names.
  CHECK(desk.run({"run", "r/config.resolved.toml", "--out", "r"}).status == 0);
  desk.check_whole();
}

TEST_CASE("verify knows the runs of a shard, and how to finish it") {
  const Desk desk;
  REQUIRE(desk.run({"run", "c.toml", "--out", "s", "--shard", "2/2"}).status == 0);
  CHECK(desk.run({"verify", "s.shard-2-of-2"}).status == 0);
  const std::vector<std::string> lines = lines_of(content_of(desk.path / "s.shard-2-of-2" / kRowsFile));
  write_text(desk.path / "s.shard-2-of-2" / kRowsFile, lines[0] + "\n");
  const Ended verified = desk.run({"verify", "s.shard-2-of-2"});
  CHECK(verified.status == 1);
  CHECK(holds_all(verified.out, {"1 of 2 runs has no row. To do them: alidade run "
                                 "s.shard-2-of-2/config.resolved.toml --out s --shard 2/2\n"}));
}

TEST_CASE("a changed config or manifest is noticed by all, kept aside by repair, and written again by run") {
  const Desk desk;
  const fs::path config = desk.folder / "config.resolved.toml", manifest = desk.folder / kManifestFile;
  const auto not_whole = [&](std::initializer_list<std::string_view> parts) {
    const Ended verified = desk.run({"verify", "r"});
    CAPTURE(verified.out);
    CHECK(verified.status == 1);
    CHECK(holds_all(verified.out, parts));
    CHECK(holds_all(verified.out, {"r is not whole."}));
  };
  const auto noticed = [&](const std::string& file) {
    const std::string message = "file was changed after it was written, such as " + file;
    for (const std::vector<std::string>& reader :
         {std::vector<std::string>{"table", "r"}, {"report", "r", "-o", "-"}}) {
      const Ended ended = succeeded(desk.run(reader));
      CHECK(holds_all(ended.out + ended.err, {message, "alidade repair r"}));
    }
    const Ended merged = desk.run({"merge", "r", "--out", "m"});
    CHECK(merged.status == (file == kManifestFile ? 0 : 2));
    CHECK(holds_all(merged.err, {file, "changed after it was written", "alidade repair r"}));
  };
  SUBCASE("a config that cannot be read") {
    write_text(config, content_of(config) + "x=1\n");
    not_whole({"r/config.resolved.toml was changed after it was written.\n", "To mend it: alidade repair r"});
    noticed("config.resolved.toml");
    const Ended repaired = desk.run({"repair", "r"});
    CHECK(repaired.status == 1);
    CHECK(holds_all(repaired.err, {"So no run can be done again here.\n",
                                   "kept as config.resolved.toml.damaged-1. To write it again, with the config of this "
                                   "experiment: alidade run CONFIG --out r\n"}));
    CHECK(content_of(config.string() + ".damaged-1").ends_with("x=1\n"));
    CHECK(desk.run({"run", "c.toml", "--out", "r"}).status == 0);
    desk.check_whole();
  }
  SUBCASE("a config that says something else") {
    std::string text = content_of(config);
    text.replace(text.find("repeats = 2"), 11, "repeats = 1");
    write_text(config, text);
    not_whole({"r/config.resolved.toml was changed after it was written."});
    noticed("config.resolved.toml");
    const Ended ran = succeeded(desk.run({"run", "c.toml", "--out", "r"}));
    CHECK(holds_all(ran.err, {"r/config.resolved.toml was changed after it was written. Now it is written again."}));
    desk.check_whole();
  }
  SUBCASE("no config") {
    fs::remove(config);
    not_whole({"r/config.resolved.toml is missing. To write it again"});
    CHECK(desk.run({"run", "c.toml", "--out", "r"}).status == 0);
    desk.check_whole();
  }
  SUBCASE("a figure in the manifest") {
    std::string text = content_of(manifest);
    const std::string before = text;
    const auto at = text.find("\"version\": \"") + 12;
    text[at] = text[at] == '9' ? '8' : '9';
    write_text(manifest, text);
    not_whole({"r/manifest.json: The entry ", " was changed after it was written.\n"});
    noticed("manifest.json");
    CHECK(holds_all(desk.run({"run", "c.toml", "--out", "r"}).err, {"such as manifest.json", "alidade repair r"}));
    desk.check_repair();
    CHECK(content_of(manifest.string() + ".damaged-1") == text);
    CHECK(holds_all(desk.run({"verify", "r"}).out, {"Note: What made 4 rows is not known", "manifest.json.damaged-1"}));
    write_text(config, content_of(config) + "\n");
    not_whole({"r/config.resolved.toml was changed after it was written."});
    write_text(manifest, before);
    CHECK(desk.run({"run", "c.toml", "--out", "r"}).status == 0);
    desk.check_whole();
  }
  SUBCASE("the name of a key of the manifest") {
    std::string text = content_of(manifest);
    text[text.find("\"id\": \"") + 1] = 'j';
    write_text(manifest, text);
    not_whole({"r/manifest.json does not name what made 4 rows."});
    noticed("manifest.json");
    desk.check_repair();
  }
  SUBCASE("no manifest") {
    fs::remove(manifest);
    not_whole({"r/manifest.json is missing, which names what made 4 rows. Put back a copy of it"});
  }
  SUBCASE("another config whose runs are all done is no fault") {
    CHECK(desk.run({"run", "c.toml", "--out", "r", "--set", "repeats=1"}).status == 0);
    CHECK(desk.run({"verify", "r"}).status == 0);
    CHECK(read_manifest(desk.folder).size() == 2);
    CHECK(desk.run({"run", "c.toml", "--out", "r"}).status == 0);
    CHECK(read_manifest(desk.folder).size() == 2);
    desk.check_whole();
  }
}

TEST_CASE("a row whose checksum was taken away was edited") {
  const Desk desk;
  std::vector<std::string> lines = desk.lines();
  ValueTable row = *parse_json(edited(lines[1]), "row").get_if<ValueTable>();
  row.erase("check");
  SUBCASE("with all its other fields") {}
  SUBCASE("without its program") { row.erase("made_by"); }
  SUBCASE("without those of its files") { row.find("files")->get_if<ValueTable>()->erase("checksums"); }
  lines[1] = to_json(row);
  desk.write_lines(lines);
  desk.check_damaged({"3 whole rows, 1 bad", "r/runs.jsonl:2: This row lacks its checksum, `check`: it was edited"});
  desk.check_repair();
}

TEST_CASE("an edited figure is noticed by every reader, and its run is done again") {
  const Desk desk;
  std::vector<std::string> lines = desk.lines();
  const std::string bad = lines[1] = edited(lines[1]);
  desk.write_lines(lines);
  for (const std::vector<std::string>& reader : std::vector<std::vector<std::string>>{
           {"table", "r"}, {"run", "c.toml", "--out", "r"}, {"report", "r"}, {"merge", "r", "--out", "m"}}) {
    const Ended ended = desk.run(reader);
    CHECK(ended.status == 2);
    CHECK(lines_of(ended.err).size() == 1);
    CHECK(holds_all(ended.err, {"r/runs.jsonl:2: This row does not fit its checksum", "`alidade repair r`"}));
  }
  desk.check_damaged({"3 whole rows, 1 bad", "r/runs.jsonl:2: "});
  const std::string id = run_id_in(bad);
  desk.check_repair();
  const std::vector<ValueTable> moved = moved_lines(desk.folder);
  REQUIRE(moved.size() == 1);
  CHECK(text_field(moved[0], "text") == bad);
  CHECK(text_field(moved[0], "line") == "2");
  CHECK(text_field(moved[0], "run_id") == id);
  CHECK(holds_all(text_field(moved[0], "reason"), {"does not fit its checksum"}));
}

TEST_CASE("lines that are no rows are moved aside, whether or not they say of which run they were") {
  const Desk desk;
  std::vector<std::string> lines = desk.lines();
  const std::string bytes = "\xff\xfe{";
  SUBCASE("garbage") { lines[1] = "garbage"; }
  SUBCASE("bytes") { lines[1] = bytes; }
  SUBCASE("cut") { lines[1].resize(60); }
  SUBCASE("two") {
    lines[0] = "garbage";
    lines[2].resize(70);
  }
  SUBCASE("the last") { lines[3].resize(80); }
  SUBCASE("all") { lines.assign(4, "{}}"); }
  const bool of_bytes = lines[1] == bytes;
  desk.write_lines(lines);
  desk.check_damaged({"This is not valid JSON"});
  desk.check_repair();
  // What was there can be had back to the byte.
  if (of_bytes) CHECK(text_field(moved_lines(desk.folder).at(0), "bytes") == "fffe7b");
}

TEST_CASE("a line that a crash cut off is a fault for verify, and repair does its run") {
  const Desk desk;
  const std::string text = content_of(desk.folder / kRowsFile);
  write_text(desk.folder / kRowsFile, text.substr(0, text.size() - 100));
  desk.check_damaged({"runs.jsonl:4: The last line is incomplete"});
  desk.check_repair();
}

TEST_CASE("runs whose maps are gone are done again by run, which says so") {
  const Desk desk;
  fs::remove_all(desk.folder / "embeddings");
  desk.check_damaged({"16 files: 12 missing, 0 changed", "Missing: embeddings/" + desk.id(0) + ".csv, of run"});
  const Ended ended = succeeded(desk.run({"run", "c.toml", "--out", "r"}));
  CHECK(ended.out ==
        "4 runs: 4 ok, 0 failed, 0 skipped, 0 done before. Results: r\n"
        "4 runs are done again: their files were missing.\nNext: alidade report r\n");
  CHECK(desk.lines().size() == 8);  // the old rows are not lost while the new ones are made
  desk.check_whole();
  CHECK(desk.run({"run", "c.toml", "--out", "r"}).out ==
        "4 runs: 0 ok, 0 failed, 0 skipped, 4 done before. Results: r\nNext: alidade report r\n");
}

TEST_CASE("repair does the runs again whose files are missing") {
  const Desk desk;
  SUBCASE("maps") { fs::remove_all(desk.folder / "embeddings"); }
  SUBCASE("one trace") { fs::remove(desk.folder / "traces" / (desk.id(2) + ".json")); }
  SUBCASE("one array, which only its checksum names") {
    fs::remove(desk.folder / "embeddings" / (desk.id(2) + ".npy"));
  }
  desk.check_repair();
}

TEST_CASE("a missing log is no fault") {
  const Desk desk;
  fs::remove_all(desk.folder / "logs");
  desk.check_whole();
}

TEST_CASE("a changed log is noticed by all and kept aside by repair, and a log may grow") {
  const Desk desk;
  const std::string name = "logs/" + desk.id(1) + ".log";
  std::string content = content_of(desk.folder / name);
  REQUIRE(content.size() > 10);
  write_text(desk.folder / name, content + "more\n");
  desk.check_whole();
  content[content.size() / 2] ^= 1;
  write_text(desk.folder / name, content);
  desk.check_damaged({"Changed: " + name});
  for (const std::vector<std::string>& reader : std::vector<std::vector<std::string>>{
           {"table", "r"}, {"run", "c.toml", "--out", "r"}, {"report", "r", "-o", "-"}, {"merge", "r", "--out", "m"}}) {
    const Ended ended = succeeded(desk.run(reader));
    CHECK(holds_all(ended.out + ended.err, {"1 file was changed after it was written, such as " + name}));
  }
  const std::vector<std::string> lines = desk.lines();
  desk.check_repair();
  CHECK(desk.lines() == lines);  // no run was done again
  CHECK(content_of(desk.folder / (name + ".damaged-1")) == content);
}

TEST_CASE("a changed file is kept under another name, and its run is done again") {
  const Desk desk;
  const std::string name = "embeddings/" + desk.id(1) + ".csv";
  const fs::path map = desk.folder / name;
  std::string content = content_of(map);
  SUBCASE("cut") { content.resize(content.size() / 2); }
  SUBCASE("one digit") { content[content.size() - 3] = content[content.size() - 3] == '1' ? '2' : '1'; }
  write_text(map, content);
  desk.check_damaged({"Changed: " + name + ", of run " + desk.id(1) + " ("});
  desk.check_repair();
  CHECK(content_of(map.string() + ".damaged-1") == content);
  write_text(map, "once more");
  desk.check_repair();
  CHECK(content_of(map.string() + ".damaged-1") == content);
  CHECK(content_of(map.string() + ".damaged-2") == "once more");
}

TEST_CASE("readers of traces and maps say which were changed or are missing, and go on") {
  const Desk desk;
  const std::string map = "embeddings/" + desk.id(0) + ".csv", trace = "traces/" + desk.id(1) + ".json";
  const std::string such = ", such as " + trace;
  const auto said_by = [&](const std::vector<std::string>& reader) {
    const Ended ended = succeeded(desk.run(reader));
    return ended.out + ended.err + (reader[0] == "report" ? content_of(desk.folder / "report.html") : "");
  };
  const std::vector<std::string> target = {"table", "r", "--target", "10%"};
  CHECK(said_by({"report", "r"}).find("alidade verify") == std::string::npos);
  CHECK(said_by(target).find("alidade verify") == std::string::npos);
  std::string content = content_of(desk.folder / trace);
  const auto digit = content.find("\"objective\":[") + 13;
  content[digit] = content[digit] == '9' ? '8' : '9';
  write_text(desk.folder / trace, content);
  CHECK(holds_all(said_by(target), {"r: 1 file was changed after it was written" + such +
                                    ". `alidade verify r` lists all; `alidade repair r` mends it."}));
  std::string places = content_of(desk.folder / map);
  places[places.size() - 3] = places[places.size() - 3] == '1' ? '2' : '1';
  write_text(desk.folder / map, places);
  CHECK(holds_all(said_by({"report", "r"}), {"r: 2 files were changed after they were written, such as " + map}));
  fs::remove(desk.folder / trace);
  CHECK(holds_all(said_by({"report", "r"}),
                  {"r: 1 file is missing" + such + "; 1 file was changed after it was written, such as " + map}));
  CHECK(holds_all(said_by(target),
                  {"r: 1 file is missing" + such + "; 1 file was changed after it was written, such as " + map}));
}

TEST_CASE("rows that were kept aside are taken up as they are, and no run is done for them") {
  const Desk desk;
  const std::vector<std::string> lines = desk.lines();
  SUBCASE("two rows") {
    desk.write_lines({lines[0], lines[1]});
    write_text(desk.folder / "runs.jsonl.aside-7", lines[1] + "\n" + lines[2] + "\n");
    write_text(desk.folder / "runs.jsonl.aside-8", lines[2] + "\n" + lines[3] + "\n" + edited(lines[0]) + "\n");
    desk.check_damaged({"runs.jsonl.aside-7: 1 row of runs that runs.jsonl lacks"});
  }
  SUBCASE("all, since the file is gone") {
    fs::rename(desk.folder / kRowsFile, desk.folder / "runs.jsonl.aside-7");
    desk.check_damaged({"runs.jsonl is missing.", "runs.jsonl.aside-7: 4 rows of runs that runs.jsonl lacks"});
  }
  desk.check_repair();
  CHECK(desk.lines() == lines);
  CHECK(fs::exists(desk.folder / "runs.jsonl.aside-7"));
  const auto before = inventory(desk.folder);
  desk.check_repair();
  CHECK(inventory(desk.folder) == before);
}

TEST_CASE("with --no-run the rows are mended, and a later repair does the runs") {
  const Desk desk;
  std::vector<std::string> lines = desk.lines();
  lines[1] = edited(lines[1]);
  desk.write_lines(lines);
  fs::remove(desk.folder / "traces" / (desk.id(2) + ".json"));
  const Ended ended = desk.run({"repair", "r", "--no-run"});
  CHECK(ended.status == 1);
  CHECK(lines_of(ended.out) ==
        std::vector<std::string>{"r: 1 bad line was moved to runs.jsonl.bad; 1 row was moved to runs.jsonl.bad, since "
                                 "files are missing or changed.",
                                 "2 runs are to be done again. To do so: alidade repair r"});
  CHECK(desk.lines() == std::vector<std::string>{lines[0], lines[3]});
  desk.check_damaged({"runs.jsonl.bad: 2 runs are to be done again"});
  desk.check_repair();
  CHECK(desk.lines().size() == 4);
}

TEST_CASE("what cannot be done again stays, and is spoken of") {
  const Desk desk;
  // Runs of an earlier config: this one plans the first repeat only.
  const fs::path config = desk.folder / "config.resolved.toml";
  REQUIRE(desk.run({"run", "c.toml", "--out", "r", "--set", "repeats=1"}).status == 0);
  const std::string text = content_of(config);
  fs::remove_all(desk.folder / "traces");
  const Ended ended = desk.run({"repair", "r"});
  CHECK(ended.status == 1);
  CHECK(holds_all(ended.err, {"Note: 2 runs are not in config.resolved.toml", "Their rows stay"}));
  CHECK(comparable(desk.folder) == comparable(desk.path / "whole"));
  CHECK(content_of(config) == text);
}

TEST_CASE("repair of a shard does runs of this shard only") {
  const Desk desk;
  for (const char* shard : {"1/2", "2/2"})
    REQUIRE(desk.run({"run", "c.toml", "--out", "s", "--shard", shard}).status == 0);
  write_text(desk.path / "s.shard-1-of-2" / kRowsFile, "one\ntwo\n");
  const Ended ended = succeeded(desk.run({"repair", "s.shard-1-of-2"}));
  CHECK(holds_all(ended.out, {"2 runs: 2 ok"}));
  CHECK(desk.run({"merge", "s.shard-1-of-2", "s.shard-2-of-2"}).status == 0);
  CHECK(comparable(desk.path / "s") == comparable(desk.path / "whole"));
  CHECK(comparable_files(desk.path / "s") == comparable_files(desk.path / "whole"));
}

TEST_CASE("rows of an earlier version, without checksums, are verified and repaired by their files' names") {
  const Desk desk;
  std::vector<std::string> lines;
  for (ValueTable row : read_rows(desk.folder)) {
    for (const char* field : {"check", "made_by"}) row.erase(field);
    row.find("files")->get_if<ValueTable>()->erase("checksums");
    lines.push_back(to_json(row));
  }
  desk.write_lines(lines);
  const Ended verified = succeeded(desk.run({"verify", "r"}));
  CHECK(holds_all(verified.out, {"4 rows have no checksum", "12 files are there, but no checksum"}));
  // A name that leads out of the folder is never followed.
  write_text(desk.path / "outside.json", "mine");
  const std::string trace = "traces/" + desk.id(3) + ".json", outside = "../outside.json";
  lines[3].replace(lines[3].find(trace), trace.size(), outside);
  desk.write_lines(lines);
  fs::remove(desk.folder / "embeddings" / (desk.id(0) + ".csv"));
  desk.check_damaged({"12 files: 2 missing, 0 changed", "Missing: ../outside.json"});
  const Ended repaired = succeeded(desk.run({"repair", "r"}));
  CHECK(holds_all(repaired.out, {"2 runs: 2 ok"}));
  CHECK(content_of(desk.path / "outside.json") == "mine");
  CHECK(desk.run({"verify", "r"}).status == 0);
}

TEST_CASE("rows of a later version, folders in use and maps of embed are left alone") {
  const Desk desk;
  std::vector<std::string> lines = desk.lines();
  SUBCASE("later") {
    lines[1] = with_checksum(R"({"schema":2,"run_id":"0123456789abcdef"})");
    lines[2] = "garbage";
    desk.write_lines(lines);
    const auto before = inventory(desk.folder);
    const Ended ended = desk.run({"repair", "r"});
    CHECK(ended.status == 2);
    CHECK(holds_all(ended.err, {"runs.jsonl:2: This row has format 2"}));
    CHECK(inventory(desk.folder) == before);
  }
  SUBCASE("in use") {
    const LineFile held(desk.folder / kRowsFile);
    CHECK(holds_all(desk.run({"repair", "r"}).err, {"Another alidade is writing"}));
    CHECK(desk.run({"verify", "r"}).status == 0);
  }
  SUBCASE("embed") {
    write_text(desk.path / "t.csv", "anchor,near,far\na,b,c\nb,a,c\nc,b,a\na,b,d\nd,c,a\n");
    REQUIRE(desk.run({"embed", "t.csv", "-p", "ste", "-o", "map"}).status == 0);
    CHECK(desk.run({"verify", "map"}).status == 0);
    const Ended ended = desk.run({"repair", "map"});
    CHECK(ended.status == 2);
    CHECK(holds_all(ended.err, {"map holds a map of `alidade embed`. Make the map again"}));
    fs::resize_file(desk.path / "map/embedding.csv", 10);
    CHECK(desk.run({"verify", "map"}).status == 1);
  }
  SUBCASE("no results") {
    fs::create_directory(desk.path / "empty");
    for (const char* command : {"verify", "repair"})
      for (const char* folder : {"empty", "nowhere"}) {
        const Ended ended = desk.run({command, folder});
        CHECK(ended.status == 2);
        CHECK(holds_all(ended.err, {"This is not a results folder"}));
      }
    CHECK(fs::is_empty(desk.path / "empty"));
  }
}

TEST_CASE("a folder that two machines finished names both, and each row its own") {
  const Desk desk;
  // As if another machine had begun.
  ValueTable other = read_manifest(desk.folder).back();
  ValueTable& machine = *other.find("machine")->get_if<ValueTable>();
  machine.set("processor", "Other " + text_field(machine, "processor"));
  const std::string first = manifest_id(other);
  other.set("id", first);
  write_text(desk.folder / kManifestFile, manifest_text({other}));
  std::vector<std::string> lines;
  for (ValueTable row : read_rows(desk.folder)) {
    row.erase("check");
    row.set("made_by", first);
    lines.push_back(with_checksum(to_json(row)));
  }
  lines.pop_back();
  desk.write_lines(lines);
  REQUIRE(desk.run({"run", "c.toml", "--out", "r"}).status == 0);
  const std::vector<ValueTable> entries = read_manifest(desk.folder);
  REQUIRE(entries.size() == 2);
  CHECK(text_field(entries[0], "machine.processor").starts_with("Other "));
  const std::vector<Row> rows = read_rows(desk.folder);
  for (std::size_t r = 0; r < 4; ++r) CHECK(text_field(rows[r], "made_by") == text_field(entries[r < 3 ? 0 : 1], "id"));
  CHECK(text_field(entries[0], "id") == first);
  const Ended verified = succeeded(desk.run({"verify", "r"}));
  CHECK(holds_all(verified.out, {"Note: More than one program or machine made these rows: 3 rows by alidade", "Other ",
                                 "1 row by alidade"}));
  REQUIRE(desk.run({"report", "r"}).status == 0);
  CHECK(holds_all(content_of(desk.folder / "report.html"),
                  {"More than one program or machine made these rows", "Program and machine of earlier runs"}));
  // A command that adds no row adds no entry; a manifest that cannot be read is kept.
  const std::string kept = content_of(desk.folder / kManifestFile);
  REQUIRE(desk.run({"run", "c.toml", "--out", "r"}).status == 0);
  CHECK(content_of(desk.folder / kManifestFile) == kept);
  write_text(desk.folder / kManifestFile, kept.substr(0, 100));
  desk.write_lines(lines);
  const Ended ran = succeeded(desk.run({"run", "c.toml", "--out", "r"}));
  CHECK(holds_all(ran.err, {"Note: r/manifest.json could not be read, and is kept as manifest.json.damaged-1."}));
  CHECK(holds_all(desk.run({"verify", "r"}).out,
                  {"Note: What made 3 rows is not known: the manifest was damaged, and is kept as", "r is whole."}));
  CHECK(content_of(desk.folder / "manifest.json.damaged-1") == kept.substr(0, 100));
}

#ifndef ALIDADE_SANITIZED
namespace {

/// Does `work` in a child and kills it before its call number `number`, from 0, of those that change files. Returns
/// whether it was killed; nothing if processes cannot be traced here.
std::optional<bool> killed_at(std::size_t number, const std::function<void()>& work) {
  const std::set<unsigned long long> changing = {SYS_write,  SYS_rename, SYS_unlink,    SYS_fsync,
                                                 SYS_syncfs, SYS_openat, SYS_ftruncate, SYS_flock};
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(9);
    ::raise(SIGSTOP);
    work();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (!WIFSTOPPED(status)) return std::nullopt;
  if (::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return std::nullopt;
  }
  for (std::size_t count = 0;;) {
    REQUIRE(::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) == 0);
    REQUIRE(::waitpid(child, &status, 0) == child);
    if (WIFEXITED(status)) {
      CHECK(WEXITSTATUS(status) == 0);
      return false;
    }
    struct __ptrace_syscall_info call {};
    ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof call, &call);
    if (call.op != PTRACE_SYSCALL_INFO_ENTRY || !changing.contains(call.entry.nr) || count++ < number) continue;
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return true;
  }
}

}  // namespace

TEST_CASE("a repair that is killed before any call that changes files is finished by the next") {
  const Desk desk;
  std::vector<std::string> lines = desk.lines();
  lines[0] = edited(lines[0]);
  desk.write_lines({lines[0], "garbage", lines[2]});
  write_text(desk.folder / "runs.jsonl.aside-7", lines[3] + "\n");
  fs::resize_file(desk.folder / "embeddings" / (desk.id(2) + ".csv"), 30);
  const fs::path damaged = desk.path / "damaged";
  fs::copy(desk.folder, damaged, fs::copy_options::recursive);
  const std::vector<PlannedRun> planned = plan(interpret(parse_config(kConfig, "c.toml")));
  const auto lost = [&] { return repair_rows(desk.folder, planned).to_do; };
  const std::set<std::string> expected = lost();
  CHECK(expected.size() == 3);
  const std::string rows = content_of(desk.folder / kRowsFile);
  std::size_t kills = 0;
  for (std::size_t number = 0;; ++number) {
    CAPTURE(number);
    fs::remove_all(desk.folder);
    fs::copy(damaged, desk.folder, fs::copy_options::recursive);
    const auto killed = killed_at(number, [&] { static_cast<void>(lost()); });
    if (!killed) {
      MESSAGE("skipped: processes cannot be traced here");
      return;
    }
    if (!*killed) break;
    ++kills;
    CHECK(lost() == expected);
    CHECK(content_of(desk.folder / kRowsFile) == rows);
    std::set<std::string> texts;  // each damaged line is kept, and once
    for (const ValueTable& moved : moved_lines(desk.folder)) CHECK(texts.insert(text_field(moved, "text")).second);
    CHECK(texts == std::set<std::string>{lines[0], "garbage", lines[2]});
    CHECK(fs::file_size(desk.folder / "embeddings" / (run_id_in(lines[2]) + ".csv.damaged-1")) == 30);
  }
  CHECK(kills > 20);
  desk.check_repair();
}
#endif

TEST_CASE("a repair that is killed during its runs is finished by the next") {
  const Desk desk;
  const fs::path second = hold_run(desk.folder, desk.id(1));
  desk.write_lines({"one", "two", "three", "four"});
  {
    Command command({"repair", "r"}, desk.path);
    // The lines were moved, and the first run has its row.
    CHECK(wait_until(
        [&] {
          const std::string rows = content_of(desk.folder / kRowsFile);
          return rows.starts_with('{') && lines_of(rows).size() == 1;
        },
        std::chrono::seconds(240)));
    CHECK(moved_lines(desk.folder).size() == 4);
    command.send(SIGKILL);
    CHECK(command.wait().status == -SIGKILL);
    fs::remove(second);
  }
  desk.check_repair();
  CHECK(moved_lines(desk.folder).size() == 4);
}

}  // namespace repair_test
