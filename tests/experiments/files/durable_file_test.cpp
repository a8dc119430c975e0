#include "experiments/files/durable_file.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <stop_token>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/kill_points.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/small_disk.hpp"

namespace durable_file_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename().string());
  std::ranges::sort(out);
  return out;
}

std::string refusal(const std::function<void()>& action) { return testing::message_of<DataError>(action); }

/// A child process that does `work` until it is killed; it is started when the constructor returns.
class Killable {
 public:
  explicit Killable(const std::function<void(const std::function<void()>& ready)>& work) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    pid_ = ::fork();
    if (pid_ == 0) live(work, ends[1]);
    char byte = 0;
    REQUIRE(::read(ends[0], &byte, 1) == 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Killable() { kill(); }
  Killable(const Killable&) = delete;
  Killable& operator=(const Killable&) = delete;
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  /// noexcept: what is thrown must not reach the test of the parent.
  [[noreturn]] static void live(const std::function<void(const std::function<void()>& ready)>& work,
                                int pipe) noexcept {
    work([&] {
      if (::write(pipe, "r", 1) != 1) ::_exit(1);
    });
    for (;;) ::pause();
  }

  pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("a whole file is created, replaced, and leaves nothing beside it") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "table.csv";
  const std::string long_text = std::string(3 << 20, 'y') + '\0' + "end";
  for (const std::string& text : {std::string("first\n"), long_text, std::string()}) {
    write_whole_file(file, text);
    CHECK((content_of(file) == text));
    CHECK(names_in(scratch) == std::vector<std::string>{"table.csv"});
  }
}

TEST_CASE("a whole file that cannot be written is named with the reason, and nothing changes") {
  const ScratchFolder folder;
  std::ofstream(folder / "plain") << "text";
  fs::create_directory(folder / "taken");
  const auto before = names_in(folder);
  const std::string missing = refusal([&] { write_whole_file(folder / "none" / "x", "x"); });
  CHECK(missing.find((folder / "none" / "x").string() + ": No such file or directory") != std::string::npos);
  CHECK(refusal([&] { write_whole_file(folder / "plain" / "x", "x"); }).find("Not a directory") != std::string::npos);
  CHECK(refusal([&] { write_whole_file(folder / "taken", "x"); }).find("Is a directory") != std::string::npos);
  CHECK(names_in(folder) == before);
  CHECK(content_of(folder / "plain") == "text");
}

TEST_CASE("a writer that is killed at any of its points leaves the old file or the new one") {
  using Call = KillPoint::Call;
  const ScratchFolder scratch;
  const fs::path file = scratch / "f";
  const std::string old_text(200'000, 'a'), new_text(200'000, 'b'), next_text(100'000, 'c');
  for (const bool there : {true, false}) {
    CAPTURE(there);
    std::map<std::string, int> old_files, new_files;  // by points
    const std::map<std::string, int> kills = testing::kill_at_every_point(
        [&] {
          fs::remove(file);
          if (there) write_whole_file(file, old_text);
        },
        [&] { write_whole_file(file, new_text); },
        [&](const KillPoint& point) {
          const std::string text = content_of(file);
          const bool is_new = text == new_text;
          ++(is_new ? new_files : old_files)[name_of(point)];
          CHECK((is_new || (there ? text == old_text : !fs::exists(file))));
          // The name is given to bytes that are on the disk, and once.
          if (point.call == Call::write) CHECK_FALSE(is_new);
          if (point.call == Call::rename) CHECK(is_new == (point.when == KillPoint::When::after));
          write_whole_file(file, next_text);
          CHECK((content_of(file) == next_text));
          CHECK(names_in(scratch) == std::vector<std::string>{"f"});
        });
    // Of the syncs, the first is of the bytes and the second of the name.
    for (const char* point : {"before write", "halfway write", "after write", "before rename"})
      CHECK(old_files[point] >= 1);
    CHECK(new_files["after rename"] == 1);
    for (const char* point : {"before sync", "after sync"}) {
      CHECK(old_files[point] == 1);
      CHECK(new_files[point] == 1);
    }
    CHECK(kills.at("before rename") == 1);
  }
}

TEST_CASE("the files of a batch get their names together, and none stays without") {
  const ScratchFolder scratch;
  const fs::path first = scratch / "first", second = scratch / "second";
  for (const fs::path& folder : {first, second}) make_folder(folder);
  write_whole_file(second / "0", "old");
  const auto write = [&](FileBatch& batch) {
    for (int i = 0; i < 40; ++i) batch.write((i % 2 == 0 ? second : first) / std::to_string(i), std::to_string(i * i));
  };
  {
    FileBatch batch;
    write(batch);
    CHECK_FALSE(fs::exists(first / "1"));
    CHECK(content_of(second / "0") == "old");
  }
  CHECK(names_in(first).empty());
  CHECK(names_in(second) == std::vector<std::string>{"0"});
  FileBatch batch;
  write(batch);
  batch.commit();
  for (int i = 0; i < 40; ++i)
    CHECK(content_of((i % 2 == 0 ? second : first) / std::to_string(i)) == std::to_string(i * i));
  CHECK(names_in(first).size() == 20);
  CHECK(names_in(second).size() == 20);
}

TEST_CASE("a batch that is asked to stop writes no more, and nothing stays") {
  const ScratchFolder scratch;
  std::stop_source stop;
  {
    FileBatch batch(stop.get_token());
    batch.write(scratch / "a", "1");
    stop.request_stop();
    CHECK_THROWS_AS(batch.write(scratch / "b", "2"), DataError);
    CHECK_THROWS_AS(batch.commit(), DataError);
  }
  CHECK(fs::is_empty(scratch));
}

TEST_CASE("a batch of thousands is not synced one by one") {
  const ScratchFolder scratch;
  FileBatch batch;
  const long before = testing::sync_count();
  for (int i = 0; i < 2000; ++i) batch.write(scratch / std::to_string(i), "x");
  batch.commit();
  CHECK(names_in(scratch).size() == 2000);
  CHECK(testing::sync_count() - before < 50);
}

TEST_CASE("a batch that does not fit on the disk is refused, and leaves no room taken") {
  const SmallDisk disk;
  if (!disk.mounted()) {
    MESSAGE("skipped: no file system can be mounted here: " << disk.why_not());
    return;
  }
  const auto free = [&] { return fs::space(disk.path()).available; };
  const std::uintmax_t before = free();
  const std::string message = refusal([&] {
    FileBatch batch;
    for (int i = 0; i < 100; ++i) batch.write(disk.path() / std::to_string(i), std::string(4000, 'x'));
    batch.commit();
  });
  CHECK(message.find("No space left") != std::string::npos);
  CHECK(names_in(disk.path()).empty());
  CHECK(free() == before);
}

TEST_CASE("a file is copied whole or not at all, over what was there") {
  const ScratchFolder scratch;
  const fs::path from = scratch / "from", to = scratch / "to";
  const std::string text = std::string(300'000, 'x') + '\0' + "end";
  write_whole_file(from, text);
  write_whole_file(to, "old");
  copy_whole_file(from, to);
  CHECK((content_of(to) == text));
  CHECK(names_in(scratch) == std::vector<std::string>{"from", "to"});
  DiskSync(scratch).sync();
  CHECK(refusal([&] { copy_whole_file(scratch / "none", to); }).find("No such file") != std::string::npos);
  CHECK((content_of(to) == text));
  CHECK(refusal([&] { DiskSync{from}; }).find("Not a directory") != std::string::npos);

  const SmallDisk disk;
  if (!disk.mounted()) {
    MESSAGE("without a full disk: can not mount a small one (" << disk.why_not() << ")");
    return;
  }
  write_whole_file(disk.path() / "f", "old");
  CHECK(refusal([&] { copy_whole_file(from, disk.path() / "f"); }).find("No space left on device") !=
        std::string::npos);
  CHECK(content_of(disk.path() / "f") == "old");
  CHECK(names_in(disk.path()) == std::vector<std::string>{"f"});
}

TEST_CASE("folders are made with their parents, and an impossible one is named") {
  const ScratchFolder scratch;
  make_folder(scratch / "a" / "b" / "c");
  make_folder(scratch / "a" / "b" / "c");
  CHECK(fs::is_directory(scratch / "a" / "b" / "c"));
  std::ofstream(scratch / "plain") << "text";
  CHECK(refusal([&] { make_folder(scratch / "plain"); }).find("plain") != std::string::npos);
  CHECK(refusal([&] { make_folder(scratch / "plain" / "x"); }).find("Not a directory") != std::string::npos);
}

TEST_CASE("a line file continues after its whole lines") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "lines";
  {
    LineFile lines(file);
    lines.go_on_after(0, false);
    lines.append("one");
    lines.append("two");
  }
  CHECK(content_of(file) == "one\ntwo\n");
  std::ofstream(file, std::ios::app) << "thr";
  {
    LineFile lines(file);
    CHECK(content_of(file) == "one\ntwo\nthr");  // opening changes nothing
    lines.go_on_after(8, false);
    CHECK(content_of(file) == "one\ntwo\n");
    lines.append("three");
    lines.append("");
  }
  CHECK(content_of(file) == "one\ntwo\nthree\n\n");
}

TEST_CASE("a whole last line that lacks only its newline gets it") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "lines";
  std::ofstream(file) << "one\ntwo";
  LineFile lines(file);
  lines.go_on_after(7, true);
  CHECK(content_of(file) == "one\ntwo\n");
  lines.append("three");
  CHECK(content_of(file) == "one\ntwo\nthree\n");
}

TEST_CASE("lines are kept beside a line file that is removed, replaced or changed while it is held") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "lines", other = scratch / "other";
  const fs::path aside = scratch / ("lines.aside-" + std::to_string(::getpid()));
  LineFile lines(file);
  lines.go_on_after(0, false);
  lines.append("one");
  const std::string kept = "one\ntwo\n";
  std::string left;
  SUBCASE("removed") { fs::remove(file); }
  SUBCASE("replaced by an editor's save") {
    left = "edited\n";
    std::ofstream(other) << left;
    fs::rename(other, file);
  }
  SUBCASE("moved away with its folder's other files") { fs::rename(file, other); }
  SUBCASE("written over in place") {
    left = "o";
    std::ofstream(file) << left;
  }
  const std::string message = refusal([&] { lines.append("two"); });
  CAPTURE(message);
  CHECK(message.starts_with(file.string()));
  CHECK(message.find(aside.string()) != std::string::npos);
  CHECK(content_of(aside) == kept);
  CHECK(content_of(file) == left);
}

TEST_CASE("a line file that is removed at any point of an append loses no line") {
  for (const KillPoint& point : testing::kill_points()) {
    // An append has no other.
    if (point.call != KillPoint::Call::write && point.call != KillPoint::Call::sync) continue;
    for (int n = 1; n <= 3; ++n) {
      const std::string name = name_of(point);
      CAPTURE(name);
      CAPTURE(n);
      const ScratchFolder scratch;
      const fs::path file = scratch / "lines";
      LineFile lines(file);
      lines.go_on_after(0, false);
      const AtPoint removal(point, n, [&] { ::unlink(file.c_str()); });
      std::string expected;
      const std::string message = refusal([&] {
        for (int i = 0; i < 10; ++i) {
          expected += std::to_string(i) + "\n";
          lines.append(std::to_string(i));
        }
      });
      CHECK(removal.met() == n);
      CHECK(message.find("removed or replaced") != std::string::npos);
      CHECK(expected.size() == 2 * static_cast<std::size_t>(n));  // it is noticed at once
      CHECK(content_of(scratch / ("lines.aside-" + std::to_string(::getpid()))) == expected);
    }
  }
}

TEST_CASE("where no more files can be opened a line file is refused, or goes on") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "lines";
  for (rlim_t highest = 3; highest < 10; ++highest) {
    CAPTURE(highest);
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(240);  // an endless loop ends as a failure
      for (int open = 3; open < 256; ++open) ::close(open);
      const rlimit limit{highest, highest};
      if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) ::_exit(3);
      try {
        LineFile lines(file);
        lines.go_on_after(0, false);
        lines.append("one");
      } catch (const DataError& error) {
        ::_exit(std::string_view(error.what()).find("ulimit -n") != std::string_view::npos ? 0 : 4);
      }
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}

TEST_CASE("one process holds a line file, until it ends however it ends") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "lines";
  std::ofstream(file) << "kept\n";
  {
    Killable holder([&](const std::function<void()>& ready) {
      static LineFile held(file);
      ready();
    });
    const std::string message = refusal([&] { LineFile second(file); });
    CHECK(message.find("Another alidade is writing " + file.string()) != std::string::npos);
    CHECK(content_of(file) == "kept\n");
  }
  const LineFile after(file);
  CHECK(refusal([&] { LineFile second(file); }).find("Another alidade") != std::string::npos);
}

TEST_CASE("a forked child that called let_go does not hold the file after its parent is killed") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "lines";
  pid_t survivor = -1;
  const fs::path note = scratch / "survivor";
  {
    Killable parent([&](const std::function<void()>& ready) {
      static LineFile held(file);
      const pid_t child = ::fork();
      if (child == 0) {
        held.let_go();
        std::ofstream(note) << ::getpid() << std::flush;
        ready();
        ::alarm(600);
        for (;;) ::pause();
      }
    });
    CHECK(refusal([&] { LineFile second(file); }).find("Another alidade") != std::string::npos);
  }
  std::ifstream(note) >> survivor;
  REQUIRE(survivor > 0);
  CHECK(::kill(survivor, 0) == 0);
  LineFile free(file);
  ::kill(survivor, SIGKILL);
}

TEST_CASE("lines are replaced whole, and the file stays held") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "lines";
  LineFile lines(file);
  lines.go_on_after(0, false);
  lines.append("one");
  lines.replace("two\nthree\n");
  CHECK(content_of(file) == "two\nthree\n");
  CHECK(names_in(scratch) == std::vector<std::string>{"lines"});
  CHECK(refusal([&] { LineFile second(file); }).find("Another alidade") != std::string::npos);
  lines.append("four");
  CHECK(content_of(file) == "two\nthree\nfour\n");
  lines.replace("");
  lines.append("five");
  CHECK(content_of(file) == "five\n");
}

TEST_CASE("a process that waited for a replaced file holds the new one") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "lines";
  std::ofstream(file) << "old\n";
  std::array<int, 2> asked{}, done{};
  REQUIRE(::pipe(asked.data()) == 0);
  REQUIRE(::pipe(done.data()) == 0);
  // Holds the file until it is asked for below, then puts another in its place and lets go.
  Killable other([&](const std::function<void()>& ready) {
    {
      LineFile held(file);
      ready();
      char byte = 0;
      if (::read(asked[0], &byte, 1) != 1) ::_exit(1);
      std::ofstream(scratch / "new") << "new\n" << std::flush;
      fs::rename(scratch / "new", file);
    }
    if (::write(done[1], "d", 1) != 1) ::_exit(1);
  });
  ::close(asked[0]);
  ::close(done[1]);  // so that the end of the other process is an answer, too
  // The file is open and its lock was refused: now it is replaced.
  bool replaced = false;
  const AtPoint refused({KillPoint::When::after, KillPoint::Call::lock}, 1, [&] {
    char byte = 0;
    replaced = ::write(asked[1], "a", 1) == 1 && ::read(done[0], &byte, 1) == 1;
  });
  LineFile lines(file, std::chrono::hours(1));
  CHECK(replaced);
  lines.go_on_after(4, false);
  lines.append("added");
  CHECK(content_of(file) == "new\nadded\n");
  ::close(asked[1]);
  ::close(done[0]);
}

TEST_CASE("a line file that cannot be opened is named with the reason") {
  const ScratchFolder scratch;
  CHECK(refusal([&] { LineFile lines(scratch / "none" / "lines"); }).find("lines: No such file") != std::string::npos);
  CHECK(refusal([&] { LineFile lines(scratch); }).find("Is a directory") != std::string::npos);
}

TEST_CASE("on a full disk a whole file is refused, and the old one stays") {
  const SmallDisk disk;
  if (!disk.mounted()) {
    MESSAGE("skipped: can not mount a small disk (" << disk.why_not() << ")");
    return;
  }
  write_whole_file(disk.path() / "f", "old");
  const std::string message = refusal([&] { write_whole_file(disk.path() / "f", std::string(100'000, 'x')); });
  CHECK(message.find("f: No space left on device") != std::string::npos);
  CHECK(content_of(disk.path() / "f") == "old");
  CHECK(names_in(disk.path()) == std::vector<std::string>{"f"});
}

TEST_CASE("on a full disk a line file keeps its whole lines, and continues when there is room") {
  const SmallDisk disk;
  if (!disk.mounted()) {
    MESSAGE("skipped: can not mount a small disk (" << disk.why_not() << ")");
    return;
  }
  const fs::path file = disk.path() / "lines";
  disk.fill(10'000);
  LineFile lines(file);
  lines.go_on_after(0, false);
  const std::string line(1500, 'z');
  int written = 0;
  const std::string message = refusal([&] {
    for (; written < 100; ++written) lines.append(line);
  });
  CHECK(message.find("lines: No space left on device") != std::string::npos);
  CHECK(written > 2);
  CHECK(written < 100);
  CHECK(content_of(file).size() == static_cast<std::size_t>(written) * (line.size() + 1));
  fs::remove(disk.path() / "filler");
  lines.append("last");
  const std::string text = content_of(file);
  CHECK(text.ends_with("z\nlast\n"));
  CHECK(text.size() == static_cast<std::size_t>(written) * (line.size() + 1) + 5);
}

TEST_SUITE_BEGIN("heavy");

TEST_CASE("a writer that is killed at random moments leaves the old file or the new one") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "f";
  Rng rng(8);
  for (int trial = 0; trial < 10; ++trial) {
    CAPTURE(trial);
    {
      Killable writer([&](const std::function<void()>& ready) {
        for (int i = 0;; ++i) {
          write_whole_file(file, std::string(200'000, static_cast<char>('a' + i % 3)));
          if (i == 0) ready();
        }
      });
      ::usleep(static_cast<useconds_t>(rng.below(5000)));
    }
    const std::string text = content_of(file);
    CHECK(text.size() == 200'000);
    CHECK(text.find_first_not_of(text[0]) == std::string::npos);
  }
}

TEST_CASE("a line file that is removed at random moments loses no line") {
  Rng rng = Rng::stream(9, "removals");
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const ScratchFolder scratch;
    const fs::path file = scratch / "lines", moved = scratch / "moved";
    std::string message;
    {
      LineFile lines(file);
      lines.go_on_after(0, false);
      const int before = static_cast<int>(rng.below(5));
      for (int i = 0; i < before; ++i) lines.append(std::to_string(i));
      const pid_t remover = ::fork();
      if (remover == 0) {
        ::usleep(static_cast<useconds_t>(rng.below(3000)));
        ::_exit(::unlink(file.c_str()) == 0 ? 0 : 1);
      }
      message = refusal([&] {
        for (int i = before;; ++i) lines.append(std::to_string(i));
      });
      int status = 0;
      REQUIRE(::waitpid(remover, &status, 0) == remover);
      CHECK(status == 0);
    }
    CHECK(message.find("removed or replaced") != std::string::npos);
    const std::string kept = content_of(scratch / ("lines.aside-" + std::to_string(::getpid())));
    std::string expected;
    for (int i = 0; expected.size() < kept.size(); ++i) expected += std::to_string(i) + "\n";
    CHECK(kept == expected);
  }
}

TEST_SUITE_END();

}  // namespace durable_file_test
