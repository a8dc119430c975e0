#include "experiments/commands/stage_line.hpp"

#include <fmt/core.h>

#include <condition_variable>
#include <cstdio>

#include "experiments/files/counted.hpp"
#include "experiments/files/standard_error.hpp"
#include "experiments/files/terminal_text.hpp"
#include "problems/core/begun_thread.hpp"

namespace alidade::commands {
namespace {

constexpr std::chrono::milliseconds kRenewed{500};

std::string name_of(const RunStage& stage) {
  switch (stage.kind) {
    case RunStage::Kind::choose: return "Choosing the method";
    case RunStage::Kind::solve: return "Fitting the map";
    case RunStage::Kind::measure: return "Measuring the map";
    case RunStage::Kind::refit: return "Fitting all answers";
    case RunStage::Kind::bootstrap: return "Bootstrap";
  }
  return "";
}

}  // namespace

std::string stage_text(const RunStage& stage, double elapsed, double in_stage) {
  std::string out = name_of(stage);
  if (stage.total > 0) {
    const bool choosing = stage.kind == RunStage::Kind::choose;
    out += fmt::format(": {} of {}{}", stage.done, choosing ? "about " : "",
                       counted(stage.total, choosing ? "candidate" : "replicate"));
  }
  out += ", " + duration_text(elapsed);
  if (stage.done > 0 && stage.total > stage.done) {
    const double left = in_stage / static_cast<double>(stage.done) * static_cast<double>(stage.total - stage.done);
    out += ", " + time_left_text(left);
  }
  return out;
}

StageLine::StageLine(bool shown) : shown_(shown) {
  if (!shown) return;
  thread_ = begun_thread([this](const std::stop_token& stop) {  // a solver may fork
    std::condition_variable_any woken;
    std::unique_lock lock(mutex_);
    while (!woken.wait_for(lock, stop, kRenewed, [&] { return stop.stop_requested(); })) print();
  });
}

StageLine::~StageLine() { end(); }

void StageLine::show(const RunStage& stage) {
  if (!shown_) return;
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  const bool same = stage_ && stage_->kind == stage.kind;
  // Replicates end on several threads, so counts may come out of order.
  if (same && stage.done < stage_->done) return;
  if (!same) stage_begin_ = now;
  last_done_ = now;
  stage_ = stage;
}

void StageLine::end() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  const std::scoped_lock lock(mutex_);
  if (stage_) say("\r\033[K");
  std::fflush(stderr);
}

/// @pre the mutex is held.
void StageLine::print() {
  if (!stage_) return;
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  say("\r\033[K{}", stage_text(*stage_, seconds(Clock::now() - begin_), seconds(last_done_ - stage_begin_)));
  std::fflush(stderr);
}

}  // namespace alidade::commands
