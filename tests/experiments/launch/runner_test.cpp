#include "experiments/launch/runner.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/results_folder.hpp"
#include "experiments/results/row.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/loaded_data.hpp"
#include "experiments/run/run.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/run_clock.hpp"
#include "tests/support/child_processes.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/forked_command.hpp"
#include "tests/support/held_run.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/row_fields.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/small_disk.hpp"
#include "tests/support/small_experiments.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/wait_until.hpp"

namespace runner_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

bool never() { return false; }

Experiment experiment(const std::string& text) { return interpret(parse_config(text, "c.toml")); }

const std::string kSmall = R"(
name = "small"
seed = 5
repeats = 2
[[dataset]]
name = "europe"
triplets = 400
)" + std::string(kQuickMethods);

RunnerOptions into(const fs::path& folder, int jobs = 1) {
  RunnerOptions out;
  out.folder = folder;
  out.data_folder = folder / "no data";
  out.jobs = jobs;
  return out;
}

RunnerReport run(const Experiment& e, const RunnerOptions& options) { return run_experiment(e, options, never); }

std::string refusal(const Experiment& e, const RunnerOptions& options) {
  return message_of<Error>([&] { return run(e, options); });
}

/// Triplets of points on a line, in a file with a header.
void write_triplets(const fs::path& file, int objects, int count) {
  std::string text = "anchor,near,far\n";
  Rng rng(11);
  for (int i = 0; i < count; ++i) {
    const auto a = static_cast<int>(rng.below(static_cast<std::uint64_t>(objects - 2)));
    const auto b = a + 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(objects - 2 - a)));
    text += "p" + std::to_string(a) + ",p" + std::to_string(b) + ",p" + std::to_string(b + 1) + "\n";
  }
  write_text(file, text);
}

std::string own_data(const fs::path& file, const std::string& more = "") {
  return "name = \"own\"\n" + more + "[[dataset]]\nname = \"triplets\"\nfile = '" + file.string() +
         "'\n[[method]]\nproblem = \"ste\"\nsolver = { name = \"ceres\", max_iter = 10 }\n";
}

/// Ends only when it is told to, or when its time is over. Its log tells of each start.
const std::string kEndlessSolver = "solver = { name = \"riemannian_sgd\", max_iter = 50, n_init = 1000000000 }\n";

/// How many runs have solved from one start at least, which their logs in a folder of results tell.
std::size_t solving(const fs::path& folder) {
  std::error_code ignored;
  std::size_t out = 0;
  for (const auto& log : fs::directory_iterator(folder / "logs", ignored))
    if (content_of(log.path()).find("start 1 of") != std::string::npos) ++out;
  return out;
}

std::size_t row_count(const fs::path& folder) { return lines_of(content_of(folder / kRowsFile)).size(); }

/// Waits for so many rows.
bool wait_for_rows(const fs::path& folder, std::size_t count) {
  return wait_until([&] { return row_count(folder) >= count; });
}

/// The process of the only run that is under way; waits until it has begun. What is removed before may end the command
/// without it. @pre that run does not end by itself, and earlier ones have their rows
pid_t only_run(const Command& command) {
  std::vector<pid_t> children;
  REQUIRE(wait_until([&] { return (children = children_of(command.pid())).size() == 1; }));
  return children.front();
}

}  // namespace

TEST_CASE("rows, maps and traces do not depend on jobs, threads or processes") {
  const ScratchFolder scratch;
  // More triplets than one chunk of a parallel sum holds.
  const Experiment e = interpret([] {
    ValueTable config = parse_config(kSmall, "c.toml");
    apply_override(config, "dataset.0.triplets=40000");
    return config;
  }());
  const fs::path first = scratch / "jobs 1";
  const RunnerReport report = run(e, into(first));
  CHECK(report.planned == 4);
  CHECK(report.ok == 4);
  CHECK(report.failed + report.skipped + report.resumed == 0);
  CHECK_FALSE(report.interrupted);
  const auto expected = comparable(first);
  CHECK(expected.size() == 4);
  for (const auto& [name, jobs, threads, in_process] :
       std::vector<std::tuple<std::string, int, int, bool>>{{"jobs 2", 2, 1, false},
                                                            {"jobs 3, threads 2", 3, 2, false},
                                                            {"threads 2", 1, 2, false},
                                                            {"in process", 1, 1, true},
                                                            {"in process, threads 2", 1, 2, true}}) {
    CAPTURE(name);
    RunnerOptions options = into(scratch / name, jobs);
    options.threads = threads;
    options.in_process = in_process;
    CHECK(run(e, options).ok == 4);
    CHECK(comparable(options.folder) == expected);
    CHECK(comparable_files(options.folder) == comparable_files(first));
    for (const auto& [id, row] : rows_in(options.folder)) CHECK(number_field(row, "threads") == threads);
  }
}

TEST_CASE("a row has all its fields in this order, however the run ended") {
  const ScratchFolder scratch;
  static_cast<void>(run(experiment(kSmall), into(scratch / "good")));
  static_cast<void>(run(experiment(own_data(scratch / "missing.csv")), into(scratch / "bad")));
  const std::string fields =
      "schema run_id plan_index experiment status termination message dataset method problem solver repeat fold "
      "seed n triplets heldout_triplets n_components metrics objective initial_objective best_objective "
      "gradient_norm violations certificate estimates counts seconds memory_mb threads via chosen matching "
      "uncertainty heldout refit apart notes warnings files ";
  for (const auto& [folder, more] :
       {std::pair("good", "split_digest heldout_digest made_by check"), {"bad", "made_by check"}})
    for (const auto& [id, row] : rows_in(scratch / folder)) CHECK(join(row.keys(), " ") == fields + more);
  for (const auto& [id, row] : rows_in(scratch / "good")) {
    CHECK(text_field(row, "status") == "ok");
    CHECK(number_field(row, "n") == 121);
    CHECK(number_field(row, "triplets") == 320);
    CHECK(number_field(row, "heldout_triplets") == 80);
    CHECK(number_field(row, "n_components") == 2);
    CHECK(number_field(row, "seconds.solve") > 0);
    CHECK(number_field(row, "seconds.total") >= number_field(row, "seconds.solve"));
    CHECK(number_field(row, "memory_mb") > 1);
    CHECK(*number_field(row, "metrics.train_error") < 0.5);
    for (const char* file : {"files.trace", "files.log"})
      CHECK(fs::is_regular_file(scratch / "good" / text_field(row, file)));
    for (const char* end : {".csv", ".npy"}) CHECK(fs::is_regular_file(scratch / "good/embeddings" / (id + end)));
  }
  // What is written beside the rows.
  const fs::path good = scratch / "good";
  CHECK(to_toml(resolved_config(experiment(kSmall))) == content_of(good / "config.resolved.toml"));
  const Value manifest = parse_json(content_of(good / "manifest.json"), "manifest.json");
  CHECK(text_field(*manifest.get_if<ValueTable>(), "experiment") == "small");
  for (const std::string& line : inventory(good)) CHECK(line.find(".part") == std::string::npos);
}

TEST_CASE("data, split and start are the same for all methods, and fresh for each repeat") {
  const ScratchFolder scratch;
  // Two methods that do nothing: what is measured is the start.
  const Experiment e = experiment(R"(
name = "starts"
repeats = 2
[[dataset]]
name = "europe"
triplets = 400
[[method]]
problem = "ste"
solver = { name = "ceres", max_iter = 1 }
[[method]]
id = "again"
problem = "ste"
solver = { name = "ceres", max_iter = 1 }
)");
  static_cast<void>(run(e, into(scratch)));
  std::map<std::pair<std::string, std::string>, ValueTable> rows;
  for (auto& [id, row] : rows_in(scratch)) rows[{text_field(row, "repeat"), text_field(row, "method")}] = row;
  REQUIRE(rows.size() == 4);
  for (const char* repeat : {"0", "1"})
    for (const char* field : {"initial_objective", "objective", "metrics.heldout_error"})
      CHECK(text_field(rows.at({repeat, "again"}), field) == text_field(rows.at({repeat, "ste / ceres"}), field));
  CHECK(text_field(rows.at({"0", "again"}), "initial_objective") !=
        text_field(rows.at({"1", "again"}), "initial_objective"));
}

TEST_CASE("a run interrupted anywhere resumes to the rows of an uninterrupted one") {
  const ScratchFolder scratch;
  const Experiment e = experiment(kSmall);
  static_cast<void>(run(e, into(scratch / "whole")));
  const auto expected = comparable(scratch / "whole");
  const std::string text = content_of(scratch / "whole" / kRowsFile);
  const fs::path folder = scratch / "cut";
  fs::copy(scratch / "whole", folder, fs::copy_options::recursive);

  struct Cut {
    std::size_t bytes, kept;
  };
  std::vector<Cut> cuts = {{0, 0}};
  std::size_t begin = 0, line = 0;
  for (const std::string& row : lines_of(text)) {
    for (const std::size_t at : {std::size_t{1}, row.size() / 2, row.size() - 1}) cuts.push_back({begin + at, line});
    ++line;
    cuts.push_back({begin + row.size(), line});      // whole, but for its newline
    cuts.push_back({begin + row.size() + 1, line});  // whole
    begin += row.size() + 1;
  }
  REQUIRE(cuts.size() == 21);
  for (const auto& [bytes, kept] : cuts) {
    CAPTURE(bytes);
    write_text(folder / kRowsFile, text.substr(0, bytes));
    const RunnerReport report = run(e, into(folder, 2));
    CHECK(report.resumed == kept);
    CHECK(report.ok == 4 - kept);
    CHECK(comparable(folder) == expected);
    const std::vector<std::string> lines = lines_of(content_of(folder / kRowsFile));
    CHECK(lines.size() == 4);
    for (std::size_t i = 0; i < kept; ++i) CHECK(lines.at(i) == lines_of(text).at(i));
  }
}

TEST_CASE("a broken row among others is refused with its line, and nothing changes") {
  const ScratchFolder scratch;
  const Experiment e = experiment(kSmall);
  static_cast<void>(run(e, into(scratch)));
  std::vector<std::string> lines = lines_of(content_of(scratch / kRowsFile));
  write_text(scratch / kRowsFile, lines[0] + "\n" + lines[1].substr(0, 50) + "\n" + lines[2] + "\n");
  const auto before = inventory(scratch);
  CHECK(refusal(e, into(scratch)).find("runs.jsonl:2: ") != std::string::npos);
  CHECK(inventory(scratch) == before);
}

TEST_CASE("an extended experiment runs only its new runs, and one with another name is refused") {
  const ScratchFolder scratch;
  static_cast<void>(run(experiment(kSmall), into(scratch)));
  const auto before = comparable(scratch);
  const RunnerReport report =
      run(experiment(kSmall + "[[method]]\nproblem = \"tste\"\nsolver = { name = \"ceres\", max_iter = 5 }\n"),
          into(scratch));
  CHECK(report.planned == 6);
  CHECK(report.resumed == 4);
  CHECK(report.ok == 2);
  const auto after = comparable(scratch);
  CHECK(after.size() == 6);
  for (const auto& [id, row] : before) CHECK(after.at(id) == row);

  Experiment other = experiment(kSmall);
  other.name = "other";
  const auto inventory_before = inventory(scratch);
  CHECK(refusal(other, into(scratch)).find("'small', but this one is 'other'") != std::string::npos);
  CHECK(inventory(scratch) == inventory_before);
}

TEST_CASE("a run whose data are missing fails with the reason and is tried again each time") {
  const ScratchFolder scratch;
  const fs::path data = scratch / "answers.csv", folder = scratch / "results";
  const Experiment e = experiment(own_data(data));
  for (int trial = 0; trial < 2; ++trial) {
    const RunnerReport report = run(e, into(folder));
    CHECK(report.failed == 1);
    CHECK(report.resumed == 0);
    const ValueTable row = rows_in(folder).begin()->second;
    CHECK(text_field(row, "status") == "failed");
    CHECK(text_field(row, "termination") == "not_started");
    CHECK(text_field(row, "message").find("answers.csv' cannot be read") != std::string::npos);
  }
  write_triplets(data, 8, 60);
  CHECK(run(e, into(folder)).ok == 1);
  CHECK(text_field(rows_in(folder).begin()->second, "status") == "ok");
  CHECK(run(e, into(folder)).resumed == 1);
}

TEST_CASE("runs that a shorter time limit ended are done again, others are not") {
  const ScratchFolder scratch;
  Experiment e = experiment(kSmall);
  const RunnerReport first = run(e, into(scratch));
  REQUIRE(first.ok > 0);
  // As if the solves had met a limit of 10 s.
  std::string lines;
  for (auto& [id, row] : rows_in(scratch)) {
    row.erase("check");
    row.set("termination", "time_limit");
    row.find("seconds")->get_if<ValueTable>()->set("total", 10.1);
    lines += with_checksum(to_json(row)) + "\n";
  }
  write_text(scratch / kRowsFile, lines);
  e.timeout_seconds = 10;
  CHECK(run(e, into(scratch)).resumed == first.ok);
  e.timeout_seconds = 60;
  const RunnerReport longer = run(e, into(scratch));
  CHECK(longer.ok == first.ok);
  REQUIRE(longer.notes.size() == 1);
  CHECK(holds_all(longer.notes[0], {"ended by a shorter time limit before", "done again"}));
  std::vector<std::string> notes;
  for (const ValueTable& row : read_rows(scratch, &notes)) CHECK(text_field(row, "termination") != "time_limit");
  CHECK(notes.empty());
  CHECK(run(e, into(scratch)).resumed == first.ok);
}

TEST_CASE("runs on other data are other runs, which is said, and a resolved config takes only its own data") {
  const ScratchFolder scratch;
  const fs::path data = scratch / "answers.csv", folder = scratch / "results";
  write_triplets(data, 8, 60);
  const Experiment e = experiment(own_data(data));
  CHECK(run(e, into(folder)).ok == 1);
  const std::string resolved = content_of(folder / kConfigFile), first = content_of(data);
  CHECK(run(e, into(folder)).resumed == 1);
  write_triplets(data, 9, 70);
  const RunnerReport report = run(e, into(folder));
  CHECK(report.ok == 1);
  CHECK(report.resumed == 0);
  CHECK(report.unplanned == 0);
  REQUIRE(report.notes.size() == 1);
  CHECK(holds_all(report.notes[0], {"1 run on other data", "files of 'triplets' have changed", "--out"}));
  const std::vector<Row> rows = read_rows(folder);
  REQUIRE(rows.size() == 2);
  CHECK(number_field(rows[0], "n") == 8.0);
  CHECK(number_field(rows[1], "n") == 9.0);
  CHECK(text_field(rows[0], "dataset.content") != text_field(rows[1], "dataset.content"));
  const Experiment old = experiment(resolved);
  CHECK(holds_all(refusal(old, into(folder)), {"'triplets' hold other data", "Restore them", "`content`"}));
  write_text(data, first);
  CHECK(run(old, into(folder)).resumed == 1);
}

TEST_CASE("runs done by another program are noted when others follow") {
  const ScratchFolder scratch;
  const Experiment e = experiment(kSmall);
  RunnerOptions half = into(scratch);
  half.shard = Shard{1, 2};
  const RunnerReport begun = run(e, half);
  CHECK(begun.ok > 0);
  CHECK(begun.notes.empty());
  std::string manifest = content_of(scratch / kManifestFile);
  const std::string key = "\"instruction_set\": \"";
  const std::size_t at = manifest.find(key);
  REQUIRE(at != std::string::npos);
  manifest.insert(at + key.size(), "other ");
  write_text(scratch / kManifestFile, manifest);
  const RunnerReport report = run(e, into(scratch));
  CHECK(report.resumed == begun.ok);
  REQUIRE(report.notes.size() == 2);
  CHECK(holds_all(report.notes[0], {"file was changed after it was written, such as manifest.json"}));
  CHECK(holds_all(report.notes[1], {"done before by alidade ", "other ", "; this is alidade ", "Digits may differ."}));
}

TEST_CASE("a failed run keeps its row, and is tried again on request") {
  const ScratchFolder scratch;
  const fs::path data = scratch / "answers.csv", folder = scratch / "results";
  write_triplets(data, 6, 4);
  const Experiment e = experiment(own_data(data, "[split]\nfolds = 5\n"));  // four triplets
  RunnerReport report = run(e, into(folder));
  CHECK(report.failed == 5);
  CHECK(report.failed_before == 0);
  for (const auto& [id, row] : rows_in(folder)) {
    CHECK(text_field(row, "status") == "failed");
    CHECK(holds_all(text_field(row, "message"), {"4 triplets", "5 folds"}));
    CHECK(fs::is_regular_file(folder / text_field(row, "files.log")));
  }
  report = run(e, into(folder));
  CHECK(report.failed == 0);
  CHECK(report.resumed == 5);
  CHECK(report.failed_before == 5);
  RunnerOptions retry = into(folder);
  retry.retry_failed = true;
  report = run(e, retry);
  CHECK(report.failed == 5);
  CHECK(report.failed_before == 0);
  write_triplets(data, 6, 40);  // with other answers they are other runs
  report = run(e, into(folder));
  CHECK(report.ok == 5);
  CHECK(report.failed_before == 0);
}

TEST_CASE("folds are runs that hold out every triplet once") {
  const ScratchFolder scratch;
  write_triplets(scratch / "t.csv", 8, 50);
  const Experiment e = experiment(own_data(scratch / "t.csv", "repeats = 2\n[split]\nfolds = 3\n"));
  CHECK(run(e, into(scratch / "r")).ok == 6);
  std::map<std::string, double> held;
  std::set<std::string> folds;
  for (const auto& [id, row] : rows_in(scratch / "r")) {
    CHECK(*number_field(row, "triplets") + *number_field(row, "heldout_triplets") == 50);
    held[text_field(row, "repeat")] += *number_field(row, "heldout_triplets");
    folds.insert(text_field(row, "repeat") + "." + text_field(row, "fold"));
  }
  CHECK(held == std::map<std::string, double>{{"0", 50}, {"1", 50}});
  CHECK(folds == std::set<std::string>{"0.0", "0.1", "0.2", "1.0", "1.1", "1.2"});
}

TEST_CASE("a run that reaches its time limit is measured at its last iterate") {
  const Experiment e = experiment(R"(
name = "slow"
timeout = "300ms"
[[dataset]]
name = "europe"
[[method]]
problem = "ste"
solver = { name = "riemannian_sgd", max_iter = 1000000000 }
)");
  const std::vector<PlannedRun> runs = plan(e);
  LoadedData data(e, runs, "no data");
  RunClock::ByHand clock;
  Index seen = 0;
  RunRequest request{e, runs.front(), data.get(runs.front()).observations.value(), 0.0, 1, {}};
  request.progress = [&](const TraceRecord& record) {
    seen = record.iteration;
    if (seen >= 20) clock.advance(std::chrono::milliseconds(400));
  };
  const RunResult result = execute(request);
  CHECK(text_field(result.row, "status") == "ok");
  CHECK(text_field(result.row, "termination") == "time_limit");
  CHECK(number_field(result.row, "counts.iterations").value() >= 20);
  CHECK(result.trace.back().iteration >= seen);
  // 0.027 with kernels of AVX-512, AVX2 and SSE2, after 50 iterations.
  CHECK(*number_field(result.row, "metrics.heldout_error") < 0.5);
}

TEST_CASE("a run that reaches its time limit has a row that stays") {
  const ScratchFolder scratch;
  const Experiment e = experiment(
      "name = \"slow\"\ntimeout = \"300ms\"\n[[dataset]]\nname = \"europe\"\n[[method]]\n"
      "problem = \"ste\"\n" +
      kEndlessSolver);
  RunClock::ByHand clock;
  bool late = false;
  const RunnerReport report = run_experiment(e, into(scratch), [&] {
    if (!late && solving(scratch) == 1) {
      late = true;
      clock.advance(std::chrono::milliseconds(400));
    }
    return false;
  });
  CHECK(report.ok == 1);
  const ValueTable row = rows_in(scratch).begin()->second;
  CHECK(text_field(row, "status") == "ok");
  CHECK(text_field(row, "termination") == "time_limit");
  // 0.022 with kernels of AVX-512, AVX2 and SSE2.
  CHECK(*number_field(row, "metrics.heldout_error") < 0.5);
  CHECK(run(e, into(scratch)).resumed == 1);
}

TEST_CASE("a run that exceeds its memory limit gives a failed row") {
#ifdef ALIDADE_SANITIZED
  MESSAGE("skipped: sanitizers reserve terabytes of address space, so that it can not be limited");
#else
  const ScratchFolder scratch;
  const Experiment e = experiment(R"(
name = "greedy"
memory = "16MB"
[[dataset]]
name = "europe"
triplets = 400
[[method]]
problem = { name = "ste", n_components = [2, 10000] }
solver = { name = "ceres", max_iter = 3 }
)");
  const RunnerReport report = run(e, into(scratch));
  CHECK(report.ok == 1);
  CHECK(report.failed == 1);
  for (const auto& [id, row] : rows_in(scratch))
    if (text_field(row, "problem.options.n_components") == "10000")
      CHECK(holds_all(text_field(row, "message"), {"memory limit of 16 MB"}));
#endif
}

TEST_CASE("a memory limit below what BLAS takes fails for memory or not at all, and never waits for the time limit" *
          alidade::testing::needs_csdp()) {
#ifdef ALIDADE_SANITIZED
  MESSAGE("skipped: sanitizers reserve terabytes of address space, so that it can not be limited");
#else
  const ScratchFolder scratch;
  const Experiment e = experiment(R"(
name = "blas"
memory = "100MB"
timeout = "100s"
[[dataset]]
name = "star"
[[dataset]]
name = "s_curve"
n = 200
[[method]]
problem = "psde"
solver = "csdp"
[[method]]
problem = "isomap"
solver = "eigen_dense"
)");
  const RunClock::ByHand clock;  // stands still: a run that waited for its limit would never end
  run(e, into(scratch));
  int done = 0;
  for (const auto& [id, row] : rows_in(scratch)) {
    if (text_field(row, "status") == "skipped") continue;
    CAPTURE(text_field(row, "message"));
    ++done;
    CHECK((text_field(row, "status") == "ok" || holds_all(text_field(row, "message"), {"memory limit"})));
  }
  CHECK(done >= 1);
#endif
}

TEST_CASE("rows that are removed during a run end it, are kept, and are taken up again") {
  const ScratchFolder scratch;
  const std::string config = std::string("name = \"gone\"\nrepeats = 10\n") + kSmallData + kQuickMethods;
  write_text(scratch / "c.toml", config);
  const fs::path folder = scratch / "r", rows = folder / kRowsFile;
  hold_run(folder, plan(experiment(config))[5].id);
  Command command({"run", "c.toml", "--out", "r"}, scratch);
  REQUIRE(wait_for_rows(folder, 5));
  const pid_t held = only_run(command);
  fs::remove(rows);
  ::kill(held, SIGKILL);
  const Ended ended = command.wait();
  CAPTURE(ended.err);
  CHECK(ended.status == 2);
  CHECK(holds_all(ended.err, {"removed or replaced"}));
  std::vector<fs::path> kept;
  for (const auto& entry : fs::directory_iterator(scratch / "r"))
    if (entry.path().filename().string().find(".aside-") != std::string::npos) kept.push_back(entry.path());
  REQUIRE(kept.size() == 1);
  const std::size_t count = lines_of(content_of(kept[0])).size();
  CHECK(count >= 3);
  fs::rename(kept[0], rows);
  CHECK(read_row_file(rows).rows.size() == count);
  CHECK(read_row_file(rows).notes.empty());
}

TEST_CASE("a results folder that is removed during a run is missed, even after the last row") {
  const ScratchFolder path;
  const auto ends_loudly = [&](Command& command) {
    const Ended ended = command.wait();
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(holds_all(ended.err, {"while this command wrote to it", "the same command again"}));
    CHECK(ended.err.find("make room") == std::string::npos);
  };
  SUBCASE("between rows") {
    const std::string config = std::string("name = \"gone\"\n") + kSmallData +
                               "[[method]]\nproblem = \"ste\"\nsolver = { name = \"ceres\", max_iter = 15 }\n"
                               "[[method]]\nproblem = \"ete\"\n" +
                               kEndlessSolver;
    write_text(path / "c.toml", config);
    const fs::path second = path / "r" / "logs" / (plan(experiment(config))[1].id + ".log");
    Command command({"run", "c.toml", "--out", "r"}, path);
    REQUIRE(wait_until([&] { return content_of(second).find("start 1 of") != std::string::npos; }));
    REQUIRE(row_count(path / "r") == 1);
    const pid_t held = only_run(command);
    fs::rename(path / "r", path / "elsewhere");
    ::kill(held, SIGKILL);
    ends_loudly(command);
  }
  SUBCASE("after the last") {
    const Experiment e = experiment(kSmall);
    ResultsFolder folder(path / "r", e, plan(e), false, {"alidade", "run"});
    folder.append(R"({"schema":1})");
    CHECK_NOTHROW(folder.require_rows());
    fs::remove_all(path / "r");
    CHECK_THROWS_WITH_AS(folder.require_rows(), doctest::Contains("r was removed while"), DataError);
  }
}

TEST_CASE("options that can not be are refused before anything is written") {
  const ScratchFolder scratch;
  const fs::path folder = scratch / "a" / "b";
  const Experiment e = experiment(kSmall);
  for (const int number : {0, -3, 513, 1 << 30}) {
    RunnerOptions jobs = into(folder, number), threads = into(folder);
    threads.threads = number;
    CHECK(refusal(e, jobs) == "--jobs must be a whole number in [1, 512], not " + std::to_string(number) + ".");
    CHECK(refusal(e, threads) == "--threads must be a whole number in [1, 512], not " + std::to_string(number) + ".");
  }
  CHECK_FALSE(fs::exists(scratch / "a"));
}

TEST_CASE("a folder that cannot be made, or is in use, is refused, and nothing is left behind") {
  const ScratchFolder scratch;
  const Experiment e = experiment(kSmall);
  write_text(scratch / "plain", "text");
  auto before = inventory(scratch);
  CHECK(refusal(e, into(scratch / "plain")).find("plain") != std::string::npos);
  CHECK(refusal(e, into(scratch / "plain" / "x")).find("Not a directory") != std::string::npos);
  CHECK(inventory(scratch) == before);

  const fs::path used = scratch / "used";
  static_cast<void>(run(e, into(used)));
  const LineFile held(used / kRowsFile);
  before = inventory(scratch);
  CHECK(refusal(e, into(used)).find("Another alidade is writing") != std::string::npos);
  CHECK(inventory(scratch) == before);
}

TEST_CASE("a folder of which it cannot be known what it has is refused, and keeps all of it") {
  const ScratchFolder scratch;
  const fs::path folder = scratch / "r";
  fs::create_directory(folder);
  fs::create_symlink("runs.jsonl", folder / kRowsFile);  // leads to itself, so that nobody can say what it is
  CHECK(refusal(experiment(kSmall), into(folder)).find("Cannot read") != std::string::npos);
  CHECK(fs::is_symlink(folder / kRowsFile));
}

TEST_CASE("on a full disk an experiment does not start, and a running one stops with whole rows and resumes later") {
  const SmallDisk disk(256);
  if (!disk.mounted()) {
    MESSAGE("skipped: can not mount a small disk (" << disk.why_not() << ")");
    return;
  }
  const ScratchFolder scratch;
  const Experiment e = experiment(kSmall);
  static_cast<void>(run(e, into(scratch / "whole")));
  disk.fill();
  const auto before = inventory(disk.path());
  CHECK(refusal(e, into(disk.path() / "new" / "results")).find("No space left on device") != std::string::npos);
  CHECK(inventory(disk.path()) == before);

  const fs::path folder = disk.path() / "results";
  int stopped = 0;
  for (const std::uintmax_t room : {20'000U, 40'000U, 50'000U, 60'000U, 80'000U}) {
    CAPTURE(room);
    fs::remove_all(folder);
    disk.fill(room);
    const std::string message = refusal(e, into(folder, 2));
    if (message != "(no error)") {
      ++stopped;
      CHECK(holds_all(message, {"No space left on device"}));
      // All rows that are there are whole and good: no run failed for want of room.
      if (fs::exists(folder / kRowsFile)) {
        const RowFile rows = read_row_file(folder / kRowsFile);
        CHECK(rows.notes.empty());
        CHECK_FALSE(rows.needs_newline);
        for (const ValueTable& row : rows.rows) CHECK(text_field(row, "status") == "ok");
      }
    }
    fs::remove(disk.path() / "filler");
    static_cast<void>(run(e, into(folder)));
    CHECK(comparable(folder) == comparable(scratch / "whole"));
  }
  CHECK(stopped >= 2);
}

namespace {

/// Two runs that only end when told to.
const std::string kEndless = std::string("name = \"endless\"\n") + kSmallData + "[[method]]\nproblem = \"ste\"\n" +
                             kEndlessSolver + "[[method]]\nproblem = \"ete\"\n" + kEndlessSolver;

}  // namespace

// Before other calls: tests/faults/killed_run_test.cpp and power_loss_test.cpp; at random moments: endurance_test.cpp.
TEST_CASE("a command killed while runs write their maps resumes, when repeated, to the rows of an uninterrupted one") {
  const ScratchFolder scratch{{"c.toml", kManyRuns}};
  run_well("run c.toml --out whole --jobs 2", scratch);
  const auto expected = comparable(scratch / "whole");
  REQUIRE(expected.size() == 24);
  const std::vector<PlannedRun> runs = plan(experiment(kManyRuns));
  for (const std::size_t jobs : {1U, 2U}) {
    CAPTURE(jobs);
    const std::string out = "killed " + std::to_string(jobs);
    const fs::path folder = scratch / out;
    const std::vector<std::string> arguments = {"run", "c.toml", "--out", out, "--jobs", std::to_string(jobs)};
    for (const std::size_t reached : {0U, 1U, 5U, 6U, 13U, 22U}) {
      CAPTURE(reached);
      // As many runs as there are jobs are held, and the command with them; all before have their rows.
      std::vector<fs::path> held;
      for (std::size_t j = 0; j < jobs; ++j) held.push_back(hold_run(folder, runs[reached + j].id));
      Command command(arguments, scratch);
      REQUIRE(wait_for_rows(folder, reached));
      REQUIRE(wait_until([&] { return children_of(command.pid()).size() == jobs; }));
      command.send(SIGKILL);
      const Ended ended = command.wait();
      CHECK(ended.status == -SIGKILL);
      CHECK(ended.err.empty());
      CHECK(row_count(folder) == reached);
      for (const fs::path& pipe : held) fs::remove(pipe);
    }
    run_quietly(arguments, scratch);
    CHECK(comparable(folder) == expected);
    CHECK(comparable_files(folder) == comparable_files(scratch / "whole"));
    CHECK(read_row_file(folder / kRowsFile).notes.empty());
  }
}

TEST_CASE("an interrupted command says so, leaves cancelled rows and later repeats those runs") {
  const ScratchFolder scratch{{"c.toml", kEndless}};
  const fs::path folder = scratch / "r";
  const auto check = [&](const Ended& ended, std::size_t runs) {
    CHECK(ended.status == 130);
    CHECK(lines_of(ended.err).size() == 1);
    CHECK(holds_all(ended.err, {"Interrupted. Give the same command again"}));
    const auto rows = rows_in(folder);
    CHECK(rows.size() == runs);
    for (const auto& [id, row] : rows) {
      CHECK(text_field(row, "status") == "cancelled");
      CHECK(text_field(row, "termination") == "cancelled");
    }
  };
  for (const int signal : {SIGINT, SIGTERM}) {
    CAPTURE(signal);
    fs::remove_all(folder);
    for (int round = 0; round < 2; ++round) {
      fs::remove_all(folder / "logs");
      Command command({"run", "c.toml", "--out", "r", "--jobs=2"}, scratch);
      REQUIRE(wait_until([&] { return solving(folder) == 2; }));
      command.send(signal);
      check(command.wait(), 2);
    }
  }
  // In one process a run has to stop by itself, for which it has the grace.
  const RunClock::ByHand clock;
  fs::remove_all(folder);
  for (int round = 0; round < 2; ++round) {
    fs::remove_all(folder / "logs");
    commands::RunCommand request;
    request.config = "c.toml";
    request.out = "r";
    request.in_process = true;
    ForkedCommand command([&] { return commands::run(request, {"alidade", "run"}); }, scratch);
    REQUIRE(wait_until([&] { return solving(folder) == 1; }));
    command.send(SIGINT);
    check(command.wait(), 1);
  }
}

TEST_CASE("a run killed from outside gives a failed row, and the others continue") {
  const ScratchFolder scratch{
      {"c.toml", std::string("name = \"killed\"\n") + kSmallData +
                     "[[method]]\nproblem = \"ste\"\nsolver = { name = \"ceres\", max_iter = 15 "
                     "}\n[[method]]\nproblem = \"ete\"\n" +
                     kEndlessSolver +
                     "[[method]]\nproblem = \"tste\"\nsolver = { name = \"ceres\", max_iter = 15 }\n"}};
  const std::vector<std::string> arguments = {"run", "c.toml", "--out", "r", "--jobs", "2"};
  Command command(arguments, scratch);
  REQUIRE(wait_for_rows(scratch / "r", 2));  // of all but the endless one
  ::kill(only_run(command), SIGKILL);
  const Ended ended = command.wait();
  CHECK(ended.status == 1);
  CHECK(ended.err.empty());
  CHECK(holds_all(ended.out, {"3 runs: 2 ok, 1 failed"}));
  int failed = 0;
  for (const auto& [id, row] : rows_in(scratch / "r")) {
    if (text_field(row, "status") == "ok") continue;
    ++failed;
    CHECK(text_field(row, "problem.name") == "ete");
    CHECK(text_field(row, "message").find("signal 9") != std::string::npos);
  }
  CHECK(failed == 1);
  // Its row stays, and so does the exit status.
  const Ended again = run_command(arguments, scratch);
  CHECK(again.status == 1);
  CHECK(holds_all(again.out, {"--retry-failed"}));
}

}  // namespace runner_test
