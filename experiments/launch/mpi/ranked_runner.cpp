#include "experiments/launch/mpi/ranked_runner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "experiments/config/config_file.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/launch/run_process.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/results_folder.hpp"
#include "experiments/run/run.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

using namespace rank_message;
using Clock = std::chrono::steady_clock;

/// Open MPI cannot wait for a message without keeping a processor busy, so it is polled at this interval.
constexpr int kPollMilliseconds = 5;
/// How long to wait after an interruption for the rows of cancelled runs; a child has 5 s to send its row.
constexpr std::chrono::seconds kPatience{8};

/// Without the program, whose path may differ between machines.
std::string arguments_of(const std::vector<std::string>& command) {
  std::string out;
  for (std::size_t i = 1; i < command.size(); ++i) out += (i > 1 ? " " : "") + command[i];
  return out;
}

/// A rank's message about its worker once the socket has ended; nothing before.
std::optional<Message> loss_of(RankWorker& worker) {
  if (!worker.socket().ended()) return std::nullopt;
  return Message{kGone, worker.how_it_ended()};
}

}  // namespace

RunSchedule::RunSchedule(std::vector<std::size_t> runs, int rank_count, std::function<void(int, const Message&)> post)
    : waiting_(runs.begin(), runs.end()), members_(static_cast<std::size_t>(rank_count)), post_(std::move(post)) {}

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

namespace {

/// The first rank's side of the conversation, until no run is left.
class Dispatcher {
 public:
  Dispatcher(const Experiment& experiment, const RunnerOptions& options, MessagePassing& ranks, RankWorker& worker,
             const std::function<void(const std::string&)>& note)
      : experiment_(experiment),
        options_(options),
        ranks_(ranks),
        worker_(worker),
        note_(note),
        all_(plan(experiment)),
        folder_(options.folder, experiment, planned_runs(experiment, options.shard), options.retry_failed,
                options.command),
        schedule_(runs_left(), ranks.size(), [this](int rank, const Message& message) { post(rank, message); }) {}

  RunnerReport run(const std::function<bool()>& interrupted) {
    set_up_workers();
    while (schedule_.busy() || (schedule_.left() > 0 && !stopping_)) {
      listen();
      stopping_ = stopping_ || interrupted();
      if (stopping_ && !stop_in_time()) break;
      require<DataError>(stopping_ || !schedule_.deserted() || schedule_.left() == 0,
                         "No rank is left for the remaining {}. Give the same command again to resume.",
                         counted(schedule_.left(), "run"));
    }
    folder_.require_rows();
    report_.interrupted = stopping_;
    return std::move(report_);
  }

 private:
  /// Runs to do, as indices in the plan; the report counts the others.
  std::vector<std::size_t> runs_left() {
    begin_report(report_, folder_.before());
    std::vector<std::size_t> left;
    for (const PlannedRun& run : folder_.left()) left.push_back(run.index);
    report_.planned = left.size() + report_.resumed;
    return left;
  }
  void post(int rank, const Message& message) {
    if (rank > 0)
      ranks_.send(rank, message);
    else
      worker_.socket().send(message);
  }
  void set_up_workers() {
    const Message setup{kSetup, to_message({to_toml(resolved_config(experiment_)), options_.folder.string(),
                                            file_content(options_.folder / kManifestFile).value_or(""),
                                            options_.data_folder.string(), options_.threads})};
    for (int rank = 0; rank < ranks_.size(); ++rank) post(rank, setup);
  }

  /// Takes messages from this rank's worker, waiting some milliseconds, and from the other ranks.
  void listen() {
    if (!own_lost_) worker_.socket().wait(kPollMilliseconds);
    while (const auto message = worker_.socket().receive()) hear(0, *message);
    if (!own_lost_)
      if (const auto loss = loss_of(worker_)) {
        own_lost_ = true;
        hear(0, *loss);
      }
    bool heard = false;
    while (const auto received = ranks_.receive()) {
      hear(received->from, received->message);
      heard = true;
    }
    if (own_lost_ && !heard) std::this_thread::sleep_for(std::chrono::milliseconds(kPollMilliseconds));
  }
  void hear(int rank, const Message& message) {
    switch (message.kind) {
      case kReady:
        if (!message.text.empty()) note_(message.text);
        schedule_.ready(rank);
        break;
      case kRow: {
        const auto end = message.text.find('\n');
        keep(std::stoul(message.text.substr(0, end)), sent_row(std::string_view(message.text).substr(end + 1)));
        schedule_.ready(rank);
        break;
      }
      case kNoWrite: throw DataError(message.text);
      case kCommand: require_same_command(rank, message.text); break;
      case kUnable:
      case kGone: lose(rank, message.text); break;
      case kInterrupted: stopping_ = true; break;
      default: break;
    }
  }
  void require_same_command(int rank, const std::string& command) const {
    const std::string mine = arguments_of(options_.command);
    require<ConfigError>(command == mine,
                         "All ranks must do the same experiment, but the first was started as 'alidade {}' and "
                         "rank {} as 'alidade {}'. Give them the same command, or start them separately "
                         "(without mpirun, or by srun --mpi=none).",
                         mine, rank, command);
  }
  void keep(std::size_t run, const SentRow& row) {
    count(report_, experiment_, all_.at(run), row);
    folder_.append(row.line);
  }
  void lose(int rank, std::string reason) {
    if (reason.ends_with('.')) reason.pop_back();
    note_(fmt::format("Rank {} does no more runs: {}.", rank, reason));
    const std::optional<std::size_t> given_up = schedule_.gone(rank);
    if (!given_up) return;
    const RunPlace place{experiment_, options_.folder, options_.threads};
    keep(*given_up,
         sent(failed_row(place, all_.at(*given_up),
                         fmt::format("Two workers were lost while they did this run. The last one: {}.", reason))));
  }
  /// Hands out no more runs; false after enough time for the rows of those in progress.
  bool stop_in_time() {
    schedule_.stop();
    if (!stopped_) stopped_ = Clock::now();
    return Clock::now() - *stopped_ <= kPatience;
  }

  const Experiment& experiment_;
  const RunnerOptions& options_;
  MessagePassing& ranks_;
  RankWorker& worker_;
  const std::function<void(const std::string&)>& note_;
  std::vector<PlannedRun> all_;
  RunnerReport report_;
  ResultsFolder folder_;
  RunSchedule schedule_;
  bool stopping_ = false, own_lost_ = false;
  std::optional<Clock::time_point> stopped_;
};

}  // namespace

RunnerReport run_on_ranks(const Experiment& experiment, const RunnerOptions& options, MessagePassing& ranks,
                          RankWorker& worker, const std::function<bool()>& interrupted,
                          const std::function<void(const std::string&)>& note) {
  require_process_count("--threads", options.threads);
  const Experiment planned = with_contents(experiment, options.data_folder);
  return Dispatcher(planned, options, ranks, worker, note).run(interrupted);
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
    if (const auto received = ranks.receive()) {  // do not wait for anything else in progress
      if (received->message.kind == kEnd) ++answers;
      continue;
    }
    if (Clock::now() - begin > kPatience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMilliseconds));
  }
  return true;
}

}  // namespace alidade
