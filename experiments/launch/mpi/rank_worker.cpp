#include "experiments/launch/mpi/rank_worker.hpp"

#include <fmt/core.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "experiments/config/config_file.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/launch/process_pool.hpp"
#include "experiments/launch/run_process.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/loaded_data.hpp"
#include "problems/core/decompositions/blas.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;
using namespace rank_message;

std::atomic<bool> asked_to_stop = false;

extern "C" void note_signal(int) { asked_to_stop = true; }

std::string host() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// Other machines may see a new file some seconds late.
bool comes_to_hold(const fs::path& file, const std::string& text) {
  constexpr int kTries = 100;
  for (int tried = 0; tried < kTries; ++tried) {
    if (file_content(file) == text) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

std::string note_on_processors(int threads) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return "";
  const int count = CPU_COUNT(&allowed);
  if (count >= threads) return "";
  return fmt::format(
      "A rank on {} may use only {} of the processors there, for --threads {}. Start it with mpirun --bind-to none.",
      host(), count, threads);
}

/// What a worker knows after its setup message.
class Workplace {
 public:
  /// @throws ConfigError, DataError if runs cannot be executed here.
  explicit Workplace(const std::string& text)
      : setup_(parse(text)),
        experiment_(interpret(parse_config(field("config"), "config.resolved.toml"))),
        place_{experiment_, field("folder"), static_cast<int>(*number_field(setup_, "threads"))},
        runs_(plan(experiment_)),
        data_(experiment_, {}, field("data_folder")) {
    require<DataError>(comes_to_hold(place_.folder / kManifestFile, field("manifest")),
                       "{} does not see the same results folder {} as the first rank. Give --out on a file "
                       "system that all machines share.",
                       host(), place_.folder.string());
  }
  [[nodiscard]] std::string note() const { return note_on_processors(place_.threads); }

  /// The reply to a request for a run. `stopping` is polled about 20 times a second; `leave` is called in the child.
  Message carry_out_one(std::size_t index, const std::function<bool()>& stopping, const std::function<void()>& leave) {
    const PlannedRun& run = runs_.at(index);
    data_.keep_for(run);
    const LoadedData::Entry& entry = data_.get(run);
    const auto answer = [&](const SentRow& row) { return Message{kRow, fmt::format("{}\n{}", index, to_text(row))}; };
    if (const auto row = row_without_run(place_, run, entry)) return answer(sent(*row));
    Message out;
    PoolJobs jobs;
    jobs.settle = settle_blas_memory;
    jobs.count = 1;
    jobs.prepare = [](std::size_t) { return true; };
    jobs.work = [&](std::size_t, std::stop_token stop) {
      leave();
      return carry_out(place_, run, entry, std::move(stop));
    };
    jobs.log = [&](std::size_t) { return log_of(place_, run); };
    jobs.done = [&](const ChildOutcome& outcome) {
      try {
        out = answer(row_of(place_, run, outcome, stopping()));
      } catch (const DataError& error) {
        out = {kNoWrite, error.what()};
      }
    };
    jobs.tick = [] {};
    run_in_children(limits_of(experiment_, 1), jobs, stopping);
    if (out.kind != 0) return out;
    // Stopped before it started.
    return answer(row_of(place_, run, {index, false, "", "interrupted before the run began", 0}, true));
  }

 private:
  static ValueTable parse(const std::string& text) {
    return *parse_json(text, "what the first rank says").get_if<ValueTable>();
  }
  [[nodiscard]] std::string field(const char* name) const { return text_field(setup_, name); }

  ValueTable setup_;
  Experiment experiment_;
  RunPlace place_;
  std::vector<PlannedRun> runs_;
  LoadedData data_;
};

/// Everything a worker does.
void work(MessageSocket& socket) {
  std::optional<Workplace> place;
  bool told_to_stop = false;
  const auto stopping = [&] {
    while (const auto message = socket.receive()) told_to_stop = told_to_stop || message->kind == kStop;
    return told_to_stop || asked_to_stop || socket.ended();
  };
  for (;;) {
    const std::optional<Message> message = socket.receive();
    if (!message) {
      if (socket.ended()) return;
      socket.wait(-1);
      continue;
    }
    switch (message->kind) {
      case kSetup:
        try {
          place.emplace(message->text);
          socket.send({kReady, place->note()});
        } catch (const Error& error) {
          socket.send({kUnable, error.what()});
        }
        break;
      case kRun: try { socket.send(place->carry_out_one(std::stoul(message->text), stopping, [&] { socket.close(); }));
        } catch (const Error& error) {  // no process can be started
          socket.send({kUnable, error.what()});
        }
        break;
      case kStop: told_to_stop = true; break;
      default: break;
    }
  }
}

[[noreturn]] void worker_main(MessageSocket& socket, pid_t rank) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != rank) ::_exit(1);
  // mpirun may ask all processes of a rank to stop, more than once.
  struct sigaction action {};
  action.sa_handler = note_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  work(socket);
  ::_exit(0);
}

}  // namespace

std::string to_message(const RankSetup& setup) {
  ValueTable out;
  out.set("config", setup.config);
  out.set("folder", setup.folder);
  out.set("manifest", setup.manifest);
  out.set("data_folder", setup.data_folder);
  out.set("threads", setup.threads);
  return to_json(out);
}

RankWorker::RankWorker() : RankWorker(MessageSocket::pair()) {}

RankWorker::RankWorker(std::pair<MessageSocket, MessageSocket> ends) : socket_(std::move(ends.first)) {
  std::fflush(nullptr);
  const pid_t self = ::getpid();
  pid_ = ::fork();
  require<DataError>(pid_ >= 0, "Cannot start a process: {}.", std::strerror(errno));
  if (pid_ == 0) {
    socket_.close();
    worker_main(ends.second, self);
  }
}

RankWorker::~RankWorker() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

std::string RankWorker::how_it_ended() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status))
    return fmt::format("its worker process on {} was ended by signal {} ({})", host(), WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  return fmt::format("its worker process on {} ended with exit({})", host(), WEXITSTATUS(status));
}

}  // namespace alidade
