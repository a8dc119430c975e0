// The pauses and stalls of downloads on the real clock. What a download decides to wait is in
// experiments/datasets/download/fetch_test.cpp.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/datasets/download/fetch.hpp"
#include "experiments/files/sha256.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/http_server.hpp"
#include "tests/support/needs_curl.hpp"
#include "tests/support/scratch_folder.hpp"

namespace fetch_pause_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using datasets::FetchedFile;
using datasets::FetchOptions;
using datasets::FetchState;
namespace fs = std::filesystem;

/// Fetches what the server has at "/a" as DATA/set/data.txt.
void check_fetched(const HttpServer& server, const std::string& content, const FetchOptions& options) {
  const ScratchFolder scratch;
  datasets::DatasetEntry entry;
  entry.name = "set";
  entry.files = {{.path = "set/data.txt",
                  .sha256 = sha256(content),
                  .url = "http://example.org",
                  .downloads = {{server.url("/a"), ""}}}};
  const std::vector<FetchedFile> done = datasets::fetch(entry, scratch / "data", options);
  REQUIRE(done.size() == 1);
  CAPTURE(done[0].message);
  CHECK(done[0].state == FetchState::fetched);
  CHECK((content_of(scratch / "data/set/data.txt") == content));
}

}  // namespace

TEST_SUITE_BEGIN("timing");

TEST_CASE("a download waits as long as the server asks") {
  ALIDADE_NEEDS_CURL();
  const std::string content(10, 'x');
  const HttpServer server([&](const HttpRequest& r, int nth) {
    HttpReply busy{.status = 503, .headers = {}, .body = "no"};
    if (nth == 3) busy.headers.emplace_back("Retry-After", "1");
    return nth <= 3 ? busy : served(r, content);
  });
  FetchOptions options;
  options.download = {.stall_seconds = 1, .retries = 3, .pause_seconds = 0.01};
  const auto begin = std::chrono::steady_clock::now();
  check_fetched(server, content, options);
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::seconds(1));
}

TEST_CASE("a download that stalls in the middle is resumed where it is") {
  ALIDADE_NEEDS_CURL();
  const std::string content(10'000, 'x');
  const HttpServer server([&](const HttpRequest& r, int nth) {
    HttpReply reply = served(r, content);
    if (nth == 1) reply.sent = 5'000, reply.hang = true;
    return reply;
  });
  FetchOptions options;
  options.download = {.stall_seconds = 1, .retries = 3, .pause_seconds = 0.002};
  check_fetched(server, content, options);
  REQUIRE(server.requests().size() == 2);
  CHECK(server.requests()[1].range_begin() == 5'000);
}

TEST_CASE("a slow download is not a stalled one") {
  ALIDADE_NEEDS_CURL();
  const std::string content(10'000, 'x');
  const HttpServer server([&](const HttpRequest& r, int) {
    HttpReply reply = served(r, content);
    reply.slice = 10;  // a second in all
    return reply;
  });
  FetchOptions options;
  options.download = {.stall_seconds = 1, .retries = 3, .pause_seconds = 0.002};
  check_fetched(server, content, options);
  CHECK(server.requests().size() == 1);
}

TEST_SUITE_END();

}  // namespace fetch_pause_test
