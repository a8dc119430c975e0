// Ranks on two hosts that share nothing but a wire and a file system: network namespaces with host names of their own.
#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "experiments/results/rows.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/small_experiments.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/wait_until.hpp"

namespace two_hosts_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

/// Why two hosts can not be had here; "" if they can.
std::string why_not_two_hosts() {
  if (!fs::exists(fs::path(alidade_command()).parent_path() / "alidade_mpi.so")) return "alidade was built without MPI";
#ifdef ALIDADE_SANITIZED
  return "Open MPI is not made for sanitizers";
#endif
  if (::geteuid() != 0) return "network namespaces are made by root alone";
  for (const std::string program : {"mpirun", "ip", "unshare"})
    if (!there_is(program)) return "there is no " + program;
  if (run_line("ip netns add alidade_trial && ip netns del alidade_trial").status != 0)
    return "no network namespace can be made";
  return "";
}

/// The hosts a, where mpirun is started, and b. Gone at the end of the scope.
class TwoHosts {
 public:
  TwoHosts() {
    fs::create_directories(folder());
    REQUIRE(shell("ip netns add " + a_ + " && ip netns add " + b_ + " && ip link add va netns " + a_ +
                  " type veth peer name vb netns " + b_ + " && ip -n " + a_ +
                  " addr add 10.77.0.1/24 dev va && ip -n " + b_ + " addr add 10.77.0.2/24 dev vb && ip -n " + a_ +
                  " link set lo up && ip -n " + b_ + " link set lo up && ip -n " + a_ + " link set va up && ip -n " +
                  b_ + " link set vb up") == 0);
    // In place of ssh: HOST COMMAND...
    write_text(scratch_ / "agent",
               "#!/bin/sh\nshift\nexec ip netns exec " + b_ + " unshare --uts sh -c \"hostname b; $*\"\n");
    REQUIRE(::chmod((scratch_ / "agent").c_str(), 0755) == 0);
  }
  ~TwoHosts() {
    for (const std::string& host : {a_, b_}) {
      for (const pid_t process : processes_of(host)) ::kill(process, SIGKILL);
      static_cast<void>(shell("ip netns del " + host));
    }
  }
  TwoHosts(const TwoHosts&) = delete;
  TwoHosts& operator=(const TwoHosts&) = delete;

  /// The file system that both see.
  [[nodiscard]] fs::path folder() const { return scratch_ / "shared"; }

  /// Two ranks on each host.
  [[nodiscard]] Ended ranks(const std::string& arguments) const {
    // A host that is silent is taken for lost after 3 + 3 seconds; by default it takes eight minutes.
    return run_line("ip netns exec " + a_ +
                        " unshare --uts sh -c 'hostname a; exec timeout -s KILL 120 mpirun --allow-run-as-root "
                        "--mca plm_rsh_agent \"" +
                        (scratch_ / "agent").string() +
                        "\" --mca btl tcp,self --mca oob_tcp_keepalive_time 3 --mca oob_tcp_keepalive_intvl 1 "
                        "--mca oob_tcp_keepalive_probes 3 --host 10.77.0.1:2,10.77.0.2:2 -n 4 " +
                        std::string(alidade_command()) + " " + arguments + "'",
                    folder());
  }
  /// On host b by name; every one of them if it is "".
  [[nodiscard]] std::vector<pid_t> on_b(const std::string& name) const {
    std::vector<pid_t> out;
    for (const pid_t process : processes_of(b_)) {
      const std::string known = content_of("/proc/" + std::to_string(process) + "/comm");
      if (name.empty() || known == name + "\n") out.push_back(process);
    }
    return out;
  }
  void plug(bool in) const { REQUIRE(shell("ip -n " + b_ + " link set vb " + (in ? "up" : "down")) == 0); }

 private:
  static int shell(const std::string& line) { return run_line(line).status; }
  [[nodiscard]] std::vector<pid_t> processes_of(const std::string& host) const {
    std::vector<pid_t> out;
    std::istringstream in(run_line("ip netns pids " + host).out);
    for (pid_t process = 0; in >> process;) out.push_back(process);
    return out;
  }

  ScratchFolder scratch_;
  std::string a_ = "alidade_a" + std::to_string(::getpid()), b_ = "alidade_b" + std::to_string(::getpid());
};

#define ALIDADE_NEEDS_TWO_HOSTS()                                  \
  if (const std::string why = why_not_two_hosts(); !why.empty()) { \
    MESSAGE("skipped: " << why);                                   \
    return;                                                        \
  }

const std::string kSmall = std::string("name = \"small\"\nrepeats = 6\n") + kSmallData + kQuickMethods;

/// Every second run is over at once, the others take what time they are given: four rows, and four ranks have one.
const std::string kLong = std::string("name = \"long\"\nrepeats = 6\ntimeout = \"600s\"\n") + kSmallData + R"([[method]]
problem = "ste"
solver = { name = "ceres", max_iter = 15 }
[[method]]
problem = "ste"
solver = { name = "riemannian_sgd", max_iter = 1000000000 }
)";

/// Runs that are done; what was interrupted may have a row that says so.
std::size_t good_rows(const fs::path& folder) {
  std::size_t out = 0;
  if (fs::exists(folder / kRowsFile))
    for (const ValueTable& row : read_rows(folder)) out += text_field(row, "status") == "ok";
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("heavy");

TEST_CASE("ranks on two hosts give the rows, maps and traces of one") {
  ALIDADE_NEEDS_TWO_HOSTS();
  const TwoHosts hosts;
  write_text(hosts.folder() / "c.toml", kSmall);
  run_well("run c.toml --out one", hosts.folder());
  const Ended ended = succeeded(hosts.ranks("run c.toml --out two"));
  CHECK(holds_all(ended.out, {"12 ok", "0 failed"}));
  CHECK(std::ranges::count(ended.out, '\n') == 2);  // what ran, and what to do next
  CHECK(comparable(hosts.folder() / "two") == comparable(hosts.folder() / "one"));
  CHECK(comparable_files(hosts.folder() / "two") == comparable_files(hosts.folder() / "one"));
}

TEST_CASE("a lost host ends the command; its rows stay, and the same command resumes") {
  ALIDADE_NEEDS_TWO_HOSTS();
  enum class Loss { daemon, wire };
  for (const Loss loss : {Loss::daemon, Loss::wire}) {
    CAPTURE(static_cast<int>(loss));
    const TwoHosts hosts;
    write_text(hosts.folder() / "c.toml", kLong);
    auto ranks = std::async(std::launch::async, [&] { return hosts.ranks("run c.toml --out r"); });
    const fs::path folder = hosts.folder() / "r";
    for (int i = 0; i < 600 && good_rows(folder) < 4; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(good_rows(folder) == 4);
    CHECK(hosts.on_b("alidade").size() >= 4);  // two ranks and their workers
    const auto daemons = hosts.on_b("orted");
    REQUIRE(daemons.size() == 1);
    if (loss == Loss::daemon)
      ::kill(daemons[0], SIGKILL);
    else
      hosts.plug(false);
    const Ended ended = ranks.get();
    CHECK(ended.status != 0);
    CHECK(holds_all(ended.err, {"lost communication with a remote daemon"}));
    // Nothing goes on alone on the other side.
    CHECK(wait_until([&] { return hosts.on_b("").empty(); }, std::chrono::seconds(60), std::chrono::milliseconds(100)));
    CHECK(good_rows(folder) == 4);

    hosts.plug(true);
    const Ended again = hosts.ranks("run c.toml --out r --set timeout=1s");
    CAPTURE(again.err);
    CHECK(holds_all(again.out, {"8 ok", "0 failed", "4 done before"}));
    CHECK(good_rows(folder) == 12);
    CHECK(rows_in(folder).size() == 12);
  }
}

TEST_SUITE_END();

}  // namespace two_hosts_test
