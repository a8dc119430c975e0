// After SQLite's tests, which fail every system call in turn: after each fault a command ends by itself, says in a line
// what went wrong, has lost nothing, and, given again, comes to what it brings about undisturbed, to the last bit.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>

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
  int injected = 0, tolerated = 0, failed = 0, refused = 0;
  int wrong = 0;  // status 0 and something missing, or the same command did not come to the same bits
  int lost = 0, crashed = 0, hung = 0;
  [[nodiscard]] std::string text() const {
    return fmt::format("{:>5} {:>5} {:>5} {:>5} | {:>3} {:>3} {:>3} {:>3}", injected, tolerated, failed, refused, wrong,
                       lost, crashed, hung);
  }
  Tally& operator+=(const Tally& other) {
    for (int Tally::*count : {&Tally::injected, &Tally::tolerated, &Tally::failed, &Tally::refused, &Tally::wrong,
                              &Tally::lost, &Tally::crashed, &Tally::hung})
      this->*count += other.*count;
    return *this;
  }
};
using Tallies = std::map<std::string, Tally>;

/// Which of a kind's faults are tried: the first `all`, then every `stride`-th.
struct Sample {
  int all = 1'000'000, stride = 1;
  [[nodiscard]] int after(int n) const { return n < all ? n + 1 : n + stride; }
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

/// For a quick look at all kinds, the environment makes the steps longer: ALIDADE_FAULT_STRIDE=10.
int stride_factor() {
  const char* stride = std::getenv("ALIDADE_FAULT_STRIDE");
  return stride == nullptr ? 1 : std::max(1, std::atoi(stride));
}

/// Whether a fault of this kind can last: a signal, or a read of one part, does not.
bool can_last(const FaultKind& kind) {
  return !kind.lasts && kind.fate.kind == Fate::Kind::refused && kind.fate.error != EINTR;
}

/// `of_many`: for the kinds that befall very many calls, most of them alike, and for faults that last.
Tallies disturb(const Scenario& scenario, Sample sample, Sample of_many) {
  if (stride_factor() > 1)
    for (Sample* one : {&sample, &of_many}) *one = {1, one->stride * stride_factor()};
  const Expected expected = undisturbed(scenario);
  Tallies out;
  Tally all;
  for (const FaultKind& kind : fault_kinds()) {
    if (!asked_for(kind)) continue;
    const Sample& taken = kind.lasts || kind.name.starts_with("memory") ? of_many : sample;
    for (int n = 1; disturb(scenario, expected, kind, Span::once, n, out[kind.name]); n = taken.after(n)) {
    }
    all += out[kind.name];
    if (!can_last(kind)) continue;
    Tally& lasting = out[kind.name + ", from then on"];
    for (int n = 1; disturb(scenario, expected, kind, Span::from_then_on, n, lasting); n = of_many.after(n)) {
    }
    all += lasting;
  }
  std::string text = scenario.name + ": injected, tolerated, runs failed, refused | wrong status, loss, crash, hang";
  for (const auto& [name, tally] : out) text += fmt::format("\n  {:<34} {}", name, tally.text());
  MESSAGE(text << fmt::format("\n  {:<34} {}", "all of " + scenario.name, all.text()));
  return out;
}

/// Checks that kinds of faults were met, so often at least: or the test proves nothing.
void check_met(const Tallies& tallies, const std::map<std::string, int>& least) {
  if (std::getenv("ALIDADE_FAULT") != nullptr || stride_factor() > 1) return;
  for (const auto& [name, count] : least) {
    CAPTURE(name);
    REQUIRE(tallies.contains(name));
    CHECK(tallies.at(name).injected >= count);
  }
}

}  // namespace

TEST_CASE("a run resumed through faults comes to the same results") {
  ALIDADE_NEEDS_TRACING();
  const Tallies met = disturb(resume_scenario(), {1, 11}, {1, 40});
  check_met(met,
            {{"open: EIO", 3}, {"write: ENOSPC", 1}, {"sync: EIO", 2}, {"rename: EIO", 1}, {"process: EAGAIN", 1}});
}

TEST_CASE("a map replaced through faults is the earlier or the new one") {
  ALIDADE_NEEDS_TRACING();
  const Tallies met = disturb(embed_again_scenario(), {1, 9}, {1, 40});
  check_met(met, {{"open: EIO", 2}, {"write: ENOSPC", 1}, {"sync: EIO", 2}, {"rename: EIO", 2}, {"unlink: EACCES", 1}});
}

TEST_CASE("a config written through faults is the earlier or the new one") {
  ALIDADE_NEEDS_TRACING();
  const Tallies met = disturb(init_scenario(), {}, {1, 40});
  check_met(met, {{"open: EIO", 1}, {"write: ENOSPC", 1}, {"sync: EIO", 1}, {"rename: EIO", 1}});
}

TEST_SUITE_BEGIN("heavy");

TEST_CASE("a run comes to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  const Tallies met = disturb(run_scenario(), {}, {4, 9});
  check_met(met,
            {{"open: EIO", 20}, {"write: ENOSPC", 10}, {"sync: EIO", 15}, {"rename: EIO", 8}, {"mkdir: ENOSPC", 3}});
  check_met(
      met,
      {{"lock: ENOLCK", 1}, {"process: EAGAIN", 4}, {"pipe: EMFILE", 4}, {"poll: EINTR", 1}, {"memory: ENOMEM", 4}});
}

TEST_CASE("two runs at a time come to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(two_jobs_scenario(), {4, 7}, {2, 40}), {{"open: EIO", 3}, {"process: EAGAIN", 2}});
}

TEST_CASE("runs in the command's own process come to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(in_process_scenario(), {4, 7}, {2, 40}), {{"open: EIO", 3}, {"write: ENOSPC", 1}});
}

TEST_CASE("a shard comes to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(shard_scenario(), {4, 7}, {2, 40}), {{"open: EIO", 3}, {"write: ENOSPC", 1}});
}

TEST_CASE("report, sdp and init come to the same files through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(report_scenario(), {}, {4, 9}), {{"open: EIO", 3}, {"write: ENOSPC", 1}, {"rename: EIO", 1}});
  check_met(disturb(sdp_scenario(), {}, {4, 9}), {{"open: EIO", 1}, {"write: ENOSPC", 1}, {"rename: EIO", 1}});
  check_met(disturb(init_scenario(), {}, {4, 9}), {{"open: EIO", 1}, {"write: ENOSPC", 1}, {"rename: EIO", 1}});
}

TEST_CASE("a resumed run comes to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(resume_scenario(), {}, {4, 9}),
            {{"open: EIO", 15}, {"write: ENOSPC", 10}, {"sync: EIO", 10}, {"rename: EIO", 1}, {"process: EAGAIN", 1}});
}

TEST_CASE("embed comes to the same map through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(embed_scenario(), {}, {4, 9}),
            {{"open: EIO", 5}, {"write: ENOSPC", 1}, {"sync: EIO", 2}, {"rename: EIO", 1}, {"memory: ENOMEM", 1}});
}

TEST_CASE("embed replaces an earlier map through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(embed_again_scenario(), {}, {4, 9}),
            {{"open: EIO", 10}, {"write: ENOSPC", 1}, {"sync: EIO", 10}, {"rename: EIO", 10}, {"unlink: EACCES", 1}});
}

TEST_CASE("merge comes to the same results through every fault") {
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(merge_scenario(), {}, {4, 9}),
            {{"open: EIO", 30}, {"read: EIO", 30}, {"look: EIO", 30}, {"sync: EIO", 5}, {"rename: EIO", 10}});
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("needs data");

TEST_CASE("data fetch comes to the same files through every fault") {
  ALIDADE_NEEDS_CURL();
  ALIDADE_NEEDS_DATA();
  const std::string data = alidade::testing::public_data();
  ALIDADE_NEEDS_TRACING();
  check_met(disturb(fetch_scenario(data), {}, {4, 9}),
            {{"open: EIO", 3}, {"open: EMFILE", 3}, {"write: ENOSPC", 1}, {"sync: EIO", 1}, {"rename: EIO", 1}});
}

TEST_SUITE_END();

}  // namespace injected_faults_test
