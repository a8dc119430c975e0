// After SQLite's tests, which fail every system call in turn: after each fault a command ends by itself, says in a line
// what went wrong, has lost nothing, and, given again, comes to what it brings about undisturbed, to the last bit.
// Sampled: every call that changes the disk (writes, syncs, renames, new files and folders, removals) fails once. Of each
// other kind two calls fail, after a quarter and three quarters; faults from then on begin at the middle one. Commands
// that differ little from `run` get one of each kind, two of the changes. ALIDADE_FAULT_MOST=1000000 tries all, in an
// hour, but hangs where the working memory of OpenBLAS is refused, which it asks for without end (the last of `sdp`).
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "experiments/datasets/download/http_download.hpp"
#include "tests/faults/fault_kinds.hpp"
#include "tests/faults/scenarios.hpp"
#include "tests/faults/traced_command.hpp"
#include "tests/support/needs_curl.hpp"
#include "tests/support/needs_data.hpp"

namespace injected_faults_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

/// What came of the faults of a kind. The last four must be zero.
struct Tally {
  int calls = 0;  // that the undisturbed command makes and a fault could befall
  int injected = 0, tolerated = 0, failed = 0, refused = 0;
  int wrong = 0;  // status 0 and something missing, or the same command did not come to the same bits
  int lost = 0, crashed = 0, hung = 0;
  [[nodiscard]] std::string text() const {
    return fmt::format("{:>5} {:>5} {:>5} {:>5} {:>5} | {:>3} {:>3} {:>3} {:>3}", calls, injected, tolerated, failed,
                       refused, wrong, lost, crashed, hung);
  }
  Tally& operator+=(const Tally& other) {
    for (int Tally::*count : {&Tally::calls, &Tally::injected, &Tally::tolerated, &Tally::failed, &Tally::refused,
                              &Tally::wrong, &Tally::lost, &Tally::crashed, &Tally::hung})
      this->*count += other.*count;
    return *this;
  }
};
using Tallies = std::map<std::string, Tally>;

/// How many faults of a kind are tried at most, each in the middle of an equal part of the calls.
constexpr int kAll = 1'000'000;
struct Sample {
  int usual = 2, changes = kAll, lasting = 1;
};

/// Whether a fault befalls one call, or all calls from there on.
enum class Span { once, from_then_on };

/// One command disturbed by the n-th fault of a kind; false if there are fewer.
bool disturb(const Scenario& scenario, const Expected& expected, const FaultKind& kind, Span span, int n,
             Tally& tally) {
  CAPTURE(scenario.name);
  CAPTURE(static_cast<int>(span));
  CAPTURE(kind.name);
  CAPTURE(n);
  const fs::path folder = restarted(scenario);
  int met = 0;
  std::string where;
  const TracedEnd end = run_traced(scenario.arguments, folder, kind.calls, [&](const SystemCall& call) -> Fate {
    if (!befalls(kind, call, folder)) return {};
    ++met;
    if (met == n) where = call.path;
    return met == n || ((kind.lasts || span == Span::from_then_on) && met > n) ? kind.fate : Fate{};
  });
  if (met < n) return false;
  CAPTURE(where);
  INFO("status ", end.ended.status, ": ", end.ended.out, end.ended.err);
  ++tally.injected;
  CHECK_FALSE(end.hung);
  check_said(end.ended);
  const int status = end.ended.status;
  if (end.hung)
    ++tally.hung;
  else if (status < 0 || status > 2)
    ++tally.crashed;
  else
    ++(status == 0 ? tally.tolerated : status == 1 ? tally.failed : tally.refused);
  const std::string lost = scenario.lost(folder);
  CHECK(lost == "");
  if (!lost.empty()) ++tally.lost;
  const std::string lacks = status == 0 ? difference(scenario.outcome(folder), expected.outcome) : "";
  CHECK(lacks == "");
  check_given_again(scenario, expected, folder);
  if (!lacks.empty() || !difference(scenario.outcome(folder), expected.outcome).empty()) ++tally.wrong;
  return true;
}

/// A word of the environment narrows a look at one kind down: ALIDADE_FAULT="rename: EIO".
bool asked_for(const FaultKind& kind) {
  const char* only = std::getenv("ALIDADE_FAULT");
  return only == nullptr || kind.name.find(only) != std::string::npos;
}

/// The environment may ask for more, or fewer.
int at_most(int usual) {
  const char* most = std::getenv("ALIDADE_FAULT_MOST");
  return most == nullptr ? usual : std::atoi(most);
}

/// Whether it fails calls that change the disk. One way to fail is enough for all of them; others are sampled.
bool is_of_changes(const FaultKind& kind) {
  constexpr std::array kChanges = {"open: ENOSPC",  "write: ENOSPC",  "sync: EIO",    "rename: EIO",
                                   "mkdir: ENOSPC", "unlink: EACCES", "truncate: EIO"};
  return std::ranges::find(kChanges, kind.name) != kChanges.end();
}

/// Whether a fault of this kind can last: a signal, or a read of one part, does not.
bool can_last(const FaultKind& kind) {
  return !kind.lasts && kind.fate.kind == Fate::Kind::refused && kind.fate.error != EINTR;
}

/// How often each kind could befall the undisturbed command.
std::map<std::string, int> chances(const Scenario& scenario) {
  std::vector<long> calls;
  for (const FaultKind& kind : fault_kinds()) calls.insert(calls.end(), kind.calls.begin(), kind.calls.end());
  std::map<std::string, int> out;
  const fs::path folder = restarted(scenario);
  const TracedEnd end = run_traced(scenario.arguments, folder, calls, [&](const SystemCall& call) -> Fate {
    for (const FaultKind& kind : fault_kinds()) out[kind.name] += befalls(kind, call, folder) ? 1 : 0;
    return {};
  });
  REQUIRE(end.ended.status == 0);
  return out;
}

Tallies disturb(const Scenario& scenario, Sample sample) {
  const Expected expected = undisturbed(scenario);
  Tallies out;
  Tally all;
  std::map<std::string, int> calls = chances(scenario);
  const auto try_some = [&](const FaultKind& kind, Span span, int most, const std::string& name) {
    Tally& tally = out[name];
    tally.calls = calls[kind.name];
    const int count = std::min(at_most(most), tally.calls);
    for (int i = 0; i < count; ++i)
      if (!disturb(scenario, expected, kind, span, 1 + (2 * i + 1) * tally.calls / (2 * count), tally))
        break;
    all += tally;
  };
  for (const FaultKind& kind : fault_kinds()) {
    if (!asked_for(kind)) continue;
    try_some(kind, Span::once, is_of_changes(kind) ? sample.changes : sample.usual, kind.name);
    if (can_last(kind)) try_some(kind, Span::from_then_on, sample.lasting, kind.name + ", from then on");
  }
  std::string text = scenario.name + ": calls, faults, tolerated, runs failed, refused | wrong status, loss, crash, hang";
  for (const auto& [name, tally] : out) text += fmt::format("\n  {:<34} {}", name, tally.text());
  MESSAGE(text << fmt::format("\n  {:<34} {}", "all of " + scenario.name, all.text()));
  return out;
}

/// Checks that kinds of faults could befall so many calls at least, and did: or the test proves nothing.
void check_met(const Tallies& tallies, const std::map<std::string, int>& least) {
  if (std::getenv("ALIDADE_FAULT") != nullptr) return;
  for (const auto& [name, count] : least) {
    CAPTURE(name);
    REQUIRE(tallies.contains(name));
    CHECK(tallies.at(name).calls >= count);
    CHECK(tallies.at(name).injected > 0);
  }
}

}  // namespace

TEST_CASE("a run resumed through faults comes to the same results") {
  ALIDADE_NEEDS_TRACING();
  const Tallies met = disturb(resume_scenario(), {2, 2, 1});
  check_met(met,
            {{"open: EIO", 3}, {"write: ENOSPC", 1}, {"sync: EIO", 2}, {"rename: EIO", 1}, {"process: EAGAIN", 1}});
}

TEST_CASE("a map replaced through faults is the earlier or the new one") {
  ALIDADE_NEEDS_TRACING();
  const Tallies met = disturb(embed_again_scenario(), {2, 2, 1});
  check_met(met, {{"open: EIO", 2}, {"write: ENOSPC", 1}, {"sync: EIO", 2}, {"rename: EIO", 2}, {"unlink: EACCES", 1}});
}

TEST_CASE("a config written through faults is the earlier or the new one") {
  ALIDADE_NEEDS_TRACING();
  const Tallies met = disturb(init_scenario(), {kAll, kAll, 2});
  check_met(met, {{"open: EIO", 1}, {"write: ENOSPC", 1}, {"sync: EIO", 1}, {"rename: EIO", 1}});
}

TEST_SUITE_BEGIN("heavy");

TEST_CASE("a run comes to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  const Tallies met = disturb(run_scenario(), {});
  check_met(met,
            {{"open: EIO", 20}, {"write: ENOSPC", 10}, {"sync: EIO", 15}, {"rename: EIO", 8}, {"mkdir: ENOSPC", 3}});
  check_met(
      met,
      {{"lock: ENOLCK", 1}, {"process: EAGAIN", 4}, {"pipe: EMFILE", 4}, {"poll: EINTR", 1}, {"memory: ENOMEM", 4}});
}

TEST_CASE("two runs at a time come to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(two_jobs_scenario(), {1, 2, 0}), {{"open: EIO", 3}, {"process: EAGAIN", 2}});
}

TEST_CASE("runs in the command's own process come to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(in_process_scenario(), {1, 2, 0}), {{"open: EIO", 3}, {"write: ENOSPC", 1}});
}

TEST_CASE("a shard comes to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(shard_scenario(), {1, 2, 0}), {{"open: EIO", 3}, {"write: ENOSPC", 1}});
}

TEST_CASE("report and sdp come to the same files through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(report_scenario(), {}), {{"open: EIO", 3}, {"write: ENOSPC", 1}, {"rename: EIO", 1}});
  check_met(disturb(sdp_scenario(), {}), {{"open: EIO", 1}, {"write: ENOSPC", 1}, {"rename: EIO", 1}});
}

TEST_CASE("a resumed run comes to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(resume_scenario(), {}),
            {{"open: EIO", 15}, {"write: ENOSPC", 10}, {"sync: EIO", 10}, {"rename: EIO", 1}, {"process: EAGAIN", 1}});
}

TEST_CASE("embed comes to the same map through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(embed_scenario(), {}),
            {{"open: EIO", 5}, {"write: ENOSPC", 1}, {"sync: EIO", 2}, {"rename: EIO", 1}, {"memory: ENOMEM", 1}});
}

TEST_CASE("embed replaces an earlier map through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(embed_again_scenario(), {}),
            {{"open: EIO", 10}, {"write: ENOSPC", 1}, {"sync: EIO", 10}, {"rename: EIO", 10}, {"unlink: EACCES", 1}});
}

TEST_CASE("merge comes to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(merge_scenario(), {}),
            {{"open: EIO", 30}, {"read: EIO", 30}, {"look: EIO", 30}, {"sync: EIO", 5}, {"rename: EIO", 10}});
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("needs data");

TEST_CASE("data fetch comes to the same files through every fault") {
  ALIDADE_NEEDS_CURL();
  ALIDADE_NEEDS_DATA();
  const std::string data = alidade::testing::public_data();
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(fetch_scenario(data), {}),
            {{"open: EIO", 3}, {"open: EMFILE", 3}, {"write: ENOSPC", 1}, {"sync: EIO", 1}, {"rename: EIO", 1}});
}

TEST_SUITE_END();

}  // namespace injected_faults_test
