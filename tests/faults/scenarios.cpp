#include "tests/faults/scenarios.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "experiments/results/manifest.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/small_experiments.hpp"

namespace alidade::testing {
namespace {

namespace fs = std::filesystem;

const std::string kConfig = std::string(R"(
name = "small"
repeats = 2
)") + kSmallData + kQuickMethods;

const std::string kShardConfig = std::string(R"(
name = "parts"
repeats = 3
)") + kSmallData + kQuickMethods;

void must_run(std::vector<std::string> arguments, const fs::path& folder) {
  const Ended ended = run_command(std::move(arguments), folder);
  INFO(ended.out, ended.err);
  REQUIRE(ended.status == 0);
}

/// Maps and traces by name, without unfinished ones.
Outcome finished_files_in(const fs::path& folder) {
  Outcome out;
  for (const auto& entry : fs::directory_iterator(folder / "embeddings"))
    if (entry.path().extension() != ".part") out[entry.path().filename()] = content_of(entry.path());
  for (const auto& entry : fs::directory_iterator(folder / "traces")) {
    if (entry.path().extension() == ".part") continue;
    const std::string name = entry.path().filename(), content = content_of(entry.path());
    try {
      Value trace = parse_json(content, name);
      REQUIRE(trace.get_if<ValueTable>()->erase("seconds"));
      out[name] = to_json(trace);
    } catch (const DataError&) {  // of a run without a row yet, when the power failed
      out[name] = content;
    }
  }
  return out;
}

/// Rows, maps and traces of a results folder; nothing of a folder without rows.
Outcome results_in(const fs::path& folder) {
  Outcome out;
  if (!fs::exists(folder / kRowsFile)) return out;
  for (auto& [id, row] : comparable(folder)) out["row " + id] = row;
  for (auto& [name, content] : finished_files_in(folder)) out[name] = content;
  out["config"] = content_of(folder / "config.resolved.toml");
  return out;
}

/// The rows that are done, with what they name; a row without its files, or with torn ones, is reported.
std::string missing_results(const fs::path& before, const fs::path& after) {
  const Outcome had = results_in(before), has = results_in(after);
  for (const auto& [name, content] : had) {
    const auto entry = has.find(name);
    if (entry == has.end()) return name + " is lost";
    if (entry->second != content) return name + " has changed";
  }
  return "";
}

/// A map, its trace and its row.
Outcome map_in(const fs::path& folder) {
  Outcome out;
  if (!fs::exists(folder / kRowsFile)) return out;
  for (auto& [id, row] : comparable(folder)) out["row " + id] = row;
  for (const char* name : {"embedding.csv", "embedding.npy", "config.resolved.toml"})
    if (fs::exists(folder / name)) out[name] = content_of(folder / name);
  for (const auto& entry : fs::directory_iterator(folder / "traces")) {
    Value trace = parse_json(content_of(entry.path()), "trace");
    REQUIRE(trace.get_if<ValueTable>()->erase("seconds"));
    out[entry.path().filename().string()] = to_json(trace);
  }
  return out;
}

/// The scenario writes one file in the place of an earlier one: either of them is there, whole.
void replaces_file(Scenario& scenario, const std::string& name) {
  const std::string earlier = "an earlier file\n";
  write_text(scenario.before->path() / name, earlier);
  scenario.outcome = [name](const fs::path& folder) { return Outcome{{name, content_of(folder / name)}}; };
  const fs::path folder = restarted(scenario);
  must_run(scenario.arguments, folder);
  const std::string fresh = content_of(folder / name);
  REQUIRE(fresh != earlier);
  scenario.lost = [name, earlier, fresh](const fs::path& in) -> std::string {
    if (!fs::exists(in / name)) return name + " is lost";
    const std::string content = content_of(in / name);
    return content == earlier || content == fresh ? "" : name + " is neither the earlier file nor the new one";
  };
}

std::string some_answers() {
  constexpr std::uint64_t kObjects = 12;
  Rng rng = Rng::stream(1, "some answers");
  std::string out = "anchor,near,far\n";
  const auto place = [](std::uint64_t object) {
    return static_cast<double>(object * object % 7) + 0.1 * static_cast<double>(object);
  };
  for (int i = 0; i < 120; ++i) {
    const std::uint64_t a = rng.below(kObjects), b = (a + 1 + rng.below(kObjects - 1)) % kObjects;
    std::uint64_t c = rng.below(kObjects);
    while (c == a || c == b) c = rng.below(kObjects);
    const bool as_is = std::abs(place(a) - place(b)) < std::abs(place(a) - place(c));
    out += std::to_string(a) + "," + std::to_string(as_is ? b : c) + "," + std::to_string(as_is ? c : b) + "\n";
  }
  return out;
}

}  // namespace

Scenario run_scenario() {
  Scenario out("run", {"run", "c.toml", "--out", "r"});
  out.again = {"run", "c.toml", "--out", "r", "--retry-failed"};
  write_text(out.before->path() / "c.toml", kConfig);
  out.outcome = [](const fs::path& folder) { return results_in(folder / "r"); };
  return out;
}

Scenario resume_scenario() {
  Scenario out = run_scenario();
  out.name = "run, resumed";
  must_run({"run", "c.toml", "--out", "r", "--set", "repeats=1"}, out.before->path());
  const fs::path results = out.before->path() / "r";
  out.lost = [results](const fs::path& folder) -> std::string {
    if (!fs::exists(folder / "r" / kRowsFile)) return "all rows are lost";
    const auto had = comparable(results), has = comparable(folder / "r");
    const Outcome files = finished_files_in(results), left = finished_files_in(folder / "r");
    for (const auto& [id, row] : had)
      if (!has.contains(id) || has.at(id) != row) return "row " + id + " is lost";
    for (const auto& [name, content] : files)
      if (!left.contains(name) || left.at(name) != content) return name + " is lost";
    return "";
  };
  return out;
}

Scenario two_jobs_scenario() {
  Scenario out = run_scenario();
  out.name = "run --jobs 2";
  for (auto* words : {&out.arguments, &out.again}) words->insert(words->end(), {"--jobs", "2"});
  return out;
}

Scenario in_process_scenario() {
  Scenario out = run_scenario();
  out.name = "run --in-process";
  for (auto* words : {&out.arguments, &out.again}) words->emplace_back("--in-process");
  return out;
}

Scenario shard_scenario() {
  Scenario out = run_scenario();
  out.name = "run --shard 1/2";
  for (auto* words : {&out.arguments, &out.again}) words->insert(words->end(), {"--shard", "1/2"});
  out.outcome = [](const fs::path& folder) { return results_in(folder / "r.shard-1-of-2"); };
  return out;
}

Scenario report_scenario() {
  Scenario out("report", {"report", "r", "-o", "page.html"});
  const fs::path folder = out.before->path();
  write_text(folder / "c.toml", kConfig);
  must_run({"run", "c.toml", "--out", "r"}, folder);
  replaces_file(out, "page.html");
  const Outcome rows = results_in(folder / "r");
  out.lost = [file = out.lost, rows](const fs::path& in) {
    const std::string row = difference(results_in(in / "r"), rows);
    return row.empty() ? file(in) : row;
  };
  return out;
}

Scenario sdp_scenario() {
  Scenario out("sdp", {"sdp", "p.dat-s", "-o", "solution.txt"});
  write_text(out.before->path() / "p.dat-s", "1\n1\n2\n1\n0 1 1 1 1\n0 1 2 2 2\n1 1 1 1 1\n1 1 2 2 1\n");
  replaces_file(out, "solution.txt");
  return out;
}

Scenario init_scenario() {
  Scenario out("init", {"init", "c.toml", "--force"});
  replaces_file(out, "c.toml");
  return out;
}

Scenario embed_scenario() {
  Scenario out("embed", {"embed", "answers.csv", "--problem", "ste", "-o", "m", "--force"});
  write_text(out.before->path() / "answers.csv", some_answers());
  out.outcome = [](const fs::path& folder) { return map_in(folder / "m"); };
  return out;
}

Scenario embed_again_scenario() {
  Scenario out = embed_scenario();
  out.name = "embed, again";
  must_run({"embed", "answers.csv", "--problem", "ete", "--n-components", "3", "-o", "m"}, out.before->path());
  write_text(out.before->path() / "m/notes.txt", "my own");
  const fs::path earlier = out.before->path() / "m";
  const fs::path place = restarted(out);
  must_run(out.arguments, place);
  const Outcome old_map = map_in(earlier), new_map = map_in(place / "m");
  out.lost = [old_map, new_map](const fs::path& folder) -> std::string {
    const fs::path m = folder / "m";
    if (content_of(m / "notes.txt") != "my own") return "a file of the user is lost";
    if (!fs::exists(m / kRowsFile)) return "the row is lost";
    const Outcome now = map_in(m);
    for (const char* name : {"embedding.csv", "embedding.npy"})
      if (!now.contains(name) || (now.at(name) != old_map.at(name) && now.at(name) != new_map.at(name)))
        return std::string(name) + " is neither the earlier map nor the new one";
    return "";
  };
  return out;
}

Scenario merge_scenario() {
  Scenario out("merge", {"merge", "r.shard-2-of-3", "r.shard-3-of-3"});
  const fs::path folder = out.before->path();
  write_text(folder / "c.toml", kShardConfig);
  for (const char* shard : {"1", "2", "3"})
    must_run({"run", "c.toml", "--out", "r", "--shard", std::string(shard) + "/3"}, folder);
  const Ended first = run_command("merge r.shard-1-of-3", folder);
  REQUIRE(first.status == 1);  // the other two are missing
  out.outcome = [](const fs::path& in) { return results_in(in / "r"); };
  const fs::path merged = folder / "r";
  out.lost = [merged](const fs::path& in) { return missing_results(merged, in / "r"); };
  return out;
}

Scenario repair_scenario() {
  Scenario out("repair", {"repair", "r"});
  const fs::path folder = out.before->path();
  write_text(folder / "c.toml", kConfig);
  must_run({"run", "c.toml", "--out", "r", "--set", "repeats=1"}, folder);
  must_run({"run", "c.toml", "--out", "r"}, folder);
  const Outcome whole = results_in(folder / "r");
  const fs::path rows = folder / "r" / kRowsFile;
  std::vector<std::string> lines = lines_of(content_of(rows));
  REQUIRE(lines.size() == 4);
  std::vector<std::string> ids;
  for (const ValueTable& row : read_rows(folder / "r")) ids.push_back(text_field(row, "run_id"));
  lines[1] = "garbage";
  write_text(rows, lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n" + lines[3] + "\n");
  fs::resize_file(folder / "r/embeddings" / (ids[2] + ".csv"), 30);
  fs::remove(folder / "r/traces" / (ids[3] + ".json"));
  const fs::path log = folder / "r/logs" / (ids[0] + ".log"), manifest = folder / "r" / kManifestFile;
  std::string text = content_of(log);
  text.front() ^= 1;
  write_text(log, text);
  const std::string first_entry = text_field(read_manifest(folder / "r").front(), "id");
  text = content_of(manifest);
  text[text.find("\"written\": \"") + 12] ^= 1;  // of the last entry
  write_text(manifest, text);
  out.outcome = [](const fs::path& in) { return results_in(in / "r"); };
  const std::string kept = lines[0];
  out.lost = [whole, ids, kept, first_entry](const fs::path& in) -> std::string {
    const fs::path r = in / "r";
    if (content_of(r / kManifestFile).find(first_entry) == std::string::npos) return "an entry of the manifest is lost";
    if (content_of(r / kRowsFile).find(kept) == std::string::npos) return "the whole row is lost";
    const Outcome files = finished_files_in(r);
    for (const std::string& name : {ids[0] + ".csv", ids[0] + ".npy", ids[0] + ".json"})
      if (!files.contains(name) || files.at(name) != whole.at(name)) return name + " is lost";
    const fs::path map = r / "embeddings" / (ids[2] + ".csv");
    if (!fs::exists(map.string() + ".damaged-1") && !fs::exists(map)) return "the changed map is lost";
    if (content_of(r / kRowsFile).find("garbage") == std::string::npos &&
        (!fs::exists(r / "runs.jsonl.bad") || content_of(r / "runs.jsonl.bad").find("garbage") == std::string::npos))
      return "the bad line is lost";
    return "";
  };
  return out;
}

Scenario fetch_scenario(const fs::path& data) {
  const auto server = std::make_shared<HttpServer>([data](const HttpRequest& request, int) {
    const fs::path file = data / request.target.substr(1);
    if (!fs::is_regular_file(file)) return HttpReply{.status = 404};
    return served(request, content_of(file));
  });
  Scenario out("data fetch", {"data", "fetch", "zoo", "--from", server->url(), "--retries", "1", "--data", "d"});
  out.server = server;
  out.outcome = [](const fs::path& folder) {
    Outcome files;
    if (fs::exists(folder / "d"))
      for (const std::string& name : names_in(folder / "d"))
        if (fs::is_regular_file(folder / "d" / name) && name.find(".part") == std::string::npos)
          files[name] = content_of(folder / "d" / name);
    return files;
  };
  return out;
}

fs::path emptied(const Scenario& scenario) {
  const fs::path folder = fs::canonical(scenario.place->path());
  for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
  return folder;
}

fs::path restarted(const Scenario& scenario) {
  const fs::path folder = emptied(scenario);
  fs::copy(scenario.before->path(), folder, fs::copy_options::recursive);
  return folder;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    out.push_back(entry.path().lexically_relative(folder).string());
  std::ranges::sort(out);
  return out;
}

Expected undisturbed(const Scenario& scenario) {
  const fs::path folder = restarted(scenario);
  must_run(scenario.arguments, folder);
  Expected out{scenario.outcome(folder), names_in(folder)};
  REQUIRE(!out.outcome.empty());
  return out;
}

std::string difference(const Outcome& outcome, const Outcome& expected) {
  for (const auto& [name, content] : expected) {
    const auto place = outcome.find(name);
    if (place == outcome.end()) return name + " is missing";
    if (place->second == content) continue;
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(content, place->second).in1 - content.begin());
    const std::size_t from = at < 30 ? 0 : at - 30;
    return name + " has '" + place->second.substr(from, 80) + "', not '" + content.substr(from, 80) + "'";
  }
  for (const auto& [name, content] : outcome)
    if (!expected.contains(name)) return name + " is too much";
  return "";
}

void check_given_again(const Scenario& scenario, const Expected& expected, const fs::path& folder, Logs logs) {
  const Ended ended = run_command(scenario.again, folder);
  INFO("given again: ", ended.out, ended.err);
  CHECK(ended.status == 0);
  CHECK(difference(scenario.outcome(folder), expected.outcome) == "");
  const auto named = [&](const std::vector<std::string>& names) {
    Outcome out;
    for (const std::string& name : names)
      if (logs == Logs::kept || !name.ends_with(".log")) out[name] = "";
    return out;
  };
  const Outcome left = named(names_in(folder)), due = named(expected.names);
  CHECK(difference(left, due) == "");
}

void check_said(const Ended& ended) {
  CHECK((ended.status == 0 || ended.status == 1 || ended.status == 2));
  std::size_t told = 0;
  for (const std::string& line : lines_of(ended.err)) {
    if (line.starts_with("alidade: ")) ++told;
    for (const char* inside : {"terminate called", "what():", "std::", "basic_", "filesystem error", "Assertion"})
      CHECK_MESSAGE(line.find(inside) == std::string::npos, line);
  }
  CHECK(told <= 1);
  if (ended.status == 2) CHECK(told == 1);
  if (ended.status == 1) CHECK(!(ended.out + ended.err).empty());
}

}  // namespace alidade::testing
