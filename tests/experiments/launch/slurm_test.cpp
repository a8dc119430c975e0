// slurm/array.sh and ranks on a cluster of Slurm's own daemons: a controller and two nodes on this machine.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/results/rows.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/small_experiments.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/wait_until.hpp"

namespace slurm_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kBetween{100};  // two questions to the controller
constexpr const char* kPath = "PATH=\"$PATH:/usr/sbin:/sbin\"";

bool is_installed(const std::string& program) {
  return run_line(std::string(kPath) + " command -v " + program).status == 0;
}

/// Why no cluster can be started here; "" if one can.
std::string why_no_slurm() {
  if (::geteuid() != 0) return "Slurm's daemons are started by root alone";
  for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch"})
    if (!is_installed(program)) return std::string("there is no ") + program + " (slurm-wlm)";
  return "";
}

/// Ports that nobody had a moment ago.
std::vector<int> free_ports(std::size_t count) {
  std::vector<int> out, sockets;
  while (out.size() < count) {
    const int file = ::socket(AF_INET, SOCK_STREAM, 0);
    sockets.push_back(file);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t size = sizeof address;
    REQUIRE(::bind(file, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    out.push_back(ntohs(address.sin_port));
  }
  for (const int file : sockets) ::close(file);
  return out;
}

/// A controller and the nodes a and b, with four processors each whatever this machine has. Ends with its scope.
class Cluster {
 public:
  Cluster() {
    make_key();
    const std::vector<int> port = free_ports(3);
    const std::string here = scratch_.path().string();
    fs::create_directories(scratch_ / "state");
    fs::create_directories(folder());
    std::string conf =
        "ClusterName=test\nSlurmctldHost=localhost\nSlurmUser=root\nSlurmdUser=root\n"
        "AuthType=auth/munge\nProctrackType=proctrack/linuxproc\n"
        "TaskPlugin=task/none\nSelectType=select/cons_tres\n"
        "SelectTypeParameters=CR_Core_Memory\nMpiDefault=none\nReturnToService=2\n"
        "SchedulerParameters=sched_interval=1,bf_interval=1\nKillWait=5\n"
        "AccountingStorageType=accounting_storage/none\n"
        "SlurmdParameters=config_overrides\n"
        "PartitionName=all Nodes=a,b Default=YES MaxTime=INFINITE State=UP\n";
    conf += "AuthInfo=socket=" + here + "/munge.socket\nStateSaveLocation=" + here + "/state\nSlurmdSpoolDir=" + here +
            "/spool.%n\nSlurmctldPidFile=" + here + "/slurmctld.pid\nSlurmdPidFile=" + here +
            "/slurmd.%n.pid\nSlurmctldPort=" + std::to_string(port[0]) + "\n";
    for (const std::size_t node : {1U, 2U})
      conf += std::string("NodeName=") + (node == 1 ? "a" : "b") +
              " NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=4 RealMemory=64000 Port=" + std::to_string(port[node]) +
              "\n";
    write_text(scratch_ / "slurm.conf", conf);
    start("munged --foreground --force --key-file=" + here + "/key --socket=" + here + "/munge.socket --pid-file=" +
          here + "/munge.pid --log-file=" + here + "/munge.log --seed-file=" + here + "/munge.seed");
    REQUIRE(wait_until([&] { return fs::exists(scratch_ / "munge.socket"); }));
    start("slurmctld -D");
    start("slurmd -D -N a");
    start("slurmd -D -N b");
    const bool is_ready = wait_until([&] { return ready(); }, std::chrono::seconds(60), kBetween);
    CAPTURE(content_of(scratch_ / "daemons"));
    REQUIRE(is_ready);
  }
  ~Cluster() {
    static_cast<void>(shell("scancel --quiet --user=root"));
    wait_until([&] { return queue().empty(); }, std::chrono::seconds(10), kBetween);
    for (auto it = daemons_.rbegin(); it != daemons_.rend(); ++it) {
      ::kill(*it, SIGTERM);
      ::waitpid(*it, nullptr, 0);
    }
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Where jobs run and their results are.
  [[nodiscard]] fs::path folder() const { return scratch_ / "work"; }

  /// What a line of shell prints, in that folder, as a user of the cluster.
  [[nodiscard]] Ended shell(const std::string& line) const {
    return run_line("export ALIDADE='" + std::string(alidade_command()) + "'; " + environment() + line, folder());
  }
  /// Submits slurm/array.sh; the number of the job.
  [[nodiscard]] std::string submit(const std::string& options, const std::string& arguments) const {
    const Ended ended =
        succeeded(shell("sbatch --parsable --cpus-per-task=1 --mem=100M " + options + " '" +
                        std::string(source_folder()) + "/experiments/launch/slurm/array.sh' " + arguments));
    return lines_of(ended.out).at(0);
  }
  void wait_for_all() const {
    REQUIRE(wait_until([&] { return queue().empty(); }, std::chrono::seconds(120), kBetween));
  }
  [[nodiscard]] std::string output_of(const std::string& job, int task) const {
    return content_of(folder() / ("slurm-" + job + "_" + std::to_string(task) + ".out"));
  }

 private:
  [[nodiscard]] std::string environment() const {
    return std::string(kPath) + " SLURM_CONF='" + (scratch_ / "slurm.conf").string() + "' ";
  }
  [[nodiscard]] bool ready() const {
    const Ended ended = shell("sinfo --noheader --format=%T");
    return ended.status == 0 && ended.out == "idle\n";
  }
  [[nodiscard]] std::string queue() const { return shell("squeue --noheader").out; }
  void make_key() const {
    Rng rng = Rng::stream(static_cast<std::uint64_t>(::getpid()), "key of a cluster");
    std::string key;
    for (int i = 0; i < 128; ++i) key += static_cast<char>(rng.below(256));
    write_text(scratch_ / "key", key);
    REQUIRE(::chmod((scratch_ / "key").c_str(), 0600) == 0);
  }
  void start(const std::string& line) {
    const std::string all =
        environment() + "exec " + line + " >> '" + (scratch_ / "daemons").string() + "' 2>&1 < /dev/null";
    std::array<char*, 4> argv{const_cast<char*>("sh"), const_cast<char*>("-c"), const_cast<char*>(all.c_str()),
                              nullptr};
    pid_t pid = -1;
    REQUIRE(::posix_spawn(&pid, "/bin/sh", nullptr, nullptr, argv.data(), environ) == 0);
    daemons_.push_back(pid);
  }

  ScratchFolder scratch_;
  std::vector<pid_t> daemons_;
};

#define ALIDADE_NEEDS_SLURM()                                 \
  if (const std::string why = why_no_slurm(); !why.empty()) { \
    MESSAGE("skipped: " << why);                              \
    return;                                                   \
  }

const std::string kSmall = std::string("name = \"small\"\nrepeats = 4\n") + kSmallData + kQuickMethods + R"([[method]]
problem = "tste"
solver = { name = "ceres", max_iter = 5 }
)";

}  // namespace

TEST_CASE("the script of a job array runs its shard by Slurm's variables, and merges") {
  const ScratchFolder scratch{{"c.toml", kSmall}};
  run_well("run c.toml --out one", scratch);
  const auto script = [&](const std::string& variables, const std::string& arguments) {
    return run_line(variables + " ALIDADE='" + std::string(alidade_command()) + "' bash '" +
                        std::string(source_folder()) + "/experiments/launch/slurm/array.sh' " + arguments +
                        " > out 2>&1",
                    scratch)
        .status;
  };
  const std::string array = "SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_STEP=3";
  CHECK(script(array + " SLURM_ARRAY_TASK_ID=4", "c.toml") == 0);
  CHECK(fs::exists(scratch / "results/small.shard-1-of-2"));
  // Of some tasks submitted again the others need not be there.
  CHECK(script("SHARDS=2 SLURM_ARRAY_TASK_ID=2", "c.toml") == 0);
  CHECK(script("", "--merge results/small") == 0);
  CHECK(comparable(scratch / "results/small") == comparable(scratch / "one"));
  CHECK(script("SLURM_ARRAY_TASK_ID=2", "c.toml") != 0);
  CHECK(content_of(scratch / "out").find("SLURM_ARRAY_TASK_MIN is not set") != std::string::npos);
}

TEST_SUITE_BEGIN("heavy");

TEST_CASE("a job array and a last job that merges give the rows of one machine") {
  ALIDADE_NEEDS_SLURM();
  const Cluster cluster;
  write_text(cluster.folder() / "c.toml", kSmall);
  run_well("run c.toml --out one", cluster.folder());

  const std::string job = cluster.submit("--array=0-9:3", "c.toml");
  const std::string merge = cluster.submit("--dependency=afterany:" + job, "--merge results/small");
  cluster.wait_for_all();
  for (const int task : {0, 3, 6, 9}) CHECK(cluster.output_of(job, task).starts_with("3 runs: 3 ok"));
  const std::string message = content_of(cluster.folder() / ("slurm-" + merge + ".out"));
  CHECK(message.starts_with("12 runs: 12 ok, 0 failed, 0 skipped, 0 missing; 12 taken now."));
  CHECK(comparable(cluster.folder() / "results/small") == comparable(cluster.folder() / "one"));
  CHECK(comparable_files(cluster.folder() / "results/small") == comparable_files(cluster.folder() / "one"));

  // Some tasks of an array of more, in another folder.
  const std::string some = cluster.submit("--array=3,7 --export=ALL,SHARDS=8", "c.toml other");
  cluster.wait_for_all();
  CHECK(cluster.output_of(some, 3).find("Results: other.shard-3-of-8") != std::string::npos);
  CHECK(rows_in(cluster.folder() / "other.shard-3-of-8").size() +
            rows_in(cluster.folder() / "other.shard-7-of-8").size() >=
        2);
  CHECK_FALSE(fs::exists(cluster.folder() / "other.shard-1-of-8"));
}

TEST_CASE("a task asked to stop leaves a row that says so, and resumes when submitted again") {
  ALIDADE_NEEDS_SLURM();
  const Cluster cluster;
  write_text(cluster.folder() / "long.toml", R"(
name = "long"
repeats = 2
timeout = "4s"
[[dataset]]
name = "gaussian"
n = 20
triplets = 300
[[method]]
problem = "ste"
solver = { name = "riemannian_sgd", max_iter = 100000000 }
)");
  const fs::path part = cluster.folder() / "results/long.shard-1-of-1";
  const std::string job = cluster.submit("--array=1", "long.toml");
  const auto rows = [&] { return fs::exists(part / kRowsFile) ? rows_in(part).size() : 0; };
  REQUIRE(wait_until([&] { return rows() == 1; }));
  // As --signal=B:TERM@60 does a minute before the end.
  REQUIRE(cluster.shell("scancel --batch --signal=TERM " + job + "_1").status == 0);
  cluster.wait_for_all();
  CHECK(cluster.output_of(job, 1).find("Interrupted. Give the same command again") != std::string::npos);
  std::size_t cancelled = 0;
  for (const auto& [id, row] : rows_in(part)) cancelled += text_field(row, "status") == "cancelled";
  CHECK(cancelled == 1);

  const std::string again = cluster.submit("--array=1", "long.toml");
  cluster.wait_for_all();
  CHECK(cluster.output_of(again, 1).starts_with("2 runs: 1 ok, 0 failed, 0 skipped, 1 done before."));
  for (const auto& [id, row] : rows_in(part)) CHECK(text_field(row, "status") == "ok");
}

TEST_CASE("srun --mpi=pmix starts ranks as mpirun does") {
  ALIDADE_NEEDS_SLURM();
  if (!fs::exists(fs::path(alidade_command()).parent_path() / "alidade_mpi.so")) {
    MESSAGE("skipped: alidade was built without MPI");
    return;
  }
  const Cluster cluster;
  if (cluster.shell("srun --mpi=list").out.find("pmix") == std::string::npos &&
      cluster.shell("srun --mpi=list 2>&1").out.find("pmix") == std::string::npos) {
    MESSAGE("skipped: this Slurm has no PMIx");
    return;
  }
  write_text(cluster.folder() / "c.toml", kSmall);
  run_well("run c.toml --out one", cluster.folder());
  const Ended ended =
      succeeded(cluster.shell("srun --mpi=pmix --nodes=1 --ntasks=3 --mem=100M \"$ALIDADE\" run c.toml --out ranks"));
  // One alone speaks: they are ranks, and not three that do the same.
  CHECK(holds_all(ended.out, {"12 ok", "0 failed"}));
  CHECK(std::ranges::count(ended.out, '\n') == 1);
  CHECK(comparable(cluster.folder() / "ranks") == comparable(cluster.folder() / "one"));
}

TEST_SUITE_END();

}  // namespace slurm_test
