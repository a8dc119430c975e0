#include "solvers/semidefinite/mixed_multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alidade {

std::optional<ProvenBound> bound_of_mixture(const SemidefiniteProgram& program, const Vector& y,
                                            const std::vector<Vector>& earlier) {
  constexpr double kLeast = 1e-8, kGrowth = 10;
  constexpr int kHalvings = 4;
  std::optional<ProvenBound> out = proven_bound(program, y);
  for (std::size_t back = 1; !out && back <= std::min(kEarlierMultipliers, earlier.size()); ++back) {
    const Vector& inside = earlier[earlier.size() - back];
    const auto whole = proven_bound(program, inside);
    if (!whole) continue;
    const auto mixture = [&](double part) { return proven_bound(program, y + part * (inside - y)); };
    double part = kLeast;
    for (; !out && part < 1; part *= kGrowth) out = mixture(part);
    if (!out) return whole;
    double proving = part / kGrowth, failing = proving / kGrowth;
    for (int halving = 0; halving < kHalvings; ++halving) {
      const double middle = std::sqrt(proving * failing);
      auto mixed = mixture(middle);
      (mixed ? proving : failing) = middle;
      if (mixed && mixed->value > out->value) out = std::move(mixed);
    }
  }
  // A dual slack that is singular where rows leave no choice has no margin, but may be decided exactly.
  return out ? out : proven_bound(program, y, {});
}

}  // namespace alidade
