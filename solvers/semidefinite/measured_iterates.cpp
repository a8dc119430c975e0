#include "solvers/semidefinite/measured_iterates.hpp"

#include <algorithm>
#include <cmath>

namespace alidade {

void MeasuredIterates::prove(Kept& kept) const {
  auto proven = lifted_bound(program_, kept.x.multipliers, trace_, kept.least, memory_gb_);
  if (!proven) return;
  kept.bound = proven->value;
  kept.x.multipliers = std::move(proven->multipliers);
  if (!kept.x.dual_blocks.empty()) kept.x.dual_blocks = dual_slack(program_, kept.x.multipliers);
}

void MeasuredIterates::measure() {
  if (!kept_.bound) prove(kept_);
  kept_.errors = errors_of(program_, kept_.x);
}

bool MeasuredIterates::check(const IterateMeasures& measures, SemidefiniteSolution x) {
  constexpr double kUnproven = 100, kPart = 0.3, kAlike = 2;
  const double scale = 1 + std::abs(measures.objective);
  Kept now{.x = std::move(x), .least = measures.least};
  std::optional<double> bound;
  if (trace_ && now.least) {  // an estimate, which takes no decomposition
    bound =
        dual_value(program_, of_right_sign(program_, now.x.multipliers)) + std::min(0.0, *now.least) * trace_->bound;
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

void MeasuredIterates::settle(bool time_is_up, SemidefiniteSolution last, std::optional<double> least) {
  constexpr Index kLongBlock = 500;
  if (std::isinf(kept_.merit)) kept_ = {.x = std::move(last), .least = least};
  const bool large = std::ranges::any_of(
      program_.blocks, [](const SemidefiniteBlock& block) { return !block.diagonal && block.size >= kLongBlock; });
  if (!kept_.errors && !(time_is_up && large)) measure();
}

}  // namespace alidade
