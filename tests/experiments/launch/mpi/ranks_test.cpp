#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "experiments/launch/mpi/message_passing.hpp"
#include "experiments/launch/mpi/ranked_runner.hpp"
#include "experiments/results/rows.hpp"
#include "tests/support/child_processes.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/small_experiments.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/wait_until.hpp"

namespace ranks_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

/// What a schedule sends, as "rank:message".
struct Posted {
  std::vector<std::string> sent;
  [[nodiscard]] std::function<void(int, const Message&)> post() {
    return [this](int rank, const Message& message) {
      sent.push_back(std::to_string(rank) + ":" + message.kind + message.text);
    };
  }
  std::vector<std::string> take() { return std::exchange(sent, {}); }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("messages arrive whole, in order and of any size, and an end is noticed") {
  auto [a, b] = MessageSocket::pair();
  CHECK_FALSE(b.receive());
  CHECK_FALSE(b.wait(0));
  CHECK(a.send({'x', ""}));
  CHECK(a.send({'y', std::string("with\0zero\n", 10)}));
  CHECK(b.wait(0));
  auto message = b.receive();
  REQUIRE(message);
  CHECK(message->kind == 'x');
  CHECK(message->text.empty());
  message = b.receive();
  REQUIRE(message);
  CHECK(message->text == std::string("with\0zero\n", 10));
  CHECK_FALSE(b.receive());
  CHECK_FALSE(b.ended());

  const std::string large(5'000'000, 'r');  // more than a socket holds
  std::thread sender([&a = a, &large] {
    CHECK(a.send({'l', large}));
    a.close();
  });
  while (!(message = b.receive())) REQUIRE(b.wait(240'000));
  CHECK((message->text == large));
  sender.join();
  CHECK_FALSE(b.receive());
  CHECK(b.ended());
  CHECK_FALSE(b.send({'x', ""}));
}

TEST_CASE("runs are handed out in order to ready workers") {
  Posted posted;
  RunSchedule schedule({7, 8, 9}, 3, posted.post());
  CHECK(schedule.left() == 3);
  schedule.ready(1);
  CHECK(posted.take() == Lines{"1:R7"});
  schedule.ready(0);
  schedule.ready(2);
  CHECK(posted.take() == Lines{"0:R8", "2:R9"});
  schedule.ready(0);
  CHECK(posted.take().empty());
  CHECK(schedule.busy());
  CHECK(schedule.left() == 0);
  schedule.ready(1);
  schedule.ready(2);
  CHECK_FALSE(schedule.busy());
  CHECK_FALSE(schedule.deserted());
}

TEST_CASE("a run whose worker is lost goes to another, and is given up after the second loss") {
  Posted posted;
  RunSchedule schedule({1, 2}, 3, posted.post());
  schedule.ready(0);
  schedule.ready(1);
  CHECK(posted.take() == Lines{"0:R1", "1:R2"});
  CHECK_FALSE(schedule.gone(0));
  CHECK(posted.take().empty());
  CHECK(schedule.left() == 1);
  schedule.ready(1);  // done with 2
  CHECK(posted.take() == Lines{"1:R1"});
  CHECK(schedule.gone(1) == 1);
  CHECK_FALSE(schedule.busy());
  CHECK_FALSE(schedule.deserted());  // one was never heard of yet
  CHECK_FALSE(schedule.gone(2));
  CHECK(schedule.deserted());
}

TEST_CASE("after a stop nothing is handed out, and busy workers are told once") {
  Posted posted;
  RunSchedule schedule({1, 2, 3}, 3, posted.post());
  schedule.ready(0);
  schedule.ready(2);
  static_cast<void>(posted.take());
  schedule.stop();
  schedule.stop();
  CHECK(posted.take() == Lines{"0:X", "2:X"});
  schedule.ready(1);
  schedule.ready(0);
  CHECK(posted.take().empty());
  CHECK(schedule.busy());
  schedule.ready(2);
  CHECK_FALSE(schedule.busy());
}

namespace {

/// Why nothing can be tried under mpirun here; "" if it can.
std::string why_no_ranks() {
  const fs::path module = fs::path(alidade_command()).parent_path() / "alidade_mpi.so";
  if (!fs::exists(module)) return "alidade was built without MPI";
  if (!there_is("mpirun")) return "there is no mpirun";
#ifdef ALIDADE_SANITIZED
  return "Open MPI is not made for sanitizers";
#else
  return "";
#endif
}

std::vector<std::string> under_mpirun(int ranks, std::vector<std::string> arguments) {
  std::vector<std::string> out = {
      "mpirun", "-n", std::to_string(ranks), "--oversubscribe", "--allow-run-as-root", alidade_command()};
  out.insert(out.end(), arguments.begin(), arguments.end());
  return out;
}

/// The same by a shell, as Command starts alidade alone.
class Ranks {
 public:
  Ranks(int ranks, const std::vector<std::string>& arguments, const fs::path& folder) {
    std::string line = "cd '" + folder.string() + "' && exec ";
    for (const std::string& word : under_mpirun(ranks, arguments)) line += "'" + word + "' ";
    line += "> '" + (scratch_ / "out").string() + "' 2> '" + (scratch_ / "err").string() + "' < /dev/null";
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~Ranks() {
    if (pid_ <= 0 || has_ended()) return;
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal) const { ::kill(pid_, signal); }
  /// What it has printed to standard error so far.
  [[nodiscard]] std::string errors() const { return content_of(scratch_ / "err"); }
  /// Then `wait` says how.
  bool has_ended() {
    int status = 0;
    if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return status_.has_value();
  }
  Ended wait() {
    if (!wait_until([&] { return has_ended(); }, std::chrono::seconds(200), std::chrono::milliseconds(5)))
      FAIL("mpirun did not end");
    Ended out;
    out.status = WIFEXITED(*status_) ? WEXITSTATUS(*status_) : -WTERMSIG(*status_);
    out.out = content_of(scratch_ / "out");
    out.err = errors();
    return out;
  }

 private:
  ScratchFolder scratch_;
  pid_t pid_ = -1;
  std::optional<int> status_;  // of waitpid
};

std::string name_of(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/comm");
  std::string out;
  std::getline(in, out);
  return out;
}

/// Processes of mpirun: its ranks, the worker of each, and the run that each worker has.
struct Family {
  std::vector<pid_t> ranks, workers, runs;
};

Family family_of(pid_t mpirun) {
  Family out;
  for (const pid_t rank : children_of(mpirun))
    if (name_of(rank) == "alidade") out.ranks.push_back(rank);
  for (const pid_t rank : out.ranks)
    for (const pid_t worker : children_of(rank)) out.workers.push_back(worker);
  for (const pid_t worker : out.workers)
    for (const pid_t run : children_of(worker)) out.runs.push_back(run);
  return out;
}

/// Waits until so many runs are under way.
Family wait_for_runs(const Ranks& ranks, std::size_t count) {
  Family out;
  return wait_until([&] { return (out = family_of(ranks.pid())).runs.size() >= count; }) ? out : Family{};
}

/// Kills every run that is begun, until the command ends; false if it does not. So runs without an end have one, at no
/// time that a slow machine might miss.
bool kill_all_runs(Ranks& ranks) {
  const auto kill_those_begun = [&] {
    if (ranks.has_ended()) return true;
    for (const pid_t run : family_of(ranks.pid()).runs) ::kill(run, SIGKILL);
    return false;
  };
  return wait_until(kill_those_begun, std::chrono::seconds(200));
}

/// Whether all rows are of runs that were killed themselves.
bool all_were_killed(const fs::path& folder) {
  return std::ranges::all_of(rows_in(folder), [](const auto& row) {
    return text_field(row.second, "status") == "failed" &&
           text_field(row.second, "message").find("signal 9") != std::string::npos;
  });
}

/// Whether somebody says that the worker of a rank is lost.
bool loss_is_said(const Ranks& ranks) {
  return wait_until(
      [&] { return ranks.errors().find("does no more runs: its worker process on ") != std::string::npos; });
}

bool all_end(const Family& family) {
  for (const auto& group : {family.ranks, family.workers, family.runs})
    for (const pid_t process : group) {
      if (!wait_until([&] { return !fs::exists("/proc/" + std::to_string(process)); })) return false;
    }
  return true;
}

const std::string kSmall = R"(
name = "small"
seed = 5
repeats = 4
[[dataset]]
name = "europe"
triplets = 400
[[dataset]]
name = "triplets"
file = "not there.csv"
)" + std::string(kSmallData) +
                           kQuickMethods + R"([[method]]
id = "does not fit"
problem = "pca"
)";

const std::string kEndless = R"(
name = "endless"
repeats = 2
[[dataset]]
name = "europe"
[[method]]
problem = "ste"
solver = { name = "riemannian_sgd", max_iter = 1000000000 }
[[method]]
problem = "ete"
solver = { name = "riemannian_sgd", max_iter = 1000000000 }
)";

#define ALIDADE_NEEDS_RANKS()                                 \
  if (const std::string why = why_no_ranks(); !why.empty()) { \
    MESSAGE("skipped: " << why);                              \
    return;                                                   \
  }

/// Runs `kEndless` of c.toml twice, of which a rank is killed each time: the command fails, and all of it ends.
void check_killed_ranks(const fs::path& folder) {
  for (const std::size_t victim : {0U, 1U}) {
    CAPTURE(victim);
    Ranks ranks(2, {"run", "c.toml", "--out", "r"}, folder);
    const Family family = wait_for_runs(ranks, 2);
    REQUIRE(family.ranks.size() == 2);
    ::kill(family.ranks[victim], SIGKILL);
    CHECK(ranks.wait().status != 0);
    CHECK(all_end(family));  // nor does a run go on alone
  }
}

enum class Whom { mpirun, first_rank, second_rank };

/// Runs `kEndless` of c.toml anew and interrupts it once both ranks have a run and `before` has returned: the command
/// fails, all of it ends, and its rows are cancelled.
Ended check_interrupted(const fs::path& folder, Whom whom, const std::function<void()>& before) {
  fs::remove_all(folder / "r");
  Ranks ranks(2, {"run", "c.toml", "--out", "r"}, folder);
  const Family family = wait_for_runs(ranks, 2);
  REQUIRE(family.ranks.size() == 2);
  before();
  if (whom == Whom::mpirun)
    ranks.send(SIGINT);
  else
    ::kill(family.ranks[whom == Whom::first_rank ? 0 : 1], SIGTERM);
  Ended ended = ranks.wait();
  CHECK(ended.status != 0);
  CHECK(all_end(family));
  for (const auto& [id, row] : rows_in(folder / "r")) CHECK(text_field(row, "status") == "cancelled");
  return ended;
}

}  // namespace

TEST_CASE("ranks give the rows, maps and traces of one machine") {
  ALIDADE_NEEDS_RANKS();
  const ScratchFolder scratch{{"c.toml", kSmall}};
  const Ended alone = run_command("run c.toml --out alone", scratch);
  const auto expected = comparable(scratch / "alone");
  REQUIRE(expected.size() == 36);
  for (const int count : {3, 1}) {
    CAPTURE(count);
    const std::string out = "ranks " + std::to_string(count);
    const Ended ended = Ranks(count, {"run", "c.toml", "--out", out}, scratch).wait();
    CHECK(ended.status == alone.status);
    CHECK(ended.out.substr(0, ended.out.find(". Results")) == alone.out.substr(0, alone.out.find(". Results")));
    CHECK(comparable(scratch / out) == expected);
    CHECK(comparable_files(scratch / out) == comparable_files(scratch / "alone"));
    CHECK(content_of(scratch / out / "config.resolved.toml") == content_of(scratch / "alone/config.resolved.toml"));
    CHECK(lines_of(content_of(scratch / out / kRowsFile)).size() == 36);
    // Given again nothing is left but what could not be read.
    const Ended again = Ranks(2, {"run", "c.toml", "--out", out}, scratch).wait();
    CHECK(again.out.find("36 runs: 0 ok, 12 failed, 0 skipped, 24 done before") == 0);
    CHECK(comparable(scratch / out) == expected);
  }
}

TEST_SUITE("heavy") {
  TEST_CASE("the first rank reports an error once, and all ranks end") {
    ALIDADE_NEEDS_RANKS();
    const ScratchFolder scratch{{"c.toml", kSmall}, {"plain", "text"}};
    for (const auto& [arguments, text] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"run", "missing.toml"}, "missing.toml"},
             {{"run", "c.toml", "--set", "reqeats=3"}, "repeats"},
             {{"run", "c.toml", "--jobs", "2"}, "--jobs and --in-process do not go with mpirun"},
             {{"run", "c.toml", "--out", "plain/x"}, "Not a directory"}}) {
      CAPTURE(text);
      const Ended ended = Ranks(2, arguments, scratch).wait();
      CHECK(ended.status == 2);
      int told = 0;
      for (const std::string& line : lines_of(ended.err))
        if (line.starts_with("alidade: ")) {
          ++told;
          CHECK(line.find(text) != std::string::npos);
        }
      CHECK(told == 1);
    }
  }
}

TEST_CASE("ranks with different command lines are refused") {
  ALIDADE_NEEDS_RANKS();
  const ScratchFolder scratch{{"c.toml", kEndless}};
  const Ended ended =
      Ranks(1, {"run", "c.toml", "--out", "a", ":", "-n", "1", alidade_command(), "run", "c.toml", "--out", "b"},
            scratch)
          .wait();
  CHECK(ended.status == 2);
  CHECK(holds_all(ended.err, {"'alidade run c.toml --out a'", "rank 1", "'alidade run c.toml --out b'"}));
}

TEST_CASE("a killed run gives a failed row") {
  ALIDADE_NEEDS_RANKS();
  const ScratchFolder scratch{{"c.toml", kEndless}};
  Ranks ranks(3, {"run", "c.toml", "--out", "r"}, scratch);
  const Family family = wait_for_runs(ranks, 3);
  REQUIRE(family.runs.size() == 3);
  ::kill(family.runs[0], SIGKILL);
  const fs::path rows = scratch / "r" / kRowsFile;
  REQUIRE(wait_until([&] { return fs::exists(rows) && lines_of(content_of(rows)).size() == 1; }));
  REQUIRE(kill_all_runs(ranks));
  const Ended ended = ranks.wait();
  CHECK(ended.status == 1);
  CHECK(ended.out.find("4 runs: 0 ok, 4 failed") == 0);
  CHECK(rows_in(scratch / "r").size() == 4);
  CHECK(all_were_killed(scratch / "r"));
  CHECK(all_end(family));
}

TEST_CASE("a killed worker loses nothing") {
  ALIDADE_NEEDS_RANKS();
  const ScratchFolder scratch{{"c.toml", kEndless}};
  for (const std::size_t victim : {0U, 2U}) {  // of the first rank too
    CAPTURE(victim);
    fs::remove_all(scratch / "r");
    Ranks ranks(3, {"run", "c.toml", "--out", "r"}, scratch);
    const Family family = wait_for_runs(ranks, 3);
    REQUIRE(family.workers.size() == 3);
    ::kill(family.workers[victim], SIGKILL);
    REQUIRE(loss_is_said(ranks));
    CHECK(content_of(scratch / "r" / kRowsFile).empty());  // its run is not failed
    REQUIRE(kill_all_runs(ranks));
    const Ended ended = ranks.wait();
    CHECK(ended.status == 1);
    CHECK(ended.out.find("4 runs: 0 ok, 4 failed") == 0);
    CHECK(rows_in(scratch / "r").size() == 4);
    CHECK(all_were_killed(scratch / "r"));  // so another worker began it again
    CHECK(all_end(family));
  }
}

TEST_CASE("a run that loses two workers has failed, and says so") {
  ALIDADE_NEEDS_RANKS();
  const ScratchFolder scratch{{"c.toml", kEndless}};
  Ranks ranks(2, {"run", "c.toml", "--out", "r", "--set", "repeats=1"}, scratch);
  const Family family = wait_for_runs(ranks, 2);
  REQUIRE(family.workers.size() == 2);
  ::kill(family.workers[0], SIGKILL);
  REQUIRE(loss_is_said(ranks));
  // The other loses its run and gets that one.
  const pid_t before = children_of(family.workers[1]).at(0);
  ::kill(before, SIGKILL);
  REQUIRE(wait_until([&] {
    const std::vector<pid_t> now = children_of(family.workers[1]);
    return !now.empty() && now[0] != before;
  }));
  ::kill(family.workers[1], SIGKILL);
  const Ended ended = ranks.wait();
  CHECK(ended.status == 1);
  CHECK(ended.out.find("2 runs: 0 ok, 2 failed") == 0);
  int lost = 0, killed = 0;
  for (const auto& [id, row] : rows_in(scratch / "r")) {
    lost += text_field(row, "message").starts_with("Two workers were lost") ? 1 : 0;
    killed += text_field(row, "message").find("was killed from outside (signal 9)") != std::string::npos ? 1 : 0;
  }
  CHECK(lost == 1);
  CHECK(killed == 1);
  CHECK(all_end(family));
}

TEST_CASE("without a worker left the command ends and says so") {
  ALIDADE_NEEDS_RANKS();
  const ScratchFolder scratch{{"c.toml", kEndless}};
  Ranks ranks(2, {"run", "c.toml", "--out", "r"}, scratch);
  const Family family = wait_for_runs(ranks, 2);
  REQUIRE(family.workers.size() == 2);
  for (const pid_t worker : family.workers) ::kill(worker, SIGKILL);
  const Ended ended = ranks.wait();
  CHECK(ended.status == 2);
  CHECK(holds_all(ended.err, {"No rank is left for the remaining 4 runs"}));
  CHECK(all_end(family));
}

TEST_SUITE("heavy") {
  TEST_CASE("a killed rank ends the command, which resumes when repeated") {
    ALIDADE_NEEDS_RANKS();
    const ScratchFolder scratch{{"c.toml", kEndless}};
    check_killed_ranks(scratch);
    Ranks again(2, {"run", "c.toml", "--out", "r"}, scratch);
    REQUIRE(kill_all_runs(again));
    CHECK(again.wait().out.find("4 runs: 0 ok, 4 failed") == 0);
    CHECK(rows_in(scratch / "r").size() == 4);
    CHECK(all_were_killed(scratch / "r"));
  }
}

TEST_SUITE("heavy") {
  TEST_CASE("interrupted ranks leave cancelled rows and end") {
    ALIDADE_NEEDS_RANKS();
    const ScratchFolder scratch{{"c.toml", kEndless}};
    for (const Whom whom : {Whom::first_rank, Whom::second_rank, Whom::mpirun}) {
      CAPTURE(static_cast<int>(whom));
      check_interrupted(scratch, whom, [] {});
      // Those that come within the patience of the first rank, or of mpirun.
      CHECK(rows_in(scratch / "r").size() <= 2);
    }
  }
}

TEST_CASE("a program without its MPI module explains this, unless it is the only rank") {
  const ScratchFolder scratch;
  fs::copy(alidade_command(), scratch / "alidade");
  write_text(scratch / "c.toml", kSmall);
  const auto as_rank = [&](const std::string& rank, const std::string& size) {
    return run_line("OMPI_COMM_WORLD_RANK=" + rank + " OMPI_COMM_WORLD_SIZE=" + size +
                        " ./alidade run c.toml --set repeats=1 > out 2>&1",
                    scratch)
        .status;
  };
  CHECK(as_rank("0", "2") == 2);
  CHECK(content_of(scratch / "out").find("libopenmpi-dev") != std::string::npos);
  CHECK(as_rank("1", "2") == 2);
  CHECK(content_of(scratch / "out").empty());
  CHECK_FALSE(fs::exists(scratch / "results"));
  CHECK(as_rank("0", "1") == 1);  // some of its data are missing
  CHECK(rows_in(scratch / "results/small").size() == 9);
}

TEST_CASE("an independent process that is no rank runs as usual") {
  CHECK_FALSE(rank_under_mpirun());
  CHECK(size_under_mpirun() == 1);
}

TEST_CASE("several tasks of srun with PMIx are ranks; a single task, or one without PMIx, is not") {
  const auto set = [](const char* tasks, const char* pmix, const char* mpirun) {
    for (const auto& [name, value] : {std::pair{"SLURM_STEP_NUM_TASKS", tasks}, std::pair{"PMIX_RANK", pmix},
                                      std::pair{"OMPI_COMM_WORLD_RANK", mpirun}}) {
      if (value)
        ::setenv(name, value, 1);
      else
        ::unsetenv(name);
    }
  };
  set("4", "2", nullptr);
  CHECK(rank_under_mpirun() == 2);
  CHECK(size_under_mpirun() == 4);
  set("1", "0", nullptr);
  CHECK_FALSE(rank_under_mpirun());
  CHECK(size_under_mpirun() == 1);
  set("4", nullptr, nullptr);
  CHECK_FALSE(rank_under_mpirun());
  CHECK(size_under_mpirun() == 1);
  set("4", "2", "1");  // mpirun within what srun started
  CHECK(rank_under_mpirun() == 1);
  set(nullptr, nullptr, nullptr);
  CHECK_FALSE(rank_under_mpirun());
}

// Their runs end by time limits of seconds, or before the patience of a rank does.
TEST_SUITE_BEGIN("timing");

TEST_CASE("ranks end by their time limit where a run or a worker was killed") {
  ALIDADE_NEEDS_RANKS();
  const ScratchFolder scratch{{"c.toml", kEndless}};
  const std::vector<std::string> arguments = {"run", "c.toml", "--out", "r", "--set", "timeout=3s"};
  {
    Ranks ranks(3, arguments, scratch);
    const Family family = wait_for_runs(ranks, 3);
    REQUIRE(family.runs.size() == 3);
    ::kill(family.runs[0], SIGKILL);
    const Ended ended = ranks.wait();
    CHECK(ended.status == 1);
    CHECK(ended.out.find("4 runs: 3 ok, 1 failed") == 0);
    int failed = 0;
    for (const auto& [id, row] : rows_in(scratch / "r"))
      if (text_field(row, "status") == "failed") {
        ++failed;
        CHECK(text_field(row, "message").find("signal 9") != std::string::npos);
      }
    CHECK(failed == 1);
    CHECK(all_end(family));
  }
  fs::remove_all(scratch / "r");
  for (const std::size_t victim : {0U, 2U}) {  // of the first rank too
    CAPTURE(victim);
    fs::remove_all(scratch / "r");
    Ranks ranks(3, arguments, scratch);
    const Family family = wait_for_runs(ranks, 3);
    REQUIRE(family.workers.size() == 3);
    ::kill(family.workers[victim], SIGKILL);
    const Ended ended = succeeded(ranks.wait());
    CHECK(ended.out.find("4 runs: 4 ok, 0 failed") == 0);
    CHECK(holds_all(ended.err, {"does no more runs: its worker process on "}));
    CHECK(rows_in(scratch / "r").size() == 4);
    CHECK(all_end(family));
  }
}

TEST_CASE("of two runs, one that loses two workers has failed and the other meets its time limit") {
  ALIDADE_NEEDS_RANKS();
  const ScratchFolder scratch{{"c.toml", kEndless}};
  Ranks ranks(2, {"run", "c.toml", "--out", "r", "--set", "timeout=3s", "--set", "repeats=1"}, scratch);
  const Family family = wait_for_runs(ranks, 2);
  REQUIRE(family.workers.size() == 2);
  ::kill(family.workers[0], SIGKILL);
  // The other ends its run and gets that one.
  const pid_t before = children_of(family.workers[1]).at(0);
  REQUIRE(wait_until([&] {
    const std::vector<pid_t> now = children_of(family.workers[1]);
    return !now.empty() && now[0] != before;
  }));
  ::kill(family.workers[1], SIGKILL);
  const Ended ended = ranks.wait();
  CHECK(ended.status == 1);
  CHECK(ended.out.find("2 runs: 1 ok, 1 failed") == 0);
  for (const auto& [id, row] : rows_in(scratch / "r"))
    if (text_field(row, "status") == "failed") CHECK(text_field(row, "message").starts_with("Two workers were lost"));
  CHECK(all_end(family));
}

TEST_CASE("after a killed rank the command does all runs, each up to its time limit") {
  ALIDADE_NEEDS_RANKS();
  const ScratchFolder scratch{{"c.toml", kEndless}};
  check_killed_ranks(scratch);
  succeeded(Ranks(2, {"run", "c.toml", "--out", "r", "--set", "timeout=1s"}, scratch).wait());
  CHECK(rows_in(scratch / "r").size() == 4);
}

TEST_CASE("interrupted ranks leave all of their rows within seconds") {
  ALIDADE_NEEDS_RANKS();
  const ScratchFolder scratch{{"c.toml", kEndless}};
  for (const Whom whom : {Whom::first_rank, Whom::second_rank, Whom::mpirun}) {
    CAPTURE(static_cast<int>(whom));
    const Ended ended = check_interrupted(scratch, whom, [] {  // in the midst of a solve
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    });
    if (whom == Whom::mpirun) continue;  // which kills after a second: rows that came until then
    CHECK(ended.status == 130);
    CHECK(rows_in(scratch / "r").size() == 2);
    CHECK(holds_all(ended.err, {"Interrupted. Give the same command again"}));
  }
}

TEST_SUITE_END();

}  // namespace ranks_test
