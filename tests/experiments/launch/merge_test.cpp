#include "experiments/launch/merge.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "experiments/config/config_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/launch/runner.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/results_folder.hpp"
#include "experiments/results/row.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/kill_points.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/small_experiments.hpp"
#include "tests/support/text_holds.hpp"

namespace merge_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

const std::string kConfig = std::string("name = \"parts\"\nseed = 3\nrepeats = 3\n") + kSmallEurope;

Experiment experiment() { return interpret(parse_config(kConfig, "c.toml")); }

RunnerReport run(const fs::path& folder, std::optional<Shard> shard = std::nullopt) {
  RunnerOptions options;
  options.folder = shard ? shard_folder(folder, *shard) : folder;
  options.data_folder = folder / "no data";
  options.shard = shard;
  options.command = {"alidade", "run", options.folder.string()};
  return run_experiment(experiment(), options, [] { return false; });
}

const std::vector<std::string> kCommand = {"alidade", "merge"};

std::string refusal(const std::vector<fs::path>& folders, const fs::path& out) {
  return message_of<Error>([&] { return merge_results(folders, out, kCommand); });
}

/// An experiment done by one machine in "whole", and by three in shards of "r".
struct Machines {
  Machines() {
    static_cast<void>(run(path / "whole"));
    for (std::size_t number = 1; number <= 3; ++number) {
      const RunnerReport report = run(path / "r", Shard{number, 3});
      CHECK(report.planned == 2);
      CHECK(report.ok == 2);
      shards.push_back(shard_folder(path / "r", {number, 3}));
    }
  }
  ScratchFolder path;
  std::vector<fs::path> shards;
};

/// Rewrites the rows of a folder.
void edit_rows(const fs::path& folder, const std::function<void(ValueTable&)>& edit) {
  std::string text;
  for (ValueTable row : read_rows(folder)) {
    edit(row);
    row.erase("check");
    text += with_checksum(to_json(row)) + "\n";
  }
  write_text(folder / kRowsFile, text);
}

}  // namespace

TEST_CASE("merged shards equal one machine's results, and are merged once") {
  const Machines machines;
  const fs::path out = machines.path / "r";
  const auto before = inventory(machines.shards[0]);
  MergeReport report = merge_results(machines.shards, out, kCommand);
  CHECK(report.planned == 6);
  CHECK(report.ok == 6);
  CHECK(report.taken == 6);
  CHECK(report.missing.empty());
  CHECK(report.notes.empty());
  CHECK(comparable(out) == comparable(machines.path / "whole"));
  CHECK(comparable_files(out) == comparable_files(machines.path / "whole"));
  CHECK(content_of(out / "config.resolved.toml") == content_of(machines.path / "whole/config.resolved.toml"));
  for (const auto& [id, row] : rows_in(out)) CHECK(fs::exists(out / text_field(row, "files.log")));
  // In the order of the plan, each with its own times.
  double next = 0;
  std::map<std::string, std::string> seconds;
  for (const ValueTable& row : read_rows(out)) {
    CHECK(number_field(row, "plan_index") == next++);
    seconds[text_field(row, "run_id")] = text_field(row, "seconds.total");
  }
  for (const fs::path& shard : machines.shards)
    for (const ValueTable& row : read_rows(shard))
      CHECK(seconds.at(text_field(row, "run_id")) == text_field(row, "seconds.total"));
  // Where each part comes from is kept.
  const Value manifest = parse_json(content_of(out / "manifest.json"), "manifest.json");
  const Value* merged = manifest.get_if<ValueTable>()->find("merged");
  REQUIRE(merged != nullptr);
  CHECK(merged->get_if<ValueTable>()->keys().size() == 3);
  CHECK(inventory(machines.shards[0]) == before);

  // Again, and again without a shard that is there already.
  const std::string rows = content_of(out / kRowsFile);
  for (const auto& folders : {machines.shards, std::vector<fs::path>{machines.shards[1], out}}) {
    report = merge_results(folders, out, kCommand);
    CHECK(report.taken == 0);
    CHECK(report.ok == 6);
    CHECK(content_of(out / kRowsFile) == rows);
    CHECK(comparable_files(out) == comparable_files(machines.path / "whole"));
  }
  // Nothing is left to run, and nothing of the merge beside what it should leave.
  CHECK(run(out).resumed == 6);
  for (const std::string& line : inventory(out)) CHECK(line.find(".part") == std::string::npos);
}

TEST_CASE("missing runs are named, and come with the next merge or run") {
  const Machines machines;
  const fs::path out = machines.path / "r";
  MergeReport report = merge_results({machines.shards[2]}, out, kCommand);
  CHECK(report.ok == 2);
  REQUIRE(report.missing.size() == 4);
  std::set<std::string> missing;
  for (const MergeReport::MissingRun& one : report.missing) {
    missing.insert(one.run.id);
    CHECK(holds_all(one.what, {" on ", ", repeat "}));
    REQUIRE(one.shard.has_value());
    CHECK(one.shard->count == 3);
    CHECK(rows_in(machines.shards[one.shard->number - 1]).contains(one.run.id));
  }
  for (int s = 0; s < 2; ++s)
    for (const auto& [id, row] : rows_in(machines.shards[static_cast<std::size_t>(s)])) CHECK(missing.contains(id));
  report = merge_results({machines.shards[0]}, out, kCommand);
  CHECK(report.taken == 2);
  CHECK(report.missing.size() == 2);
  CHECK(run(out).ok == 2);
  CHECK(comparable(out) == comparable(machines.path / "whole"));
}

TEST_CASE("shards of different configurations are refused, with the line, and nothing changes") {
  const Machines machines;
  const fs::path out = machines.path / "r";
  const fs::path config = machines.shards[1] / "config.resolved.toml", manifest = machines.shards[1] / kManifestFile;
  std::string text = content_of(config);
  const auto at = text.find("repeats = 3");
  REQUIRE(at != std::string::npos);
  text[at + 10] = '4';
  write_text(config, text);
  CHECK(refusal(machines.shards, out).find("was changed after it was written. `alidade repair ") != std::string::npos);
  write_text(manifest, manifest_text({make_manifest("parts", {}, text)}));  // as if it had been run so
  const auto before = inventory(machines.path);
  const std::string message = refusal(machines.shards, out);
  CHECK(holds_all(message, {"different configs: line ", "'repeats = 3' in the first and 'repeats = 4' in the second",
                            "shard-1-of-3", "shard-2-of-3"}));
  CHECK(inventory(machines.path) == before);
  // Nor into results of another configuration.
  CHECK(refusal({machines.shards[0]}, machines.shards[1]).find("different configs") != std::string::npos);
  CHECK(inventory(machines.path) == before);
}

TEST_CASE("of several rows of one run the best counts") {
  const Machines machines;
  const fs::path out = machines.path / "r", again = machines.path / "again";
  fs::copy(machines.shards[0], again, fs::copy_options::recursive);
  const std::string good = comparable(machines.shards[0]).begin()->second;
  for (const auto& [status, termination] : std::vector<std::pair<std::string, std::string>>{
           {"cancelled", "cancelled"}, {"failed", "diverged"}, {"failed", "not_started"}}) {
    CAPTURE(termination);
    edit_rows(again, [&, s = status, t = termination](ValueTable& row) {
      row.set("status", s);
      row.set("termination", t);
    });
    for (const auto& folders :
         {std::vector<fs::path>{again, machines.shards[0]}, std::vector<fs::path>{machines.shards[0], again}}) {
      fs::remove_all(out);
      const MergeReport report = merge_results(folders, out, kCommand);
      CHECK(report.ok == 2);
      CHECK(report.notes.empty());
      CHECK(comparable(out) == comparable(machines.shards[0]));
    }
  }
  // A cancelled run is as good as missing.
  edit_rows(again, [](ValueTable& row) { row.set("status", "cancelled"); });
  fs::remove_all(out);
  const MergeReport report = merge_results({again}, out, kCommand);
  CHECK(report.ok == 0);
  CHECK(report.missing.size() == 6);
}

TEST_CASE("disagreeing good rows of one run get a note, and the first counts") {
  const Machines machines;
  const fs::path out = machines.path / "r", again = machines.path / "again";
  fs::copy(machines.shards[0], again, fs::copy_options::recursive);
  edit_rows(again, [](ValueTable& row) { row.set("objective", 17.0); });
  const MergeReport report = merge_results({machines.shards[0], again}, out, kCommand);
  REQUIRE(report.notes.size() == 2);
  CHECK(holds_all(report.notes[0], {"a different objective"}));
  CHECK(comparable(out) == comparable(machines.shards[0]));
}

TEST_CASE("runs whose files are missing or changed are left out, and come from a folder where they are whole") {
  const Machines machines;
  const fs::path out = machines.path / "r", whole = machines.path / "copy";
  fs::copy(machines.shards[0], whole, fs::copy_options::recursive);
  SUBCASE("missing") { fs::remove_all(machines.shards[0] / "traces"); }
  SUBCASE("changed") {
    for (const auto& entry : fs::directory_iterator(machines.shards[0] / "embeddings"))
      fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  }
  const auto before = inventory(machines.shards[0]);
  MergeReport report = merge_results(machines.shards, out, kCommand);
  REQUIRE(report.notes.size() == 1);
  CHECK(holds_all(report.notes[0], {machines.shards[0].string() + ": 2 runs are left out", "alidade repair"}));
  CHECK(report.ok == 4);
  CHECK(report.missing.size() == 2);
  CHECK(inventory(machines.shards[0]) == before);
  report = merge_results({machines.shards[0], whole}, out, kCommand);
  CHECK(report.ok == 6);
  CHECK(comparable(out) == comparable(machines.path / "whole"));
  CHECK(comparable_files(out) == comparable_files(machines.path / "whole"));
  // What the merged folder itself lost comes back, too.
  for (const auto& [id, row] : rows_in(whole)) fs::remove(out / text_field(row, "files.trace"));
  report = merge_results({whole}, out, kCommand);
  CHECK(report.taken == 2);
  CHECK(comparable_files(out) == comparable_files(machines.path / "whole"));
}

TEST_CASE("the manifest of a merge has the commands of all folders, and each row names its own") {
  const Machines machines;
  const fs::path out = machines.path / "r";
  static_cast<void>(merge_results({machines.shards[0]}, out, kCommand));
  static_cast<void>(merge_results(machines.shards, out, kCommand));
  std::set<std::string> ids;
  for (const ValueTable& entry : read_manifest(out)) CHECK(ids.insert(text_field(entry, "id")).second);
  CHECK(ids.size() == 5);  // three shards, two merges
  std::map<std::string, std::string> made_by;
  for (const auto& [id, row] : rows_in(out)) made_by[id] = text_field(row, "made_by");
  for (const fs::path& shard : machines.shards)
    for (const auto& [id, row] : rows_in(shard)) {
      CHECK(made_by.at(id) == text_field(read_manifest(shard).back(), "id"));
      CHECK(ids.contains(made_by.at(id)));
    }
}

TEST_CASE("a folder of maps that cannot be read is refused, and its runs come with the next merge") {
  const Machines machines;
  const fs::path maps = machines.shards[0] / "embeddings", aside = machines.path / "aside";
  fs::rename(maps, aside);
  write_text(maps, "not a folder");
  CHECK(refusal(machines.shards, machines.path / "r").find("embeddings: Not a directory") != std::string::npos);
  fs::remove(maps);
  fs::rename(aside, maps);
  CHECK(merge_results(machines.shards, machines.path / "r", kCommand).taken == 6);
  CHECK(comparable_files(machines.path / "r") == comparable_files(machines.path / "whole"));
}

TEST_CASE("folders without results, in use, or not writable are refused") {
  const Machines machines;
  fs::create_directory(machines.path / "empty");
  CHECK(refusal({machines.path / "empty"}, machines.path / "r").find("has no runs.jsonl") != std::string::npos);
  CHECK(refusal({machines.path / "none"}, machines.path / "r").find("has no runs.jsonl") != std::string::npos);
  fs::remove(machines.shards[1] / "config.resolved.toml");
  CHECK(refusal(machines.shards, machines.path / "r").find("has no config.resolved.toml") != std::string::npos);
  CHECK_FALSE(fs::exists(machines.path / "r"));
  write_text(machines.path / "plain", "text");
  CHECK(refusal({machines.shards[0]}, machines.path / "plain/r").find("Not a directory") != std::string::npos);
  const LineFile held(machines.path / "whole" / kRowsFile);
  CHECK(refusal({machines.shards[0]}, machines.path / "whole").find("Another alidade is writing") != std::string::npos);
}

TEST_CASE("a torn last row of a shard is left out, with a note") {
  const Machines machines;
  const std::string text = content_of(machines.shards[0] / kRowsFile);
  write_text(machines.shards[0] / kRowsFile, text.substr(0, text.size() - 20));
  const MergeReport report = merge_results(machines.shards, machines.path / "r", kCommand);
  CHECK(report.ok == 5);
  CHECK(report.missing.size() == 1);
  REQUIRE(report.notes.size() == 1);
  CHECK(holds_all(report.notes[0], {"incomplete"}));
}

TEST_CASE("the names of shards give the folder to merge into") {
  CHECK(whole_of_shards({"results/x.shard-1-of-2", "results/x.shard-2-of-2/"}) == "results/x");
  for (const auto& folders : std::vector<std::vector<fs::path>>{{"results/x"},
                                                                {"results/x.shard-1-of-2", "results/y.shard-2-of-2"},
                                                                {"a/x.shard-1-of-2", "b/x.shard-2-of-2"},
                                                                {"a.shard-1/x"}})
    CHECK_THROWS_AS(static_cast<void>(whole_of_shards(folders)), ConfigError);
}

TEST_CASE("run --shard and merge work from the command line") {
  const ScratchFolder scratch{{"c.toml", kConfig}};
  run_well("run c.toml --out whole", scratch);
  for (const char* shard : {"1/2", "2/2"}) {
    const Ended ended = run_well({"run", "c.toml", "--shard", shard}, scratch);
    CHECK(holds_all(ended.out, {"3 runs: 3 ok", "results/parts.shard-" + std::string(1, *shard) + "-of-2"}));
    // Given again it has nothing to do.
    CHECK(run_command({"run", "c.toml", "--shard", shard}, scratch).out.find("3 done before") != std::string::npos);
  }
  const Ended part = run_command("merge results/parts.shard-1-of-2", scratch);
  CHECK(part.status == 1);
  CHECK(part.out.find("6 runs: 3 ok, 0 failed, 0 skipped, 3 missing; 3 added by this merge. "
                      "Results: results/parts\n") == 0);
  CHECK(lines_of(part.out).size() == 5);
  run_quietly("merge results/parts.shard-1-of-2 results/parts.shard-2-of-2", scratch);
  CHECK(comparable(scratch / "results/parts") == comparable(scratch / "whole"));
  CHECK(run_command("table results/parts", scratch).out == run_command("table whole", scratch).out);
  const Ended wrong = run_command("run c.toml --shard 3/2", scratch);
  CHECK(wrong.status == 2);
  CHECK(holds_all(wrong.err, {"'3/2'"}));
  const Ended nowhere = run_command("merge nowhere", scratch);
  CHECK(nowhere.status == 2);
  CHECK(holds_all(nowhere.err, {"nowhere: There is no such folder."}));
}

TEST_CASE("a merge killed at any point can be repeated") {
  const Machines machines;
  const fs::path out = machines.path / "r";
  const auto expected = comparable(machines.path / "whole"), files = comparable_files(machines.path / "whole");
  const auto merge = [&] { static_cast<void>(merge_results(machines.shards, out, kCommand)); };
  const auto check = [&](const KillPoint&) {
    // Rows are all there or none is.
    if (fs::exists(out / kRowsFile)) {
      const std::size_t count = read_row_file(out / kRowsFile).rows.size();
      CHECK((count == 0 || count == 6));
    }
    merge();
    CHECK(comparable(out) == expected);
    CHECK(comparable_files(out) == files);
    for (const std::string& line : inventory(out)) CHECK(line.find(".part") == std::string::npos);
  };
  const std::map<std::string, int> kills = kill_at_every_point([&] { fs::remove_all(out); }, merge, check);
  for (const char* point : {"before write", "halfway write", "after write", "before rename", "after rename"})
    CHECK(kills.at(point) > 12);  // six maps and six traces at least
  for (const char* point : {"before sync", "after sync", "before truncate", "after truncate"})
    CHECK(kills.contains(point));
}

TEST_SUITE_BEGIN("heavy");

TEST_CASE("a merge killed at random moments can be repeated") {
  const Machines machines;
  const std::vector<std::string> arguments = {"merge", "r.shard-1-of-3", "r.shard-2-of-3", "r.shard-3-of-3"};
  Rng rng(4);
  int killed = 0;
  for (int trial = 0; trial < 12; ++trial) {
    Command command(arguments, machines.path);
    std::this_thread::sleep_for(std::chrono::duration<double>(rng.uniform(0.01, 0.06)));
    command.send(SIGKILL);
    if (command.wait().status != 0) ++killed;
    // Rows are all there or none is.
    const fs::path rows = machines.path / "r" / kRowsFile;
    if (fs::exists(rows)) {
      const std::size_t count = read_row_file(rows).rows.size();
      CHECK((count == 0 || count == 6));
    }
    if (trial % 3 == 2) fs::remove_all(machines.path / "r");
  }
  CHECK(killed > 0);
  run_well(arguments, machines.path);
  CHECK(comparable(machines.path / "r") == comparable(machines.path / "whole"));
  CHECK(comparable_files(machines.path / "r") == comparable_files(machines.path / "whole"));
}

TEST_SUITE_END();

}  // namespace merge_test
