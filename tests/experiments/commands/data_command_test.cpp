#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "experiments/config/config_file.hpp"
#include "experiments/datasets/download/http_download.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/embedded_tables.hpp"
#include "experiments/files/sha256.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/http_server.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace data_command_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using datasets::DataFile;
using datasets::DatasetCounts;
using datasets::DatasetEntry;
namespace fs = std::filesystem;

using Names = std::vector<std::string>;

const std::vector<DatasetEntry>& entries() { return datasets::data_catalog().entries(); }

}  // namespace

TEST_CASE("public data sets are recorded with licence, format, counts and a source") {
  for (const DatasetEntry& entry : entries()) {
    CAPTURE(entry.name);
    if (entry.files.empty()) continue;
    CHECK_FALSE(entry.citation.empty());
    CHECK_FALSE(entry.licence.empty());
    CHECK_FALSE(entry.format.empty());
    CHECK((entry.counts.objects > 0) == static_cast<bool>(entry.load));
    for (const DataFile& file : entry.files) {
      CAPTURE(file.path);
      CHECK(file.bytes > 0);
      CHECK(file.sha256.size() == 64);
      CHECK(file.unpacked_sha256.size() == (file.path.ends_with(".gz") ? 64 : 0));
      CHECK((!file.downloads.empty() || !file.by_hand.empty()));
      for (const datasets::Download& source : file.downloads)
        CHECK((source.url.starts_with("https://") || source.url.starts_with("http://")));
      for (const std::string* text : {&file.by_hand, &entry.licence, &entry.format}) CHECK_FALSE(holds(*text, "\n"));
    }
  }
}

TEST_CASE("the configurations that use a data set are those whose tables name it") {
  using Use = std::pair<std::string, std::string>;
  std::set<Use> expected, recorded;
  const fs::path folder = fs::path(source_folder()) / "experiments/configs";
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".toml") continue;
    const ValueTable config = parse_config(content_of(file.path()), file.path().filename().string());
    const Value* sets = config.find("dataset");
    if (sets == nullptr) continue;
    REQUIRE(sets->get_if<ValueArray>() != nullptr);
    for (const Value& set : *sets->get_if<ValueArray>())
      if (const Value* name = set.get_if<ValueTable>()->find("name");
          name != nullptr && name->get_if<std::string>() != nullptr)
        expected.emplace(*name->get_if<std::string>(), file.path().filename().string());
  }
  for (const datasets::DatasetUse& use : datasets::dataset_uses())
    CHECK(recorded.emplace(use.dataset, use.config).second);
  CHECK(expected.size() > 20);
  CHECK(recorded == expected);
}

TEST_CASE("data list has a line for each set, data info describes one") {
  const ScratchFolder scratch;
  const std::string data = scratch.path().string();
  const Ended list = run_quietly({"data", "list", "--data", data});
  const Names lines = lines_of(list.out);
  CHECK(lines.size() == entries().size() + 2);
  const auto line_of = [&](const std::string& name) {
    const auto position =
        std::ranges::find_if(lines, [&](const std::string& line) { return line.starts_with(name + " "); });
    return position == lines.end() ? "" : *position;
  };
  CHECK(holds(line_of("zoo"), "missing"));
  CHECK(holds(line_of("europe"), "built in"));
  CHECK(holds(line_of("triplets"), "your own file"));

  const Ended info = run_quietly({"data", "info", "zoo", "--data", data});
  CHECK(holds_all(info.out, {"101 animals", "Counts:", "101 objects", "3,233,424 triplets", "Licence:", "CC BY 4.0",
                             "Cite:", "R. Forsyth", "zoo/zoo.data  missing, 4,126 bytes", "sha256   cddc71c2",
                             "https://archive.ics.uci.edu/static/public/111/zoo.zip", "Used by:", "common_space.toml",
                             "alidade list datasets zoo"}));
  for (const DatasetEntry& entry : entries()) {
    const Ended one = run_command({"data", "info", entry.name, "--data", data});
    CAPTURE(entry.name);
    CHECK(one.status == 0);
    CHECK(one.err.empty());
    CHECK(one.out.starts_with(entry.name + ": " + entry.summary));
  }
  const Ended programs = run_command({"data", "info", "sdplib", "--data", data});
  CHECK(holds_all(programs.out, {"sdplib/theta1.dat-s  missing, 21,849 bytes; 104 constraints, order 50, optimum "
                                 "2.300000e+01\n",
                                 "sdplib/infp1.dat-s  missing, 180,895 bytes; 10 constraints, order 30, primal "
                                 "infeasible\n",
                                 "alidade sdp"}));
  const Ended unknown = run_command("data info zooo");
  CHECK(unknown.status == 2);
  CHECK(holds(unknown.err, "There is no dataset 'zooo'. Did you mean 'zoo'?"));
}

TEST_CASE("data fetch refuses wrong arguments with one line") {
  const ScratchFolder scratch;
  const std::string data = (scratch / "data").string();
  const auto refused = [&](Names words, std::string_view reason) {
    words.insert(words.begin(), {"data", "fetch", "--data", data});
    const Ended ended = run_command(words);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(lines_of(ended.err).size() == 1);
    CHECK(holds(ended.err, reason));
    CHECK(ended.out.empty());
    CHECK_FALSE(fs::exists(data));
  };
  refused({}, "argument 'names'");
  refused({"zooo"}, "Did you mean 'zoo'?");
  refused({"wine", "zooo"}, "Did you mean 'zoo'?");
  refused({"zoo", "--from", "/no/such/folder"}, "There is no folder '/no/such/folder'");
  refused({"zoo", "--from", "file:///etc"}, "name a folder, give its path");
  refused({"zoo", "--stall", "soon"}, "soon");
  refused({"zoo", "--retries", "-1"}, "--retries");
}

TEST_CASE("data fetch names missing files with reasons, and ends with status 1" *
          doctest::skip(!datasets::can_download())) {
  const ScratchFolder scratch;
  const std::string data = (scratch / "data").string();
  const HttpServer server([](const HttpRequest& request, int) {
    return request.target.starts_with("/zoo") ? served(request, "not the animals") : HttpReply{.status = 404};
  });
  const Ended ended = run_command({"data", "fetch", "zoo", "wine", "europe", "--data", data, "--from", server.url()});
  CHECK(ended.status == 1);
  CHECK(holds_all(ended.out, {"failed   zoo/zoo.data", "failed   wine/wine.data"}));
  CHECK(holds_all(ended.err, {sha256("not the animals"), "The server answered 404.", "it is built in."}));
  CHECK(holds_none(ended.err, {"licence", "\r"}));
  const Ended by_hand = run_command({"data", "fetch", "usps", "--data", data});
  CHECK(by_hand.status == 1);
  CHECK(holds(by_hand.out, "by hand  usps/zip.train.gz"));
  CHECK(holds(by_hand.err, "usps/zip.train.gz: See https://hastie.su.domains/"));
}

TEST_CASE("progress is shown only on a terminal, and erased" * doctest::skip(!datasets::can_download())) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) {
    MESSAGE("skipped: there are no terminals here");
    return;
  }
  const ScratchFolder scratch;
  const HttpServer server([](const HttpRequest& request, int) { return served(request, std::string(2'000, 'x')); });
  const std::string device = ::ptsname(terminal);
  const int held = ::open(device.c_str(), O_RDWR | O_NOCTTY);  // or else it hangs up at the end
  REQUIRE(held >= 0);
  const Ended ended = Command({"data", "fetch", "zoo", "--from", server.url()}, scratch, {}, device).wait();
  CHECK(ended.status == 1);
  std::string shown;
  std::array<char, 4096> buffer{};
  for (pollfd ready{terminal, POLLIN, 0}; ::poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN) != 0;) {
    const ssize_t got = ::read(terminal, buffer.data(), buffer.size());
    if (got <= 0) break;
    shown.append(buffer.data(), static_cast<std::size_t>(got));
  }
  CHECK(holds(shown, "\r\033[Kzoo/zoo.data: 2,000 of 2,000 bytes, 100 %\r\033[K"));
  ::close(held);
  ::close(terminal);
}

TEST_CASE("an interrupted data fetch ends with status 130" * doctest::skip(!datasets::can_download())) {
  const ScratchFolder scratch;
  const std::string data = (scratch / "data").string();
  std::atomic<bool> asked = false;
  const HttpServer server([&](const HttpRequest& request, int) {
    HttpReply reply = served(request, "slow");
    reply.sent = 2, reply.hang = true;
    asked = true;
    return reply;
  });
  Command command({"data", "fetch", "zoo", "wine", "--data", data, "--from", server.url()});
  while (!asked) std::this_thread::yield();
  command.send(SIGINT);
  const Ended ended = command.wait();
  CHECK(ended.status == 130);
  CHECK(holds(ended.out, "stopped  zoo/zoo.data"));
  CHECK_FALSE(holds(ended.out, "wine"));
}

TEST_SUITE("needs data") {
  TEST_CASE("recorded sizes and counts agree with the files and the loaded data") {
    ALIDADE_NEEDS_DATA();
    const std::string folder = testing::public_data();
    for (const DatasetEntry& entry : entries()) {
      if (entry.files.empty()) continue;
      CAPTURE(entry.name);
      for (const DataFile& file : entry.files) CHECK(fs::file_size(fs::path(folder) / file.path) == file.bytes);
      if (!entry.load) continue;
      const Observations data = entry.load({}, {.folder = folder});
      const std::set<std::string> classes(data.labels.begin(), data.labels.end());
      DatasetCounts counts;
      counts.objects = data.objects.size();
      counts.features = data.features ? static_cast<std::uint64_t>(data.features->cols()) : 0;
      counts.classes = classes.size();
      counts.aspects = data.aspects.size();
      counts.annotators = data.annotators.size();
      counts.triplets = data.triplets ? data.triplets->size() : 0;
      CHECK(counts.objects == entry.counts.objects);
      CHECK(counts.features == entry.counts.features);
      CHECK(counts.classes == entry.counts.classes);
      CHECK(counts.aspects == entry.counts.aspects);
      CHECK(counts.annotators == entry.counts.annotators);
      CHECK(counts.triplets == entry.counts.triplets);
    }
  }

  TEST_CASE("data info says how far answers to repeated questions differ, if the set is here") {
    ALIDADE_NEEDS_DATA();
    const std::string folder = testing::public_data();
    const auto noise = [&](const char* set, const std::string& data) {
      const Ended ended = run_well({"data", "info", set, "--data", data});
      const std::size_t at = ended.out.find("Noise:");
      return at == std::string::npos ? std::string() : ended.out.substr(at, ended.out.find('\n', at) - at);
    };
    CHECK(noise("cars60", folder) ==
          "Noise:    two answers to one question differ in 22.2 % of cases, so any map errs in about 16.0 % (956 "
          "repeated questions)");
    CHECK(noise("music_artists", folder) == "");
    CHECK(noise("house_votes", folder) == "");
    CHECK(noise("cars60", ScratchFolder().path().string()) == "");
  }

  TEST_CASE("all sets can be fetched from a mirror, even when killed meanwhile" *
            doctest::skip(!datasets::can_download())) {
    ALIDADE_NEEDS_DATA();
    const std::string folder = testing::public_data();
    const HttpServer server([&](const HttpRequest& request, int) {
      const fs::path file = folder + request.target;
      if (!fs::is_regular_file(file)) return HttpReply{.status = 404};
      HttpReply reply = served(request, content_of(file), "\"" + request.target + "\"");
      reply.slice = 100'000;
      return reply;
    });
    const ScratchFolder scratch;
    const std::string data = (scratch / "data").string();
    const Names fetch = {"data", "fetch", "all", "--data", data, "--from", server.url()};
    for (int kill = 0; kill < 6; ++kill) {
      Command command(fetch);
      const std::size_t before = server.requests().size();
      while (server.requests().size() < before + 3) std::this_thread::yield();
      command.send(SIGKILL);
      CHECK(command.wait().status == -SIGKILL);
    }
    const Ended ended = run_well(fetch);
    CHECK(holds(ended.err, "wine: licence: UCI states CC BY 4.0; cite: S. Aeberhard"));
    run_well({"data", "verify", "--data", data});
    for (const auto& entry : fs::recursive_directory_iterator(data))
      CHECK_FALSE(holds(entry.path().filename().string(), ".part"));
    const std::size_t requests = server.requests().size();
    run_well(fetch);
    CHECK(server.requests().size() == requests);
  }
}

}  // namespace data_command_test
