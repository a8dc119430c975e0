#include "experiments/launch/run_watch.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "experiments/files/reading_limit.hpp"
#include "experiments/launch/process_pool.hpp"
#include "experiments/run/used_resources.hpp"
#include "problems/core/begun_thread.hpp"

namespace alidade {
namespace {

constexpr int kOutOfTime = 1, kInterrupted = 130;
constexpr double kBusyShare = 0.05;    // of a processor, which a busy machine leaves
constexpr double kReadingGrace = 0.5;  // seconds, in which a reader that waits for a pipe says so itself

}  // namespace

RunWatch::RunWatch(std::function<bool()> interrupted)
    : interrupted_(std::move(interrupted)), thread_(begun_thread([this](const std::stop_token& end) {
        const RunClock::Ticking ticking;
        while (!end.stop_requested()) {
          look();
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
      })) {}

void RunWatch::begin(std::optional<double> timeout_seconds, LastAct last_act) {
  const std::scoped_lock lock(mutex_);
  work_ = Work{timeout_seconds, std::move(last_act), Clock::now(), PoolLimits().grace_seconds};
  cpu_before_.reset();
}

void RunWatch::allow(double seconds) {
  const std::scoped_lock lock(mutex_);
  if (work_) work_->allowed = seconds;
}

void RunWatch::begin_writing() {
  const std::scoped_lock lock(mutex_);
  if (!work_) return;
  work_->writing = true;
  work_->allowed = PoolLimits().grace_seconds;
}

void RunWatch::end() {
  const std::scoped_lock lock(mutex_);
  work_.reset();
  cpu_before_.reset();
}

void RunWatch::look() {
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  const auto seconds_since = [&](Clock::time_point then) { return std::chrono::duration<double>(now - then).count(); };
  if (!asked_ && interrupted_()) {
    asked_ = now;
    source_.request_stop();
  }
  if (!work_) return;
  const double spent = seconds_since(work_->begun);
  const auto end_process = [&](int status, const std::string& why) {
    work_->last_act(why);
    std::fflush(nullptr);
    ::_exit(status);  // the work still uses what destructors would destroy
  };
  // An interruption during the work counts from the later of the two.
  const double interrupted_for = asked_ ? std::min(seconds_since(*asked_), spent) : 0;
  const double late_for = work_->timeout_seconds ? spent - *work_->timeout_seconds : 0;
  if (!(interrupted_for > 0 || late_for > 0)) return;
  if (!cpu_before_) cpu_before_ = cpu_seconds();
  const double used = cpu_seconds() - *cpu_before_;
  const auto is_over = [&](double wall, double grace) {
    return work_->writing ? is_beyond_grace(grace, wall, 0) && used < kBusyShare * wall
                          : is_beyond_grace(grace, wall, used);
  };
  if (is_over(interrupted_for, work_->allowed))
    end_process(kInterrupted,
                work_->allowed > 0 ? "Interrupted; it did not stop by itself and was ended." : "Interrupted.");
  const bool reading = WhileReading::is_now();
  if (is_over(late_for, reading ? kReadingGrace : PoolLimits().grace_seconds))
    end_process(kOutOfTime, fmt::format("Exceeded the time limit of {:g} s{}; ended after {:.1f} s. Raise `timeout`.",
                                        *work_->timeout_seconds, reading ? " while data were read" : "", spent));
}

}  // namespace alidade
