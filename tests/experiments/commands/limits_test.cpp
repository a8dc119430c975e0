// Limits that the shell sets, and those that the user gives: each ends in a result or in one line, and in time.
// `timeout -k` bounds what would hang; no test depends on how fast the machine is. The same by the real clock:
// tests/timing/writing_limit_test.cpp.

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "experiments/commands/commands.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/run_clock.hpp"
#include "tests/support/child_processes.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/forked_command.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/refused_commands.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/wait_until.hpp"

namespace limits_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

const std::string kAlidade = std::string("'") + alidade_command() + "'";

/// A line of sh with its end bounded: status 124 or 137 where it had to be ended.
Ended bounded(const std::string& line, const fs::path& folder) {
  return run_line("timeout -k 1 120 sh -c \"" + line + "\"", folder);
}

/// A command beside the pipe that it reads from, given a signal once it does.
Ended signalled_while_reading(const std::vector<std::string>& arguments, const fs::path& pipe, int signal) {
  testing::Command command(arguments, pipe.parent_path());
  int writer = -1;  // which can be opened once a reader is there
  REQUIRE(wait_until([&] { return (writer = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) >= 0; }));
  command.send(signal);
  Ended ended = command.wait();
  ::close(writer);
  return ended;
}

/// A gzip file of `megabytes` of answers, a thousandth of that size.
void write_bomb(const fs::path& file, int megabytes) {
  std::string line = "a,b,c\n", text;
  while (text.size() < (std::size_t{1} << 20)) text += line;
  const gzFile out = ::gzopen(file.c_str(), "wb9");
  REQUIRE(::gzputs(out, "anchor,near,far\n") > 0);
  for (int i = 0; i < megabytes; ++i)
    REQUIRE(::gzwrite(out, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
  REQUIRE(::gzclose(out) == Z_OK);
}

/// Whether the process waits for the lock of the file, which it has open for reading.
bool waits_for(pid_t process, const fs::path& file) {
  const fs::path about = "/proc/" + std::to_string(process);
  std::error_code gone;
  for (fs::directory_iterator entry(about / "fd", gone), end; !gone && entry != end; entry.increment(gone)) {
    std::error_code ignored;
    if (fs::read_symlink(entry->path(), ignored) != file) continue;
    const std::string info = content_of(about / "fdinfo" / entry->path().filename());
    const std::size_t flags = info.find("flags:");
    if (flags == std::string::npos) continue;
    if ((std::strtol(info.c_str() + flags + 6, nullptr, 8) & O_ACCMODE) == O_RDONLY) return true;
  }
  return false;
}

/// Waits until the command, or a child of it, is about to write this file.
void wait_for_writing(const ForkedCommand& command, const fs::path& file) {
  REQUIRE(wait_until([&] {
    std::vector<pid_t> processes = children_of(command.pid());
    processes.push_back(command.pid());
    return std::ranges::any_of(processes, [&](pid_t process) { return waits_for(process, file); });
  }));
}

/// A file that this process has locked, as if it were writing it: a command that is to write one there waits.
class HeldFile {
 public:
  explicit HeldFile(const fs::path& place) : descriptor_(::open(place.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    REQUIRE(descriptor_ >= 0);
    REQUIRE(::flock(descriptor_, LOCK_EX | LOCK_NB) == 0);
    file_ = fs::canonical(place);
  }
  ~HeldFile() { ::close(descriptor_); }
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
  [[nodiscard]] const fs::path& file() const { return file_; }

 private:
  fs::path file_;
  int descriptor_ = -1;
};

}  // namespace

TEST_CASE("a pipe that nobody writes to, or that is silent, does not outlast the time limit") {
  const ScratchFolder scratch;
  const fs::path pipe = scratch / "answers";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  write_text(scratch / "c.toml",
             "name = \"c\"\ntimeout = \"100ms\"\n[[dataset]]\nname = \"triplets\"\nfile = "
             "\"answers\"\n[[method]]\nproblem = \"ste\"\n");
  const std::vector<std::string> embed = {"embed", "answers", "-o", "m", "--timeout", "100ms"};
  check_refused(embed, scratch, {"was not read within the time limit: it is a pipe"});
  CHECK(holds_all(run_command("check c.toml", scratch).out, {"was not read within the time limit"}));
  const int silent = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);  // a writer that says only this
  REQUIRE(::write(silent, "anchor,", 7) == 7);
  check_refused(embed, scratch, {"was not read within the time limit"});
  ::close(silent);
}

TEST_CASE("a command that has nothing to keep says that it was interrupted") {
  const ScratchFolder scratch;
  const fs::path pipe = scratch / "answers";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const int signal : {SIGINT, SIGTERM}) {
    const Ended ended = signalled_while_reading({"ask", "answers"}, pipe, signal);
    CHECK(ended.status == 130);
    CHECK(ended.err == "alidade: Interrupted.\n");
  }
}

TEST_CASE("a command that is stopped while it reads data ends at once, in one sentence") {
  const ScratchFolder scratch;
  const fs::path pipe = scratch / "answers";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  write_text(scratch / "c.toml",
             "name = \"c\"\n[[dataset]]\nname = \"triplets\"\nfile = \"answers\"\n[[method]]\nproblem = \"ste\"\n");
  for (const int signal : {SIGINT, SIGTERM})
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"embed", "answers", "-o", "m"},
                                               {"curve", "answers"},
                                               {"sdp", "answers"},
                                               {"run", "c.toml", "--out", "r"},
                                               {"run", "c.toml", "--out", "r", "--in-process"}}) {
      CAPTURE(arguments.front());
      const Ended ended = signalled_while_reading(arguments, pipe, signal);
      CHECK(ended.status == 130);
      CHECK(ended.out.empty());
      CHECK(ended.err == "alidade: Interrupted while data were read. Give the same command again.\n");
      CHECK(!fs::exists(scratch / "m"));
    }
}

TEST_CASE("a data file beyond the limit is refused in one line that names the limit and how to raise it") {
  const ScratchFolder path{{"a.csv", sixty_answers()}};
  write_bomb(path / "bomb.csv.gz", 60);
  write_text(path / "c.toml",
             "name = \"c\"\n[[dataset]]\nname = \"triplets\"\nfile = \"bomb.csv.gz\"\n[[method]]\nproblem = \"ste\"\n");
  REQUIRE(fs::file_size(path / "bomb.csv.gz") < 100'000);
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& part) {
    check_refused(arguments, path, {part, "--max-size"});
  };
  write_bomb(path / "large.csv.gz", 300);
  refused({"embed", "large.csv.gz"}, "and unpacks to more than 256MB: files made to fill the memory do so");
  refused({"embed", "bomb.csv.gz", "--max-size", "16MB"}, "bomb.csv.gz' unpacks to more than 16MB, the limit");
  refused({"embed", "bomb.csv.gz", "--set", "max_size=16MB"}, "raise the limit: --max-size 32MB, or max_size");
  refused({"embed", "a.csv", "--max-size", "300B"}, "a.csv' has more than 300B, the limit");
  refused({"embed", "a.csv", "--labels", "bomb.csv.gz", "--max-size", "16MB"}, "bomb.csv.gz' unpacks to more than");
  refused({"embed", "--features", "bomb.csv.gz", "--max-size", "16MB"}, "bomb.csv.gz' unpacks to more than");
  refused({"embed", "--distances", "bomb.csv.gz", "--max-size", "16MB"}, "bomb.csv.gz' unpacks to more than");
  refused({"init", "new.toml", "--triplets", "bomb.csv.gz", "--max-size", "16MB"}, "bomb.csv.gz' unpacks to more than");
  refused({"embed", "a.csv", "--max-size", "much"}, "--max-size: \"much\" is not a size");
  refused({"embed", "a.csv", "--max-size", "0"}, "is not a size");

  const Ended pipe =
      run_line("yes a,b,c | " + kAlidade + " embed /dev/stdin --order anchor,near,far --max-size 5MB", path);
  CHECK(pipe.status == 2);
  CHECK(holds_all(pipe.err, {"has more than 5MB, the limit"}));

  const Ended checked = run_command("check c.toml --max-size 16MB", path);
  CHECK(checked.status == 1);
  CHECK(holds_all(checked.out, {"unpacks to more than 16MB, the limit"}));
  const Ended run = run_command("run c.toml --max-size 16MB", path);
  CHECK(run.status == 1);
  CHECK(holds_all(run.out, {"unpacks to more than 16MB, the limit"}));

  run_well("embed a.csv --max-size 10kB", path);
  run_well("init new.toml --triplets a.csv --max-size 10kB", path);
  CHECK(content_of(path / "new.toml").find("\nmax_size = \"10kB\"") != std::string::npos);
  run_well("check new.toml", path);
}

TEST_CASE("a limit of open files is named, with how to raise it, and one run at a time is not too many") {
  const ScratchFolder path{{"c.toml", "name = \"c\"\n" + std::string(kOneRun)}};
  int refused = 0;
  for (int files = 4; files <= 12; ++files) {
    CAPTURE(files);
    const std::string number = std::to_string(files);
    const Ended ended = bounded("ulimit -n " + number + "; " + kAlidade + " run c.toml -o r" + number, path);
    CAPTURE(ended.err);
    if (!ended.err.starts_with("alidade: ")) continue;  // it ran, or the system could not load it
    ++refused;
    CHECK(ended.status == 2);
    CHECK(holds_all(ended.err, {"ulimit -n"}));
    CHECK(ended.err.find("--jobs") == std::string::npos);
  }
  CHECK(refused > 0);
}

TEST_CASE("writing counts against the time limit of a run: it is killed, the other rows stay, and it can be repeated") {
  const ScratchFolder path{{"c.toml", "name = \"c\"\nrepeats = 2\n" + std::string(kOneRun)}};
  run_well("run c.toml -o free", path);
  const std::vector<Row> rows = read_rows(path / "free");
  REQUIRE(rows.size() == 2);
  const std::string stuck = text_field(rows[0], "run_id");
  for (const bool alone : {false, true}) {
    CAPTURE(alone);
    const std::string folder = alone ? "alone" : "children";
    fs::create_directories(path / folder / "embeddings");
    {
      RunClock::ByHand clock;
      const HeldFile held(path / folder / "embeddings" / (stuck + ".csv.part"));
      ForkedCommand command(
          [&] {
            commands::RunCommand request;
            request.config = "c.toml";
            request.out = folder;
            request.in_process = alone;
            request.overrides = {"timeout=1000s"};
            return commands::run(request, {"alidade", "run"});
          },
          path);
      wait_for_writing(command, held.file());
      clock.advance(std::chrono::seconds(1020));  // the limit and three times the grace
      const Ended ended = command.wait();
      CAPTURE(ended.err);
      CHECK(ended.status == 1);
      CHECK((ended.out + ended.err).find("Exceeded the time limit of 1000 s") != std::string::npos);
      fs::remove(held.file());
    }
    // In one process the run that is stuck is the last.
    REQUIRE(read_rows(path / folder).size() == (alone ? 1U : 2U));
    for (const ValueTable& row : read_rows(path / folder))
      CHECK(text_field(row, "status") == (text_field(row, "run_id") == stuck ? "failed" : "ok"));
    const std::string command = kAlidade + " run c.toml -o " + folder + (alone ? " --in-process" : "");
    CHECK(bounded(command + " --retry-failed", path).status == 0);
    const std::string map = "embeddings/" + stuck + ".csv";
    CHECK(content_of(path / folder / map) == content_of(path / "free" / map));
  }
}

TEST_CASE("writing counts against the time limit of embed, which then writes nothing") {
  const ScratchFolder path{{"a.csv", sixty_answers()}};
  const std::vector<std::string> before = inventory(path);
  // A nanosecond for each look at the clock, so that it tells when the solve is under way: a solve looks in each epoch,
  // the watch of the time limit 50 times a second.
  RunClock::ByHand clock(std::chrono::nanoseconds(1));
  const RunClock::time_point begin = RunClock::now();
  ForkedCommand command(
      [] {
        commands::EmbedRequest request;
        request.file = "a.csv";
        request.problem = "ste";
        request.overrides = {"solver={name=\"riemannian_sgd\",max_iter=100000000}"};
        request.out = "map";
        request.settings = {{"--timeout", "timeout", "1000s"}};
        return commands::embed(request, {"alidade", "embed"});
      },
      path);
  REQUIRE(wait_until([&] { return RunClock::now() - begin > std::chrono::microseconds(100); }));
  fs::path map;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().filename().string().starts_with("map.part-")) map = entry.path();
  REQUIRE_FALSE(map.empty());
  const HeldFile held(map / "embedding.csv.part");
  clock.advance(std::chrono::seconds(1000));  // ends the solve
  wait_for_writing(command, held.file());
  clock.advance(std::chrono::seconds(20));  // three times the grace
  const Ended ended = command.wait();
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(holds_all(ended.err, {"Exceeded the time limit of 1000 s", "Nothing was written"}));
  CHECK(inventory(path) == before);
}

#ifndef ALIDADE_SANITIZED  // sanitizers reserve terabytes of address space, so that it can not be limited

TEST_CASE("a limit of address space is an error in one line, or none, and never a hang") {
  const ScratchFolder scratch{{"c.toml", R"(name = "tiny"
[[dataset]]
name = "europe"
triplets = 300
[[method]]
problem = "ste"
solver = { name = "ceres", max_iter = 5 }
)"}};
  int worked = 0;
  for (const int kilobytes : {100'000, 150'000, 200'000, 250'000, 300'000, 1'000'000}) {
    CAPTURE(kilobytes);
    const std::string limit = "ulimit -v " + std::to_string(kilobytes) + "; ";
    const Ended version = bounded(limit + kAlidade + " --version", scratch);
    CAPTURE(version.err);
    CHECK(version.status != 124);
    CHECK(version.status != 137);
    if (version.status != 0) continue;  // too little even for the libraries, as the loader says
    ++worked;
    const Ended run = bounded(limit + kAlidade + " run c.toml --out r" + std::to_string(kilobytes), scratch);
    CAPTURE(run.out);
    CAPTURE(run.err);
    CHECK(run.status < 3);
    CHECK((run.status == 0 || !lines_of(run.out + run.err).empty()));
  }
  CHECK(worked > 0);
}

TEST_CASE("a semidefinite program under a limit of address space is solved, or its row names the limit" *
          alidade::testing::needs_csdp()) {
  const ScratchFolder scratch{{"c.toml", R"(name = "tiny"
[[dataset]]
name = "s_curve"
n = 20
similarity = "knn"
[[method]]
problem = "psde"
solver = "csdp"
)"}};
  int refused = 0;
  for (const int kilobytes : {150'000, 200'000, 250'000, 300'000, 1'000'000}) {
    CAPTURE(kilobytes);
    const Ended run = bounded(
        "ulimit -v " + std::to_string(kilobytes) + "; " + kAlidade + " run c.toml --out r" + std::to_string(kilobytes),
        scratch);
    CAPTURE(run.out);
    CAPTURE(run.err);
    CHECK((run.status == 0 || run.status == 1 || run.status == 127));
    if (run.status != 1) continue;
    ++refused;
    CHECK(holds_all(run.out, {"limit of memory", "ulimit -v"}));
  }
  CHECK(refused > 0);
}

#endif

}  // namespace limits_test
