// What stands around a command and is not as it should be: standard streams that are closed or full, no threads left,
// links and pipes where files should be, rows that others change, texts made to exhaust a reader.
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "experiments/results/rows.hpp"
#include "tests/faults/scenarios.hpp"
#include "tests/faults/traced_command.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/shell.hpp"

namespace hostile_surroundings_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

/// A line of the shell in which $A is the command. A command that waits for ever is killed: status 137.
Ended shell(const std::string& line, const fs::path& folder) {
  return run_line("A='timeout -s KILL 60 " + std::string(alidade_command()) + "'; " + line, folder);
}

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("what cannot be printed to standard error ends no command") {
  const Scenario scenario = run_scenario();
  const fs::path folder = restarted(scenario);
  for (const char* where : {"2>/dev/full", "2>&-"}) {
    CAPTURE(where);
    CHECK(shell(std::string("$A run nope.toml ") + where, folder).status == 2);
    CHECK(shell(std::string("$A merge nowhere.shard-1-of-2 ") + where, folder).status == 2);
  }
  CHECK(shell("$A run c.toml --out r 2>/dev/full", folder).status == 0);
  CHECK(comparable(folder / "r").size() == 4);
}

TEST_CASE("runs begun with closed standard streams are done, and none fails") {
  const Scenario scenario = run_scenario();
  const Expected expected = undisturbed(scenario);
  const fs::path folder = restarted(scenario);
  static_cast<void>(shell("$A run c.toml --out r <&- >&- 2>&-", folder));
  CHECK(difference(scenario.outcome(folder), expected.outcome) == "");
}

TEST_CASE("a run whose thread cannot start gets no row") {
  ALIDADE_NEEDS_TRACING();
  const Scenario scenario = run_scenario();
  const Expected expected = undisturbed(scenario);
  int refused = 0;
  for (int n = 1; n <= 6; ++n) {
    CAPTURE(n);
    const fs::path folder = restarted(scenario);
    int met = 0;
    const TracedEnd end = run_traced(scenario.arguments, folder, {SYS_clone3}, [&](const SystemCall& call) -> Fate {
      return call.number == SYS_clone3 && ++met == n ? Fate{Fate::Kind::refused, EAGAIN} : Fate{};
    });
    if (met < n) break;
    CHECK_FALSE(end.hung);
    check_said(end.ended);
    CHECK((end.ended.status == 0 || end.ended.status == 2));
    if (end.ended.status == 2) ++refused;
    CHECK(shell("$A run c.toml --out r", folder).status == 0);  // without --retry-failed
    CHECK(difference(scenario.outcome(folder), expected.outcome) == "");
  }
  CHECK(refused >= 4);
}

TEST_CASE("links and pipes planted where a command writes are neither followed nor waited for") {
  const Scenario scenario = run_scenario();
  const Expected expected = undisturbed(scenario);
  const std::string private_text = "private\n";
  for (const std::string name : {"manifest.json.part", "config.resolved.toml.part", "runs.jsonl.part"}) {
    for (const char* plant : {"ln -s ../private r/", "mkfifo r/"}) {
      CAPTURE(name);
      CAPTURE(plant);
      const fs::path folder = restarted(scenario);
      write_text(folder / "private", private_text);
      const Ended ended = shell("mkdir r && " + (plant + name) + " && $A run c.toml --out r", folder);
      INFO(ended.err);
      CHECK(ended.status == 0);
      CHECK(content_of(folder / "private") == private_text);
      CHECK(difference(scenario.outcome(folder), expected.outcome) == "");
    }
  }
  for (const std::string name : {"runs.jsonl", "manifest.json", "config.resolved.toml", "embeddings"}) {
    for (const char* plant : {"ln -s ../empty r/", "mkfifo r/"}) {
      CAPTURE(name);
      CAPTURE(plant);
      const fs::path folder = restarted(scenario);
      write_text(folder / "empty", "");
      const Ended ended = shell("mkdir r && " + (plant + name) + " && $A run c.toml --out r", folder);
      CHECK(ended.status == 2);
      check_said(ended);
      CHECK(content_of(folder / "empty").empty());
    }
  }
}

TEST_CASE("logs and files of maps are written and read through no link") {
  const Scenario scenario = run_scenario();
  const fs::path folder = restarted(scenario);
  REQUIRE(shell("$A run c.toml --out r", folder).status == 0);
  write_text(folder / "private", "private\n");
  const std::string id = text_field(read_rows(folder / "r").front(), "run_id");
  REQUIRE(shell("mkdir -p p/logs p/embeddings && ln -s ../../private p/embeddings/" + id +
                    ".csv.part && $A run c.toml --out p",
                folder)
              .status == 0);
  CHECK(content_of(folder / "private") == "private\n");
  const Ended linked_log =
      shell("mkdir -p q/logs && ln -s ../../private q/logs/" + id + ".log && $A run c.toml --out q", folder);
  CHECK(linked_log.status == 2);
  check_said(linked_log);
  CHECK(content_of(folder / "private") == "private\n");
  // A trace that is a pipe, or a link, is a changed file: said, and repaired.
  for (const std::string plant : {"mkfifo ", "ln -s ../../private "}) {
    CAPTURE(plant);
    REQUIRE(
        shell("rm -rf k && cp -r r k && rm k/traces/" + id + ".json && " + plant + "k/traces/" + id + ".json", folder)
            .status == 0);
    CHECK(shell("$A verify k", folder).status == 1);
    CHECK(shell("$A report k", folder).status == 0);
    CHECK(shell("$A table k --target 0.1", folder).status == 2);
    CHECK(shell("$A repair k", folder).status == 0);
    CHECK(shell("$A verify k", folder).status == 0);
  }
}

TEST_CASE("merge copies no file through a link") {
  const Scenario scenario = run_scenario();
  const fs::path folder = restarted(scenario);
  for (const char* shard : {"1/2", "2/2"})
    REQUIRE(shell("$A run c.toml --out r --shard " + std::string(shard), folder).status == 0);
  write_text(folder / "private", "private\n");
  const std::string id = text_field(read_rows(folder / "r.shard-1-of-2").front(), "run_id");
  REQUIRE(shell(fmt::format("cd r.shard-1-of-2 && rm logs/{0}.log && ln -s ../../private logs/{0}.log", id), folder)
              .status == 0);
  CHECK(shell("$A merge r.shard-1-of-2 r.shard-2-of-2", folder).status == 0);
  CHECK(shell("grep -r private r", folder).status == 1);
}

TEST_CASE("outputs are written through devices and links that the user names") {
  const Scenario scenario = init_scenario();
  const fs::path folder = restarted(scenario);
  fs::create_symlink("/dev/full", folder / "full");
  fs::create_symlink("/dev/null", folder / "null");
  fs::create_symlink("target.toml", folder / "link");
  write_text(folder / "target.toml", "");
  const Ended full = shell("$A init full --force", folder);
  CHECK(full.status == 2);
  check_said(full);
  CHECK(shell("$A init null --force", folder).status == 0);
  CHECK(shell("$A init link --force", folder).status == 0);
  for (const char* name : {"full", "null", "link"}) CHECK(fs::is_symlink(folder / name));
  CHECK(fs::is_character_file("/dev/full"));
  CHECK(content_of(folder / "target.toml").size() > 100);
}

TEST_CASE("rows that another program takes out during a run are all kept aside") {
  const Scenario scenario = run_scenario();
  const Expected expected = undisturbed(scenario);
  ALIDADE_NEEDS_TRACING();
  for (const bool emptied : {true, false}) {
    CAPTURE(emptied);
    const fs::path folder = restarted(scenario);
    const fs::path rows = folder / "r/runs.jsonl";
    int synced = 0;
    const TracedEnd end = run_traced(scenario.arguments, folder, {SYS_fsync}, [&](const SystemCall& call) -> Fate {
      if (!call.path.ends_with("traces") || ++synced != 4) return {};
      if (emptied) {
        fs::resize_file(rows, 0);
      } else {
        std::string text = content_of(rows);
        text[text.find("\"iterations\":") + 13] ^= 1;
        write_text(rows, text);
      }
      return {};
    });
    CHECK(end.ended.status == 2);
    check_said(end.ended);
    CHECK(end.ended.err.find("All its lines are kept in") != std::string::npos);
    CHECK(shell("$A repair r && $A run c.toml --out r && $A verify r", folder).status == 0);
    CHECK(difference(scenario.outcome(folder), expected.outcome) == "");
  }
}

TEST_CASE("texts made to exhaust a reader are refused in a line") {
  const ScratchFolder scratch;
  const fs::path folder = scratch.path();
  write_text(folder / "dots.toml", repeated("a.", 20'000) + "b = 1\n");
  write_text(folder / "section.toml", "[" + repeated("a.", 20'000) + "b]\n");
  write_text(folder / "inline.toml", "x = " + repeated("{ a.a.a.a.a.a.a.a = ", 250) + "1" + repeated("}", 250) + "\n");
  for (const char* name : {"dots.toml", "section.toml", "inline.toml"}) {
    CAPTURE(name);
    const Ended ended = shell(std::string("$A check ") + name, folder);
    CHECK(ended.status == 2);
    check_said(ended);
    CHECK(ended.err.find(name) != std::string::npos);
  }
  std::string row = "{\"a\":1";
  for (int i = 0; i < 80'000; ++i) row += ",\"k" + std::to_string(i) + "\":1";
  fs::create_directory(folder / "r");
  write_text(folder / "r/runs.jsonl", row + "}\n");
  const Ended keys = shell("$A table r", folder);
  CHECK(keys.status == 2);
  CHECK(keys.err.find("runs.jsonl:1: This is not valid JSON: an object has more than 20000 keys") != std::string::npos);
  const Ended name = shell("$A init \"$(printf 'f\\377.toml')\"", folder);
  CHECK(name.status == 2);
  CHECK(name.err.find("f\\xff.toml") != std::string::npos);
}

}  // namespace hostile_surroundings_test
