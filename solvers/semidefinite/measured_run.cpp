#include "solvers/semidefinite/measured_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace alidade {

Summary MeasuredRun::solve() {
  begin();
  if (auto end = stopped("before the first iteration")) return *std::move(end);
  counts().sdp_solves = 1;
  bool warm = false;
  try {
    warm = start();
  } catch (const WorkStopped&) {
    return not_begun(*context().interrupted());
  }
  const Termination ended = iterate();
  const MeasuredWords words = this->words();
  if (ended == Termination::diverged || ended == Termination::backend_failure) return finish(ended, words.failure);
  if (interrupts(ended) && counts().iterations == 0) return not_begun(ended);
  if (ending_) return infeasible(*std::move(ending_));
  settle(interrupts(ended));
  std::string message = ended == Termination::converged
                            ? "optimal"
                            : fmt::format("{} after {} {}", to_string(ended), counts().iterations, words.iteration);
  if (ended == Termination::stalled)
    message +=
        fmt::format(": errors fall too slowly, which is usual where multipliers are large or {}. Use solver 'csdp'",
                    words.cause_of_stall);
  message += words.detail;
  judge(
      kept_.x, kept_.errors, [&] { return kept_.bound; }, message);
  if (!summary().certificate && kept_.errors && !trace_)
    message += "; no proven bound: the constraints are not seen to bound the trace of X" + words.without_bound;
  if (warm) message += fmt::format("; started from the given {}", words.start);
  record_end();
  return finish(ended, std::move(message));
}

void MeasuredRun::prove(Kept& kept) const {
  auto proven = lifted_bound(program(), kept.x.multipliers, trace_, kept.least, memory_gb_);
  if (!proven) return;
  kept.bound = proven->value;
  kept.x.multipliers = std::move(proven->multipliers);
  if (!kept.x.dual_blocks.empty()) kept.x.dual_blocks = dual_slack(program(), kept.x.multipliers);
}

void MeasuredRun::measure() {
  if (!kept_.bound) prove(kept_);
  kept_.errors = errors_of(program(), kept_.x);
}

bool MeasuredRun::check(const IterateMeasures& measures, SemidefiniteSolution x) {
  constexpr double kUnproven = 100, kPart = 0.3, kAlike = 2;
  const double scale = 1 + std::abs(measures.objective);
  Kept now{.x = std::move(x), .least = measures.least};
  std::optional<double> bound;
  if (trace_ && now.least) {  // an estimate, which takes no decomposition
    bound =
        dual_value(program(), of_right_sign(program(), now.x.multipliers)) + std::min(0.0, *now.least) * trace_->bound;
  } else {
    prove(now);
    bound = now.bound;
  }
  if (!bound && !trace_) {
    const double wanted = kPart * tolerance_ * scale / std::max(measures.trace, 1e-300);
    if (std::isfinite(wanted) && !(wanted < kAlike * tilt_ && tilt_ < kAlike * wanted)) new_tilt_ = tilt_ = wanted;
  }
  const auto gap = [&](double of) { return std::abs(measures.objective - of) / scale; };
  now.merit = (bound ? std::max(measures.violation, gap(*bound)) : kUnproven * measures.error) / tolerance_;
  if (!(now.merit < kept_.merit)) return false;
  kept_ = std::move(now);
  if (kept_.merit > 1) return false;
  measure();
  return kept_.bound && gap(*kept_.bound) <= tolerance_ && kept_.errors->worst() <= tolerance_;
}

void MeasuredRun::settle(bool time_is_up) {
  constexpr Index kLongBlock = 500;
  const bool large = std::ranges::any_of(
      program().blocks, [](const SemidefiniteBlock& block) { return !block.diagonal && block.size >= kLongBlock; });
  const bool leisure = !time_is_up || !large;
  const std::optional<double> least = last_look(leisure);
  if (std::isinf(kept_.merit)) kept_ = {.x = current(), .least = least};
  if (!kept_.errors && leisure) measure();
}

double MeasuredRun::work_to_tolerance(const std::vector<std::pair<double, double>>& history) const {
  const auto& [work, last] = history.back();
  const double before = std::ranges::find_if(history, [&](const auto& one) { return 2 * one.first >= work; })->second;
  if (!(last < before)) return std::numeric_limits<double>::infinity();
  return work * std::exp2(std::log(last / tolerance_) / std::log(before / last));
}

}  // namespace alidade
