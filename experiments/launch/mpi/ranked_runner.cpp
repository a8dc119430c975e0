#include "experiments/launch/mpi/ranked_runner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "experiments/config/config_file.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/launch/run_process.hpp"
#include "experiments/results/results_folder.hpp"
#include "experiments/run/run.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

using namespace rank_message;
using Clock = std::chrono::steady_clock;

/// Open MPI has no way to wait for a message without keeping a processor busy: it is asked so often.
constexpr int kPollMilliseconds = 5;
/// After an interruption, for the rows of cancelled runs, which a child has 5 s to give.
constexpr std::chrono::seconds kPatience{8};

/// Without the program, whose path may be another on each machine.
std::string arguments_of(const std::vector<std::string>& command) {
  std::string out;
  for (std::size_t i = 1; i < command.size(); ++i) out += (i > 1 ? " " : "") + command[i];
  return out;
}

/// What a rank says of its worker once its socket has ended; nothing while it has not.
std::optional<Message> loss_of(RankWorker& worker) {
  if (!worker.socket().ended()) return std::nullopt;
  return Message{kGone, worker.how_it_ended()};
}

}  // namespace

RunSchedule::RunSchedule(std::vector<std::size_t> runs, int rank_count,
                         std::function<void(int, const Message&)> post)
    : waiting_(runs.begin(), runs.end()),
      members_(static_cast<std::size_t>(rank_count)),
      post_(std::move(post)) {}

void RunSchedule::ready(int rank) {
  members_.at(static_cast<std::size_t>(rank)).state = State::idle;
  hand_out();
}

std::optional<std::size_t> RunSchedule::gone(int rank) {
  Member& member = members_.at(static_cast<std::size_t>(rank));
  const bool had_run = member.state == State::busy;
  member.state = State::gone;
  if (!had_run) return std::nullopt;
  if (std::ranges::find(lost_once_, member.run) != lost_once_.end()) return member.run;
  lost_once_.push_back(member.run);
  waiting_.push_front(member.run);
  hand_out();
  return std::nullopt;
}

void RunSchedule::stop() {
  if (std::exchange(stopped_, true)) return;
  for (std::size_t r = 0; r < members_.size(); ++r)
    if (members_[r].state == State::busy) post_(static_cast<int>(r), {kStop, ""});
}

bool RunSchedule::busy() const {
  return std::ranges::any_of(members_, [](const Member& m) { return m.state == State::busy; });
}

bool RunSchedule::deserted() const {
  return std::ranges::all_of(members_, [](const Member& m) { return m.state == State::gone; });
}

void RunSchedule::hand_out() {
  if (stopped_) return;
  for (std::size_t r = 0; r < members_.size() && !waiting_.empty(); ++r) {
    Member& member = members_[r];
    if (member.state != State::idle) continue;
    member = {State::busy, waiting_.front()};
    waiting_.pop_front();
    post_(static_cast<int>(r), {kRun, std::to_string(member.run)});
  }
}

RunnerReport run_on_ranks(const Experiment& experiment, const RunnerOptions& options,
                          MessagePassing& ranks, RankWorker& worker,
                          const std::function<bool()>& interrupted,
                          const std::function<void(const std::string&)>& note) {
  require_process_count("--threads", options.threads);
  const std::vector<PlannedRun> all = plan(experiment);
  RunnerReport report;
  ResultsFolder folder(options.folder, experiment, options.retry_failed, options.command);
  std::vector<std::size_t> left;
  for (const PlannedRun& run : planned_runs(experiment, options.shard)) {
    ++report.planned;
    if (folder.failed_before().contains(run.id)) ++report.failed_before;
    if (!folder.finished().contains(run.id)) left.push_back(run.index);
  }
  report.resumed = report.planned - left.size();
  report.unplanned = folder.finished().size() - report.resumed;

  const RunPlace place{experiment, options.folder, options.threads};
  const auto post = [&](int rank, const Message& message) {
    if (rank > 0)
      ranks.send(rank, message);
    else
      worker.socket().send(message);
  };
  RunSchedule schedule(std::move(left), ranks.size(), post);
  const Message setup{kSetup,
                      to_message({to_toml(resolved_config(experiment)), options.folder.string(),
                                  file_content(options.folder / "manifest.json").value_or(""),
                                  options.data_folder.string(), options.threads})};
  for (int rank = 0; rank < ranks.size(); ++rank) post(rank, setup);

  bool stopping = false;
  const auto keep = [&](const std::string& row) {
    count(report, row);
    folder.append(row);
  };
  const auto lose = [&](int rank, std::string reason) {
    if (reason.ends_with('.')) reason.pop_back();
    note(fmt::format("Rank {} does no more runs: {}.", rank, reason));
    const std::optional<std::size_t> given_up = schedule.gone(rank);
    if (!given_up) return;
    Table row = failed_row(
        place, all.at(*given_up),
        fmt::format("Two workers were lost while they did this run. The last one: {}.", reason));
    keep(to_json(row));
  };
  const auto hear = [&](int rank, const Message& message) {
    switch (message.kind) {
      case kReady:
        if (!message.text.empty()) note(message.text);
        schedule.ready(rank);
        break;
      case kRow:
        keep(message.text.substr(message.text.find('\n') + 1));
        schedule.ready(rank);
        break;
      case kNoWrite: throw DataError(message.text);
      case kCommand:
        require<ConfigError>(
            message.text == arguments_of(options.command),
            "All ranks must do the same experiment, but the first was started as 'alidade {}' and "
            "rank {} as 'alidade {}'. Give them the same command, or start them separately "
            "(without mpirun, or by srun --mpi=none).",
            arguments_of(options.command), rank, message.text);
        break;
      case kUnable:
      case kGone: lose(rank, message.text); break;
      case kInterrupted: stopping = true; break;
      default: break;
    }
  };

  std::optional<Clock::time_point> since;
  bool own_lost = false;
  while (schedule.busy() || (schedule.left() > 0 && !stopping)) {
    if (!own_lost) worker.socket().wait(kPollMilliseconds);
    while (const auto message = worker.socket().receive()) hear(0, *message);
    if (!own_lost)
      if (const auto loss = loss_of(worker)) {
        own_lost = true;
        hear(0, *loss);
      }
    bool heard = false;
    while (const auto received = ranks.receive()) {
      hear(received->from, received->message);
      heard = true;
    }
    if (own_lost && !heard)
      std::this_thread::sleep_for(std::chrono::milliseconds(kPollMilliseconds));
    stopping = stopping || interrupted();
    if (stopping) {
      schedule.stop();
      if (!since) since = Clock::now();
      if (Clock::now() - *since > kPatience) break;
    }
    require<DataError>(
        stopping || !schedule.deserted() || schedule.left() == 0,
        "No rank is left for the remaining {} runs. Give the same command again to resume.",
        schedule.left());
  }
  report.interrupted = stopping;
  return report;
}

void serve_rank(MessagePassing& ranks, RankWorker& worker, const std::vector<std::string>& command,
                const std::function<bool()>& interrupted) {
  ranks.send(0, {kCommand, arguments_of(command)});
  bool lost = false, told = false;
  for (;;) {
    if (lost)
      std::this_thread::sleep_for(std::chrono::milliseconds(kPollMilliseconds));
    else
      worker.socket().wait(kPollMilliseconds);
    while (const auto message = worker.socket().receive()) ranks.send(0, *message);
    if (!lost)
      if (const auto loss = loss_of(worker)) {
        lost = true;
        ranks.send(0, *loss);
      }
    while (const auto received = ranks.receive()) {
      if (received->message.kind == kEnd) {
        ranks.send(0, {kEnd, ""});
        return;
      }
      worker.socket().send(received->message);
    }
    if (!told && interrupted()) {
      told = true;
      ranks.send(0, {kInterrupted, ""});
    }
  }
}

bool dismiss_ranks(MessagePassing& ranks) {
  for (int rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, {kEnd, ""});
  const auto begin = Clock::now();
  for (int answers = 1; answers < ranks.size();) {
    if (const auto received =
            ranks.receive()) {  // what else was under way is not waited for any more
      if (received->message.kind == kEnd) ++answers;
      continue;
    }
    if (Clock::now() - begin > kPatience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMilliseconds));
  }
  return true;
}

}  // namespace alidade
