#include "experiments/datasets/download/fetch.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "experiments/files/durable_file.hpp"
#include "experiments/files/sha256.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/http_server.hpp"
#include "tests/support/kill_points.hpp"
#include "tests/support/needs_curl.hpp"
#include "tests/support/packed_files.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/small_disk.hpp"

namespace fetch_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using datasets::DataFile;
using datasets::DatasetEntry;
using datasets::Download;
using datasets::FetchedFile;
using datasets::FetchOptions;
using datasets::FetchState;
namespace fs = std::filesystem;

using Names = std::vector<std::string>;

/// Bytes that compress badly and are different everywhere.
std::string noise(std::size_t size, std::uint64_t seed = 1) {
  Rng rng = Rng::stream(seed, "noise");
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(rng.below(256));
  return out;
}

DatasetEntry entry_of(std::vector<DataFile> files) {
  DatasetEntry out;
  out.name = "set";
  out.files = std::move(files);
  return out;
}

DatasetEntry entry_at(const std::string& content, std::vector<Download> downloads) {
  return entry_of({{.path = "set/data.txt",
                    .sha256 = sha256(content),
                    .url = "http://example.org",
                    .downloads = std::move(downloads)}});
}

/// Does not wait before it tries again, and keeps a record of what was said and how long it was to wait.
struct Bench {
  ScratchFolder scratch;
  fs::path folder = scratch / "data";
  Names lines;
  std::vector<double> pauses;
  FetchOptions options;

  Bench() {
    options.download.stall_seconds = 600;  // on a busy machine a server may say nothing for long
    options.download.retries = 3;
    options.pause = [this](double seconds) { pauses.push_back(seconds); };
    options.say = [this](const std::string& line) { lines.push_back(line); };
  }
  FetchedFile fetch_one(const DatasetEntry& entry) {
    const std::vector<FetchedFile> out = datasets::fetch(entry, folder, options);
    REQUIRE(out.size() == 1);
    return out.front();
  }
  /// Names below the folder, without folders and the lock.
  [[nodiscard]] Names files() const {
    Names out;
    if (!fs::exists(folder)) return out;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().filename() != ".fetch.lock")
        out.push_back(entry.path().lexically_relative(folder).string());
    std::ranges::sort(out);
    return out;
  }
  [[nodiscard]] bool was_said(std::string_view part) const {
    return std::ranges::any_of(lines, [&](const std::string& l) { return l.find(part) != l.npos; });
  }
  void check_fetched(const FetchedFile& done, const std::string& content) const {
    CAPTURE(done.message);
    CHECK(done.state == FetchState::fetched);
    CHECK(done.message.empty());
    CHECK(files() == Names{"set/data.txt"});
    CHECK((content_of(folder / "set/data.txt") == content));
  }
  void check_failed(const FetchedFile& done, std::string_view reason) const {
    CHECK(done.state == FetchState::failed);
    CAPTURE(done.message);
    CHECK(done.message.find(reason) != std::string::npos);
    CHECK(done.message.find('\n') == std::string::npos);
    CHECK_FALSE(fs::exists(folder / "set/data.txt"));
  }
};

/// A port of the loopback interface at which nobody listens, nor anybody else can meanwhile.
class SilentPort {
 public:
  SilentPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    REQUIRE(::bind(socket_, generic, size) == 0);
    REQUIRE(::getsockname(socket_, generic, &size) == 0);
    port_ = ntohs(address.sin_port);
    ::setenv("no_proxy", "*", 1);
  }
  ~SilentPort() { ::close(socket_); }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  [[nodiscard]] std::string url(const std::string& target) const {
    return "http://127.0.0.1:" + std::to_string(port_) + target;
  }

 private:
  int socket_, port_ = 0;
};

HttpReply cut(HttpReply reply, std::size_t at) {
  reply.sent = at;
  return reply;
}

HttpReply status(int code) { return {.status = code, .headers = {}, .body = "no"}; }

HttpReply redirect(const std::string& to) {
  return {.status = 302, .headers = {{"Location", to}}, .body = "elsewhere"};
}

}  // namespace

// ---- one address ----

TEST_SUITE_BEGIN("web" * doctest::skip(!datasets::can_download()));

TEST_CASE("a file is downloaded once, checked by its hash, and no helper file is left") {
  const std::string content = noise(300'000);
  const HttpServer server([&](const HttpRequest& r, int) { return served(r, content); });
  Bench bench;
  std::uintmax_t shown = 0;
  bench.options.progress = [&](const std::string& path, std::uintmax_t have, auto all) {
    CHECK(path == "set/data.txt");
    CHECK(have >= shown);
    CHECK(all == content.size());
    shown = have;
  };
  const DatasetEntry entry = entry_at(content, {{server.url("/a"), ""}});
  bench.check_fetched(bench.fetch_one(entry), content);
  CHECK(shown == content.size());
  CHECK(server.requests().size() == 1);
  CHECK_FALSE(server.requests()[0].range_begin());
  CHECK(bench.fetch_one(entry).state == FetchState::present);
  CHECK(server.requests().size() == 1);
}

TEST_CASE("an empty file is a file") {
  const HttpServer server([&](const HttpRequest& r, int) { return served(r, ""); });
  Bench bench;
  bench.check_fetched(bench.fetch_one(entry_at("", {{server.url("/a"), ""}})), "");
}

TEST_CASE("an interrupted response is resumed where it ended") {
  const std::string content = noise(100'000);
  const auto fetched = [&](const HttpServer& server) {
    Bench bench;
    bench.check_fetched(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), content);
    std::vector<std::size_t> begins;
    for (const HttpRequest& request : server.requests()) begins.push_back(request.range_begin().value_or(0));
    return begins;
  };
  SUBCASE("in three parts") {
    const HttpServer server([&](const HttpRequest& r, int) { return cut(served(r, content), 40'000); });
    CHECK(fetched(server) == std::vector<std::size_t>{0, 40'000, 80'000});
  }
  SUBCASE("from the start where the server ignores ranges, or sends others") {
    for (const bool other : {false, true}) {
      const HttpServer server([&](const HttpRequest& r, int nth) {
        HttpReply reply = other && nth == 2 ? served(r, content) : HttpReply{.body = content};
        if (other && nth == 2) reply.headers = {{"Content-Range", "bytes 0-99999/100000"}};
        return cut(reply, nth == 1 ? 70'000 : std::string::npos);
      });
      CHECK(fetched(server)[1] == 70'000);
    }
  }
  SUBCASE("without a length it is cut unnoticed, and fetched again for its hash") {
    const HttpServer server([&](const HttpRequest&, int nth) {
      HttpReply reply = cut({.body = content}, nth == 1 ? 70'000 : std::string::npos);
      reply.with_length = false;
      return reply;
    });
    CHECK(fetched(server).size() == 2);
  }
  SUBCASE("at the same place every time, it is given up") {
    const HttpServer server([&](const HttpRequest&, int) { return cut({.body = content}, 10'000); });
    Bench bench;
    bench.check_failed(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), "after 4 attempts");
    // One brings 10,000 bytes, three more nothing new.
    CHECK(server.requests().size() == 4);
  }
}

TEST_CASE("a connection may drop anywhere, any number of times") {
  const std::string content = noise(200'000);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    Rng rng = Rng::stream(seed, "drops");
    const HttpServer server([&](const HttpRequest& r, int) {
      HttpReply reply = served(r, content);
      const std::size_t some = 1 + static_cast<std::size_t>(rng.below(30'000));
      reply.sent = some;
      return reply;
    });
    Bench bench;
    bench.check_fetched(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), content);
    CHECK(server.requests().size() >= 7);
  }
}

TEST_CASE("parts of two versions are never joined: the hash tells") {
  const std::string before = noise(100'000, 1);
  for (const std::string& after : {noise(100'000, 2), noise(30'000, 3)}) {
    CAPTURE(after.size());
    const HttpServer server(
        [&](const HttpRequest& r, int nth) { return nth == 1 ? cut(served(r, before), 50'000) : served(r, after); });
    Bench bench;
    bench.check_fetched(bench.fetch_one(entry_at(after, {{server.url("/a"), ""}})), after);
    CHECK(server.requests().size() == 3);
    CHECK(bench.was_said("do not fit together"));
  }
}

TEST_CASE("a limited number of redirects is followed, only to http or https") {
  const std::string content = noise(1'000);
  Bench bench;
  SUBCASE("to where the file is") {
    const HttpServer server([&](const HttpRequest& r, int) {
      if (r.target == "/a") return redirect("/b");
      if (r.target == "/b") return redirect("c?d=e");
      return served(r, content);
    });
    bench.check_fetched(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), content);
  }
  SUBCASE("in a circle") {
    const HttpServer server([&](const HttpRequest& r, int) { return redirect(r.target == "/a" ? "/b" : "/a"); });
    bench.check_failed(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), "redirects more than 10 times");
    CHECK(server.requests().size() == 11);
  }
  SUBCASE("to a file of this machine, whose content would even be right") {
    const fs::path secret = bench.scratch / "secret";
    write_text(secret, content);
    const HttpServer server([&](const HttpRequest&, int) { return redirect("file://" + secret.string()); });
    bench.check_failed(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), "redirects to 'file:///");
    CHECK(server.requests().size() == 1);
  }
  for (const std::string other : {"ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "scp://127.0.0.1/x"})
    SUBCASE(other.c_str()) {
      const HttpServer server([&](const HttpRequest&, int) { return redirect(other); });
      bench.check_failed(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), "which is not http or https");
    }
}

TEST_CASE("an address of another scheme is refused") {
  Bench bench;
  write_text(bench.scratch / "x", "x");
  for (const std::string& url :
       {"file://" + (bench.scratch / "x").string(), std::string("ftp://127.0.0.1/x"), std::string("x")})
    bench.check_failed(bench.fetch_one(entry_at("x", {{url, ""}})), "http or https address");
}

TEST_CASE("wrong bytes are refused with both hashes, and are removed") {
  const std::string content = noise(1'000), wrong = noise(1'000, 2);
  const HttpServer server([&](const HttpRequest& r, int) { return served(r, wrong); });
  Bench bench;
  const FetchedFile done = bench.fetch_one(entry_at(content, {{server.url("/a"), ""}}));
  bench.check_failed(done, sha256(wrong));
  CHECK(done.message.find(sha256(content)) != std::string::npos);
  CHECK(server.requests().size() == 1);
  CHECK(bench.files().empty());
}

TEST_CASE("temporary failures are retried, permanent ones are not") {
  const std::string content = noise(1'000);
  Bench bench;
  SUBCASE("500, 503 and then the file") {
    const HttpServer server([&](const HttpRequest& r, int nth) {
      return nth == 1 ? status(500) : nth == 2 ? status(503) : served(r, content);
    });
    bench.check_fetched(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), content);
    CHECK(bench.was_said("the server answered 503; next attempt in"));
  }
  for (const int code : {408, 429, 500, 502, 503, 504}) SUBCASE(std::to_string(code).c_str()) {
      const HttpServer server([&](const HttpRequest&, int) { return status(code); });
      bench.check_failed(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})),
                         "after 4 attempts: the server answered " + std::to_string(code));
      CHECK(server.requests().size() == 4);
    }
  for (const int code : {400, 401, 403, 404, 410, 501}) SUBCASE(std::to_string(code).c_str()) {
      const HttpServer server([&](const HttpRequest&, int) { return status(code); });
      bench.check_failed(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})),
                         "The server answered " + std::to_string(code));
      CHECK(bench.files().empty());
      CHECK(server.requests().size() == 1);
    }
  SUBCASE("an error page is not appended to what is here") {
    const HttpServer server([&](const HttpRequest& r, int nth) {
      return nth == 1 ? cut(served(r, content), 500) : nth == 2 ? status(503) : served(r, content);
    });
    bench.check_fetched(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), content);
    REQUIRE(server.requests().size() == 3);
    CHECK(server.requests()[2].range_begin() == 500);
  }
  SUBCASE("nobody listens") {
    const SilentPort port;
    bench.check_failed(bench.fetch_one(entry_at(content, {{port.url("/a"), ""}})), "after 4 attempts");
  }
}

TEST_CASE("pauses grow, and are as long as the server asks") {
  const std::string content = noise(10);
  Bench bench;
  SUBCASE("in a header for one of them") {
    const HttpServer server([&](const HttpRequest& r, int nth) {
      HttpReply busy = status(503);
      if (nth == 3) busy.headers.emplace_back("Retry-After", "1");
      return nth <= 3 ? busy : served(r, content);
    });
    bench.options.download.pause_seconds = 0.01;
    bench.check_fetched(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), content);
    CHECK(bench.pauses == std::vector<double>{0.01, 0.02, 1});
    CHECK(bench.was_said("next attempt in 0.01 s"));
    CHECK(bench.was_said("next attempt in 0.02 s"));
    CHECK(bench.was_said("next attempt in 1 s"));
  }
  SUBCASE("up to a minute") {
    const HttpServer server([&](const HttpRequest& r, int nth) {
      HttpReply busy = status(503);
      if (nth == 8) busy.headers.emplace_back("Retry-After", "3600");
      return nth <= 8 ? busy : served(r, content);
    });
    bench.options.download.retries = 8;
    bench.options.download.pause_seconds = 1;
    bench.check_fetched(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), content);
    CHECK(bench.pauses == std::vector<double>{1, 2, 4, 8, 16, 32, 60, 60});
  }
  SUBCASE("and from the start once there were new bytes") {
    const std::string longer = noise(1'000);
    const HttpServer server([&](const HttpRequest& r, int nth) {
      return nth == 3 ? cut(served(r, longer), 500) : nth <= 4 ? status(503) : served(r, longer);
    });
    bench.options.download.pause_seconds = 1;
    bench.check_fetched(bench.fetch_one(entry_at(longer, {{server.url("/a"), ""}})), longer);
    CHECK(bench.pauses == std::vector<double>{1, 2, 1, 2});
  }
}

TEST_CASE("a stop in a pause ends the fetch") {
  const HttpServer server([&](const HttpRequest&, int) { return status(503); });
  std::stop_source stop;
  Bench bench;
  bench.options.stop = stop.get_token();
  bench.options.pause = [&](double) { stop.request_stop(); };
  CHECK(bench.fetch_one(entry_at("x", {{server.url("/a"), ""}})).state == FetchState::stopped);
  CHECK(server.requests().size() == 1);
}

TEST_CASE("a stalled attempt is ended and resumed at once") {
  const std::string content = noise(10'000);
  Bench bench;
  bench.options.download.stall_seconds = 1;
  SUBCASE("in the middle") {
    const HttpServer server([&](const HttpRequest& r, int nth) {
      HttpReply reply = served(r, content);
      if (nth == 1) reply.sent = 5'000, reply.hang = true;
      return reply;
    });
    bench.options.download.retries = 900;  // a busy machine may stall more often
    std::uintmax_t had = 0;                // when the last attempt began
    bench.options.pause = [&](double) { had = fs::file_size(bench.folder / "set/data.txt.part"); };
    bench.check_fetched(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), content);
    CHECK(bench.was_said("no byte for 1 s"));
    if (had > 0)
      CHECK(std::ranges::any_of(server.requests(), [&](const HttpRequest& r) { return r.range_begin() == had; }));
  }
  SUBCASE("before the first byte, always") {
    const HttpServer server([&](const HttpRequest& r, int) {
      HttpReply reply = served(r, content);
      reply.sent = 0, reply.hang = true;
      return reply;
    });
    bench.options.download.retries = 1;
    bench.check_failed(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})),
                       "after 2 attempts: no byte for 1 s");
  }
}

TEST_CASE("too large files are refused, with or without an announced length") {
  const std::string content = noise(10'000);
  for (const bool says : {true, false}) {
    CAPTURE(says);
    const HttpServer server([&](const HttpRequest& r, int) {
      HttpReply reply = served(r, content);
      reply.with_length = says;
      return reply;
    });
    Bench bench;
    bench.options.download.bytes = 9'999;
    bench.check_failed(bench.fetch_one(entry_at(content, {{server.url("/a"), ""}})), "the limit of 9999 bytes");
  }
}

TEST_CASE("if one address fails the next is tried") {
  const std::string content = noise(1'000), wrong = noise(1'000, 2);
  const HttpServer server([&](const HttpRequest& r, int) {
    return r.target == "/gone" ? status(404) : served(r, r.target == "/wrong" ? wrong : content);
  });
  Bench bench;
  bench.check_fetched(
      bench.fetch_one(
          entry_at(content, {{server.url("/gone"), ""}, {server.url("/wrong"), ""}, {server.url("/right"), ""}})),
      content);
  CHECK(server.requests().size() == 3);
  CHECK(bench.was_said("/gone: The server answered 404."));
  CHECK(bench.was_said("/wrong gave 1000 bytes with sha256 " + sha256(wrong)));
}

TEST_CASE("a file without an address is reported as one to download by hand") {
  Bench bench;
  DatasetEntry entry = entry_at("x", {});
  entry.files[0].by_hand = "ask the authors";
  const FetchedFile done = bench.fetch_one(entry);
  CHECK(done.state == FetchState::by_hand);
  CHECK(done.message.find("http://example.org: ask the authors") != std::string::npos);
}

// ---- the folder ----

TEST_CASE("other bytes in a file's place stay") {
  const std::string content = noise(1'000);
  const HttpServer server([&](const HttpRequest& r, int) { return served(r, content); });
  Bench bench;
  fs::create_directories(bench.folder / "set");
  write_text(bench.folder / "set/data.txt", "mine");
  const FetchedFile done = bench.fetch_one(entry_at(content, {{server.url("/a"), ""}}));
  CHECK(done.state == FetchState::differs);
  CHECK(done.message.find("Move it away") != std::string::npos);
  CHECK(content_of(bench.folder / "set/data.txt") == "mine");
  CHECK(server.requests().empty());
}

TEST_CASE("only one fetch at a time writes to a folder") {
  const std::string content = noise(1'000);
  const HttpServer server([&](const HttpRequest& r, int) { return served(r, content); });
  Bench bench;
  fs::create_directories(bench.folder);
  const DatasetEntry entry = entry_at(content, {{server.url("/a"), ""}});
  {
    const LineFile held(bench.folder / ".fetch.lock");
    CHECK_THROWS_AS(static_cast<void>(bench.fetch_one(entry)), DataError);
    CHECK(server.requests().empty());
  }
  bench.check_fetched(bench.fetch_one(entry), content);
}

TEST_CASE("a complete folder is not written to") {
  Bench bench;
  fs::create_directories(bench.folder / "set");
  write_text(bench.folder / "set/data.txt", "x");
  CHECK(bench.fetch_one(entry_at("x", {})).state == FetchState::present);
  CHECK_FALSE(fs::exists(bench.folder / ".fetch.lock"));
}

TEST_CASE("a full disk gives one line, and the download resumes when there is room") {
  const SmallDisk disk(256);
  if (!disk.mounted()) {
    MESSAGE("skipped: " << disk.why_not());
    return;
  }
  const std::string content = noise(100'000);
  const HttpServer server([&](const HttpRequest& r, int) { return served(r, content); });
  disk.fill(40'000);
  Bench bench;
  bench.folder = disk.path();
  const DatasetEntry entry = entry_at(content, {{server.url("/a"), ""}});
  std::string message;
  try {
    static_cast<void>(bench.fetch_one(entry));
  } catch (const datasets::DownloadError&) {
    FAIL("a full disk is not the server's fault");
  } catch (const DataError& error) {
    message = error.what();
  }
  CHECK(message.find("No space left on device") != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
  CHECK_FALSE(fs::exists(bench.folder / "set/data.txt"));
  fs::remove(disk.path() / "filler");
  bench.check_fetched(bench.fetch_one(entry), content);
  CHECK(server.requests().back().range_begin().value_or(0) > 0);
}

TEST_CASE("a stop keeps the partial file, and the next fetch resumes it") {
  const std::string content = noise(10'000);
  std::stop_source stop;
  const HttpServer server([&](const HttpRequest& r, int nth) {
    HttpReply reply = served(r, content);
    if (nth == 1) reply.sent = 6'000, reply.hang = true;
    return reply;
  });
  Bench bench;
  bench.options.download.stall_seconds = 60;
  bench.options.stop = stop.get_token();
  bench.options.progress = [&](const std::string&, std::uintmax_t have, auto) {
    if (have == 6'000) stop.request_stop();
  };
  const DatasetEntry entry = entry_at(content, {{server.url("/a"), ""}});
  CHECK(bench.fetch_one(entry).state == FetchState::stopped);
  CHECK_FALSE(fs::exists(bench.folder / "set/data.txt"));
  bench.options.stop = {};
  bench.options.progress = {};
  bench.check_fetched(bench.fetch_one(entry), content);
  CHECK(server.requests()[1].range_begin() == 6'000);
}

TEST_CASE("a fetch killed at any point is resumed by the next, which completes the file") {
  const std::string content = noise(60'000);  // of which libcurl hands over 16 kB at a time
  const HttpServer server([&](const HttpRequest& r, int) { return served(r, content); });
  Bench bench;
  const DatasetEntry entry = entry_at(content, {{server.url("/a"), ""}});
  const fs::path target = bench.folder / "set/data.txt", part = bench.folder / "set/data.txt.part";
  std::map<std::string, int> resumed;  // by points
  const auto fetch_quietly = [&] {
    FetchOptions options = bench.options;
    options.say = {};
    static_cast<void>(datasets::fetch(entry, bench.folder, options));
  };
  const auto check = [&](const KillPoint& point) {
    const bool there = fs::exists(target);
    if (there) CHECK((content_of(target) == content));
    // The bytes get their name once they are on the disk.
    if (point.call == KillPoint::Call::write) CHECK_FALSE(there);
    const std::uintmax_t had = fs::exists(part) ? fs::file_size(part) : 0;
    const std::size_t before = server.requests().size();
    const FetchedFile done = bench.fetch_one(entry);
    CHECK(done.state == (there ? FetchState::present : FetchState::fetched));
    CHECK((content_of(target) == content));
    CHECK(bench.files() == Names{"set/data.txt"});
    // What was there is not asked for again.
    const std::vector<HttpRequest> requests = server.requests();
    REQUIRE(requests.size() == before + (there ? 0 : 1));
    if (requests.size() == before) return;
    CHECK(requests.back().range_begin().value_or(0) == had);
    if (had > 0) ++resumed[name_of(point)];
  };
  const std::map<std::string, int> kills =
      kill_at_every_point([&] { fs::remove_all(bench.folder); }, fetch_quietly, check);
  for (const KillPoint& point : kill_points()) {
    const std::string name = name_of(point);
    CAPTURE(name);
    CHECK(kills.contains(name));
  }
  for (const char* point : {"before write", "halfway write", "after write"}) CHECK(resumed[point] >= 1);
}

TEST_SUITE_END();

// ---- archives ----

TEST_SUITE_BEGIN("archives" * doctest::skip(!datasets::can_download() || !can_unpack()));

namespace {

DatasetEntry two_members(const std::string& url, const std::string& one, const std::string& two) {
  return entry_of({{.path = "set/one", .sha256 = sha256(one), .downloads = {{url, "in/one"}}},
                   {.path = "set/two", .sha256 = sha256(two), .downloads = {{url, "two"}}}});
}

}  // namespace

TEST_CASE("files are unpacked from zip and tar archives, which are downloaded once and not kept") {
  const std::string one = noise(50'000, 1), two = noise(20'000, 2);
  const std::vector<PackedFile> files = {{"readme", "read me"}, {"in/one", one}, {"two", two}};
  for (const std::string& archive : {zip_of(files), tar_of(files), gzip_of(tar_of(files))}) {
    CAPTURE(archive.size());
    const HttpServer server(
        [&](const HttpRequest& r, int nth) { return cut(served(r, archive), nth == 1 ? 30'000 : std::string::npos); });
    Bench bench;
    const auto done = datasets::fetch(two_members(server.url("/x.zip?y"), one, two), bench.folder, bench.options);
    REQUIRE(done.size() == 2);
    for (const FetchedFile& file : done) {
      CAPTURE(file.message);
      CHECK(file.state == FetchState::fetched);
    }
    CHECK((content_of(bench.folder / "set/one") == one));
    CHECK((content_of(bench.folder / "set/two") == two));
    CHECK(bench.files() == Names{"set/one", "set/two"});
    CHECK(server.requests().size() == 2);
  }
}

TEST_CASE("bad archives are refused, and leave nothing") {
  const std::string content = noise(1'000);
  const auto refused = [&](const std::string& archive, const std::string& member, std::string_view reason) {
    const HttpServer server([&](const HttpRequest& r, int) { return served(r, archive); });
    Bench bench;
    bench.options.archive = {.file_bytes = 1 << 20, .all_bytes = 2 << 20, .entries = 1'000};
    bench.check_failed(bench.fetch_one(entry_at(content, {{server.url("/x"), member}})), reason);
    CHECK(bench.files().empty());
    CHECK(fs::directory_iterator(bench.scratch) != fs::directory_iterator());
    CHECK_FALSE(fs::exists(bench.scratch / "evil"));
    CHECK_FALSE(fs::exists(bench.folder / "evil"));
  };
  const PackedFile good{"data", content};
  SUBCASE("no such file") { refused(zip_of({good}), "date", "has no file 'date'"); }
  SUBCASE("no archive") { refused(content, "data", "not a zip or tar archive"); }
  SUBCASE("cut short") { refused(gzip_of(tar_of({good})).substr(0, 700), "data", "not a zip or tar archive"); }
  SUBCASE("another content") { refused(zip_of({{"data", "other"}}), "data", sha256("other")); }
  SUBCASE("damaged content") {
    std::string zip = zip_of({good});
    zip[500] = static_cast<char>(zip[500] + 1);
    refused(zip, "data", "(ZIP bad CRC");
  }
  for (const std::string name : {"../evil", "in/../../evil", "/evil", "..", "in\\..\\evil"}) SUBCASE(name.c_str()) {
      refused(tar_of({{name, "evil"}, good}), "data", "outside its folder");
      if (name.find('\\') == name.npos) refused(zip_of({{name, "evil"}, good}), "data", "outside its folder");
    }
  SUBCASE("a symbolic link for the file") {
    refused(tar_of({{"data", "", '2', "/etc/passwd"}}), "data", "has a link or a folder for 'data'");
  }
  SUBCASE("a hard link for the file") {
    refused(tar_of({{"other", content}, {"data", "", '1', "other"}}), "data", "has a link or a folder for 'data'");
  }
  SUBCASE("a folder for the file") {
    refused(tar_of({{"data", "", '5', ""}}), "data", "has a link or a folder for 'data'");
  }
  SUBCASE("a bomb in the file's place") {
    const std::string bomb = gzip_of(tar_of({{"data", std::string(3 << 20, '\0')}}), 9);
    CHECK(bomb.size() < 10'000);
    refused(bomb, "data", "would unpack to more than 2097152 bytes");
  }
  SUBCASE("a file larger than one may be") {
    refused(zip_of({{"data", std::string((1 << 20) + 1, '\0')}}), "data", "more than 1048576 bytes");
  }
  SUBCASE("a bomb before the file") {
    refused(gzip_of(tar_of({{"zeros", std::string(3 << 20, '\0')}, good}), 9), "data",
            "would unpack to more than 2097152 bytes");
  }
  SUBCASE("many small ones before the file") {
    std::vector<PackedFile> many(1'500, PackedFile{"zero", ""});
    many.push_back(good);
    refused(tar_of(many), "data", "has more than 1000 entries");
  }
}

TEST_CASE("a link that was not requested is skipped") {
  const std::string content = noise(1'000);
  const HttpServer server([&](const HttpRequest& r, int) {
    return served(r, tar_of({{"shortcut", "", '2', "/etc/passwd"}, {"./data", content}}));
  });
  Bench bench;
  bench.check_fetched(bench.fetch_one(entry_at(content, {{server.url("/x"), "data"}})), content);
}

TEST_SUITE_END();

// ---- files packed by gzip ----

TEST_SUITE_BEGIN("web" * doctest::skip(!datasets::can_download()));

TEST_CASE("a gzip file is accepted as recorded, packed otherwise, or unpacked") {
  const std::string content = std::string(5'000, 'a') + noise(5'000);
  const std::string known = gzip_of(content, 9), other = gzip_of(content, 1);
  REQUIRE(known != other);
  std::string given;
  const HttpServer server([&](const HttpRequest& r, int) { return served(r, given); });
  const DatasetEntry entry = entry_of({{.path = "set/data.gz",
                                        .sha256 = sha256(known),
                                        .unpacked_sha256 = sha256(content),
                                        .downloads = {{server.url("/a"), ""}}}});
  SUBCASE("as known") {
    given = known;
    Bench bench;
    CHECK(bench.fetch_one(entry).state == FetchState::fetched);
    CHECK(bench.files() == Names{"set/data.gz"});
  }
  for (const std::string& bytes : {other, content}) {
    SUBCASE(bytes == other ? "packed otherwise" : "unpacked") {
      given = bytes;
      Bench bench;
      CHECK(bench.fetch_one(entry).state == FetchState::fetched);
      CHECK(bench.files() == Names{"set/data"});
      CHECK((content_of(bench.folder / "set/data") == content));
      CHECK(bench.fetch_one(entry).state == FetchState::present);
    }
  }
  SUBCASE("a bomb") {
    given = gzip_of(std::string(3 << 20, '\0'), 9);
    Bench bench;
    bench.options.archive.file_bytes = 1 << 20;
    CHECK(bench.fetch_one(entry).state == FetchState::failed);
    CHECK(bench.files().empty());
  }
}

TEST_SUITE_END();

// ---- mirrors ----

TEST_CASE("a mirror is a folder or an address with the same relative paths") {
  const std::string content = noise(1'000);
  const DatasetEntry entry = entry_at(content, {});
  Bench bench;
  SUBCASE("a folder") {
    bench.options.from = (bench.scratch / "mirror").string();
    fs::create_directories(bench.scratch / "mirror/set");
    SUBCASE("with the file") {
      write_text(bench.scratch / "mirror/set/data.txt", content);
      bench.check_fetched(bench.fetch_one(entry), content);
    }
    SUBCASE("with another file") {
      write_text(bench.scratch / "mirror/set/data.txt", "other");
      bench.check_failed(bench.fetch_one(entry), sha256("other"));
    }
    SUBCASE("without it") { bench.check_failed(bench.fetch_one(entry), "cannot be read"); }
  }
  SUBCASE("an address") {
    if (!datasets::can_download()) return;
    const HttpServer server([&](const HttpRequest& r, int) {
      return r.target == "/mirror/set/data.txt" ? served(r, content) : status(404);
    });
    bench.options.from = server.url("/mirror/");
    bench.check_fetched(bench.fetch_one(entry), content);
  }
  SUBCASE("one that has a gzip file unpacked") {
    if (!datasets::can_download()) return;
    const DatasetEntry packed =
        entry_of({{.path = "set/data.txt.gz", .sha256 = sha256("packed"), .unpacked_sha256 = sha256(content)}});
    const HttpServer server(
        [&](const HttpRequest& r, int) { return r.target == "/set/data.txt" ? served(r, content) : status(404); });
    bench.options.from = server.url();
    bench.check_fetched(bench.fetch_one(packed), content);
    fs::remove_all(bench.folder);
    fs::create_directories(bench.scratch / "mirror/set");
    write_text(bench.scratch / "mirror/set/data.txt", content);
    bench.options.from = (bench.scratch / "mirror").string();
    bench.check_fetched(bench.fetch_one(packed), content);
  }
  for (const std::string from : {"/no/such/folder", "file:///etc", "ftp://127.0.0.1/"}) SUBCASE(from.c_str()) {
      bench.options.from = from;
      CHECK_THROWS_AS(static_cast<void>(bench.fetch_one(entry)), ConfigError);
      CHECK_FALSE(fs::exists(bench.folder));
    }
}

TEST_CASE("without libcurl or libarchive the error says why and what to do") {
  const std::string content = noise(1'000);
  const HttpServer server([&](const HttpRequest& r, int) { return served(r, zip_of({{"data", content}})); });
  Bench bench;
  const auto message = [&](const std::string& member) -> std::string {
    try {
      return bench.fetch_one(entry_at(content, {{server.url("/x"), member}})).message;
    } catch (const DataError& error) {
      return error.what();
    }
  };
  if (!datasets::can_download())
    CHECK(message("data").find("libcurl4-openssl-dev") != std::string::npos);
  else if (!can_unpack())
    CHECK(message("data").find("libarchive-dev") != std::string::npos);
  else
    CHECK(message("data").empty());
}

TEST_SUITE_BEGIN("heavy");

TEST_CASE("a fetch killed at random moments is resumed by the next, which completes the file") {
  ALIDADE_NEEDS_CURL();
  const std::string content = noise(400'000);
  const HttpServer server([&](const HttpRequest& r, int) {
    HttpReply reply = served(r, content);
    reply.slice = 4'000;  // a tenth of a second in all
    return reply;
  });
  Rng rng = Rng::stream(7, "kills");
  int resumed = 0, killed = 0;
  for (int round = 0; round < 4; ++round) {
    Bench bench;
    const DatasetEntry entry = entry_at(content, {{server.url("/a"), ""}});
    for (int kill = 0; kill < 8; ++kill) {
      const pid_t child = ::fork();
      REQUIRE(child >= 0);
      if (child == 0) {
        bench.options.say = {};
        static_cast<void>(datasets::fetch(entry, bench.folder, bench.options));
        ::_exit(0);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(rng.below(60'000)));
      ::kill(child, SIGKILL);
      int ended = 0;
      ::waitpid(child, &ended, 0);
      killed += WIFSIGNALED(ended) ? 1 : 0;
      if (fs::exists(bench.folder / "set/data.txt")) CHECK((content_of(bench.folder / "set/data.txt") == content));
    }
    const FetchedFile done = bench.fetch_one(entry);
    CHECK((done.state == FetchState::fetched || done.state == FetchState::present));
    CHECK((content_of(bench.folder / "set/data.txt") == content));
  }
  for (const HttpRequest& request : server.requests()) resumed += request.range_begin() ? 1 : 0;
  CAPTURE(killed);
  CHECK(killed >= 10);
  CHECK(resumed >= 1);  // fewer on a busy machine
}

TEST_SUITE_END();

}  // namespace fetch_test
